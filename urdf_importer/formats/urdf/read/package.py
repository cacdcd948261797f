# SPDX-License-Identifier: GPL-3.0-or-later
"""The robot that a ROS package is about: its file, and the arguments that it is expanded with.

First come the files that its configuration of MoveIt names, then the files that its launch files
give to xacro, then the file that is called as the package, then the only one that is a robot.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePosixPath

from ....core.diagnostics import Diagnostics, ReadError, quote
from ....core.files.folders import Folders
from ....core.files.packages import PackageResolver
from ....core.files.regular import read_regular_file
from ....core.markup.yaml_tree import YamlNode, parse_yaml
from ....core.readers.formats import FoundInPackage
from .launch import LaunchedXacro, read_launch

MOST_LAUNCH_FILES = 64
MOST_LAUNCH_BYTES = 256 * 1024
_MOST_ROBOTS = 64
_MOST_ENTRIES = 5_000
_MOST_NAMED = 3
_MANIFEST, _ASSISTANT = "package.xml", ".setup_assistant"
_SUFFIXES = (".urdf.xacro", ".xacro", ".urdf")
_KINDS = re.compile(r"_(?:description|bringup|gazebo|moveit_config|moveit|robot|support)$")
_FIND = re.compile(r"\$\(find ([^()\s]+)\)")
_NAMED_ROBOT = re.compile(rb"<robot\b[^<>]*\sname\s*=")


def find_in_package(folder: str) -> FoundInPackage | None:
    """Returns the description in the folder of a ROS package; None for any other folder, and for a
    package without any. Raises ReadError where several robots are left."""
    if not os.path.isfile(os.path.join(folder, _MANIFEST)):
        return None
    package = _Package(os.path.abspath(folder))
    found = package.find()
    return None if found is None else replace(found, package=package.name)


class _Package:
    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._folders = Folders(_MOST_ENTRIES)
        self.name = self._folders.find_package_name(folder) or os.path.basename(folder)
        self._resolver = PackageResolver(os.path.join(folder, _MANIFEST))
        files = self._folders.find_files_below(folder)
        places = sorted((parts for each in files.values() for parts in each), key=_by_depth)
        self._files = ["/".join(parts) for parts in places]
        self._missed = ""

    def find(self) -> FoundInPackage | None:
        planned = next(self._list_planned(), None)
        if planned is not None:
            return planned
        launched = {each.path: each for each in self._list_launched()}
        robots = list(launched) or list(self._list_robots())
        if len(robots) > 1:
            called = _KINDS.sub("", self.name)
            robots = [each for each in robots if _stem(each) == called][:1] or robots
        if len(robots) > 1:
            names = [quote(os.path.relpath(each, self._folder)) for each in robots[:_MOST_NAMED]]
            more = f" and {len(robots) - _MOST_NAMED} more" if len(robots) > _MOST_NAMED else ""
            raise ReadError(
                f"the package {quote(self.name)} has several robots: {', '.join(names)}{more}; "
                "name one of these files",
                source=self._folder,
            )
        if not robots and self._missed:
            raise ReadError(
                f"the robot that this package configures is {self._missed}, which is not here: "
                "read the robot's own file",
                source=self._folder,
            )
        if not robots:
            return None
        return launched.get(robots[0]) or FoundInPackage(path=robots[0])

    def _list_planned(self) -> Iterator[FoundInPackage]:
        """Yields the file of a configuration of MoveIt, by its assistant's own file."""
        with suppress(ReadError):
            data = read_regular_file(os.path.join(self._folder, _ASSISTANT))
            tree = parse_yaml(
                data, _ASSISTANT, Diagnostics(), called=_ASSISTANT, most_bytes=MOST_LAUNCH_BYTES
            )
            own = (_child(tree, "moveit_setup_assistant_config").pairs or {}).items()
            urdf = next((node for key, node in own if key.lower() == "urdf"), tree)
            package, path = (_child(urdf, key).text for key in ("package", "relative_path"))
            if package and path:
                self._missed = f"{quote(path)} of the package {quote(package)}"
                path = self._resolve(f"$(find {package})/{path}")
            words = [word.partition(":=") for word in _child(urdf, "xacro_args").text.split()]
            if package and path:
                given = tuple((name, value) for name, mark, value in words if mark)
                yield FoundInPackage(path=path, arguments=given)
        if "_moveit" in self.name:
            files = [each for each in self._files if each.endswith(_SUFFIXES[0])]
            own_files = [each for each in files if each.startswith("config/")]
            if len(own_files) == 1:
                yield FoundInPackage(path=os.path.join(self._folder, own_files[0]))

    def _list_launched(self) -> Iterator[FoundInPackage]:
        """Yields the files that launch files expand, each once, with its first arguments."""
        seen = set[str]()
        files = [each for each in self._files if each.endswith(".py") and "launch" in each]
        for file in files[:MOST_LAUNCH_FILES]:
            for each in self._read_launch(file):
                path = self._resolve(each.path)
                if path and path not in seen and _is_described(path):
                    seen.add(path)
                    given = tuple((name, self._fill(value)) for name, value in each.arguments)
                    yield FoundInPackage(path=path, arguments=given)

    def _read_launch(self, file: str) -> list[LaunchedXacro]:
        path = os.path.join(self._folder, file)
        with suppress(ReadError, OSError):
            if os.path.getsize(path) <= MOST_LAUNCH_BYTES:
                return read_launch(read_regular_file(path).decode("utf-8", "replace"))
        return []

    def _list_robots(self) -> Iterator[str]:
        """Yields the files that are robots: of one stem only the xacro, and none of macros."""
        files = [each for each in self._files if _is_described(each)]
        called = _KINDS.sub("", self.name)
        own = [each for each in files if _stem(each) == called]
        taken = set[str]()
        for file in sorted(own or files, key=lambda each: not each.endswith(".xacro"))[
            :_MOST_ROBOTS
        ]:
            path = os.path.join(self._folder, file)
            if _stem(file) not in taken and self._is_robot(path):
                taken.add(_stem(file))
                yield path

    def _is_robot(self, path: str) -> bool:
        with suppress(ReadError):
            return bool(_NAMED_ROBOT.search(read_regular_file(path)))
        return False

    def _resolve(self, path: str) -> str:
        """Returns the file of a path in a package, also where installing moves its folder; "" for
        none. Paths that lead out of the package count as missing."""
        match = _FIND.match(path)
        if match is None:
            return ""
        folder = self._find_package(match[1])
        rest = os.path.normpath(path[match.end() :].lstrip("/"))
        if not folder or rest.startswith(("..", "/")):
            return ""
        place = os.path.join(folder, rest)
        if os.path.isfile(place):
            return place
        ends = self._folders.find_ends(folder, rest)
        return ends[0] if len(ends) == 1 else ""

    def _fill(self, text: str) -> str:
        return _FIND.sub(lambda match: self._find_package(match[1]) or match[0], text)

    def _find_package(self, name: str) -> str:
        return self._folder if name == self.name else self._resolver.find_package(name)


def _is_described(path: str) -> bool:
    """Whether a file is called as descriptions are; SRDF may be xacro too."""
    name = os.path.basename(path).lower()
    return name.endswith(_SUFFIXES) and ".srdf" not in name


def _child(node: YamlNode, key: str) -> YamlNode:
    return (node.pairs or {}).get(key) or YamlNode(line=0)


def _by_depth(parts: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
    return len(parts), parts


def _stem(path: str) -> str:
    return PurePosixPath(path.replace(os.sep, "/")).name.partition(".")[0].lower()
