# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots written as USD with physics and read again: links, joints, masses and shapes come back."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from support.paths import ROOT
from support.real_robots import descriptions, without_elsewhere
from support.seconds import within
from support.usd_files import to_crate
from support.usd_machines import PHYSICS, draw_positions
from urdf_importer import (
    Diagnostics,
    EngineOptions,
    Robot,
    export_robot,
    forward_kinematics,
    read_robot,
)
from urdf_importer.core.geometry.inertia import body_of
from urdf_importer.core.kinematics.motion import JointMotion
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.core.model import Box, Collision, Inertia, Inertial, Joint, Link, Mesh

SAMPLES = ("drone", "differential_drive", "gripper", "humanoid_arm", "planar_base", "quadruped_leg")
FEW = ("panda", "pr2", "tiago_dual", "ur5_robot")
WITHIN = 1e-6


def go_round(robot: Robot, folder: Path, options: EngineOptions = PHYSICS) -> Robot:
    path = folder / f"{robot.name or 'robot'}.usda"
    export_robot(robot, path, options=options)
    diagnostics = Diagnostics()
    found = read_robot(path, diagnostics=diagnostics)
    assert list(diagnostics) == []
    return found


def check(robot: Robot, found: Robot) -> None:
    assert found.name == robot.name
    assert {each.name for each in found.links} == {each.name for each in robot.links}
    joints = {each.name: each for each in found.joints}
    assert joints.keys() == {each.name for each in robot.joints}
    motions = {each.joint.name: each for each in retrace_tree(robot).joint_motions}
    for joint in robot.joints:
        check_joint(joint, joints[joint.name], motions.get(joint.name))
    for positions in ({}, draw_positions(robot, 1), draw_positions(robot, 2)):
        wanted = forward_kinematics(replace(robot, loops=()), positions)
        given = forward_kinematics(replace(found, loops=()), positions)
        for name, frame in wanted.items():
            reach = 1.0 + np.linalg.norm(frame[:3, 3])
            assert np.abs(given[name] - frame).max() < WITHIN * reach, name
    links = {each.name: each for each in found.links}
    for link in robot.links:
        other = links[link.name]
        assert len(other.visuals) == len(link.visuals), link.name
        assert len(other.collisions) == len(link.collisions), link.name
        if link.inertial is not None and link.inertial.mass:
            assert other.inertial is not None
            one, two = body_of(link.inertial), body_of(other.inertial)
            assert two.mass == pytest.approx(one.mass, rel=WITHIN)
            assert np.abs(two.center - one.center).max() < WITHIN
            size = np.abs(one.inertia).max()
            assert np.abs(two.inertia - one.inertia).max() < WITHIN * (1e-3 + size), link.name


def check_joint(joint: Joint, other: Joint, motion: JointMotion | None) -> None:
    # Limits beyond all turning, 1e16 of Iris's rotors, count as none; a follower goes as far as its
    # leader takes it, whatever stops of its own say.
    lower, upper = (motion.lower, motion.upper) if motion is not None else (None, None)
    kinds = {"spherical": "ball"}
    if joint.type in ("revolute", "continuous"):
        kinds[joint.type] = "continuous" if lower is upper is None else "revolute"
    assert other.type == kinds.get(joint.type, joint.type), joint.name
    assert (other.parent, other.child) == (joint.parent, joint.child)
    if joint.type in ("revolute", "prismatic", "continuous") and joint.limit is not None:
        assert other.limit is not None or not (joint.limit.effort or joint.limit.velocity)
        wanted = {"lower": lower, "upper": upper}
        wanted |= {name: getattr(joint.limit, name) or None for name in ("effort", "velocity")}
        for name, value in wanted.items():
            if value is not None:
                given = getattr(other.limit, name)
                assert given == pytest.approx(value, rel=WITHIN, abs=1e-9), (joint.name, name)
    if joint.mimic is not None and joint.type != "fixed":
        # Chains of followers are written with their last leader; the frames say the rest.
        assert other.mimic is not None
    if joint.dynamics is not None and joint.type != "fixed":
        for name in ("damping", "friction"):
            value = getattr(joint.dynamics, name)
            if value:
                assert getattr(other.dynamics, name) == pytest.approx(value, rel=WITHIN)


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_come_back(name: str, tmp_path: Path) -> None:
    robot = read_robot(ROOT / "sample_urdfs" / f"{name}.urdf")
    check(robot, go_round(robot, tmp_path))


@pytest.mark.parametrize("name", FEW)
def test_real_robots_come_back(name: str, tmp_path: Path) -> None:
    robot = read_robot(next(path for path in descriptions() if path.stem == name))
    check(robot, go_round(robot, tmp_path))


@pytest.mark.slow
def test_every_real_robot_comes_back(tmp_path: Path) -> None:
    for number, path in enumerate(descriptions()):
        if path.stem in ("ur3",):  # which has no links
            continue
        folder = tmp_path / str(number)
        folder.mkdir()
        robot = without_elsewhere(read_robot(path))
        masters = {each.name for each in robot.joints}
        if all(each.mimic is None or each.mimic.joint in masters for each in robot.joints):
            check(robot, go_round(robot, folder))


@pytest.fixture(scope="module")
def tricky(tmp_path_factory: pytest.TempPathFactory) -> tuple[Robot, Path]:
    folder = tmp_path_factory.mktemp("tricky")
    return read_robot(ROOT / "tests" / "data" / "usd" / "frames_and_followers.urdf"), folder


@pytest.mark.parametrize(
    "options",
    [
        PHYSICS,
        EngineOptions(usd="physics", forward="z", drive_frequency=2.0),
        EngineOptions(usd="physics", forward="x", self_collision=True),
    ],
)
def test_frames_floating_bodies_and_followers_come_back(
    tricky: tuple[Robot, Path], options: EngineOptions
) -> None:
    robot, folder = tricky
    found = go_round(robot, folder, options)
    check(robot, found)
    [eye] = [each for each in found.links if each.name == "eye"]
    material = eye.visuals[0].material
    assert material is not None and material.name == "glass" and material.color is not None
    assert material.color == pytest.approx((0.2, 0.4, 0.6, 0.5), abs=1e-6)


def test_a_fixed_base_is_no_link_more(tricky: tuple[Robot, Path], tmp_path: Path) -> None:
    robot = read_robot(ROOT / "sample_urdfs" / "quadruped_leg.urdf")
    check(robot, go_round(robot, tmp_path, EngineOptions(usd="physics", base="fixed")))


@pytest.mark.parametrize("suffix", [".usdz", ".usdc"])
def test_archives_and_crates_are_the_same_robot(suffix: str, tmp_path: Path) -> None:
    robot = read_robot(ROOT / "sample_urdfs" / "gripper.urdf")
    path = tmp_path / f"gripper{suffix}"
    if suffix == ".usdc":
        export_robot(robot, path.with_suffix(".usda"), options=PHYSICS)
        to_crate(path.with_suffix(".usda"), path)
    else:
        export_robot(robot, path, options=PHYSICS)
    check(robot, read_robot(path))


def test_an_inertia_without_a_mass_stays_with_its_link(tmp_path: Path) -> None:
    robot = read_robot(ROOT / "sample_urdfs" / "two_link_arm.urdf")
    tip = Inertial(mass=0.0, inertia=Inertia(ixx=5.7e-7, iyy=8.4e-7, izz=5.3e-7))
    hung = Joint(name="tip_joint", type="fixed", parent=robot.links[-1].name, child="tip")
    links = (*robot.links, Link(name="tip", inertial=tip))
    robot = replace(robot, links=links, joints=(*robot.joints, hung))
    found = go_round(robot, tmp_path)
    check(robot, found)
    given = next(each for each in found.links if each.name == "tip").inertial
    assert given is not None and body_of(given).inertia == pytest.approx(body_of(tip).inertia)


def test_meshes_are_parts_of_the_file_and_are_shared(tmp_path: Path) -> None:
    robot = read_robot(ROOT / "sample_urdfs" / "quadruped_leg.urdf")
    found = go_round(robot, tmp_path)
    meshes = [
        each.geometry.part
        for link in found.links
        for each in link.visuals
        if isinstance(each.geometry, Mesh)
    ]
    assert meshes and all(each is not None for each in meshes)
    wanted = {
        each.geometry.filename
        for link in robot.links
        for each in link.visuals
        if isinstance(each.geometry, Mesh)
    }
    assert len(set(meshes)) == len(wanted)
    # They are meshes of other formats too: the file that is read is not needed any more.
    export_robot(found, tmp_path / "again.urdf")
    shutil.rmtree(tmp_path / "textures", ignore_errors=True)
    (tmp_path / "quadruped_leg.usda").unlink()
    diagnostics = Diagnostics()
    again = read_robot(tmp_path / "again.urdf", diagnostics=diagnostics)
    assert len(again.links) == len(robot.links) and list(diagnostics) == []


def test_sixty_bodies_are_read_soon(tmp_path: Path) -> None:
    """In time of the processor, that of the child with its start included; half a second where
    nothing else runs."""
    links = tuple(
        Link(
            name=f"l{n}",
            inertial=Inertial(mass=1.0, inertia=Inertia(ixx=1.0, iyy=1.0, izz=1.0)),
            collisions=(Collision(geometry=Box(size=(0.1, 0.2, 0.3))),),
        )
        for n in range(60)
    )
    joints = tuple(
        Joint(name=f"j{n}", type="continuous", parent=f"l{n}", child=f"l{n + 1}", axis=(0, 0, 1))
        for n in range(59)
    )
    path = tmp_path / "row.usda"
    export_robot(Robot(name="row", links=links, joints=joints), path, options=PHYSICS)

    def spent() -> float:
        return sum(os.times()[:4])

    for number, _ in enumerate(within(2.0, spent)):
        again = path.with_name(f"row_{number}.usda")
        again.write_bytes(path.read_bytes())  # A stage that was just read is kept.
        assert len(read_robot(again).links) == 60
