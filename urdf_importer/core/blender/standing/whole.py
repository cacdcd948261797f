# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot as one thing: all that belongs to it is copied and removed together.

Blender's own Duplicate takes the selection, so it leaves out hidden parts, and its Delete leaves
everything below the armature behind. Here a robot is all its armatures, everything under them and
in its collections.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import bpy

from ...arguments import rig_of
from ...diagnostics import BuildError, quote
from ...shelves import find_hooks
from ..ledger import Ledger, remove_datablocks
from ..memory import forget
from ..modes import leave_modes
from ..scene_objects import free_objects
from . import properties
from .armatures import CHANNELS, armatures_of, check_own, check_robot, group_homes, objects_of
from .display import find_collection, walk_layers
from .links import links_of
from .robot_table import find_robot, list_robots
from .selection import select_objects

_OURS = (
    properties.ROBOT,
    properties.ARMATURE,
    properties.LINK,
    properties.PART,
    properties.LIMITS_OF,
    properties.MOUNTED,
)
_FLAGS = ("hide_viewport", "hide_render", "hide_select", "color_tag")
_LAYER_FLAGS = ("exclude", "hide_viewport", "holdout", "indirect_only")


def list_objects(armature: Any) -> list[Any]:
    """Lists the objects of a robot, each once: its armatures, the main one first, all that is under
    them, and the rest of its collections."""
    found = [*armatures_of(armature), *objects_of(armature)]
    for collection in _list_collections(armature):
        found += (item for item in collection.objects if find_robot(item) in (None, armature))
    return list(dict.fromkeys(found))


def duplicate_robot(armature: Any, *, linked: bool = True) -> Any:
    """Copies a whole robot with all that is on it, in its place; returns the copy's armature, which
    is selected. Bones, poses and animation are its own; with `linked` meshes are shared. Hidden
    parts stay hidden. Raises BuildError."""
    armature = rig_of(armature)
    _check(armature)
    leave_modes()
    ledger = Ledger()
    try:
        copies = _copy_objects(list_objects(armature), ledger, linked=linked)
        _redirect_all(copies)
        _link(armature, copies, ledger)
    except BaseException:
        ledger.remove_all()
        raise
    forget()
    made = copies[armature]
    if made.name in bpy.context.view_layer.objects:
        select_objects([made])
    return made


def delete_robot(armature: Any) -> None:
    """Removes a whole robot and all data that only it uses. Objects that you attached to it stay
    where they are. Raises BuildError."""
    armature = rig_of(armature)
    _check(armature)
    leave_modes()
    bpy.context.view_layer.update()
    for prepare in find_hooks("before_delete"):
        prepare(armature)
    _remove(list_objects(armature), _list_collections(armature))


def _remove(items: Iterable[Any], collections: Sequence[Any]) -> None:
    """Removes the importer's objects of these, and the collections, parents first, that hold
    nothing else."""
    own, others = _split_own(items)
    for prepare in find_hooks("before_removal"):
        prepare(own)
    _detach(others, own)
    spent = _list_data(own)
    going = set(own)
    for collection in reversed(collections):
        # Nested ones go first; one stays where something of a user is in it.
        if going.issuperset(collection.objects) and not collection.children:
            bpy.data.collections.remove(collection)
    remove_datablocks(own)
    for kind in spent:
        remove_datablocks(each for each in kind if not each.users)
    forget()


def find_leftovers(scene: Any) -> dict[str, list[Any]]:
    """Finds the parts of robots whose armature was deleted by itself: the name of the robot's
    collection, empty where the user took that apart -> its parts. Shapes that a user took off a
    robot with an armature do not count."""
    robots, found = set(list_robots(scene)), dict[str, list[Any]]()
    homes = {
        item: home.name
        for home in (scene.collection, *scene.collection.children_recursive)
        if any(properties.PART in child for child in home.children)
        for item in home.all_objects
    }
    standing = {homes.get(robot, "") for robot in robots} | {""}
    for item in scene.objects:
        is_part = any(key in item for key in _OURS) and item.library is None
        if is_part and item not in robots and find_robot(item) is None:
            found.setdefault(homes.get(item, ""), []).append(item)
    return {
        name: items
        for name, items in found.items()
        if name not in standing or any(properties.LINK in item for item in items)
    }


def delete_leftovers(scene: Any, name: str) -> int:
    """Removes the parts that find_leftovers lists under a name, with the collections that are empty
    then; returns how many. Objects that you attached to them stay where they are."""
    parts = find_leftovers(scene).get(name, [])
    home = bpy.data.collections.get(name) if name else None
    below = [each for part in parts for each in part.children_recursive]
    leave_modes()
    _remove(
        dict.fromkeys([*parts, *below]),
        [home, *home.children_recursive] if home is not None else [],
    )
    forget()
    return len(parts)


def find_original(armature: Any) -> Any | None:
    """Finds the robot from which a rig without links was duplicated, as Blender's own Duplicate
    does; None where it is gone, and for whole robots."""
    if next(links_of(armature), None) is not None:
        return None
    alike = [
        each
        for each in list_robots()
        if _names_of(each) == _names_of(armature) and next(links_of(each), None) is not None
    ]
    return next((each for each in alike if each.data == armature.data), next(iter(alike), None))


def _names_of(armature: Any) -> tuple[str, list[str]]:
    described = armature[properties.ROBOT]
    return described.get("name", ""), [*described.get("links", ()), *described.get("joints", ())]


def complete_copy(armature: Any) -> Any:
    """Puts a copy of the whole robot into the place of a rig without links, in its pose and with
    its action; returns the copy's armature. Raises BuildError where its robot is gone."""
    original = find_original(armature)
    if original is None:
        raise BuildError(f"the original of {quote(armature.name)} is not in this file")
    _check(original)
    place = armature.matrix_world.copy()
    for home in armature.users_collection:  # A collection with two robots would not be copied.
        home.objects.unlink(armature)
    made = duplicate_robot(original)
    made.matrix_world = place
    for bone in armature.pose.bones:
        if bone.name in made.pose.bones:
            for channel in CHANNELS:
                setattr(made.pose.bones[bone.name], channel, getattr(bone, channel))
    animation = armature.animation_data
    if animation is not None and animation.action is not None:
        made.animation_data_create().action = animation.action
    name, data = armature.name, armature.data
    bpy.data.objects.remove(armature)
    if not data.users:
        bpy.data.armatures.remove(data)
    made.name = name
    forget()
    return made


def _check(armature: Any) -> None:
    check_robot(armature)
    check_own(armature, "link or delete its collection")


def _list_collections(armature: Any) -> list[Any]:
    """Lists the robot's collection and the collections in it, parents first, without other robots'
    that a user put there."""
    home = find_collection(armature)
    found: list[Any] = []
    waiting = [home] if home is not None else []
    while waiting:
        found.append(waiting.pop(0))
        waiting += (
            child
            for child in found[-1].children
            if all(find_robot(item) in (None, armature) for item in child.all_objects)
        )
    return found


# Copies


def _copy_objects(sources: Iterable[Any], ledger: Ledger, *, linked: bool) -> dict[Any, Any]:
    """Copies objects and their data. Returns original -> copy, of objects and of data."""
    copies: dict[Any, Any] = {}
    actions: dict[Any, Any] = {}
    for source in sources:
        copy = ledger.note(source.copy())
        copies[source] = copy
        data = source.data
        if data is not None and (source.type == "ARMATURE" or not linked):
            if data not in copies:
                copies[data] = ledger.note(data.copy())
                _own_action(copies[data], actions, ledger)
            copy.data = copies[data]
        _own_action(copy, actions, ledger)
    return copies


def _own_action(holder: Any, actions: dict[Any, Any], ledger: Ledger) -> None:
    """Gives a copy an action of its own, as Blender's Duplicate does: else keys on one robot would
    move the other."""
    animation = holder.animation_data
    if animation is None or animation.action is None:
        return
    action = animation.action
    slot = getattr(animation, "action_slot", None)
    if action not in actions:
        actions[action] = ledger.note(action.copy())
    animation.action = actions[action]
    if slot is not None:
        animation.action_slot = actions[action].slots[slot.identifier]


def _redirect_all(copies: Mapping[Any, Any]) -> None:
    """Lets everything that refers to an original, in a copy, refer to its copy."""
    for copy in list(copies.values()):
        if isinstance(copy, bpy.types.Object):
            if copy.parent in copies:
                inverse = copy.matrix_parent_inverse.copy()
                copy.parent = copies[copy.parent]
                copy.matrix_parent_inverse = inverse  # Blender resets it with the parent.
            _redirect_object(copy, copies)
        _redirect_drivers(copy, copies)
        shapes = getattr(copy, "shape_keys", None)
        if shapes is not None:
            _redirect_drivers(shapes, copies)


def _redirect_object(copy: Any, copies: Mapping[Any, Any]) -> None:
    bones = copy.pose.bones if copy.pose else ()
    for constraint in [*copy.constraints, *(each for bone in bones for each in bone.constraints)]:
        _redirect(constraint, copies)
        for target in getattr(constraint, "targets", ()):
            _redirect(target, copies)
    for modifier in copy.modifiers:
        _redirect(modifier, copies)
        if modifier.type == "NODES":
            _redirect_properties(modifier, copies)
    _redirect_properties(copy, copies)
    if properties.ARMATURE in copy:
        _redirect_properties(copy[properties.ARMATURE], copies)


def _redirect(owner: Any, copies: Mapping[Any, Any]) -> None:
    for each in owner.bl_rna.properties:
        if each.type == "POINTER" and not each.is_readonly:
            value = getattr(owner, each.identifier)
            if isinstance(value, bpy.types.ID) and value in copies:
                setattr(owner, each.identifier, copies[value])


def _redirect_properties(owner: Any, copies: Mapping[Any, Any]) -> None:
    for key, value in list(owner.items()):
        if isinstance(value, bpy.types.ID) and value in copies:
            owner[key] = copies[value]


def _redirect_drivers(owner: Any, copies: Mapping[Any, Any]) -> None:
    animation = owner.animation_data
    for curve in animation.drivers if animation is not None else ():
        for variable in curve.driver.variables:
            for target in variable.targets:
                if target.id in copies:
                    target.id = copies[target.id]


def _link(armature: Any, copies: Mapping[Any, Any], ledger: Ledger) -> None:
    """Puts copies into copies of the robot's collections, and else where the originals are."""
    homes = {each: _copy_collection(each, ledger) for each in _list_collections(armature)}
    masters = [scene.collection for scene in bpy.data.scenes]
    found = group_homes([*bpy.data.collections, *masters])
    for source, copy in copies.items():
        for home in found.get(source, ()):
            target = homes.get(home, home)
            # Blender puts a rigid body into its world by itself.
            if target not in found.get(copy, ()):
                target.objects.link(copy)
    for home, copy in homes.items():
        for child in home.children:
            if child in homes:
                copy.children.link(homes[child])
    first = next(iter(homes), None)
    if first is not None:
        for above in [*masters, *bpy.data.collections]:
            if first in above.children[:]:
                above.children.link(homes[first])
    _copy_eyes(copies, homes)


def _copy_collection(source: Any, ledger: Ledger) -> Any:
    copy = ledger.new_collection(source.name)
    for flag in _FLAGS:
        setattr(copy, flag, getattr(source, flag))
    for key, value in source.items():
        copy[key] = value
    return copy


def _copy_eyes(copies: Mapping[Any, Any], homes: Mapping[Any, Any]) -> None:
    """Copies the settings of a view layer: which collections and objects are hidden in it."""
    layer = bpy.context.view_layer
    entries = {each.collection: each for each in walk_layers(layer.layer_collection)}
    for source, copy in homes.items():
        if source in entries and copy in entries:
            for flag in _LAYER_FLAGS:
                setattr(entries[copy], flag, getattr(entries[source], flag))
    shown = set(layer.objects)
    for source, copy in copies.items():
        if source in shown and source.hide_get():
            copy.hide_set(True)


# Removal


def _split_own(items: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    """Splits objects into the importer's and a user's. Objects under a mounted object belong to
    it."""
    own: list[Any] = []
    others: list[Any] = []
    for item in items:
        is_own = any(key in item for key in _OURS) or _is_mounted(item)
        (own if is_own else others).append(item)
    return own, others


def _is_mounted(item: Any) -> bool:
    while item is not None:
        if properties.MOUNTED in item:
            return True
        item = item.parent
    return False


def _detach(others: Iterable[Any], own: Iterable[Any]) -> None:
    """Frees objects from parents that go, and keeps them in a collection that stays."""
    going = set(own)
    free_objects(item for item in others if item.parent in going)


def _list_data(own: Iterable[Any]) -> list[list[Any]]:
    """Lists the data of the objects, by kinds that use each other: used data comes later."""
    objects = list(own)
    data = {item.data for item in objects if item.data is not None}
    materials = {slot.material for item in objects for slot in item.material_slots}
    materials |= {each for mesh in data for each in getattr(mesh, "materials", ())}
    materials.discard(None)
    images = {
        node.image
        for material in materials
        for node in (material.node_tree.nodes if material.node_tree else ())
        if getattr(node, "image", None) is not None
    }
    widgets = {bone.custom_shape for item in objects if item.pose for bone in item.pose.bones}
    widgets |= {each for each in bpy.data.objects if not each.users}  # Their armature is gone.
    widgets = {each for each in widgets if each is not None and properties.WIDGET in each}
    shapes = {widget.data for widget in widgets}
    actions = set()
    for holder in (*objects, *data):
        animation = holder.animation_data
        if animation is not None:
            actions |= {animation.action}
            actions |= {strip.action for track in animation.nla_tracks for strip in track.strips}
    actions.discard(None)
    return [list(each) for each in (data, widgets, shapes, materials, images, actions)]
