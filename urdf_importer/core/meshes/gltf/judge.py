# SPDX-License-Identifier: GPL-3.0-or-later
"""glTF that another program will read: judged before, by the rules of meshes."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ...diagnostics import MeshError, quote
from ...files.regular import FileKind, ResolveBeside, refuse_beside
from .document import GltfDocument, as_dict, as_index, as_int, as_list, load_document

_MOST_ZEROS = 64 * 2**20
_SIZES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}


def judge_gltf(path: Path, resolve: ResolveBeside) -> None:
    """Raises MeshError for a file that names others that may not be read, where `resolve` judges,
    claims data that it does not have, or has nodes that are not trees."""
    document = load_document(path, refuse_beside)
    for each in document.items("buffers"):
        _judge_named(document, each, "file", resolve)
    for each in document.items("images"):
        _judge_named(document, each, "texture", resolve)
    document.resolve = lambda uri, kind: _place(document, uri)
    for each in document.items("accessors"):
        _judge_data(document, as_dict(each))
    _judge_nodes(document)


def _place(document: GltfDocument, uri: str) -> Path:
    """Where Blender looks: percents stand for marks of characters, and only base64 is data."""
    folder = os.path.dirname(os.path.abspath(document.path))
    return Path(os.path.normpath(os.path.join(folder, unquote(uri.replace("\\", "/")))))


def _judge_named(document: GltfDocument, item: Any, kind: FileKind, resolve: ResolveBeside) -> None:
    uri = as_dict(item).get("uri")
    if uri is None or (isinstance(uri, str) and uri.startswith("data:") and ";base64," in uri):
        return
    if not isinstance(uri, str) or "\0" in unquote(uri):
        document.fail("names a file by something other than text")
    place = _place(document, uri)
    if kind == "texture" and not os.path.lexists(place):
        return
    if resolve(str(place), kind) != place:
        raise MeshError(f"there is no file {quote(str(place))}", code=f"missing-{kind}")


def _judge_data(document: GltfDocument, accessor: dict[str, Any]) -> None:
    kind, width = as_int(accessor.get("componentType")), accessor.get("type")
    size = _SIZES.get(kind, 0) * _WIDTHS.get(width if isinstance(width, str) else "", 0)
    count, start = as_int(accessor.get("count")), as_int(accessor.get("byteOffset", 0))
    if not size or count < 0 or start < 0:
        document.fail("has data of an unknown type or size")
    view = accessor.get("bufferView")
    most = _MOST_ZEROS if view is None else len(document.view(view)) - start
    if count * size > most:
        document.fail("declares more data than it has")


def _judge_nodes(document: GltfDocument) -> None:
    nodes = document.items("nodes")
    children = [as_list(as_dict(each).get("children")) for each in nodes]
    below = [as_index(each, len(nodes)) for group in children for each in group]
    inner = set(below)
    is_sound = None not in below and len(inner) == len(below)
    reached = [each for each in range(len(nodes)) if each not in inner] if is_sound else []
    for each in reached:
        reached.extend(children[each])
    if len(reached) < len(nodes):
        document.fail("has nodes that are not trees")
