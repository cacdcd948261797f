# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves of actions, written as arrays. What differs between versions of Blender stands here.

To 4.3 an action has its curves itself; from 4.4 it has them in slots, one for each object, and from
5.0 only there.
"""

from typing import Any

import bpy
import numpy as np

from ...motion.keys import Keys

_LINEAR, _BEZIER, _FREE = 1, 2, 0
FIRST_FRAME, LAST_FRAME = -1_048_574, 1_048_574
"""The range of a scene; curves go on beyond."""


def new_action(item: Any, name: str) -> Any:
    """Makes an action and gives it to an object; others that it had stay in the file."""
    action = bpy.data.actions.new(name)
    action.use_fake_user = True
    data = item.animation_data_create()
    data.action = action
    return action


def write_curve(
    action: Any, item: Any, path: str, index: int, group: str, keys: Keys, frames: np.ndarray
) -> None:
    """Writes the curve of a number of an object: `frames` (m,) are where its keys stand. Frames are
    of single precision: of keys that fall on one, the last counts."""
    curve = _make_curve(action, item, path, index, group)
    rounded = frames.astype(np.float32)
    last = np.append(np.diff(rounded) > 0, True)
    points = np.stack([rounded[last], keys.values[last].astype(np.float32)], axis=1)
    curve.keyframe_points.add(len(points))
    curve.keyframe_points.foreach_set("co", np.ascontiguousarray(points).ravel())
    kind = _LINEAR if keys.slopes is None else _BEZIER
    interpolation = np.full(len(points), kind, dtype=np.int32)
    curve.keyframe_points.foreach_set("interpolation", interpolation)
    if keys.slopes is not None:
        _write_handles(curve, keys, frames, last)
    curve.update()


def _write_handles(curve: Any, keys: Keys, frames: np.ndarray, last: np.ndarray) -> None:
    """Puts handles a third of a segment away, on the slope: that makes the segment the cubic."""
    assert keys.slopes is not None
    times, frames = keys.times[last], frames[last]
    values, slopes = keys.values[last], keys.slopes[last]
    free = np.full(len(times), _FREE, dtype=np.int32)
    thirds = np.diff(times) / 3, np.diff(frames) / 3
    for side, sign in (("left", -1.0), ("right", 1.0)):
        pad = (1, 0) if side == "left" else (0, 1)
        seconds, steps = (np.pad(third, pad, mode="edge") for third in thirds)
        handles = np.stack([frames + sign * steps, values + sign * slopes * seconds], axis=1)
        curve.keyframe_points.foreach_set(f"handle_{side}_type", free)
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


def widen_range(scene: Any, first: float, last: float) -> None:
    """Lets a scene's range hold these frames; it never shrinks."""
    start, end = int(np.floor(first)), int(np.ceil(last))
    scene.frame_start = max(min(scene.frame_start, start), 0)
    scene.frame_end = min(max(scene.frame_end, end), LAST_FRAME)


def set_frame_rate(rate: float) -> None:
    """Does as pipeline.animation.set_frame_rate."""
    render = bpy.context.scene.render
    render.fps = max(round(rate), 1)
    render.fps_base = render.fps / rate
