# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of a robot's root in the world, as an SRDF's virtual joint defines it: a bone to move
it by.

The bone is in an armature object of its own that carries the robot, so that moving the root changes
no bone or link within the robot's armature. That object is the joint's parent frame: it is where
the robot was, and the bone at rest is the joint at zero.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import bpy
import mathutils

from ...model import Robot, Semantics, VirtualJoint
from ...rig.looks import ROOT_SHARE
from ...rig.rig_plan import BoneLook, Mark
from ..build.widgets import give_looks
from ..ledger import Ledger
from ..modes import edit_bones_of, reachable, selection_kept
from ..standing import properties
from ..standing.keys import insert_key

_MARKS: dict[str, Mark] = {"planar": ("plane", 2), "floating": ("free", 2)}
"""The types of virtual joints that move, and their marks."""
_LENGTH = 0.25
"""Metres. A power of two: where the robot is the bone's child, it comes back exactly."""
_FREE_BASE = "root_joint"
"""Pinocchio's name of a free base in states."""


def build_control(armature: Any, robot: Robot, semantics: Semantics) -> None:
    """Makes the root control of a planar or floating virtual joint; removes an existing one
    where the SRDF has none. A robot that the user has put on something else stays there."""
    virtual = _find_virtual(robot, semantics.virtual_joints)
    control = find_control(armature)
    if virtual is None:
        if control is not None:
            _remove_control(armature, control)
        return
    if control is None:
        if armature.parent is not None:
            return
        control = _new_control(armature, virtual)
    control.data.bones[0].name = virtual.name
    bone = control.pose.bones[0]
    planar = virtual.type == "planar"
    bone.rotation_mode = "XYZ"
    bone.lock_location = (False, False, planar)
    bone.lock_rotation = (planar, planar, False)
    bone.lock_scale = (True, True, True)
    size = float(max(armature.dimensions)) or 1.0
    look = BoneLook(marks=(_MARKS[virtual.type],), radius=ROOT_SHARE * size, role="root")
    give_looks(control, {bone.name: look}, Ledger())
    said = {
        item.property_name: item.value
        for item in semantics.joint_properties
        if item.joint_name == virtual.name
    }
    packed = properties.pack(virtual)
    control[properties.VIRTUAL_JOINT] = packed | ({"properties": said} if said else {})


def find_control(armature: Any) -> Any | None:
    """Finds the armature object whose bone moves a robot's root; None where there is none."""
    above = armature.parent
    if above is None or above.type != "ARMATURE" or properties.VIRTUAL_JOINT not in above:
        return None
    return above if above.data.bones else None


def name_virtual_joint(control: Any) -> str:
    """Returns the name of the joint that a root control moves."""
    return str(control[properties.VIRTUAL_JOINT]["name"])


def place_control(armature: Any, positions: Mapping[str, tuple[float, ...]]) -> None:
    """Puts the root control where a state has the virtual joint, or `root_joint`, which Pinocchio
    calls a free base."""
    control = find_control(armature)
    if control is None:
        return
    numbers = positions.get(name_virtual_joint(control), positions.get(_FREE_BASE))
    bone = control.pose.bones[0]
    if numbers is None:
        return
    if len(numbers) == 3:
        bone.location[0], bone.location[1], bone.rotation_euler[2] = numbers
    elif len(numbers) == 7:
        x, y, z, w = numbers[3:]
        bone.location = numbers[:3]
        bone.rotation_euler = mathutils.Quaternion((w, x, y, z)).to_euler("XYZ")


def key_control(armature: Any, joints: Iterable[str]) -> int:
    """Keys the channels of the root control that are not locked, at the current frame, where its
    virtual joint is among `joints`. Returns how many joints were keyed."""
    control = find_control(armature)
    if control is None or name_virtual_joint(control) not in set(joints):
        return 0
    bone = control.pose.bones[0]
    for prop, locks in (
        ("location", bone.lock_location),
        ("rotation_euler", bone.lock_rotation),
    ):
        for index, locked in enumerate(locks):
            if not locked:
                insert_key(bone, prop, index)
    return 1


def _new_control(armature: Any, virtual: VirtualJoint) -> Any:
    control = bpy.data.objects.new(virtual.name, bpy.data.armatures.new(virtual.name))
    armature.users_collection[0].objects.link(control)
    with selection_kept(armature), reachable(control), edit_bones_of(control) as edit_bones:
        bone = edit_bones.new(virtual.name)
        bone.tail = (0.0, _LENGTH, 0.0)
    control[properties.MOUNTED] = True
    control.show_in_front = armature.show_in_front
    control.rotation_mode = "XYZ"
    place, turn, scale = armature.matrix_basis.decompose()
    control.location = place
    control.rotation_euler = turn.to_euler("XYZ")
    armature.matrix_basis = mathutils.Matrix.Diagonal((*scale, 1.0))
    armature.parent = control
    armature.parent_type = "BONE"
    armature.parent_bone = control.data.bones[0].name
    # Children of a bone start at its tail.
    armature.matrix_parent_inverse = mathutils.Matrix.Translation((0.0, -_LENGTH, 0.0))
    return control


def _remove_control(armature: Any, control: Any) -> None:
    place, data = armature.matrix_world.copy(), control.data
    armature.parent = None
    armature.matrix_parent_inverse = mathutils.Matrix()
    armature.matrix_world = place
    bpy.data.objects.remove(control)
    if not data.users:
        bpy.data.armatures.remove(data)


def _find_virtual(robot: Robot, joints: Iterable[VirtualJoint]) -> VirtualJoint | None:
    below = {joint.child for joint in robot.joints}
    roots = {link.name for link in robot.links} - below
    found = (each for each in joints if each.child_link in roots and each.type in _MARKS)
    return next(found, None)
