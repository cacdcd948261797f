# SPDX-License-Identifier: GPL-3.0-or-later
"""The files and folders that xacro names, found like meshes, and nothing else.

Includes and YAML are read where a mesh might be read: in the description's own package, in the
folders that the user or the ROS environment names, in packages found by name and, by a relative
path, one folder above the description. A file that lies elsewhere than named is taken only where it
is the one of its package that ends with the whole path: of two files of one name, the other one
would make a different robot.
"""

import fnmatch
import os
import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from ....core.diagnostics import MeshError, ReadError, Report, quote
from ....core.files.packages import PackageResolver
from ....core.files.regular import read_regular_file
from .values import Allowance
from .yaml_values import XacroYaml

MOST_XACRO_BYTES = 8 * 1024 * 1024
MOST_YAML_BYTES = 256 * 1024
MOST_LISTED = 10_000

# The part of the environment that $(env ...) and $(optenv ...) see: no path, no name, no secret.
ENVIRONMENT = ("ROS_DISTRO", "ROS_VERSION", "ROS_PYTHON_VERSION")

_WILDCARD = re.compile(r"[*?[]")


class XacroFiles:
    """Finds and reads for one expansion; `report` receives oddities of the files' places."""

    def __init__(self, resolver: PackageResolver, report: Report, budget: Allowance) -> None:
        self._resolver = resolver
        self._report = report
        self._budget = budget

    def find_package(self, name: str) -> str:
        """Returns the folder of a package. Raises ReadError."""
        folder = self._resolver.find_package(name)
        if not folder:
            raise ReadError(
                f"there is no package {quote(name)} among the packages and folders given, in the "
                "ROS environment or around the description"
            )
        return folder

    def resolve_file(self, uri: str, base: str) -> str:
        """Returns the path of an include or YAML file; a relative one starts in the folder `base`.

        Raises ReadError.
        """
        find, odd = partial(self._resolver.resolve_file, uri, base=Path(base)), list[str]()
        try:
            return str(find(self._report, kind="include"))
        except MeshError as error:
            with suppress(MeshError):
                path = find(lambda code, note: odd.append(code), kind="file")
            hint = f"there is no file {quote(uri)}; one of that name is {path}" if odd else ""
            raise ReadError(hint or error.message) from None

    def list_files(self, uri: str, base: str) -> list[str]:
        """Returns the files that a path with wildcards in its last part means, in alphabetical
        order. Raises ReadError for a folder that may not be read, before a look into it."""
        folder, slash, pattern = uri.replace("\\", "/").rpartition("/")
        if _WILDCARD.search(folder) or len(pattern) > 255:
            raise ReadError(f"{quote(uri)} has wildcards before its last part")
        folder = os.path.normpath(os.path.join(base, folder + slash))
        try:
            names = sorted(os.listdir(folder)[:MOST_LISTED]) if self._is_folder(folder) else []
        except (OSError, ValueError):
            return []
        shown = [name for name in names if pattern.startswith(".") or not name.startswith(".")]
        return [
            self.resolve_file(os.path.join(folder, name), base)
            for name in fnmatch.filter(shown, pattern)
            if os.path.isfile(os.path.join(folder, name))
        ]

    def _is_folder(self, path: str) -> bool:
        """Whether a folder is there. Raises ReadError for one that may not be read."""
        try:
            self._resolver.resolve_file(path, lambda code, note: None, kind="file")
        except MeshError as error:
            if error.code == "outside-allowed-folders":
                raise ReadError(error.message) from None
            return error.code == "not-a-file"
        return False

    def read_xacro(self, path: str) -> bytes:
        """Reads the bytes of a xacro file. Raises ReadError."""
        return check_size(read_regular_file(path), MOST_XACRO_BYTES, path)

    def load_yaml(
        self, path: str, evaluate: Callable[[str], Any], warn: Callable[[str, int], None]
    ) -> Any:
        """Returns the content of a YAML file. `evaluate` gives the value of numbers with a unit,
        `warn` receives key and line of keys that come twice. Raises ReadError."""
        data = check_size(read_regular_file(path), MOST_YAML_BYTES, path)
        documents = XacroYaml(path, self._budget, evaluate, warn).read(data)
        if len(documents) > 1:
            raise ReadError("the YAML holds more than one document", source=path)
        return documents[0] if documents else None


def check_size(data: bytes, most: int, path: str) -> bytes:
    """Returns the data. Raises ReadError where it is too long."""
    if len(data) > most:
        raise ReadError(f"the file is bigger than {most // 1024} KiB", source=path)
    return data
