# SPDX-License-Identifier: GPL-3.0-or-later
"""SRDF in and out: of files, and of rigs."""

import os
from pathlib import Path
from typing import Any

from ...core.arguments import diagnostics_of, options_of, rig_of, robot_of
from ...core.diagnostics import Diagnostics, ReadError
from ...core.files.packages import AnyPath
from ...core.model import Robot, Semantics
from ...core.options import AUTO, ImportOptions
from ...core.pipeline.files import find_files
from ..mjcf.read import find_semantics
from .read import semantics as reader
from .read.find import find_srdf as _find_srdf
from .write import semantics as writer


def read_srdf(path: AnyPath, robot: Robot, *, diagnostics: Diagnostics | None = None) -> Semantics:
    """Returns the content of an SRDF file, or of one in xacro: groups, states, end effectors, pairs
    of links that are not checked. References to missing parts of the robot are kept, with an error
    in `diagnostics`, and have no effect. Raises ReadError where the file is not SRDF."""
    diagnostics = diagnostics_of(diagnostics, path)
    return reader.read_srdf(path, robot_of(robot), diagnostics)


def find_srdf(path: AnyPath, *, name: str = "") -> Path | None:
    """Finds the SRDF of a description: beside it, in the folders srdf and config beside its own, or
    in a package that MoveIt's assistant made. `name` is the robot's name; None where there is
    none."""
    found = _find_srdf(os.fspath(path), name)
    return None if found is None else Path(found)


def read_own_srdf(
    path: AnyPath, robot: Robot, options: ImportOptions, diagnostics: Diagnostics
) -> Semantics | None:
    """Reads the SRDF that the options ask for; where they ask for none, the semantics in the
    description itself, as MuJoCo's have them, or None. Raises ReadError, also where a requested
    file is missing."""
    robot = robot_of(robot)
    if not options_of(options, ImportOptions).srdf:
        return find_semantics(robot, diagnostics)
    file = options.srdf
    if file == AUTO:
        found = find_srdf(path, name=robot.name)
        if found is None:
            raise ReadError("no SRDF of this robot lies near it", source=os.fspath(path))
        file = str(found)
    own, resolver = diagnostics.about(file), find_files(file, options)
    return reader.read_srdf(file, robot, own, resolver=resolver, xacro_env=options.xacro_env)


def write_srdf(
    semantics: Semantics | Any, path: AnyPath, *, diagnostics: Diagnostics | None = None
) -> Path:
    """Writes an SRDF, whole or not at all, and returns its path. Unchanged parts of a file that was
    read keep their bytes. In place of an SRDF the armature of an imported robot can be given: the
    result of extract_semantics is written. Raises WriteError; BuildError for an object that is not
    an imported robot."""
    if not isinstance(semantics, Semantics):
        from ...core.blender.semantics.apply import extract_semantics

        semantics = extract_semantics(semantics)
    diagnostics = diagnostics_of(diagnostics, semantics.source)

    def read(data: bytes) -> Semantics:
        return reader.read_srdf_text(data, None, semantics.source, Diagnostics())

    return writer.write_srdf(semantics, path, read, diagnostics)


def apply_srdf(
    armature: Any, semantics: Semantics | AnyPath, *, diagnostics: Diagnostics | None = None
) -> Semantics:
    """Puts an SRDF, or a file of one, on an imported robot and returns it: groups become bone
    collections, states pose assets, end effectors targets for inverse kinematics, a virtual joint
    that moves an empty that carries the robot. Data from an earlier SRDF of the robot goes.

    Raises ReadError, BuildError for an object that is not an imported robot; nothing changes then.
    """
    from ...core.blender.extract.robot import extract_robot
    from ...core.blender.semantics.apply import apply_semantics

    armature = rig_of(armature)
    if not isinstance(semantics, Semantics):
        semantics = read_srdf(semantics, robot=extract_robot(armature), diagnostics=diagnostics)
    apply_semantics(armature, semantics)
    return semantics
