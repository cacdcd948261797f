# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of numbers as arrays, without a Python loop over lines.

All lines of one kind are parsed in one go. Where that fails, the lines are halved until the odd
ones are isolated: one bad line costs about one more pass, and only a file made of bad lines is
slow.
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .numbers import parse_numbers

_BLANK = ord(" ")
_NEWLINE = ord("\n")
_INDENT = re.compile(rb"\n[ \t]+")
LINES_AT_ONCE = 32 * 1024
MOST_FAILURES = 2000
"""Texts that fail to parse, in one call; failures beyond are given up without a closer look."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Some lines of a text: where each starts and ends, as offsets, in order."""

    characters: NDArray[np.uint8]
    starts: NDArray[np.intp]
    ends: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.starts)

    def part(self, chosen: Any) -> "Lines":
        return Lines(self.characters, self.starts[chosen], self.ends[chosen])

    def text(self, index: int) -> str:
        content = bytes(self.characters[self.starts[index] : self.ends[index]])
        return content.decode("utf-8", "replace").strip()

    def joined(self) -> bytes:
        """Returns the lines' text with their newlines. Neighbours are copied in one piece."""
        if not len(self):
            return b""
        is_first = np.ones(len(self), dtype=bool)
        is_first[1:] = self.starts[1:] != self.ends[:-1] + 1
        firsts = np.flatnonzero(is_first)
        starts = self.starts[firsts].tolist()
        ends = self.ends[np.append(firsts[1:], len(self)) - 1].tolist()
        text = memoryview(self.characters)
        return b"".join([text[start : end + 1] for start, end in zip(starts, ends, strict=True)])

    def placed_in(self, text: bytes) -> "Lines":
        """Returns the same lines in a text of the length of the joined one."""
        lengths = self.ends + 1 - self.starts
        stops = np.cumsum(lengths)
        return Lines(np.frombuffer(text, dtype=np.uint8), stops - lengths, stops - 1)


def split_lines(data: bytes) -> Lines:
    """Returns all lines of a text, without blanks before them; a backslash joins a line to the
    next.

    The characters can be written to."""
    if b"\\" in data:
        data = re.sub(rb"\\\r?\n", b" ", data)
    if b"\r" in data:
        data = data.replace(b"\r", b"\n")
    if data.startswith((b" ", b"\t")) or b"\n " in data or b"\n\t" in data:
        data = _INDENT.sub(b"\n", b"\n" + data)
    characters = np.empty(len(data) + 2, dtype=np.uint8)
    characters[0] = characters[-1] = _NEWLINE
    characters[1:-1] = np.frombuffer(data, dtype=np.uint8)
    del data
    ends = np.flatnonzero(characters == _NEWLINE)
    return Lines(characters, ends[:-1] + 1, ends[1:])


def take_lines(lines: Lines, keyword: bytes) -> Lines:
    """Takes the lines whose first word is this, with blanks in its place: no other word finds them
    any more, and neighbours stay neighbours."""
    size = len(keyword)
    found = np.flatnonzero(lines.ends - lines.starts > size)
    for offset, letter in enumerate(keyword):
        found = found[lines.characters[lines.starts[found] + offset] == letter]
    found = found[lines.characters[lines.starts[found] + size] <= _BLANK]
    for offset in range(size):
        lines.characters[lines.starts[found] + offset] = _BLANK
    return lines.part(found)


def read_numbers(
    lines: Lines, dtype: type[Any]
) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.bool_]]:
    """Reads all numbers of the lines, how many each line has, and which lines could be read.

    A line with anything but numbers counts none.
    """
    values: list[NDArray[Any]] = []
    counts = np.zeros(len(lines), dtype=np.int64)
    is_read = np.ones(len(lines), dtype=bool)
    failures = 0
    starts = range(0, len(lines), LINES_AT_ONCE)
    waiting = [(start, min(start + LINES_AT_ONCE, len(lines))) for start in reversed(starts)]
    while waiting:
        start, stop = waiting.pop()
        part = lines.part(slice(start, stop))
        text = part.joined()
        words = _count_words(text, part)
        found = parse_numbers(text, dtype)
        if found is not None and len(found) == words.sum():
            values.append(found)
            counts[start:stop] = words
        elif stop - start == 1 or failures == MOST_FAILURES:
            is_read[start:stop] = False
        else:
            failures += 1
            middle = (start + stop) // 2
            waiting += [(middle, stop), (start, middle)]
    return np.concatenate([np.empty(0, dtype=dtype), *values]), counts, is_read


def find_words(text: bytes) -> NDArray[np.intp]:
    """Returns where each word begins."""
    return np.flatnonzero(_begins_word(text))


def _begins_word(text: bytes) -> NDArray[np.bool_]:
    is_word = np.frombuffer(text, dtype=np.uint8) > _BLANK
    begins: NDArray[np.bool_] = is_word.copy()
    begins[1:] &= ~is_word[:-1]
    return begins


def _count_words(text: bytes, lines: Lines) -> NDArray[np.int64]:
    """In each of the lines that `text` joins."""
    lengths = lines.ends + 1 - lines.starts
    starts = np.cumsum(lengths) - lengths
    # Bytes are added five times as fast, and lines so short have no more words than a byte counts.
    kind = np.uint8 if lengths.max() < 2 * 256 else np.int64
    begins = _begins_word(text).view(np.uint8)
    return np.add.reduceat(begins, starts, dtype=kind).astype(np.int64)


def read_rows(lines: Lines, width: int) -> tuple[NDArray[np.float32], int]:
    """Reads the first numbers of each line, float32 (lines, width), and how many lines lack them:
    their rows are NaN."""
    values, counts, _ = read_numbers(lines, np.float32)
    if (counts == width).all():
        return values.reshape(-1, width), 0
    rows = np.full((len(lines), width), np.nan, dtype=np.float32)
    is_whole = counts >= width
    first = (np.cumsum(counts) - counts)[is_whole]
    rows[is_whole] = values[first[:, np.newaxis] + np.arange(width)]
    return rows, int(np.count_nonzero(~is_whole))
