# SPDX-License-Identifier: GPL-3.0-or-later
"""The folders of a package, by its name, the preferred one first:

1. folders that the user gave for the name, and packages in them;
2. packages whose package.xml has the name: in the package folders that the user named, in the ROS
   environment, and then upwards from the description: there, among its siblings, in a sibling that
   is called so (colcon installs to P/share/P), and anywhere near the root of a repository;
3. folders that are called so, in the same places; upwards also in `models`, where Gazebo keeps
   them, and in the folders that a package.xml on the way says to hold models.

The way up ends at the root of a repository and below any home folder, and no folder on it leads
elsewhere: no link, except to a package that has the name in its package.xml, and no path in a
package.xml. A hidden folder is not a package.
"""

import os
from collections.abc import Iterator, Mapping, Sequence

from .folders import Folders, FolderSurroundings, is_repository, is_within
from .references import list_package_folders

LEVELS_OF_PACKAGE_FOLDERS = 4
_LEVELS_OF_A_NAMESAKE = 3


class PackageSearch:
    """Finds packages for one description, which lies in `starts`: each walk goes no further than
    is asked for, since a look into every folder of a repository takes its time."""

    def __init__(
        self,
        folders: Folders,
        starts: Sequence[FolderSurroundings],
        named: Sequence[tuple[str, str]],
        package_paths: Sequence[str],
        environment: Mapping[str, str] | None,
    ) -> None:
        self._folders, self._starts, self._named = folders, starts, named
        self._given = [*package_paths, *list_package_folders(environment)]
        prefixes = list_package_folders(environment, ("AMENT_PREFIX_PATH",))
        self._shares = [os.path.join(prefix, "share") for prefix in prefixes]
        self._walks: dict[str, Iterator[str]] = {}
        self._found: dict[str, list[str]] = {}

    @property
    def readable(self) -> list[str]:
        """The folders that the user or the ROS environment names."""
        return [folder for _, folder in self._named] + self._given + self._shares

    def walk_packages(self, name: str) -> Iterator[str]:
        """Yields the folders of a package, the preferred one first; the others only fill gaps. A
        hidden folder is not a package, and a path is not a name."""
        if name.startswith(".") or not name or os.path.basename(name) != name:
            return
        if name not in self._walks:
            self._walks[name], self._found[name] = self._walk(name), []
        walk, found = self._walks[name], self._found[name]
        place = 0
        while True:
            if place == len(found):
                further = next((each for each in walk if each not in found), None)
                if further is None:
                    return
                found.append(further)
            yield found[place]
            place += 1

    def is_sure(self, folder: str, name: str) -> bool:
        """Whether a folder is the package: by its package.xml, or the user's word."""
        return (name, folder) in self._named or self._folders.find_package_name(folder) == name

    def find_holder(self, path: str) -> tuple[str, str]:
        """Returns the name and the folder of the package, among those found so far, in which a
        path lies; empty for none."""
        held = ((n, each) for n, all_of in self._found.items() for each in all_of)
        fitting = (pair for pair in held if is_within(path, pair[1]))
        return max(fitting, key=lambda pair: len(pair[1]), default=("", ""))

    def _walk(self, name: str) -> Iterator[str]:
        given = [folder for each, folder in self._named if each == name]
        yield from given
        for folder in given:
            yield from self._find(folder, name, _LEVELS_OF_A_NAMESAKE)
        yield from self._walk_declared(name)
        yield from filter(os.path.isdir, self._walk_called(name))

    def _find(self, folder: str, name: str, levels: int) -> Sequence[str]:
        return self._folders.find_packages(folder, levels).get(name, ())

    def _walk_declared(self, name: str) -> Iterator[str]:
        for folder in self._given:
            if self._folders.find_package_name(folder) == name:
                yield folder
            yield from self._find(folder, name, LEVELS_OF_PACKAGE_FOLDERS)
        yield from filter(os.path.isdir, (os.path.join(each, name) for each in self._shares))
        for folder in (folder for start in self._starts for folder in start.chain):
            if self._folders.find_package_name(folder) == name:
                yield folder
            yield from self._find(folder, name, 1)
            namesake = os.path.join(folder, name)
            if _stays_in(namesake, folder):
                yield from self._find(namesake, name, _LEVELS_OF_A_NAMESAKE)
            if is_repository(folder):
                yield from self._find(folder, name, LEVELS_OF_PACKAGE_FOLDERS)

    def _walk_called(self, name: str) -> Iterator[str]:
        for folder in self._given:
            if os.path.basename(folder) == name:
                yield folder
            yield os.path.join(folder, name)
        for start in self._starts:
            for folder in start.chain:
                if os.path.basename(folder) == name:
                    yield folder
                for place in (folder, os.path.join(folder, "models")):
                    if _stays_in(child := os.path.join(place, name), folder):
                        yield child
                for place in self._list_model_paths(folder, start.chain[-1]):
                    if _stays_in(child := os.path.join(place, name), place):
                        yield child

    def _list_model_paths(self, folder: str, top: str) -> Iterator[str]:
        """Yields the folders of models that the package.xml of a folder names and that lie below
        `top`, none of them hidden."""
        package = self._folders.read_package(folder)
        for path in package.model_paths if package is not None else ():
            is_hidden = os.sep + "." in path[len(top) :]
            if is_within(path, top) and _stays_in(path, top) and not is_hidden:
                yield path


def _stays_in(path: str, folder: str) -> bool:
    """Whether no link leads from a folder elsewhere."""
    return is_within(os.path.realpath(path), os.path.realpath(folder))
