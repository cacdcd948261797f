# SPDX-License-Identifier: GPL-3.0-or-later
"""OBJ and MTL as they are found: every oddity, real files against trimesh, and hostile bytes."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from support.real_robots import ROOT
from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.meshes import text_lines
from urdf_importer.core.meshes.obj import load_materials, load_obj

Check = Callable[[MeshData], None]
SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"


def beside(folder: Path):
    """Finds files in a folder, as the importer does with what lies beside the mesh."""

    def resolve(uri: str, kind: str) -> Path:
        path = folder / uri.replace("\\", "/")
        if not path.is_file():
            raise MeshError("there is no such file", code=f"missing-{kind}")
        return path

    return resolve


@pytest.fixture
def load(tmp_path: Path, notes, check: Check) -> Callable[[str | bytes], MeshData]:
    def load_text(text: str | bytes) -> MeshData:
        path = tmp_path / "part.obj"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        mesh = load_obj(path, notes, beside(tmp_path))
        check(mesh)
        return mesh

    return load_text


def faces_of(mesh: MeshData) -> list[list[int]]:
    sizes = [3] * mesh.face_count if mesh.face_sizes is None else mesh.face_sizes.tolist()
    return [part.tolist() for part in np.split(mesh.corners, np.cumsum(sizes)[:-1])]


@pytest.mark.parametrize(
    ("name", "sizes", "box", "codes"),
    [
        ("o.obj", [4, 3], (1, 2, 3), []),
        ("neg.obj", [3, 3, 3], (1, 2, 3), []),
        ("bad.obj", [3], (1, 2, 0), ["invalid-facets"]),
        ("cont.obj", [3, 3], (1, 2, 3), []),
        ("objs.obj", [3, 3], (1, 2, 3), []),
        ("conc.obj", [5], (2, 2, 0), []),
        ("vc.obj", [3], (1, 2, 0), []),
        ("nomtl.obj", [3, 3], (1, 2, 3), ["missing-materials"]),
        ("col.obj", [3, 3], (1, 2, 3), ["missing-texture"]),
    ],
)
def test_quirk_files(quirk_meshes: Path, notes, check: Check, name, sizes, box, codes) -> None:
    mesh = load_obj(quirk_meshes / name, notes, beside(quirk_meshes))
    check(mesh)
    assert [len(face) for face in faces_of(mesh)] == sizes
    assert np.ptp(mesh.vertices, axis=0).tolist() == list(box)
    assert notes.codes == codes


def test_the_texture_with_back_slashes_is_looked_for_as_written(quirk_meshes: Path, notes) -> None:
    mesh = load_obj(quirk_meshes / "col.obj", notes, beside(quirk_meshes))
    (material,) = mesh.materials
    assert (material.name, material.color) == ("red", (1.0, 0.0, 0.0, 1.0))
    assert material.texture is None
    assert "none.png" in notes[0][1]


@pytest.mark.parametrize("text", ["", "v 0 0 0\n", SQUARE + "l 1 2 3\n", SQUARE + "p 1\n"])
def test_nothing_but_lines_and_points(load, text: str) -> None:
    with pytest.raises(MeshError) as caught:
        load(text)
    assert caught.value.code == "empty-mesh"


@pytest.mark.parametrize(
    "face", ["f 1 2 3", "f 1/1 2/2 3/3", "f 1//1 2//2 3//3", "f 1/1/1 2/2/2 3/3/3",
             "f 1/ 2/ 3/", "f 1// 2// 3//", "\tf  1\t2 3 ", "f 1 2/1 3//1", "f 1/1/ 2/1/ 3/1/"]
)  # fmt: skip
def test_every_way_to_write_a_corner(load, notes, face: str) -> None:
    extra = "vt 0 0\nvt 1 0\nvt 1 1\nvn 0 0 1\nvn 0 0 1\nvn 0 0 1\n"
    mesh = load(SQUARE + extra + face + "\n")
    assert faces_of(mesh) == [[0, 1, 2]]
    assert notes == []
    if face == "f 1/1/1 2/2/2 3/3/3":
        assert mesh.uvs is not None and mesh.normals is not None
        assert mesh.uvs.tolist() == [[0, 0], [1, 0], [1, 1]]
        assert mesh.normals.tolist() == [[0, 0, 1]] * 3
    if face == "f 1//1 2//2 3//3":
        assert mesh.uvs is None and mesh.normals is not None


def test_faces_written_differently_are_read_like_those_written_alike(load) -> None:
    extra = "vt 0 0\nvt 1 0\nvt 1 1\nvn 0 0 1\n"
    alike = load(SQUARE + extra + "f 1/1/1 2/2/1 3/3/1\nf 1/1/1 3/2/1 4/3/1\n")
    mixed = load(SQUARE + extra + "f 1/1/1 2/2/1 3/3/1\nf 1/1/1 3/2/1 4/3/1\nf 1 2 3 4\n")
    assert faces_of(mixed)[:2] == faces_of(alike)
    assert alike.uvs is not None and mixed.uvs is not None
    assert mixed.uvs[:6].tolist() == alike.uvs.tolist()
    assert mixed.uvs[6:].tolist() == [[0, 0]] * 4


def test_missing_normals_are_those_of_the_face(load) -> None:
    mesh = load(SQUARE + "vn 1 0 0\nvn 0 0 0\nf 1//1 2//2 3//9\n")
    assert mesh.normals is not None
    assert mesh.normals.tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 1]]


def test_negative_numbers_count_from_the_face_backwards(load) -> None:
    mesh = load(SQUARE + "f -4 -3 -2\nv 5 5 5\nf -5 -1 -2\nf -9 1 2\n")
    assert faces_of(mesh)[:2] == [[0, 1, 2], [0, 4, 3]]
    assert mesh.face_count == 2


@pytest.mark.parametrize(
    ("face", "sizes"),
    [
        ("f 1 2 3 3", [3]),
        ("f 1 1 2 3", [3]),
        ("f 1 2 3 1", [3]),
        ("f 1 2 1 3", [4]),
        ("f 1 1 2", []),
    ],
)
def test_vertices_used_twice(load, notes, face: str, sizes: list[int]) -> None:
    mesh = load(SQUARE + "f 1 3 4\n" + face + "\n")
    assert [len(each) for each in faces_of(mesh)] == [3, *sizes]
    assert notes == []


@pytest.mark.parametrize(
    "face", ["f 1 2", "f 1 2 x", "f 1 2 99999999999999999999999", "f 1.5 2 3", "f 0 1 2", "f 1 2 5",
             "f 1 2 -6", "f 1 2 -9223372036854775808", "f 1 5 2", "f"]
)  # fmt: skip
def test_bad_faces_are_left_out(load, notes, face: str) -> None:
    mesh = load(SQUARE + "v nan 0 0\n" + face + "\nf 1 3 4\n")
    assert len(faces_of(mesh)) == 1
    assert notes.codes == (["invalid-facets"] if face != "f" else [])


@pytest.mark.parametrize("number", ["nan", "inf", "1e400", "x", "1_0", "0x10", "2e9", "1,5", "-"])
def test_bad_vertices_take_their_faces_along_and_keep_their_numbers(load, notes, number) -> None:
    mesh = load(f"v {number} 0 0\n" + SQUARE + "f 1 2 3\nf 2 3 4\n")
    assert mesh.vertices.tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
    assert notes.codes == ["invalid-facets"]


def test_many_bad_lines_end_the_search_for_them(load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_lines, "MOST_FAILURES", 8)
    mesh = load(SQUARE + "f 1 2 3\n" * 64 + "f 1 2 x\n" * 64)
    assert 0 < mesh.face_count <= 64


def write_materials(folder: Path, text: str) -> None:
    (folder / "a.mtl").write_text(text, encoding="utf-8")


def test_each_face_has_its_material(load, notes, tmp_path: Path) -> None:
    write_materials(tmp_path, "newmtl red\nKd 1 0 0\nd 0.5\nnewmtl unused\nnewmtl b c\nKd 0 0 1\n")
    faces = "f 1 2 3\nusemtl red\nf 1 3 4\nusemtl b c\nf 1 2 4\n"
    faces += "usemtl red\nf 2 3 4\nusemtl no\nf 1 2 3 4\n"
    mesh = load("mtllib a.mtl\n" + SQUARE + faces)
    assert [each.name for each in mesh.materials] == ["", "red", "b c", "no"]
    assert mesh.materials[1].color == (1.0, 0.0, 0.0, 0.5)
    assert mesh.slots is not None
    assert mesh.slots.tolist() == [0, 1, 2, 1, 3]
    assert notes.codes == ["undefined-material"]


def test_one_material_needs_no_slots(load, tmp_path: Path) -> None:
    write_materials(tmp_path, "newmtl red\nnewmtl blue\n")
    mesh = load("mtllib a.mtl\nusemtl blue\n" + SQUARE + "f 1 2 3\n")
    assert ([each.name for each in mesh.materials], mesh.slots) == (["blue"], None)


@pytest.mark.parametrize(
    ("text", "color"),
    [
        ("Kd 0.1 0.2 0.3", (0.1, 0.2, 0.3, 1.0)),
        ("Kd 0.5", (0.5, 0.5, 0.5, 1.0)),
        ("Kd 2 -1 nan", (0.8, 0.8, 0.8, 1.0)),
        ("Kd 2 -1 0.5", (1.0, 0.0, 0.5, 1.0)),
        ("Kd spectral a.rfl", (0.8, 0.8, 0.8, 1.0)),
        ("d 0.25", (0.8, 0.8, 0.8, 0.25)),
        ("d -halo 0.25", (0.8, 0.8, 0.8, 0.25)),
        ("Tr 0.25", (0.8, 0.8, 0.8, 0.75)),
        ("Tr 1", (0.8, 0.8, 0.8, 1.0)),
        ("d 0.5\nTr 0.1", (0.8, 0.8, 0.8, 0.5)),
        ("Kd\nd\nTr\nd x", (0.8, 0.8, 0.8, 1.0)),
    ],
)
def test_colours_of_materials(tmp_path: Path, notes, text: str, color) -> None:
    write_materials(tmp_path, f"Kd 0 0 0\nnewmtl a\n{text}\n")
    materials = load_materials(tmp_path / "a.mtl", notes, beside(tmp_path))
    assert materials["a"].color == pytest.approx(color)


@pytest.mark.parametrize(
    "text", ["a b.png", "-s 1 1 1 a b.png", "-clamp on -o 0 0 a b.png", "-bm 0.2 -mm 0 1 a b.png"]
)
def test_maps_with_options_and_blanks(tmp_path: Path, notes, text: str) -> None:
    (tmp_path / "a b.png").write_bytes(b"image")
    write_materials(tmp_path, f"newmtl a\nmap_Kd {text}\n")
    materials = load_materials(tmp_path / "a.mtl", notes, beside(tmp_path))
    assert (materials["a"].texture, notes) == (tmp_path / "a b.png", [])


@pytest.mark.parametrize("text", ['"a b.png"', "'a b.png'", '-s 1 1 1 "a b.png"'])
def test_quotes_about_a_name_are_no_part_of_it(tmp_path: Path, notes, text: str) -> None:
    test_maps_with_options_and_blanks(tmp_path, notes, text)


@pytest.mark.parametrize(
    ("names", "color", "codes"),
    [
        ("one.mtl two.mtl", (1.0, 0.0, 0.0), []),
        ("two.mtl one.mtl", (0.0, 0.0, 1.0), []),
        ("three.mtl one.mtl", (1.0, 0.0, 0.0), ["missing-materials"]),
        ("both of them.mtl", (0.0, 1.0, 0.0), []),
        ('"both of them.mtl"', (0.0, 1.0, 0.0), []),
        ("three.mtl four.mtl", None, ["missing-materials"] * 2),
    ],
)
def test_several_libraries_in_one_line(load, notes, tmp_path: Path, names, color, codes) -> None:
    """They are several unless there is one of the whole name."""
    for name, kd in (("one", "1 0 0"), ("two", "0 0 1"), ("both of them", "0 1 0")):
        (tmp_path / f"{name}.mtl").write_text(f"newmtl a\nKd {kd}\n")
    mesh = load(f"mtllib {names}\n{SQUARE}usemtl a\nf 1 2 3 4\n")
    assert [each.color[:3] for each in mesh.materials if each.name == "a"] == (
        [] if color is None else [color]
    )
    assert notes.codes == codes


def written_faces(path: Path) -> list[list[str]]:
    """The vertices of each face, from the text, whatever else stands there."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    faces = [line.split()[1:] for line in lines if line.startswith("f ")]
    return [[word.split("/")[0] for word in face] for face in faces]


def test_real_files_are_what_trimesh_reads(notes, check: Check) -> None:
    files = sorted(ROOT.glob("**/*.obj"))
    assert len(files) > 70
    for path in files:
        mesh = load_obj(path, notes, beside(path.parent))
        check(mesh)
        scene = trimesh.load(path, process=False, skip_materials=True)
        parts = scene.geometry.values() if isinstance(scene, trimesh.Scene) else [scene]
        bounds = np.array([part.bounds for part in parts])
        low, high = bounds[:, 0].min(axis=0), bounds[:, 1].max(axis=0)
        assert np.allclose([mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)], [low, high])
        sizes = np.full(mesh.face_count, 3) if mesh.face_sizes is None else mesh.face_sizes
        written = written_faces(path)
        assert sum(len(part.faces) for part in parts) == sum(len(face) - 2 for face in written)
        assert sizes.tolist() == [len(face) for face in written if len(set(face)) == len(face)]


WORDS = st.sampled_from(
    ["v", "vt", "vn", "f", "usemtl", "mtllib", "\n", "\n", "\\\n", "\r\n", " ", " ", "/", "//",
     "1", "2", "3", "-1", "-2", "0", "nan", "1e39", "99", "a.mtl", "red", "#", "\0", "é", "."]
)  # fmt: skip


@given(st.lists(WORDS, max_size=60), st.binary(max_size=12), st.integers(0, 200))
def test_any_text_gives_a_mesh_or_a_mesh_error(
    tmp_path_factory, check: Check, words: list[str], noise: bytes, place: int
) -> None:
    folder = tmp_path_factory.getbasetemp()
    text = (SQUARE + "f 1/1/1 2//2 3 4\n" + "".join(words)).encode()
    (folder / "fuzz.obj").write_bytes(text[:place] + noise + text[place:])
    write_materials(folder, "newmtl red\nmap_Kd x.png\n")
    try:
        check(load_obj(folder / "fuzz.obj", lambda code, message: None, beside(folder)))
    except MeshError as error:
        assert error.code
