# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs as plain values: frozen dataclasses of texts, paths and options, which can be pickled."""

from dataclasses import dataclass, field
from pathlib import Path

from .. import FileOptions, ImportOptions, Reshaping
from ..pipeline.converting import ConvertMode


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
    """A description to read and plan, without Blender."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportJob(_ReadingJob):
    """A description to import into a new file of Blender, and the .blend and the picture to be made
    of it: so many pixels wide and high, so many samples for each pixel, with bones in it if
    `bones`. A `world` is imported as a whole, and has no picture."""

    blend: Path | None = None
    picture: Path | None = None
    picture_size: tuple[int, int] = (960, 720)
    picture_samples: int = 16
    bones: bool = False
    world: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportJob(_Job):
    """A description, or a robot in a .blend, to write to `output`.

    format   the name of the format; empty: as `output` says
    options  options of the format, or the options that all formats share; None: its defaults
    reading  how a description is read
    robot    the name of the armature, where a .blend has several robots
    wishes   changes to make to the robot before
    srdf     its SRDF, to be written to `srdf_output` as it fits then
    world    the whole scene of a .blend is written, and `robot`, `wishes` and `srdf` mean nothing
    """

    output: Path
    format: str = ""
    options: FileOptions | None = None
    reading: ImportOptions = field(default_factory=ImportOptions)
    robot: str | None = None
    wishes: Reshaping | None = None
    srdf: str | None = None
    srdf_output: Path | None = None
    world: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertJob(_ReadingJob):
    """A description, or a robot in a .blend, to be shown as text, reshaped as `wishes` say: in
    `output` or, where that is None, in the report."""

    output: Path | None = None
    mode: ConvertMode = "xml"
    robot: str | None = None
    wishes: Reshaping = field(default_factory=Reshaping)


@dataclass(frozen=True, slots=True, kw_only=True)
class SrdfJob(_ReadingJob):
    """The SRDF to write of a robot: the file that `options` name, or the SRDF of a rig in a .blend,
    or a new one, adapted to the changes in `wishes`. With `samples`, pairs of links that need no
    look for collisions are found by so many poses."""

    output: Path
    samples: int | None = None
    seed: int = 0
    robot: str | None = None
    wishes: Reshaping = field(default_factory=Reshaping)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureJob(_ReadingJob):
    """A description, or a robot in a .blend, whose measures are wanted as a table: in `output`, as
    CSV where that ends so, or in the report. `lengths`, `axes` and `unit` are as for measure."""

    output: Path | None = None
    robot: str | None = None
    lengths: bool = False
    axes: str = "xyz"
    unit: float = 1.0


Job = ImportJob | CheckJob | ExportJob | ConvertJob | SrdfJob | MeasureJob
