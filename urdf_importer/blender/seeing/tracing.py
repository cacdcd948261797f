# SPDX-License-Identifier: GPL-3.0-or-later
"""Depths, normals and masks of a picture, by one ray through the centre of each pixel."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...geometry.transforms import Matrix, invert
from ...sensing.dataset import Shot
from ...sensing.intrinsics import pixel_rays
from ...sensing.masks import box_of
from .casting import Hits, Rays, cast, start_hits, turn
from .trees import Obstacle

Mask = NDArray[np.bool_]


def trace(
    obstacles: Sequence[Obstacle], shot: Shot, alone: dict[int, Mask] | None = None
) -> tuple[Hits, Matrix, NDArray[np.float32]]:
    """Casts a ray through each pixel of a shot; returns the hits, depths (h, w), and normals
    (h, w, 3) in the optical frame. Into `alone` go the masks (h * w,) of links as if nothing else
    were there."""
    rays = pixel_rays(shot.K, shot.width, shot.height)
    lengths = np.sqrt(rays[:1, :, 0] ** 2 + rays[:, :1, 1] ** 2 + 1.0)
    rays /= lengths[..., None]
    along, lengths = turn(rays.reshape(-1, 3), shot.world), lengths.ravel()
    found = start_hits(len(along))
    found.normals, found.alone = np.zeros(along.shape, np.float32), alone
    near, far = shot.near * lengths, shot.far * lengths
    cast(obstacles, Rays(origin=shot.world[:3, 3], directions=along, near=near, far=far), found)
    depth: Matrix = np.where(np.isfinite(found.far), found.far / lengths, 0.0)
    turned = turn(found.normals, shot.world[:3, :3].T).astype(np.float32)
    return found, depth.reshape(rays.shape[:2]), turned.reshape(*rays.shape)


def count_whole(alone: Sequence[Obstacle], shot: Shot, mask: Mask) -> dict[str, Any]:
    """Returns the box and the number of pixels of a link as if nothing else were there, on a canvas
    of three times the picture's width and height, as BOP counts them. `mask` is its part in the
    picture; nothing is cast where that is all."""
    (height, width), inside = mask.shape, invert(shot.world)
    points = np.concatenate(
        [each.shape.points @ each.frame[:3, :3].T + each.frame[:3, 3] for each in alone]
    )
    seen = points @ inside[:3, :3].T + inside[:3, 3]
    low, high = np.array([-width, -height]), np.array([2 * width, 2 * height])
    if (seen[:, 2] > shot.near).all():
        uv = (seen / seen[:, 2:]) @ shot.K[:2].T
        low = np.clip(np.floor(uv.min(axis=0)), low, high).astype(int)
        high = np.clip(np.ceil(uv.max(axis=0)) + 1, low, high).astype(int)
    (left, top), (right, bottom) = low.tolist(), high.tolist()
    is_inside = left >= 0 and top >= 0 and right <= width and bottom <= height
    if is_inside or left == right or top == bottom:
        return {"bbox": box_of(mask), "px_count": int(mask.sum())}
    K = shot.K.copy()
    K[:2, 2] -= low
    hits, _, _ = trace(alone, replace(shot, K=K, width=right - left, height=bottom - top))
    whole = (hits.links > 0).reshape(bottom - top, right - left)
    rows = np.arange(max(top, 0), min(bottom, height))
    columns = np.arange(max(left, 0), min(right, width))
    whole[np.ix_(rows - top, columns - left)] = mask[np.ix_(rows, columns)]
    x, y, *size = box_of(whole)
    box = [x + left, y + top, *size] if x >= 0 else [-1, -1, -1, -1]
    return {"bbox": box, "px_count": int(whole.sum())}
