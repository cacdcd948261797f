# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints get armature objects of their own, and nothing moves otherwise than before."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.big_robots import tree
from support.blender.rigs import build, new_scene
from support.blender.snapshots import describe_object, describe_scene, list_data
from support.blender.split_rigs import (
    BARE,
    MORSE,
    PANDA,
    PANDA_PARTS,
    PR2,
    TALOS,
    arm,
    assert_axes,
    assert_is_tree,
    assert_moves,
    assert_stands,
    joints_of,
    load,
    random_positions,
)
from support.paths import ROOT
from support.strategies import Wishes, robots
from urdf_importer import (
    BuildError,
    ImportOptions,
    KinematicsError,
    RobotError,
    extract_robot,
    find_robots,
    get_joint_positions,
    import_robot,
    open_blend,
    save_blend,
    set_joint_positions,
    update_robot,
)
from urdf_importer.core.blender.extract.robot import find_link_empties
from urdf_importer.core.blender.standing.armatures import (
    armatures_by_name,
    armatures_of,
    bones_of,
    name_armature,
    pose_bones_of,
)
from urdf_importer.core.model import Joint, Limit, Link, Mimic, Robot
from urdf_importer_morse.split.split import split_armature

SAMPLES = ROOT / "sample_urdfs"

pytestmark = pytest.mark.usefixtures("scene")


def split(main: Any, groups: dict[str, list[str]]) -> dict[str, Any]:
    return {name: split_armature(main, name, joints) for name, joints in groups.items()}


# Everything moves as before


@pytest.mark.parametrize(
    ("stem", "groups"),
    [("pr2", PR2), ("panda", PANDA), ("panda", PANDA_PARTS), ("talos_full_v2", TALOS)],
    ids=["pr2", "panda", "panda_parts", "talos"],
)
def test_real_robots(stem: str, groups: dict[str, list[str]], tmp_path: Path) -> None:
    robot, main = load(stem)
    names = {link: empty.name for link, empty in find_link_empties(main).items()}
    made = split(main, groups)
    for name, joints in groups.items():
        assert made[name].name == name_armature(made[name]) == name
        held = [joint["name"] for bone in made[name].data.bones for joint in bone["urdf_joints"]]
        assert set(held) == set(joints)
    assert_is_tree(main)
    assert_axes(robot, main)
    assert_moves(robot, main)
    assert extract_robot(main) == robot
    assert {link: empty.name for link, empty in find_link_empties(main).items()} == names
    order = [each.name for each in armatures_of(main)]
    save_blend(tmp_path / "split.blend")
    new_scene()
    open_blend(tmp_path / "split.blend")
    (main,) = find_robots().values()
    assert [each.name for each in armatures_of(main)] == order
    assert_axes(robot, main)
    assert_moves(robot, main)
    assert extract_robot(main) == robot


def test_the_armatures_of_a_robot_are_a_tree() -> None:
    _, main = load("pr2")
    split(main, PR2)
    assert [describe_armature(each)[:3] for each in armatures_of(main)] == [
        ("pr2", None, ""),
        ("torso", "pr2", ""),
        ("beyond_torso_lift_joint", "torso", "torso_lift_joint"),
        ("head", "torso", "torso_lift_joint"),
        ("l_arm", "torso", "torso_lift_joint"),
        ("beyond_l_wrist_roll_joint", "l_arm", "l_wrist_roll_joint"),
        ("r_arm", "torso", "torso_lift_joint"),
        ("beyond_r_wrist_roll_joint", "r_arm", "r_wrist_roll_joint"),
    ]  # fmt: skip


def test_the_order_of_splits_gives_the_same_tree() -> None:
    trees = []
    for names in (("torso", "head", "l_arm", "r_arm"), ("r_arm", "head", "torso", "l_arm")):
        new_scene()
        robot, main = load("pr2")
        split(main, {name: PR2[name] for name in names})
        assert_axes(robot, main)
        assert_moves(robot, main, 2)
        trees.append({describe_armature(each) for each in armatures_of(main)})
    assert trees[0] == trees[1]


def describe_armature(armature: Any) -> tuple[Any, ...]:
    """Its name, what it hangs on, its bones."""
    parent, bones = armature.parent, armature.data.bones.keys()
    return armature.name, parent and parent.name, armature.parent_bone, tuple(bones)


def test_a_sliding_first_joint_is_the_height_of_its_bone() -> None:
    """What MORSE reads: the height of the posed bone's head in its armature."""
    _, main = load("pr2")
    torso = split_armature(main, "torso", ["torso_lift_joint"])
    for position in (0.0115, 0.1, 0.23, 0.31):
        set_joint_positions(main, {"torso_lift_joint": position})
        bpy.context.view_layer.update()
        head = torso.pose.bones["torso_lift_joint"].head
        assert tuple(head) == pytest.approx((0.0, 0.0, position), abs=1e-7)


@pytest.mark.parametrize("index", range(1, 6))
def test_frames_of_new_armatures(index: int) -> None:
    """At the first joint, turned as the robot's root; along the axis of one that slides."""
    robot = arm(6)
    _, rig = build(robot, BARE)
    main = rig.armature
    main.matrix_world = np.eye(4)
    made = split_armature(main, "part", [f"j{index}"])
    set_joint_positions(main, dict.fromkeys((f"j{i}" for i in range(6)), 0.0))
    bpy.context.view_layer.update()
    frame = np.array(made.matrix_world)
    link = np.array(rig.links[f"l{index + 1}"].matrix_world)
    assert frame[:3, 3] == pytest.approx(link[:3, 3], abs=1e-6)
    if index % 3 == 2:
        axis = link[:3, :3] @ robot.joints[index].axis
        assert frame[:3, 2] == pytest.approx(axis, abs=1e-6)
        # Turned by the least angle: about an axis that lies across both.
        angle = np.arccos(np.clip(axis[2], -1, 1))
        assert np.trace(frame[:3, :3]) == pytest.approx(1 + 2 * np.cos(angle), abs=1e-6)
    else:
        assert frame[:3, :3] == pytest.approx(np.eye(3), abs=1e-6)
    assert tuple(made.data.bones[0].head_local) == pytest.approx((0, 0, 0), abs=1e-7)


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(robots(Wishes(most_links=14, free_joints=False, shapes=False)), st.randoms())
def test_any_robot(capfd: Any, robot: Robot, chance: Any) -> None:
    """Also without what Blender says of cycles: it breaks them somewhere, or somewhere else."""
    new_scene()
    _, rig = build(robot, BARE)
    main = rig.armature
    for number in range(3):
        split_anywhere(main, f"part{number}", chance)
    assert_is_tree(main)
    assert_moves(robot, main, 2)
    assert extract_robot(main) == robot
    assert "cycle" not in "".join(capfd.readouterr())


def test_a_big_tree() -> None:
    robot = tree(150, seed=3)
    _, rig = build(robot, BARE)
    chance = np.random.default_rng(1)
    for number in range(8):
        bones = list(bones_of(rig.armature))
        top = bones[int(chance.integers(len(bones)))]
        group = [bone for bone in (top, *top.children_recursive)][: int(chance.integers(1, 9))]
        try_split(rig.armature, f"part{number}", connected(group))
    assert len(armatures_of(rig.armature)) > 5
    assert_is_tree(rig.armature)
    assert_axes(robot, rig.armature, radians=2e-6)
    assert_moves(robot, rig.armature, 2)


def split_anywhere(main: Any, name: str, chance: Any) -> None:
    bones = list(bones_of(main))
    if not bones:
        return
    top = chance.choice(bones)
    group = [
        bone for bone in (top, *top.children_recursive) if chance.random() < 0.7 or bone == top
    ]
    try_split(main, name, connected(group))


def connected(bones: list[Any]) -> list[str]:
    """The joints of the first bone and of what hangs on it by bones of the list only."""
    taken = {bones[0]}
    for bone in bones[1:]:
        if bone.parent in taken:
            taken.add(bone)
    return [bone["urdf_joints"][0]["name"] for bone in bones if bone in taken]


def try_split(main: Any, name: str, joints: list[str]) -> None:
    """Where it is refused nothing is changed."""
    before = describe_scene(), list_data()
    try:
        split_armature(main, name, joints)
    except RobotError:
        assert (describe_scene(), list_data()) == before


# What belongs to bones goes with them


def test_bones_keep_all_that_they_are() -> None:
    _, main = load("pr2")
    for bone in main.pose.bones:
        bone["note"] = f"of {bone.name}"
        bone.bone["list"] = [1, 2, 3]
    set_joint_positions(main, random_positions(main, 5))
    main.data.collections.new("mine").assign(main.data.bones["l_wrist_flex_joint"])
    main.data.bones["l_wrist_flex_joint"].use_deform = False
    main.pose.bones["l_wrist_flex_joint"].ik_stiffness_x = 0.5
    before = describe_bones(main)
    split(main, PR2)
    after = describe_bones(main)
    assert after.keys() == before.keys()
    for name, described in before.items():
        assert after[name] == described, name


def describe_bones(main: Any) -> dict[str, Any]:
    """Without their places, which are in another frame."""
    bpy.context.view_layer.update()  # Drivers write to what they drive.
    found = {}
    for armature in armatures_of(main):
        for described in describe_object(armature)["bones"]:
            bone = armature.pose.bones[described["name"]]
            place = {"rest", "length", "parent"}
            found[bone.name] = {key: value for key, value in described.items() if key not in place}
            found[bone.name]["properties"].pop("urdf_rest")  # It says where the bone is, too.
            found[bone.name] |= {
                "own": dict(bone.items()),
                "collections": sorted(each.name for each in bone.bone.collections),
                "visible": [each.is_visible for each in bone.bone.collections],
                "deform": (bone.bone.use_deform, bone.ik_stiffness_x, bone.custom_shape_wire_width),
                "turns": tuple(bone.rotation_quaternion),
            }
    return found


def test_pose_selection_and_mode_stay() -> None:
    robot, main = load("panda")
    other = bpy.data.objects.new("other", None)
    bpy.context.scene.collection.objects.link(other)
    other.select_set(True)
    positions = random_positions(main, 3)
    set_joint_positions(main, positions)
    bpy.context.view_layer.objects.active = main
    bpy.ops.object.mode_set(mode="POSE")
    made = split_armature(main, "wrist", ["panda_joint6", "panda_joint7"])
    assert main.mode == "POSE" and made.mode == "OBJECT"
    assert bpy.context.view_layer.objects.active == main
    assert set(bpy.context.selected_objects) == {main, other}
    bpy.ops.object.mode_set(mode="OBJECT")
    assert_stands(robot, main, positions)


def test_limits_hold() -> None:
    robot, main = load("panda")
    split(main, PANDA_PARTS)
    joints = {joint["name"]: joint for joint in joints_of(main)}
    held = {name: joint["upper"] for name, joint in joints.items() if not joint.get("mimics")}
    set_joint_positions(main, {name: upper + 0.2 for name, upper in held.items()})
    assert_stands(robot, main, held)
    read = get_joint_positions(main)
    assert {name: read[name] for name in held} == pytest.approx(held, abs=1e-5)


@pytest.mark.parametrize("groups", [[[3, 4]], [[5]], [[4], [1, 2]], [[0]], [[1, 2, 3], [5]]])
def test_joints_follow_across_armatures(groups: list[list[int]]) -> None:
    """Also what follows a follower, and a source that a limit holds."""
    robot = arm(6, {4: (0, 0.7, 0.05), 5: (4, 1.1, 0.1), 2: (1, -0.5, 0.0)})
    _, rig = build(robot, BARE)
    main = rig.armature
    for number, group in enumerate(groups):
        split_armature(main, f"part{number}", [f"j{index}" for index in group])
    followed = [(target.id, target.bone_target or target.data_path)
                for each in armatures_of(main) if each.animation_data
                for curve in each.animation_data.drivers
                for variable in curve.driver.variables
                for target in variable.targets]  # fmt: skip
    assert len(followed) >= 3
    assert any(owner != main for owner, _ in followed) or groups == [[5]]
    assert_moves(robot, main, 3)
    set_joint_positions(main, {"j0": 1.5, "j1": -1.4, "j3": 0.2})
    assert_stands(robot, main, {"j0": 0.8, "j1": -1.0, "j3": 0.2})


def test_whatever_reads_a_bone_reads_it_where_it_is() -> None:
    """Constraints and drivers of the user, on bones and on objects."""
    _, main = load("panda")
    watcher, lamp = (bpy.data.objects.new(name, None) for name in ("watcher", "lamp"))
    for item in (watcher, lamp):
        bpy.context.scene.collection.objects.link(item)
    follow = watcher.constraints.new("COPY_TRANSFORMS")
    follow.target, follow.subtarget = main, "panda_joint7"
    many = lamp.constraints.new("ARMATURE").targets.new()
    many.target, many.subtarget = main, "panda_joint6"
    aim = main.pose.bones["panda_joint6"].constraints.new("IK")
    aim.target, aim.pole_target, aim.pole_subtarget = watcher, main, "panda_joint7"
    aim.mute = True
    curve = lamp.driver_add("location", 0)
    for kind in ("SINGLE_PROP", "TRANSFORMS"):
        target = curve.driver.variables.new()
        target.type = kind
        target.targets[0].id = main
        target.targets[0].bone_target = "panda_joint7"
    curve.driver.variables[0].targets[0].data_path = 'pose.bones["panda_joint7"].location[0]'
    made = split_armature(main, "wrist", ["panda_joint6", "panda_joint7"])
    assert (follow.target, follow.subtarget) == (made, "panda_joint7")
    assert (many.target, many.subtarget) == (made, "panda_joint6")
    (aim,) = (each for each in made.pose.bones["panda_joint6"].constraints if each.type == "IK")
    assert (aim.target, aim.pole_target, aim.pole_subtarget) == (watcher, made, "panda_joint7")
    assert aim.mute
    assert [each.targets[0].id for each in curve.driver.variables] == [made, made]
    set_joint_positions(main, random_positions(main, 1))
    bpy.context.view_layer.update()
    bone = made.matrix_world @ made.pose.bones["panda_joint7"].matrix
    assert np.array(watcher.matrix_world) == pytest.approx(np.array(bone), abs=1e-6)


def test_what_hangs_on_bones_stays_where_it_is() -> None:
    """Also with an inverse matrix, a scale, and a place of its own."""
    _, main = load("panda")
    set_joint_positions(main, random_positions(main, 2))
    hung = []
    for number, bone in enumerate(("panda_joint3", "panda_joint6", "panda_joint7")):
        item = bpy.data.objects.new(f"hung{number}", None)
        bpy.context.scene.collection.objects.link(item)
        item.parent, item.parent_type, item.parent_bone = main, "BONE", bone
        item.location, item.scale = (0.1, 0.2, 0.3), (2.0, 1.0, 0.5)
        item.matrix_parent_inverse = main.pose.bones[bone].matrix.inverted()
        hung.append(item)
    bpy.context.view_layer.update()
    before = [np.array(item.matrix_world) for item in hung]
    made = split_armature(main, "wrist", ["panda_joint6", "panda_joint7"])
    bpy.context.view_layer.update()
    assert [item.parent for item in hung] == [main, made, made]
    for item, world in zip(hung, before, strict=True):
        assert np.array(item.matrix_world) == pytest.approx(world, abs=4e-6)


@pytest.mark.parametrize("state", ["hidden", "excluded", "eye", "moved", "under_a_root"])
def test_wherever_the_robot_is(state: str) -> None:
    robot, main = load("panda")
    place = np.eye(4)
    if state == "hidden":
        main.hide_viewport = True
    elif state == "eye":
        main.hide_set(True)
    elif state == "excluded":
        layer = bpy.context.view_layer.layer_collection.children[0]
        layer.exclude = True
    elif state == "moved":
        main.location, main.scale = (1.0, 2.0, 3.0), (2.0, 2.0, 2.0)
        main.rotation_quaternion = (0.5, 0.5, -0.5, 0.5)
    else:
        root = bpy.data.objects.new("root", None)
        bpy.context.scene.collection.objects.link(root)
        main.parent, root.location = root, (1.0, 2.0, 3.0)
    split(main, PANDA_PARTS)
    made = armatures_by_name(main)["wrist"]
    if state in ("hidden", "eye"):
        assert made.hide_viewport == main.hide_viewport and made.hide_get() == main.hide_get()
        main.hide_set(False)
    if state == "excluded":
        assert main.name not in bpy.context.view_layer.objects
        assert made.name not in bpy.context.view_layer.objects
        layer = bpy.context.view_layer.layer_collection.children[0]
        layer.exclude = False
    assert (
        list(main.users_collection) == list(bpy.context.scene.collection.children[0].children)[:1]
    )
    assert_axes(robot, main)
    bpy.context.view_layer.update()
    place = np.array(main.matrix_world)
    (main.parent or main).matrix_world = np.eye(4)
    assert_moves(robot, main, 2)
    (main.parent or main).matrix_world = place.T


def test_a_link_that_was_deleted() -> None:
    """The description of its joint went with it; the bone says the rest."""
    _, main = load("panda")
    bpy.data.objects.remove(find_link_empties(main)["panda_link7"])
    bpy.context.view_layer.update()
    before = np.array(main.pose.bones["panda_joint7"].matrix)
    made = split_armature(main, "wrist", ["panda_joint6", "panda_joint7"])
    bpy.context.view_layer.update()
    after = np.array(made.matrix_world @ made.pose.bones["panda_joint7"].matrix)
    assert after[:3, 3] == pytest.approx(before[:3, 3], abs=1e-6)
    assert after[:3, 0] == pytest.approx(before[:3, 0], abs=1e-6)


# Names and further splits


def test_an_armature_that_nobody_asked_for_becomes_the_groups() -> None:
    robot, main = load("panda")
    split_armature(main, "base", ["panda_joint1"])
    beyond = armatures_by_name(main)["beyond_panda_joint1"]
    made = split_armature(main, "elbow", [f"panda_joint{number}" for number in range(2, 5)])
    assert made == beyond and made.name == made.data.name == "elbow"
    assert list(armatures_by_name(main)) == ["", "base", "elbow", "beyond_panda_joint4"]
    assert_is_tree(main)
    assert_axes(robot, main)
    assert_moves(robot, main)


def test_what_hangs_on_one_bone_twice_has_two_names() -> None:
    """The fingers hang on joint 2 beside joint 3, which is taken out of its armature later."""
    _, main = load("pr2")
    joints = ["torso_lift_joint", "head_pan_joint", "head_tilt_joint"]
    split_armature(main, "torso", joints)
    split_armature(main, "nod", ["head_tilt_joint"])
    assert list(armatures_by_name(main)) == ["", "torso", "beyond_torso_lift_joint", "nod"]
    robot = arm(4)
    new_scene()
    spare = robot.joints[3]
    forked = Robot(
        name="fork",
        links=robot.links,
        joints=(*robot.joints[:3], type(spare)(name="j3", type="revolute", parent="l2", child="l4",
                limit=spare.limit)),
    )  # fmt: skip
    _, rig = build(forked, BARE)
    split_armature(rig.armature, "arm", ["j0", "j1", "j2"])
    split_armature(rig.armature, "middle", ["j1"])
    assert list(armatures_by_name(rig.armature)) == [
        "", "arm", "middle", "beyond_j1", "beyond_j1_2",
    ]  # fmt: skip
    assert_axes(forked, rig.armature)
    assert_moves(forked, rig.armature)


def test_names_are_kept_whatever_objects_are_called() -> None:
    robot, main = load("panda")
    bpy.data.objects.new("wrist", None)
    made = split_armature(main, "wrist", ["panda_joint6", "panda_joint7"])
    assert made.name == "wrist.001" and name_armature(made) == "wrist"
    made.name, main.name = "x", "wrist.002"
    assert armatures_by_name(main) == {
        "": main, "wrist": made, "beyond_panda_joint7": armatures_of(main)[2],
    }  # fmt: skip
    with pytest.raises(BuildError, match="already"):
        split_armature(main, "wrist", ["panda_joint1"])
    assert_moves(robot, main, 1)


def test_two_robots_and_a_copy_are_told_apart() -> None:
    robot, one = load("panda")
    _, other = load("panda")
    made = split_armature(one, "wrist", ["panda_joint6", "panda_joint7"])
    assert armatures_of(other) == [other]
    again = split_armature(other, "wrist", ["panda_joint6", "panda_joint7"])
    assert armatures_of(one)[1] == made and armatures_of(other)[1] == again
    assert again["urdf_armature"]["robot"] == other
    bpy.ops.object.select_all(action="DESELECT")
    for item in (one, *one.children_recursive):
        item.select_set(True)
    bpy.context.view_layer.objects.active = one
    bpy.ops.object.duplicate()
    copy = bpy.context.view_layer.objects.active
    assert copy not in (one, other) and len(armatures_of(copy)) == 3
    assert not set(armatures_of(copy)) & {*armatures_of(one), *armatures_of(other)}
    for main in (one, other, copy):
        assert_moves(robot, main, 1)


def test_armatures_hung_elsewhere_belong_to_the_robot() -> None:
    """As programs do that give the robot a root of their own."""
    robot, main = load("pr2")
    made = split(main, {"torso": PR2["torso"], "head": PR2["head"]})
    root = bpy.data.objects.new("robot", None)
    bpy.context.scene.collection.objects.link(root)
    for item in (main, made["torso"]):
        item.parent = root
        item.name = f"robot.{item.name}"
    assert [each.name for each in armatures_of(main)] == [
        "robot.pr2", "robot.torso", "beyond_torso_lift_joint", "head",
    ]  # fmt: skip
    assert_moves(robot, main, 2)
    split_armature(main, "l_arm", PR2["l_arm"])
    assert_moves(robot, main, 2)


# Refused, and nothing is changed


@pytest.mark.parametrize(
    ("joints", "kind", "named"),
    [
        ([], KinematicsError, "joint"),
        (["nothing"], KinematicsError, "nothing"),
        (["torso_lift_joint", "nothing"], KinematicsError, "nothing"),
        (["head_pan_joint", "l_shoulder_pan_joint"], KinematicsError, "l_shoulder_pan_joint"),
        (["torso_lift_joint", "head_tilt_joint"], KinematicsError, "head_tilt_joint"),
        (["base_footprint_joint", "base_laser_joint"], KinematicsError, "joint"),
    ],
)
def test_groups_that_are_none(joints: list[str], kind: type[RobotError], named: str) -> None:
    _, main = load("pr2")
    assert_refuses(kind, main, "group", joints, named)


def assert_refuses(
    kind: type[RobotError], armature: Any, name: str, joints: list[str], named: str
) -> None:
    before = describe_scene(), list_data()
    with pytest.raises(kind) as raised:
        split_armature(armature, name, joints)
    assert named in str(raised.value) and "\n" not in str(raised.value)
    assert (describe_scene(), list_data()) == before


def test_fixed_joints_are_passed_over() -> None:
    robot, main = load("pr2")
    made = split_armature(main, "head", ["head_plate_frame_joint", *PR2["head"]])
    assert made.data.bones.keys() == PR2["head"]
    assert_moves(robot, main, 1)


def test_groups_across_armatures() -> None:
    _, main = load("panda")
    split_armature(main, "wrist", ["panda_joint6", "panda_joint7"])
    assert_refuses(KinematicsError, main, "more", ["panda_joint5", "panda_joint6"], "panda_joint6")
    assert_refuses(KinematicsError, main, "more", ["panda_joint6"], "panda_joint6")
    assert_refuses(KinematicsError, main, "more", ["panda_joint6", "panda_joint7"], "wrist")


@pytest.mark.parametrize("name", ["", "wrist", "beyond_panda_joint7"])
def test_names_that_are_taken(name: str) -> None:
    _, main = load("panda")
    split_armature(main, "wrist", ["panda_joint6", "panda_joint7"])
    assert_refuses(BuildError, main, name, ["panda_joint1"], name)


def test_rigs_of_other_bones() -> None:
    humanoid = import_robot(SAMPLES / "humanoid_arm.urdf").armature
    combined = next(bone.name for bone in humanoid.data.bones if ">" in bone.name)
    assert_refuses(BuildError, humanoid, "arm", [combined.split(">")[0]], "morse")
    new_scene()
    base = import_robot(
        SAMPLES / "planar_base.urdf", options=ImportOptions(combine_joints=False)
    ).armature
    assert_refuses(BuildError, base, "base", ["drive"], "drive")
    new_scene()
    _, main = load("panda")
    bpy.context.view_layer.objects.active = main
    bpy.ops.object.mode_set(mode="EDIT")
    own = main.data.edit_bones.new("own")
    own.head, own.tail = (0, 0, 1), (0, 0, 2)
    own.parent = main.data.edit_bones["panda_joint7"]
    bpy.ops.object.mode_set(mode="OBJECT")
    assert_refuses(BuildError, main, "wrist", ["panda_joint6", "panda_joint7"], "own")


def test_what_would_be_lost() -> None:
    _, main = load("panda")
    main.pose.bones["panda_joint1"].keyframe_insert("rotation_euler", index=0)
    assert_refuses(BuildError, main, "arm", PANDA["panda_arm"], "animated")
    main.animation_data.action = None
    mesh = bpy.data.objects.new("skin", bpy.data.meshes.new("skin"))
    bpy.context.scene.collection.objects.link(mesh)
    mesh.modifiers.new("skin", "ARMATURE").object = main
    assert_refuses(BuildError, main, "arm", PANDA["panda_arm"], "skin")
    mesh.modifiers.clear()
    twin = bpy.data.objects.new("twin", main.data)
    assert_refuses(BuildError, main, "arm", PANDA["panda_arm"], "shares")
    bpy.data.objects.remove(twin)
    main.data.use_fake_user = True
    split(main, PANDA)


def test_what_is_no_robot() -> None:
    empty = bpy.data.objects.new("empty", None)
    bare = bpy.data.objects.new("bare", bpy.data.armatures.new("bare"))
    for item in (empty, bare):
        assert_refuses(BuildError, item, "arm", ["joint"], item.name)


@pytest.mark.parametrize("group", [[3, 4], [4], [1, 2, 3], [0]])
def test_a_joint_can_not_carry_the_armature_of_the_one_that_it_follows(group: list[int]) -> None:
    robot = arm(6, {0: (4, 0.5, 0.1)})
    _, rig = build(robot, BARE)
    joints = [f"j{index}" for index in group]
    assert_refuses(BuildError, rig.armature, "part", joints, "'j0' follows joint 'j4'")
    split_armature(rig.armature, "part", [f"j{index}" for index in range(5)])
    assert_moves(robot, rig.armature, 2)


def test_nor_one_on_which_another_depends(capfd: Any) -> None:
    """Joint 1 follows one beside it, which follows joint 2 on joint 1."""
    row = arm(3, {1: (3, 0.5, 0.0)})
    side = Joint(
        name="j3", type="revolute", parent="l1", child="l4", limit=Limit(lower=-1.0, upper=1.0),
        mimic=Mimic(joint="j2"),
    )  # fmt: skip
    links = (*row.links, Link(name="l4"))
    robot = Robot(name="fork", links=links, joints=(*row.joints, side))
    _, rig = build(robot, BARE)
    assert_refuses(BuildError, rig.armature, "part", ["j2"], "'j3' follows joint 'j2'")
    split_armature(rig.armature, "part", ["j1", "j2"])
    assert_refuses(BuildError, rig.armature, "tip", ["j2"], "'j3' follows joint 'j2'")
    assert_moves(robot, rig.armature, 2)
    assert "cycle" not in "".join(capfd.readouterr())


def test_any_armature_of_the_robot_stands_for_it() -> None:
    robot, main = load("panda")
    wrist = split_armature(main, "wrist", ["panda_joint6", "panda_joint7"])
    foot = split_armature(wrist, "foot", ["panda_joint1"])
    assert foot["urdf_armature"]["robot"] == main and foot.parent == main
    assert wrist.parent.name == "beyond_panda_joint1"
    assert_moves(robot, main, 1)


def test_an_update_says_that_it_can_not() -> None:
    result = import_robot(SAMPLES / "two_link_arm.urdf", options=MORSE)
    split_armature(result.armature, "fore", ["elbow"])
    before = describe_scene(), list_data()
    with pytest.raises(BuildError, match="several armatures"):
        update_robot(result.armature)
    assert (describe_scene(), list_data()) == before


def test_a_robot_of_one_armature_is_not_searched_for_more(monkeypatch: Any) -> None:
    _, main = load("panda")
    monkeypatch.delattr("urdf_importer.core.blender.standing.armatures.bpy")
    assert armatures_of(main) == [main]
    assert len(list(pose_bones_of(main))) == 9
