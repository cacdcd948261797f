# SPDX-License-Identifier: GPL-3.0-or-later
"""check_morse_profile: of rigs of both profiles, of rigs that were changed, of anybody's."""

from collections.abc import Callable
from typing import Any

import bpy
import pytest

from support.blender.rigs import build
from support.paths import ROOT
from urdf_importer import (
    BuildError,
    ImportOptions,
    Robot,
    Severity,
    check_morse_profile,
    import_robot,
    open_blend,
    save_blend,
)
from urdf_importer.core.model import Joint, Limit, Link, Mimic, Pose
from urdf_importer_morse.split.split import split_armature

SAMPLES = ROOT / "sample_urdfs"
BARE = {"visuals": False, "collisions": False}

pytestmark = pytest.mark.usefixtures("scene")


def load(name: str, profile: Any = "morse") -> Any:
    return import_robot(
        SAMPLES / f"{name}.urdf", options=ImportOptions(profile=profile, **BARE)
    ).armature


def findings(armature: Any) -> list[tuple[str, str]]:
    return [(item.code, item.subject) for item in check_morse_profile(armature)]


def errors(armature: Any) -> set[str]:
    found = check_morse_profile(armature)
    return {item.code for item in found if item.severity is Severity.ERROR}


def chain(*joints: dict[str, Any]) -> Robot:
    """Links l0, l1 ... and joints j1, j2 ... a tenth of a metre apart, sideways."""
    made = [
        Joint(**{"name": f"j{i}", "type": "revolute", "axis": (0.0, 0.0, 1.0),
                 "parent": f"l{i - 1}", "child": f"l{i}", "origin": Pose(xyz=(0.1, 0.0, 0.0)),
                 "limit": Limit(lower=-1.0, upper=1.0)} | fields)
        for i, fields in enumerate(joints, start=1)
    ]  # fmt: skip
    links = tuple(Link(name=f"l{i}") for i in range(len(joints) + 1))
    return Robot(name="r", links=links, joints=tuple(made))


def rig(*joints: dict[str, Any], **options: Any) -> Any:
    return build(chain(*joints), ImportOptions(**{"profile": "morse"} | options))[1].armature


# Imported rigs


@pytest.mark.parametrize("name", ["two_link_arm", "humanoid_arm", "quadruped_leg"])
def test_arms_and_legs_of_the_profile_have_nothing_to_report(name):
    assert check_morse_profile(load(name)) == ()


def test_findings_say_the_armature_and_no_line():
    armature = load("planar_base")
    assert {(item.source, item.line) for item in check_morse_profile(armature)} == {
        (armature.name, 0)
    }
    assert findings(armature) == [
        ("morse-prismatic-limits", "lift"),
        ("morse-prismatic-misread", "lift"),
        ("morse-revolute-limits", "wrist"),
        ("morse-joint-held", "drive"),
    ]
    assert errors(armature) == set()


def test_native_rigs_can_not_be_driven():
    assert findings(load("planar_base", "native")) == [
        ("morse-several-axes", "drive"),
        ("morse-no-free-axis", "lift"),
        ("morse-revolute-limits", "wrist"),
        ("morse-several-axes", "pan>tilt"),
        ("morse-no-free-axis", "MCH-pan"),
    ]
    assert errors(load("differential_drive", "native")) == {"morse-no-free-axis"}
    assert ("morse-no-free-axis", "footprint") in findings(load("differential_drive", "native"))


def test_followers_are_told_what_to_be_sent():
    armature = load("gripper")
    told = {i.subject: i.message for i in check_morse_profile(armature) if "follower" in i.code}
    assert told.keys() == {"jaw_right", "tip_left", "tip_right", "pad_left", "pad_right", "pinion"}
    assert "62.5 times the position of 'jaw_left'" in told["pinion"]
    assert "8 times the position of 'jaw_right' -0.12" in told["tip_right"]


def test_findings_are_those_of_the_reopened_file(tmp_path):
    armature = load("gripper")
    before, name = check_morse_profile(armature), armature.name
    assert before
    save_blend(tmp_path / "gripper.blend")
    open_blend(tmp_path / "gripper.blend")
    assert check_morse_profile(bpy.data.objects[name]) == before


def test_names_that_blender_cut():
    long = "joint_" * 12
    assert findings(rig({"name": long})) == [("morse-joint-renamed", long)]


@pytest.mark.parametrize(
    ("limit", "found"),
    [
        (Limit(lower=-1.0, upper=2.0), []),
        (Limit(lower=-3.141592653589793, upper=3.141592653589793), []),
        (Limit(lower=0.3, upper=2.0), ["morse-revolute-limits"]),
        (Limit(lower=-4.0, upper=0.5), ["morse-revolute-limits"]),
    ],
)
def test_limits_of_turning_joints(limit, found):
    assert [code for code, _ in findings(rig({"limit": limit}))] == found


@pytest.mark.parametrize(
    ("limit", "found"),
    [
        (Limit(lower=0.0, upper=0.31), []),
        (Limit(lower=0.0, upper=1.0), []),
        (Limit(lower=0.0, upper=1.2), ["morse-prismatic-limits"]),
        (Limit(lower=-0.1, upper=0.5), ["morse-prismatic-limits"]),
    ],
)
def test_limits_of_sliding_joints(limit, found):
    assert [code for code, _ in findings(rig({"type": "prismatic", "limit": limit}))] == found


def test_slide_of_which_morse_reads_the_height():
    lift = {"type": "prismatic", "limit": Limit(lower=0.0, upper=0.5)}
    shelf = lift | {"axis": (1.0, 0.0, 0.0)}
    high = lift | {"origin": Pose(xyz=(0.0, 0.0, 0.79))}
    tilted = {"axis": (1.0, 0.0, 0.0)}
    assert findings(rig({}, lift)) == []
    assert findings(rig(high)) == [("morse-prismatic-misread", "j1")]
    assert findings(rig(tilted, lift)) == [("morse-prismatic-misread", "j2")]
    assert findings(rig(lift, {"axis": (0.0, 1.0, 0.0)}, shelf)) == [
        ("morse-prismatic-runaway", "j3")
    ]


def test_robot_without_moving_joints_has_no_bones():
    armature = rig({"type": "fixed"})
    assert findings(armature) == [("morse-no-bones", armature.name)]


# Rigs that were changed


def remove_bone(armature: Any) -> None:
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.remove(armature.data.edit_bones["elbow"])
    bpy.ops.object.mode_set(mode="OBJECT")


def set_of(bone: str, **settings: Any) -> Callable[[Any], None]:
    def change(armature: Any) -> None:
        for name, value in settings.items():
            setattr(armature.pose.bones[bone], name, value)

    return change


@pytest.mark.parametrize(
    ("change", "code"),
    [
        pytest.param(remove_bone, "morse-no-bone", id="a bone removed"),
        pytest.param(set_of("elbow", lock_ik_x=True), "morse-no-free-axis", id="locked"),
        pytest.param(set_of("elbow", lock_ik_y=False), "morse-several-axes", id="unlocked"),
        pytest.param(
            set_of("elbow", lock_ik_x=True, lock_ik_z=False), "morse-wrong-axis", id="another axis"
        ),
        pytest.param(set_of("elbow", ik_stretch=0.2), "morse-wrong-axis", id="stretch"),
        pytest.param(set_of("elbow", ik_max_x=0.1), "morse-revolute-limits", id="limits"),
    ],
)
def test_what_the_user_did_is_seen(change, code):
    armature = load("two_link_arm")
    change(armature)
    assert (code, "elbow") in findings(armature)


def test_rig_whose_links_are_gone_is_still_checked():
    armature = load("two_link_arm")
    for child in list(armature.children):
        bpy.data.objects.remove(child)
    set_of("elbow", lock_ik_x=True)(armature)
    assert findings(armature) == [("morse-no-free-axis", "elbow")]


# Anybody's


def make_armature(*names: str) -> Any:
    """Bones upwards, one on the other, free about Y alone."""
    made = bpy.data.objects.new("hand_made", bpy.data.armatures.new("hand_made"))
    bpy.context.scene.collection.objects.link(made)
    bpy.context.view_layer.objects.active = made
    bpy.ops.object.mode_set(mode="EDIT")
    above = None
    for number, name in enumerate(names):
        bone = made.data.edit_bones.new(name)
        bone.head, bone.tail = (0, 0, number), (0, 0, number + 1)
        bone.parent, above = above, bone
        bone.use_connect = bone.parent is not None
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in made.pose.bones:
        bone.lock_ik_x = bone.lock_ik_z = True
    return made


def test_hand_made_armature_of_single_axes_has_nothing_to_report():
    assert check_morse_profile(make_armature("a", "b")) == ()


def test_hand_made_armature():
    armature = make_armature("a", "b", "c", "d", "e")
    bones = armature.pose.bones
    bones["a"].lock_ik_y = True
    bones["b"].lock_ik_z = False
    bones["c"].ik_min_y = bones["c"].ik_max_y = 0.0
    bones["d"].ik_stretch = 0.3
    bones["e"].driver_add("rotation_quaternion", 0)
    assert findings(armature) == [
        ("morse-no-free-axis", "a"),
        ("morse-several-axes", "b"),
        ("morse-no-range", "c"),
        ("morse-prismatic-runaway", "d"),
        ("morse-follower", "e"),
    ]


def test_driver_of_another_bone_is_not_taken_for_a_follower():
    armature = make_armature('say "a"', "a")
    armature.pose.bones['say "a"'].driver_add("location", 2)
    armature.pose.bones["a"].driver_add("scale", 2)
    assert findings(armature) == [("morse-follower", 'say "a"')]


def test_follower_of_a_follower_is_known_by_its_description():
    armature = rig({}, {"mimic": Mimic(joint="j1", multiplier=2.0)}, {"mimic": Mimic(joint="j2")})
    told = {item.subject: item.message for item in check_morse_profile(armature)}
    assert told.keys() == {"j2", "j3"}
    assert "2 times the position of 'j1'" in told["j2"]
    assert "1 times the position of 'j2'" in told["j3"]


@pytest.mark.parametrize("kind", ["MESH", "EMPTY"])
def test_other_objects_are_refused(kind):
    data = bpy.data.meshes.new("m") if kind == "MESH" else None
    other = bpy.data.objects.new("table", data)
    with pytest.raises(BuildError, match="'table' is not an armature"):
        check_morse_profile(other)


def test_armature_without_bones():
    armature = make_armature()
    assert findings(armature) == [("morse-no-bones", "hand_made")]


# Robots of several armatures


def test_slide_that_is_split_off_is_read_right():
    armature = load("planar_base")
    own = split_armature(armature, "lift", ["lift"])
    assert findings(own) == [("morse-prismatic-limits", "lift")]
    assert findings(armature) == [("morse-joint-held", "drive")]


def test_followers_that_are_split_off_are_told_what_to_be_sent():
    armature = load("gripper")
    own = split_armature(armature, "right", ["jaw_right", "tip_right", "pad_right"])
    told = {item.subject: item.message for item in check_morse_profile(own)}
    assert "8 times the position of 'jaw_right' -0.12" in told["tip_right"]
