# SPDX-License-Identifier: GPL-3.0-or-later
"""A glTF document: its JSON, looked at with suspicion, and its buffers as arrays."""

import base64
import binascii
import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import unquote_to_bytes

import numpy as np
from numpy.typing import NDArray

from ...diagnostics import MeshError, quote
from ...files.regular import ResolveBeside, read_mesh_file

MOST_BYTES = 1024**3
MOST_JSON_BYTES = 256 * 1024**2
MOST_LINKED_BYTES = 256 * 1024**2
_HEADER = 12
_CHUNK_HEADER = 8
_JSON_CHUNK = b"JSON"
_BINARY_CHUNK = b"BIN\0"
_KINDS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
_COMPRESSED = ("EXT_meshopt_compression", "KHR_meshopt_compression")

Node = dict[str, Any]


@dataclass(slots=True)
class GltfDocument:
    """`json` is whatever the file says; its members are taken through the methods only."""

    path: Path
    json: Node
    binary: bytes | memoryview
    resolve: ResolveBeside
    buffers: dict[int, bytes | memoryview] = field(default_factory=dict)

    def fail(self, what: str, code: str = "unreadable-mesh") -> NoReturn:
        raise MeshError(f"{quote(self.path.name)} {what}", code=code)

    def items(self, name: str) -> list[Any]:
        return as_list(self.json.get(name))

    def item(self, name: str, index: Any) -> Node:
        """Returns an item. Raises MeshError where there is no such item."""
        items = self.items(name)
        number = as_index(index, len(items))
        if number is None or not isinstance(items[number], dict):
            self.fail(f"has no entry {quote(str(index)[:20])} in its {name}")
        item: Node = items[number]
        return item

    def accessor(self, index: Any) -> NDArray[np.generic]:
        """Returns the rows of an accessor, (count, width), numbers as stored unless
        `normalized`."""
        accessor = self.item("accessors", index)
        kind, width = _KINDS.get(as_int(accessor.get("componentType"))), 0
        if isinstance(accessor.get("type"), str):
            width = _WIDTHS.get(accessor["type"], 0)
        if kind is None or not width:
            self.fail("has data of an unknown type")
        if "sparse" in accessor:
            self.fail("has sparse data, which are not read", "unsupported-mesh-format")
        item_type = np.dtype(kind)
        size = item_type.itemsize * width
        data, stride = self._view(accessor.get("bufferView"))
        start, count = as_int(accessor.get("byteOffset", 0)), as_int(accessor.get("count"))
        stride = stride or size
        if start < 0 or count < 0 or stride < size:
            self.fail("has data with a size that means nothing")
        if count and start + stride * (count - 1) + size > len(data):
            self.fail("declares more data than it has")
        if not count:
            return np.empty((0, width), dtype=item_type)
        last = start + stride * (count - 1) + size
        raw = np.frombuffer(data, dtype=np.uint8)[start:last]
        rows = np.lib.stride_tricks.as_strided(raw, (count, size), (stride, 1), writeable=False)
        values = np.ascontiguousarray(rows).view(item_type)
        return _normalize(values) if accessor.get("normalized") is True else values

    def view(self, index: Any) -> bytes:
        """Returns the bytes of a buffer view. Raises MeshError."""
        return bytes(self._view(index)[0])

    def _view(self, index: Any) -> tuple[memoryview, int]:
        """The bytes of a buffer view and its stride, 0 where it has none."""
        view = self.item("bufferViews", index)
        extensions = as_dict(view.get("extensions"))
        if any(name in extensions for name in _COMPRESSED):
            self.fail(
                "is compressed by meshopt, which cannot be read; export it without compression",
                "compressed-mesh",
            )
        data = self._buffer(view.get("buffer"))
        start, length = as_int(view.get("byteOffset", 0)), as_int(view.get("byteLength"))
        if start < 0 or length < 0 or start + length > len(data):
            self.fail("declares more data than it has")
        return memoryview(data)[start : start + length], max(as_int(view.get("byteStride", 0)), 0)

    def _buffer(self, index: Any) -> bytes | memoryview:
        uri = self.item("buffers", index).get("uri")
        number = as_int(index)
        if number not in self.buffers:
            if uri is None and number == 0:
                self.buffers[number] = self.binary
            elif isinstance(uri, str):
                self.buffers[number] = self._load(uri)
            else:
                self.fail("has a buffer without data")
        return self.buffers[number]

    def _load(self, uri: str) -> bytes:
        if uri.startswith("data:"):
            data = decode_data_uri(uri)
            if data is None:
                self.fail("has embedded data that cannot be decoded")
            return data
        rest = MOST_LINKED_BYTES - sum(map(len, self.buffers.values()))
        return read_mesh_file(self.resolve(uri, "mesh"), max(rest, 0))


def load_document(path: Path, resolve: ResolveBeside) -> GltfDocument:
    """Loads the document. Raises MeshError where it is not glTF 2."""
    data = read_mesh_file(path, MOST_BYTES)
    text, binary = _split_chunks(data, path) if data.startswith(b"glTF") else (data, b"")
    if len(text) > MOST_JSON_BYTES:
        most = MOST_JSON_BYTES // 1024**2
        message = f"{quote(path.name)} has more than {most} MB of JSON"
        raise MeshError(message, code="mesh-too-large")
    try:
        found = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise MeshError(f"{quote(path.name)} has no JSON that can be read") from None
    if not isinstance(found, dict):
        raise MeshError(f"{quote(path.name)} is not glTF")
    document = GltfDocument(path, found, binary, resolve)
    version = as_dict(found.get("asset")).get("version")
    if not (isinstance(version, str) and version.startswith("2.")):
        document.fail("is not glTF of version 2", "unsupported-mesh-format")
    return document


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _split_chunks(data: bytes, path: Path) -> tuple[bytes, memoryview]:
    """The JSON and the binary chunk, as far as the file reaches."""
    view = memoryview(data)
    chunks: dict[bytes, memoryview] = {}
    place = _HEADER
    for _ in range(2):
        if place + _CHUNK_HEADER > len(data):
            break
        length = int.from_bytes(data[place : place + 4], "little")
        start = place + _CHUNK_HEADER
        chunks.setdefault(data[place + 4 : start], view[start : start + length])
        place = start + length
    if _JSON_CHUNK not in chunks:
        raise MeshError(f"{quote(path.name)} ends before its JSON or is not of version 2")
    # Some exporters end the JSON with a comma or NULs in place of blanks.
    return bytes(chunks[_JSON_CHUNK]).rstrip(b"\0 ,"), chunks.get(_BINARY_CHUNK, view[:0])


def decode_data_uri(uri: str) -> bytes | None:
    """Returns the content of a data: URI; None for any other URI."""
    kind, comma, text = uri.partition(",")
    if not comma or not kind.startswith("data:"):
        return None
    if not kind.endswith(";base64"):
        return unquote_to_bytes(text)
    try:
        return base64.b64decode(unquote_to_bytes(text) if "%" in text else text)
    except (binascii.Error, ValueError):
        return None


def _normalize(values: NDArray[np.generic]) -> NDArray[np.generic]:
    if values.dtype.kind == "f":
        return values
    bits = 8 * values.dtype.itemsize - (values.dtype.kind == "i")
    numbers: NDArray[np.float64] = values.astype(np.float64) / (2**bits - 1)
    return np.maximum(numbers, -1.0)


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def as_dict(value: Any) -> Node:
    return value if isinstance(value, dict) else {}


def as_int(value: Any) -> int:
    """Returns the number; -1 for a value that is not a whole number, or absurd."""
    is_int = isinstance(value, int) and not isinstance(value, bool)
    return value if is_int and abs(value) < 2**48 else -1


def as_index(value: Any, count: int) -> int | None:
    number = as_int(value)
    return number if 0 <= number < count else None


def as_numbers(value: Any, count: int) -> tuple[float, ...] | None:
    """Returns the numbers; None where these are not that many finite numbers."""
    numbers = as_list(value)
    if len(numbers) != count:
        return None
    found = tuple(
        float(each)
        for each in numbers
        if isinstance(each, int | float) and not isinstance(each, bool) and abs(each) < 1e30
    )
    return found if len(found) == count and all(map(math.isfinite, found)) else None
