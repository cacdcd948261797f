# SPDX-License-Identifier: GPL-3.0-or-later
"""Text in every encoding that descriptions come in, and with what comes before and behind it."""

import codecs
from collections.abc import Callable
from typing import Any

import pytest

from urdf_importer.core.diagnostics import ReadError

Read = Callable[[bytes], Any]

BODY = "<robot name='q'>\n<link name='größe'/>\n<link/>\n</robot>"


def declared(encoding: str) -> str:
    return f"<?xml version='1.0' encoding='{encoding}'?>\n{BODY}"


@pytest.mark.parametrize(
    "data",
    [
        BODY.encode(),
        codecs.BOM_UTF8 + BODY.encode(),
        codecs.BOM_UTF8 + declared("latin-1").encode(),
        declared("UTF-8").encode(),
        declared("utf-16").encode(),
        declared("ISO-8859-1").encode("latin-1"),
        declared("ISO-8859-15").encode("iso8859-15"),
        declared("windows-1252").encode("cp1252"),
        BODY.encode("utf-16"),
        codecs.BOM_UTF16_BE + declared("UTF-16").encode("utf-16-be"),
        BODY.encode("utf-16-le"),
        BODY.encode("utf-16-be"),
        codecs.BOM_UTF32_LE + BODY.encode("utf-32-le"),
        BODY.encode("utf-32-be"),
        declared("utf-8").replace("\n", "\r\n").encode(),
        b"\n \t" + declared("utf-8").encode(),
        BODY.encode() + b"\0\0\n\0",
    ],
)
def test_one_robot_in_many_encodings(data: bytes, read_text: Read) -> None:
    reading = read_text(data)
    assert reading.robot.links[0].name == "größe"
    first_line = 2 + data.count(b"<?xml") + data.count("<?xml".encode("utf-16-be"))
    first_line += data.startswith(b"\n")
    assert reading.robot.links[0].line == first_line
    assert reading.codes == [("missing-link-name", first_line + 1)]


def test_japanese(read_text: Read) -> None:
    text = (
        "<?xml version='1.0' encoding='Shift_JIS'?><robot name='ロボット'><link name='l'/></robot>"
    )
    assert read_text(text.encode("shift_jis")).robot.name == "ロボット"


@pytest.mark.parametrize("encoding", ["rot13", "zlib", "punycode", "idna", "utf-7", "klingon"])
def test_encodings_that_are_none_of_xml(encoding: str, read_text: Read) -> None:
    with pytest.raises(ReadError, match="not known") as caught:
        read_text(declared(encoding).encode())
    assert caught.value.line == 1


def test_bytes_that_are_not_of_the_declared_encoding(read_text: Read) -> None:
    with pytest.raises(ReadError, match="shift_jis") as caught:
        read_text(declared("Shift_JIS").encode("latin-1"))
    assert caught.value.line == 3
    with pytest.raises(ReadError, match="utf-16") as caught:
        read_text(BODY.encode("utf-16")[:-1])


def test_undeclared_latin_1_names_the_byte(read_text: Read) -> None:
    with pytest.raises(ReadError, match="0xf6 is not UTF-8") as caught:
        read_text(BODY.encode("latin-1"))
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("tail", "code", "line"),
    [
        (b"\n<robot name='r'/>", "second-robot", 5),
        (b"\n\n<robots/>", "trailing-content", 6),
        (b"\nwords", "trailing-content", 5),
        (b"\n</robot>", "trailing-content", 5),
        (b"\0\nold words", "trailing-content", 4),
        (b"\n<!-- a -- b -->", "trailing-content", 5),
    ],
)
def test_what_follows_the_robot(tail: bytes, code: str, line: int, read_text: Read) -> None:
    reading = read_text(BODY.encode() + tail)
    assert reading.codes == [("missing-link-name", 3), (code, line)]


@pytest.mark.parametrize("tail", [b"", b" \n", b"\0", b"\n<!-- end -->\n", b"<?end?>"])
def test_what_may_follow_the_robot(tail: bytes, read_text: Read) -> None:
    assert read_text(BODY.encode() + tail).codes == [("missing-link-name", 3)]


@pytest.mark.parametrize(
    "data", [b"", b" \n\t", b"\0\0", codecs.BOM_UTF8, b"<?xml version='1.0'?>"]
)
def test_nothing(data: bytes, read_text: Read) -> None:
    with pytest.raises(ReadError, match="empty"):
        read_text(data)


@pytest.mark.parametrize("end", range(1, len(BODY.encode()) - 1))
def test_every_truncation_is_refused(end: int, read_text: Read) -> None:
    data = BODY.encode()[:end]
    with pytest.raises(ReadError) as caught:
        read_text(data)
    assert 1 <= caught.value.line <= data.count(b"\n") + 1
