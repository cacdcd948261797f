# SPDX-License-Identifier: GPL-3.0-or-later
"""Bytes in any encoding -> UTF-8 that expat takes, line by line the same."""

import codecs
import re
from collections.abc import Callable
from typing import NamedTuple

from ..diagnostics import ReadError, quote

# Byte order marks, with the encodings of the whole text and of the text behind them; and the first
# "<" of a file that should have had one. The longest come first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32", "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16", "utf-16-be"),
    (b"<\0\0\0", "utf-32-le", ""),
    (b"\0\0\0<", "utf-32-be", ""),
    (b"<\0", "utf-16-le", ""),
    (b"\0<", "utf-16-be", ""),
)

# Python knows many more codecs; some take quadratic time or decode no text.
_ENCODINGS = re.compile(
    r"iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+|shift_jis\w*|euc_\w+|iso2022_\w+|gb2312|gbk|gb18030"
    r"|big5\w*|johab|hz|tis-620|ptcp154|kz1048|utf-8|ascii",
    re.ASCII,
).fullmatch

DECLARATION = re.compile(rb"\s*<\?xml(?=\s)[^>]*\?>")
_DECLARED_ENCODING = re.compile(rb"""\sencoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_GIT_LFS = b"version https://git-lfs.github.com/"
_TO_BLANKS = bytes(byte if byte in b"\r\n" else ord(" ") for byte in range(256))


class Text(NamedTuple):
    """`data` is UTF-8 without declaration; `junk_line` is the line of a NUL with something behind
    it, where the text was cut off, or 0."""

    data: bytes
    junk_line: int


def decode_text(raw: bytes, source: str) -> Text:
    """Returns the UTF-8 of a description in whatever encoding its mark or declaration names.

    The XML declaration becomes blanks, so that its version does not matter, nor white space before
    it; all lines stay where they were. Raises ReadError where there is nothing to parse.
    """
    if raw.startswith(_GIT_LFS):
        raise ReadError(
            "this is a Git LFS pointer, not the file itself; 'git lfs pull' fetches it",
            source=source,
            line=1,
        )
    data, is_decoded = _without_mark(raw, source)
    declaration = DECLARATION.match(data)
    if declaration is not None:
        if not is_decoded:
            data = _recoded(data, declaration[0], source)
        data = blank(declaration[0]) + data[declaration.end() :]
    data, junk_line = _cut_at_nul(data)
    if not data or data.isspace():
        raise ReadError("the file is empty", source=source)
    return Text(data, junk_line)


def open_text(raw: bytes, source: str) -> tuple[bytes, Callable[[bytes], bytes]]:
    """Returns all of a text but its byte order mark as UTF-8, and a function that restores its
    encoding.

    A character that the encoding does not have becomes a reference to it. Raises ReadError as
    `decode_text` does.
    """
    mark, encoding = _find_encoding(raw)
    body = raw[len(mark) :]
    if encoding == "utf-8":
        return body, lambda data: mark + data
    text = _decode(body, encoding, source).encode("utf-8")
    return text, lambda data: mark + data.decode("utf-8").encode(encoding, "xmlcharrefreplace")


def _find_encoding(raw: bytes) -> tuple[bytes, str]:
    """The mark of a text that can be read, and the encoding behind it."""
    for mark, encoding, behind in _MARKS:
        if raw.startswith(mark):
            return (mark, behind) if behind else (b"", encoding)
    declaration = DECLARATION.match(raw)
    declared = _DECLARED_ENCODING.search(declaration[0]) if declaration else None
    if declared is None:
        return b"", "utf-8"
    name = codecs.lookup(declared[1].decode("ascii")).name
    is_wide = name.startswith(("utf-16", "utf-32"))
    return b"", "utf-8" if is_wide or name == "ascii" else name


def blank(text: bytes) -> bytes:
    """Returns as many bytes of white space, with the line ends where they were."""
    return text.translate(_TO_BLANKS)


def line_at(data: bytes, offset: int) -> int:
    """Returns the line, counted from 1, of the byte at `offset`."""
    return data.count(b"\n", 0, offset) + 1


def find_bad_byte(data: bytes) -> int | None:
    """Returns the offset of the first byte that is not UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return None


def _without_mark(raw: bytes, source: str) -> tuple[bytes, bool]:
    for mark, encoding, _ in _MARKS:
        if raw.startswith(mark):
            if encoding == "utf-8-sig":
                return raw[len(mark) :], True
            return _decode(raw, encoding, source).encode("utf-8"), True
    return raw, False


def _recoded(data: bytes, declaration: bytes, source: str) -> bytes:
    match = _DECLARED_ENCODING.search(declaration)
    if match is None:
        return data
    name = match[1].decode("ascii")
    try:
        encoding = codecs.lookup(name).name
    except LookupError:
        encoding = ""
    if encoding.startswith(("utf-16", "utf-32")):
        return data  # a declaration that can be read byte by byte is wrong about itself
    if not _ENCODINGS(encoding):
        line = line_at(data, len(declaration))
        raise ReadError(
            f"the declared encoding {quote(name)} is not known", source=source, line=line
        )
    if encoding in ("utf-8", "ascii"):
        return data
    return _decode(data, encoding, source).encode("utf-8")


def _decode(data: bytes, encoding: str, source: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ReadError(
            f"the file is not text in the encoding {encoding} that it claims to have",
            source=source,
            line=line_at(data, error.start),
        ) from None


def _cut_at_nul(data: bytes) -> tuple[bytes, int]:
    end = data.find(b"\0")
    if end < 0:
        return data, 0
    is_junk = bool(data[end:].strip(b"\0 \t\r\n"))
    return data[:end], line_at(data, end) if is_junk else 0
