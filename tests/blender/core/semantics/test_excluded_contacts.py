# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts that a MuJoCo model excludes add to neighbours, which it passes over itself; an SRDF
names all pairs."""

from pathlib import Path

import pytest

from support.paths import TESTS
from urdf_importer import (
    CheckOptions,
    Diagnostics,
    apply_srdf,
    avoid_collisions,
    check_collisions,
    extract_semantics,
    import_robot,
    read_robot,
    write_srdf,
)

PATH = TESTS / "data" / "one_excluded_pair.xml"
FOLDED = {"k": 3.0, "l": 0.0}


def pairs(robot, positions=None, **options) -> set[frozenset[str]]:
    wishes = CheckOptions(**options)
    return set(check_collisions(robot, positions, options=wishes, diagnostics=Diagnostics()).pairs)


@pytest.fixture(params=["description", "rig"])
def robot(request, scene):
    if request.param == "rig":
        return import_robot(PATH, diagnostics=Diagnostics()).armature
    return read_robot(PATH)


def test_neighbours_may_touch_beside_excluded_pairs(robot) -> None:
    assert pairs(robot) == set()
    assert pairs(robot, disabled="none") == {frozenset("ab")}
    diagnostics = Diagnostics()
    assert not avoid_collisions(robot, diagnostics=diagnostics)({"j": 0.3})
    assert {each.code for each in diagnostics} <= {"derived-pairs", "without-coal"}


def test_other_pairs_are_looked_at(robot) -> None:
    """The arm that folds back meets its first link by its last, which is excluded, and another."""
    folded = pairs(robot, FOLDED)
    assert frozenset("bd") in folded and frozenset("ad") not in folded
    without = pairs(robot, FOLDED, disabled="none")
    assert folded < without and frozenset("ad") in without


def test_an_srdf_names_all_pairs(scene, tmp_path: Path) -> None:
    armature = import_robot(PATH, diagnostics=Diagnostics()).armature
    path = write_srdf(extract_semantics(armature), tmp_path / "robot.srdf")
    assert pairs(read_robot(PATH), srdf=str(path)) == {frozenset("ab")}
    apply_srdf(armature, path)
    assert pairs(armature) == {frozenset("ab")}
