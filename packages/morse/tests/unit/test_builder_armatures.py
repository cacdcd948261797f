# SPDX-License-Identifier: GPL-3.0-or-later
"""Which armatures a robot has in a builder script: one, and one for all that slides."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from support.paths import ROOT
from urdf_importer import ImportOptions, RigPlan, plan_rig, read_robot
from urdf_importer.core.geometry.transforms import invert
from urdf_importer.core.model import Joint, Limit, Link, Mimic, Pose, Robot
from urdf_importer_morse.script.armatures import ArmaturePlan, plan_armatures

SAMPLES = sorted((ROOT / "sample_urdfs").glob("*.urdf"))


def chain(*kinds: str, mimics: dict[str, str] | None = None) -> Robot:
    """Links l0, l1, ... a decimetre apart along Z, joints j1, ... about or along X."""
    joints = [
        Joint(
            name=f"j{index}",
            type=kind,
            parent=f"l{index - 1}",
            child=f"l{index}",
            origin=Pose(xyz=(0.0, 0.0, 0.1)),
            axis=(1.0, 0.0, 0.0),
            limit=Limit(lower=0.0, upper=0.5),
            mimic=Mimic(joint=mimics[f"j{index}"]) if mimics and f"j{index}" in mimics else None,
        )
        for index, kind in enumerate(kinds, start=1)
    ]
    links = tuple(Link(name=f"l{index}") for index in range(len(kinds) + 1))
    return Robot(name="r", links=links, joints=tuple(joints))


def plan(robot: Robot) -> RigPlan:
    return plan_rig(robot, options=ImportOptions(profile="morse"))


def layout(armatures: Sequence[ArmaturePlan]) -> list[tuple[str, str, list[str]]]:
    return [(each.name, each.carrier, [bone.name for bone in each.bones]) for each in armatures]


def test_what_turns_has_one() -> None:
    armatures = plan_armatures(plan(chain("revolute", "fixed", "continuous")))
    assert layout(armatures) == [("armature", "", ["j1", "j3"])]


def test_what_slides_has_one_of_its_own_and_so_has_what_hangs_on_it() -> None:
    armatures = plan_armatures(plan(chain("revolute", "prismatic", "revolute", "revolute")))
    assert layout(armatures) == [
        ("armature", "", ["j1"]),
        ("j2", "j1", ["j2"]),
        ("beyond_j2", "j2", ["j3", "j4"]),
    ]


def test_what_slides_on_what_slides() -> None:
    armatures = plan_armatures(plan(chain("prismatic", "prismatic", "prismatic")))
    assert layout(armatures) == [
        ("armature", "", []),
        ("j1", "", ["j1"]),
        ("j2", "j1", ["j2"]),
        ("j3", "j2", ["j3"]),
    ]


def test_what_slides_right_already_stays() -> None:
    """Upwards from the origin of the armature."""
    robot = Robot(
        name="r",
        links=(Link(name="a"), Link(name="b")),
        joints=(Joint(name="lift", type="prismatic", parent="a", child="b", axis=(0, 0, 1)),),
    )
    assert layout(plan_armatures(plan(robot))) == [("armature", "", ["lift"])]


def test_groups_have_armatures_too() -> None:
    robot = chain("revolute", "revolute", "revolute", "prismatic", "revolute")
    armatures = plan_armatures(plan(robot), [("my.arm", ("j2", "j3")), ("armature", ("j5",))])
    assert layout(armatures) == [
        ("armature", "", ["j1"]),
        ("my_arm", "j1", ["j2", "j3"]),
        ("beyond_j3", "j3", ["j4"]),
        ("armature_2", "j4", ["j5"]),
    ]


def test_what_slides_in_a_group_stays_in_it() -> None:
    armatures = plan_armatures(plan(chain("revolute", "prismatic")), [("arm", ("j1", "j2"))])
    assert layout(armatures) == [("armature", "", []), ("arm", "", ["j1", "j2"])]


def test_a_follower_that_would_carry_its_leaders_armature() -> None:
    """Blender can not work that out across armatures; within one it can."""
    follows = chain("revolute", "prismatic", mimics={"j1": "j2"})
    assert layout(plan_armatures(plan(follows))) == [("armature", "", ["j1", "j2"])]
    led = chain("revolute", "prismatic", mimics={"j2": "j1"})
    assert len(plan_armatures(plan(led))) == 2


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_bones_stay_where_they_are(path: Path) -> None:
    """In other frames, and turned about their X where single precision asks for it."""
    planned = plan(read_robot(path))
    rests = {bone.name: bone.rest for bone in planned.bones}
    armatures = plan_armatures(planned)
    assert armatures[0].name == "armature" and np.array_equal(armatures[0].frame, np.eye(4))
    carried = [bone.name for armature in armatures for bone in armature.bones]
    assert sorted(carried) == sorted(rests)
    for armature in armatures:
        assert armature.carrier == "" or armature.carrier in carried
        own = {bone.name for bone in armature.bones}
        for bone in armature.bones:
            assert bone.parent == "" or bone.parent in own
            world = armature.frame @ bone.rest
            assert np.abs(world[:3, 3] - rests[bone.name][:3, 3]).max() < 1e-9
            assert np.abs(world[:3, 0] - rests[bone.name][:3, 0]).max() < 1e-6


def test_what_slides_rises_from_its_armature() -> None:
    planned = plan(read_robot(ROOT / "sample_urdfs" / "gantry.urdf"))
    rests = {bone.name: bone.rest for bone in planned.bones}
    slides = {joint.joint.name: joint.sign for joint in planned.joints if joint.kind == "prismatic"}
    armatures = {each.name: each for each in plan_armatures(planned)}
    assert len(slides) > 1
    for name, sign in slides.items():
        local = invert(armatures[name].frame) @ rests[name]
        assert np.abs(local[:3, 3]).max() < 1e-9
        assert np.abs(sign * local[:3, 0] - [0.0, 0.0, 1.0]).max() < 1e-6
