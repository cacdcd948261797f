# SPDX-License-Identifier: GPL-3.0-or-later
"""Links from objects, and joints where geometry says: each step is a change of the description and
an update of the rig. Objects that are attached to a link's empty are its shapes.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypedDict, Unpack

import bpy
import mathutils
import numpy as np

from ....core.arguments import choice_of, rig_of
from ....core.blender.scene_objects import free_objects
from ....core.blender.standing import properties
from ....core.blender.standing.links import SHOWN_TYPES, find_link, links_of, name_link
from ....core.blender.standing.robot_table import find_robot
from ....core.diagnostics import BuildError, KinematicsError, quote
from ....core.geometry.transforms import Matrix, invert
from ....core.kinematics.forward import zero_frames
from ....core.kinematics.tree import retrace_tree
from ....core.model import IDENTITY, Dynamics, Limit, Link, Mimic, Robot
from ....core.names import find_free
from ....core.options import ImportOptions
from ....core.pipeline.extracting import find_reshaped
from ....core.pipeline.importing import ImportResult, import_robot
from ....core.pipeline.updating import UpdateResult, update_robot
from ....core.reshape import add_link, mirror_limb, prune, set_joint
from ....core.reshape.making.mirror import find_mirrored
from ....core.reshape.references import need_joints
from ....core.reshape.symmetry import name_other_side
from ..axes import FittedAxis
from .places import Place, ShownFrames, World, place_joint, turn_axis

_AXIAL = ("revolute", "continuous", "prismatic", "planar")
_WORD = re.compile(r"[^A-Za-z0-9_]+")


class NewMotion(TypedDict, total=False):
    """A new joint: its name `joint`, and how it moves: `axis` in the world, or x, y, z of the
    link's own frame."""

    joint: str
    type: str
    axis: World | str | None
    limit: Limit | None


class JointEdits(TypedDict, total=False):
    """Changes to a joint: `place` and `axis` are in the world."""

    type: str
    axis: World | str | None
    limit: Limit | None
    place: Place
    parent: str | None
    dynamics: Dynamics | None
    mimic: Mimic | None


def new_robot(
    objects: Any = (), *, name: str = "", link: str = "", options: ImportOptions | None = None
) -> ImportResult:
    """Makes a robot of one link, whose shapes are these objects, at the origin of the world. The
    objects keep their places, meshes, modifiers and children.

    The link is called `link`, by default like the first object; the robot `name`, by default
    "robot". Raises BuildError for objects without faces, of other robots, or of other files;
    nothing is changed then.
    """
    items = _list(objects)
    _check_objects(items, None)
    called = link or (_clean(items[0].name) if items else "base")
    _give_way(items, called)
    robot = Robot(name=name or "robot", links=(Link(name=called),))
    made = import_robot(robot, options=options)
    _attach(items, made.links[called])
    return made


def make_link(
    armature: Any,
    objects: Any = (),
    *,
    name: str = "",
    parent: str = "",
    place: Place = None,
    **motion: Unpack[NewMotion],
) -> UpdateResult:
    """Makes a link of objects on the link `parent`, which may be left out where there is one link.

    `place` is the joint's place in the world: None for the origin of the first object, three
    numbers, a frame (4, 4), or a FittedAxis, whose direction is the axis then. The frame is
    parallel to the parent's unless a (4, 4) says otherwise. `motion` is its name `joint`, its
    `type`, by default revolute, its `axis`, in the world or "x", "y", "z" of its own, and its
    `limit`. The joint is at zero in the shown pose. The link is called `name`, by default like the
    first object. Raises BuildError for objects without faces, of other robots, or of other files,
    KinematicsError for unknown and taken names, ArgumentError for impossible values; nothing is
    changed then.
    """
    armature = rig_of(armature)
    robot, items = find_reshaped(armature), _list(objects)
    _check_objects(items, armature)
    taken = {each.name for each in robot.links}
    called = name or find_free(_clean(items[0].name) if items else "link", taken.__contains__)
    if not parent and len(robot.links) == 1:
        parent = robot.links[0].name
    frames = ShownFrames(armature, robot)
    origin = None
    if parent in taken:
        first = np.array(items[0].matrix_world) if items else None
        origin = place_joint(frames.of(parent), place, first)
    given: dict[str, Any] = {"type": "revolute", **motion}
    source = place if isinstance(place, FittedAxis) else None
    if given.get("axis") is None and source is not None and given["type"] in _AXIAL:
        given["axis"] = source.direction
    if given.get("axis") is not None and origin is not None:
        given["axis"] = turn_axis(frames.of(parent), origin, given["axis"])
    made = add_link(robot, called, parent=parent, origin=origin or IDENTITY, **given)
    _give_way(items, called)
    result = update_robot(armature, robot=made)
    empty = find_link(armature, called)
    _attach(items, empty)
    _note_source(empty, source if motion.get("axis") is None else None)
    return result


def edit_joint(
    armature: Any,
    joint: str,
    *,
    drop: Sequence[str] = (),
    keep: Literal["shapes", "frame"] = "shapes",
    **changes: Unpack[JointEdits],
) -> UpdateResult:
    """Changes a joint, as set_joint of `reshape` does, with places and axes in the world.

    `place` is its new place beside its parent link as shown: three numbers, a frame (4, 4), or a
    FittedAxis, whose direction is the axis then. Objects on the link stay in their places at zero,
    or go along with keep="frame". Raises as make_link.
    """
    armature = rig_of(armature)
    robot = find_reshaped(armature)
    need_joints(robot, [joint])
    before = next(each for each in robot.joints if each.name == joint)
    given: dict[str, Any] = dict(changes)
    place = given.pop("place", None)
    source = place if isinstance(place, FittedAxis) else None
    typed = given.get("axis") is not None
    if place is not None or typed:
        parent = given.get("parent") or before.parent
        if parent not in {each.name for each in robot.links}:
            set_joint(robot, joint, parent=parent)  # It refuses the name.
        frame = ShownFrames(armature, robot).of(parent)
        # Under another parent the joint keeps its place at zero, in new numbers.
        seated = robot if parent == before.parent else set_joint(robot, joint, parent=parent)
        origin = next(each.origin for each in seated.joints if each.name == joint)
        if place is not None:
            given["origin"] = origin = place_joint(frame, place, None, like=before.origin)
        axis = given.get("axis") if typed else (source.direction if source else None)
        if axis is not None:
            given["axis"] = turn_axis(frame, origin, axis)
    made = set_joint(robot, joint, drop=drop, keep=keep, **given)
    shift = _find_shift(robot, made, before.child) if keep == "shapes" else None
    attached = [] if shift is None else _users_objects(find_link(armature, before.child))
    result = update_robot(armature, robot=made)
    for item in attached:
        inverse = shift @ np.array(item.matrix_parent_inverse)
        item.matrix_parent_inverse = mathutils.Matrix(inverse.tolist())
    if place is not None or typed:
        _note_source(find_link(armature, before.child), None if typed else source)
    return result


def remove_link(
    armature: Any, link: str, *, objects: Literal["free", "parent", "delete"] = "free"
) -> UpdateResult:
    """Removes a link and all below it. Objects that were put on these stay in the scene, in their
    places ("free"), move to the link above ("parent"), or go too ("delete"). Raises KinematicsError
    for an unknown link and for the root."""
    armature = rig_of(armature)
    choice_of(objects, "objects", ("free", "parent", "delete"))
    robot = find_reshaped(armature)
    made = prune(robot, remove=[link])
    left = {each.name for each in made.links}
    going = [each for each in links_of(armature) if name_link(each) not in left]
    attached = [item for empty in going for item in _users_objects(empty)]
    if objects != "parent":
        bpy.context.view_layer.update()
        free_objects(attached)
    if objects == "delete":
        below = [each for item in attached for each in item.children_recursive]
        bpy.data.batch_remove([*attached, *below])
    return update_robot(armature, robot=made)


def mirror_link(armature: Any, link: str) -> tuple[UpdateResult, int]:
    """Mirrors the limb from a link down, as mirror_limb of `reshape` does, with the objects that
    were put on it: their copies share the meshes. Returns the result and the number of copies."""
    robot = find_reshaped(armature)
    names = find_mirrored(robot, link)
    result = update_robot(armature, robot=mirror_limb(robot, link))
    mirror, copies = mathutils.Matrix.Diagonal((1.0, -1.0, 1.0, 1.0)), 0
    for old, new in names.items():
        empty = find_link(armature, new)
        for item in _users_objects(find_link(armature, old)):
            made = _copy_below(item, empty)
            made[0].matrix_parent_inverse = mirror @ item.matrix_parent_inverse
            copies += len(made)
    return result, copies


def _copy_below(item: Any, parent: Any) -> list[Any]:
    """Copies an object and all below it; the copies share the meshes."""
    copy = item.copy()
    copy.name = next(name_other_side(item.name), f"{item.name}_mirrored")
    for collection in item.users_collection:
        collection.objects.link(copy)
    copy.parent = parent
    return [copy, *(each for child in item.children for each in _copy_below(child, copy))]


def _list(objects: Any) -> list[Any]:
    return [objects] if isinstance(objects, bpy.types.Object) else list(objects)


def _clean(name: str) -> str:
    """Returns a name of letters, digits and _ that does not begin with a digit."""
    word = _WORD.sub("_", re.sub(r"\.\d{3,}$", "", name)).strip("_") or "link"
    return f"_{word}" if word[0].isdigit() else word


def _check_objects(items: Iterable[Any], armature: Any) -> None:
    for item in items:
        if not isinstance(item, bpy.types.Object):
            raise BuildError(f"{item!r:.60} is not an object of Blender")
        if item.library is not None or not item.is_editable:
            raise BuildError(
                f"{quote(item.name)} is linked from another file: make a library override of it"
            )
        robot = find_robot(item)
        is_own = robot is not None and robot == armature and not _is_importers(item)
        if robot is not None and not is_own:
            raise BuildError(f"{quote(item.name)} belongs to robot {quote(robot.name)} already")
        if not _has_faces(item):
            raise BuildError(f"{quote(item.name)} has no faces")


def _has_faces(item: Any) -> bool:
    if item.instance_type == "COLLECTION" and item.instance_collection is not None:
        return True
    if item.type != "MESH":
        return item.type in SHOWN_TYPES
    if item.mode == "EDIT":
        item.update_from_editmode()
    return len(item.data.polygons) > 0 or len(item.modifiers) > 0


def _is_importers(item: Any) -> bool:
    """Whether an object is a part of a rig, not the user's."""
    kinds = (properties.PART, properties.LINK, properties.LIMITS_OF, properties.MOUNTED)
    return item.type == "ARMATURE" or any(key in item for key in kinds)


def _users_objects(empty: Any) -> list[Any]:
    return [each for each in empty.children if not _is_importers(each)]


def _give_way(items: Iterable[Any], name: str) -> None:
    """Leaves a link its name: an object of this name is called as imports call visuals."""
    for item in items:
        if item.name == name:
            item.name = f"{name}_visual"


def _attach(items: Iterable[Any], empty: Any) -> None:
    """Parents objects to a link's empty, in their places in the world, and without touching the
    numbers that users key."""
    bpy.context.view_layer.update()
    below = np.linalg.inv(np.array(empty.matrix_world))
    for item in items:
        above = np.eye(4)
        if item.parent is not None:
            basis = np.array(item.matrix_basis)
            above = np.array(item.matrix_world) @ np.linalg.pinv(basis)
        item.parent, item.parent_type, item.parent_bone = empty, "OBJECT", ""
        item.matrix_parent_inverse = mathutils.Matrix((below @ above).tolist())
    bpy.context.view_layer.update()


def _note_source(empty: Any, source: FittedAxis | None) -> None:
    """Keeps the geometry that an axis came from; a typed axis has none."""
    empty.pop(properties.AXIS_FROM, None)
    if source is not None:
        empty[properties.AXIS_FROM] = str(source)


def _find_shift(before: Robot, after: Robot, link: str) -> Matrix | None:
    """Returns the old frame (4, 4) of a link in its new one, at zero; None where both are one."""
    frames = []
    for robot in (after, before):
        tree = retrace_tree(robot)
        if link not in tree.index:
            raise KinematicsError(f"the robot has no link {quote(link)}")
        frames.append(zero_frames(tree)[tree.index[link]])
    shift = invert(frames[0]) @ frames[1]
    return None if np.abs(shift - np.eye(4)).max() < 1e-12 else shift
