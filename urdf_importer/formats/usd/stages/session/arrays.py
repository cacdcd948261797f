# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays of meshes, each content written once."""

import hashlib
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from .refusal import RefusedError

MOST_BYTES = 2**30
"""Of all meshes of a stage together: as much as one file of PLY or STL may have."""
_UV_NAMES = ("st", "UVMap", "st0", "st_0", "uv")


class ArrayFile:
    """Writes arrays one after another. `table` has offset, type and shape of each array; an array
    is named by its place in it. Raises RefusedError for more than MOST_BYTES."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._places: dict[bytes, int] = {}
        self.table: list[tuple[int, str, list[int]]] = []

    def add(self, values: NDArray[Any]) -> int:
        values = np.ascontiguousarray(values)
        digest = hashlib.sha1(str(values.shape).encode(), usedforsecurity=False)
        digest.update(values.data.cast("B") if values.size else b"")
        key = digest.digest()
        if key not in self._places:
            if self._file.tell() + values.nbytes > MOST_BYTES:
                raise RefusedError("its meshes are too big for a robot")
            self._places[key] = len(self.table)
            self.table.append((self._file.tell(), values.dtype.str, list(values.shape)))
            self._file.write(values.data if values.size else b"")
        return self._places[key]


def describe_mesh(prim: Any, arrays: ArrayFile, bind: Callable[[Any], str]) -> dict[str, Any]:
    """Returns a mesh as the places of its arrays: points (V, 3), sizes (F,), corners (C,); normals
    (C, 3) and uvs (C, 2) where it has them; holes (H,), faces that are not there; parts, (material,
    faces) of each subset that `bind` finds a material for. Nothing is checked but lengths."""
    from pxr import UsdGeom, UsdShade

    mesh = UsdGeom.Mesh(prim)
    points = _rows(mesh.GetPointsAttr().Get(), np.float32, 3)
    sizes = _numbers(mesh.GetFaceVertexCountsAttr().Get())
    corners = _numbers(mesh.GetFaceVertexIndicesAttr().Get())
    found: dict[str, Any] = {
        "points": arrays.add(points),
        "sizes": arrays.add(sizes),
        "corners": arrays.add(corners),
        "left": mesh.GetOrientationAttr().Get() == UsdGeom.Tokens.leftHanded,
    }
    scheme = mesh.GetSubdivisionSchemeAttr()
    found["subdivided"] = scheme.HasAuthoredValue() and scheme.Get() != UsdGeom.Tokens.none
    spread = _Spread(len(points), sizes, corners)
    normals = _rows(mesh.GetNormalsAttr().Get(), np.float32, 3)
    per_corner = spread.to_corners(normals, str(mesh.GetNormalsInterpolation()))
    if per_corner is not None:
        found["normals"] = arrays.add(per_corner)
    uvs = _find_uvs(prim, spread)
    if uvs is not None:
        found["uvs"] = arrays.add(uvs)
    holes = _numbers(mesh.GetHoleIndicesAttr().Get())
    if len(holes):
        found["holes"] = arrays.add(holes)
    subsets = UsdShade.MaterialBindingAPI(prim).GetMaterialBindSubsets()
    found["parts"] = [
        (bind(each.GetPrim()), arrays.add(_numbers(each.GetIndicesAttr().Get())))
        for each in subsets
    ]
    return found


class _Spread:
    """Values of vertices, faces or the whole mesh, to values of corners."""

    def __init__(self, points: int, sizes: NDArray[Any], corners: NDArray[Any]) -> None:
        self._points, self._sizes, self._corners = points, sizes, corners
        valid = len(sizes) and sizes.min() >= 0 and int(sizes.sum(dtype=np.int64)) == len(corners)
        self._is_valid = bool(valid)

    def to_corners(self, rows: NDArray[Any], interpolation: str) -> NDArray[Any] | None:
        """Returns a row for each corner; None where there are too few or too many."""
        corners = self._corners
        if not self._is_valid or not len(rows):
            return None
        if interpolation == "faceVarying" and len(rows) == len(corners):
            return rows
        if interpolation in ("vertex", "varying") and len(rows) == self._points:
            if corners.min() < 0 or corners.max() >= len(rows):
                return None
            found: NDArray[Any] = rows[corners]
            return found
        if interpolation == "uniform" and len(rows) == len(self._sizes):
            return np.repeat(rows, self._sizes, axis=0)
        return None


def _find_uvs(prim: Any, spread: _Spread) -> NDArray[Any] | None:
    from pxr import UsdGeom

    primvars = UsdGeom.PrimvarsAPI(prim)
    for name in _UV_NAMES:
        found = primvars.FindPrimvarWithInheritance(name)
        if found and found.HasValue():
            rows = _rows(found.ComputeFlattened(), np.float32, 2)
            return spread.to_corners(rows, str(found.GetInterpolation()))
    return None


def _rows(values: Any, kind: Any, width: int) -> NDArray[Any]:
    found = np.zeros((0, width), kind) if values is None else np.array(values, dtype=kind)
    return found if found.ndim == 2 and found.shape[1] == width else np.zeros((0, width), kind)


def _numbers(values: Any) -> NDArray[Any]:
    return np.zeros(0, np.int32) if values is None else np.array(values, dtype=np.int32).ravel()
