# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of checks and of proofs."""

from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import partial
from typing import ClassVar, Literal

from ...core.diagnostics import ArgumentError, nearest, quote
from ...core.options import FileOptions, option

Level = Literal["note", "warning", "error"]
LEVELS: tuple[Level, ...] = ("note", "warning", "error")
"""The least severe first."""
TARGETS = ("ros", "moveit", "gazebo", "mujoco", "isaac", "usd", "webots", "drake")
USD, GLTF = (".usd", ".usda", ".usdc", ".usdz"), (".glb", ".gltf")
"""Suffixes: formats of single precision."""
READERS = ("own", "mujoco", "usd", "urdfdom", "sdformat", "gltf")
_CHECK, _PROOF = partial(option, group="Check"), partial(option, group="Proof")
_ALIKE = 0.9
"""As difflib counts: from here on an unknown code is a misspelled one of a check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LintOptions(FileOptions):
    """The findings that a check gives back."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Check", "Files")

    level: Level = _CHECK(
        "warning",
        "Level",
        "The least severity of findings",
        choices={
            "note": "Everything, also healthy things that are good to know; meshes take longer",
            "warning": "Probable faults",
            "error": "Losses, and refusals of targets",
        },
    )
    ignore: tuple[str, ...] = _CHECK(
        (), "Ignored Codes", "Codes of findings that are not wanted; inertia-* are all like it"
    )
    targets: tuple[str, ...] = _CHECK(
        (), "Targets", f"The programs that the robot is for: {', '.join(TARGETS)}"
    )
    most_collision_triangles: int = _CHECK(
        20_000, "Most Collision Triangles", "Of a collision mesh, before a note", bounds=(1, None)
    )

    def refuse_unknown(self) -> None:
        """Raises ArgumentError for an unknown target or ignored code."""
        for target in self.targets:
            need_known("target", target, TARGETS)
        from .rules import CODES

        for code in self.ignore:
            is_code = "-" in code or "*" in code
            is_own = any(fnmatchcase(each, code) for each in CODES)
            if not is_code or (not is_own and get_close_matches(code, CODES, cutoff=_ALIKE)):
                need_known("code", code, CODES)

    def wants(self, code: str) -> bool:
        """Whether findings of a code are wanted."""
        return not any(fnmatchcase(code, each) for each in self.ignore)


def need_known(what: str, name: str, known: tuple[str, ...]) -> None:
    """Raises ArgumentError for a name that is not among the known."""
    if name not in known:
        raise ArgumentError(f"there is no {what} {quote(name)}{nearest(name, known)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AfterExport:
    """The questions in the dialogs of exports."""

    prove: bool = _PROOF(
        False,
        "Prove",
        "Read the written file back and compare it with the robot: links, places, masses, "
        "inertias, limits, shapes. The page of the proof is a text",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofOptions(FileOptions):
    """The comparisons of a proof."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Proof", "Files")

    poses: int = _PROOF(
        5, "Poses", "Random poses within the limits; 0 for the zero pose alone", bounds=(0, 1000)
    )
    seed: int = _PROOF(
        0, "Seed", "The poses are the same for the same number, from 0 on", bounds=(0, None)
    )
    readers: tuple[str, ...] = _PROOF(
        (), "Readers", f"Who reads the file; without any, all that can: {', '.join(READERS)}"
    )
    seconds: float = _PROOF(
        1.0,
        "Seconds",
        "How long MuJoCo simulates the file; zero for no simulation",
        bounds=(0.0, 60.0),
    )
    shapes: bool = _PROOF(True, "Shapes", "Compare the boxes of shapes too; meshes are read then")
    tolerance: float = _PROOF(
        1e-6,
        "Tolerance",
        "By how much numbers may differ: m, rad, relative; 0 for nothing",
        bounds=(0.0, 1.0),
    )

    def refuse_unknown(self) -> None:
        """Raises ArgumentError for an unknown reader."""
        for reader in self.readers:
            need_known("reader", reader, READERS)
