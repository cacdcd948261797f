# SPDX-License-Identifier: GPL-3.0-or-later
"""STL as it is found: every oddity, real files against other readers, and hostile bytes."""

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import stl.mesh
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.meshes import stl as our_stl
from urdf_importer.core.meshes import stl as stl_text
from urdf_importer.core.meshes.stl import load_stl

Check = Callable[[MeshData], None]

TRIANGLES = np.array(
    [
        [[0, 0, 0], [1, 0, 0], [0, 2, 0]],
        [[1, 0, 0], [1, 2, 0], [0, 2, 0]],
        [[0, 0, 0], [0, 2, 0], [0, 0, 3]],
    ],
    dtype=np.float32,
)


def binary_stl(triangles: np.ndarray, header: bytes = b"", count: int | None = None) -> bytes:
    facets = b"".join(
        struct.pack("<12fH", 0, 0, 0, *np.ravel(triangle).tolist(), 0xFFFF)
        for triangle in triangles
    )
    return header.ljust(80, b" ") + struct.pack("<I", count or len(triangles)) + facets


def text_stl(triangles: np.ndarray, name: str = "part") -> str:
    lines = [f"solid {name}"]
    for triangle in triangles.tolist():
        lines += ["facet normal 0 0 0", "  outer loop"]
        lines += ["    vertex {:.9g} {:.9g} {:.9g}".format(*vertex) for vertex in triangle]
        lines += ["  endloop", "endfacet"]
    return "\n".join([*lines, f"endsolid {name}", ""])


def facets_of(mesh: MeshData) -> np.ndarray:
    return mesh.vertices[mesh.corners].reshape(-1, 3, 3)


@pytest.fixture
def load(tmp_path: Path, notes, check: Check) -> Callable[[bytes | str], np.ndarray]:
    """Loads bytes as a file; gives the facets."""

    def load_bytes(content: bytes | str) -> np.ndarray:
        path = tmp_path / "part.stl"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        mesh = load_stl(path, notes)
        check(mesh)
        return facets_of(mesh)

    return load_bytes


def refused(path: Path, notes) -> MeshError:
    with pytest.raises(MeshError) as caught:
        load_stl(path, notes)
    return caught.value


# The quirk files

QUIRKS = {
    "a": (3, []),
    "attr": (3, []),
    "aup": (3, []),
    "comma": (3, ["decimal-commas"]),
    "deg": (3, []),
    "m": (3, []),
    "multi": (3, []),
    "nan": (2, ["invalid-facets"]),
    "noname": (3, []),
    "solidbin": (3, []),
    "trail": (3, []),
    "trunc": (2, ["truncated-mesh"]),
    "zero": (0, ["empty-mesh"]),
}


@pytest.mark.parametrize("name", QUIRKS)
def test_quirks(quirk_meshes: Path, notes, check: Check, name: str) -> None:
    facets, codes = QUIRKS[name]
    mesh = load_stl(quirk_meshes / f"{name}.stl", notes)
    check(mesh)
    assert (mesh.face_count, notes.codes) == (facets, codes)
    assert (mesh.normals, mesh.smooth, mesh.face_sizes) == (None, False, None)
    assert mesh.name == name
    if facets == 3:
        assert mesh.vertices.max(axis=0).tolist() == [1.0, 2.0, 3.0]
        assert mesh.vertices.min(axis=0).tolist() == [0.0, 0.0, 0.0]
        assert len(mesh.vertices) == 5


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        ("head80", "unreadable-mesh", "80 bytes"),
        ("empty", "unreadable-mesh", "empty"),
        ("lfs", "git-lfs-pointer", "git lfs pull"),
    ],
)
def test_quirks_without_a_mesh(quirk_meshes: Path, notes, name: str, code: str, says: str) -> None:
    error = refused(quirk_meshes / f"{name}.stl", notes)
    assert (error.code, notes) == (code, [])
    assert says in error.message


def test_every_stl_quirk_has_an_answer(quirk_meshes: Path) -> None:
    others = {"head80", "empty", "lfs", "with space", "über"}
    assert {path.stem for path in quirk_meshes.glob("*.stl")} == set(QUIRKS) | others


# Binary


@pytest.mark.parametrize("header", [b"", b"solid", b"solid facet normal", b"\0" * 80, b"\xff" * 80])
def test_no_header_matters(load, notes, header: bytes) -> None:
    assert np.array_equal(load(binary_stl(TRIANGLES, header)), TRIANGLES)
    assert notes == []


@pytest.mark.parametrize("count", [4, 1000, 2**31 - 1, 2**31, 2**32 - 1])
@pytest.mark.parametrize("header", [b"exported", b"solid exported"])
def test_a_count_that_lies_allocates_nothing(load, notes, count: int, header: bytes) -> None:
    assert np.array_equal(load(binary_stl(TRIANGLES, header, count)), TRIANGLES)
    assert notes.codes == ["truncated-mesh"]
    assert str(count) in notes[0][1]


def test_every_way_to_cut_a_file_off(tmp_path: Path, notes) -> None:
    whole = binary_stl(TRIANGLES)
    for length in range(len(whole)):
        path = tmp_path / "part.stl"
        path.write_bytes(whole[:length])
        there = (length - 84) // 50
        if there < 1:
            assert refused(path, notes).code == "unreadable-mesh"
        else:
            assert np.array_equal(facets_of(load_stl(path, notes)), TRIANGLES[:there])
            assert notes.codes[-1] == "truncated-mesh"


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e38, -2e9])
def test_facets_with_impossible_numbers_are_left_out(load, notes, bad: float) -> None:
    triangles = TRIANGLES.copy()
    triangles[1, 2, 0] = bad
    assert np.array_equal(load(binary_stl(triangles)), TRIANGLES[[0, 2]])
    assert notes.codes == ["invalid-facets"]
    assert "1 of 3" in notes[0][1]


def test_a_signalling_nan_is_one_too(load, notes) -> None:
    data = bytearray(binary_stl(TRIANGLES))
    data[84 + 12 : 84 + 16] = b"\x01\x00\xa0\x7f"
    assert np.array_equal(load(bytes(data)), TRIANGLES[1:])
    assert notes.codes == ["invalid-facets"]


def test_nothing_but_impossible_numbers(load, notes) -> None:
    assert len(load(binary_stl(np.full((2, 3, 3), np.nan)))) == 0
    assert notes.codes == ["invalid-facets", "empty-mesh"]


def test_facets_without_a_surface_leave_nothing_behind(tmp_path: Path, notes, check: Check) -> None:
    point, line = [[7, 7, 7]] * 3, [[8, 8, 8], [9, 9, 9], [8, 8, 8]]
    path = tmp_path / "part.stl"
    path.write_bytes(binary_stl(np.array([*TRIANGLES.tolist(), point, line], dtype=np.float32)))
    mesh = load_stl(path, notes)
    check(mesh)
    assert np.array_equal(facets_of(mesh), TRIANGLES)
    assert (len(mesh.vertices), notes) == (5, [])


def test_minus_zero_is_zero(load) -> None:
    triangles = np.array(
        [[[0.0, 0, 0], [1, 0, 0], [-0.0, 1, -0.0]], [[-0.0, -0.0, 0], [0, 1, 0], [0, 0, 1]]]
    )
    loaded = load(binary_stl(triangles))
    assert len(np.unique(loaded.reshape(-1, 3), axis=0)) == 4
    assert not np.signbit(loaded).any()


def test_files_that_are_too_large_are_not_read(
    quirk_meshes: Path, notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(our_stl, "MOST_BYTES", 200)
    assert refused(quirk_meshes / "m.stl", notes).code == "mesh-too-large"
    monkeypatch.setattr(our_stl, "MOST_BYTES", 500)
    monkeypatch.setattr(our_stl, "MOST_TEXT_BYTES", 200)
    assert refused(quirk_meshes / "a.stl", notes).code == "mesh-too-large"


def test_a_sparse_file_of_two_gigabytes_is_refused_at_once(tmp_path: Path, notes) -> None:
    path = tmp_path / "huge.stl"
    with path.open("wb") as file:
        file.truncate(2 * 1024**3)
    assert refused(path, notes).code == "mesh-too-large"


# Text


@pytest.mark.parametrize("case", [str.lower, str.upper, str.title])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("indent", ["", "\t", "     "])
def test_the_looks_of_a_text_do_not_matter(load, notes, case, line_end: str, indent: str) -> None:
    text = case(text_stl(TRIANGLES))
    text = line_end.join(indent + line + " " for line in text.splitlines())
    assert np.array_equal(load(text), TRIANGLES)
    assert notes == []


@pytest.mark.parametrize(
    "name", ["", "part_1 2 3", "vertex 1 2 3", "loop", "endfacet", "a, b", "ä"]
)
def test_the_name_of_a_solid_does_not_matter(load, notes, name: str) -> None:
    assert np.array_equal(load(text_stl(TRIANGLES, name)), TRIANGLES)
    assert notes == []


def test_all_solids_come_in(load, notes) -> None:
    parts = [text_stl(TRIANGLES[:1], "a"), "", text_stl(TRIANGLES[1:], "b")]
    assert np.array_equal(load("\ufeff\n" + "\n".join(parts)), TRIANGLES)
    assert notes == []


@pytest.mark.parametrize(
    ("written", "read", "codes"),
    [
        ("1 2 3", (1, 2, 3), []),
        ("+1e0 2.E0 .3e+1", (1, 2, 3), []),
        ("1.0,2.0,3.0", (1, 2, 3), []),
        ("1.0, 2.0, 3.0", (1, 2, 3), []),
        ("1, 2, 3", (1, 2, 3), []),
        ("1 2 3 # corner", (1, 2, 3), []),
        ("1 2 3 4", (1, 2, 3), []),
        ("1e-60 2 3", (0, 2, 3), []),
        ("1 2", None, ["invalid-facets"]),
        ("", None, ["invalid-facets"]),
        ("one 2 3", None, ["invalid-facets"]),
        ("1_0 2 3", None, ["invalid-facets"]),
        ("1.2.3 2 3", None, ["invalid-facets"]),
        ("nan 2 3", None, ["invalid-facets"]),
        ("-INF 2 3", None, ["invalid-facets"]),
        ("1e400 2 3", None, ["invalid-facets"]),
        ("0x1p3 2 3", None, ["invalid-facets"]),
        ("\u0661 2 3", None, ["invalid-facets"]),
        ("1.#QNAN 2 3", None, ["invalid-facets"]),
    ],
)
def test_numbers(load, notes, written: str, read, codes: list[str]) -> None:
    triangles = TRIANGLES.copy()
    triangles[1, 0] = (77, 78, 79)
    text = text_stl(triangles).replace("77 78 79", written)
    if read is None:
        expected = TRIANGLES[[0, 2]]
    else:
        triangles[1, 0] = read
        expected = triangles
    assert np.array_equal(load(text), expected)
    assert notes.codes == codes


def test_too_few_numbers_are_not_made_up_for_by_too_many(load, notes) -> None:
    text = text_stl(TRIANGLES).replace("1 0 0\n", "1 0\n", 1).replace("0 2 0\n", "0 2 0 9\n", 1)
    assert np.array_equal(load(text), TRIANGLES[1:])
    assert notes.codes == ["invalid-facets"]


def test_numbers_beyond_single_precision_in_a_text_that_breaks_off(load, notes) -> None:
    text = text_stl(TRIANGLES).replace("1 0 0\n", "1e39 0 0\n", 1)
    assert np.array_equal(load(text[: text.rindex("vertex") + 6]), TRIANGLES[1:2])
    assert notes.codes == ["invalid-facets"]


def test_decimal_commas(load, notes) -> None:
    triangles = TRIANGLES / np.float32(8)
    text = text_stl(triangles, "v1.2").replace(".", ",")
    assert np.array_equal(load(text), triangles)
    assert notes.codes == ["decimal-commas"]


@pytest.mark.parametrize("count", [0, 1, 2, 4, 5])
def test_facets_that_are_no_triangles_are_left_out(load, notes, count: int) -> None:
    vertices = "".join(f"vertex {i} {i * i} 1\n" for i in range(count))
    facet = f"facet normal 0 0 0\nouter loop\n{vertices}endloop\nendfacet\n"
    text = text_stl(TRIANGLES).replace("endsolid", f"{facet}endsolid")
    assert np.array_equal(load(text), TRIANGLES)
    assert notes.codes == ([] if count == 0 else ["invalid-facets"])


def test_a_text_that_ends_in_a_facet(load, notes) -> None:
    text = text_stl(TRIANGLES)
    assert np.array_equal(load(text[: text.rindex("vertex")]), TRIANGLES[:2])
    assert notes.codes == ["invalid-facets"]


@pytest.mark.parametrize("text", ["solid x\nendsolid x\n", "solid facet", "solid facet vertex 1 2"])
def test_texts_without_facets(load, notes, text: str) -> None:
    assert len(load(text)) == 0
    assert notes.codes[-1] == "empty-mesh"


@pytest.mark.parametrize("piece", [1, 100, 250, 1000, 10**6])
def test_pieces_do_not_show(load, notes, monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    monkeypatch.setattr(stl_text, "PIECE", piece)
    triangles = np.random.default_rng(3).normal(size=(40, 3, 3)).astype(np.float32)
    assert np.array_equal(load(text_stl(triangles).replace("endfacet", "EndFacet")), triangles)
    assert notes == []


@given(
    st.lists(st.tuples(*[st.floats(-1e9, 1e9, width=32)] * 9), min_size=1, max_size=20, unique=True)
)
def test_text_and_binary_say_the_same(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[float, ...]]
) -> None:
    triangles = np.array(rows, dtype=np.float32).reshape(-1, 3, 3)
    folder = tmp_path_factory.getbasetemp()
    (folder / "text.stl").write_text(text_stl(triangles))
    (folder / "binary.stl").write_bytes(binary_stl(triangles))
    notes: list[tuple[str, str]] = []
    text, binary = (
        load_stl(folder / name, lambda *note: notes.append(note))
        for name in ("text.stl", "binary.stl")
    )
    assert np.array_equal(text.vertices, binary.vertices)
    assert np.array_equal(text.corners, binary.corners)
    assert {code for code, _ in notes} <= {"empty-mesh"}


# Real files


def test_real_files_as_numpy_stl_reads_them(
    real_stl_files: list[Path], notes, check: Check
) -> None:
    """Facet by facet, but for those without a surface; nothing is substituted in any of them."""
    for path in real_stl_files:
        expected = stl.mesh.Mesh.from_file(str(path), calculate_normals=False).vectors
        a, b, c = (expected + np.float32(0)).transpose(1, 0, 2)
        has_surface = (a != b).any(axis=1) & (b != c).any(axis=1) & (c != a).any(axis=1)
        mesh = load_stl(path, notes)
        check(mesh)
        assert mesh.face_count == np.count_nonzero(has_surface), path
        assert np.array_equal(facets_of(mesh), expected[has_surface]), path
        assert len(np.unique(mesh.vertices, axis=0)) == len(mesh.vertices), path
    assert notes == []


def test_real_files_have_the_extents_that_trimesh_sees(real_stl_files: list[Path], notes) -> None:
    for path in real_stl_files[::20]:
        bounds = trimesh.load_mesh(path).bounds
        mesh = load_stl(path, notes)
        assert np.array_equal(mesh.vertices.min(axis=0), bounds[0].astype(np.float32)), path
        assert np.array_equal(mesh.vertices.max(axis=0), bounds[1].astype(np.float32)), path


# Hostile bytes

SEEDS = [
    binary_stl(TRIANGLES),
    binary_stl(TRIANGLES, b"solid"),
    text_stl(TRIANGLES).encode(),
    text_stl(TRIANGLES).replace(" 0", " 0,0").encode(),
]
WORDS = [
    *b"solid|facet|vertex|loop|endfacet|endsolid|1e9999|nan|,|.|\n|\0|-|1 2 3\n|\xff".split(b"|"),
]


@st.composite
def mutated_files(draw: st.DrawFn) -> bytes:
    data = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(data)))
        cut = draw(st.integers(0, 8))
        data[at : at + cut] = draw(st.sampled_from(WORDS) | st.binary(max_size=8))
    return bytes(data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data)


@given(
    mutated_files()
    | st.binary(max_size=400)
    | st.lists(st.sampled_from(WORDS), max_size=40).map(
        lambda words: b"solid facet " + b" ".join(words)
    )
)
def test_any_bytes_give_a_mesh_or_a_mesh_error(
    tmp_path_factory: pytest.TempPathFactory, check: Check, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.stl"
    path.write_bytes(data)
    notes: list[tuple[str, str]] = []
    try:
        mesh = load_stl(path, lambda *note: notes.append(note))
    except MeshError as error:
        assert error.code in ("unreadable-mesh", "git-lfs-pointer")
    else:
        check(mesh)
        assert mesh.face_count or notes[-1][0] == "empty-mesh"
        assert np.abs(mesh.vertices).max(initial=0) <= 1e9


@pytest.mark.parametrize("text", ["solid\nfacet ", "solid\n" * 40_000, "vertex\n", "loop "])
def test_long_texts_of_nonsense_take_no_time(load, notes, text: str) -> None:
    load("solid x\nfacet\n" + text * (2_000_000 // len(text)))
    assert notes.codes[-1] == "empty-mesh"
