# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking into folders within bounds.

Every folder is listed at most once and only so many entries are looked at in all: a description
that lies in a huge tree costs a second at most. The price: a search does not find files beyond the
bound (a file named by its right path is always found, without a search).
"""

import os
import tempfile
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import islice, takewhile
from pathlib import Path
from xml.parsers.expat import ExpatError, ParserCreate

from .regular import open_regular_file

MOST_ENTRIES = 50_000
MOST_ENTRIES_OF_A_FOLDER = 10_000
MOST_LEVELS_UP = 32
MOST_LEVELS_DOWN = 12
MOST_PACKAGE_XML_BYTES = 64 * 1024
REPOSITORY_MARKS = (".git", ".repo", "COLCON_IGNORE")
FOLDERS_OF_DESCRIPTIONS = ("urdf", "urdfs", "xacro", "xacros")
_MOST_DATA = 4
"""The first Python package around a description is among so many folders: its own, and data
folders of the package."""
_SHARED = ("site-packages", "dist-packages")
"""Folders of many packages."""


@dataclass(slots=True)
class Listing:
    """The content of a folder, sorted: folders, links to folders, and everything else."""

    folders: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    folded: dict[str, str] = field(default_factory=dict)


class Folders:
    """A cached, bounded view of the file system: each question has its answer worked out once."""

    def __init__(self, most_entries: int = MOST_ENTRIES) -> None:
        self._entries_left = most_entries
        self._is_cut = False
        self.list_folder = cache(self._list_folder)
        self.read_package = cache(_read_package)
        self.find_packages = cache(self._crawl_packages)
        self.find_files_below = cache(self._crawl_files)
        self._follow_folder = cache(os.path.realpath)

    @property
    def is_exhausted(self) -> bool:
        return self._is_cut or self._entries_left <= 0

    def find_package_name(self, folder: str) -> str | None:
        """Returns the <name> in the folder's package.xml, "" if it has none; None without a
        package.xml."""
        package = self.read_package(folder)
        return None if package is None else package.name

    def _list_folder(self, folder: str) -> Listing:
        """Returns the visible content of `folder`; nothing where it cannot be read."""
        listing = Listing()
        most = min(self._entries_left, MOST_ENTRIES_OF_A_FOLDER)
        if most <= 0 or is_broad(folder):
            return listing
        try:
            with os.scandir(folder) as entries:
                for entry in islice(entries, most):
                    self._entries_left -= 1
                    _sort_in(entry, listing)
        except OSError:
            return listing
        for names in (listing.folders, listing.links, listing.files):
            names.sort()
            for name in names:
                listing.folded.setdefault(fold(name), name)
        return listing

    def follow_links(self, path: str) -> str:
        """Returns where a normalized absolute path ends; the links above it are followed once for
        a folder."""
        folder, name = os.path.split(path)
        if not name or os.path.islink(path):
            return os.path.realpath(path)
        return os.path.join(self._follow_folder(folder), name)

    def _crawl_packages(self, folder: str, levels: int) -> dict[str, list[str]]:
        """Maps name -> folders of the packages in `folder`, `levels` deep; no such folder
        lies in another.

        Half of the entries left are for the searches after it.
        """
        found: dict[str, list[str]] = {}
        level, reserve = [folder], self._entries_left // 2
        for _ in range(levels):
            below: list[str] = []
            for parent in level:
                if self._entries_left <= reserve:
                    self._is_cut = True
                    return found
                listing = self.list_folder(parent)
                start = os.path.join(parent, "")
                for child in sorted(listing.folders + listing.links):
                    path = start + child
                    name = self.find_package_name(path)
                    if name is not None:
                        found.setdefault(name, []).append(path)
                    elif child in listing.folders and not child.startswith("."):
                        below.append(path)
            level = below
        return found

    def _crawl_files(self, folder: str) -> dict[str, list[tuple[str, ...]]]:
        """Maps folded file name -> the parts of every such path below `folder`, nearest first.

        Hidden folders and links to folders are left out: links may lead in circles and elsewhere.
        """
        found: dict[str, list[tuple[str, ...]]] = {}
        level: list[tuple[str, ...]] = [()]
        for _ in range(MOST_LEVELS_DOWN):
            below: list[tuple[str, ...]] = []
            for parts in level:
                listing = self.list_folder(os.path.join(folder, *parts))
                for name in listing.files:
                    found.setdefault(fold(name), []).append((*parts, name))
                below += [(*parts, name) for name in listing.folders if not name.startswith(".")]
            level = below
        return found

    def find_ends(self, folder: str, path: str) -> list[str]:
        """Returns the files below `folder` whose paths end with all of `path`."""
        parts = tuple(path.split("/"))
        files = self.find_files_below(folder).get(fold(parts[-1]), [])
        return [os.path.join(folder, *each) for each in files if each[-len(parts) :] == parts]

    def find_longest_ends(
        self, folder: str, parts: Sequence[str], least: int, near: str
    ) -> list[str]:
        """Returns the files below `folder` that share the longest end of a path, `least` parts of
        it.

        Of equally long ones, exact spelling counts first, then nearness to the folder `near`, then
        the least depth; several where none is better than the others.
        """
        here = Path(os.path.relpath(near, folder)).parts if is_within(near, folder) else ()
        ranks: dict[tuple[int, ...], list[str]] = {}
        for candidate in self.find_files_below(folder).get(fold(parts[-1]), []):
            shared = _count_equal(map(fold, reversed(parts)), map(fold, reversed(candidate)))
            if shared >= least:
                alike = _count_equal(reversed(parts), reversed(candidate))
                rank = (shared, alike, _count_equal(here, candidate), -len(candidate))
                ranks.setdefault(rank, []).append(os.path.join(folder, *candidate))
        return ranks[max(ranks)] if ranks else []

    def find_regardless_of_case(self, folder: str, path: str) -> str | None:
        """Returns the path in `folder` that differs from `path` at most in case and Unicode
        form."""
        current = folder
        for part in path.split("/"):
            exact = os.path.join(current, part)
            if not os.path.lexists(exact):
                name = self.list_folder(current).folded.get(fold(part))
                if name is None:
                    return None
                exact = os.path.join(current, name)
            current = exact
        return current


@dataclass(frozen=True, slots=True)
class FolderSurroundings:
    """A folder in which the description lies, and its surroundings.

    `chain` leads upwards, `own` is its package and `bundle` the part of it that is about this one
    description, as far as folders tell.
    """

    folder: str
    chain: list[str]
    own: str
    bundle: str


def walk_up(folder: str) -> list[str]:
    """Returns `folder` and the folders above it, up to and with the root of the repository.

    A home folder, the folders above it, and the root of a drive never belong to it.
    """
    chain: list[str] = []
    current = folder
    while len(chain) < MOST_LEVELS_UP and not is_broad(current):
        chain.append(current)
        if is_repository(current):
            break
        current = os.path.dirname(current)
    return chain


def is_repository(folder: str) -> bool:
    return any(os.path.lexists(os.path.join(folder, mark)) for mark in REPOSITORY_MARKS)


def is_broad(folder: str) -> bool:
    """Whether this is a home folder, a folder above one, or the root of a drive: too much to look
    through."""
    parent = os.path.dirname(folder)
    home = os.path.expanduser("~")
    return (
        parent == folder
        or is_within(home, folder)
        or is_within(_follow_links(home), folder)
        or parent in ("/home", "/Users")
    )


@lru_cache(maxsize=8)
def _follow_links(folder: str) -> str:
    return os.path.realpath(folder)


def is_within(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or lies in it; both absolute, compared as text."""
    path, folder = os.path.normcase(path), os.path.normcase(folder)
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def fold(name: str) -> str:
    """Returns a text that is equal for names that differ only in case or in the Unicode form of
    their accents."""
    return unicodedata.normalize("NFC", name).casefold()


def find_surroundings(description: str, folders: Folders) -> list[FolderSurroundings]:
    """Returns the description's surroundings, by its own path, and by its path with links followed
    if that differs."""
    if description in ("", "."):
        return []
    path = os.path.abspath(description)
    called, real = os.path.dirname(path), os.path.dirname(os.path.realpath(path))
    starts = []
    for folder in dict.fromkeys((called, real)):
        chain = walk_up(folder)
        bundle = _find_bundle(folder)
        python = _find_python_package(chain) or bundle
        own = _find_own_folder(chain, folders) or (bundle if is_within(python, bundle) else python)
        starts.append(
            FolderSurroundings(folder, chain, own, own if is_within(own, bundle) else bundle)
        )
    return starts


def _find_own_folder(chain: list[str], folders: Folders) -> str | None:
    for folder in chain:
        if folders.find_package_name(folder) is not None:
            return folder
    return chain[-1] if chain and is_repository(chain[-1]) else None


def _find_python_package(chain: list[str]) -> str | None:
    """Returns the outermost of the Python packages around a description; None where the first is
    more than a few folders up. Folders of many packages do not count, whatever lies in them."""
    first = next((at for at, each in enumerate(chain[:_MOST_DATA]) if _is_python(each)), len(chain))
    packages = list(takewhile(_is_python, chain[first:]))
    return packages[-1] if packages else None


def _is_python(folder: str) -> bool:
    is_shared = os.path.basename(folder) in _SHARED or folder == tempfile.gettempdir()
    return not is_shared and os.path.isfile(os.path.join(folder, "__init__.py"))


def _find_bundle(start: str) -> str:
    """Returns the folder above one called urdf or the like (meshes lie beside it), else the
    description's."""
    for folder in (start, os.path.dirname(start)):
        above, name = os.path.dirname(folder), fold(os.path.basename(folder))
        if name in FOLDERS_OF_DESCRIPTIONS and not is_broad(above):
            return above
    return start


def _count_equal(first: Iterable[str], second: Iterable[str]) -> int:
    """How many of the leading items are equal."""
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count


def _sort_in(entry: "os.DirEntry[str]", listing: Listing) -> None:
    if entry.is_dir(follow_symlinks=False):
        listing.folders.append(entry.name)
    elif entry.is_symlink() and os.path.isdir(entry.path):
        listing.links.append(entry.name)
    else:
        listing.files.append(entry.name)


@dataclass(frozen=True, slots=True)
class PackageXml:
    """A package.xml: its <name>, "" if it has none, and where it says that models of Gazebo lie."""

    name: str
    model_paths: tuple[str, ...]


def _read_package(folder: str) -> PackageXml | None:
    path = os.path.join(folder, "package.xml")
    if not os.path.exists(path):  # asked first, since nearly all folders have none
        return None
    try:
        with open_regular_file(path) as (file, _):
            data = file.read(MOST_PACKAGE_XML_BYTES)
    except OSError:
        return None
    names: list[list[str]] = []
    models: list[str] = []
    tags: list[str] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        tags.append(tag)
        if tags == ["package", "name"]:
            names.append([])
        models.extend(attributes.get("gazebo_model_path", "").split(":"))

    def keep_name(text: str) -> None:
        if tags == ["package", "name"]:
            names[-1].append(text)

    def refuse(*declaration: object) -> None:
        raise _EntityError

    # Namespaces stay off: files use prefixes that they never declare.
    parser = ParserCreate()
    parser.StartElementHandler, parser.CharacterDataHandler = start, keep_name
    parser.EndElementHandler = lambda tag: tags.pop()
    parser.EntityDeclHandler = refuse
    with suppress(ExpatError, LookupError, ValueError, _EntityError):
        parser.Parse(data, True)
    name = "".join(names[0]).strip() if names else ""
    paths = (each.replace("${prefix}", folder) for each in models if each)
    return PackageXml(name, tuple(os.path.normpath(os.path.join(folder, path)) for path in paths))


class _EntityError(Exception):
    """The file declares entities, which are not expanded."""
