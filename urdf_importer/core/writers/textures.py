# SPDX-License-Identifier: GPL-3.0-or-later
"""Images beside a robot, in formats that simulators read.

PNG of 8 bits is copied verbatim, but for a chunk that MuJoCo refuses, and JPEG for simulators that
read it. Other decodable images become PNG; the rest is given to a converter where there is one
(Blender reads more), or lost: then the colour is shown. A PNG whose alpha means nothing loses it,
since simulators let through anything with an alpha channel.
"""

from dataclasses import dataclass, field
from pathlib import Path

from ..diagnostics import Diagnostics, MeshError, quote
from ..files.regular import read_mesh_file
from ..geometry.mesh_data import MeshMaterial
from ..images import decode_image, drop_wrong_bits, encode_png, find_png_kind
from ..images.pixels import Pixels
from ..images.size import MOST_BYTES, PNG_SIGNATURE, check_image, name_image_kind
from .file_folder import FileFolder
from .formats import ConvertImage

_JPEG = b"\xff\xd8\xff"


@dataclass(frozen=True, slots=True, eq=False)
class Textures:
    """The urls of the images of one robot, each read once. `keeps_jpeg`: whether JPEG can be
    read there; `needs_alpha`: whether alpha counts there, so that an image whose alpha has no
    meaning must lose it."""

    folder: FileFolder
    convert: ConvertImage | None
    diagnostics: Diagnostics
    keeps_jpeg: bool = field(default=True, kw_only=True)
    needs_alpha: bool = field(default=True, kw_only=True)
    urls: dict[tuple[Path | None, bytes, bool], str | None] = field(default_factory=dict)

    def find(self, look: MeshMaterial, subject: str, line: int) -> str | None:
        """Returns the url of the look's image; None where it has none, or an unreadable one, which
        is reported once as `unreadable-texture`.
        """
        if look.texture is None and not look.image:
            return None
        key = (look.texture, look.image, look.image_alpha)
        if key not in self.urls:
            self.urls[key] = self._attempt(look, subject, line)
        return self.urls[key]

    def _attempt(self, look: MeshMaterial, subject: str, line: int) -> str | None:
        path = look.texture
        name = path.name if path is not None else look.name or "texture"
        try:
            content = look.image if path is None else read_mesh_file(path, MOST_BYTES)
            stem = path.stem if path is not None else name
            return self.folder.write(*self._prepare(content, name, stem, look.image_alpha))
        except MeshError as error:
            self.diagnostics.warning(
                "unreadable-texture",
                f"texture {quote(name)}: {error.message}; the colour is shown in its place",
                subject=subject,
                line=line,
            )
            return None

    def _prepare(
        self, content: bytes, name: str, stem: str, has_alpha: bool
    ) -> tuple[bytes, str, str]:
        """Returns content, stem and suffix of the file."""
        if content.startswith((_JPEG, PNG_SIGNATURE)) or name_image_kind(content):
            check_image(content, name)
        if content.startswith(_JPEG) and self.keeps_jpeg:
            return content, stem, ".jpg"
        pixels = None if content.startswith(PNG_SIGNATURE) else decode_image(content)
        if pixels is None:
            content = self._convert(content, name)
            kind = find_png_kind(content)
            if kind.depth <= 8 and (has_alpha or not kind.has_alpha or not self.needs_alpha):
                return drop_wrong_bits(content), stem, ".png"
            pixels = decode_image(content)
        if pixels is None:
            raise MeshError("it could not be converted", code="unreadable-texture")
        return encode_png(pixels if has_alpha else _opaque(pixels)), stem, ".png"

    def _convert(self, content: bytes, name: str) -> bytes:
        """Returns an image as PNG."""
        if content.startswith(PNG_SIGNATURE):
            return content
        if self.convert is None:
            what = name_image_kind(content) or "such"
            message = f"only Blender can convert {what} images"
            raise MeshError(message, code="unreadable-texture")
        return self.convert(content, name)


def _opaque(pixels: Pixels) -> Pixels:
    channels = pixels.shape[2]
    return pixels[:, :, : channels - 1] if channels in (2, 4) else pixels
