# SPDX-License-Identifier: GPL-3.0-or-later
"""What is relied on of the package xacro, and the limit of nested calls while it works."""

import inspect
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import xacro

from urdf_importer import read_robot
from urdf_importer.core.diagnostics import Diagnostics, ReadError
from urdf_importer.formats.urdf.xacro import library
from urdf_importer.formats.urdf.xacro.expand import more_calls
from urdf_importer.formats.urdf.xacro.library import REPLACED, USED, Expander, load_library
from urdf_importer.formats.urdf.xacro.values import Allowance

NAMES = {**REPLACED, **USED}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_xacro_has_the_name_with_these_parameters(name: str) -> None:
    found = getattr(xacro, name)
    assert NAMES[name] == (str(inspect.signature(found)) if inspect.isfunction(found) else None)


def test_exactly_the_names_of_the_table_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    copy = load_library()
    before = dict(vars(copy))
    monkeypatch.setattr(library, "load_library", lambda: copy)
    expander = Expander("robot.xacro", SimpleNamespace(), Diagnostics(), Allowance())  # type: ignore[arg-type]
    assert expander.arguments == {}
    changed = {name for name, value in vars(copy).items() if value is not before.get(name)}
    assert changed == set(REPLACED)


@pytest.mark.parametrize("name", sorted(name for name, text in REPLACED.items() if text))
def test_replacements_take_what_xacro_gives(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = load_library()
    own = inspect.signature(getattr(copy, name))
    monkeypatch.setattr(library, "load_library", lambda: copy)
    Expander("robot.xacro", SimpleNamespace(), Diagnostics(), Allowance())  # type: ignore[arg-type]
    replacement = getattr(copy, name)
    if replacement is None:
        assert name == "eval_extension"
        return
    given = [each for each in own.parameters.values() if each.kind == each.POSITIONAL_OR_KEYWORD]
    inspect.signature(replacement).bind(*given)


def test_the_package_itself_stays_as_it_is(tmp_path: Path) -> None:
    before = {name: getattr(xacro, name) for name in NAMES}
    read(tmp_path, XACRO)
    assert {name: getattr(xacro, name) for name in NAMES} == before


def test_a_version_without_the_names_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(REPLACED, "a_name_of_the_future", None)
    with pytest.raises(ReadError, match=r"xacro has no a_name_of_the_future; install xacro 2.1"):
        read(tmp_path, XACRO)


XACRO = b"""<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:macro name="m" params="n"><link name="${n}"/></xacro:macro><xacro:m n="l"/></robot>"""
ENDLESS = XACRO.replace(b"<link", b'<xacro:m n="${n}"/><link')


def read(folder: Path, raw: bytes) -> None:
    path = folder / "robot.urdf.xacro"
    path.write_bytes(raw)
    read_robot(path, diagnostics=Diagnostics())


@pytest.fixture
def limit() -> Iterator[int]:
    before = sys.getrecursionlimit()
    yield before
    sys.setrecursionlimit(before)


@pytest.mark.parametrize("raw", [XACRO, ENDLESS, b"<robot xmlns:xacro='x'><xacro:none/></robot>"])
def test_the_limit_is_put_back(tmp_path: Path, raw: bytes, limit: int) -> None:
    try:
        read(tmp_path, raw)
    except ReadError:
        assert raw != XACRO
    assert sys.getrecursionlimit() == limit


def test_threads_that_overlap_put_it_back_once(limit: int) -> None:
    first_is_in, second_is_in, first_is_out = (threading.Event() for _ in range(3))
    seen: list[int] = []

    def go_first() -> None:
        with more_calls:
            first_is_in.set()
            second_is_in.wait(10)
        seen.append(sys.getrecursionlimit())
        first_is_out.set()

    thread = threading.Thread(target=go_first)
    thread.start()
    first_is_in.wait(10)
    with more_calls:
        second_is_in.set()
        first_is_out.wait(10)
        assert sys.getrecursionlimit() == limit + more_calls.MORE
    thread.join(10)
    assert seen == [limit + more_calls.MORE]
    assert sys.getrecursionlimit() == limit


def test_a_limit_that_others_set_meanwhile_stays(limit: int) -> None:
    with more_calls:
        sys.setrecursionlimit(limit + 5000)
    assert sys.getrecursionlimit() == limit + 5000
