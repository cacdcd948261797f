# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading leaves the garbage collector as it was, and nothing behind."""

import gc
from collections.abc import Callable
from typing import Any

import pytest

from urdf_importer.core.diagnostics import Diagnostics, ReadError
from urdf_importer.core.markup.xml import Element
from urdf_importer.formats.urdf.read.robot import read_robot_text


@pytest.mark.parametrize("was_enabled", [True, False])
@pytest.mark.parametrize("text", [b"<robot><link name='l'/></robot>", b"<robot>"])
def test_garbage_collection_is_as_before(was_enabled: bool, text: bytes) -> None:
    (gc.enable if was_enabled else gc.disable)()
    try:
        read_robot_text(text, "some.urdf", Diagnostics())
    except ReadError:
        pass
    finally:
        is_enabled = gc.isenabled()
        gc.enable()
    assert is_enabled == was_enabled


def test_what_others_froze_stays_frozen() -> None:
    gc.freeze()
    try:
        count = gc.get_freeze_count()
        read_robot_text(b"<robot><link name='l'/></robot>", "some.urdf", Diagnostics())
        assert gc.get_freeze_count() >= count - 100
    finally:
        gc.unfreeze()


def test_nothing_of_the_parser_is_left(read_text: Callable[[str], Any]) -> None:
    """Not even for the garbage collector: no element outlives the reading of its file."""
    gc.collect()
    gc.disable()
    try:
        shape = "<visual><geometry><sphere radius='1'/></geometry></visual>"
        read_text(f"<robot><link name='l'>{shape}</link></robot>")
        assert not [item for item in gc.get_objects() if type(item) is Element]
    finally:
        gc.enable()
