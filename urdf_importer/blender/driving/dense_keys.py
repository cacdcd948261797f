# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys on every frame of a number, written at once: one call of Blender for each would take a
minute for an hour's ride."""

import math
from typing import Any

import bpy
import numpy as np

from ...diagnostics import KinematicsError
from ...geometry.transforms import Vector
from ..standing.keys import find_curves

MOST_FRAMES = 1_000_000
"""More would fill the memory with keys."""
_LINEAR = 1


def frame_rate(fps: float | None) -> float:
    """Returns the frames a second that are asked for, the scene's where None are. Raises
    KinematicsError for a rate that cannot be played."""
    render = bpy.context.scene.render
    rate = render.fps / render.fps_base if fps is None else fps
    if not (math.isfinite(rate) and rate > 0.0):
        raise KinematicsError(f"{rate} frames a second cannot be played")
    return float(rate)


def read_number(owner: Any, prop: str, index: int, frame: int) -> float:
    """Returns what a number of an object or a pose bone is in a frame: as its keys say, or as it
    stands where it has none."""
    curve = find_curve(owner, prop, index)
    if curve is None or curve.is_empty:
        return float(getattr(owner, prop)[index])
    return float(curve.evaluate(frame))


def find_curve(owner: Any, prop: str, index: int) -> Any | None:
    """Finds the curve of a number of an object or a pose bone."""
    curves = find_curves(owner.id_data)
    return curves.find(_name_path(owner, prop), index=index) if curves else None


def _name_path(owner: Any, prop: str) -> str:
    return prop if owner == owner.id_data else f"{owner.path_from_id()}.{prop}"


def key_every_frame(owner: Any, prop: str, index: int, first: int, values: Vector) -> None:
    """Keys a number of an object or a pose bone from frame `first` on, one of `values` (N,) in each
    frame, with straight lines between. Keys that stood in these frames go, others stay."""
    group = "Object Transforms" if owner == owner.id_data else owner.name
    owner.keyframe_insert(prop, index=index, frame=first, group=group)
    curve = find_curve(owner, prop, index)
    assert curve is not None
    points = curve.keyframe_points
    last = first + len(values) - 1
    for place in range(len(points) - 1, -1, -1):
        if first - 0.5 < points[place].co.x < last + 0.5:
            points.remove(points[place], fast=True)
    kept = len(points)
    points.add(len(values))
    places = np.zeros(2 * len(points), dtype=np.float32)
    points.foreach_get("co", places)
    kinds = np.zeros(len(points), dtype=np.int32)
    points.foreach_get("interpolation", kinds)
    places[2 * kept :: 2] = first + np.arange(len(values))
    places[2 * kept + 1 :: 2] = values
    kinds[kept:] = _LINEAR
    points.foreach_set("co", places)
    points.foreach_set("interpolation", kinds)
    for name in ("handle_left", "handle_right"):
        types = np.zeros(len(points), dtype=np.int32)
        points.foreach_get(f"{name}_type", types)
        types[kept:] = points[0].bl_rna.properties[f"{name}_type"].enum_items["AUTO_CLAMPED"].value
        points.foreach_set(f"{name}_type", types)
    curve.update()
