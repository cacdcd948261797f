# SPDX-License-Identifier: GPL-3.0-or-later
"""Which file a URI of a description means, and whether it may be read.

Where it is looked for, first come first served:

1. where the URI says. package:// and model:// name a package, which is looked for among the
   packages that the user named, in the package folders that the user named, in the ROS
   environment, and then upwards from the description: a folder whose package.xml has the name or
   that is called so, there or among its siblings. The way up ends at the root of a repository and
   below any home folder.
2. there, but spelled differently (upper and lower case, Unicode form): a warning.
3. one folder above the description's, by the whole path without its package; then elsewhere in
   the description's own package, in the user's folders and in the repository, by the longest end
   of the path; the nearest bundle wins and a draw finds nothing: a warning. Packages are renamed
   and moved more often than not when they leave their workspace.

Readable are regular files in the description's own package, in the folders that the user or the ROS
environment names, and in packages found as above. The own package is the nearest folder upwards
with a package.xml; else the repository; else the Python package; else the description's folder, or
the one above where that is called urdf or xacro. An absolute path elsewhere is refused, and so is
`..` that leads out of all these; but a mesh, an image or a text of MuJoCo or Gazebo may lie one
folder above the description's, where robots without packages keep shared files.

Links are judged by where they end. A package in a folder that the user or the ROS environment names
may be a link to anywhere; one found on the way up must then carry its name in its package.xml. A
link inside a package has to end in a folder that may be read or in the same package (by
package.xml) elsewhere, as `colcon build --symlink-install` makes them. The price: a package without
package.xml whose meshes are links into a store is read only when the user names the store as well.
"""

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path

from ..diagnostics import MeshError, Report, quote, quote_path
from .candidates import (
    Failure,
    FilePlace,
    FoundPath,
    Root,
    Verdict,
    choose_moved,
    find_above,
    is_neighbour,
    names_of,
    say_moved,
)
from .folders import Folders, find_surroundings, is_repository, is_within, walk_up
from .references import Reference, list_package_folders, make_absolute, read_reference
from .regular import FileKind
from .states import MOST_NOTED, FileState, read_state

AnyPath = str | os.PathLike[str]

LEVELS_OF_PACKAGE_FOLDERS = 4
_MOST_LISTED = 200


class PackageResolver:
    """Finds the files that one description names.

    `description` is the description's file ("" for none, then only packages given are found).
    `packages` says name=folder, `package_paths` are folders with packages in them; files in all of
    these may be read. `environment` holds AMENT_PREFIX_PATH, ROS_PACKAGE_PATH and Gazebo's
    variables; None for none. `states` are the states of the files found, by path.
    """

    def __init__(
        self,
        description: Path | str,
        packages: Mapping[str, str] | Iterable[tuple[str, str]] = (),
        package_paths: Sequence[str] = (),
        environment: Mapping[str, str] | None = os.environ,
    ) -> None:
        pairs = packages.items() if isinstance(packages, Mapping) else packages
        self.description = os.fspath(description)
        self._folders = Folders()
        self._named = [(name, make_absolute(folder)) for name, folder in pairs if folder]
        self._package_paths = [make_absolute(folder) for folder in package_paths if folder]
        self._ros_paths = list_package_folders(environment)
        prefixes = list_package_folders(environment, ("AMENT_PREFIX_PATH",))
        self._shares = [os.path.join(prefix, "share") for prefix in prefixes]
        self._starts = find_surroundings(os.fspath(description), self._folders)
        own = [start.own for start in self._starts]
        self._user = [folder for _, folder in self._named] + self._package_paths
        allowed = own + self._user + self._ros_paths + self._shares
        self._roots = [Root.of(folder) for folder in dict.fromkeys(allowed)]
        self._found_packages: dict[str, list[str]] = {}
        self._walks: dict[str, Iterator[str]] = {}
        self._references: dict[str, Reference] = {}
        self._root_of = cache(Root.of)
        self._outcomes: dict[tuple[str, FileKind, str], FoundPath | Failure] = {}
        self._expected: dict[tuple[str, ...], set[str]] = {}
        self.states: dict[str, FileState] = {}
        self._names = names_of(os.fspath(description))

    def expect_files(self, uris: Iterable[str]) -> None:
        """Takes note of the files that will be asked for: where a URI may mean several files, the
        one beside the others is taken."""
        for uri in uris:
            with contextlib.suppress(MeshError):
                self._references[uri] = reference = read_reference(uri, "mesh")
                *folder, name = reference.parts or ("",)
                self._expected.setdefault(tuple(folder), set()).add(name)

    def resolve_file(
        self,
        uri: str,
        report: Report,
        *,
        kind: FileKind = "mesh",
        base: Path | None = None,
    ) -> Path:
        """Returns the file that `uri` means: an absolute path without `..`, links not followed.

        A relative `uri` starts in `base` (the folder of a mesh that names a texture), else in the
        description's folder. Warnings go to `report` at every call. Raises MeshError if there is no
        such file or it may not be read; its code says which.
        """
        key = (uri, kind, os.fspath(base) if base else "")
        if key not in self._outcomes:
            outcome = self._outcomes[key] = self._look_up(*key)
            if isinstance(outcome, FoundPath):
                self.note_file(outcome.path)
        outcome = self._outcomes[key]
        if isinstance(outcome, Failure):
            raise MeshError(outcome.message, code=outcome.code, package=outcome.package)
        if outcome.code:
            report(outcome.code, outcome.note)
        return outcome.file

    def note_file(self, path: str) -> None:
        """Adds a file to `states` in its present state: before it is read, so that a change that
        comes meanwhile is seen later."""
        state = read_state(path)
        if state is not None and len(self.states) < MOST_NOTED:
            self.states.setdefault(path, state)

    def list_folder(self, uri: str, suffix: str) -> list[Path]:
        """Returns the files in a folder that end so, by their names, as far as they may be read;
        none if it is not a folder. Raises MeshError for text that is not a URI."""
        reference = read_reference(uri.rstrip("/") + "/_", "file")
        for place in self._places(reference, ""):
            folder = os.path.dirname(place.candidate)
            if self._judge(folder, place.package) is not Verdict.NOT_A_FILE:
                continue
            with contextlib.suppress(OSError):
                names = sorted(name for name in os.listdir(folder) if name.endswith(suffix))
                paths = [os.path.join(folder, name) for name in names[:_MOST_LISTED]]
                paths = [p for p in paths if self._judge(p, place.package) is Verdict.FOUND]
                for path in paths:
                    self.note_file(path)
                return [Path(path) for path in paths]
        return []

    def find_packages(self, name: str) -> list[str]:
        """Returns the folders of the package, the preferred one first; the others only fill gaps.

        A hidden folder is not a package, and a path is not a name.
        """
        return list(self._each_package(name))

    def _each_package(self, name: str) -> Iterator[str]:
        """Yields the results of find_packages, looking no further than is asked for: whether a
        package is there once more takes a look into every folder beside it."""
        if name.startswith(".") or os.path.basename(name) != name:
            return
        if name not in self._walks:
            self._walks[name] = self._walk_packages(name)
        walk, found = self._walks[name], self._found_packages.setdefault(name, [])
        place = 0
        while True:
            if place == len(found):
                further = next((each for each in walk if each not in found), None)
                if further is None:
                    return
                found.append(further)
            yield found[place]
            place += 1

    def _look_up(self, uri: str, kind: FileKind, base: str) -> FoundPath | Failure:
        try:
            reference = self._references.get(uri) or read_reference(uri, kind)
        except MeshError as error:
            return Failure(error.message, error.code)
        forms = (reference, *reference.unquoted())
        places: list[FilePlace] = []
        verdicts: list[Verdict] = []
        for place in chain.from_iterable(self._places(form, base) for form in forms):
            places.append(place)
            verdicts.append(self._judge_place(place, kind))
            if verdicts[-1] is Verdict.FOUND:
                return FoundPath(place.candidate)
        is_outside = Verdict.OUTSIDE in verdicts
        return (
            self._find_misspelled(places, uri, kind)
            or (self._find_moved(forms, uri, kind, nearby=is_outside) if kind != "model" else None)
            or self._explain(reference, places, verdicts, kind)
        )

    # Where the URI says

    def _places(self, reference: Reference, base: str) -> Iterator[FilePlace]:
        if reference.package:
            for folder in self._each_package(reference.package):
                yield FilePlace(folder, reference.path, folder)
        elif os.path.isabs(reference.path):
            path = os.path.normpath(reference.path)
            holder = self._find_holder(path, self._roots)
            # xacro replaces $(find name) by the folder of a package that was found by name.
            package = "" if holder else self._found_package_of(path)
            yield FilePlace(holder.folder if holder else package, reference.path, package)
        else:
            for folder in [make_absolute(base)] if base else [each.folder for each in self._starts]:
                yield FilePlace(folder, reference.path, None if base else "", is_relative=True)

    def _found_package_of(self, folder: str) -> str:
        """The package, among the ones found before, in which a folder or file lies."""
        found = (each for name in self._found_packages for each in self.find_packages(name))
        return max((each for each in found if is_within(folder, each)), key=len, default="")

    def _walk_packages(self, name: str) -> Iterator[str]:
        yield from (folder for given, folder in self._named if given == name)
        for folder in self._package_paths + self._ros_paths:
            if self._is_package(folder, name):
                yield folder
            yield from self._children_named(folder, name, LEVELS_OF_PACKAGE_FOLDERS)
        for share in self._shares:
            folder = os.path.join(share, name)
            if os.path.isdir(folder):
                yield folder
        for start in self._starts:
            for folder in start.chain:
                if self._is_package(folder, name):
                    yield folder
                for child in self._children_named(folder, name, 1):
                    if self._may_follow(child, folder, name):
                        yield child

    def _is_package(self, folder: str, name: str) -> bool:
        return os.path.basename(folder) == name or self._folders.find_package_name(folder) == name

    def _children_named(self, folder: str, name: str, levels: int) -> Iterator[str]:
        child = os.path.join(folder, name)
        if os.path.isdir(child):
            yield child
        yield from self._folders.find_packages(folder, levels).get(name, ())

    def _may_follow(self, package: str, folder: str, name: str) -> bool:
        """Whether a package found on the way up was not reached through a link."""
        if self._folders.find_package_name(package) == name:
            return True
        return is_within(os.path.realpath(package), os.path.realpath(folder))

    # Permission to read

    def _judge_place(self, place: FilePlace, kind: FileKind) -> Verdict:
        verdict = self._judge_in(place, place.candidate)
        if verdict is Verdict.OUTSIDE and place.is_relative:
            return is_neighbour(place.candidate, [start.folder for start in self._starts], kind)
        return verdict

    def _judge_in(self, place: FilePlace, path: str) -> Verdict:
        verdict = self._judge(path, place.package)
        goes_on = verdict is Verdict.OUTSIDE and place.package is None
        return self._judge(path, self._found_package_of(place.folder)) if goes_on else verdict

    def _judge(self, path: str, package: str | None = "") -> Verdict:
        roots = [self._root_of(package), *self._roots] if package else self._roots
        if self._find_holder(path, roots) is None:
            return Verdict.OUTSIDE
        try:
            mode = os.stat(path).st_mode
            real = self._folders.follow_links(path)
        except (OSError, ValueError):
            return Verdict.ABSENT
        if not any(is_within(real, root.real) for root in roots):
            name = self._package_name_above(path)
            if not name or name != self._package_name_above(real):
                return Verdict.OUTSIDE
        return Verdict.FOUND if stat.S_ISREG(mode) else Verdict.NOT_A_FILE

    def _find_holder(self, path: str, roots: Sequence[Root]) -> Root | None:
        return next((root for root in roots if root.holds(path)), None)

    def _package_name_above(self, path: str) -> str | None:
        names = map(self._folders.find_package_name, walk_up(os.path.dirname(path)))
        return next((name for name in names if name is not None), None)

    # Elsewhere

    def _find_misspelled(
        self, places: Sequence[FilePlace], uri: str, kind: FileKind
    ) -> FoundPath | None:
        for place in places:
            if not place.folder or not is_within(place.candidate, place.folder):
                continue
            path = os.path.relpath(place.candidate, place.folder).replace(os.sep, "/")
            found = self._folders.find_regardless_of_case(place.folder, path)
            if found and self._judge_in(place, found) is Verdict.FOUND:
                shown = f"{quote_path(found)}, which is spelled differently"
                note = f"{kind} {quote_path(uri)} was read from {shown}"
                return FoundPath(found, "wrong-case", note)
        return None

    def _find_moved(
        self, forms: Sequence[Reference], uri: str, kind: FileKind, *, nearby: bool
    ) -> FoundPath | None:
        folders = [start.folder for start in self._starts]
        for form in filter(lambda each: each.parts, forms):
            chosen, why = find_above(form, folders, kind), ""
            if not chosen:
                chosen, why = self._find_end(form.parts, nearby)
            if chosen:
                return say_moved(chosen, why, form, uri, kind)
        return None

    def _find_end(self, parts: Sequence[str], nearby: bool) -> tuple[str, str]:
        """Returns the file in the nearest bundle, and why it is this one; empty for none."""
        for folder, least, near in self._bundles(len(parts), nearby):
            ends = self._folders.find_longest_ends(folder, parts, least, near)
            found = [end for end in ends if self._judge(end, folder) is Verdict.FOUND]
            if found:
                return choose_moved(found, parts, self._expected, self._names)
        return "", ""

    def _bundles(self, part_count: int, nearby: bool) -> Iterator[tuple[str, int, str]]:
        """Folders to search through, nearest first: how many parts of the path must agree, and
        where to be near.

        The file name alone is enough only in the description's own bundle: every other robot has
        a base_link.stl. With `nearby`, only folders that may be read anyway.
        """
        for start in self._starts:
            yield start.bundle, 1, start.folder
        for folder in self._user:
            yield folder, min(2, part_count), ""
        for start in self._starts:
            is_in_repository = bool(start.chain) and is_repository(start.chain[-1])
            readable = start.own if nearby or not is_in_repository else start.chain[-1]
            for folder in start.chain:
                if is_within(folder, readable) and not is_within(folder, start.bundle):
                    yield folder, 2, start.folder

    # Messages for files that were not found

    def _explain(
        self,
        reference: Reference,
        places: Sequence[FilePlace],
        verdicts: Sequence[Verdict],
        kind: FileKind,
    ) -> Failure:
        paths = {v: p.candidate for p, v in zip(places, verdicts, strict=True)}
        if path := paths.get(Verdict.OUTSIDE):
            return self._explain_outside(path)
        if path := paths.get(Verdict.NOT_A_FILE):
            what = "a folder" if os.path.isdir(path) else "not a regular file"
            return Failure(f"{quote_path(path)} is {what}", "not-a-file")
        if reference.package and not places:
            return self._explain_package(reference.package)
        if not places:
            return Failure("it is not known in which folder to look for it", f"missing-{kind}")
        looked = " or ".join(dict.fromkeys(quote_path(place.candidate) for place in places[:3]))
        return Failure(f"there is no file {looked}{self._cut_short()}", f"missing-{kind}")

    def _explain_outside(self, path: str) -> Failure:
        lies = os.path.realpath(path) if self._find_holder(path, self._roots) else path
        return Failure(
            f"{quote_path(lies)} lies outside the folders that may be read; name its folder as a "
            "package folder to allow it",
            "outside-allowed-folders",
        )

    def _explain_package(self, package: str) -> Failure:
        tops = [quote_path(start.chain[-1]) for start in self._starts if start.chain]
        upwards = f" or from the description up to {tops[0]}" if tops else ""
        return Failure(
            f"there is no package {quote(package)} in the packages and folders given, in the ROS "
            f"environment{upwards}{self._cut_short()}",
            "missing-package",
            package,
        )

    def _cut_short(self) -> str:
        said = "; the search was cut short, there are too many files"
        return said if self._folders.is_exhausted else ""
