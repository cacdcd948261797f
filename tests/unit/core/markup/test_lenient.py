# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts that are not XML, as the parsers of simulators read them."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.seconds import within
from urdf_importer import Diagnostics, ReadError, export_robot, read_robot, write_urdf
from urdf_importer.core.markup.lenient import repair_xml

URDF = '<robot name="r">\n<link name="a"/>\n</robot>'
SDF = '<sdf version="1.9"><model name="r">\n<link name="a"/>\n</model></sdf>'
MJCF = """<mujoco model="r"><worldbody>
<body name="a"><geom size="1" mass="1"/></body></worldbody></mujoco>"""
TEXTS = {"r.urdf": URDF, "r.sdf": SDF, "r.xml": MJCF}
HEAD = '<?xml version="1.0"?>\n'

AMPERSANDS = "\n<!-- & --> A & B &c;"
LESS = 'x="a<b & c"\nname="a"'
CASES = {
    "a comment first": (lambda text: f"<!-- by hand -->\n{HEAD}{text}", "repaired-xml", 2),
    "a lost <": (lambda text: HEAD[1:] + text, "repaired-xml", 1),
    "two lost": (lambda text: "\n" + HEAD[2:] + text, "repaired-xml", 2),
    "no blank": (lambda text: text.replace(' name="a"', ' x="1"name="a"'), "repaired-xml", 2),
    "dashes": (lambda text: text.replace("\n", "\n\n<!-- a -- b --->", 1), "bad-comment", 3),
    "an ampersand": (lambda text: text.replace("\n", AMPERSANDS, 1), "repaired-xml", 2),
    "in a value": (lambda text: text.replace('name="a"', LESS), "repaired-xml", 2),
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("case", CASES)
def test_what_simulators_read_is_read_and_reported(tmp_path: Path, name: str, case: str) -> None:
    spoil, code, line = CASES[case]
    (tmp_path / name).write_text(spoil(TEXTS[name]))
    diagnostics = Diagnostics()
    robot = read_robot(tmp_path / name, diagnostics=diagnostics)
    assert [each.name for each in robot.links if each.name == "a"] == ["a"]
    found = [(each.code, each.line) for each in diagnostics if each.code.endswith(("xml", "ment"))]
    assert found == [(code, line)]


SPOILT = {name: case[0] for name, case in CASES.items()} | {
    "a blank first": lambda text: f"\n {HEAD}{text}",
    "a second root": lambda text: f"{HEAD}{text}\n{text}",
    "a tail": lambda text: f"{HEAD}{text}<br> & so on",
    "a NUL": lambda text: f"{HEAD}{text}\0\0tail",
    "another encoding": lambda text: (
        "<?xml version='1.0' encoding='iso-8859-1'?><!-- \xe4 -- --><?xml version='1.0'?>" + text
    ),
}


@pytest.mark.parametrize("name", ["r.urdf", "r.sdf"])
@pytest.mark.parametrize("case", SPOILT)
def test_what_is_written_again_is_xml(tmp_path: Path, name: str, case: str) -> None:
    """ROS reads by parsers that refuse what the simulators' own let pass."""
    source, target = tmp_path / name, tmp_path / f"again{Path(name).suffix}"
    encoding = "latin-1" if case == "another encoding" else "utf-8"
    source.write_text(SPOILT[case](TEXTS[name]), encoding)
    robot = read_robot(source, diagnostics=Diagnostics())
    export_robot(robot, target, diagnostics=Diagnostics())
    ElementTree.parse(target)
    diagnostics = Diagnostics()
    again = read_robot(target, diagnostics=diagnostics)
    assert (again.name, again.links) == (robot.name, robot.links)
    assert not [each for each in diagnostics if each.code.endswith(("xml", "ment", "content"))]


@pytest.mark.parametrize("text", [URDF, HEAD + URDF, f"<!-- & -->{URDF}\n\n<!-- end -->"])
def test_xml_is_written_as_it_stands(tmp_path: Path, text: str) -> None:
    (tmp_path / "r.urdf").write_text(text)
    write_urdf(read_robot(tmp_path / "r.urdf"), tmp_path / "again.urdf")
    assert (tmp_path / "again.urdf").read_text() == text


def test_lines_behind_repairs_are_those_of_the_file(tmp_path: Path) -> None:
    text = '<robot name="r">\n<link name="a"x="1&2"/>\n<link\nname="b"><mass/></link></robot>'
    (tmp_path / "r.urdf").write_text(text)
    diagnostics = Diagnostics()
    robot = read_robot(tmp_path / "r.urdf", diagnostics=diagnostics)
    assert [(each.name, each.line) for each in robot.links] == [("a", 2), ("b", 3)]
    messages = [each.message.split(",")[0] for each in diagnostics if each.code == "repaired-xml"]
    assert messages == [
        "1 attribute without a blank before",
        "1 '&' or '<' in place of '&amp;' or '&lt;'; read as written",
    ]


def test_a_repaired_urdf_is_edited_and_written_as_xml(tmp_path: Path) -> None:
    from dataclasses import replace

    text = '<robot name="r">\n<link name="a"x="1"/>\n<link name="b"/></robot>'
    path = tmp_path / "r.urdf"
    path.write_text(text)
    robot = read_robot(path)
    edited = replace(robot, links=(*robot.links[:1], replace(robot.links[1], name="c")))
    again = read_robot(write_urdf(edited, tmp_path / "new.urdf").path)
    assert [each.name for each in again.links] == ["a", "c"]
    assert repair_xml((tmp_path / "new.urdf").read_bytes())[1] == []


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "<robot name='r'><link name='a'></robot>",
        "<robot name='r'><link name=a/></robot>",
        'print(\'<robot name="r"><link name="a"/></robot>\')',
        "<!DOCTYPE robot [<!ENTITY e 'x'>]><robot name='r'><link name='a'x='&e;'/></robot>",
        "<!-- a -- b --><!DOCTYPE robot SYSTEM 'x'><robot name='r'><link name='a'/></robot>",
        "<robot name='r'><link name='a'x='" + "&" * 200_000 + "'/></robot>",
    ],
)
def test_what_no_parser_takes_stays_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "r.urdf").write_text(text)
    with pytest.raises(ReadError):
        read_robot(tmp_path / "r.urdf")


LONG = ("<a x='", "<!--", "<a ", "&", "<a b='c'", "<![CDATA[", "<?", "<a>")
PIECES = ["<a ", "<", ">", "/>", "</a>", "<!--", "-->", "--", "&", "&lt;", "'", '"', "=", "x", " ",
          "<?xml ", "?>", "<![CDATA[", "]]>", "<!", "[", "\n", "a='1'"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_repairing_keeps_lines_and_ends_at_once(text: str) -> None:
    data = text.encode()
    repaired, findings = repair_xml(data)
    assert repaired.count(b"\n") == data.count(b"\n")
    assert bool(findings) == (repaired != data)
    assert all(1 <= each.line <= data.count(b"\n") + 1 for each in findings)
    assert repair_xml(repaired)[0] == repaired


@pytest.mark.parametrize("piece", LONG)
def test_long_texts_cost_in_proportion(piece: str) -> None:
    data = piece.encode() * (2_000_000 // len(piece))
    for _ in within(3.0):
        repair_xml(data)
