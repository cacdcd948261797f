# SPDX-License-Identifier: GPL-3.0-or-later
"""Options say what they take when they are made: every field of every class, by its own words."""

import sys
from collections.abc import Iterator
from dataclasses import Field, fields
from pathlib import Path
from typing import Any, get_args

import pytest

import urdf_importer
from urdf_importer import (
    ArgumentError,
    DriveOptions,
    IKOptions,
    ImportOptions,
    MotionOptions,
    WebotsOptions,
)
from urdf_importer.core.options import Options


def find_classes(kind: type[Options] = Options) -> Iterator[type[Options]]:
    for each in kind.__subclasses__():
        yield each
        yield from find_classes(each)


PUBLIC = {name: getattr(urdf_importer, name) for name in urdf_importer.__all__}
CLASSES = [
    each
    for each in find_classes()
    # A class with slots has a twin without, which only its making needed.
    if vars(sys.modules[each.__module__]).get(each.__name__) is each
]
FIELDS = [(kind, field) for kind in CLASSES for field in fields(kind)]
EACH = pytest.mark.parametrize(
    ("kind", "field"), FIELDS, ids=[f"{kind.__name__}-{field.name}" for kind, field in FIELDS]
)


def test_all_public_options_are_of_the_one_base() -> None:
    public = {each for name, each in PUBLIC.items() if name.endswith("Options")}
    # What only one function takes has no place in the command and in operators.
    public -= {urdf_importer.BatchOptions, urdf_importer.DriveOptions}
    public -= {urdf_importer.IKOptions, urdf_importer.RigIKOptions}
    assert public <= set(CLASSES)
    assert len(CLASSES) >= 11


def list_wrong(field: "Field[Any]") -> list[Any]:
    default, meta = field.default, field.metadata
    wrong: list[Any] = [object(), {"a"}, b"a"] if "choices" in meta else [object(), b"a"]
    if "choices" in meta:
        return [*wrong, "no such choice", 0, 1, None, *([] if "switch" in meta else [True])]
    if isinstance(default, bool):
        return [*wrong, "yes", "", None, 2, [], [True]]
    if isinstance(default, str):
        return [*wrong, None, 3, ("a",)]
    if not isinstance(default, tuple):
        least, most = meta.get("minimum"), meta.get("maximum")
        beyond = [least - 1.0] if least is not None else []
        beyond += [most * 2.0 + 1.0] if most is not None else []
        halves = [1.5] if isinstance(default, int) else []
        unset = [None] if default is not None else []
        nowhere = [float("nan"), float("inf")]
        return [*wrong, "5", True, (1.0,), *beyond, *halves, *unset, *nowhere]
    if "entries" in meta:
        short = [] if ... in get_args(field.type) else [(0.0,), (0.0,) * 4]
        return [*wrong, "123", 1.0, None, ("1", "2", "3"), (float("nan"),) * 3, *short]
    if get_args(get_args(field.type)[0]):
        return [*wrong, "a=/b", "ab", ("ab",), ("a", "b"), (("a",),), ((1, None),), None, 3]
    return [*wrong, 3, None, (3,), ((("a", "b"),)), (b"a",)]


@EACH
def test_what_a_field_cannot_mean_is_one_sentence(kind: type[Options], field: "Field[Any]") -> None:
    for value in list_wrong(field):
        with pytest.raises(ArgumentError) as refused:
            kind(**{field.name: value})
        sentence = str(refused.value)
        assert sentence.startswith(f"{field.name} is ") and "; it must be " in sentence
        assert "\n" not in sentence and len(sentence) < 300
        assert isinstance(refused.value, TypeError) and isinstance(refused.value, ValueError)


def test_all_sequences_of_paths_take_one_path_as_one() -> None:
    """Taken letter by letter, "/b" would be the folders "/" and "b": the whole disk."""
    found = 0
    for kind, field in FIELDS:
        if isinstance(field.default, tuple) and "separator" not in field.metadata:
            if "entries" in field.metadata or get_args(field.type)[0] is not str:
                continue
            found += 1
            for one in ("/b", Path("/b")):
                assert getattr(kind(**{field.name: one}), field.name) == ("/b",)
            assert getattr(kind(**{field.name: [Path("/b"), "c"]}), field.name) == ("/b", "c")
    assert found >= len([kind for kind in CLASSES if hasattr(kind, "package_paths")])


@EACH
def test_defaults_and_their_ends_are_valid(kind: type[Options], field: "Field[Any]") -> None:
    assert getattr(kind(), field.name) == field.default
    for end in ("minimum", "maximum"):
        if end in field.metadata:
            value = field.metadata[end]
            assert getattr(kind(**{field.name: value}), field.name) == value
    for choice in field.metadata.get("choices", ()):
        assert getattr(kind(**{field.name: choice}), field.name) == choice


def test_what_was_taken_before_still_is() -> None:
    assert ImportOptions(combine_joints=True).combine_joints == "exact"
    assert ImportOptions(combine_joints=False).combine_joints == "never"
    assert ImportOptions(most_triangles=1e5).most_triangles == 100_000  # type: ignore[arg-type]
    assert ImportOptions(srdf=Path("a.srdf")).srdf == "a.srdf"  # type: ignore[arg-type]
    assert MotionOptions(start_frame=5).start_frame == 5.0
    folders: Any = {"arm": Path("/a")}
    assert ImportOptions(packages=folders).packages == (("arm", "/a"),)
    positions: Any = {"elbow": 0.5, "base": "1,2,3"}
    assert WebotsOptions(positions=positions).positions == (("elbow", "0.5"), ("base", "1,2,3"))


def test_sentences_name_the_choices_and_the_range() -> None:
    given: Any = "no"
    with pytest.raises(ArgumentError, match=r"'no'; it must be 'never', 'balls' or 'exact'$"):
        ImportOptions(combine_joints=given)
    with pytest.raises(ArgumentError, match=r"smooth_angle is 200; .* a number from 0 to 180$"):
        ImportOptions(smooth_angle=200)
    with pytest.raises(ArgumentError, match=r"start is -1; .* a number of at least 0$"):
        MotionOptions(start=-1)
    with pytest.raises(ArgumentError, match=r"base is 'no'"):
        WebotsOptions(base=given)


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (IKOptions, {"tolerance": 1e-6}),
        (IKOptions, {"tolerance": (1e-6,)}),
        (IKOptions, {"tolerance": ("a", 1)}),
        (DriveOptions, {"radius": "0.1"}),
        (DriveOptions, {"distance": (1,)}),
    ],
)
def test_numbers_of_questions_are_checked_when_made(make: Any, wrong: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match="it must be"):
        make(**wrong)
