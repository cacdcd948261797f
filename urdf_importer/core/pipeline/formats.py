# SPDX-License-Identifier: GPL-3.0-or-later
"""The formats that robots are read from and written in, and the optional parts of the library,
which are above all others and may be absent."""

import os
from pathlib import Path
from typing import Any

from ..diagnostics import (
    Diagnostics,
    ReadError,
    WriteError,
    name_choices,
    quote,
    quote_path,
)
from ..files.outputs import SEPARATORS
from ..files.packages import AnyPath, PackageResolver
from ..files.references import is_address
from ..files.regular import read_regular_file
from ..model import Robot
from ..model.world import DescribedWorld
from ..options import FileOptions, ImportOptions
from ..readers.formats import Description, choose_reader
from ..readers.formats import ReaderFormat as ReaderFormat
from ..readers.formats import reader_formats as reader_formats
from ..readers.odd_names import report_odd_names
from ..shelves import find_hooks, list_parts, load
from ..writers.formats import WriterFormat
from .files import refuse_folder


def open_description(
    resolver: PackageResolver, options: ImportOptions, diagnostics: Diagnostics
) -> tuple[ReaderFormat, Description]:
    """Returns the file of any format that `resolver` finds the files of, and its format. Raises
    ReadError."""
    source = resolver.description
    if not diagnostics.source:
        diagnostics.source = source
    data = find_recorded(source, diagnostics)
    if data is None:
        refuse_folder(source)
    _note_package(resolver, options, diagnostics)
    for path in filter(None, (source, options.parameters, options.joint_parameters)):
        resolver.note_file(os.path.abspath(path))
    data = read_regular_file(source) if data is None else data
    for each in reader_formats():
        if each.refuse is not None:
            each.refuse(data, source)
    _refuse_webots(data, source)
    found = choose_reader(data, source, reader_formats())
    if found.examine is None and (options.parameters or options.joint_parameters):
        labels = [each.label for each in reader_formats() if each.examine is not None]
        raise ReadError(
            f"parameters and joint parameters belong to {name_choices(labels)} files, which this "
            "is not",
            source=source,
        )
    given = Description(
        data=data, source=source, resolver=resolver, options=options, diagnostics=diagnostics
    )
    return found, given


def find_recorded(source: str, diagnostics: Diagnostics) -> bytes | None:
    """Returns the description in a recording, or of a running node at an address; None for a file
    of a format, and any other. Raises ReadError for a recording or a node without one."""
    suffixes = tuple(suffix for each in reader_formats() for suffix in each.suffixes)
    if source.lower().endswith(suffixes) and not is_address(source):
        return None
    found = (find(source, diagnostics) for find in find_hooks("find_recorded"))
    return next(filter(None, found), None)


def _note_package(
    resolver: PackageResolver, options: ImportOptions, diagnostics: Diagnostics
) -> None:
    """Names the description that was found in a package, and the arguments of its launch files for
    which the user gave no other value.
    Diagnostics after it are about the description, whose lines they name."""
    if resolver.package:
        own = dict(options.xacro_args)
        words = [f"{name}:={value}" for name, value in resolver.arguments if name not in own]
        diagnostics.remark(
            "package-description",
            f"the package {quote(resolver.package)} is read as {quote_path(resolver.description)}"
            f"{', with ' if words else ''}{' '.join(words)}",
        )
        diagnostics.source = resolver.description


def _refuse_webots(data: bytes, source: str) -> None:
    """Raises ReadError for a world or a PROTO, whose parts are programs and come from the
    network."""
    if data.lstrip().startswith(b"#VRML_SIM"):
        raise ReadError(
            "this is a file of Webots, which is not read: make a URDF of a PROTO, with "
            "`webots convert FILE.proto FILE.urdf`",
            source=source,
        )


def read_description(
    resolver: PackageResolver, options: ImportOptions, diagnostics: Diagnostics
) -> Robot:
    """Reads a file of any format, with the files that `resolver` finds for it. Raises ReadError."""
    found, given = open_description(resolver, options, diagnostics)
    robot = found.read(given)
    report_odd_names(robot, diagnostics)
    return robot


def read_world(
    resolver: PackageResolver, options: ImportOptions, diagnostics: Diagnostics
) -> DescribedWorld:
    """Reads a file of a format of worlds, as read_description does. Raises ReadError."""
    found, given = open_description(resolver, options, diagnostics)
    if found.read_world is None:
        kinds = name_choices([each.label for each in reader_formats() if each.read_world])
        raise ReadError(
            f"this is {found.label}, which describes one robot; worlds are {kinds}",
            source=given.source,
        )
    return found.read_world(given)


def writer_formats() -> tuple[WriterFormat[Any], ...]:
    """Returns the formats that robots can be written in, in the order of menus."""
    parts = list_parts("formats")
    return tuple(load(package, part.writer) for package, part in parts if part.writer)


def find_writer(path: AnyPath, *, options: FileOptions | None = None) -> WriterFormat[Any]:
    """Returns the format of a path: by its suffix, or a format that writes folders, for a folder
    that is there or a name with a slash at its end; of several of these the one that `options`
    belong to. Where they do, a name without suffix is a folder's too.

    Raises WriteError for a suffix that belongs to no format, and for none.
    """
    formats = writer_formats()
    place, text = Path(path), os.fspath(path)
    folders = [each for each in formats if each.writes_folders]
    fitting = [each for each in folders if isinstance(options, each.options)]
    if text.endswith(SEPARATORS) or os.path.isdir(place) or (fitting and not place.suffix):
        return (fitting or folders)[0]
    for each in formats:
        if place.suffix.lower() in each.suffixes:
            return each
    suffixes = [suffix for each in formats for suffix in each.suffixes]
    is_blend = place.suffix.lower() == ".blend"
    hint = "; a .blend is made by import_robot and save_blend" if is_blend else ""
    raise WriteError(
        f"cannot write {quote(place.name)}: the name must end in "
        f"{name_choices(suffixes)}, or be a folder's (with / at its end){hint}"
    )
