# SPDX-License-Identifier: GPL-3.0-or-later
"""Image datablocks for textures, each file once.

A broken image would show as pink, so each is looked at before it is used: its size in its head,
since a few kilobytes can claim any number of pixels, then its structure. Only where that does not
tell, it is decoded; else Blender does so when it first shows it, at four bytes per pixel.
"""

import hashlib
from pathlib import Path
from typing import Any

from ..diagnostics import MeshError, quote
from ..images.check import is_whole_image
from ..images.size import MOST_BYTES, check_image
from ..meshes.mesh_file import read_mesh_file
from .ledger import Ledger


class ImageBuilder:
    """Loads images of one robot; MeshError `unreadable-texture` (again) for broken ones."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._found: dict[Path | str, Any | MeshError] = {}

    def load(self, path: Path) -> Any:
        """The image in a file. The .blend refers to the file, as with any image in Blender."""
        if path not in self._found:
            self._found[path] = self._attempt_file(path)
        return self._given(path)

    def unpack(self, content: bytes, name: str) -> Any:
        """The image of these bytes, packed into the .blend."""
        key = hashlib.sha256(content).hexdigest()
        if key not in self._found:
            self._found[key] = self._attempt_bytes(content, name)
        return self._given(key)

    def _given(self, key: Path | str) -> Any:
        found = self._found[key]
        if isinstance(found, MeshError):
            raise found
        return found

    def _attempt_file(self, path: Path) -> Any | MeshError:
        try:
            content = read_mesh_file(path, MOST_BYTES)
            check_image(content, path.name)
            image = self._ledger.load_image(str(path))
        except MeshError as error:
            return MeshError(error.message, code="unreadable-texture")
        except RuntimeError:
            return _unreadable(path.name)
        return self._checked(image, content, path.name)

    def _attempt_bytes(self, content: bytes, name: str) -> Any | MeshError:
        try:
            check_image(content, name)
        except MeshError as error:
            return MeshError(error.message, code="unreadable-texture")
        image = self._ledger.new_image(name)
        image.pack(data=content, data_len=len(content))
        image.source = "FILE"
        return self._checked(image, content, name)

    def _checked(self, image: Any, content: bytes, name: str) -> Any | MeshError:
        """Asking for its size decodes an image."""
        if not is_whole_image(content) and 0 in image.size[:]:
            self._ledger.remove(image)
            return _unreadable(name)
        if image.colorspace_settings.name != "sRGB":
            image.colorspace_settings.name = "sRGB"
        return image


def _unreadable(name: str) -> MeshError:
    return MeshError(f"{quote(name)} is no image that Blender reads", code="unreadable-texture")
