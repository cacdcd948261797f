# SPDX-License-Identifier: GPL-3.0-or-later
"""Showing the user a part of a robot by selecting it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import bpy

from ...diagnostics import Diagnostic, KinematicsError, quote
from ..modes import enter_pose_mode, leave_modes
from . import properties
from .armatures import pose_bones_of
from .joints import name_joints, read_link_joint
from .links import find_link, find_link_name, links_of, name_link, visuals_of
from .robot_table import find_robot, recall_table


def select_link(armature: Any, link: str) -> None:
    """Selects the empty of a link. Raises KinematicsError for an unknown link."""
    select_objects([find_link(armature, link)])


def select_link_visuals(armature: Any, link: str) -> None:
    """Selects the visuals of a link; its empty where it has none."""
    empty = find_link(armature, link)
    select_objects([item for item in visuals_of(armature) if item.parent == empty] or [empty])


def select_link_bone(armature: Any, link: str) -> None:
    """Selects the bone that moves a link; the armature where nothing does."""
    empty = find_link(armature, link)
    if empty.parent_bone in empty.parent.data.bones:
        select_bones({empty.parent: [empty.parent_bone]})
    else:
        select_objects([armature])


def find_moving_joint(item: Any) -> str:
    """Finds the name of the joint that moves an object of a robot: of a link or a shape the nearest
    joint above that is not fixed, of the armature the active bone's joint. Empty where there is
    none."""
    robot = find_robot(item)
    if robot is None:
        return ""
    if item.type == "ARMATURE":
        bone = item.data.bones.active if item.mode == "POSE" else None
        return next(iter(name_joints(bone)), "") if bone is not None else ""
    return recall_table(robot).movers.get(find_link_name(item) or "", "")


def select_joint(armature: Any, joint: str) -> None:
    """Selects the bone of a joint; a joint without one is shown by the link below it, and a loop
    joint by both its links.

    Raises KinematicsError for an unknown joint.
    """
    for pose_bone in pose_bones_of(armature):
        if joint in name_joints(pose_bone.bone):
            select_bones({pose_bone.id_data: [pose_bone.name]})
            return
    for link in links_of(armature):
        above = read_link_joint(link)
        if above is not None and above.name == joint:
            select_objects([link])
            return
    for loop in armature[properties.ROBOT].get("loops", ()):
        if loop["name"] == joint:
            ends = {loop["link1"], loop["link2"]}
            select_objects([each for each in links_of(armature) if name_link(each) in ends])
            return
    raise KinematicsError(f"the rig has no joint {quote(joint)}")


def select_subject(armature: Any, item: Diagnostic) -> None:
    """Selects the subject of a diagnostic. Raises KinematicsError where the rig does not have
    it."""
    name = item.subject
    ways = {"joint": select_joint, "link": select_link, "material": _select_users}
    # A link and a joint may have the same name: the kind that the message names comes first.
    order = sorted(ways, key=lambda kind: f"{kind} {quote(name)}" not in item.message)
    for kind in order:
        try:
            ways[kind](armature, name)
            return
        except KinematicsError:
            continue
    raise KinematicsError(f"the rig has nothing named {quote(name)}: it may have been left out")


def select_objects(items: Iterable[Any]) -> None:
    """Selects these objects and no others, the first one active, in object mode.

    Raises KinematicsError where none of them is in the view layer.
    """
    layer = bpy.context.view_layer
    chosen = [item for item in items if item.name in layer.objects]
    if not chosen:
        raise KinematicsError("it is not in this view layer: its collection is excluded")
    leave_modes()
    for other in layer.objects.selected:
        other.select_set(False)
    for item in chosen:
        item.select_set(True)
    layer.objects.active = chosen[0]


def _select_users(armature: Any, material: str) -> None:
    """Selects the visuals described with a material; Blender may have renamed it."""
    users = [
        each
        for each in visuals_of(armature)
        if each.get(properties.SHAPE, {}).get("material", {}).get("name") == material
    ]
    if not users:
        raise KinematicsError(f"no object uses the material {quote(material)}")
    select_objects(users)


def measure_selection() -> float | None:
    """Measures the selection, in metres: between the heads of two bones in pose mode, or along one;
    else between the origins of two objects. None where something else is selected."""
    bones: Any = bpy.context.selected_pose_bones or ()
    if len(bones) == 1:
        (bone,) = bones
        ends: Any = [bone.id_data.matrix_world @ end for end in (bone.head, bone.tail)]
    elif bones:
        ends = [bone.id_data.matrix_world @ bone.head for bone in bones]
    else:
        ends = [item.matrix_world.translation for item in bpy.context.selected_objects]
    return float((ends[0] - ends[1]).length) if len(ends) == 2 else None


def select_bones(bones: Mapping[Any, Sequence[str]]) -> None:
    """Selects bones by their armatures and no others, the first one active, in pose mode. Raises
    KinematicsError where none of the armatures is in the view layer."""
    select_objects(bones)
    enter_pose_mode(next(iter(bones)))
    for armature, names in bones.items():
        choose_bones(armature, names)


def choose_bones(armature: Any, names: Sequence[str]) -> None:
    """Selects bones of an armature that is in pose mode, and no others of it, the first one active;
    shows them where their collections hide them."""
    wanted = set(names)
    for pose_bone in armature.pose.bones:
        # From Blender 5 on the pose selects its bones, before that the armature.
        holder = pose_bone if hasattr(pose_bone, "select") else pose_bone.bone
        holder.select = pose_bone.name in wanted
    armature.data.bones.active = armature.data.bones[names[0]]
    for name in names:
        homes = armature.data.bones[name].collections
        if not any(each.is_visible_effectively for each in homes):
            for each in homes:
                each.is_visible = True
                each.is_solo = armature.data.collections.is_solo_active
