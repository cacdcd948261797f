# SPDX-License-Identifier: GPL-3.0-or-later
"""Real files, damaged: what crashes, disks and ill will do to them."""

import re
from collections.abc import Callable, Sequence
from functools import reduce
from pathlib import Path
from random import Random

from hypothesis import strategies as st

MOST_BYTES = 200_000
"""Larger files are cut to what can be damaged and read many times within the test's time."""

Mutation = Callable[[bytes], bytes]

_NUMBER = re.compile(rb"-?\d+\.?\d*(?:[eE][-+]?\d+)?")
_LEAF = re.compile(rb"<[A-Za-z_:]+[^<>]*/>|<([A-Za-z_:]+)[^<>]*>[^<>]*</\1>")
_TEXT = re.compile(rb'(?<=")[^"<>]*(?=")')
_NUMBERS = (
    b"-1", b"0", b"1e39", b"-1e308", b"nan", b"inf", b"1e-320", b"2147483648", b"4294967295",
    b"99999999999999999999", b"0x10", b"1_0", b"1,5", b"", b"1" * 400, b"9" * 5000, b"1e5000",
    "\u0663".encode(), "\u00b2".encode(), b"\xb2",
)  # fmt: skip
"""Python makes no number of more than 4,300 digits; a superscript is a digit and no number."""
_WORDS = (
    b"<", b">", b"&", b"&amp;", b"]]>", b"<!--", b"-->", b"\0", b"\xff\xfe", b"\xef\xbb\xbf",
    b"${", b"$(", b"}", b"\"", b"'", b"\n", b"\r", b"/", b"../", b"file:///etc/passwd", b"://",
    b"<x>" * 2000, b"(" * 2000, b"[" * 2000, b"\xf0\x9f\xa4\x96", b"*", b"\t- ",
    b"\xff\xff\xff\x7f", b"\xed\xa0\x80",
)  # fmt: skip


def read_start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MOST_BYTES)


def damaged(contents: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Files to which one to six of these things have happened."""
    return st.builds(
        lambda content, seed: apply(plan_damage(Random(seed)), content),
        contents,
        st.integers(0, 2**32),
    )


def apply(changes: Sequence[Mutation], content: bytes) -> bytes:
    return reduce(lambda data, change: change(data), changes, content)


def plan_damage(random: Random) -> list[Mutation]:
    """One to six things that happen to a file."""
    return [_choose(random) for _ in range(random.choice((1, 1, 2, 2, 3, 6)))]


def _choose(random: Random) -> Mutation:
    place, length = random.randrange(MOST_BYTES), random.randint(1, 600)
    index, other = random.randrange(4000), random.randrange(4000)
    ways: tuple[Callable[[], Mutation], ...] = (
        # These leave XML well-formed, so that the damage goes deeper.
        lambda: _replace_number(index, random.choice(_NUMBERS)),
        lambda: _replace_number(index, random.choice(_NUMBERS)),
        lambda: _replace_found(_LEAF, index, b""),
        lambda: _replace_by_other(random.choice((_LEAF, _TEXT, _NUMBER)), index, other),
        lambda: _cut_off(place),
        lambda: _flip(place, random.randint(1, 255)),
        lambda: _overwrite(place, random.randbytes(random.randint(1, 8))),
        lambda: _remove(place, length),
        lambda: _repeat(place, length, random.choice((1, 2, 3, 40))),
        lambda: _insert(place, random.choice(_WORDS)),
        lambda: _swap(place, random.randrange(MOST_BYTES), length),
    )
    return random.choice(ways)()


def _cut_off(at: int) -> Mutation:
    return lambda data: data[: at % (len(data) + 1)]


def _flip(at: int, bits: int) -> Mutation:
    def change(data: bytes) -> bytes:
        if not data:
            return data
        place = at % len(data)
        return data[:place] + bytes([data[place] ^ bits]) + data[place + 1 :]

    return change


def _overwrite(at: int, new: bytes) -> Mutation:
    def change(data: bytes) -> bytes:
        place = at % (len(data) + 1)
        return data[:place] + new + data[place + len(new) :]

    return change


def _remove(at: int, length: int) -> Mutation:
    def change(data: bytes) -> bytes:
        place = at % (len(data) + 1)
        return data[:place] + data[place + length :]

    return change


def _repeat(at: int, length: int, times: int) -> Mutation:
    def change(data: bytes) -> bytes:
        place = at % (len(data) + 1)
        return data[:place] + data[place : place + length] * times + data[place:]

    return change


def _insert(at: int, word: bytes) -> Mutation:
    def change(data: bytes) -> bytes:
        place = at % (len(data) + 1)
        return data[:place] + word + data[place:]

    return change


def _replace_number(index: int, number: bytes) -> Mutation:
    return _replace_found(_NUMBER, index, number)


def _replace_found(pattern: re.Pattern[bytes], index: int, new: bytes) -> Mutation:
    def change(data: bytes) -> bytes:
        found = list(pattern.finditer(data))
        if not found:
            return data
        start, end = found[index % len(found)].span()
        return data[:start] + new + data[end:]

    return change


def _replace_by_other(pattern: re.Pattern[bytes], index: int, other: int) -> Mutation:
    """Elements, names and numbers that are good, but elsewhere."""

    def change(data: bytes) -> bytes:
        found = [match[0] for match in pattern.finditer(data)]
        new = found[other % len(found)] if found else b""
        return _replace_found(pattern, index, new)(data)

    return change


def _swap(first: int, second: int, length: int) -> Mutation:
    def change(data: bytes) -> bytes:
        one, two = sorted(place % (len(data) + 1) for place in (first, second))
        if two - one < length:
            return data
        return (
            data[:one]
            + data[two : two + length]
            + data[one + length : two]
            + data[one : one + length]
            + data[two + length :]
        )

    return change
