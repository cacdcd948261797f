# SPDX-License-Identifier: GPL-3.0-or-later
"""Which descriptions a batch is about, and the place of each in the output folder."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...core.diagnostics import ReadError
from ...core.files.folders import fold
from ...core.files.portable import avoid_reserved
from ...core.pipeline.files import find_description
from ...core.pipeline.formats import reader_formats

MOST_LIST_BYTES = 64 * 1024 * 1024
_AMBIGUOUS = (".xml", ".usd", ".usda", ".usdc", ".usdz")
"""Suffixes that other files have too: such files are taken by name, not found in folders."""
_OF_MODELS = (".sdf",)
_RESERVED = ("batch.jsonl", "index.html", "blender_assets.cats.txt")


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchInput:
    """A description. `wish` is its path without suffix, relative to the given folder; used as
    output folder if free. Files found by searching (not `named`) may be mere fragments."""

    path: str
    wish: str
    named: bool


def find_inputs(given: Iterable[str | os.PathLike[str]]) -> list[BatchInput]:
    """Finds the descriptions: files, files below folders, and paths in lists (@list.txt, one a
    line), each real file once, the first time that it comes up.

    Paths become absolute. Files named by users are taken whatever their suffix, there or not.
    Raises ReadError for a list or a folder that cannot be read.
    """
    found: list[BatchInput] = []
    seen: set[str] = set()
    for each in map(os.path.abspath, _expand_lists(os.fspath(each) for each in given)):
        for item in _find_below(each) if os.path.isdir(each) else [_name(each)]:
            real = os.path.realpath(item.path)
            if real not in seen:
                seen.add(real)
                found.append(item)
    return found


def _expand_lists(given: Iterable[str]) -> Iterator[str]:
    for each in given:
        if each.startswith("@") and not os.path.exists(each):
            yield from read_list(each[1:], "list of inputs")
        else:
            yield each


def read_list(path: str, what: str) -> Iterator[str]:
    """Yields the lines of a text that are not empty. Raises ReadError, which calls the text so."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_LIST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ReadError(f"cannot read the {what}: {reason}", source=path) from error
    if len(data) > MOST_LIST_BYTES:
        raise ReadError("this list is too long", source=path)
    for line in data.splitlines():
        text = os.fsdecode(line.strip())
        if text:
            yield text


def _name(path: str) -> BatchInput:
    return BatchInput(path=path, wish=_stem(os.path.basename(path)), named=True)


def _find_below(folder: str) -> list[BatchInput]:
    suffixes = tuple(
        suffix for each in reader_formats() for suffix in each.suffixes if suffix not in _AMBIGUOUS
    )
    found: list[BatchInput] = []
    for place, folders, files in os.walk(folder, onerror=_refuse):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        model = _find_model(place)
        for name in sorted(files):
            path = os.path.join(place, name)
            if name.startswith(".") or not name.lower().endswith(suffixes):
                continue
            if model and path != model and name.lower().endswith(_OF_MODELS):
                continue
            if os.path.isfile(path):
                below = os.path.relpath(os.path.join(place, _stem(name)), folder)
                found.append(BatchInput(path=path, wish=below.replace(os.sep, "/"), named=False))
    return found


def _find_model(folder: str) -> str:
    """Returns the file that a folder of Gazebo's is read from, beside which its files for older
    versions lie; empty for other folders."""
    try:
        path = find_description(folder)
    except ReadError:
        return ""
    return path if path != folder and path.lower().endswith(_OF_MODELS) else ""


def _refuse(error: OSError) -> None:
    raise ReadError(
        f"cannot look into the folder: {error.strerror or error}",
        source=os.fsdecode(error.filename or ""),
    )


def _stem(name: str) -> str:
    """The name without its suffixes: robot.urdf.xacro is the robot's."""
    stem = Path(name).name
    while (shorter := os.path.splitext(stem)[0]) != stem and os.path.splitext(stem)[1].lower() in (
        ".xacro",
        *(suffix for each in reader_formats() for suffix in each.suffixes),
    ):
        stem = shorter
    return stem or "robot"


def choose_places(
    inputs: Sequence[BatchInput], suffixes: Sequence[str], kept: Mapping[str, str]
) -> dict[str, str]:
    """Chooses path of the input -> its folder below the output folder, with / in it.

    No two places or files there are the same, also where a file system ignores case, and none lies
    where a file does. `suffixes` are the files' suffixes, `kept` (input -> place) the places of an
    earlier run, which stay.
    """
    claims = _Claims(suffixes)
    places: dict[str, str] = {}
    for each in inputs:
        if each.path in kept:
            claims.occupy(kept[each.path])
            places[each.path] = kept[each.path]
    for each in sorted(inputs, key=lambda item: (item.wish, item.path)):
        if each.path not in places:
            wish = "/".join(map(avoid_reserved, each.wish.split("/")))
            places[each.path] = claims.claim(wish)
    return places


class _Claims:
    def __init__(self, suffixes: Sequence[str]) -> None:
        self._suffixes = suffixes
        self._places: set[str] = set()
        self._folders: set[str] = set()
        self._files = set(_RESERVED)

    def claim(self, wish: str) -> str:
        place, number = wish, 1
        while not self._is_free(place):
            number += 1
            place = self._vary(wish, number)
        self.occupy(place)
        return place

    def _vary(self, wish: str, number: int) -> str:
        """Numbers the robot's folder; or the first folder, where one above is a file's name."""
        first, slash, rest = wish.partition("/")
        if slash and _folders_above(fold(wish).rpartition("/")[0]) & self._files:
            return f"{first}_{number}/{rest}"
        return f"{wish}_{number}"

    def occupy(self, place: str) -> None:
        key = fold(place)
        self._places.add(key)
        self._folders |= _folders_above(key)
        self._files |= self._files_of(key)

    def _is_free(self, place: str) -> bool:
        key = fold(place)
        above = _folders_above(key)
        files = self._files_of(key)
        return not (
            key in self._places
            or above & self._files
            or files & self._folders
            or files & self._files
        )

    def _files_of(self, key: str) -> set[str]:
        stem = key.rsplit("/", 1)[-1]
        return {f"{key}/{stem}{suffix}" for suffix in self._suffixes}


def _folders_above(key: str) -> set[str]:
    """The place itself and the folders that it lies in."""
    parts = key.split("/")
    return {"/".join(parts[: end + 1]) for end in range(len(parts))}
