# SPDX-License-Identifier: GPL-3.0-or-later
"""MORSE in the table of formats."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from urdf_importer.core.options import StartOptions, option
from urdf_importer.core.writers.formats import OpenExport, OutputKind, WriterFormat

if TYPE_CHECKING:
    from .script.write import BuilderScript


@dataclass(frozen=True, slots=True, kw_only=True)
class MorseOptions(StartOptions):
    """How a robot becomes a builder script of MORSE. Every field has a sensible default."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Sensors", "Start", "Files")

    sensors: bool = option(
        True,
        "Sensors",
        "Make components of the description's sensors",
        group="Sensors",
    )


def _write(found: OpenExport[MorseOptions], path: Path) -> "BuilderScript":
    from .script.export import write_opened

    return write_opened(found, path)


def _suggest_name(robot: str) -> str:
    from .script.literals import make_module_name

    return make_module_name(robot)


MORSE = WriterFormat(
    name="morse",
    label="MORSE",
    title="MORSE Script",
    text="a builder script of MORSE (.py)",
    description="Write the active robot for the simulator MORSE, in its state in the scene: "
    "one Python file, with its meshes, that makes the robot anew and needs no "
    "other file",
    kinds=(OutputKind(name="SCRIPT", label="Builder Script", suffix=".py"),),
    options=MorseOptions,
    write=_write,
    suggest_name=_suggest_name,
    operator="morse_builder",
)
