# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/check_api.py finds what breaks code of users, and nothing else."""

import importlib.util
import inspect
from collections.abc import Callable
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


def test_options_and_diagnostics_are_given_by_name() -> None:
    places = {
        name: inspect.signature(found).parameters
        for name in urdf_importer.__all__
        if inspect.isfunction(found := getattr(urdf_importer, name))
    }
    by_place = [
        f"{name}: {each.name}"
        for name, parameters in places.items()
        for each in parameters.values()
        if each.name in ("options", "diagnostics") and each.kind is not each.KEYWORD_ONLY
    ]
    assert len(places) > 80 and not by_place
