# SPDX-License-Identifier: GPL-3.0-or-later
"""glTF and GLB: nodes, kinds of data, materials, images, and documents that lie."""

import base64
import copy
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from support.mesh_files import TRIANGLE, Gltf, png
from support.seconds import within
from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.files.regular import refuse_beside
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.meshes import faces as mesh_faces
from urdf_importer.core.meshes.gltf import load as gltf_load
from urdf_importer.core.meshes.gltf.load import load_gltf

Check = Callable[[MeshData], None]
IMAGE = png()


@pytest.fixture
def load(tmp_path: Path, notes, check: Check) -> Callable[[Gltf | bytes], MeshData]:
    def load_bytes(content: Gltf | bytes) -> MeshData:
        path = tmp_path / "part.glb"
        path.write_bytes(content.glb() if isinstance(content, Gltf) else content)
        mesh = load_gltf(path, notes, lambda uri, kind: tmp_path / uri)
        check(mesh)
        return mesh

    return load_bytes


def box_of(mesh: MeshData) -> list[list[float]]:
    return [mesh.vertices.min(axis=0).tolist(), mesh.vertices.max(axis=0).tolist()]


def one_triangle() -> Gltf:
    gltf = Gltf()
    gltf.primitive()
    return gltf


def test_coordinates_are_taken_as_they_are(quirk_meshes: Path, notes, check: Check) -> None:
    mesh = load_gltf(quirk_meshes / "t.glb", notes, refuse_beside)
    check(mesh)
    assert (box_of(mesh), notes) == ([[0, 0, 0], [1, 2, 3]], [])


def test_nodes_move_turn_and_scale_in_turn(load) -> None:
    gltf = one_triangle()
    half = np.sqrt(0.5)
    gltf.json["nodes"] = [
        {"translation": [1, 0, 0], "children": [1]},
        {"rotation": [0, 0, half, half], "scale": [2, 1, 1], "children": [2]},
        {"matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 5, 1], "mesh": 0},
    ]
    points = load(gltf).vertices[np.argsort(TRIANGLE[:, 0] + 10 * TRIANGLE[:, 1])]
    assert np.allclose(sorted(points.tolist()), sorted([[1, 0, 5], [1, 2, 5], [-1, 0, 8]]))


def test_any_node_stands_where_trimesh_puts_it(load, tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    for _ in range(20):
        gltf = one_triangle()
        quaternions = generator.normal(size=(2, 4))
        quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)
        gltf.json["nodes"] = [
            {
                "rotation": quaternion.tolist(),
                "translation": generator.normal(size=3).tolist(),
                "scale": generator.uniform(0.5, 2.0, 3).tolist(),
            }
            for quaternion in quaternions
        ]
        gltf.json["nodes"][0]["children"] = [1]
        gltf.json["nodes"][1]["mesh"] = 0
        mesh = load(gltf)
        scene = trimesh.load(tmp_path / "part.glb")
        assert np.allclose(box_of(mesh), scene.bounds, atol=1e-5)


def test_a_mirroring_node_keeps_the_outside_outside(load) -> None:
    gltf = Gltf()
    normals = gltf.accessor([[0, 0, 1]] * 3, "<f4", 5126, "VEC3")
    gltf.primitive([[0, 0, 0], [1, 0, 0], [0, 1, 0]])["attributes"]["NORMAL"] = normals
    gltf.json["nodes"][0]["scale"] = [-1, 1, 1]
    mesh = load(gltf)
    a, b, c = mesh.vertices[mesh.corners]
    assert np.cross(b - a, c - a).tolist() == [0, 0, 1]
    assert mesh.normals is not None
    assert mesh.normals.tolist() == [[0, 0, 1]] * 3


@pytest.mark.parametrize(
    "nodes",
    [
        [{"mesh": 0, "children": [0]}],
        [{"children": [1]}, {"mesh": 0, "children": [0]}],
        [{"children": [1, 1, 1]}, {"mesh": 0}],
    ],
)
def test_nodes_in_a_ring_are_read_once(load, notes, nodes) -> None:
    gltf = one_triangle()
    gltf.json["nodes"] = nodes
    assert (load(gltf).face_count, notes.codes) == (1, ["repeated-node"])


def test_a_very_long_chain_of_nodes(load) -> None:
    gltf = one_triangle()
    gltf.json["nodes"] = [{"children": [i + 1]} for i in range(20_000)] + [{"mesh": 0}]
    assert load(gltf).face_count == 1


@pytest.mark.parametrize("change", [{"scenes": []}, {"scene": 7}, {"nodes": []}])
def test_without_a_scene_everything_is_shown(load, change) -> None:
    gltf = one_triangle()
    gltf.json |= change
    assert load(gltf).face_count == 1


def test_several_primitives_and_instances_are_one_mesh(load) -> None:
    gltf = one_triangle()
    gltf.primitive(TRIANGLE + np.float32(1))
    gltf.json["nodes"] = [{"mesh": 0}, {"mesh": 0, "translation": [10, 0, 0]}]
    gltf.json["scenes"] = [{"nodes": [0, 1]}]
    assert load(gltf).face_count == 4


@pytest.mark.parametrize("piece", [2, mesh_faces.PIECE])
@pytest.mark.parametrize("seed", range(12))
def test_corners_have_what_their_vertices_have(load, monkeypatch, piece: int, seed: int) -> None:
    """Of any parts, however many rows are worked on at a time."""
    monkeypatch.setattr(mesh_faces, "PIECE", piece)
    monkeypatch.setattr(gltf_load, "PIECE", piece)
    random = np.random.default_rng(seed)
    gltf = Gltf()
    has_normals = bool(random.random() < 0.7)
    wanted: list[list[float]] = []
    for _ in range(int(random.integers(1, 4))):
        count = int(random.integers(3, 9))
        points = np.concatenate([TRIANGLE, random.integers(0, 3, (count - 3, 3))]).astype("<f4")
        normals = random.normal(size=(count, 3)).astype("<f4")
        uvs = np.zeros((count, 2), dtype="<f4")
        indices = random.integers(0, count + (random.random() < 0.5), (9, 3))
        indices[4] = [2, 0, 1]
        part = gltf.primitive(points, indices=gltf.accessor(indices.ravel(), "<u2", 5123, "SCALAR"))
        if has_normals:
            part["attributes"]["NORMAL"] = gltf.points(normals)
        if random.random() < 0.6:
            uvs = random.random((count, 2)).astype("<f4")
            part["attributes"]["TEXCOORD_0"] = gltf.accessor(uvs, "<f4", 5126, "VEC2")
        for face in indices[(indices < count).all(axis=1)]:
            if len(np.unique(points[face], axis=0)) == 3:
                units = normals[face] / np.linalg.norm(normals[face], axis=1)[:, None]
                shown = np.column_stack([uvs[face, 0], 1 - uvs[face, 1]])
                shown *= "TEXCOORD_0" in part["attributes"]
                wanted += np.column_stack([points[face], units * has_normals, shown]).tolist()
    mesh = load(gltf)
    none = np.zeros((len(mesh.corners), 3))
    normals = none if mesh.normals is None else mesh.normals
    uvs = none[:, :2] if mesh.uvs is None else mesh.uvs
    found = np.column_stack([mesh.vertices[mesh.corners], normals, uvs])
    assert (mesh.normals is not None) == has_normals
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("mode", "faces"),
    [
        (4, [[0, 1, 2]]),
        (5, [[0, 1, 2], [2, 1, 3]]),
        (6, [[0, 1, 2], [0, 2, 3]]),
    ],
)
def test_kinds_of_triangles(load, mode: int, faces: list[list[int]]) -> None:
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1]]
    gltf = Gltf()
    gltf.primitive(points, mode=mode)
    mesh = load(gltf)
    found = mesh.vertices[mesh.corners].reshape(-1, 3, 3)
    wanted = np.array(points, dtype=np.float32)[faces]
    for one, other in zip(found, wanted, strict=True):
        assert any(np.array_equal(np.roll(one, turn, axis=0), other) for turn in range(3))


@pytest.mark.parametrize("mode", [0, 1, 2, 3, 7, "4", None])
def test_points_and_lines_are_left(load, mode) -> None:
    gltf = one_triangle()
    gltf.primitive(mode=mode)
    assert load(gltf).face_count == 1


@pytest.mark.parametrize(("kind", "code"), [("<u1", 5121), ("<u2", 5123), ("<u4", 5125)])
def test_indices_of_every_type(load, kind: str, code: int) -> None:
    gltf = Gltf()
    indices = gltf.accessor([2, 0, 1], kind, code, "SCALAR")
    gltf.primitive(indices=indices)
    mesh = load(gltf)
    assert mesh.vertices[mesh.corners].tolist() == TRIANGLE[[2, 0, 1]].tolist()


def test_interleaved_rows_and_seams(load) -> None:
    """Vertices that differ in their uvs only are one vertex; their corners differ."""
    rows = np.array(
        [[*p, u, 0.25] for p, u in zip(TRIANGLE[[0, 1, 2, 0, 2, 1]], range(6), strict=True)]
    )
    gltf = Gltf()
    view = gltf.view(rows.astype("<f4").tobytes(), byteStride=20)
    shared = {"bufferView": view, "componentType": 5126, "count": 6}
    gltf.json["accessors"] = [
        shared | {"type": "VEC3"},
        shared | {"type": "VEC2", "byteOffset": 12},
    ]
    gltf.json["meshes"][0]["primitives"] = [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}}]
    mesh = load(gltf)
    assert (len(mesh.vertices), mesh.face_count) == (3, 2)
    assert mesh.uvs is not None
    assert mesh.uvs.tolist() == [[u, 0.75] for u in range(6)]


def test_numbers_in_place_of_fractions(load) -> None:
    gltf = Gltf()
    points = gltf.accessor(
        [[0, 0, 0], [127, 0, 0], [0, -128, 0]], "<i1", 5120, "VEC3", normalized=True
    )
    gltf.json["meshes"][0]["primitives"] = [{"attributes": {"POSITION": points}}]
    assert box_of(load(gltf)) == [[0, -1, 0], [1, 0, 0]]


def test_colours_are_linear_in_the_file(load) -> None:
    gltf = Gltf()
    gltf.json["materials"] = [
        {"name": "half", "pbrMetallicRoughness": {"baseColorFactor": [0.5, 0, 1, 0.25]}},
        {"alphaMode": "BLEND", "pbrMetallicRoughness": {"baseColorFactor": [0, 2, 0, 0.25]}},
    ]
    gltf.primitive(material=0)
    gltf.primitive(TRIANGLE + np.float32(1), material=1)
    gltf.primitive(TRIANGLE + np.float32(2))
    mesh = load(gltf)
    assert mesh.slots is not None
    assert [mesh.materials[slot].color for slot in mesh.slots] == [
        pytest.approx((0.735357, 0, 1, 1), abs=1e-6),
        pytest.approx((0, 1, 0, 0.25)),
        (1, 1, 1, 1),
    ]


def textured(image: dict[str, object], gltf: Gltf | None = None) -> Gltf:
    gltf = gltf or Gltf()
    gltf.json["materials"] = [
        {"name": "skin", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}
    ]
    gltf.json["textures"] = [{"source": 0}]
    gltf.json["images"] = [image]
    gltf.primitive(material=0)
    return gltf


def test_images_within(load) -> None:
    gltf = Gltf()
    (material,) = load(textured({"bufferView": gltf.view(IMAGE)}, gltf)).materials
    assert (material.image, material.texture, material.image_alpha) == (IMAGE, None, False)
    uri = "data:image/png;base64," + base64.b64encode(IMAGE).decode()
    (material,) = load(textured({"uri": uri})).materials
    assert material.image == IMAGE


def test_images_in_other_files(load, tmp_path: Path) -> None:
    (material,) = load(textured({"uri": "skin.png"})).materials
    assert (material.image, material.texture) == (b"", tmp_path / "skin.png")


@pytest.mark.parametrize(
    ("image", "code"),
    [
        ({"bufferView": 99}, "unreadable-texture"),
        ({}, "unreadable-texture"),
        ({"uri": "data:image/png;base64,!"}, "unreadable-texture"),
        ({"uri": "data:"}, "unreadable-texture"),
        ("what", "unreadable-texture"),
    ],
)
def test_images_that_are_not_there(load, notes, image, code: str) -> None:
    mesh = load(textured(image))
    assert (mesh.materials[0].name, mesh.materials[0].image) == ("skin", b"")
    assert notes.codes == [code]


def test_textures_need_a_resolver(tmp_path: Path, notes) -> None:
    (tmp_path / "a.glb").write_bytes(textured({"uri": "../secret.png"}).glb())
    load_gltf(tmp_path / "a.glb", notes, refuse_beside)
    assert notes.codes == ["missing-texture"]


def test_buffers_in_other_files_and_in_the_text(load, tmp_path: Path) -> None:
    gltf = one_triangle()
    (tmp_path / "a.bin").write_bytes(gltf.binary)
    for uri in ("a.bin", "data:;base64," + base64.b64encode(gltf.binary).decode()):
        gltf.json["buffers"] = [{"uri": uri, "byteLength": len(gltf.binary)}]
        assert box_of(load(json.dumps(gltf.json).encode())) == [[0, 0, 0], [1, 2, 3]]


def compressed(name: str) -> Gltf:
    gltf = one_triangle()
    if name.startswith("KHR_draco"):
        gltf.json["meshes"][0]["primitives"][0]["extensions"] = {name: {"bufferView": 0}}
    else:
        gltf.json["bufferViews"][0]["extensions"] = {name: {"buffer": 0}}
    return gltf


@pytest.mark.parametrize("name", ["KHR_draco_mesh_compression", "EXT_meshopt_compression"])
def test_compressed_meshes_are_named(load, name: str) -> None:
    with pytest.raises(MeshError) as caught:
        load(compressed(name))
    assert caught.value.code == "compressed-mesh"
    assert "without compression" in caught.value.message


@pytest.mark.parametrize(
    "change",
    [
        {"count": 10**12},
        {"count": 4},
        {"count": -1},
        {"count": 1.5},
        {"count": True},
        {"byteOffset": 8},
        {"byteOffset": -4},
        {"bufferView": None},
        {"bufferView": 7},
        {"componentType": 1},
        {"componentType": 5126.0},
        {"type": "MAT4"},
        {"type": []},
        {"sparse": {}},
    ],
)
def test_data_that_are_not_there(load, change) -> None:
    gltf = one_triangle()
    gltf.json["accessors"][0] |= change
    with pytest.raises(MeshError):
        load(gltf)


def test_a_mesh_shown_a_million_times_is_refused_in_time(
    load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urdf_importer.core.meshes.gltf.load.MOST_CORNERS", 3000)
    gltf = one_triangle()
    gltf.json["nodes"] = [{"mesh": 0}] * 5000
    gltf.json["scenes"] = [{"nodes": list(range(5000))}]
    for _ in within(5.0):
        with pytest.raises(MeshError) as caught:
            load(gltf)
        assert caught.value.code == "mesh-too-large"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "unreadable-mesh"),
        (b"glTF", "unreadable-mesh"),
        (b"glTF\2\0\0\0\0\0\0\0\xff\xff\xff\xffJSON{}", "unsupported-mesh-format"),
        (b"[" * 100_000, "unreadable-mesh"),
        (b"[]", "unreadable-mesh"),
        (b"{", "unreadable-mesh"),
        (b'{"a": NaN}', "unreadable-mesh"),
        (b'{"a": ' + b"9" * 5000 + b"}", "unreadable-mesh"),
        (b'{"asset": {"version": "1.0"}}', "unsupported-mesh-format"),
        (b'{"asset": {"version": "2.0"}}', "empty-mesh"),
    ],
)
def test_what_is_no_gltf(load, content: bytes, code: str) -> None:
    with pytest.raises(MeshError) as caught:
        load(content)
    assert caught.value.code == code


def whole_document() -> Gltf:
    gltf = Gltf()
    textured({"bufferView": gltf.view(IMAGE)}, gltf)
    gltf.json["meshes"][0]["primitives"][0]["indices"] = gltf.accessor(
        [0, 1, 2], "<u2", 5123, "SCALAR"
    )
    gltf.json["nodes"] = [
        {"children": [1], "rotation": [0, 0, 0, 1]},
        {"mesh": 0, "matrix": [1] * 16},
    ]
    return gltf


PATHS = [
    ("nodes",), ("nodes", 0), ("nodes", 0, "children"), ("nodes", 0, "rotation"),
    ("nodes", 1, "matrix"), ("nodes", 1, "mesh"), ("scenes",), ("scenes", 0, "nodes"), ("scene",),
    ("meshes",), ("meshes", 0), ("meshes", 0, "primitives"), ("meshes", 0, "primitives", 0),
    ("meshes", 0, "primitives", 0, "attributes"), ("meshes", 0, "primitives", 0, "indices"),
    ("meshes", 0, "primitives", 0, "attributes", "POSITION"), ("accessors", 0, "count"),
    ("meshes", 0, "primitives", 0, "material"), ("meshes", 0, "primitives", 0, "mode"),
    ("accessors", 1), ("accessors", 0, "type"), ("accessors", 1, "componentType"),
    ("bufferViews", 0), ("bufferViews", 1, "byteOffset"), ("bufferViews", 1, "byteStride"),
    ("materials",), ("materials", 0), ("materials", 0, "name"), ("textures", 0), ("images", 0),
    ("materials", 0, "pbrMetallicRoughness"), ("textures", 0, "source"), ("images", 0, "uri"),
    ("asset",),
]  # fmt: skip
VALUES = st.sampled_from(
    [None, 0, 1, 2, 3, 5, -1, 10**30, 1.5, 1e300, "", "data:,x", "VEC3", True, [], {}, [[]], [0],
     [1, 1], {"a": 1}, [None], [1e300] * 16, [0.0] * 4, 5120, 5125, 4, 6]
)  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from(PATHS), VALUES), max_size=4), st.integers(0, 3000))
def test_any_document_gives_a_mesh_or_a_mesh_error(
    tmp_path_factory, check: Check, changes, cut: int
) -> None:
    gltf = whole_document()
    for (*way, last), value in changes:
        place = gltf.json
        try:
            for step in way:
                place = place[step]
            place[last] = copy.deepcopy(value)
        except (TypeError, KeyError, IndexError):
            continue
    path = tmp_path_factory.getbasetemp() / "fuzz.glb"
    content = gltf.glb()
    path.write_bytes(content[:cut] if cut < 100 else content)
    try:
        check(load_gltf(path, lambda code, message: None, refuse_beside))
    except MeshError as error:
        assert error.code
