# SPDX-License-Identifier: GPL-3.0-or-later
"""Real files, damaged: what crashes, disks and ill will do to them."""

import os
import re
from collections.abc import Callable
from functools import reduce
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

MOST_BYTES = 200_000
"""Larger files are cut to what can be damaged and read many times within the test's time."""

Mutation = Callable[[bytes], bytes]

_NUMBER = re.compile(rb"-?\d+\.?\d*(?:[eE][-+]?\d+)?")
_LEAF = re.compile(rb"<[A-Za-z_:]+[^<>]*/>|<([A-Za-z_:]+)[^<>]*>[^<>]*</\1>")
_TEXT = re.compile(rb'(?<=")[^"<>]*(?=")')
_NUMBERS = (
    b"-1", b"0", b"1e39", b"-1e308", b"nan", b"inf", b"1e-320", b"2147483648", b"4294967295",
    b"99999999999999999999", b"0x10", b"1_0", b"1,5", b"", b"1" * 400, b"\xd9\xa3",
)  # fmt: skip
_WORDS = (
    b"<", b">", b"&", b"&amp;", b"]]>", b"<!--", b"-->", b"\0", b"\xff\xfe", b"\xef\xbb\xbf",
    b"${", b"$(", b"}", b"\"", b"'", b"\n", b"\r", b"/", b"../", b"file:///etc/passwd", b"://",
    b"<x>" * 2000, b"(" * 2000, b"\xf0\x9f\xa4\x96",
)  # fmt: skip


def read_start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MOST_BYTES)


def examples() -> settings:
    """How long a search lasts: bounded in CI, longer with FUZZ_EXAMPLES and another profile."""
    return settings(
        max_examples=int(os.environ.get("FUZZ_EXAMPLES", "1500")),
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def damaged(contents: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Files to which one to six of these things have happened."""
    return st.builds(
        lambda content, changes: reduce(lambda data, change: change(data), changes, content),
        contents,
        st.lists(_mutations(), min_size=1, max_size=6),
    )


def _mutations() -> st.SearchStrategy[Mutation]:
    place, length = st.integers(0, MOST_BYTES), st.integers(1, 600)
    index = st.integers(0, 4000)
    return st.one_of(
        # These leave XML well-formed, so that the damage goes deeper.
        st.builds(_replace_number, index, st.sampled_from(_NUMBERS)),
        st.builds(_replace_found, st.just(_LEAF), index, st.just(b"")),
        st.builds(_replace_by_other, st.sampled_from([_LEAF, _TEXT, _NUMBER]), index, index),
        st.builds(_cut_off, place),
        st.builds(_flip, place, st.integers(1, 255)),
        st.builds(_overwrite, place, st.binary(min_size=1, max_size=8)),
        st.builds(_remove, place, length),
        st.builds(_repeat, place, length, st.integers(1, 40)),
        st.builds(_insert, place, st.sampled_from(_WORDS)),
        st.builds(_swap, place, place, length),
    )


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
