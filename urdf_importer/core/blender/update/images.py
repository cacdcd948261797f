# SPDX-License-Identifier: GPL-3.0-or-later
"""Images that an import packed, when their files have changed.

An image notes its packed content. If it holds something else now, the user painted on it or packed
another, and it stays.
"""

import zlib
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from ...diagnostics import MeshError
from ...files.regular import read_mesh_file
from ...images.size import MOST_BYTES, check_image
from ..build.materials import pack_image
from ..build.sharing import find_image, find_source
from ..standing import properties

Content = tuple[Any, Path, bytes]


def find_changed(materials: Iterable[Any], paths: Collection[Path]) -> list[Path]:
    """Lists the files of packed images that hold something else now. Only `paths` are read: a
    .blend may name any file."""
    return [path for image, path, content in _find(materials, paths) if _is_other(image, content)]


def find_new(materials: Iterable[Any], paths: Collection[Path]) -> list[Path]:
    """Lists the files among `paths` that no material was made from."""
    shown = {_path_of(material) for material in materials}
    return sorted(path for path in paths if path not in shown)


def refresh_images(materials: Iterable[Any], paths: Collection[Path], *, packs: bool) -> None:
    """Packs the present content of the files, or lets the images refer to their files again."""
    for image, _, content in _find(materials, paths):
        if not packs and properties.PACKED in image:
            image.unpack(method="REMOVE")
            del image[properties.PACKED]
        elif packs and (image.packed_file is None or _is_other(image, content)):
            pack_image(image, content)


def _find(materials: Iterable[Any], paths: Collection[Path]) -> Iterator[Content]:
    """Yields each unmodified image with its file and that file's bytes."""
    seen = set()
    for material in materials:
        image, path = find_image(material), _path_of(material)
        if image is None or image in seen or path not in paths or _is_users(image):
            continue
        seen.add(image)
        try:
            content = read_mesh_file(path, MOST_BYTES)
            check_image(content, path.name)
        except MeshError:
            continue
        yield image, path, content


def _path_of(material: Any) -> Path:
    kept = find_source(material[properties.LOOK])
    return Path(kept) if isinstance(kept, str) else Path()


def _is_users(image: Any) -> bool:
    if image.is_dirty or image.source != "FILE" or image.library is not None:
        return True
    packed = image.packed_file
    if packed is None:
        return False
    return bool(image.get(properties.PACKED) != f"{zlib.crc32(packed.data):08x}")


def _is_other(image: Any, content: bytes) -> bool:
    return properties.PACKED in image and image[properties.PACKED] != f"{zlib.crc32(content):08x}"
