# SPDX-License-Identifier: GPL-3.0-or-later
"""The files and folders that xacro names, found like meshes, and nothing else.

Includes and YAML are read where a mesh might be read: in the description's own package, in the
folders that the user or the ROS environment names, in packages found by name and, by a relative
path, one folder above the description. A file that lies elsewhere than named is taken only where it
is the one of its package that ends with the whole path: of two files of one name, the other one
would make a different robot.
"""

import fnmatch
import io
import math
import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from ...diagnostics import MeshError, ReadError, Report, one_line, quote
from ...files.packages import PackageResolver
from ...files.regular import read_regular_file
from .values import Allowance

MOST_XACRO_BYTES = 8 * 1024 * 1024
MOST_YAML_BYTES = 256 * 1024
MOST_YAML_LEVELS = 100
MOST_LISTED = 10_000

# The part of the environment that $(env ...) and $(optenv ...) see: no path, no name, no secret.
ENVIRONMENT = ("ROS_DISTRO", "ROS_VERSION", "ROS_PYTHON_VERSION")

# Units of YAML numbers that xacro knows -> in SI.
UNITS = {
    "!radians": 1.0,
    "!degrees": math.pi / 180.0,
    "!meters": 1.0,
    "!millimeters": 0.001,
    "!foot": 0.3048,
    "!inches": 0.0254,
}

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
        order."""
        folder, pattern = os.path.split(os.path.join(base, uri))
        if _WILDCARD.search(folder) or len(pattern) > 255:
            raise ReadError(f"{quote(uri)} has wildcards before its last part")
        try:
            names = sorted(os.listdir(folder)[:MOST_LISTED])
        except (OSError, ValueError):
            return []
        shown = [name for name in names if pattern.startswith(".") or not name.startswith(".")]
        return [
            self.resolve_file(os.path.join(folder, name), base)
            for name in fnmatch.filter(shown, pattern)
            if os.path.isfile(os.path.join(folder, name))
        ]

    def read_xacro(self, path: str) -> bytes:
        """Reads the bytes of a xacro file. Raises ReadError."""
        return check_size(read_regular_file(path), MOST_XACRO_BYTES, path)

    def load_yaml(self, path: str, evaluate: Callable[[str], Any]) -> Any:
        """Returns the content of a YAML file, as PyYAML's safe loader reads it: None, bool, int,
        float, str, dates, lists and dictionaries. `evaluate` gives the value of numbers with a
        unit.

        Raises ReadError.
        """
        try:
            from ruamel.yaml import YAML
            from ruamel.yaml.constructor import SafeConstructor
            from ruamel.yaml.error import YAMLError
        except ImportError:
            raise ReadError(
                "load_yaml needs the Python package ruamel.yaml, which is not installed"
            ) from None
        data = check_size(read_regular_file(path), MOST_YAML_BYTES, path)

        class Constructor(SafeConstructor):
            """Of its own, so that no other loader gets its units."""

        for tag, factor in UNITS.items():
            Constructor.add_constructor(tag, _unit_reader(factor, evaluate))
        yaml = YAML(typ="safe", pure=True)
        yaml.version = (1, 1)
        yaml.allow_duplicate_keys = True
        yaml.Constructor = Constructor
        try:
            self._check_levels(yaml.parse(io.BytesIO(data)), path)
            return yaml.load(io.BytesIO(data))
        except YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            problem = getattr(error, "problem", None) or "it is not YAML"
            line = mark.line + 1 if mark is not None else 0
            raise ReadError(f"the YAML is broken: {problem}", source=path, line=line) from None
        except (ArithmeticError, LookupError, AttributeError, TypeError, ValueError) as error:
            raise ReadError(f"the YAML cannot be read: {one_line(error)}", source=path) from None

    def _check_levels(self, events: Iterable[Any], path: str) -> None:
        """Reads it once without making anything of it: the reader takes quadratic time for levels
        within levels, and does not look at the clock."""
        level = 0
        for event in events:
            self._budget.spend(1)
            name = type(event).__name__
            level += name.endswith("StartEvent") - name.endswith("EndEvent")
            if level > MOST_YAML_LEVELS:
                raise ReadError(f"the YAML has more than {MOST_YAML_LEVELS} levels", source=path)


def _unit_reader(factor: float, evaluate: Callable[[str], Any]) -> Callable[[Any, Any], float]:
    def read(constructor: Any, node: Any) -> float:
        return float(evaluate(str(constructor.construct_scalar(node)))) * factor

    return read


def check_size(data: bytes, most: int, path: str) -> bytes:
    """Returns the data. Raises ReadError where it is too long."""
    if len(data) > most:
        raise ReadError(f"the file is bigger than {most // 1024} KiB", source=path)
    return data
