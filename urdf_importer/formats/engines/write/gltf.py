# SPDX-License-Identifier: GPL-3.0-or-later
"""glTF files made smaller, once Blender has written them."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

_FLOAT, _BYTE = 5126, 5121
_VERTICES = 34962
"""The target of a view of vertices."""
_GLB = struct.Struct("<4s2I")
_CHUNK = struct.Struct("<I4s")


def share_weights(path: Path) -> None:
    """Makes the skin's weights in a .glb or .gltf one run of bytes, which all parts of the mesh
    share. Blender writes four floats for each vertex, a quarter of the file, which are the same for
    every one here: all of it goes with one bone. A file with other weights stays unchanged."""
    data = path.read_bytes()
    is_binary = data.startswith(b"glTF")
    if is_binary:
        size, _ = _CHUNK.unpack_from(data, _GLB.size)
        start = _GLB.size + _CHUNK.size
        end = start + size
        document, binary = json.loads(data[start:end]), data[end + _CHUNK.size :]
    else:
        document = json.loads(data)
        file = path.with_name(document["buffers"][0]["uri"])
        binary = file.read_bytes()
    shared = _share(document, binary)
    if shared is None:
        return
    if is_binary:
        _write_binary(path, document, shared)
    else:
        path.write_text(json.dumps(document, separators=(",", ":")), "utf-8")
        file.write_bytes(shared)


def _share(document: dict[str, Any], binary: bytes) -> bytes | None:
    """Changes the document and returns its buffer; None where nothing changes."""
    accessors, views = document["accessors"], document["bufferViews"]
    parts = [
        part["attributes"] for mesh in document.get("meshes", ()) for part in mesh["primitives"]
    ]
    weights = [accessors[part["WEIGHTS_0"]] for part in parts if "WEIGHTS_0" in part]
    if not weights or not all(_is_whole(each, views, binary) for each in weights):
        return None
    dropped = {each["bufferView"] for each in weights}
    kept: list[dict[str, Any]] = []
    moved, pieces, at = {}, [], 0
    for index, view in enumerate(views):
        if index not in dropped:
            start = view.get("byteOffset", 0)
            piece = binary[start : start + view["byteLength"]]
            pieces.append(piece + bytes(-len(piece) % 4))
            moved[index] = len(kept)
            kept.append(view | {"byteOffset": at})
            at += len(pieces[-1])
    run = b"\xff\0\0\0" * max(each["count"] for each in weights)
    view = {"buffer": 0, "byteOffset": at, "byteLength": len(run), "byteStride": 4}
    document["bufferViews"] = [*kept, view | {"target": _VERTICES}]
    for holder in (*accessors, *document.get("images", ())):
        if "bufferView" in holder:
            holder["bufferView"] = moved.get(holder["bufferView"], len(kept))
    for each in weights:
        each |= {"componentType": _BYTE, "normalized": True}
    document["buffers"][0]["byteLength"] = at + len(run)
    return b"".join([*pieces, run])


def _is_whole(accessor: dict[str, Any], views: list[dict[str, Any]], binary: bytes) -> bool:
    """Whether an accessor says of every vertex that all of it goes with its first bone."""
    if accessor["componentType"] != _FLOAT or "sparse" in accessor or "byteOffset" in accessor:
        return False
    start = views[accessor["bufferView"]].get("byteOffset", 0)
    found = np.frombuffer(binary, "<f4", 4 * accessor["count"], start).reshape(-1, 4)
    return bool((found == (1.0, 0.0, 0.0, 0.0)).all())


def _write_binary(path: Path, document: dict[str, Any], binary: bytes) -> None:
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    size = _GLB.size + 2 * _CHUNK.size + len(text) + len(binary)
    with path.open("wb") as file:
        file.write(_GLB.pack(b"glTF", 2, size))
        file.write(_CHUNK.pack(len(text), b"JSON") + text)
        file.write(_CHUNK.pack(len(binary), b"BIN\0") + binary)
