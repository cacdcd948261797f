# SPDX-License-Identifier: GPL-3.0-or-later
"""A wavy sheet of any size, as a file of each format."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests")]

from support.mesh_files import Gltf  # noqa: E402

Waves = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]


def make_waves(squares: int) -> Waves:
    """Points (N, 3), unit normals (N, 3) and 2 * squares * squares triangles (T, 3)."""
    axis = np.linspace(-3, 3, squares + 1)
    x, y = np.meshgrid(axis, axis)
    points = np.column_stack([x.ravel(), y.ravel(), (np.sin(x) * np.cos(y)).ravel()])
    slope = np.column_stack([-np.cos(x).ravel() * np.cos(y).ravel(), np.sin(x * y).ravel() * 0])
    normals = np.column_stack([slope, np.ones(len(points))])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    row, column = np.divmod(np.arange(squares * squares), squares)
    corner = row * (squares + 1) + column
    square = np.column_stack([corner, corner + 1, corner + squares + 2, corner + squares + 1])
    return points, normals, np.concatenate([square[:, [0, 1, 2]], square[:, [0, 2, 3]]])


def write_mesh(path: Path, suffix: str, squares: int) -> None:
    """`suffix` is one of WRITERS."""
    WRITERS[suffix](path, *make_waves(squares))


def write_stl(
    path: Path,
    points: NDArray[np.float64],
    _normals: NDArray[np.float64],
    triangles: NDArray[np.int64],
) -> None:
    kind = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("color", "<u2")])
    facets = np.zeros(len(triangles), dtype=kind)
    facets["corners"] = points[triangles]
    path.write_bytes(bytes(80) + len(facets).to_bytes(4, "little") + facets.tobytes())


def write_text_stl(
    path: Path,
    points: NDArray[np.float64],
    _normals: NDArray[np.float64],
    triangles: NDArray[np.int64],
) -> None:
    facet = "facet normal 0 0 1\nouter loop\n" + 3 * "vertex %.6g %.6g %.6g\n"
    facet += "endloop\nendfacet\n"
    rows = points[triangles].reshape(-1, 9).tolist()
    path.write_text("solid\n" + "".join(facet % tuple(row) for row in rows) + "endsolid\n")


def write_obj(
    path: Path,
    points: NDArray[np.float64],
    normals: NDArray[np.float64],
    triangles: NDArray[np.int64],
) -> None:
    places = _text("v %.6f %.6f %.6f\n", points)
    directions = _text("vn %.4f %.4f %.4f\n", normals)
    faces = _text("f %d//%d %d//%d %d//%d\n", np.repeat(triangles + 1, 2, axis=1))
    path.write_text(places + directions + faces)


def write_ply(
    path: Path,
    points: NDArray[np.float64],
    _normals: NDArray[np.float64],
    triangles: NDArray[np.int64],
) -> None:
    faces = np.zeros(len(triangles), dtype=[("count", "u1"), ("corners", "<i4", 3)])
    faces["count"], faces["corners"] = 3, triangles
    head = _ply_head("binary_little_endian", len(points), len(triangles))
    path.write_bytes(head.encode() + points.astype("<f4").tobytes() + faces.tobytes())


def write_text_ply(
    path: Path,
    points: NDArray[np.float64],
    _normals: NDArray[np.float64],
    triangles: NDArray[np.int64],
) -> None:
    head = _ply_head("ascii", len(points), len(triangles))
    path.write_text(head + _text("%.6f %.6f %.6f\n", points) + _text("3 %d %d %d\n", triangles))


def write_glb(
    path: Path,
    points: NDArray[np.float64],
    normals: NDArray[np.float64],
    triangles: NDArray[np.int64],
) -> None:
    gltf = Gltf()
    surface = gltf.primitive(points)
    surface["attributes"]["NORMAL"] = gltf.points(normals)
    surface["indices"] = gltf.accessor(triangles.ravel(), "<u4", 5125, "SCALAR")
    path.write_bytes(gltf.glb())


def write_dae(
    path: Path,
    points: NDArray[np.float64],
    normals: NDArray[np.float64],
    triangles: NDArray[np.int64],
    *,
    has_shared_normals: bool = False,
) -> None:
    """Each corner has a normal of its own, or those of one point share it."""
    if not has_shared_normals:
        normals = normals[triangles.ravel()]
    index = triangles.ravel() if has_shared_normals else np.arange(3 * len(triangles))
    indices = np.column_stack([triangles.ravel(), index])
    path.write_text(
        '<?xml version="1.0" encoding="utf-8"?><COLLADA version="1.4.1" '
        'xmlns="http://www.collada.org/2005/11/COLLADASchema"><asset><unit name="meter" '
        'meter="1"/><up_axis>Z_UP</up_axis></asset><library_geometries><geometry id="g" name="g">'
        f"<mesh>{_dae_source('p', points)}{_dae_source('n', normals)}"
        '<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>'
        f'<triangles count="{len(triangles)}"><input semantic="VERTEX" source="#v" offset="0"/>'
        '<input semantic="NORMAL" source="#n" offset="1"/>'
        f"<p>{' '.join(map(str, indices.ravel().tolist()))}</p></triangles></mesh></geometry>"
        '</library_geometries><library_visual_scenes><visual_scene id="s"><node id="o">'
        '<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes><scene>'
        '<instance_visual_scene url="#s"/></scene></COLLADA>\n'
    )


def _dae_source(name: str, values: NDArray[np.float64]) -> str:
    text = " ".join(f"{each:.6g}" for each in values.ravel())
    names = "".join(f'<param name="{each}" type="float"/>' for each in "XYZ")
    return (
        f'<source id="{name}"><float_array id="{name}-array" count="{values.size}">{text}'
        f'</float_array><technique_common><accessor source="#{name}-array" '
        f'count="{len(values)}" stride="3">{names}</accessor></technique_common></source>'
    )


def _ply_head(form: str, points: int, triangles: int) -> str:
    coordinates = "".join(f"property float {axis}\n" for axis in "xyz")
    return (
        f"ply\nformat {form} 1.0\nelement vertex {points}\n{coordinates}"
        f"element face {triangles}\nproperty list uchar int vertex_indices\nend_header\n"
    )


def _text(row: str, values: NDArray[np.float64] | NDArray[np.int64]) -> str:
    return "".join(row % tuple(each) for each in values.tolist())


WRITERS: dict[str, Callable[..., None]] = {
    "stl": write_stl,
    "text.stl": write_text_stl,
    "dae": write_dae,
    "obj": write_obj,
    "glb": write_glb,
    "ply": write_ply,
    "text.ply": write_text_ply,
}
