# SPDX-License-Identifier: GPL-3.0-or-later
"""The visibility of a robot's parts, and the enforcement of its limits: finds the rig's own
switches."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import bpy

from ...diagnostics import BuildError, quote
from ...kinematics.chains import NamedChain
from ...rig.limits import keeps_ik_limit
from ...rig.rig_plan import JOINTS
from . import properties
from .armatures import armatures_by_name
from .joints import posed_joints_of
from .robot_table import find_robot, recall_table


def find_parts(armature: Any) -> dict[str, list[Any]]:
    """Finds part (`Links`, `Visuals`, ...) -> the collections that hold this robot's, whatever they
    are named and wherever they were moved."""
    parts: dict[str, list[Any]] = {}
    for collection in bpy.data.collections:
        part = collection.get(properties.PART)
        if part is not None and any(find_robot(item) == armature for item in collection.objects):
            parts.setdefault(part, []).append(collection)
    return parts


def find_collection(armature: Any) -> Any | None:
    """Finds the collection that holds all parts of a robot; None where the user took it apart. In
    earlier files the armature lies in it, now it has a collection of its own there."""
    homes = set(armature.users_collection)
    for home in armature.users_collection:
        if any(properties.PART in child for child in home.children):
            return home
    for collection in bpy.data.collections:
        if any(child in homes and properties.PART in child for child in collection.children):
            return collection
    return None


def find_thumbnail(armature: Any) -> Any | None:
    """Finds the picture of a robot's collection, as Blender's panels show it."""
    collection = find_collection(armature)
    preview = collection.preview if collection is not None else None
    return preview if preview is not None and preview.image_size[0] else None


def find_layers(view_layer: Any, collections: list[Any]) -> list[Any]:
    """Finds the entries of these collections in a view layer, whose eye shows and hides them."""
    return [
        layer
        for layer in walk_layers(view_layer.layer_collection)
        if layer.collection in collections and not layer.exclude
    ]


def find_switch(layer: Any, part: str) -> Any:
    """Finds the switch that shows and hides a part's entry in a view layer, by its `hide_viewport`.

    Parts that an import hides have the collection's own switch, which goes wherever the collection
    goes; earlier files closed the eye of these, too, so that comes first where it is closed. All
    others have the eye: parts behind it are still evaluated, and others depend on them.
    """
    if part in properties.HIDDEN and not layer.hide_viewport:
        return layer.collection
    return layer


def show_collisions(shapes: Mapping[str, Iterable[Any]], home: Any, on: bool = True) -> None:
    """Shows the collision shapes of links as if they were visuals, or draws them as an import does:
    as wires that are not rendered, hidden by their collection `home`."""
    if home is not None:
        home.hide_viewport = home.hide_render = not on
    for shape in (shape for group in shapes.values() for shape in group):
        shape.display_type = "TEXTURED" if on else "WIRE"
        shape.hide_render = not on


def has_limits(armature: Any) -> bool:
    """Whether the rig was made with limits that can be switched."""
    return any(True for _ in _limits(armature))


def enforces_limits(armature: Any) -> bool:
    """Whether all of them hold. False where one is muted, or there are none."""
    return has_limits(armature) and not any(limit.mute for limit in _limits(armature))


def enforce_limits(armature: Any, on: bool) -> None:
    """Switches the limits of all joints, and the limits that Blender's IK keeps. An import makes
    them on; constraints that a user added are left alone."""
    for constraint in _limits(armature):
        constraint.mute = not on
    for pose_bone, joint in posed_joints_of(armature):
        if keeps_ik_limit(joint.kind, *joint.limits):
            setattr(pose_bone, f"use_ik_limit_{'xyz'[joint.channels[0].index]}", on)


def _limits(armature: Any) -> Iterator[Any]:
    homes = armatures_by_name(armature)
    for home, bone, name in recall_table(armature).limits:
        pose_bone = homes[home].pose.bones.get(bone) if home in homes else None
        limit = pose_bone.constraints.get(name) if pose_bone is not None else None
        if limit is not None:
            yield limit


def walk_layers(layer: Any) -> Iterator[Any]:
    """Yields the entry of a collection in a view layer, and all below it."""
    todo = [layer]
    while todo:
        found = todo.pop()
        yield found
        todo += found.children


def find_limb(armature: Any, chain: NamedChain) -> list[Any]:
    """Finds the bone collections that show the bones of a chain of joints alone: one below `Joints`
    in each armature of the robot. There are none until solo_limb makes them."""
    found = []
    for home, bones in _bones_of(armature, chain).items():
        above = home.data.collections.get(JOINTS)
        for each in above.children if above is not None else ():
            named = each.name.startswith(chain.title)
            if named and {bone.name for bone in each.bones} == bones:
                found.append(each)
    return found


def solo_limb(armature: Any, chain: NamedChain) -> None:
    """Shows the bones of a chain of joints, and of other chains that this was done with, and no
    others; done again it takes that back. Raises BuildError for bones of another file."""
    known = find_limb(armature, chain)
    if known:
        for each in known:
            each.id_data.collections.remove(each)
        return
    for home, bones in _bones_of(armature, chain).items():
        if not home.data.is_editable:
            raise BuildError(f"the bones of {quote(home.name)} are linked from another file")
        above = home.data.collections.get(JOINTS)
        if above is None:
            raise BuildError(f"{quote(home.name)} has no bone collection {quote(JOINTS)} any more")
        made = home.data.collections.new(chain.title, parent=above)
        made.is_solo = True
        for bone in bones:
            made.assign(home.data.bones[bone])


def _bones_of(armature: Any, chain: NamedChain) -> dict[Any, set[str]]:
    """Returns the bones of a chain by their armatures."""
    joints, homes = recall_table(armature).joints, armatures_by_name(armature)
    found: dict[Any, set[str]] = {}
    for name in chain.joints:
        found.setdefault(homes[joints[name].armature], set()).add(joints[name].bone)
    return found
