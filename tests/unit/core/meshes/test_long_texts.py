# SPDX-License-Identifier: GPL-3.0-or-later
"""COLLADA whose long texts of numbers the parser of XML does not see: the same meshes and the same
messages as where it sees all."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from support.collada_text import CLOSED, PYRAMID, document, faces_text, geometry
from support.mesh_files import load_all_of
from support.mutations import read_start
from support.paths import ROOT
from support.real_robots import ROOT as REAL_ROBOTS
from support.searches import Bounds, how_many, search
from support.seconds import within
from urdf_importer.core.meshes.collada import load as collada
from urdf_importer.core.meshes.collada import long_texts

Parsed = list[int]

SAMPLES = sorted(
    path
    for folder in (ROOT / "sample_urdfs", ROOT / "tests" / "data")
    for path in folder.rglob("*.dae")
)


@pytest.fixture(autouse=True)
def cut(monkeypatch: pytest.MonkeyPatch) -> Parsed:
    """Has texts of few bytes cut out; how many were, of each document where any was."""
    counts: Parsed = []
    parse_around = long_texts.parse_around

    def watch(data: bytes, parse: long_texts.Parse) -> object:
        found = parse_around(data, parse)
        if found is not None:
            counts.append(len(found[1]))
        return found

    monkeypatch.setattr(long_texts, "_STEP", 4)
    monkeypatch.setattr(collada, "parse_around", watch)
    return counts


def load_whole(path: Path) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collada, "parse_around", lambda data, parse: None)
        return load_all_of(path)


def check_same(path: Path) -> None:
    assert load_all_of(path) == load_whole(path)


MANY = "|".join(["0 2 1", "0 3 2", "0 1 4 ", "1 2 4\n", "2 3 4  ", "3 0 4"])
MADE = [
    document(),
    document(geometries=[geometry(faces_text("polygons", MANY))]),
    document(geometries=[geometry(faces_text("polygons", "0 2|0 3 2 1 0 3 2 1|1|2 3 4 2 1 0"))]),
    document(geometries=[geometry(faces_text("tristrips", "0 1 2 3 4|0 4|4 3 2 1 0 1"))]),
    document(
        geometries=[
            geometry(faces_text("polylist", "0 1 2 3 0 1 4 1 2 4", vcount="4 3 3   3 3 2  "))
        ]
    ),
    document(
        geometries=[geometry(faces_text("lines", "0 2 1 0 3 2 1 2") + CLOSED)],
        libraries=f"<library_animations><float_array>{PYRAMID}</float_array></library_animations>",
    ),
]


def test_long_texts_are_cut_out(tmp_path: Path, cut: Parsed) -> None:
    for text, count in zip(MADE, (2, 7, 3, 3, 3, 3), strict=True):
        path = tmp_path / "made.dae"
        path.write_text(text)
        check_same(path)
        assert cut == [count]
        cut.clear()


@pytest.mark.parametrize(
    "start",
    ["<p >", "<p\n>", "<p a='1' b.c = \"x>y\" >", "<float_array count='-3' id='a\n>'>", "<vcount>"],
)
def test_start_tags(start: str) -> None:
    name = start.strip("<>").split()[0]
    data = f"<geometry>{start}{'0 ' * 20}</{name}></geometry>".encode()
    root, numbers = parse_around(data)
    assert [each.tolist() for each in numbers.values()] == [[0] * 20]
    assert list(numbers) == list(root)


def parse_around(data: bytes) -> tuple[long_texts.Element, long_texts.LongNumbers]:
    found = long_texts.parse_around(data, collada._parse_text)
    assert found is not None
    return found


def test_numbers_that_nobody_shows_are_not_read(cut: Parsed, tmp_path: Path) -> None:
    text = document(libraries=f"<library_controllers><p>{'1 ' * 99}</p></library_controllers>")
    root, numbers = parse_around(text.encode())
    assert {each.tag for each in numbers} == {"float_array", "p"}
    assert len(numbers) == 2
    assert root.findtext("library_controllers/p") == "1 " * 99


ODD = st.sampled_from(
    ["nan", "inf", "-", "1.5", "0x1", "1_0", "-7", "1e39", "1e400", "9" * 30, "+1", "\v", "\f",
     "<!-- 1 -->", "<![CDATA[ 1 ]]>", "&#49;", "&lt;", "]]>", "-->", "?>", "\xe9", "\u0663", "<a/>",
     "cut-out-0", "cut-out-", "cut&#45;out-0", "<p>", "</p>", "<", ">", "\r\n", "\u2003", "\0"]
)  # fmt: skip
AROUND = st.sampled_from(
    ["<!-- {} -->", "<?pi {} ?>", "<![CDATA[{}]]>", "<extra>{}</extra>", "<extra a='{}'/>", "{}",
     "<p><!-- {} --></p>", "<p>{}<!-- --></p>", "<geometry>{}</geometry>"]
)  # fmt: skip
INNER = st.sampled_from(
    ["<p>0 1 2 3 4 5 6 7 8</p>", "<p>0 1 2 3 4 --> 5 6 7 8</p>", "cut-out-0", "cut-out-1",
     "<p>cut&#45;out-1</p>", "<p>cut-out-1</p>", f"<float_array>{PYRAMID}</float_array>",
     "<p>0 1 2 3 4 ]]> 5 6 7</p>", "<p>0 1 2 3 4 ?> 5 6 7</p>", "<q><p>0 1 2 3 4 5</p></q>"]
)  # fmt: skip
ENCODINGS = st.sampled_from(
    [*["utf-8"] * 9, "latin-1", "utf-16", "utf-16-le", "utf-8-sig", "cp1252"]
)
HEADS = st.sampled_from(
    [*[""] * 9, "<?xml version='1.0'?>", "<?xml version='1.0' encoding='latin-1'?>",
     "<?xml version='1.0' encoding='utf-16'?>", "<?xml version='1.0' encoding='cp037'?>",
     "<!DOCTYPE COLLADA>", "<!DOCTYPE COLLADA [<!-- <p>0 1 2 3 4 5 6 7 8</p> -->]>"]
)  # fmt: skip
TAILS = st.sampled_from([*[""] * 9, "\n", "junk", "</COLLADA>"])


@st.composite
def odd_documents(draw: st.DrawFn) -> bytes:
    """What stands within the texts, between the elements and around it all."""
    text = draw(st.sampled_from(MADE))
    for _ in range(draw(st.integers(0, 2))):
        words = text.split(" ")
        words.insert(draw(st.integers(0, len(words))), draw(ODD))
        text = " ".join(words)
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.sampled_from([at for at, each in enumerate(text) if each == "<"]))
        text = text[:place] + draw(AROUND).format(draw(INNER)) + text[place:]
    text = draw(HEADS) + text + draw(TAILS)
    return text.encode(draw(ENCODINGS), "replace")


@settings(max_examples=400, suppress_health_check=list(HealthCheck), deadline=None)
@given(odd_documents())
@example(document().replace("<p>", "<p><!-- <p>").replace("</p>", "</p> --></p>").encode())
@example(document().replace("<p>", "<p><![CDATA[<p>").replace("</p>", "</p>]]></p>").encode())
@example(document().replace("0 0 0 1", "0 0 nan 1").encode())
def test_odd_documents(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "odd.dae"
    path.write_bytes(data)
    check_same(path)


def test_a_mark_of_its_own_takes_no_numbers(tmp_path: Path, cut: Parsed) -> None:
    """The text in the comment is long, too, and the document spells what would take its place."""
    hidden = "<!-- <p>0 1 2 0 1 3 0 1 4</p> -->"
    path = tmp_path / "forged.dae"
    for spelt in ("cut-out-1", "cut&#45;out-1", "cut-out-&#49;", "cut-out&#x2d;1"):
        text = document(geometries=[geometry(hidden + CLOSED.replace("0 2 1", spelt))])
        path.write_text(text)
        check_same(path)
        text = document(geometries=[geometry(f"{hidden}<triangles><p>{spelt}</p></triangles>")])
        path.write_text(text)
        check_same(path)
    assert not cut


@pytest.mark.parametrize("path", SAMPLES[::4], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_samples(path: Path) -> None:
    check_same(path)


@pytest.mark.slow
def test_real_robots(cut: Parsed) -> None:
    paths = sorted(REAL_ROBOTS.rglob("*.dae"))
    for path in paths:
        check_same(path)
    assert len(cut) > 0.9 * len(paths)


@pytest.mark.slow
def test_damaged_files(tmp_path: Path) -> None:
    found = sorted(REAL_ROBOTS.rglob("*.dae"), key=lambda path: path.stat().st_size)
    contents = [read_start(path) for path in [*found[:12], *SAMPLES[::4]]]
    contents = [each for each in contents if len(each) < 100_000]
    assert len(contents) > 12
    path = tmp_path / "damaged.dae"

    def read(content: bytes) -> None:
        path.write_bytes(content)
        check_same(path)

    search("long texts", contents, read, how_many(is_long=True) // 5, Bounds(seconds=10.0))


@pytest.mark.parametrize(
    "data",
    [
        b"<p>" + b" " * 3_000_000,
        b"<p" + b" " * 3_000_000 + b"</p>",
        b"<p " + b"a" * 3_000_000 + b"</p>",
        b"<float_array " + b"a='1' " * 500_000 + b"</float_array>",
        b" " * 3_000_000,
        b"<p>1 2 3 4 5 6 7</p>" * 100_000,
        b"<p>1 2 3 4 5 6 7</q>" * 100_000,
    ],
)
def test_hostile_texts_cost_little(data: bytes) -> None:
    for _ in within(10):
        with pytest.raises(collada.ElementTree.ParseError):
            long_texts.parse_around(data + b"<", collada._parse_text)
            collada._parse_text([data + b"<"])
