# SPDX-License-Identifier: GPL-3.0-or-later
"""VRML as text, and names that Webots takes."""

import json
import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.paths import TESTS
from support.webots import check_proto
from urdf_importer.formats.webots.write.names import (
    BASE_NODES,
    Claims,
    make_identifier,
    make_label,
    make_proto_name,
)
from urdf_importer.formats.webots.write.vrml import (
    Node,
    Raw,
    Use,
    Value,
    write_node,
    write_number,
    write_string,
    write_value,
)

TABLE = json.loads((TESTS / "support" / "webots" / "webots_nodes.json").read_text("utf-8"))


def test_a_node_with_every_kind_of_value() -> None:
    node = Node(
        "Solid",
        {
            "translation": (0.0, -0.0, 1.5),
            "locked": True,
            "name": 'a "b" \\ c',
            "physics": None,
            "children": [Node("Pose", name="TIP"), Use("TIP")],
            "boundingObject": Raw("IS boundingObject"),
            "recognitionColors": [(1.0, 0.0, 0.0), (0, 1, 0)],
            "extra": [],
        },
        "ARM",
    )
    assert write_node(node) == (
        "DEF ARM Solid {\n"
        "  translation 0 0 1.5\n"
        "  locked TRUE\n"
        '  name "a \\"b\\" \\\\ c"\n'
        "  physics NULL\n"
        "  children [\n"
        "    DEF TIP Pose {\n"
        "    }\n"
        "    USE TIP\n"
        "  ]\n"
        "  boundingObject IS boundingObject\n"
        "  recognitionColors [\n"
        "    1 0 0,\n"
        "    0 1 0\n"
        "  ]\n"
        "  extra []\n"
        "}"
    )


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back_as_they_were(number: float) -> None:
    text = write_number(number)
    assert float(text) == number and check_proto.NUM_RE.match(text)
    assert struct.pack("d", float(text)) == struct.pack("d", number + 0.0)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_never_written(number: float) -> None:
    for value in (number, (1.0, number), [number], Node("Box", {"size": (number, 1.0, 1.0)})):
        with pytest.raises(ValueError, match="not a number"):
            write_value(value)


@given(st.text())
def test_strings_read_back_as_they_were(text: str) -> None:
    token, end = check_proto.tokenize(write_string(text))
    assert (token.t, token.v, end.t) == ("str", text, "end")


def test_long_lists_fill_lines() -> None:
    values: list[Value] = list(range(1000))
    lines = write_value(values, 3).splitlines()
    assert all(len(line) <= 101 for line in lines) and 40 < len(lines) < 60
    assert [int(text) for line in lines[1:-1] for text in line.split()] == list(range(1000))


def test_deep_trees_neither_recurse_nor_indent_away() -> None:
    node = Node("Group")
    for _ in range(20_000):
        node = Node("Group", {"children": [node]})
    text = write_node(node)
    assert text.count("{") == text.count("}") == 20_001 and len(text) < 20_001 * 250


@given(st.text())
def test_any_name_becomes_an_identifier(name: str) -> None:
    for made in (make_identifier(name), make_proto_name(name)):
        assert check_proto.valid_identifier(made) and made not in TABLE["keywords"]
        (token, *_) = check_proto.tokenize(made)
        assert (token.t, token.v) == ("id", made)
    assert make_identifier(make_identifier(name)) == make_identifier(name)
    assert make_proto_name(name) not in TABLE["nodes"]
    label = make_label(name)
    assert label and ":" not in label and make_label(label) == label


@pytest.mark.parametrize("name, made", [
    ("arm_link", "arm_link"), ("2dofPlanar", "_2dofPlanar"), ("DEF", "_DEF"), ("-x", "_-x"),
    ("a b.c", "a_b_c"), ("", "unnamed"), ("größe", "größe"), ("a\u3000b", "a_b"),
])  # fmt: skip
def test_identifiers(name: str, made: str) -> None:
    assert make_identifier(name) == made


def test_the_base_nodes_are_those_of_webots() -> None:
    assert set(TABLE["nodes"]) == BASE_NODES
    assert make_proto_name("Robot") == "Robot_" and make_proto_name("a/b:c") == "a_b_c"


def test_names_are_given_out_once() -> None:
    claims = Claims()
    given = [claims.claim(name) for name in ("arm", "arm_2", "arm", "arm", "leg", "arm_2")]
    assert given == ["arm", "arm_2", "arm_3", "arm_4", "leg", "arm_2_2"]
