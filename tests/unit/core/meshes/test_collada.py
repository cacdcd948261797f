# SPDX-License-Identifier: GPL-3.0-or-later
"""COLLADA: what is shown and where."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from support.collada_text import (
    CLOSED,
    INSTANCE,
    PYRAMID,
    Loads,
    document,
    faces_text,
    geometry,
    source,
)
from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.meshes import load_mesh
from urdf_importer.core.meshes.collada.load import load_collada
from urdf_importer.core.meshes.faces import cofactors_of

Check = Callable[[MeshData], None]
Volume = Callable[[MeshData], float]
NORMAL = "<input semantic='NORMAL' source='#n' offset='1'/>"


@pytest.fixture
def load(tmp_path: Path) -> Loads:
    return Loads(tmp_path)


def extent(mesh: MeshData) -> list[float]:
    size = mesh.vertices.max(axis=0) - mesh.vertices.min(axis=0)
    return [round(float(each), 6) for each in size]


# The files of the specification of leniency: faces, extent, reported

FILES = {
    "d": (3, [1, 2, 3], []),
    "yup": (3, [1, 2, 3], []),
    "xup": (3, [1, 2, 3], []),
    "noup": (3, [1, 2, 3], []),
    "inch": (3, [0.0254, 0.0508, 0.0762], []),
    "nounit": (3, [1, 2, 3], []),
    "unitcomma": (3, [0.001, 0.002, 0.003], ["decimal-commas"]),
    "nested": (3, [4, 2, 6], []),
    "matrix": (3, [3, 1, 2], []),
    "inode": (6, [11, 2, 3], []),
    "two": (6, [1, 2, 6], []),
    "twice": (6, [1, 2, 6], []),
    "poly": (2, [1, 2, 3], []),
    "polygons": (2, [1, 2, 3], []),
    "strips": (3, [1, 2, 3], []),
    "fans": (3, [1, 2, 3], []),
    "lt": (3, [1, 2, 3], []),
    "noscene": (3, [1, 2, 3], ["no-scene"]),
    "ns15": (3, [1, 2, 3], []),
    "nons": (3, [1, 2, 3], []),
    "noimg": (3, [1, 2, 3], ["missing-texture"]),
    "mat": (3, [1, 2, 3], []),
    "transp": (3, [1, 2, 3], []),
    "skin": (3, [1, 2, 3], []),
}


@pytest.mark.parametrize("name", FILES)
def test_every_quirk(quirk_meshes: Path, notes, check: Check, name: str) -> None:
    mesh = load_mesh(quirk_meshes / f"{name}.dae", (1.0, 1.0, 1.0), notes)
    check(mesh)
    assert (mesh.face_count, extent(mesh), notes.codes) == FILES[name]
    assert mesh.name == name


def test_the_table_holds_every_file(quirk_meshes: Path) -> None:
    rows = json.dumps(sorted(path.stem for path in quirk_meshes.glob("*.dae")))
    others = ["broken", "lines", "really_stl"]
    assert rows == json.dumps(sorted([*FILES, *others]))


def test_lines_only(quirk_meshes: Path, notes) -> None:
    mesh = load_collada(quirk_meshes / "lines.dae", notes)
    assert (mesh.face_count, notes.codes) == (0, ["empty-mesh"])


def test_half_a_file(quirk_meshes: Path, notes) -> None:
    with pytest.raises(MeshError, match="not a whole COLLADA document") as error:
        load_collada(quirk_meshes / "broken.dae", notes)
    assert error.value.code == "unreadable-mesh"


# Where geometries are


@pytest.mark.parametrize(
    ("transform", "tip"),
    [
        ("<translate>1 2 3</translate>", (1, 2, 6)),
        ("<scale>1 1 2</scale>", (0, 0, 6)),
        ("<rotate>2 0 0 90</rotate>", (0, -3, 0)),
        ("<rotate>0 0 0 90</rotate>", (0, 0, 3)),
        ("<translate>1 0 0</translate><rotate>0 1 0 90</rotate>", (4, 0, 0)),
        ("<rotate>0 1 0 90</rotate><translate>1 0 0</translate>", (3, 0, -1)),
        ("<matrix>0 0 1 5 0 1 0 6 -1 0 0 7 0 0 0 1</matrix>", (8, 6, 7)),
        ("<lookat>1 0 0 0 0 0 0 0 1</lookat>", (4, 0, 0)),
        ("<lookat>0 0 0 0 0 -1 0 1 0</lookat>", (0, 0, 3)),
    ],
)
def test_transforms(load: Loads, volume: Volume, transform: str, tip: tuple[float, ...]) -> None:
    mesh = load(document(f"<node>{transform}{INSTANCE}</node>"))
    nearest = np.linalg.norm(mesh.vertices - np.array(tip), axis=1).min()
    assert nearest < 1e-6
    assert volume(mesh) == pytest.approx(2.0 * (2.0 if "scale" in transform else 1.0), rel=1e-5)
    assert load.notes == []


@pytest.mark.parametrize(
    ("transform", "code"),
    [
        ("<translate>1 2</translate>", "invalid-transform"),
        ("<rotate>1 0 0 x</rotate>", "invalid-transform"),
        ("<matrix>1 0 0</matrix>", "invalid-transform"),
        ("<scale>1e400 1 1</scale>", "invalid-transform"),
        ("<translate>1_0 0 0</translate>", "invalid-transform"),
        ("<lookat>0 0 0 0 0 0 0 0 1</lookat>", "invalid-transform"),
        ("<skew>30 0 1 0 1 0 0</skew>", "unsupported-transform"),
    ],
)
def test_transforms_that_cannot_be_read_are_left_out(
    load: Loads, transform: str, code: str
) -> None:
    mesh = load(document(f"<node>{transform}<translate>5 0 0</translate>{INSTANCE}</node>"))
    assert mesh.vertices.min(axis=0).tolist() == [5, 0, 0]
    assert load.notes == [code]


def test_a_mirrored_node_keeps_the_outside_outside(load: Loads, volume: Volume) -> None:
    sources = source("n", "0 0 1")
    primitive = faces_text("triangles", "0 0 2 0 1 0 0 0 1 0 4 0", inputs=NORMAL)
    shape = geometry(CLOSED + primitive, sources=sources)
    mesh = load(document(f"<node><scale>1 1 -1</scale>{INSTANCE}</node>", [shape]))
    assert volume(load(document(f"<node><scale>1 1 -1</scale>{INSTANCE}</node>"))) > 0
    assert mesh.normals is not None
    assert mesh.normals[-1].tolist() == [0, 0, -1]


def test_normals_turn_by_the_inverse_transpose(load: Loads, check: Check) -> None:
    shape = geometry(
        faces_text("triangles", "0 0 1 0 4 0", inputs=NORMAL), sources=source("n", "0 -9 9")
    )
    mesh = load(document(f"<node><scale>1 2 1</scale>{INSTANCE}</node>", [shape]))
    check(mesh)
    assert mesh.normals is not None
    assert np.allclose(mesh.normals, np.array([0, -1, 2]) / 5**0.5)


@pytest.mark.parametrize("unit", ["0", "-1", "x", "nan", "1e-30", "1_0"])
def test_units_that_are_none(load: Loads, unit: str) -> None:
    assert extent(load(document(asset=f"<unit meter='{unit}'/>"))) == [1, 2, 3]
    assert load.notes == ["invalid-unit"]


def test_a_scene_that_is_named_counts_alone(load: Loads) -> None:
    other = "</visual_scene><visual_scene id='other'><node><translate>9 9 9</translate>"
    mesh = load(document(f"<node>{INSTANCE}</node>{other}{INSTANCE}</node>"))
    assert mesh.vertices.max() == 3


def test_without_any_scene_every_geometry_counts(load: Loads) -> None:
    text = document(geometries=[geometry(), geometry(name="h")], asset="<unit meter='2'/>")
    start, end = text.index("<library_visual"), text.index("<scene>")
    mesh = load(text[:start] + text[end:])
    assert (mesh.face_count, extent(mesh), load.notes) == (12, [2, 4, 6], ["no-scene"])


def test_the_bind_shape_of_a_skin_counts(load: Loads) -> None:
    skin = (
        "<library_controllers><controller id='c'><skin source='#m'><bind_shape_matrix>1 0 0 7 "
        "0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix></skin></controller>"
        "<controller id='m'><morph source='#g'/></controller></library_controllers>"
    )
    mesh = load(document("<node><instance_controller url='#c'/></node>", libraries=skin))
    assert mesh.vertices.min(axis=0).tolist() == [7, 0, 0]


def test_references_that_lead_nowhere_are_reported_once(load: Loads) -> None:
    lost = "<instance_geometry url='#x'/><instance_controller url='#x'/><instance_node url='#x'/>"
    mesh = load(document(f"<node>{lost}{lost}{INSTANCE}</node>"))
    assert (mesh.face_count, load.notes) == (6, ["broken-reference", "broken-reference"])


# Faces


@pytest.mark.parametrize(
    ("primitive", "expected"),
    [
        (faces_text("triangles", "0 1 2|0 2 3"), [[0, 1, 2], [0, 2, 3]]),
        (faces_text("tristrips", "0 1 2 3 4|4 3 2"), [[0, 1, 2], [1, 3, 2], [2, 3, 4], [4, 3, 2]]),
        (faces_text("trifans", "0 1 2 3|4 3 2|1 2"), [[0, 1, 2], [0, 2, 3], [4, 3, 2]]),
        (faces_text("polylist", "0 1 2 3 0 3 4", vcount="4 3"), [[0, 1, 2, 3], [0, 3, 4]]),
        (faces_text("polygons", "0 1 2 3|0 3 4"), [[0, 1, 2, 3], [0, 3, 4]]),
        (faces_text("polylist", "0 1 2 2 3", vcount="5"), [[0, 1, 2, 3]]),
        (faces_text("triangles", "0 1 1 0 1 2"), [[0, 1, 2]]),
        (faces_text("triangles", "  \n"), []),
        (faces_text("lines", "0 1") + faces_text("linestrips", "0 1 2"), []),
    ],
)
def test_primitives(
    load: Loads, faces: Callable[[MeshData], list[np.ndarray]], primitive: str, expected: list
) -> None:
    mesh = load(document(geometries=[geometry(primitive)]))
    corners = np.array(PYRAMID.split(), dtype=float).reshape(-1, 3)
    assert [each.tolist() for each in faces(mesh) if len(each)] == [
        corners[each].tolist() for each in expected
    ]
    assert load.notes == ([] if expected else ["empty-mesh"])


@pytest.mark.parametrize(
    ("primitive", "count"),
    [
        (faces_text("triangles", "0 1 2 0 2 9"), 1),
        (faces_text("triangles", "0 1 2 0 2 -3"), 1),
        (faces_text("triangles", "0 1 2 0 2 99999999999999999999999"), 1),
        (faces_text("triangles", "0 1 2 0 2 x"), 1),
        (faces_text("triangles", "0 1 2 0 2"), 1),
        (faces_text("triangles", "0 1 2 0 2 3 1.5 4 1"), 2),
        (faces_text("polylist", "0 1 2 3", vcount="3 3"), 1),
        (faces_text("polylist", "0 1 2 3", vcount="3 999999999999"), 1),
        (faces_text("polylist", "0 1 2 0 3 1 2 3", vcount="3 2 3"), 2),
        (faces_text("polylist", "0 1 2 3 4 9", vcount="3 3"), 1),
        (faces_text("polygons", "0 1|0 2 3"), 1),
        (faces_text("trifans", "0 1 2 9 3 4"), 2),
    ],
)
def test_faces_that_are_none_are_left_out(
    load: Loads, check: Check, primitive: str, count: int
) -> None:
    mesh = load(document(geometries=[geometry(primitive)]))
    check(mesh)
    assert mesh.face_count == count
    assert set(load.notes) == {"invalid-facets"}


def test_holes_are_filled(load: Loads) -> None:
    holed = "<ph><p>0 1 2 3</p><h>0 1 4</h></ph>"
    polygons = faces_text("polygons", "0 1 4").replace("</polygons>", f"{holed}</polygons>")
    mesh = load(document(geometries=[geometry(polygons)]))
    assert mesh.face_sizes is not None
    assert (mesh.face_sizes.tolist(), load.notes) == ([3, 4], ["polygon-holes"])


@pytest.mark.parametrize("number", ["nan", "NaN", "1e400", "-inf", "2e9", "x", "1_0", "1,0"])
def test_points_that_are_none(load: Loads, check: Check, number: str) -> None:
    shape = geometry(faces_text("triangles", "0 1 2 2 3 4"), points=f"{PYRAMID[:-1]}{number}")
    mesh = load(document(geometries=[shape]))
    check(mesh)
    assert (mesh.face_count, load.notes) == (1, ["invalid-facets"])


def test_a_stride_beyond_the_names(load: Loads) -> None:
    points = "0 0 0 9 1 0 0 9 1 2 0 9 0 2 0 9 0 0 3 9"
    text = document().replace("stride='3'", "stride='4'").replace(PYRAMID, points)
    assert extent(load(text)) == [1, 2, 3]


def test_vertices_are_shared_between_geometries(load: Loads) -> None:
    nodes = f"<node>{INSTANCE}</node><node><scale>1 1 -1</scale>{INSTANCE}</node>"
    mesh = load(document(nodes))
    assert (len(mesh.vertices), mesh.face_count) == (6, 12)


# Normals


def test_normals_have_unit_length_and_faces_without_get_their_own(
    load: Loads, check: Check
) -> None:
    sources = source("n", "0 0 -5 0 0 0 nan 0 0 1e-30 0 0 1e30 1 1")
    with_normals = faces_text("triangles", "0 0 2 0 1 0 0 1 1 2 4 3 0 3 2 4 3 9", inputs=NORMAL)
    shape = geometry(CLOSED + with_normals, sources=sources)
    mesh = load(document(geometries=[shape]))
    check(mesh)
    assert mesh.normals is not None
    assert mesh.normals[:3].tolist() == [[0, 0, -1]] * 3
    assert mesh.normals[18:21].tolist() == [[0, 0, -1]] * 3
    assert np.allclose(mesh.normals[22], [0, -1, 0])


@pytest.mark.parametrize("numbers", ["0 0 0", "nan nan nan", "", "x"])
def test_normals_that_are_none_are_dropped(load: Loads, numbers: str) -> None:
    primitive = faces_text("triangles", "0 0 2 0 1 0", inputs=NORMAL)
    mesh = load(document(geometries=[geometry(primitive, sources=source("n", numbers))]))
    assert (mesh.face_count, mesh.normals, load.notes) == (1, None, [])


def test_normals_of_the_vertices(load: Loads) -> None:
    shape = geometry(
        sources=source("n", "0 0 1 " * 5),
        of_vertices="<input semantic='NORMAL' source='#n'/>",
    )
    mesh = load(document(geometries=[shape]))
    assert mesh.normals is not None
    assert mesh.normals.tolist() == [[0, 0, 1]] * 18


@pytest.mark.parametrize("seed", range(5))
def test_normals_turn_by_the_cross_products_of_the_axes(seed: int) -> None:
    """Bit for bit as numpy's, and so as the inverse transposed, also of what has no inverse."""
    random = np.random.default_rng(seed)
    for axes in (
        random.normal(size=(3, 3)),
        random.integers(-2, 3, (3, 3)).astype(float),
        np.diag([1e-200, 0.0, 1e200]),
    ):
        x, y, z = axes.T
        wanted = np.column_stack([np.cross(y, z), np.cross(z, x), np.cross(x, y)])
        found = cofactors_of(axes)
        assert np.array_equal(found, wanted)
        assert np.allclose(found.T @ axes, np.linalg.det(axes) * np.eye(3))
