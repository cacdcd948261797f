# SPDX-License-Identifier: GPL-3.0-or-later
"""PLY, text and binary of both byte orders, and bytes that lie."""

import math
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.seconds import within
from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.meshes.ply import load_ply

Check = Callable[[MeshData], None]
POINTS = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 2.0, 0.0), (0.0, 2.0, 3.0)]
ORDERS = {"binary_little_endian": "<", "binary_big_endian": ">"}


def ply(form: str, faces: list[list[int]], *, extra: bool = False, vertices: int = 4) -> bytes:
    """The points and faces; `extra` adds properties and elements that nobody needs."""
    lines = ["ply", f"format {form} 1.0", "comment made here", f"element vertex {vertices}"]
    lines += ["property float x", "property float y", "property float z"]
    if extra:
        lines += ["property uchar red"]
        lines[3:3] = ["element camera 1", "property list uchar short a", "property double b"]
    lines += [f"element face {len(faces)}"]
    if extra:
        lines += ["property uchar flags"]
    lines += ["property list uchar int vertex_indices"]
    if extra:
        lines += ["property list uchar float texcoord"]
    header = ("\n".join(lines) + "\nend_header\n").encode()
    return header + (
        _text(faces, extra) if form == "ascii" else _binary(ORDERS[form], faces, extra)
    )


def _text(faces: list[list[int]], extra: bool) -> bytes:
    lines = ["2 7 8 0.5"] if extra else []
    lines += [f"{x} {y} {z}" + (" 255" if extra else "") for x, y, z in POINTS]
    for face in faces:
        listed = " ".join(map(str, [len(face), *face]))
        lines.append(f"1 {listed} 2 0.5 0.5" if extra else listed)
    return "\n".join([*lines, ""]).encode()


def _binary(order: str, faces: list[list[int]], extra: bool) -> bytes:
    data = struct.pack(order + "Bhhd", 2, 7, 8, 0.5) if extra else b""
    for point in POINTS:
        data += struct.pack(order + "fff", *point) + (b"\xff" if extra else b"")
    for face in faces:
        data += b"\1" if extra else b""
        data += struct.pack(f"{order}B{len(face)}i", len(face), *face)
        data += struct.pack(order + "Bff", 2, 0.5, 0.5) if extra else b""
    return data


@pytest.fixture
def load(tmp_path: Path, notes, check: Check) -> Callable[[bytes], MeshData]:
    def load_bytes(content: bytes) -> MeshData:
        path = tmp_path / "part.ply"
        path.write_bytes(content)
        mesh = load_ply(path, notes)
        check(mesh)
        return mesh

    return load_bytes


@pytest.mark.parametrize("form", ["ascii", *ORDERS])
@pytest.mark.parametrize("extra", [False, True])
@pytest.mark.parametrize(
    "faces", [[[0, 1, 2]], [[0, 1, 2], [0, 2, 3]], [[0, 1, 2, 3]], [[0, 1, 2, 3], [0, 2, 1]]]
)
def test_all_forms_say_the_same(load, notes, form, extra, faces) -> None:
    mesh = load(ply(form, faces, extra=extra))
    sizes = [3] * mesh.face_count if mesh.face_sizes is None else mesh.face_sizes.tolist()
    found = [part.tolist() for part in np.split(mesh.corners, np.cumsum(sizes)[:-1])]
    assert (found, notes) == (faces, [])
    assert mesh.vertices.tolist() == [list(p) for p in POINTS[: len(mesh.vertices)]]


def test_quirk_file(quirk_meshes: Path, notes, check: Check) -> None:
    mesh = load_ply(quirk_meshes / "p.ply", notes)
    check(mesh)
    assert (mesh.face_count, mesh.vertices.max(axis=0).tolist(), notes) == (1, [1, 2, 0], [])


def test_normals_and_uvs_of_vertices_come_to_the_corners(load) -> None:
    names = ["x", "y", "z", "nx", "ny", "nz", "s", "t"]
    properties = "".join(f"property float {name}\n" for name in names)
    rows = "0 0 0 0 0 2 0 1\n1 0 0 0 0 0 .5 0\n1 1 0 0 1 0 1 1\n3 2 0 1\n"
    header = f"ply\nformat ascii 1.0\nelement vertex 3\n{properties}element face 1\n"
    mesh = load(f"{header}property list uchar uint vertex_index\nend_header\n{rows}".encode())
    assert mesh.normals is not None and mesh.uvs is not None
    assert mesh.normals.tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 1]]
    assert mesh.uvs.tolist() == [[1, 1], [0, 1], [0.5, 0]]


@pytest.mark.parametrize("form", ["ascii", *ORDERS])
def test_faces_cut_off(load, notes, form: str) -> None:
    content = ply(form, [[0, 1, 2], [0, 2, 3]])
    mesh = load(content[: -6 if form != "ascii" else -4])
    assert (mesh.face_count, notes.codes) == (1, ["truncated-mesh"])


@pytest.mark.parametrize("form", ["ascii", *ORDERS])
def test_counts_that_lie_cost_nothing(load, notes, form: str) -> None:
    content = ply(form, [[0, 1, 2]])
    for _ in within(1.0):
        load(content.replace(b"face 1\n", b"face 999999999999\n"))
        with pytest.raises(MeshError) as caught:
            load(content.replace(b"vertex 4\n", b"vertex 999999999999\n"))
        assert caught.value.code == "empty-mesh"
    assert set(notes.codes) == {"truncated-mesh"}


def test_indices_that_are_not_there(load, notes) -> None:
    mesh = load(ply("binary_little_endian", [[0, 1, 2], [0, 1, 99], [-1, 0, 1]]))
    assert (mesh.face_count, notes.codes) == (1, ["invalid-facets"])


@pytest.mark.parametrize(
    ("kind", "code", "lost"),
    [
        ("uint", "I", [4, 2**31, 2**31 + 1, 2**32 - 1]),
        ("int", "i", [4, -1, -(2**31), 2**31 - 1]),
        ("ushort", "H", [4, 2**16 - 1]),
        ("short", "h", [4, -1]),
        ("uchar", "B", [4, 255]),
        ("char", "b", [4, -1]),
        ("float", "f", [4.0, -1.0, 2.0**31, 2.0**32, 1e30, math.inf, math.nan]),
        ("double", "d", [4.0, -1.0, 2.0**31, 2.0**32, 2.0**64, 1e300, -math.inf, math.nan]),
    ],
)
@pytest.mark.parametrize("order", ORDERS)
def test_indices_of_every_type(
    load, notes, order: str, kind: str, code: str, lost: list[float]
) -> None:
    """None of those that are not there comes to mean another, as what is cut to 32 bits might."""
    content = ply(order, [])
    content = content.replace(b"uchar int", b"uchar " + kind.encode())
    content = content.replace(b"face 0", f"face {len(lost) + 2}".encode())
    faces = [[0, 1, 2], [3, 2, 1], *([0, 1, each] for each in lost)]
    mesh = load(
        content + b"".join(struct.pack(f"{ORDERS[order]}B3{code}", 3, *each) for each in faces)
    )
    assert mesh.corners.tolist() == [0, 1, 2, 3, 2, 1]
    assert notes.codes == ["invalid-facets"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "unreadable-mesh"),
        (b"ply\nformat ascii 1.0\n", "unreadable-mesh"),
        (b"ply\nformat dual 1.0\nend_header\n", "unreadable-mesh"),
        (b"ply\nend_header\n", "unreadable-mesh"),
        (b"ply\nformat ascii 1.0\nproperty float x\nend_header\n", "unreadable-mesh"),
        (b"ply\nformat ascii 1.0\nelement a -1\nend_header\n", "unreadable-mesh"),
        (b"ply\nformat ascii 1.0\nelement a 1\nproperty half x\nend_header\n", "unreadable-mesh"),
        (b"ply\nformat ascii 1.0\nelement a 1\nproperty int x\nproperty int x\nend_header\n1 1\n",
         "unreadable-mesh"),
        (b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\nwhat\n",
         "unreadable-mesh"),
        (b"ply\nformat ascii 1.0\nend_header\n", "empty-mesh"),
        (ply("ascii", []), "empty-mesh"),
    ],
)  # fmt: skip
def test_what_is_no_mesh(load, content: bytes, code: str) -> None:
    with pytest.raises(MeshError) as caught:
        load(content)
    assert caught.value.code == code


@given(
    st.sampled_from(["ascii", *ORDERS]),
    st.booleans(),
    st.integers(0, 400),
    st.binary(max_size=9),
    st.integers(0, 9),
)
def test_any_bytes_give_a_mesh_or_a_mesh_error(
    tmp_path_factory, check: Check, form, extra, place, noise, lost
) -> None:
    content = ply(form, [[0, 1, 2], [0, 1, 2, 3], [1, 2, 3]], extra=extra)
    path = tmp_path_factory.getbasetemp() / "fuzz.ply"
    path.write_bytes(content[:place] + noise + content[place + lost :])
    try:
        check(load_ply(path, lambda code, message: None))
    except MeshError as error:
        assert error.code
