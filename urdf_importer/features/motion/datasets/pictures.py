# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of episodes: their bytes, sizes and pixels."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ....core.diagnostics import MeshError, WriteError, quote
from ....core.images.decode import decode_image
from ....core.images.size import find_image_size
from ..trajectory import Numbers


def bytes_of_picture(shot: Path | bytes) -> bytes:
    """Returns the bytes of a picture."""
    return shot if isinstance(shot, bytes) else Path(shot).read_bytes()


def size_of_picture(shots: Sequence[Path | bytes]) -> tuple[int, int]:
    """Returns width and height. Raises WriteError."""
    size = find_image_size(bytes_of_picture(shots[0])) if shots else None
    if size is None:
        raise WriteError("a picture of the first episode is not an image")
    return size


def decode_picture(content: bytes, camera: str) -> Numbers:
    """Returns the pixels of a PNG, three channels or more. Raises WriteError."""
    try:
        pixels = decode_image(content)
    except MeshError as error:
        raise WriteError(f"a picture of {quote(camera)} is damaged: {error.message}") from None
    if pixels is None:
        raise WriteError(f"a picture of {quote(camera)} is not a PNG")
    wide: Any = pixels if pixels.shape[2] >= 3 else np.repeat(pixels[..., :1], 3, axis=2)
    return wide  # type: ignore[no-any-return]
