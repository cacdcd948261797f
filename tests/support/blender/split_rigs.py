# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots to be split into several armatures, and whether they stand as before."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from support import real_robots
from support.blender.rigs import assert_frames, shown_frames
from urdf_importer import (
    ImportOptions,
    forward_kinematics,
    get_joint_positions,
    import_robot,
    set_joint_positions,
)
from urdf_importer.core.blender.extract.robot import find_link_empties
from urdf_importer.core.blender.standing.armatures import armatures_of, bones_of
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.core.model import Joint, Limit, Link, Mimic, Pose, Robot
from urdf_importer_morse.split.frames import locate_joints

MORSE = ImportOptions(profile="morse")
BARE = ImportOptions(profile="morse", visuals=False, collisions=False)
ARM = "shoulder_pan shoulder_lift upper_arm_roll elbow_flex forearm_roll wrist_flex wrist_roll"
PR2 = {
    "torso": ["torso_lift_joint"],
    "head": ["head_pan_joint", "head_tilt_joint"],
    "l_arm": [f"l_{name}_joint" for name in ARM.split()],
    "r_arm": [f"r_{name}_joint" for name in ARM.split()],
}
"""The armatures of MORSE's own PR2."""

TALOS = {
    "leg": [f"leg_left_{number}_joint" for number in range(1, 7)],
    "trunk": ["torso_1_joint", "torso_2_joint"],
    "arm": [f"arm_right_{number}_joint" for number in range(1, 8)],
    "elbow": ["arm_left_4_joint"],
}
PANDA = {"panda_arm": [f"panda_joint{number}" for number in range(1, 8)]}
PANDA_PARTS = {"wrist": ["panda_joint6", "panda_joint7"], "foot": ["panda_joint1", "panda_joint2"]}


@cache
def find(stem: str) -> Path:
    return next(path for path in real_robots.descriptions() if path.stem == stem)


def load(stem: str, options: ImportOptions = BARE) -> tuple[Robot, Any]:
    """A real robot and its main armature."""
    result = import_robot(find(stem), options=options)
    return result.robot, result.armature


def arm(count: int, follows: Mapping[int, tuple[int, float, float]] | None = None) -> Robot:
    """Joints j0, j1 ... in a row, each third one sliding; `follows`: joint -> (the one that it
    follows, factor, offset)."""
    follows = follows or {}
    axes = ((0.0, 0.0, 1.0), (0.0, 0.6, 0.8), (1.0, 0.0, 0.0))
    joints = []
    for index in range(count):
        source, factor, offset = follows.get(index, (0, 0.0, 0.0))
        joints.append(
            Joint(
                name=f"j{index}",
                type="prismatic" if index % 3 == 2 else "revolute",
                parent=f"l{index}",
                child=f"l{index + 1}",
                origin=Pose(xyz=(0.1, 0.05 * index, 0.2), rpy=(0.3 * index, 0.1, 0.0)),
                axis=axes[index % 3],
                limit=Limit(lower=-1.0, upper=0.8),
                mimic=Mimic(joint=f"j{source}", multiplier=factor, offset=offset)
                if index in follows
                else None,
            )
        )
    links = tuple(Link(name=f"l{index}") for index in range(count + 1))
    return Robot(name="arm", links=links, joints=tuple(joints))


def joints_of(main: Any) -> Iterator[Any]:
    """The entries of `urdf_joints`, of all armatures."""
    for bone in bones_of(main):
        yield from bone.get("urdf_joints", ())


def random_positions(main: Any, seed: int) -> dict[str, float]:
    generator = np.random.default_rng(seed)
    return {
        joint["name"]: float(generator.uniform(joint.get("lower", -3.0), joint.get("upper", 3.0)))
        for joint in joints_of(main)
        if not joint.get("mimics")
    }


def assert_stands(robot: Robot, main: Any, positions: Mapping[str, Any]) -> None:
    """Every link is where forward kinematics says, in the world; the main armature is at its
    origin."""
    bpy.context.view_layer.update()
    shown = shown_frames(find_link_empties(main))
    assert_frames(shown, forward_kinematics(robot, positions), metres=1e-5, radians=1e-5)


def assert_moves(robot: Robot, main: Any, configurations: int = 4) -> None:
    """At random positions it stands right, and says where it stands."""
    for seed in range(configurations):
        positions = random_positions(main, seed)
        set_joint_positions(main, positions)
        assert_stands(robot, main, positions)
        read = get_joint_positions(main)
        assert set(read) == {joint["name"] for joint in joints_of(main)}
        for name, position in positions.items():
            assert abs(float(read[name]) - position) < 2e-6  # type: ignore[arg-type]


def assert_axes(robot: Robot, main: Any, radians: float = 1e-6) -> None:
    """Every bone lies with its head in its joint and with X along its axis, at rest: worked out
    from what is set, bone by bone."""
    lines = locate_joints(retrace_tree(robot))
    roots = {main: np.eye(4)}
    for armature in armatures_of(main)[1:]:
        held = roots[armature.parent]
        if armature.parent_type == "BONE":
            bone = armature.parent.data.bones[armature.parent_bone]
            tail = np.eye(4)
            tail[1, 3] = bone.length
            held = held @ np.array(bone.matrix_local) @ tail
        roots[armature] = held @ np.array(armature.matrix_basis)
    for armature, root in roots.items():
        for bone in armature.data.bones:
            (joint,) = bone["urdf_joints"]
            line = lines[joint["name"]]
            rest = root @ np.array(bone.matrix_local)
            x = rest[:3, 0] / np.linalg.norm(rest[:3, 0])
            off = np.linalg.norm(x - joint["sign"] * line.axis)
            assert off <= (radians if bone.length >= 0.05 else 2e-5), f"{bone.name}: {off}"
            away = np.linalg.norm(rest[:3, 3] - line.origin)
            assert away <= 1e-6 * (1 + np.linalg.norm(line.origin)), f"{bone.name}: {away}"


def assert_is_tree(main: Any) -> None:
    """Armatures hang on bones of each other as they should, and links flat on armatures."""
    armatures = armatures_of(main)
    for armature in armatures[1:]:
        assert armature["urdf_armature"]["robot"] == main
        assert armature.parent in armatures[: armatures.index(armature)]
        assert armature.matrix_parent_inverse.is_identity
        assert armature.rotation_mode == "QUATERNION" and len(armature.data.bones)
        if armature.parent_type == "BONE":
            assert armature.parent_bone in armature.parent.data.bones
        else:
            assert armature.parent == main and armature.parent_type == "OBJECT"
    for empty in find_link_empties(main).values():
        assert empty.parent in armatures and empty.matrix_parent_inverse.is_identity
        if empty.parent_type == "BONE":
            assert empty.parent_bone in empty.parent.data.bones
        else:
            assert empty.parent == main
