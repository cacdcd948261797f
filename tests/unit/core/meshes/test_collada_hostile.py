# SPDX-License-Identifier: GPL-3.0-or-later
"""COLLADA files that are damaged, lie or mean harm: a mesh, or a MeshError that says why not."""

import builtins
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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
from urdf_importer.core.meshes.collada import load as collada
from urdf_importer.core.meshes.collada import load as collada_xml
from urdf_importer.core.meshes.collada import scene as collada_scene

Check = Callable[[MeshData], None]

BOMB = (
    "<!DOCTYPE COLLADA [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>"
    "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'>]>"
)


@pytest.fixture
def load(tmp_path: Path) -> Loads:
    return Loads(tmp_path)


@pytest.fixture
def few_seconds() -> Iterator[None]:
    start = time.process_time()
    yield
    assert time.process_time() - start < 20


def refusal(load: Loads, text: str | bytes) -> str:
    with pytest.raises(MeshError) as error:
        load(text)
    return error.value.code


# The text


@pytest.mark.parametrize(
    "head",
    [
        BOMB,
        "<!DOCTYPE COLLADA [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>",
        "<!DOCTYPE COLLADA [<!ENTITY % a SYSTEM 'file:///etc/passwd'> %a;]>",
        f"<!--{' ' * 200_000}-->{BOMB}",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused(load: Loads, head: str, encoding: str) -> None:
    text = document(head=head).replace("<p>0 2", "<p>&a; 2")
    assert refusal(load, text.encode(encoding)) == "unreadable-mesh"


def test_a_document_type_alone_does_no_harm(load: Loads) -> None:
    head = "<!DOCTYPE COLLADA SYSTEM 'http://localhost:1/collada.dtd'>"
    assert load(document(head=head)).face_count == 6
    assert load.notes == []


@pytest.mark.parametrize(
    ("before", "after", "notes"),
    [
        (b"\xef\xbb\xbf", b"", []),
        (b" \r\n\t<?xml version='1.0' encoding='utf-8'?>", b"", []),
        (b"\xef\xbb\xbf\n<?xml version='1.0'?>", b"\n", []),
        (b"\n\xef\xbb\xbf<?xml version='1.0'?>", b"", []),
        (b"", b"\0\0\0\n", []),
        (b"", b"\n\n<!-- end -->", []),
        (b"", b"</COLLADA>", ["trailing-junk"]),
        (b"", b"\0more", ["trailing-junk"]),
        (b"<?xml version='1.0' encoding='utf-8'?>", b"<more/>", ["trailing-junk"]),
    ],
)
def test_what_stands_around_a_document(
    load: Loads, before: bytes, after: bytes, notes: list[str]
) -> None:
    assert load(before + document().encode() + after).face_count == 6
    assert load.notes == notes


def test_text_in_other_encodings(load: Loads) -> None:
    text = document(asset="<author>Jos\xe9</author><unit meter='2'/>")
    for data, notes in (
        (text.encode("utf-16"), []),
        (text.encode("latin-1"), ["wrong-encoding"]),
        (b"<?xml version='1.0' encoding='latin-1'?>" + text.encode("latin-1"), []),
        (b"<?xml version='1.0' encoding='no-such'?>" + text.encode(), ["wrong-encoding"]),
    ):
        assert load(data).vertices.max() == 6
        assert load.notes == notes


@pytest.mark.parametrize(
    "text", ["", "<", "x", "<COLLADA>", "<html/>", "<a><COLLADA/></a>", document()[:-1], "PK\3\4"]
)
def test_what_is_no_document(load: Loads, text: str) -> None:
    assert refusal(load, text) == "unreadable-mesh"


def test_an_empty_document(load: Loads) -> None:
    assert load("<COLLADA/>").face_count == 0
    assert load.notes == ["empty-mesh"]


def test_more_than_is_read(load: Loads, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collada_xml, "MOST_BYTES", 100)
    assert refusal(load, document()) == "mesh-too-large"
    monkeypatch.undo()
    monkeypatch.setattr(collada_xml, "MOST_TAGS", 10)
    assert refusal(load, document()) == "mesh-too-large"


def test_no_other_file_is_opened(load: Loads, monkeypatch: pytest.MonkeyPatch) -> None:
    load(document())
    opened = []
    real_open, real_os_open = builtins.open, os.open

    def watch(path, *args, **words):
        if not isinstance(path, int):
            opened.append(path)
        return real_open(path, *args, **words)

    def watch_os(path, *args, **words):
        opened.append(path)
        return real_os_open(path, *args, **words)

    library = "<library_images><image id='i'><init_from>/etc/passwd</init_from></image>"
    text = document(libraries=f"{library}</library_images>")
    load.path.write_text(text)
    monkeypatch.setattr(builtins, "open", watch)
    monkeypatch.setattr(os, "open", watch_os)
    collada.load_collada(load.path, load.note)
    assert opened == [load.path]


# The scene


@pytest.mark.usefixtures("few_seconds")
def test_nodes_nested_without_end(load: Loads) -> None:
    deep = 150_000
    mesh = load(document(f"{'<node>' * deep}{INSTANCE}{'</node>' * deep}"))
    assert mesh.face_count == 6
    deep = collada_scene.MOST_VISITS
    assert refusal(load, document("<node>" * deep + "</node>" * deep)) == "mesh-too-large"


def test_nodes_that_hold_themselves(load: Loads) -> None:
    nodes = (
        f"<node id='a'>{INSTANCE}<instance_node url='#b'/></node>"
        "<node id='b'><instance_node url='#a'/></node>"
    )
    mesh = load(document(nodes))
    assert (len(mesh.vertices), set(load.notes)) == (5, {"recursive-node"})


@pytest.mark.usefixtures("few_seconds")
def test_nodes_that_double(load: Loads) -> None:
    steps = "".join(
        f"<node id='n{i}'><instance_node url='#n{i + 1}'/><instance_node url='#n{i + 1}'/></node>"
        for i in range(40)
    )
    library = f"<library_nodes>{steps}<node id='n40'>{INSTANCE}</node></library_nodes>"
    nodes = "<node><instance_node url='#n0'/></node>"
    assert refusal(load, document(nodes, libraries=library)) == "mesh-too-large"


@pytest.mark.usefixtures("few_seconds")
def test_instances_of_a_large_geometry(load: Loads, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collada, "MOST_CORNERS", 1000)
    text = document(f"<node>{INSTANCE * 50}</node>")
    assert refusal(load, text) == "mesh-too-large"
    monkeypatch.undo()
    assert load(text).face_count == 300
    monkeypatch.setattr(collada, "MOST_PARTS", 49)
    assert refusal(load, text) == "mesh-too-large"


@pytest.mark.usefixtures("few_seconds")
def test_many_primitives_of_one_large_source(load: Loads) -> None:
    """What each of them costs must not depend on the source."""
    inputs = "<input semantic='NORMAL' source='#n' offset='0'/>"
    one = faces_text("triangles", "0 1 2", inputs=inputs)
    shape = geometry(one * 3000, sources=source("n", "0 0 1 " * 100_000))
    assert load(document(geometries=[shape])).face_count == 3000


@pytest.mark.parametrize(
    "damage",
    [
        ("<accessor stride='3'>", "<accessor stride='999'>"),
        ("<accessor stride='3'>", "<accessor stride='-3'>"),
        ("<accessor stride='3'>", "<accessor>"),
        ("<float_array>", "<float_array count='99999999999'>"),
        (f"<float_array>{PYRAMID}</float_array>", ""),
        (f"<float_array>{PYRAMID}</float_array>", "<float_array/>"),
        (PYRAMID, PYRAMID + " 7"),
        ("offset='0'", "offset='-1'"),
        ("offset='0'", "offset='999999999999'"),
        ("offset='0'", ""),
        ("source='#p'", "source='#v'"),
        ("source='#v'", "source='#p'"),
        ("<param name='X' type='float'/>", ""),
        ("semantic='POSITION'", "semantic='NORMAL'"),
        ("<vertices id='v'>", "<vertices>"),
        ("<mesh>", "<spline>"),
    ],
)
def test_damaged_geometry_says_so(load: Loads, check: Check, damage: tuple[str, str]) -> None:
    text = document().replace(*damage)
    if damage[0] == "<mesh>":
        text = text.replace("</mesh>", "</spline>")
    mesh = load(text)
    check(mesh)
    assert mesh.face_count == 6 or {"invalid-geometry", "invalid-facets"} & {*load.notes}


# Anything


SEEDS = [
    document().encode(),
    document(
        "<node><rotate>0 0 1 30</rotate><instance_geometry url='#g'/></node>",
        [
            geometry(
                CLOSED
                + faces_text("polylist", "0 0 1 0 2 0 3 0", vcount="4", material="m")
                + faces_text("tristrips", "0 1 2 3|4 3 2")
                + faces_text("polygons", "0 1 2 3|0 3 4", material="m"),
                sources=source("n", "0 0 1"),
            )
        ],
        libraries=(
            "<library_effects><effect id='e'><profile_COMMON><technique><phong><diffuse><color>"
            "1 0 0 1</color></diffuse><transparency><float>0.5</float></transparency></phong>"
            "</technique></profile_COMMON></effect></library_effects><library_materials><material "
            "id='m'><instance_effect url='#e'/></material></library_materials>"
        ),
    ).encode(),
]
WORDS = [b"0", b"-1", b"nan", b"1e400", b"99999999999", b"<p>", b"</p>", b"'", b"#g", b"#v", b" "]
PIECE = st.sampled_from(WORDS) | st.binary(max_size=4)
EDIT = st.tuples(st.floats(0, 1), st.integers(0, 30), PIECE)


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data(), st.lists(EDIT, min_size=1, max_size=8))
def test_damaged_bytes(
    load: Loads, check: Check, quirk_meshes: Path, data: st.DataObject, edits: list
) -> None:
    files = [path.read_bytes() for path in sorted(quirk_meshes.glob("*.dae"))]
    text = data.draw(st.sampled_from([*SEEDS, *files]))
    for share, length, piece in edits:
        place = int(share * len(text))
        text = text[:place] + piece + text[place + length :]
    try:
        mesh = load(text)
    except MeshError as error:
        assert error.code in {"unreadable-mesh", "git-lfs-pointer"}
    else:
        check(mesh)


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_damaged_words(load: Loads, check: Check, quirk_meshes: Path, data: st.DataObject) -> None:
    """Well-formed, with texts, attributes and whole elements changed for others."""
    files = [path.read_bytes() for path in sorted(quirk_meshes.glob("*.dae"))[1:]]
    whole = [each for each in [*SEEDS, *files] if each.rstrip().endswith(b"</COLLADA>")]
    text = data.draw(st.sampled_from(whole)).decode()
    marks = ("'", '"', ">", " ")
    for _ in range(data.draw(st.integers(1, 5))):
        words = [each for mark in marks for each in text.split(mark) if 0 < len(each) < 12]
        old, new = data.draw(st.sampled_from(words)), data.draw(st.sampled_from(words))
        if not set(old + new) & set("<>/'\""):
            text = text.replace(old, new, data.draw(st.integers(1, 3)))
    try:
        mesh = load(text)
    except MeshError as error:
        assert error.code in {"unreadable-mesh", "mesh-too-large"}
    else:
        check(mesh)
