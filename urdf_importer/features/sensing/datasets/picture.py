# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of one labelled picture: its channels, its label, and its parts of BOP and DREAM."""

import json
import math
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....core.geometry.hulls import convex_hull
from ....core.geometry.transforms import invert, quaternion_from_rotation
from ....core.images.exr import encode_exr
from ....core.images.png import encode_png

DEPTH_STEP = 0.1
"""Millimetres of a step of depth in PNG, where the farthest thing fits."""
_MOST_STEPS, _PER_FOLDER = 65_535, 1000
_MOST_CORNERS = 2000
Arrays = Mapping[str, NDArray[Any]]


def write_picture(
    folder: Path, number: int, channels: Arrays, label: dict[str, Any], depth: str
) -> dict[str, Any]:
    """Writes rgb, depth, normals, links and robots below a folder; returns the label with their
    paths. `channels` are the arrays of these names, `depth` is exr or png."""
    name, kinds = f"{number:06}", {"depth": depth, "normals": "exr"}
    kept = {each: f"{each}/{name}.{kinds.get(each, 'png')}" for each in channels}
    for each in kept:
        (folder / each).mkdir()
    height, width = channels["depth"].shape
    scale = _find_scale(channels["depth"])
    written = {
        "rgb": encode_png(channels["rgb"]),
        "depth": encode_exr({"Z": channels["depth"]})
        if depth == "exr"
        else _encode_steps(channels["depth"], scale),
        "normals": encode_exr({axis: channels["normals"][..., n] for n, axis in enumerate("XYZ")}),
        "links": encode_png(channels["links"][..., None]),
        "robots": encode_png(channels["robots"][..., None]),
    }
    for each, content in written.items():
        (folder / kept[each]).write_bytes(content)
    image = {**kept, "width": width, "height": height, "depth_scale": scale}
    return {"image": image, **label}


def write_bop(
    folder: Path,
    number: int,
    label: dict[str, Any],
    depth: NDArray[Any],
    masks: Mapping[tuple[int, int], Any],
) -> None:
    """Writes a picture's files of BOP below a folder: colours, depth, and of each (robot, link) the
    mask as if nothing else were there, and the visible part."""
    place = folder / "bop/train_pbr" / f"{number // _PER_FOLDER:06}"
    name = f"{number % _PER_FOLDER:06}"
    for each in ("rgb", "depth", "mask", "mask_visib"):
        (place / each).mkdir(parents=True)
    _link(folder / label["image"]["rgb"], place / "rgb" / f"{name}.png")
    steps = _encode_steps(depth, label["image"]["depth_scale"])
    (place / "depth" / f"{name}.png").write_bytes(steps)
    for row, part in enumerate(label["masks"]):
        file = f"{name}_{row:06}.png"
        for kind in ("mask", "mask_visib"):
            mask = masks[part["robot"], part["link"]][kind]
            (place / kind / file).write_bytes(encode_png((mask * np.uint8(255))[..., None]))


def write_dream(folder: Path, number: int, label: dict[str, Any]) -> None:
    """Writes a picture's files of DREAM below a folder: metres and optical frames."""
    place = folder / "dream"
    place.mkdir()
    _link(folder / label["image"]["rgb"], place / f"{number:06}.rgb.png")
    inside = invert(np.array(label["camera"]["pose"]))
    objects = []
    for robot in label["robots"]:
        pose = inside @ np.array(robot["pose"])
        objects.append(
            {
                "class": robot["name"],
                "location": pose[:3, 3].tolist(),
                "quaternion_xyzw": list(quaternion_from_rotation(pose[:3, :3])),
                "keypoints": [
                    {"name": k["name"], "location": k["xyz"], "projected_location": k["uv"]}
                    for k in robot["keypoints"]
                ],
            }
        )
    joints = label["robots"][0]["joints"].items()
    content = {
        "camera_data": {"location_worldframe": [row[3] for row in label["camera"]["pose"][:3]]},
        "objects": objects,
        "sim_state": {"joints": [{"name": name, "position": at} for name, at in joints]},
    }
    (place / f"{number:06}.json").write_text(dump(content), encoding="utf-8")


def write_models(folder: Path, models: Mapping[int, Any]) -> dict[str, Any]:
    """Writes points and triangles of links, in metres, as PLY of BOP, in millimetres; returns the
    content of models_info.json.
    """
    folder.mkdir(parents=True)
    info = {}
    for number, (points, triangles) in models.items():
        low, size = 1e3 * points.min(axis=0), 1e3 * np.ptp(points, axis=0)
        head = (
            f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n"
            "property float x\nproperty float y\nproperty float z\n"
            f"element face {len(triangles)}\nproperty list uchar int vertex_indices\nend_header\n"
        )
        faces = np.empty(len(triangles), [("count", "u1"), ("corners", "<i4", 3)])
        faces["count"], faces["corners"] = 3, triangles
        content = head.encode() + (1e3 * points).astype("<f4").tobytes() + faces.tobytes()
        (folder / f"obj_{number:06}.ply").write_bytes(content)
        info[str(number)] = {
            "diameter": 1e3 * _measure(points),
            **{f"min_{axis}": float(low[n]) for n, axis in enumerate("xyz")},
            **{f"size_{axis}": float(size[n]) for n, axis in enumerate("xyz")},
        }
    return info


def _measure(points: NDArray[Any]) -> float:
    """Returns the greatest distance of two points (n, 3); of very many, of a part of their hull."""
    hull = convex_hull(points)
    corners = points if hull is None else hull.vertices
    corners = corners[:: 1 + len(corners) // _MOST_CORNERS]
    return max(float(np.linalg.norm(corners - each, axis=1).max()) for each in corners)


def draw_strip(channels: Arrays, label: dict[str, Any]) -> bytes:
    """Draws the channels of a picture side by side, as PNG: colours with keypoints (green visible,
    red hidden), links in colours, depth from near to far, normals."""
    rgb, depth = channels["rgb"].copy(), channels["depth"]
    for robot in label["robots"]:
        for point in robot["keypoints"]:
            if point["visible"]:
                u, v = (round(each) for each in point["uv"])
                color = (0, 255, 0) if point["visible"] == 2 else (255, 0, 0)
                rgb[max(v - 2, 0) : v + 3, max(u - 2, 0) : u + 3] = color
    hues = channels["links"].astype(np.int64)[..., None] * (47, 101, 173)
    colors = np.where(hues > 0, 60 + hues % 190, 0).astype(np.uint8)
    seen = depth > 0
    low, high = (depth[seen].min(), np.quantile(depth[seen], 0.9)) if seen.any() else (0.0, 1.0)
    grey = 255.0 - 215.0 * np.clip((depth - low) / max(float(high - low), 1e-9), 0.0, 1.0)
    far = np.repeat(np.where(seen, grey, 0.0).astype(np.uint8)[..., None], 3, axis=2)
    normals = np.where(seen[..., None], 127.5 + 127.5 * channels["normals"], 0.0).astype(np.uint8)
    return encode_png(np.concatenate([rgb, colors, far, normals], axis=1))


def dump(content: Any) -> str:
    """Returns JSON, the same for the same content."""
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def _find_scale(depth: NDArray[Any]) -> float:
    least = float(depth.max()) * 1000.0 / _MOST_STEPS
    return max(DEPTH_STEP, math.ceil(least * 10.0) / 10.0)


def _encode_steps(depth: NDArray[Any], scale: float) -> bytes:
    return encode_png(np.rint(depth * (1000.0 / scale)).astype(np.uint16)[..., None])


def _link(old: Path, new: Path) -> None:
    with suppress(OSError):
        os.link(old, new)
        return
    shutil.copyfile(old, new)
