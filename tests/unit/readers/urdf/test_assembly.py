# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects made the fast way are the very objects that the model's classes make."""

import copy
import gc
import pickle
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from typing import Any

import pytest

from urdf_importer import model
from urdf_importer.diagnostics import Diagnostics, ReadError
from urdf_importer.markup.xml import Element
from urdf_importer.readers import read_robot_text
from urdf_importer.readers.urdf import assembly

MAKERS = {
    name.removeprefix("make_"): maker
    for name, maker in vars(assembly).items()
    if name.startswith("make_")
}


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_made_objects_are_the_real_ones(name: str) -> None:
    cls: type[Any] = getattr(model, name.title())
    needed = {item.name: f"<{item.name}>" for item in fields(cls) if item.default is MISSING}
    given = {item.name: f"<{item.name}>" for item in fields(cls)}
    for arguments in (needed, given):
        made = MAKERS[name](**arguments)
        real = cls(**arguments)
        assert type(made) is cls
        assert made == real and hash(made) == hash(real) and repr(made) == repr(real)
        assert copy.deepcopy(made) == pickle.loads(pickle.dumps(made)) == real
        with pytest.raises(FrozenInstanceError):
            setattr(made, fields(cls)[0].name, None)


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_arguments_are_checked_as_by_the_classes(name: str) -> None:
    with pytest.raises(TypeError):
        MAKERS[name](nonsense=1)
    with pytest.raises(TypeError):
        MAKERS[name]("by position")


def test_classes_that_are_more_than_their_fields_are_refused() -> None:
    @dataclass(frozen=True, slots=True)
    class Checked:
        number: float

        def __post_init__(self) -> None:
            assert self.number

    @dataclass(frozen=True)
    class Loose:
        number: float

    @dataclass(frozen=True, slots=True)
    class Growing:
        numbers: list[float] = field(default_factory=list)

    for cls in (Checked, Loose, Growing):
        with pytest.raises(TypeError):
            assembly._assembler(cls)


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
