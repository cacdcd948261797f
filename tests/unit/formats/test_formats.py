# SPDX-License-Identifier: GPL-3.0-or-later
"""Which reader a file gets: by its first tag, else by its suffix."""

from contextlib import suppress
from pathlib import Path
from xml.parsers import expat

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urdf_importer.core.pipeline.formats
from urdf_importer import (
    Diagnostics,
    ReadError,
    Robot,
    list_xacro_arguments,
    read_robot,
    reader_formats,
)
from urdf_importer.core.model import Link
from urdf_importer.core.readers.formats import (
    Description,
    ReaderFormat,
    choose_reader,
    find_root_tag,
)

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,8}", fullmatch=True)
PLAIN = st.text(st.characters(exclude_characters="-?>[]<&", min_codepoint=32, max_codepoint=500))
OTHERS = st.one_of(
    PLAIN.map(lambda text: f"<!-- <no {text}> -->"),
    PLAIN.map(lambda text: f"<?style <no {text}?>"),
    st.sampled_from(["\n", " ", "\t"]),
)


def toy_read(given: Description) -> Robot:
    given.diagnostics.warning("missing-robot-name", given.options.profile)
    return Robot(name=given.data.decode(), links=(Link(name="only"),), source=given.source)


TOY = ReaderFormat(
    name="toy",
    label="Toy",
    description="Load toys",
    suffixes=(".toy", ".xml"),
    roots=("toy", "Toy"),
    read=toy_read,
)
URDF = reader_formats()[0]


@given(name=NAMES, prefix=st.none() | NAMES, prolog=st.lists(OTHERS), mark=st.booleans())
def test_the_root_is_the_one_that_a_parser_finds(
    name: str, prefix: str | None, prolog: list[str], mark: bool
) -> None:
    tag = name if prefix is None else f"{prefix}:{name}"
    text = f"{''.join(prolog)}<{tag}><other/></{tag}>"
    for data in (text.encode("utf-8-sig" if mark else "utf-8"), text.encode("utf-16")):
        found: list[str] = []
        parser = expat.ParserCreate()
        parser.StartElementHandler = lambda tag, attributes, found=found: found.append(tag)
        parser.Parse(data, True)
        assert find_root_tag(data, "file") == found[0].rpartition(":")[2]


@pytest.mark.parametrize(
    "data",
    [b"", b"text", b"<", b"<>", b"<!-- <robot/>", b"<?xml <robot/>", b"\xff\xfe\x00", b"<!x",
     b"version https://git-lfs.github.com/spec/v1\n"],
)  # fmt: skip
def test_what_has_no_root(data: bytes) -> None:
    assert find_root_tag(data, "file") == ""


@given(st.binary(max_size=60), st.sampled_from([b"", b"\xff\xfe", b"<!--", b"<?", b"<!DOCTYPE [<"]))
def test_any_bytes_have_a_reader(data: bytes, start: bytes) -> None:
    """Files of other kinds, such as databases, are refused by their name."""
    with suppress(ReadError):
        assert choose_reader(start + data, "file", (URDF, TOY)) in (URDF, TOY)


def test_openings_without_end_take_linear_time() -> None:
    """A square of this would take hours."""
    for piece in (b"<!--", b"<?", b"<!", b"<", b"<!-->"):
        assert find_root_tag(piece * (4_000_000 // len(piece)), "file") == ""


@pytest.mark.parametrize(
    ("data", "name", "wanted"),
    [
        (b"<toy/>", "a.urdf", TOY),
        (b"<x:Toy/>", "a", TOY),
        (b"<robot/>", "a.toy", URDF),
        (b"<robot/>", "a.xml", URDF),
        (b"<sdf/>", "a.TOY", TOY),
        (b"no markup", "a.toy", TOY),
        (b"no markup", "a", URDF),
        (b"<sdf/>", "a.b", URDF),
    ],
)
def test_tags_count_more_than_suffixes(data: bytes, name: str, wanted: ReaderFormat) -> None:
    assert choose_reader(data, name, (URDF, TOY)) is wanted


def test_one_record_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    formats = urdf_importer.core.pipeline.formats
    monkeypatch.setattr(formats, "reader_formats", lambda: (URDF, TOY))
    path = tmp_path / "robot.toy"
    path.write_text("<toy/>")
    diagnostics = Diagnostics(str(path))
    robot = read_robot(path, diagnostics=diagnostics)
    assert robot.name == "<toy/>" and robot.source == str(path)
    assert [item.message for item in diagnostics] == ["native"]


def test_formats_claim_nothing_twice() -> None:
    names = [each.name for each in reader_formats()]
    roots = [root for each in reader_formats() for root in each.roots]
    suffixes = [suffix for each in reader_formats() for suffix in each.suffixes]
    for claims in (names, roots, suffixes):
        assert len(claims) == len(set(claims))
    assert all(each == each.lower() and each.startswith(".") for each in suffixes)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("<mujoco/>", "mjcf"),
        ("<?xml version='1.0'?><!-- <robot/> --><mujocoinclude/>", "mjcf"),
        ("<robot/>", "urdf"),
        ("<sdf/>", "sdf"),
        ("<PhysicalModelingXMLFile/>", "simmechanics"),
        ("<SimscapeMultibodyImportXML/>", "simmechanics"),
    ],
)
def test_what_an_xml_is_shows_its_first_tag(text: str, name: str) -> None:
    assert choose_reader(text.encode(), "a.xml", reader_formats()).name == name


def test_a_part_of_a_model_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text("<mujocoinclude><asset/></mujocoinclude>")
    with pytest.raises(ReadError, match="part that models of MuJoCo include"):
        read_robot(tmp_path / "part.xml")


def test_an_unknown_root_is_refused_as_ever(tmp_path: Path) -> None:
    (tmp_path / "robot.sdf").write_text("<html/>")
    with pytest.raises(ReadError, match="this is a web page"):
        read_robot(tmp_path / "robot.sdf")


def test_a_folder_names_the_descriptions_in_it(tmp_path: Path) -> None:
    """The nearest first; also where arguments are asked for, as front ends do before they read."""
    for place in (
        "deep/er/z.urdf",
        "urdf/b.urdf",
        "urdf/c.URDF",
        "a.urdf.xacro",
        ".x/h.urdf",
        "m.xml",
        "r.USDA",
    ):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("<robot/>")
    (tmp_path / "empty").mkdir()
    for ask in (read_robot, list_xacro_arguments):
        with pytest.raises(ReadError) as error:
            ask(tmp_path)
        assert str(error.value) == (
            f"{tmp_path}: this is a folder, not a robot description; it holds 'a.urdf.xacro', "
            "'r.USDA', 'urdf/b.urdf' and 2 more"
        )
        with pytest.raises(ReadError) as error:
            ask(tmp_path / "empty")
        assert str(error.value) == f"{tmp_path}/empty: this is a folder, not a robot description"


@pytest.mark.parametrize(("name", "wanted"), [("r.sdf", "'sdf'"), ("r.urdf", "'robot'")])
def test_an_unknown_root_is_refused_by_the_one_that_its_format_has(
    tmp_path: Path, name: str, wanted: str
) -> None:
    (tmp_path / name).write_text("<launch/>")
    with pytest.raises(ReadError, match=f"'launch' instead of {wanted}$"):
        read_robot(tmp_path / name)


def test_a_folder_names_models_of_mujoco_too(tmp_path: Path) -> None:
    (tmp_path / "arm.mjcf").write_text("<mujoco/>")
    with pytest.raises(ReadError, match=r"it holds 'arm\.mjcf'"):
        read_robot(tmp_path)
