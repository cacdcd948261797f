# SPDX-License-Identifier: GPL-3.0-or-later
"""XML as it is written, against ElementTree, which reads it back."""

import math
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urdf_importer.core.markup.write import XmlWriter, format_number, quote_attribute

FORBIDDEN = [*map(chr, range(0x20)), "\ufffe", "\uffff"]
ALLOWED = st.characters(exclude_categories=("Cs",), exclude_characters=FORBIDDEN)
TEXTS = st.text(ALLOWED | st.sampled_from("\t\n\r\"'&<>]-"))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-25.0, "-25"),
        (0.1, "0.1"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e-05, "1e-05"),
        (1e16, "1e+16"),
        (1e15, "1000000000000000"),
        (5e-324, "5e-324"),
        (7, "7"),
        (True, "true"),
    ],
)
def test_numbers_are_short(number: float, text: str) -> None:
    assert format_number(number) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_come_back(number: float) -> None:
    assert float(format_number(number)) == number


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not a number"):
        format_number(number)


@given(TEXTS, TEXTS)
def test_any_text_comes_back(name: str, inner: str) -> None:
    xml = XmlWriter()
    xml.declare()
    xml.open("root", {"name": name})
    xml.leaf("text", {"name": name}, inner)
    xml.close()
    root = ET.fromstring(xml.text().encode())
    assert root.get("name") == name
    assert root[0].get("name") == name
    assert (root[0].text or "") == inner


@pytest.mark.parametrize("character", [*sorted(set(FORBIDDEN) - set("\t\n\r")), "\ud800"])
def test_what_xml_forbids_is_refused(character: str) -> None:
    with pytest.raises(ValueError, match="no XML file"):
        quote_attribute(f"a{character}b")
    with pytest.raises(ValueError, match="no XML file"):
        XmlWriter().leaf("tag", {}, f"a{character}b")
    with pytest.raises(ValueError, match="no XML file"):
        XmlWriter().comment(character)


def test_each_element_has_its_line() -> None:
    xml = XmlWriter(indent="  ")
    with xml.element("outer", {"a": 1.0, "none": None, "b": (1.0, 2.5)}):
        xml.comment("kept --- apart")
        xml.leaf("inner", {"yes": True})
        with xml.element("empty", {"c": '"'}):
            pass
        xml.verbatim("<as>it\nis</as>")
    assert xml.text().splitlines() == [
        '  <outer a="1" b="1 2.5">',
        "    <!-- kept - - - apart -->",
        '    <inner yes="true"/>',
        "    <empty c='\"'/>",
        "    <as>it",
        "is</as>",
        "  </outer>",
    ]


def test_indentation_is_bounded() -> None:
    for deep in (39, 40, 41, 10_000):
        xml = XmlWriter(step="  ")
        for _ in range(deep):
            xml.open("a")
        xml.leaf("b")
        for _ in range(deep):
            xml.close()
        lines = xml.lines()
        assert lines[0] == "<a>" and lines[-1] == "</a>" and len(lines) == 2 * deep + 1
        assert lines[deep] == " " * 2 * min(deep, 40) + "<b/>"
        starts = [len(line) - len(line.lstrip()) for line in lines]
        assert starts == starts[::-1] and max(starts) == 2 * min(deep, 40)
