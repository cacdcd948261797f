# SPDX-License-Identifier: GPL-3.0-or-later
"""Which file a URI of a description means, and whether it may be read.

Where it is looked for, first come first served:

1. where the URI says. package:// and model:// name a package; so does the folder that xacro puts
   in the place of $(find name). package_search.py says where packages are looked for; each is
   tried in turn.
2. there, but spelled differently (upper and lower case, Unicode form): a warning.
3. elsewhere in the package, where just one file ends with the whole path: a warning. Installing
   moves folders. Parts of xacro are found no further: of two files of one name, the other one
   would make a different robot.
4. one folder above the description's, by the whole path without its package; then elsewhere in
   the description's own package, in the user's folders and in the repository, by the longest end
   of the path; the nearest bundle wins and a draw finds nothing: a warning. Packages are renamed
   and moved more often than not when they leave their workspace. Where the package that the URI
   names is there, only in it: each robot has a link1.stl of its own.

Readable are regular files in the description's own package, in the folders that the user or the ROS
environment names, and in packages found as above. The own package is the nearest folder upwards
with a package.xml; else the repository; else the Python package; else the description's folder, or
the one above where that is called urdf or xacro. An absolute path elsewhere is refused, and so is
`..` that leads out of all these; but a mesh, an image, a part of xacro or a text of MuJoCo or
Gazebo may lie one folder above the description's, where robots without packages keep shared files,
or beside a file that was found and names it.

Links are judged by where they end. A package in a folder that the user or the ROS environment names
may be a link to anywhere; one found on the way up must then carry its name in its package.xml. A
link inside a package must end in a folder that may be read or in the same package (by
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

from ..diagnostics import MeshError, MovedNote, Report, quote, quote_path
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
)
from .folders import Folders, find_surroundings, is_repository, is_within, walk_up
from .package_search import PackageSearch
from .references import Reference, make_absolute, read_reference
from .regular import FileKind
from .states import MOST_NOTED, FileState, read_state

AnyPath = str | os.PathLike[str]

_MOST_LISTED = 200
_TEXTURES = os.path.join("..", "materials", "textures")
"""Where Gazebo looks for the images of meshes that do not lie beside them."""


class PackageResolver:
    """Finds the files that one description names.

    `description` is the description's file ("" for none, then only packages given are found).
    `packages` says name=folder, `package_paths` are folders with packages in them; files in all of
    these may be read. `environment` holds AMENT_PREFIX_PATH, ROS_PACKAGE_PATH and Gazebo's
    variables; None for none. `states` are the states of the files found, by path. `package`
    is the package that led to the description, if any, `arguments` are its own for xacro.
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
        self.package, self.arguments = "", tuple[tuple[str, str], ...]()
        self._folders = Folders()
        named = [(name, make_absolute(folder)) for name, folder in pairs if folder]
        paths = [make_absolute(folder) for folder in package_paths if folder]
        self._starts = find_surroundings(os.fspath(description), self._folders)
        self._search = PackageSearch(self._folders, self._starts, named, paths, environment)
        self._user = [folder for _, folder in named] + paths
        allowed = [start.own for start in self._starts] + self._search.readable
        self._roots = [Root.of(folder) for folder in dict.fromkeys(allowed)]
        self._references: dict[str, Reference] = {}
        self._root_of = cache(Root.of)
        self._outcomes: dict[tuple[str, FileKind, str], FoundPath | Failure] = {}
        self._expected: dict[tuple[str, ...], set[str]] = {}
        self.states: dict[str, FileState] = {}
        self._names = names_of(os.fspath(description))
        self._aboves = [os.path.dirname(start.folder) for start in self._starts]

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
        for place in self._places(reference, "", "file"):
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
        """Returns the folders of the package, the preferred one first; the others only fill
        gaps."""
        return list(self._search.walk_packages(name))

    def find_package(self, name: str) -> str:
        """Returns the preferred folder of the package; "" for none."""
        return next(self._search.walk_packages(name), "")

    def _look_up(self, uri: str, kind: FileKind, base: str) -> FoundPath | Failure:
        try:
            reference = self._references.get(uri) or read_reference(uri, kind)
        except MeshError as error:
            return Failure(error.message, error.code)
        forms = (reference, *reference.unquoted())
        places: list[FilePlace] = []
        verdicts: list[Verdict] = []
        for place in chain.from_iterable(self._places(form, base, kind) for form in forms):
            places.append(place)
            verdicts.append(self._judge_place(place, kind))
            if verdicts[-1] is Verdict.FOUND:
                return FoundPath(place.candidate)
        is_outside = Verdict.OUTSIDE in verdicts
        return (
            self._find_misspelled(places, uri, kind)
            or (kind != "model" and self._find_moved(forms, uri, base, kind, nearby=is_outside))
            or self._explain(reference, places, verdicts, kind)
        )

    # Where the URI says

    def _places(self, reference: Reference, base: str, kind: FileKind) -> Iterator[FilePlace]:
        starts = [make_absolute(base)] if base else [each.folder for each in self._starts]
        if reference.package:
            for folder in self._search.walk_packages(reference.package):
                yield FilePlace(folder, reference.path, folder)
        elif os.path.isabs(reference.path):
            path = os.path.normpath(reference.path)
            holder = self._find_holder(path, self._roots)
            # xacro replaces $(find name) by the folder of a package that was found by name, and
            # $(dirname) by the folder of the file.
            name, package = self._search.find_holder(path)
            is_relative = any(
                is_within(reference.path, folder) and not is_within(path, folder)
                for folder in starts
            )
            yield FilePlace(
                holder.folder if holder else package,
                reference.path,
                "" if holder else package,
                is_relative,
            )
            for other in self._search.walk_packages(name):
                if other != package:
                    yield FilePlace(other, os.path.relpath(path, package), other)
        else:
            for folder in starts:
                yield FilePlace(folder, reference.path, None if base else "", is_relative=True)
            shared = os.path.join(starts[0], _TEXTURES) if base else ""
            if kind == "texture" and os.path.isdir(shared):
                yield FilePlace(shared, reference.path, None, is_relative=True)

    # Permission to read

    def _judge_place(self, place: FilePlace, kind: FileKind) -> Verdict:
        verdict = self._judge_in(place, place.candidate)
        if verdict is Verdict.OUTSIDE and place.is_relative:
            beside = [place.folder] if place.package is None else []
            return is_neighbour(place.candidate, self._aboves + beside, kind)
        return verdict

    def _judge_in(self, place: FilePlace, path: str) -> Verdict:
        verdict = self._judge(path, place.package)
        goes_on = verdict is Verdict.OUTSIDE and place.package is None
        return self._judge(path, self._search.find_holder(place.folder)[1]) if goes_on else verdict

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
        self, forms: Sequence[Reference], uri: str, base: str, kind: FileKind, *, nearby: bool
    ) -> FoundPath | None:
        for written in filter(lambda each: each.parts, forms):
            form = self._name_package(written)
            packages = self.find_packages(form.package)
            chosen, why = self._find_whole(packages, form), ""
            if not chosen and kind != "include":
                there = [each for each in packages if self._search.is_sure(each, form.package)]
                chosen = "" if there else find_above(form, self._aboves, kind)
                if not chosen:
                    chosen, why = self._find_end(form.parts, nearby, there)
            if chosen:
                is_in = any(is_within(chosen, each) for each in packages)
                is_other = not is_in and self._package_name_above(chosen) != form.package
                code = "renamed-package" if form.package and is_other else "moved-file"
                place = os.path.join(base or self._starts[0].folder, written.path)
                where = uri.strip() if written.package else place
                note = MovedNote.about(f"{kind} {quote_path(uri)}", where, chosen, why)
                return FoundPath(chosen, code, note)
        return None

    def _name_package(self, reference: Reference) -> Reference:
        """Returns a reference that names its package, where xacro has put the folder of one."""
        if reference.package or not os.path.isabs(reference.path):
            return reference
        path = os.path.normpath(reference.path)
        name, folder = self._search.find_holder(path)
        return Reference(name, os.path.relpath(path, folder)) if name else reference

    def _find_whole(self, packages: Sequence[str], reference: Reference) -> str:
        """Returns the only file of a package that ends with the whole path; "" for none."""
        ends = ((each, self._folders.find_ends(each, reference.path)) for each in packages)
        readable = (self._sift(found, folder, own=True) for folder, found in ends if found)
        found = next(filter(None, readable), [])
        return found[0] if len(found) == 1 else ""

    def _find_end(self, parts: Sequence[str], nearby: bool, there: list[str]) -> tuple[str, str]:
        """Returns the file in the nearest bundle, and why it is this one; empty for none. Of the
        packages `there` alone, unless there is none."""
        for folder, least, near in self._bundles(len(parts), nearby, there):
            found = self._folders.find_longest_ends(folder, parts, least, near)
            found = self._sift(found, folder, own=bool(there))
            if found:
                return choose_moved(found, parts, self._expected, self._names)
        return "", ""

    def _sift(self, paths: Sequence[str], folder: str, *, own: bool) -> list[str]:
        """Returns the readable files of the ones below a folder; its `own` ones lie in no package
        within."""
        package = self._package_name_above(os.path.join(folder, "_"))
        return [
            path
            for path in paths
            if self._judge(path, folder) is Verdict.FOUND
            and (not own or self._package_name_above(path) == package)
        ]

    def _bundles(
        self, part_count: int, nearby: bool, there: list[str]
    ) -> Iterator[tuple[str, int, str]]:
        """Folders to search through, nearest first: how many parts of the path must agree, and
        where to be near.

        The file name alone is enough only in the description's own bundle: every other robot has
        a base_link.stl. With `nearby`, only folders that may be read anyway.
        """
        for start in self._starts:
            if not there or any(is_within(start.bundle, each) for each in there):
                yield start.bundle, 1, start.folder
        for folder in there or self._user:
            yield folder, min(2, part_count), ""
        for start in [] if there else self._starts:
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
            return Failure("its folder is not known", f"missing-{kind}")
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
