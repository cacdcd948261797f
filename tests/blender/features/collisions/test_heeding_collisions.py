# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of rigs in which links do not touch: random ones, and solutions of inverse kinematics."""

from pathlib import Path
from typing import Any

import pytest

from urdf_importer import (
    CheckOptions,
    KinematicsError,
    RigIKOptions,
    avoid_collisions,
    check_collisions,
    import_robot,
    set_joint_positions,
    solve_ik,
)
from urdf_importer.core.blender.standing.pose import get_joint_positions, random_pose
from urdf_importer.features.ik.blender.targets import IkWish
from urdf_importer.features.ik.blender.ways import find_ways

_PART = """<link name="{0}"><collision><origin xyz="{1}"/>
  <geometry><box size="{2}"/></geometry></collision></link>"""
_JOINT = """<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/>
  <origin xyz="{3} 0 0"/><axis xyz="0 0 1"/>
  <limit lower="-2.8" upper="2.8" velocity="1" effort="1"/></joint>"""
ARM = f"""<robot name="elbow"><link name="base"/>
  {_PART.format("wall", "0.3 0.35 0", "0.2 0.02 0.02")}
  {_PART.format("upper", "0.25 0 0", "0.4 0.02 0.02")}
  {_PART.format("lower", "0.28 0 0", "0.46 0.02 0.02")}<link name="tip"/>
  <joint name="fixed" type="fixed"><parent link="base"/><child link="wall"/></joint>
  {_JOINT.format("shoulder", "base", "upper", 0)} {_JOINT.format("elbow", "upper", "lower", 0.5)}
  <joint name="end" type="fixed"><parent link="lower"/><child link="tip"/>
    <origin xyz="0.5 0 0"/></joint></robot>"""
UP = {"shoulder": 0.9, "elbow": -1.8}
TARGET = (0.6, 0.0, 0.0)


@pytest.fixture
def arm(scene: Any, tmp_path: Path) -> Any:
    (tmp_path / "elbow.urdf").write_text(ARM)
    return import_robot(tmp_path / "elbow.urdf").armature


def test_random_poses_without_collisions(arm: Any) -> None:
    refuse = avoid_collisions(arm)
    plain = []
    for seed in range(15):
        random_pose(arm, seed)
        plain.append(check_collisions(arm).collides)
        shown = get_joint_positions(arm)
        random_pose(arm, seed, refuse=refuse)
        assert not check_collisions(arm).collides
        if not plain[-1]:
            assert get_joint_positions(arm) == shown  # The first draw is as without the filter.
    assert any(plain)


def test_two_hundred_refused_poses_change_nothing_and_name_the_pair(arm: Any) -> None:
    set_joint_positions(arm, UP)
    before = get_joint_positions(arm)
    asked: list[Any] = []

    def refuse(positions: Any) -> str:
        asked.append(positions)
        return "'lower' touches 'wall'" if len(asked) % 3 else "'upper' touches 'wall'"

    with pytest.raises(KinematicsError) as raised:
        random_pose(arm, 1, refuse=refuse)
    assert str(raised.value) == (
        "none of 200 random poses is valid: in most poses 'lower' touches 'wall'"
    )
    assert len(asked) == 200 and get_joint_positions(arm) == before


def test_inverse_kinematics_of_rigs_heeds_collisions(arm: Any) -> None:
    set_joint_positions(arm, UP)
    plain = RigIKOptions(orientation="free")
    heeding = RigIKOptions(orientation="free", refuse=avoid_collisions(arm))
    near, free = (
        find_ways(arm, IkWish(link="tip", target=TARGET, options=options))
        for options in (plain, heeding)
    )
    assert (len(near), len(free)) == (2, 1) and free[0]["shoulder"] < 0.0
    answer = solve_ik(arm, "tip", target=TARGET, options=heeding)
    assert answer.success and not check_collisions(arm).collides
    assert get_joint_positions(arm)["elbow"] == pytest.approx(1.855, abs=0.01)
    walled = (0.3, 0.35, 0.0)  # Within the wall: all ways touch it.
    before = get_joint_positions(arm)
    missed = solve_ik(arm, "tip", target=walled, options=heeding)
    assert not missed.success and "but 'lower' touches 'wall'" in missed.message
    assert get_joint_positions(arm) == before


def test_joints_that_are_left_out_are_as_shown(arm: Any) -> None:
    refuse = avoid_collisions(arm, options=CheckOptions(allowed=(("upper", "wall"),)))
    assert not refuse({})
    set_joint_positions(arm, UP)
    assert refuse({"elbow": -1.8}) == refuse({}) == "'lower' touches 'wall'"
    assert not refuse({"shoulder": 0.0, "elbow": 0.0})
