# SPDX-License-Identifier: GPL-3.0-or-later
"""An SRDF's data on single links and joints, as objects and properties of a rig.

* An end effector is an empty in the frame of the link that it sits on, marked by `urdf_ik`: the
  target for the inverse kinematics of the arm. It is attached to the root link, not to the arm, and
  is shown while something follows it.
* Passive joints and further properties of joints are marked on their bones.
* Spheres of links are hidden empties.

All are made anew whenever an SRDF is put on a rig. The root control is control.py.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import bpy
import mathutils
import numpy as np

from ...kinematics.semantic_groups import find_parent_group
from ...model import Robot, Semantics
from ..standing import properties
from ..standing.armatures import bones_of
from ..standing.display import find_collection
from ..standing.joints import name_joints
from ..standing.links import find_root, links_of, name_link, name_root
from ..standing.pose import link_pose

TARGETS, SPHERES = "Targets", "Spheres"


def build_markers(armature: Any, robot: Robot, semantics: Semantics) -> None:
    """Makes targets, spheres, and marks on bones."""
    empties = {name_link(item) or "": item for item in links_of(armature)}
    remove_markers(armature)
    _build_targets(armature, robot, semantics, empties)
    _build_spheres(armature, semantics, empties)
    _mark_bones(armature, semantics)


def remove_markers(armature: Any) -> None:
    """Removes targets and spheres, with their collections, and the marks on bones. Targets that
    links follow stay."""
    home = _home_of(armature)
    for part in [each for each in home.children if each.get(properties.PART) in (TARGETS, SPHERES)]:
        bpy.data.batch_remove(
            [
                item
                for item in part.objects
                if item.type == "EMPTY" and properties.MOUNTED in item and not is_followed(item)
            ]
        )
        if not (part.objects or part.children):
            bpy.data.collections.remove(part)
    for bone in bones_of(armature):
        bone.pop(properties.PASSIVE, None)
        bone.pop(properties.JOINT_PROPERTIES, None)


def targets_of(armature: Any) -> Iterator[Any]:
    """Returns the empties that are targets of end effectors of a rig."""
    return (item for item in markers_of(armature, TARGETS) if properties.IK in item)


def followed_targets_of(armature: Any) -> list[Any]:
    """Lists the targets that links of a robot follow, live or by Blender's own IK."""
    return [each for each in targets_of(armature) if is_followed(each)]


def is_followed(item: Any) -> bool:
    """Whether an object is a target that a link follows, live or by Blender's own IK."""
    said = item.get(properties.IK)
    return said is not None and bool(said.get("live") or said.get("native"))


def new_target(armature: Any, link: str, group: str) -> Any:
    """Makes a target for a link, in an SRDF the end effector of a group, with no hand of its own.
    It is attached to the root link."""
    target = new_marker(armature, TARGETS, f"{link}_target")
    target[properties.IK] = {"effector": target.name, "hand": "", "group": group, "link": link}
    return target


def new_marker(
    armature: Any, part: str, name: str, *, kind: str = "ARROWS", share: float = 0.06
) -> Any:
    """Makes an empty in a part of a robot's collection, attached to the root link; `share` is its
    size as a share of the robot's."""
    made = _new_empty(name, find_root(armature), kind, _size_of(armature) * share)
    _part_of(armature, part).objects.link(made)
    return made


def markers_of(armature: Any, part: str) -> Iterator[Any]:
    """Yields the objects in a part of a robot's collection."""
    for each in _home_of(armature).children:
        if each.get(properties.PART) == part:
            yield from each.objects


def show_target(target: Any, *, shown: bool) -> None:
    """Shows or hides a target in the scene by its eye: Blender still works out where it is."""
    for layer in bpy.context.scene.view_layers:
        if target.name not in layer.objects:  # It may be new.
            layer.update()
        if target.name in layer.objects:
            target.hide_set(not shown, view_layer=layer)


def remove_marker(marker: Any) -> None:
    """Removes a marker, as a target, and its part of the robot's collection with the last."""
    homes = [each for each in marker.users_collection if properties.PART in each]
    bpy.data.objects.remove(marker)
    for part in homes:
        if not (part.objects or part.children):
            bpy.data.collections.remove(part)


def _build_targets(
    armature: Any, robot: Robot, semantics: Semantics, empties: Mapping[str, Any]
) -> None:
    size = _size_of(armature) * 0.03
    root = find_root(armature)
    followed = {each[properties.IK].get("effector", "") for each in targets_of(armature)}
    for effector in semantics.end_effectors:
        link = empties.get(effector.parent_link)
        if link is None or root is None or effector.name in followed:
            continue
        target = _new_empty(f"{effector.name}_target", root, "ARROWS", size * 2.0)
        poses = (link_pose(armature, each) for each in (name_root(armature), effector.parent_link))
        target.matrix_local = mathutils.Matrix(np.linalg.solve(*poses).tolist())
        target[properties.IK] = {
            "effector": effector.name,
            "hand": effector.group,
            "group": find_parent_group(robot, semantics, effector),
            "link": effector.parent_link,
        }
        _part_of(armature, TARGETS).objects.link(target)
        show_target(target, shown=False)


def _build_spheres(armature: Any, semantics: Semantics, empties: Mapping[str, Any]) -> None:
    for item in semantics.link_spheres:
        # A lone radius of zero says that the link is not looked at.
        for sphere in item.spheres if item.link in empties else ():
            if sphere.radius <= 0.0:
                continue
            shown = _new_empty(f"{item.link}_sphere", empties[item.link], "SPHERE", sphere.radius)
            shown.location = sphere.center
            _part_of(armature, SPHERES).objects.link(shown)
    for part in _home_of(armature).children:
        if part.get(properties.PART) == SPHERES:
            part.hide_render = part.hide_viewport = True


def _mark_bones(armature: Any, semantics: Semantics) -> None:
    passive = {joint.name for joint in semantics.passive_joints}
    said: dict[str, dict[str, str]] = {}
    for item in semantics.joint_properties:
        said.setdefault(item.joint_name, {})[item.property_name] = item.value
    for bone in bones_of(armature):
        names = name_joints(bone)
        idle = [name for name in names if name in passive]
        more = {name: said[name] for name in names if name in said}
        if idle:
            bone[properties.PASSIVE] = idle
        if more:
            bone[properties.JOINT_PROPERTIES] = more


def _new_empty(name: str, parent: Any, kind: str, size: float) -> Any:
    made = bpy.data.objects.new(name, None)
    made.empty_display_type = kind
    made.empty_display_size = size
    made.parent = parent
    made[properties.MOUNTED] = True
    return made


def _size_of(armature: Any) -> float:
    """The armature's largest extent in metres; 1 where it has none."""
    return float(max(armature.dimensions)) or 1.0


def _home_of(armature: Any) -> Any:
    """Returns the robot's collection; where the user took it apart, the armature's."""
    found = find_collection(armature)
    if found is None:
        return next(iter(armature.users_collection), bpy.context.scene.collection)
    return found


def _part_of(armature: Any, name: str) -> Any:
    home = _home_of(armature)
    for part in home.children:
        if part.get(properties.PART) == name:
            return part
    part = bpy.data.collections.new(name)
    part[properties.PART] = name
    home.children.link(part)
    return part
