# SPDX-License-Identifier: GPL-3.0-or-later
"""Things that robots pick up and put down: Child Of constraints whose influence is keyed."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import mathutils

from ....core.arguments import rig_of
from ....core.blender.standing.armatures import check_robot
from ....core.blender.standing.keys import find_curves
from ....core.blender.standing.links import find_link
from ....core.blender.standing.robot_table import find_robot
from ....core.diagnostics import KinematicsError, quote

_NAME = "Grasp"
_CHANNELS = ("location", "scale")
_TURNS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}


def grasp(armature: Any, link: str, item: Any, *, at_frame: int | None = None) -> Any:
    """Lets an object follow a link from `at_frame` on, the current one unless given: by a Child Of
    constraint, keyed, which it returns. The object stays where it is in that frame.

    Raises KinematicsError for an unknown link, for an object that is part of the robot, and for an
    object that is held already; BuildError for an object that is not an imported robot.
    """
    armature = rig_of(armature)
    check_robot(armature)
    empty = find_link(armature, link)
    if find_robot(item) == armature:
        raise KinematicsError(f"object {quote(item.name)} is part of the robot that would hold it")
    if not item.is_editable:
        raise KinematicsError(f"object {quote(item.name)} is linked from another file")
    with _at(at_frame) as now:
        held = _find_held(item)
        if held is not None:
            raise KinematicsError(
                f"object {quote(item.name)} is held by {quote(held.name)} in frame {now} already"
            )
        _key_place(item, now)
        made = item.constraints.new("CHILD_OF")
        made.name = f"{_NAME} {link}"
        made.target = empty
        made.inverse_matrix = _shown(empty).inverted_safe()
        _key_influence(item, made, now, 1.0)
    return made


def release(item: Any, *, at_frame: int | None = None) -> None:
    """Lets go of an object from `at_frame` on, the current one unless given; in that frame it stays
    where it is. Raises KinematicsError where nothing holds it then."""
    with _at(at_frame) as now:
        held = _find_held(item)
        if held is None:
            raise KinematicsError(f"nothing holds object {quote(item.name)} in frame {now}")
        there = _shown(item)
        _key_place(item, now - 1)
        _key_influence(item, held, now, 0.0)
        bpy.context.view_layer.update()
        item.matrix_world = there
        _key_place(item, now)


def let_go(links: Collection[Any]) -> None:
    """Lets go of whatever these links hold, before they are removed: it stays where it is, from the
    current frame on."""
    for item in bpy.context.scene.objects:
        grasps = [each for each in item.constraints if _is_grasp(each) and each.target in links]
        if not grasps or item in links or not item.is_editable:
            continue
        if _find_held(item) in grasps:
            release(item)
        for each in grasps:
            path = _influence_of(each)
            curves: Any = find_curves(item) or ()
            for curve in [curve for curve in curves if curve.data_path == path]:
                curves.remove(curve)
            item.constraints.remove(each)


def _is_grasp(constraint: Any) -> bool:
    return bool(constraint.type == "CHILD_OF" and constraint.name.startswith(_NAME))


def _find_held(item: Any) -> Any | None:
    """The constraint of ours that holds an object now, if there is one."""
    for each in item.constraints:
        if _is_grasp(each) and each.influence > 0.0:
            return each
    return None


def _key_influence(item: Any, held: Any, frame: int, influence: float) -> None:
    """Keys it in this frame, and the other end of the switch in the frame before."""
    for at, value in ((frame - 1, 1.0 - influence), (frame, influence)):
        held.influence = value
        held.keyframe_insert("influence", frame=at, group=_NAME)
    _step(item, _influence_of(held), frame)


def _influence_of(grasp: Any) -> str:
    """Returns the path of the curve that switches a grasp."""
    return f'constraints["{bpy.utils.escape_identifier(grasp.name)}"].influence'


def _key_place(item: Any, frame: int) -> None:
    """Keys an object's own place, so that it does not drift there."""
    turn = _TURNS.get(item.rotation_mode, "rotation_euler")
    for prop in (*_CHANNELS, turn):
        item.keyframe_insert(prop, frame=frame, group="Object Transforms")
        _step(item, prop, frame)


def _step(item: Any, path: str, frame: int) -> None:
    """Holds the keys of this frame and of the one before until the next."""
    for curve in find_curves(item) or ():
        if curve.data_path == path:
            for point in curve.keyframe_points:
                if frame - 1.5 < point.co.x < frame + 0.5:
                    point.interpolation = "CONSTANT"


def _shown(item: Any) -> mathutils.Matrix:
    depsgraph = bpy.context.evaluated_depsgraph_get()
    place: mathutils.Matrix = item.evaluated_get(depsgraph).matrix_world.copy()
    return place


@contextmanager
def _at(frame: int | None) -> Iterator[int]:
    """Shows a frame, and then the previous one again."""
    scene = bpy.context.scene
    before = scene.frame_current
    now = before if frame is None else frame
    if now != before:
        scene.frame_set(now)
    try:
        yield now
    finally:
        if now != before:
            scene.frame_set(before)
        bpy.context.view_layer.update()
