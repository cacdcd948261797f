# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/check_api.py finds what breaks code of users, and nothing else."""

import importlib.util
import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

import urdf_importer
from support.paths import ROOT


def load_check() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_api", ROOT / "tools" / "check_api.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Before:
    def turn(self, angle: float, *, fast: bool = False) -> None: ...


def before(robot: object, path: str, *, options: object = None) -> None: ...


def more(robot: object, path: str, *, options: object = None, fps: float = 24.0) -> None: ...


def wider(robot: object, path: str, options: object = None) -> None: ...


def renamed(robot: object, file: str, *, options: object = None) -> None: ...


def required(robot: object, path: str, *, options: object) -> None: ...


def asks_more(robot: object, path: str, frame: int, *, options: object = None) -> None: ...


def swapped(path: str, robot: object, *, options: object = None) -> None: ...


def keyword(robot: object, *, path: str, options: object = None) -> None: ...


class Without: ...


CASES: list[tuple[object, object, list[str]]] = [
    (before, before, []),
    (before, more, []),
    (before, wider, []),
    (before, renamed, ["the parameter path is gone", "the new parameter file is required",
                       "the order"]),
    (before, required, ["the parameter options was KEYWORD_ONLY? and is KEYWORD_ONLY"]),
    (before, asks_more, ["the new parameter frame is required"]),
    (before, swapped, ["the order"]),
    (before, keyword, ["the parameter path was POSITIONAL_OR_KEYWORD", "the order"]),
    (Before, Before, []),
    (Before, Without, ["name.turn is gone"]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), CASES)
def test_what_breaks_calls_is_found(
    old: Callable[..., Any], new: Callable[..., Any], expected: list[str]
) -> None:
    check = load_check()
    recorded, offered = (check.describe_module(offer(item)) for item in (old, new))
    found = list(check.find_breaks(recorded, offered))
    assert len(found) == len(expected), found
    assert all(part in said for part, said in zip(expected, found, strict=True)), found


def offer(item: object) -> ModuleType:
    module = ModuleType("offered")
    vars(module).update(__all__=["name"], name=item)
    return module


def test_a_name_that_is_gone_is_found() -> None:
    check = load_check()
    assert list(check.find_breaks({"solve": {}}, {})) == ["solve is gone"]


def test_type_checkers_know_all_names_from_the_stub() -> None:
    check = load_check()
    assert check.STUB.read_text("utf-8") == check.describe_stub(), "tools/check_api.py --record"


WORKED_ON = {"robot", "armature", "armatures", "robot_or_armature"}
BY_PLACE = {
    "objects", "device", "positions", "positions_or_trajectory", "seconds", "path", "url",
    "waypoints",
}  # fmt: skip
"""Arguments with a default that nearly every call gives."""
FROM_SOMEWHERE = {"retarget", "retarget_steps", "find_pairs", "read_srdf", "adapt_srdf"}
"""These take the robot second: they copy from somewhere to somewhere, or read a file for it."""


def describe_placed(name: str, function: Callable[..., Any]) -> Iterator[str]:
    """Says what of a function's arguments by place is against the rule of CONTRIBUTING."""
    placed = [
        each
        for each in inspect.signature(function).parameters.values()
        if each.kind is not each.KEYWORD_ONLY
    ]
    if len(placed) > 3:
        yield f"{name} takes {len(placed)} arguments by place"
    for each in placed[1:]:
        if each.name in WORKED_ON and name not in FROM_SOMEWHERE:
            yield f"{name}: {each.name} comes first or by name"
        if each.default is not each.empty and each.name not in BY_PLACE:
            yield f"{name}: {each.name} has a default and is given by place"
    if any(each.name in ("options", "diagnostics") for each in placed):
        yield f"{name}: options and diagnostics are given by name"


def test_the_robot_comes_first_and_options_go_by_name() -> None:
    functions = {
        name: found
        for name in urdf_importer.__all__
        if inspect.isfunction(found := getattr(urdf_importer, name))
    }
    assert len(functions) > 80
    assert [wrong for each in functions.items() for wrong in describe_placed(*each)] == []
