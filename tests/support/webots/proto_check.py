# SPDX-License-Identifier: GPL-3.0-or-later
"""check_proto.py, the independent checker of Webots files, for tests: in this process, on any file.

It knows all base nodes and fields of Webots and the rules of its manual; no Webots program is
needed, and none is meant to be replaced: what a simulation does is not checked.
"""

import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from support.webots import check_proto

Matrix = Any
JointValues = Mapping[str, float | list[float]]


@dataclass(frozen=True, slots=True)
class Checked:
    """`errors` and `warnings` as "line: text"; `tree` as `check_proto.py --tree` prints it, at the
    joint values given, or at the stored positions."""

    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    tree: dict[str, Any]

    @property
    def problems(self) -> tuple[str, ...]:
        return self.errors + self.warnings

    @property
    def solids(self) -> dict[str, dict[str, Any]]:
        found = {solid["name"]: solid for solid in self.tree["solids"]}
        assert len(found) == len(self.tree["solids"]), "two Solids have one name"
        return found

    @property
    def joints(self) -> dict[str, dict[str, Any]]:
        """By DEF name."""
        return {joint["def"]: joint for joint in self.tree["joints"]}

    @property
    def axes(self) -> dict[str, dict[str, Any]]:
        """Motor name, or that of the sensor where there is none -> its degree of freedom."""
        return {
            axis.get("motor") or axis["sensor"]: axis
            for joint in self.tree["joints"]
            for axis in joint["dofs"]
        }

    def pose(self, solid: str) -> Matrix:
        return np.array(self.solids[solid]["pose"])


@cache
def _table() -> Any:
    return json.loads(Path(__file__).with_name("webots_nodes.json").read_text("utf-8"))


def check(path: Path, values: JointValues | None = None, *, initial: bool = False) -> Checked:
    """Checks a .proto or .wbt with the files that it names. `values`: motor name, or that of a
    sensor, a coupled group or the DEF of a joint -> where it stands; all others at zero or, with
    `initial`, where the file says."""
    with warnings.catch_warnings():
        # The checker leaves closing its files to Python.
        warnings.simplefilter("ignore", ResourceWarning)
        problems, walker, file = _walk(path, values or {}, initial)
    unknown = set(values or {}) - (walker.used_values if walker else set())
    assert not unknown, f"no joint took the values for {unknown}"
    found = {
        level: tuple(f"{where}: {text}" for kind, _, where, text in problems.items if kind == level)
        for level in ("error", "warning")
    }
    tree = check_proto.tree_json(walker, file) if walker else {"solids": [], "joints": []}
    return Checked(found["error"], found["warning"], tree)


def _walk(path: Path, values: JointValues, initial: bool) -> tuple[Any, Any, Any]:
    problems = check_proto.Problems()
    checker = check_proto.Checker(_table(), problems)
    name = str(path.resolve())
    try:
        file = checker.load(name)
        for each in [file, *(other for other in checker.cache.values() if other is not file)]:
            if not hasattr(each, "extern"):
                checker.check_file(each)
        evaluator = check_proto.Evaluator(checker)
        roots = [evaluator.proto_root(file)] if file.is_proto else evaluator.world(file)
        walker = check_proto.Walker(checker, file, values, initial)
        walker.run([root for root in roots if root is not None], file.is_proto)
    except check_proto.Fatal as error:
        problems.error((name, error.line), f"syntax error: {error.text}")
        return problems, None, None
    return problems, walker, file
