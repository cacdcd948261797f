# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of one mesh, between a file and Blender."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..model import Color


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshMaterial:
    """A material that a mesh file brings along.

    `color` is red, green, blue, alpha in 0..1, sRGB, as the file's viewers show it. `texture` is an
    image file that may be read; `image` the bytes of one that lies inside the mesh file. The image
    takes the place of red, green and blue; its alpha counts where `image_alpha` says so.
    """

    name: str = ""
    color: Color = (0.8, 0.8, 0.8, 1.0)
    texture: Path | None = None
    image: bytes = field(default=b"", repr=False)
    image_alpha: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeshData:
    """A polygon mesh. Faces run counter-clockwise seen from outside.

    vertices    float32 (V, 3), metres, in the frame of the shape
    corners     int32 (C,), the vertex of each face corner, face after face
    face_sizes  int32 (F,), corners per face; None: all triangles (C = 3 F)
    normals     float32 (C, 3), per corner, unit length; None where the file has none
    smooth      all faces are shaded smooth (else flat)
    uvs         float32 (C, 2), per corner, origin at the image's lower left; None where there are
                none
    materials   what the file brings along; empty where it has none of its own
    slots       int32 (F,), each face's index into materials; None: all are of the first
    """

    vertices: NDArray[np.float32]
    corners: NDArray[np.int32]
    face_sizes: NDArray[np.int32] | None = None
    normals: NDArray[np.float32] | None = None
    smooth: bool = False
    name: str = ""
    uvs: NDArray[np.float32] | None = None
    materials: tuple[MeshMaterial, ...] = ()
    slots: NDArray[np.int32] | None = None

    @property
    def face_count(self) -> int:
        return len(self.corners) // 3 if self.face_sizes is None else len(self.face_sizes)
