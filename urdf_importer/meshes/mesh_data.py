# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of one mesh, between a file and Blender."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeshData:
    """A polygon mesh. Faces run counter-clockwise seen from outside.

    vertices    float32 (V, 3), metres, in the frame of the shape
    corners     int32 (C,), the vertex of each face corner, face after face
    face_sizes  int32 (F,), corners per face; None: all triangles (C = 3 F)
    normals     float32 (C, 3), per corner, unit length; None where the file has none
    smooth      all faces are shaded smooth (else flat)
    """

    vertices: NDArray[np.float32]
    corners: NDArray[np.int32]
    face_sizes: NDArray[np.int32] | None = None
    normals: NDArray[np.float32] | None = None
    smooth: bool = False
    name: str = field(default="")

    @property
    def face_count(self) -> int:
        return len(self.corners) // 3 if self.face_sizes is None else len(self.face_sizes)
