# SPDX-License-Identifier: GPL-3.0-or-later
"""Every robot of others as a PROTO: valid, where Pinocchio says, as heavy as it says."""

import filecmp
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.pinocchio_truth import Truth
from support.real_robots import name_of
from support.webots.real_exports import (
    ROBOTS,
    UNREAL,
    Exported,
    assert_every_link_is_there,
    assert_frames,
    assert_is_what_it_was,
    find,
    invented,
    link_inertias,
)

# A hand, legs, arms fixed to a world, mimicking fingers, hinges without mass between them.
CHOSEN = (
    "allegro_left_hand", "alex_psyonic_hands", "anymal-kinova", "centauro", "human", "panda", "pr2",
    "romeo", "talos_full_v2", "tiago_dual", "ur5_robot", "z1",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("path", ROBOTS, ids=name_of)
def test_every_robot_is_where_and_what_it_was(path: Path, tmp_path: Path) -> None:
    assert_is_what_it_was(path, tmp_path)


@pytest.mark.parametrize("stem", CHOSEN)
def test_robots_are_where_and_what_they_were(stem: str, tmp_path: Path) -> None:
    assert_is_what_it_was(find(stem), tmp_path)


@pytest.mark.parametrize("stem", ["tiago_dual", "romeo", "human", "pr2", "talos_full_v2"])
@pytest.mark.parametrize("options", [{"fixed_joints": "merge"}, {"multi_axis_joints": False}])
def test_other_structures_stand_in_the_same_place(
    stem: str, options: dict[str, Any], tmp_path: Path
) -> None:
    path = find(stem)
    exported = Exported(path, tmp_path, **options)
    checked = exported.check({})
    assert checked.errors == ()
    dropped = exported.codes("webots-combined-joint")
    assert bool(dropped) == (stem == "human" and "fixed_joints" in options)
    assert_every_link_is_there(exported, dropped)
    truth = Truth.of_file(path)
    assert_frames(exported, truth, exported.draw(np.random.default_rng(3)))
    total = sum(physics["mass"] for physics in exported.physics(checked).values())
    truly = sum(mass for mass, _, _ in link_inertias(path).values())
    assert total - invented(exported) == pytest.approx(truly)


@pytest.mark.parametrize("stem", ["talos_full_v2", "alex_psyonic_hands", "human"])
def test_equal_robots_give_equal_files(stem: str, tmp_path: Path) -> None:
    path = find(stem)
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one = Exported(path, tmp_path / "one").result
    # State that a conversion leaves behind would show in the next one.
    Exported(find("panda"), tmp_path)
    two = Exported(path, tmp_path / "two").result
    names = [str(file.relative_to(tmp_path / "one")) for file in one.files]
    assert names == [str(file.relative_to(tmp_path / "two")) for file in two.files]
    same, other, lost = filecmp.cmpfiles(tmp_path / "one", tmp_path / "two", names, shallow=False)
    assert (sorted(same), other, lost) == (sorted(names), [], [])


def test_what_the_checker_finds_stands_in_the_description(tmp_path: Path) -> None:
    """Inertias that no body has are kept where Webots takes them, and told by the reader."""
    path = find("pr2")
    kept = Exported(path, tmp_path)
    found = kept.check({}).warnings
    assert found and all(UNREAL in text for text in found)
    clamped = Exported(path, tmp_path, inertia="clamp")
    assert clamped.check({}).problems == ()
    assert len(clamped.codes("webots-inertia-repaired")) == len(found)
