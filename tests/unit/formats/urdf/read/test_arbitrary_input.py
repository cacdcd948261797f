# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever comes in: a robot or a ReadError comes out, and no number that is not finite."""

import math
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from xml.sax.saxutils import quoteattr

from hypothesis import assume, example, given
from hypothesis import strategies as st

from support.paths import TESTS
from urdf_importer.core.diagnostics import Diagnostics, ReadError
from urdf_importer.core.model import Robot
from urdf_importer.formats.urdf.read.robot import read_robot_text

QUIRKS = TESTS / "data" / "quirks" / "q_pkg" / "urdf"
FILES = [path.read_bytes() for path in sorted(QUIRKS.glob("*.urdf")) if path.stat().st_size < 5000]

STRICT = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
TAGS = (
    "robot",
    "link",
    "joint",
    "material",
    "transmission",
    "inertial",
    "visual",
    "collision",
    "origin",
    "mass",
    "inertia",
    "geometry",
    "box",
    "cylinder",
    "sphere",
    "capsule",
    "mesh",
    "color",
    "texture",
    "parent",
    "child",
    "axis",
    "limit",
    "dynamics",
    "mimic",
    "calibration",
    "safety_controller",
    "type",
    "actuator",
    "hardwareInterface",
    "mechanicalReduction",
    "xyz",
    "gazebo",
    "sensor:x",
    "xacro:arg",
)
ATTRIBUTES = (
    "name",
    "type",
    "xyz",
    "rpy",
    "quat_xyzw",
    "value",
    "ixx",
    "ixy",
    "iyy",
    "izz",
    "size",
    "radius",
    "length",
    "filename",
    "scale",
    "rgba",
    "link",
    "lower",
    "upper",
    "effort",
    "velocity",
    "damping",
    "friction",
    "joint",
    "multiplier",
    "offset",
    "rising",
    "k_position",
    "version",
    "xmlns:xacro",
    "other",
)
NUMBERS = st.one_of(
    st.floats().map(repr),
    st.integers(-5, 5).map(str),
    st.text("0123456789.+-eE_,xnaif \t\u0660\u00a0\u2212", max_size=8),
)
XML_TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12)
VALUES = st.one_of(
    NUMBERS,
    st.lists(NUMBERS, max_size=7).map(" ".join),
    st.sampled_from(("a", "b", "l", "revolute", "Fixed", "${x}", "$(arg x)", "1 0 0", "0.5")),
    XML_TEXT,
)


def read(data: bytes) -> Robot | None:
    """The robot, or None where there is none for a stated reason."""
    diagnostics = Diagnostics()
    try:
        robot = read_robot_text(data, "some.urdf", diagnostics)
    except ReadError as error:
        assert error.message and error.source == "some.urdf"
        assert 0 <= error.line <= data.count(b"\n") + data.count(b"\r") + 1
        return None
    assert all(item.message and item.line >= 1 for item in diagnostics)
    assert all(math.isfinite(number) for number in numbers_in(robot))
    assert robot.links and hash(robot) == hash(robot)
    return robot


def numbers_in(part: object) -> Iterator[float]:
    if isinstance(part, float):
        yield part
    elif isinstance(part, tuple):
        for item in part:
            yield from numbers_in(item)
    elif is_dataclass(part):
        for field in fields(part):
            yield from numbers_in(getattr(part, field.name))


@st.composite
def elements(draw: st.DrawFn, depth: int = 4) -> str:
    """Elements of URDF's words in any order, with any of its attributes."""
    tag = draw(st.sampled_from(TAGS))
    return tagged(draw, tag, depth)


def tagged(draw: st.DrawFn, tag: str, depth: int) -> str:
    attributes = draw(st.dictionaries(st.sampled_from(ATTRIBUTES), VALUES, max_size=4))
    written = "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())
    inside = draw(st.lists(elements(depth - 1), max_size=3)) if depth else []
    text = draw(st.sampled_from(("", "\n", "text", "0.5")))
    return f"<{tag}{written}>{text}{''.join(inside)}</{tag}>"


@given(NUMBERS)
@example("1e400")
@example("0_5")
@example("٣")
@example("\u00a01")
@example("inf")
@example("-NaN")
@example("1" * 1001)
def test_numbers_follow_the_strict_rule(text: str) -> None:
    assume(len(re.split("[ \t\r\n]+", text.strip(" \t\r\n"))) == 1)
    value = quoteattr(text)
    data = (
        f"<robot name='q'><link name='l'><inertial><mass value={value}/></inertial></link></robot>"
    )
    robot = read(data.encode("utf-8"))
    word = text.strip(" \t")
    if robot is None:
        allowed = STRICT.fullmatch(word) and len(text) <= 1000 and abs(float(word)) <= 1e30
        assert not allowed and word
    elif word:
        inertial = robot.links[0].inertial
        assert STRICT.fullmatch(word) and inertial is not None
        assert inertial.mass == float(word)


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3), st.sampled_from((" ", "  ", ", ")))
def test_vectors_are_exact(numbers: list[float], separator: str) -> None:
    text = separator.join(map(repr, numbers))
    origin = f"<origin xyz='{text}' rpy='{text}'/>"
    shape = f"<collision>{origin}<geometry><sphere radius='1'/></geometry></collision>"
    data = f"<robot name='q'><link name='l'>{shape}</link></robot>"
    robot = read(data.encode())
    assert robot is not None
    pose = robot.links[0].collisions[0].origin
    assert pose.xyz == pose.rpy == tuple(numbers)


@given(st.lists(elements(), max_size=6), st.booleans())
def test_any_structure(parts: list[str], has_link: bool) -> None:
    link = "<link name='base'/>" if has_link else ""
    read(f"<robot name='q'>{link}{''.join(parts)}</robot>".encode())


@given(st.data())
def test_any_structure_of_one_child(data: st.DataObject) -> None:
    @st.composite
    def child(draw: st.DrawFn) -> str:
        return tagged(draw, draw(st.sampled_from(("link", "joint", "transmission", "material"))), 3)

    read(f"<robot name='q'><link name='base'/>{data.draw(child())}</robot>".encode())


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    read(data)


@given(XML_TEXT, st.text(max_size=50))
def test_any_text(before: str, inside: str) -> None:
    read(before.encode("utf-8", "surrogatepass"))
    read(f"<robot><link name='a'/>{inside}</robot>".encode("utf-8", "surrogatepass"))


@given(st.sampled_from(FILES), st.data())
def test_damaged_files(whole: bytes, data: st.DataObject) -> None:
    """Cut, overwritten, doubled or with something put in."""
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 40)))
    filling = data.draw(
        st.one_of(
            st.binary(max_size=8),
            st.sampled_from((b"", b"<", b">", b"-->", b"<!--", b"\0", b"]]>", b"&", b'"', b"--")),
            st.just(whole[start:end] * 2),
        )
    )
    read(whole[:start] + filling + whole[end:])
    read(whole[:start])
    read(whole[start:])
