# SPDX-License-Identifier: GPL-3.0-or-later
"""SRDF in and out."""

from pathlib import Path

from ..diagnostics import Diagnostics
from ..files.packages import AnyPath
from ..model import Robot, Semantics
from ..readers.srdf import semantics as reader
from ..writers.srdf import semantics as writer


def read_srdf(path: AnyPath, robot: Robot, diagnostics: Diagnostics | None = None) -> Semantics:
    """Returns what an SRDF file, or one in xacro, says of a robot: groups, states, end effectors,
    pairs of links that are not checked. What the robot does not have is kept, with an error in
    `diagnostics`, and has no effect. Raises ReadError where the file is not SRDF."""
    diagnostics = diagnostics if diagnostics is not None else Diagnostics(str(path))
    return reader.read_srdf(path, robot, diagnostics)


def write_srdf(semantics: Semantics, path: AnyPath, diagnostics: Diagnostics | None = None) -> Path:
    """Writes an SRDF, whole or not at all, and returns its path. What was read from a file and
    stays the same keeps its bytes. Raises WriteError."""
    diagnostics = diagnostics if diagnostics is not None else Diagnostics(semantics.source)

    def read(data: bytes) -> Semantics:
        return reader.read_srdf_text(data, None, semantics.source, Diagnostics())

    return writer.write_srdf(semantics, path, read, diagnostics)
