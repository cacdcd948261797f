# SPDX-License-Identifier: GPL-3.0-or-later
"""Repairs of faults that have one right answer: joints and angles -> meshes -> inertias.

Never mended are masses, places of joints, followers and sides: only their maker knows these.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...core.arguments import diagnostics_of, options_of, robot_of
from ...core.diagnostics import (
    ArgumentError,
    Diagnostic,
    Diagnostics,
    ReadError,
    Severity,
    quote,
)
from ...core.files.outputs import AnyPath
from ...core.geometry.inertia import clamp_inertia, is_positive
from ...core.geometry.mesh_data import MeshData
from ...core.geometry.volumes import inertia_of, join_masses, tensor_of
from ...core.meshes.weighing import weigh
from ...core.model import Inertial, Joint, Limit, Link, Mesh, Pose, Robot, Vector3
from ...core.options import FileOptions
from ...core.pipeline.exporting import fit_options
from ...core.pipeline.files import find_files, open_files
from ...core.pipeline.formats import find_writer
from ...core.pipeline.opening import open_export
from ...formats.urdf.read.link import check_inertia
from .files import INSIDE_OUT, mend_names, turn_meshes
from .lint import check_robot
from .options import LintOptions
from .rules.units import in_degrees, mesh_scale, turned_in_degrees
from .survey import RobotSurvey

BY_SHAPES = ("inertia-unlikely", "density-unlikely")
NAMED = (*BY_SHAPES, INSIDE_OUT)
"""Codes that are mended only where they are named: shapes give the inertia, and new files the
meshes."""
_KEEPING = ("urdf", "sdf")
_FASTEST = 100_000
"""In degrees a second; greater numbers stand for no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A repaired robot, and the changes, each a note with the code `repaired`. `meshes` are turned
    ones by their names in the robot: files that `write` makes."""

    robot: Robot
    changes: tuple[Diagnostic, ...]
    meshes: Mapping[str, MeshData] = field(default_factory=dict)

    def write(self, path: AnyPath, *, options: FileOptions | None = None) -> tuple[Path, ...]:
        """Writes the robot in the text that it was read from, changed only where it was repaired,
        and turned meshes beside it; returns the files, and writes all or none. Raises
        ReadError where there is no such text, WriteError."""
        robot = self.robot
        kind = find_writer(path)
        if robot.source.lower().endswith(".xacro"):
            raise ReadError(
                "a repair would be lost at the next expansion: repair the result of `convert`, or "
                "the .xacro by hand",
                source=robot.source,
            )
        if kind.name not in _KEEPING or not robot.text_of(kind.name):
            raise ReadError(
                f"repairs are written into the text of URDF and SDF files, to a copy of the same "
                f"kind, not from here to {quote(str(path))}",
                source=robot.source,
            )
        found = open_export(robot, fit_options(options, kind), None)
        files = found.files.with_new(self.meshes)
        # A turned mesh of an earlier run is replaced.
        files.named -= self.meshes.keys()
        return kind.write(replace(found, files=files), Path(path)).files


def repair_robot(
    robot: Robot,
    *,
    codes: Iterable[str] = (),
    options: LintOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Repair:
    """Returns a robot whose faults with one right answer are mended: swapped limits, limits and
    angles in degrees, negative limits of effort and velocity, axes that are not of unit length,
    meshes in millimetres, inertias that no body has, names of files that were found elsewhere or
    spelled differently.

    With `codes` "inertia-unlikely" and "density-unlikely" the links that these findings are about
    get the inertia of their shapes, at the mass as written; with "mesh-inside-out" turned copies of
    meshes, which Repair.write makes. Masses, places of joints, followers and sides stay. The
    changes are added to `diagnostics`. A second repair changes nothing. Raises ArgumentError for
    other codes.
    """
    robot, options = robot_of(robot), options_of(options, LintOptions)
    asked = tuple(codes)
    for code in asked:
        if code not in NAMED:
            raise ArgumentError(
                f"{quote(code)} has no repair of its own; {' and '.join(NAMED)} have"
            )
    mender = _Mender(robot.source, options)
    joints = tuple(map(mender.mend_joint, robot.joints))
    mended = replace(robot, joints=joints, links=tuple(map(mender.mend_link, robot.links)))
    resolver = find_files(robot.source, options)
    mended = mend_names(mended, resolver, options.wants, mender.note_file)
    files = open_files(resolver, Diagnostics(), mended, options)
    survey = RobotSurvey(mended, files, options)
    links = tuple(mender.scale_meshes(link, survey) for link in mended.links)
    mended = replace(mended, links=links)
    if set(asked) & set(BY_SHAPES):
        mended = _weigh_links(mended, asked, survey, mender)
    meshes: dict[str, MeshData] = {}
    if INSIDE_OUT in asked and options.wants("mesh-inside-out"):
        mended, meshes = turn_meshes(mended, survey, mender.note_file)
    diagnostics_of(diagnostics).extend(mender.changes)
    return Repair(robot=mended, changes=tuple(mender.changes), meshes=meshes)


@dataclass(slots=True)
class _Mender:
    source: str
    options: LintOptions
    changes: list[Diagnostic] = field(default_factory=list)

    def note(self, part: Link | Joint, what: str, old: Any, new: Any, line: int = 0) -> None:
        kind = type(part).__name__.lower()
        change = f"{what} of {kind} {quote(part.name)}: {_show(old)} -> {_show(new)}"
        self._add(change, part.name, line or part.line)

    def note_file(self, what: str, link: str, old: str, new: str, line: int) -> None:
        whose = f" of link {quote(link)}" if link else ""
        self._add(f"{what}{whose}: {quote(old)} -> {quote(new)}", link, line)

    def _add(self, message: str, subject: str, line: int) -> None:
        self.changes.append(
            Diagnostic(
                severity=Severity.NOTE, code="repaired", message=message, subject=subject,
                source=self.source, line=line,
            )
        )  # fmt: skip

    def mend_joint(self, joint: Joint) -> Joint:
        mended = replace(joint, origin=self.turn(joint, joint.origin, "rpy"))
        if joint.limit is not None:
            mended = replace(mended, limit=self.mend_limit(joint, joint.limit))
        length = math.hypot(*(joint.axis or (1.0,)))
        is_right = abs(length - 1.0) <= 1e-3 or length <= 1e-9
        if joint.axis is None or joint.type == "fixed" or is_right:
            return mended
        x, y, z = (each / length for each in joint.axis)
        self.note(joint, "axis", joint.axis, (x, y, z))
        return replace(mended, axis=(x, y, z))

    def mend_limit(self, joint: Joint, limit: Limit) -> Limit:
        ends = {"lower": limit.lower, "upper": limit.upper}
        both = limit.lower is not None and limit.upper is not None
        wants = self.options.wants
        if wants("swapped-limits") and both and (limit.lower or 0.0) > (limit.upper or 0.0):
            ends = {"lower": limit.upper, "upper": limit.lower}
        if wants("limit-in-degrees") and joint.type == "revolute" and in_degrees(limit):
            ends |= {key: math.radians(end or 0.0) for key, end in ends.items()}
            speed = limit.velocity
            if speed is not None and 30.0 < speed <= _FASTEST and speed == int(speed):
                ends["velocity"] = math.radians(speed)
        for key in ("effort", "velocity"):
            value = getattr(limit, key)
            if wants("limit-absurd") and value is not None and value < 0.0:
                ends[key] = -value
        new: dict[str, Any] = {key: end for key, end in ends.items() if end != getattr(limit, key)}
        for key, end in new.items():
            self.note(joint, f"limit {key}", getattr(limit, key), end)
        return replace(limit, **new) if new else limit

    def turn(self, part: Link | Joint, pose: Pose, what: str, line: int = 0) -> Pose:
        if not self.options.wants("angle-in-degrees") or not turned_in_degrees(pose):
            return pose
        roll, pitch, yaw = map(math.radians, pose.rpy)
        self.note(part, what, pose.rpy, (roll, pitch, yaw), line)
        return replace(pose, rpy=(roll, pitch, yaw))

    def mend_link(self, link: Link) -> Link:
        def turn(shape: Any) -> Any:
            kind = type(shape).__name__.lower()
            return replace(
                shape, origin=self.turn(link, shape.origin, f"rpy of {kind}", shape.line)
            )

        inertial = None if link.inertial is None else self.clamp(link, turn(link.inertial))
        return replace(_change_shapes(link, turn), inertial=inertial)

    def clamp(self, link: Link, inertial: Inertial) -> Inertial:
        tensor = tensor_of(inertial.inertia)
        if inertial.inertia is None or not tensor.any() or not np.isfinite(tensor).all():
            return inertial
        # As reading judges: it leaves rounding of text alone.
        codes: list[str] = []
        check_inertia(inertial.inertia, lambda code, message: codes.append(code))
        if not any(map(self.options.wants, codes)):
            return inertial
        if float(np.linalg.eigvalsh(tensor)[-1]) <= 0.0:
            return inertial
        new = inertia_of(clamp_inertia(tensor), inertial.inertia)
        self.note(link, "inertia", _moments(inertial), (new.ixx, new.iyy, new.izz), inertial.line)
        return replace(inertial, inertia=new)

    def scale_meshes(self, link: Link, survey: RobotSurvey) -> Link:
        def scale(shape: Any) -> Any:
            measure = survey.measure(shape)
            if not isinstance(shape.geometry, Mesh) or measure is None:
                return shape
            factor = mesh_scale(float(measure.size.max()), survey.reach)
            if factor == 1.0 or not self.options.wants("mesh-units"):
                return shape
            x, y, z = (float(f"{each * factor:.12g}") for each in shape.geometry.scale)
            self.note(link, "scale of mesh", shape.geometry.scale, (x, y, z), shape.line)
            return replace(shape, geometry=replace(shape.geometry, scale=(x, y, z)))

        return _change_shapes(link, scale)


def _change_shapes(link: Link, change: Callable[[Any], Any]) -> Link:
    visuals, collisions = (tuple(map(change, each)) for each in (link.visuals, link.collisions))
    return replace(link, visuals=visuals, collisions=collisions)


def _weigh_links(
    robot: Robot, codes: tuple[str, ...], survey: RobotSurvey, mender: _Mender
) -> Robot:
    """Gives the links that findings of these codes are about the inertia of their shapes."""
    found = check_robot(robot, options=mender.options)
    named = {item.subject for item in found if item.code in codes}

    def weigh_link(link: Link) -> Link:
        inertial = link.inertial
        if link.name not in named or inertial is None or inertial.mass is None:
            return link
        load: Callable[[Mesh], Any] = survey.files.peek
        measured = join_masses(
            weigh(shape, load, hulls=True)  # type: ignore[arg-type]
            for shape in link.visuals or link.collisions
        )
        if measured is None or not is_positive(measured.inertia):
            return link
        tensor = measured.inertia * (inertial.mass / measured.volume)
        new = replace(
            inertial,
            origin=Pose(xyz=inertial.origin.xyz),
            inertia=inertia_of(tensor, inertial.inertia),
        )
        mender.note(link, "inertia", _moments(inertial), _moments(new), inertial.line)
        return replace(link, inertial=new)

    return replace(robot, links=tuple(map(weigh_link, robot.links)))


def _moments(inertial: Inertial) -> Vector3:
    """The diagonal of an inertia."""
    x, y, z = np.diag(tensor_of(inertial.inertia)).tolist()
    return x, y, z


def _show(value: Any) -> str:
    if isinstance(value, tuple):
        return " ".join(f"{each:.6g}" for each in value)
    return "none" if value is None else f"{value:.6g}"
