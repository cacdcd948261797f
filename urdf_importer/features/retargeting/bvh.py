# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files: a tree of bones, and a line of numbers for each frame.

A bone's channels are translations, which take the place of its offset, and rotations about its own
axes, each after those before it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ...core.diagnostics import Diagnostics, ReadError, quote
from ...core.files.regular import decode_utf8, read_regular_file
from ...core.geometry.transforms import rotations_about
from ..motion.trajectory import Numbers
from .person import Person, stand_up

MOST_BONES = 4_000
MOST_DEPTH = 1_000
MOST_NUMBERS = 2**24
_CHANNELS = {
    f"{axis}{kind}": (kind, place)
    for place, axis in enumerate("xyz")
    for kind in ("position", "rotation")
}


@dataclass(slots=True)
class _Tree:
    names: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    offsets: list[list[float]] = field(default_factory=list)
    channels: list[list[tuple[str, int]]] = field(default_factory=list)

    def add(self, name: str, parent: int) -> int:
        self.names.append(name)
        self.parents.append(parent)
        self.offsets.append([0.0, 0.0, 0.0])
        self.channels.append([])
        return len(self.names) - 1


def read_bvh(path: str, diagnostics: Diagnostics) -> Person:
    """Returns the person of a BVH file, with z up, in the file's unit of length. Raises ReadError,
    with the line, for anything else."""
    text = decode_utf8(read_regular_file(path), path)
    return _Reader(text, path, diagnostics).read()


class _Reader:
    def __init__(self, text: str, source: str, diagnostics: Diagnostics) -> None:
        self._source = source
        self._diagnostics = diagnostics
        self._line = 0
        self._lines = self._split(text)

    def read(self) -> Person:
        tree = self._read_tree()
        rate, values = self._read_motion(sum(map(len, tree.channels)))
        if len(tree.names) * len(values) * 12 > MOST_NUMBERS * 8:
            raise self._refuse("the motion is too long for so many bones; cut it into parts")
        # Frames of stray numbers are bridged later.
        with np.errstate(invalid="ignore", over="ignore"):
            points, turns = _place(tree, values)
        names, parents, source = tuple(tree.names), tuple(tree.parents), self._source
        return stand_up(Person(
            names=names, parents=parents, points=points, turns=turns, rate=rate, source=source,
            name=source,
        ))  # fmt: skip

    def _split(self, text: str) -> Iterator[list[str]]:
        """Yields the words of each line that has some."""
        start = 0
        while start < len(text):
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            self._line += 1
            words = text[start:end].split()
            start = end + 1
            if words:
                yield words

    def _refuse(self, message: str) -> ReadError:
        return ReadError(message, source=self._source, line=self._line)

    def _next(self) -> list[str]:
        words = next(self._lines, None)
        if words is None:
            raise self._refuse("the file ends too early")
        return words

    def _read_tree(self) -> _Tree:
        tree, above = _Tree(), [-1]
        if self._next()[0].upper() != "HIERARCHY":
            raise self._refuse("this is not a BVH file: it does not begin with HIERARCHY")
        named: int | None = None
        words = self._next()
        while words[0].upper() != "MOTION":
            # An opening brace may follow on the line of the name.
            opens = words[-1] == "{"
            if words != ["{"]:
                named = self._read_line(tree, words[:-1] if opens else words, above, named)
            if opens and named is None:
                raise self._refuse("a brace opens nothing")
            if opens and named is not None:
                above.append(named)
                named = None
            words = self._next()
        if len(above) > 1:
            raise self._refuse("a brace is not closed before MOTION")
        if not tree.names:
            raise self._refuse("the file has no bones")
        return tree

    def _read_line(
        self, tree: _Tree, words: list[str], above: list[int], named: int | None
    ) -> int | None:
        """Reads a line; returns the bone whose brace is still to open."""
        key = words[0].upper()
        if key in ("}", "OFFSET", "CHANNELS") and len(above) == 1:
            raise self._refuse(f"{quote(words[0])} is in no bone")
        if key == "}":
            above.pop()
        elif key == "OFFSET":
            tree.offsets[above[-1]] = self._numbers(words[1:], 3)
        elif key == "CHANNELS":
            tree.channels[above[-1]] = self._channels(words[1:])
        else:
            return self._name(tree, words, above)
        return named

    def _name(self, tree: _Tree, words: list[str], above: list[int]) -> int:
        key = words[0].upper()
        if key not in ("ROOT", "JOINT", "END"):
            raise self._refuse(f"{quote(words[0])} does not belong in a hierarchy")
        if len(tree.names) >= MOST_BONES or len(above) > MOST_DEPTH:
            most = f"{MOST_BONES:,} bones, or {MOST_DEPTH:,} in a chain"
            raise self._refuse(f"there are more than {most}")
        return tree.add("" if key == "END" else " ".join(words[1:]), above[-1])

    def _channels(self, words: list[str]) -> list[tuple[str, int]]:
        known = [_CHANNELS.get(word.lower()) for word in words[1:]]
        for word, found in zip(words[1:], known, strict=True):
            if found is None:
                raise self._refuse(f"{quote(word)} is not a channel")
        if not words or words[0] != str(len(known)) or len(known) > 6:
            raise self._refuse("the number of channels does not fit their names")
        return [each for each in known if each is not None]

    def _numbers(self, words: list[str], count: int) -> list[float]:
        try:
            numbers = [float(word) for word in words]
        except ValueError:
            numbers = []
        if len(numbers) != count or not all(map(math.isfinite, numbers)):
            raise self._refuse(f"{count} finite numbers are expected, not {quote(' '.join(words))}")
        return numbers

    def _read_motion(self, width: int) -> tuple[float, Numbers]:
        """Returns frames per second and (m, width) numbers."""
        words = self._next()
        if words[0].lower() != "frames:" or len(words) != 2 or not words[1].isdecimal():
            raise self._refuse("the number of frames is missing")
        stated = int(words[1][:12])
        words = self._next()
        if [each.lower() for each in words[:2]] != ["frame", "time:"]:
            raise self._refuse("the frame time is missing")
        step = self._numbers(words[2:], 1)[0]
        if not 1e-5 <= step <= 100.0:
            raise self._refuse(f"a frame time of {step:g} s makes no motion")
        rows: list[Numbers] = []
        for words in self._lines:
            if len(words) != width:
                raise self._refuse(f"the frame has {len(words)} numbers, not {width}")
            try:
                rows.append(np.array(words, dtype=np.float64))
            except ValueError:
                raise self._refuse("the frame has words that are not numbers") from None
            if len(rows) * width > MOST_NUMBERS:
                raise self._refuse(f"there are more than {MOST_NUMBERS:,} numbers")
        if not rows or not width:
            raise self._refuse("the motion has no frames")
        if len(rows) != stated:
            message = f"the file states {stated} frames and has {len(rows)}; these are taken"
            self._diagnostics.warning("motion-frame-count", message, source=self._source)
        # Six digits of a frame time are not an exact rate.
        rate = 1.0 / step
        whole = round(rate)
        return (float(whole) if abs(rate - whole) < 2e-4 * rate else rate), np.stack(rows)


def _place(tree: _Tree, values: Numbers) -> tuple[Numbers, Numbers]:
    """Returns where bones begin, (m, n, 3), and how they are turned, (m, n, 3, 3)."""
    count = len(values)
    points = np.empty((count, len(tree.names), 3))
    turns = np.empty((count, len(tree.names), 3, 3))
    column = 0
    axes = np.eye(3)
    for bone, (parent, offset) in enumerate(zip(tree.parents, tree.offsets, strict=True)):
        moved = np.tile(offset, (count, 1))
        turned = np.tile(np.eye(3), (count, 1, 1))
        for kind, axis in tree.channels[bone]:
            given = values[:, column]
            column += 1
            if kind == "position":
                moved[:, axis] = given
            else:
                turn = rotations_about(np.tile(axes[axis], (count, 1)), np.radians(given))
                turned = turned @ turn
        if parent >= 0:
            moved = points[:, parent] + (turns[:, parent] @ moved[:, :, None])[:, :, 0]
            turned = turns[:, parent] @ turned
        points[:, bone], turns[:, bone] = moved, turned
    return points, turns
