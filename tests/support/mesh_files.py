# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh files for tests, made of what they shall hold."""

import json
import struct
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np

from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.meshes import load_mesh

TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 3]], dtype="<f4")


class Gltf:
    """A glTF 2 file in the making: buffers are filled as accessors are added."""

    def __init__(self) -> None:
        self.binary = b""
        self.json: dict[str, Any] = {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": []}],
            "accessors": [],
            "bufferViews": [],
        }

    def view(self, data: bytes, **more: Any) -> int:
        self.binary += bytes(-len(self.binary) % 4)
        found = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data)} | more
        self.binary += data
        self.json["bufferViews"].append(found)
        return len(self.json["bufferViews"]) - 1

    def accessor(self, rows: Any, kind: str, component: int, width: str, **more: Any) -> int:
        data = np.ascontiguousarray(rows, dtype=kind)
        view = self.view(data.tobytes())
        found = {"bufferView": view, "componentType": component, "type": width, "count": len(data)}
        self.json["accessors"].append(found | more)
        return len(self.json["accessors"]) - 1

    def points(self, rows: Any) -> int:
        return self.accessor(rows, "<f4", 5126, "VEC3")

    def primitive(self, points: Any = TRIANGLE, **more: Any) -> dict[str, Any]:
        made = {"attributes": {"POSITION": self.points(points)}} | more
        self.json["meshes"][0]["primitives"].append(made)
        return made

    def glb(self) -> bytes:
        self.json["buffers"] = [{"byteLength": len(self.binary)}]
        text = json.dumps(self.json).encode()
        text += b" " * (-len(text) % 4)
        binary = self.binary + bytes(-len(self.binary) % 4)
        body = struct.pack("<I4s", len(text), b"JSON") + text
        body += struct.pack("<I4s", len(binary), b"BIN\0") + binary
        return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def png(width: int = 2, height: int = 2, alpha: int = 255) -> bytes:
    """A valid RGBA image, orange."""
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    rows = (b"\0" + bytes((255, 128, 0, alpha)) * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def load_all_of(path: Path) -> object:
    """Everything that a file gives: its arrays, its reports, or why there is none."""
    notes: list[tuple[str, str]] = []
    try:
        mesh = load_mesh(path, (1.0, 1.0, 1.0), lambda *note: notes.append(note))
    except MeshError as error:
        return error.code, error.message, notes
    parts = (mesh.vertices, mesh.corners, mesh.face_sizes, mesh.normals, mesh.uvs, mesh.slots)
    arrays = [None if each is None else (each.dtype, each.shape, each.tobytes()) for each in parts]
    return arrays, [astuple(each) for each in mesh.materials], mesh.name, mesh.smooth, notes
