# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a format of descriptions, and the input of its reader.

Each format has its record, a ReaderFormat, in its own folder. A file's first tag says which format
it is: suffixes lie (.xml is any of them), and count only where there is no tag that a format knows.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from ..diagnostics import Diagnostics, ReadError
from ..files.packages import PackageResolver
from ..markup.encoding import decode_text
from ..model import Robot
from ..model.graph import GraphEdge
from ..model.world import DescribedWorld
from ..options import ImportOptions
from ..shelves import list_parts, load
from .other_kinds import refuse_other_kind

_TAG = re.compile(rb"<(?:[^\s<>/!?:]+:)?([^\s<>/!?:]+)")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Description:
    """A file that is read. `data` are its bytes, `source` is its path, `resolver` finds the files
    that it names, and of `options` the ones about files count."""

    data: bytes
    source: str
    resolver: PackageResolver
    options: ImportOptions
    diagnostics: Diagnostics


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Overview:
    """A view of a file for people before they import. `edges` define how the links are connected,
    and `parameters` is a commented parameter file that changes nothing; None for a format
    without."""

    robot: Robot
    edges: tuple[GraphEdge, ...]
    parameters: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class XacroArgument:
    """An argument that a xacro file declares or uses, with its default as written; None where it
    has none. It `is_required` to be given where it has none, or is used before its declaration."""

    name: str
    default: str | None
    is_required: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundInPackage:
    """The description in a ROS `package`, and the arguments that its own files expand it with, name
    and value."""

    path: str
    package: str = ""
    arguments: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderFormat:
    """A format of descriptions.

    name            its name in programs; the operator is import_scene.<name>
    label           its name for people
    description     the tooltip of the operator
    suffixes        the suffixes of its files, with their dots, in lower case
    roots           the tags that its files begin with, without prefixes of namespaces; none for
                    text
    starts          the bytes that its files begin with, where these are certain
    read            makes a robot of a description; raises ReadError
    examine         reads more than the robot; for formats whose files hold more, and that have
                    files of parameters
    read_world      reads all models of a file at their places, and all around them; for formats of
                    worlds
    list_models     returns the names that the option `model` can have, for formats whose files may
                    hold several models; raises ReadError
    find_in_folder  returns the description in a folder that is a model, "" for any other folder;
                    for formats with such folders; raises ReadError
    find_in_package returns the description in the folder of a ROS package, None for any other
                    folder; raises ReadError
    refuse          raises ReadError for sources of the format that are not read, by their content
                    and their path
    free            whether its models move in their world where nothing holds them, unless they
                    are static
    """

    name: str
    label: str
    description: str
    suffixes: tuple[str, ...]
    roots: tuple[str, ...]
    read: Callable[[Description], Robot]
    examine: Callable[[Description], Overview] | None = None
    starts: tuple[bytes, ...] = ()
    read_world: Callable[[Description], DescribedWorld] | None = None
    list_models: Callable[[Description], tuple[str, ...]] | None = None
    find_in_folder: Callable[[str], str] | None = None
    find_in_package: Callable[[str], FoundInPackage | None] | None = None
    refuse: Callable[[bytes, str], None] | None = None
    free: bool = False

    @property
    def browsed(self) -> tuple[str, ...]:
        """The suffixes that a file browser shows: its own, and .xml, which belongs to any format
        with tags."""
        return (*self.suffixes, *((".xml",) if self.roots else ()))

    def is_of(self, data: bytes, source: str) -> bool:
        """Whether a file, whose beginning at least is `data`, begins as one of this format."""
        if not self.roots:
            suffix = PurePath(source).suffix.lower()
            return data.startswith(self.starts) or suffix in self.suffixes
        return find_root_tag(data, source) in self.roots


def reader_formats() -> tuple[ReaderFormat, ...]:
    """Returns the formats that robots can be read from, URDF first."""
    parts = list_parts("formats")
    return tuple(load(package, part.reader) for package, part in parts if part.reader)


def choose_reader(data: bytes, source: str, formats: Sequence[ReaderFormat]) -> ReaderFormat:
    """Returns the format of a file: by its first bytes or its first tag, else by its suffix, else
    the first format, whose reader reports the fault. Raises ReadError for a file of quite another
    kind."""
    suffix = PurePath(source).suffix.lower()
    found = next((each for each in formats if each.starts and data.startswith(each.starts)), None)
    if found is not None:
        return found
    by_suffix = next((each for each in formats if suffix in each.suffixes), None)
    if by_suffix is not None and by_suffix.starts:
        return by_suffix
    root = find_root_tag(data, source)
    found = next((each for each in formats if root in each.roots), None)
    if found is None:
        refuse_other_kind(data, source)
    return found or by_suffix or formats[0]


def find_root_tag(data: bytes, source: str) -> str:
    """Returns the tag that a file of XML begins with, without its prefix; empty where there is
    none. In linear time, whatever the file holds."""
    if b"\0" in data[:4] or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            data = decode_text(data, source).data
        except ReadError:
            return ""
    place = 0
    while (place := data.find(b"<", place)) >= 0:
        end = _end_of_other(data, place)
        if end is None:
            tag = _TAG.match(data, place)
            return tag[1].decode("utf-8", "replace") if tag is not None else ""
        place = end
    return ""


def _end_of_other(data: bytes, place: int) -> int | None:
    """Returns where a comment, a processing instruction or a declaration ends; None for anything
    else."""
    for opening, closing in ((b"<!--", b"-->"), (b"<?", b"?>"), (b"<!", b">")):
        if data.startswith(opening, place):
            end = data.find(closing, place + len(opening))
            return len(data) if end < 0 else end + len(closing)
    return None
