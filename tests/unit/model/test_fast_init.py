# SPDX-License-Identifier: GPL-3.0-or-later
"""Fast classes are the dataclasses that they were made of."""

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from urdf_importer import model
from urdf_importer.model.fast_init import derive_maker, fast_init

CLASSES = (model.Joint, model.Link, model.Inertia, model.Mimic, model.Pose, model.Material)


def plain(cls: type) -> type:
    """The same fields in an ordinary frozen dataclass."""
    given = [(each.name, each.type, _copied(each)) for each in dataclasses.fields(cls)]
    return dataclasses.make_dataclass("Plain", given, frozen=True, slots=True, kw_only=True)


def _copied(each: "dataclasses.Field[Any]") -> Any:
    if each.default is dataclasses.MISSING:
        return field(compare=each.compare)
    return field(default=each.default, compare=each.compare)


def values_of(thing: Any) -> list[Any]:
    return [getattr(thing, each.name) for each in dataclasses.fields(thing)]


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("way", [lambda cls: cls, derive_maker])
def test_the_same_arguments_give_the_same_values(cls: type, way: Callable[[type], Any]) -> None:
    ordinary, make = plain(cls), way(cls)
    needed = {
        each.name: each.name
        for each in dataclasses.fields(cls)
        if each.default is dataclasses.MISSING
    }
    everything = {each.name: (each.name,) for each in dataclasses.fields(cls)}
    for arguments in (needed, everything):
        made = make(**arguments)
        assert type(made) is cls
        assert values_of(made) == values_of(ordinary(**arguments))
        assert made == cls(**arguments)
        assert hash(made) == hash(cls(**arguments))
    for wrong in ({**needed, "nonsense": 1}, dict(list(needed.items())[1:]) if needed else None):
        if wrong is not None:
            with pytest.raises(TypeError):
                make(**wrong)
    with pytest.raises(TypeError):
        make(*everything.values())


@pytest.mark.parametrize("cls", CLASSES)
def test_its_signature_says_what_a_dataclass_says(cls: type) -> None:
    ours, theirs = inspect.signature(cls), inspect.signature(plain(cls))
    assert list(ours.parameters) == list(theirs.parameters)
    for name, parameter in ours.parameters.items():
        assert parameter.kind is theirs.parameters[name].kind
        assert parameter.default is theirs.parameters[name].default


def test_it_stays_frozen_and_travels() -> None:
    joint = model.Joint(name="a", type="fixed", parent="b", child="c", line=3)
    made = derive_maker(model.Joint)(name="a", type="fixed", parent="b", child="c", line=3)
    for each in (joint, made):
        with pytest.raises(dataclasses.FrozenInstanceError):
            each.name = "d"  # type: ignore[misc]
        with pytest.raises((AttributeError, TypeError)):
            each.other = "d"  # type: ignore[attr-defined]
        for other in (copy.copy(each), copy.deepcopy(each), pickle.loads(pickle.dumps(each))):
            assert type(other) is model.Joint
            assert values_of(other) == values_of(joint)
        changed = dataclasses.replace(each, name="d")
        assert values_of(changed) == ["d", *values_of(joint)[1:]]
        assert repr(each) == repr(joint)


def test_it_refuses_what_is_more_than_its_fields() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class WithFactory:
        a: list[int] = field(default_factory=list)

    @dataclass(frozen=True, slots=True, kw_only=True)
    class WithWork:
        a: int

        def __post_init__(self) -> None:
            raise AssertionError

    @dataclass(frozen=True, kw_only=True)
    class WithoutSlots:
        a: int

    @dataclass(frozen=True, slots=True)
    class WithPositions:
        a: int

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Inheriting(model.Sensor):
        a: int = 0

    for cls in (WithFactory, WithWork, WithoutSlots, WithPositions, Inheriting):
        with pytest.raises(TypeError, match="more than"):
            fast_init(cls)
        with pytest.raises(TypeError, match="more than"):
            derive_maker(cls)
