# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads glTF 2.0 by its specification, with numpy alone: nodes, a skin, clips, vertices.

It shares nothing with the importer's own loader or with Blender's exporter, whose files it judges.
"""

import base64
import json
import struct
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_TYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_SIZES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Gltf:
    """A file and what its numbers mean."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        if data[:4] == b"glTF":
            _, version, length = struct.unpack_from("<4sII", data)
            assert version == 2 and length == len(data)
            chunks = {}
            at = 12
            while at < length:
                size, kind = struct.unpack_from("<I4s", data, at)
                chunks[kind] = data[at + 8 : at + 8 + size]
                at += 8 + size
            self.json: dict[str, Any] = json.loads(chunks[b"JSON"])
            self._buffers = [chunks.get(b"BIN\0", b"")]
        else:
            self.json = json.loads(data)
            self._buffers = [_load(path, each["uri"]) for each in self.json.get("buffers", ())]
        self.nodes: list[dict[str, Any]] = self.json["nodes"]

    def read(self, index: int) -> Array:
        """The numbers of an accessor, (N,) or (N, size)."""
        accessor = self.json["accessors"][index]
        view = self.json["bufferViews"][accessor["bufferView"]]
        kind, size = np.dtype(_TYPES[accessor["componentType"]]), _SIZES[accessor["type"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride", kind.itemsize * size)
        assert stride == kind.itemsize * size and "sparse" not in accessor
        data = self._buffers[view["buffer"]]
        numbers = np.frombuffer(data, kind, accessor["count"] * size, start)
        if accessor.get("normalized"):
            assert accessor["componentType"] == 5121
            numbers = numbers / 255.0
        return numbers.reshape(-1, size).astype(float) if size > 1 else numbers.astype(float)

    @cached_property
    def parents(self) -> dict[int, int]:
        """Node -> the node above it."""
        return {
            child: index
            for index, node in enumerate(self.nodes)
            for child in node.get("children", ())
        }

    @cached_property
    def joints(self) -> dict[str, int]:
        """Name of a bone -> its node."""
        (skin,) = self.json["skins"]
        return {self.nodes[each]["name"]: each for each in skin["joints"]}

    @cached_property
    def inverse_binds(self) -> dict[str, Array]:
        """Name of a bone -> its inverse bind matrix (4, 4)."""
        (skin,) = self.json["skins"]
        numbers = self.read(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        return dict(zip(self.joints, numbers, strict=True))

    @property
    def clips(self) -> dict[str, dict[str, Any]]:
        return {each["name"]: each for each in self.json.get("animations", ())}

    def times(self, clip: str) -> Array:
        """All times of a clip, in seconds."""
        found = [self.read(each["input"]) for each in self.clips[clip]["samplers"]]
        return np.unique(np.concatenate(found))

    def frames(self, clip: str = "", time: float = 0.0) -> dict[str, Array]:
        """Name of a bone -> its frame (4, 4) in the world, at a time of a clip or as it stands."""
        local = [_compose(node) for node in self._at(clip, time)]
        world: dict[int, Array] = {}

        def place(index: int) -> Array:
            if index not in world:
                above = self.parents.get(index)
                world[index] = local[index] if above is None else place(above) @ local[index]
            return world[index]

        return {name: place(index) for name, index in self.joints.items()}

    def deformations(self, clip: str = "", time: float = 0.0) -> dict[str, Array]:
        """Name of a bone -> how it moves the vertices that are bound to it (4, 4)."""
        frames = self.frames(clip, time)
        return {name: frames[name] @ bind for name, bind in self.inverse_binds.items()}

    def _at(self, clip: str, time: float) -> list[dict[str, Any]]:
        nodes = [dict(node) for node in self.nodes]
        for channel in self.clips[clip]["channels"] if clip else ():
            sampler = self.clips[clip]["samplers"][channel["sampler"]]
            target = channel["target"]
            nodes[target["node"]][target["path"]] = self._sample(
                sampler, time, turns=target["path"] == "rotation"
            )
        return nodes

    def _sample(self, sampler: dict[str, Any], time: float, *, turns: bool) -> Array:
        times, values = self.read(sampler["input"]), self.read(sampler["output"])
        mode = sampler.get("interpolation", "LINEAR")
        assert mode in ("LINEAR", "STEP")
        after = int(np.searchsorted(times, time))
        if after == 0 or after == len(times):
            held: Array = values[min(after, len(times) - 1)]
            return held
        share = (time - times[after - 1]) / (times[after] - times[after - 1])
        a, b = values[after - 1], values[after]
        if mode == "STEP":
            step: Array = b if share >= 1.0 else a
            return step
        mixed: Array = _slerp(a, b, share) if turns else a + share * (b - a)
        return mixed

    @cached_property
    def primitives(self) -> list[dict[str, Any]]:
        """The parts of the one skinned mesh."""
        (node,) = (each for each in self.nodes if "mesh" in each)
        assert node["skin"] == 0
        found: list[dict[str, Any]] = self.json["meshes"][node["mesh"]]["primitives"]
        return found

    def parts(self) -> list[tuple[Array, NDArray[np.int64], NDArray[np.str_]]]:
        """Of each primitive: vertices (V, 3), triangles (T, 3), the bone of each vertex (V,)."""
        names = np.array(list(self.joints))
        found = []
        for part in self.primitives:
            assert part.get("mode", 4) == 4
            attributes = part["attributes"]
            weights = self.read(attributes["WEIGHTS_0"])
            assert np.array_equal(weights.max(axis=1), np.ones(len(weights)))
            bound = self.read(attributes["JOINTS_0"]).astype(int)
            chosen = bound[np.arange(len(bound)), weights.argmax(axis=1)]
            triangles = self.read(part["indices"]).astype(np.int64).reshape(-1, 3)
            found.append((self.read(attributes["POSITION"]), triangles, names[chosen]))
        return found

    def color(self, part: dict[str, Any]) -> tuple[float, ...]:
        """The base colour of a primitive, linear, with its share of opacity."""
        material = self.json["materials"][part["material"]]
        factor = material.get("pbrMetallicRoughness", {}).get("baseColorFactor", (1, 1, 1, 1))
        return tuple(float(each) for each in factor)


def _load(path: Path, uri: str) -> bytes:
    if uri.startswith("data:"):
        return base64.b64decode(uri.partition(",")[2])
    return (path.parent / uri).read_bytes()


def _compose(node: dict[str, Any]) -> Array:
    if "matrix" in node:
        return np.array(node["matrix"], float).reshape(4, 4).T
    x, y, z, w = np.array(node.get("rotation", (0, 0, 0, 1)), float)
    result = np.eye(4)
    result[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    result[:3, :3] *= np.array(node.get("scale", (1, 1, 1)), float)
    result[:3, 3] = node.get("translation", (0, 0, 0))
    return result


def _slerp(a: Array, b: Array, share: float) -> Array:
    cosine = float(a @ b)
    if cosine < 0.0:
        b, cosine = -b, -cosine
    angle = np.arccos(min(cosine, 1.0))
    if angle < 1e-6:
        mixed = a + share * (b - a)
    else:
        mixed = (np.sin((1 - share) * angle) * a + np.sin(share * angle) * b) / np.sin(angle)
    return np.asarray(mixed / np.linalg.norm(mixed))
