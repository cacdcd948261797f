# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs as plain values: frozen dataclasses of texts, paths and options, which can be pickled."""

import argparse
from dataclasses import dataclass, field
from pathlib import Path

from ..options import FileOptions, ImportOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """A file to work on. With `strict` every warning and error is a failure."""

    input: str
    strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReadingJob(_Job):
    """A description to read as `options` say."""

    options: ImportOptions = field(default_factory=ImportOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckJob(_ReadingJob):
    """A description to read and plan, without Blender. With `complete` the parts that the robot
    lacks are listed, and are failures. `given` are the arguments of the command, for parts that
    look further at the robot; None: none does."""

    complete: bool = False
    given: argparse.Namespace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportJob(_ReadingJob):
    """A description to import into a new file of Blender, and the .blend and the picture to be made
    of it: so many pixels wide and high, so many samples for each pixel, with bones in it if
    `bones`."""

    blend: Path | None = None
    picture: Path | None = None
    picture_size: tuple[int, int] = (960, 720)
    picture_samples: int = 16
    bones: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportJob(_Job):
    """A description, or a robot in a .blend, to write to `output`.

    format   the name of the format; empty: as `output` says
    options  options of the format, or the options that all formats share; None: its defaults
    reading  how a description is read
    robot    the name of the armature, where a .blend has several robots
    """

    output: Path
    format: str = ""
    options: FileOptions | None = None
    reading: ImportOptions = field(default_factory=ImportOptions)
    robot: str | None = None


Job = ImportJob | CheckJob | ExportJob
