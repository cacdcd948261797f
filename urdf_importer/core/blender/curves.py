# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves of actions, written and read as arrays: one call of Blender for each key would take
minutes. Differences between versions of Blender are handled here.

To 4.3 an action has its curves itself; from 4.4 it has them in slots, one for each object, and from
5.0 only there.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..diagnostics import KinematicsError
from ..kinematics.keys import Keys, Numbers
from .standing.joints import RigJoint
from .standing.keys import find_curves

_LINEAR, _BEZIER, _FREE = 1, 2, 0
FIRST_FRAME, LAST_FRAME = -1_048_574, 1_048_574
"""The range of a scene; curves go on beyond."""
MOST_FRAMES = 1_000_000
"""Keys on whole frames; more would fill the memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCurve:
    """A number of an object and its keys; curves of joints with one position name the joint."""

    item: Any
    path: str
    index: int
    group: str
    keys: Keys
    joint: RigJoint | None = None


def plan_channels(bone: Any, joint: RigJoint, keys: Iterable[Keys]) -> Iterator[PlannedCurve]:
    """Yields the curves of a joint on its pose bone: `keys` hold the numbers of each channel."""
    for channel, own in zip(joint.channels, keys, strict=True):
        yield PlannedCurve(
            item=bone.id_data,
            path=f"{bone.path_from_id()}.{channel.prop}",
            index=channel.index,
            group=bone.name,
            keys=own,
            joint=joint if len(joint.channels) == 1 else None,
        )


def frame_rate(fps: float | None = None) -> float:
    """Returns the frames a second that are asked for, the scene's where None are. Raises
    KinematicsError for a rate that cannot be played."""
    render = bpy.context.scene.render
    rate = render.fps / render.fps_base if fps is None else fps
    if not (math.isfinite(rate) and rate > 0.0):
        raise KinematicsError(f"{rate} frames a second cannot be played")
    return float(rate)


def set_frame_rate(fps: float) -> None:
    """Sets the frames per second of the current scene, also broken numbers such as 29.97."""
    render = bpy.context.scene.render
    render.fps = max(round(fps), 1)
    render.fps_base = render.fps / fps


def widen_range(scene: Any, first: float, last: float) -> None:
    """Lets a scene's range hold these frames; it never shrinks."""
    start, end = int(np.floor(first)), int(np.ceil(last))
    scene.frame_start = max(min(scene.frame_start, start), 0)
    scene.frame_end = min(max(scene.frame_end, end), LAST_FRAME)


def new_action(item: Any, name: str) -> Any:
    """Makes an action and gives it to an object; others that it had stay in the file."""
    action = bpy.data.actions.new(name)
    action.use_fake_user = True
    data = item.animation_data_create()
    data.action = action
    return action


def write_curve(action: Any, planned: PlannedCurve, frames: Numbers) -> None:
    """Writes the curve of a number of an object: `frames` (m,) are the frames of its keys. Frames
    have single precision: of keys that fall on one, the last counts."""
    keys = planned.keys
    curve = _make_curve(action, planned.item, planned.path, planned.index, planned.group)
    rounded = frames.astype(np.float32)
    last = np.append(np.diff(rounded) > 0, True)
    _add_keys(curve, rounded[last], keys.values[last], is_cubic=keys.slopes is not None)
    if keys.slopes is not None:
        _write_handles(curve, keys, frames, last)
    curve.update()


def key_every_frame(owner: Any, prop: str, index: int, first: int, values: Numbers) -> None:
    """Keys a number of an object or a pose bone from frame `first` on, one of `values` (N,) in each
    frame, with straight lines between. Keys in these frames go, others stay."""
    group = "Object Transforms" if owner == owner.id_data else owner.name
    owner.keyframe_insert(prop, index=index, frame=first, group=group)
    curve = find_curve(owner, prop, index)
    assert curve is not None
    points = curve.keyframe_points
    last = first + len(values) - 1
    for place in range(len(points) - 1, -1, -1):
        if first - 0.5 < points[place].co.x < last + 0.5:
            points.remove(points[place], fast=True)
    _add_keys(curve, first + np.arange(len(values)), values, is_cubic=False)
    curve.update()


def read_number(owner: Any, prop: str, index: int, frame: int) -> float:
    """Returns a number of an object or a pose bone in a frame: from its keys, or its present value
    where it has none."""
    curve = find_curve(owner, prop, index)
    if curve is None or curve.is_empty:
        return float(getattr(owner, prop)[index])
    return float(curve.evaluate(frame))


def find_curve(owner: Any, prop: str, index: int) -> Any | None:
    """Finds the curve of a number of an object or a pose bone."""
    curves = find_curves(owner.id_data)
    path = prop if owner == owner.id_data else f"{owner.path_from_id()}.{prop}"
    return curves.find(path, index=index) if curves else None


def _add_keys(curve: Any, frames: NDArray[Any], values: Numbers, *, is_cubic: bool) -> None:
    """Adds keys (m,) behind a curve's own, joined by lines, or by cubics whose handles are written.
    Handles of lines keep themselves, so that they are good when lines become curves.
    """
    points = curve.keyframe_points
    kept = len(points)
    points.add(len(values))
    kind = _FREE if is_cubic else _value_of(points, "handle_left_type", "AUTO_CLAMPED")
    _append(points, "co", np.float32, 2 * kept, np.stack([frames, values], axis=1))
    _append(points, "interpolation", np.int32, kept, _BEZIER if is_cubic else _LINEAR)
    for name in ("handle_left_type", "handle_right_type"):
        _append(points, name, np.int32, kept, kind)


def _append(points: Any, name: str, kind: Any, kept: int, values: Any) -> None:
    """Sets a field of all keys behind the first `kept` numbers of it."""
    size = 2 if name == "co" else 1
    array = np.zeros(size * len(points), dtype=kind)
    if kept:
        points.foreach_get(name, array)
    array[kept:] = np.ravel(values)
    points.foreach_set(name, array)


def _value_of(points: Any, name: str, choice: str) -> int:
    return int(points[0].bl_rna.properties[name].enum_items[choice].value)


def _write_handles(curve: Any, keys: Keys, frames: Numbers, last: NDArray[np.bool_]) -> None:
    """Puts handles a third of a segment away, on the slope: that makes the segment the cubic."""
    assert keys.slopes is not None
    times, frames = keys.times[last], frames[last]
    values, slopes = keys.values[last], keys.slopes[last]
    thirds = np.diff(times) / 3, np.diff(frames) / 3
    for side, sign in (("left", -1.0), ("right", 1.0)):
        pad = (1, 0) if side == "left" else (0, 1)
        seconds, steps = (
            np.pad(third, pad, mode="edge") if len(third) else np.zeros(1) for third in thirds
        )
        handles = np.stack([frames + sign * steps, values + sign * slopes * seconds], axis=1)
        flat = np.ascontiguousarray(handles, dtype=np.float32).ravel()
        curve.keyframe_points.foreach_set(f"handle_{side}", flat)


def _make_curve(action: Any, item: Any, path: str, index: int, group: str) -> Any:
    if bpy.app.version >= (5, 0, 0):
        return action.fcurve_ensure_for_datablock(item, path, index=index, group_name=group)
    if bpy.app.version < (4, 4, 0):
        return action.fcurves.new(path, index=index, action_group=group)
    curve = action.fcurve_ensure_for_datablock(item, path, index=index)
    groups = action.groups
    curve.group = groups.get(group) or groups.new(group)
    return curve
