# SPDX-License-Identifier: GPL-3.0-or-later
"""Builder scripts: the comment at the top explains a script, its use and MORSE's limits; below it,
tables are filled into a template."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from urdf_importer.core.diagnostics import Diagnostics, WriteError, quote
from urdf_importer.core.files.outputs import check_output, write_text
from urdf_importer.core.kinematics.forward import complete_positions
from urdf_importer.core.meshes import RobotFiles
from urdf_importer.core.model import Robot
from urdf_importer.core.options import ImportOptions, StartOptions
from urdf_importer.core.rig import plan_rig
from urdf_importer.core.rig.rig_plan import JointPlan, RigPlan
from urdf_importer.core.writers.formats import Facts, OpenExport, Written, count_robot
from urdf_importer.core.writers.start import read_positions

from ..formats import MorseOptions
from ..sensors import SensorSuggestion, suggest_sensors
from .armatures import ArmaturePlan, Groups, judge_armatures, list_findings, plan_armatures
from .literals import comment, make_class_name, printable, single
from .shapes import ShapeTables
from .tables import mass_of, name_sensors, write_rig, write_sensors

_NOT_AT_ZERO = (
    "When a simulation starts, the Armature actuator drives all joints to zero, whatever their "
    "limits and where they start, unless it is sent other positions."
)
_PHYSICS = (
    "Collision shapes stop other bodies and go where the joints carry them; the robot as a whole "
    "is moved by MORSE's actuators only. set_rigid_body() and set_collision_bounds() make it a "
    "body of these shapes that falls."
)
_TOOLS = (
    "Forces, velocities, damping and friction of joints have no place in the Armature actuator: "
    "its speeds are the properties radial_speed and linear_speed."
)


def write_header(robot: Robot, name: str, path: Path, findings: Sequence[str]) -> str:
    """Writes the comment at the top. `name` is the class's name, `findings` are MORSE's differences
    for this robot."""
    source = Path(robot.source).name
    made_from = f", made from {source}" if source else ""
    parts = [
        comment(
            f"The robot {robot.name} for the MORSE simulator{made_from}. This file needs MORSE 1.4 "
            "and no other file."
        ),
        *_write_usage(name, path),
        "#\n# MORSE's differences from its description:\n",
        *(comment(note, first="* ") for note in (*findings, _NOT_AT_ZERO, _TOOLS, _PHYSICS)),
    ]
    return "".join(parts)


def _write_usage(name: str, path: Path) -> list[str]:
    """Writes how the script is used. Foreign names are used only where they cannot end a line."""
    stem = path.stem
    rename = "" if stem.isidentifier() and stem.isascii() else " (rename it first)"
    module = "NAME" if rename else stem
    return [
        "#\n",
        f"#     morse run {printable(path.name)}\n",
        "#\n",
        comment(
            "runs it in an empty world. In a builder script of its own, with this file where "
            f"Python looks for modules{rename}, beside that script or in the folder src of a MORSE "
            "environment:"
        ),
        "#\n",
        "#     from morse.builder import *\n",
        f"#     from {module} import {name}\n",
        f"#     robot = {name}()\n",
    ]


_TEMPLATE = Path(__file__).with_name("templates") / "builder_script.py.txt"
_EMPTY_SHARE = 0.04
"""Size of the empties as a share of the robot's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuilderScript(Written):
    """A script that was written.

    path         the file; `files` has it too, as all exports do
    robot        the robot's name
    class_name   the robot's class in the script
    links        the links' names, in tree order
    joints       the joints that MORSE can move
    armatures    name -> joints, of its Armature actuators, the main one first if it has any
    followers    joints that follow others, which MORSE does not support
    sensors      the names of the components that are sensors of the description
    facts        also `class`, as `class_name`; `actuators`, as `armatures`; `components`, as
                 `sensors`
    """

    class_name: str
    links: tuple[str, ...]
    joints: tuple[str, ...]
    armatures: dict[str, tuple[str, ...]]
    followers: tuple[str, ...]
    sensors: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Parts:
    """The parts of a script. `start`: joint -> radians or metres."""

    plan: RigPlan
    armatures: tuple[ArmaturePlan, ...]
    start: dict[str, float]
    sensors: tuple[SensorSuggestion, ...]
    shapes: ShapeTables

    @property
    def armature_names(self) -> tuple[str, ...]:
        return tuple(armature.name for armature in self.armatures)


def write_script(found: OpenExport[MorseOptions], path: Path, groups: Groups = ()) -> BuilderScript:
    """Writes a builder script from which MORSE makes the robot. Of the options, the ones about the
    start and the files count, and `sensors`. `groups` of joints get armatures of their own.

    Raises KinematicsError if the robot is not a tree
    or a position does not fit its joint, WriteError if the file cannot be written. An existing file
    is overwritten; nothing is written on failure.
    """
    robot, diagnostics = found.robot, found.diagnostics
    check_output(path)
    first = len(diagnostics)
    parts = _plan_parts(found, groups)
    if found.strict and (faults := diagnostics.count_faults()):
        raise WriteError(
            f"strict mode allows no diagnostics, not {faults}",
            source=diagnostics.source,
        )
    name = make_class_name(robot.name)
    template = Template(_TEMPLATE.read_text(encoding="utf-8"))
    text = template.substitute(
        header=write_header(robot, name, path, tuple(list_findings(diagnostics, first))),
        name=name,
        title=_title(robot),
        tables=_write_tables(parts),
        meshes=parts.shapes.write_meshes(),
        stand=_write_stand(found.options),
    )
    write_text(path, text)
    return _describe(parts, path, name, diagnostics)


def _plan_parts(found: OpenExport[MorseOptions], groups: Groups) -> _Parts:
    robot, options, diagnostics = found.robot, found.options, found.diagnostics
    plan = plan_rig(robot, options=ImportOptions(profile="morse"), diagnostics=diagnostics)
    armatures = plan_armatures(plan, groups)
    judge_armatures(plan, armatures, diagnostics)
    return _Parts(
        plan=plan,
        armatures=armatures,
        start=_plan_start(plan, options, diagnostics),
        sensors=suggest_sensors(robot, diagnostics, plan.tree) if options.sensors else (),
        shapes=_draw(plan, found.files, diagnostics),
    )


def _plan_start(plan: RigPlan, options: StartOptions, diagnostics: Diagnostics) -> dict[str, float]:
    """Returns the position of every joint that has a bone, in radians or metres: as the options
    say, else zero, each within its limits; joints that mimic another follow it.

    Raises KinematicsError for an unknown joint and for an impossible position.
    """
    motions = plan.tree.joint_motions
    given = read_positions(options)
    checked = complete_positions(motions, given)
    start: dict[str, float] = {}
    for joint in plan.joints:
        name = joint.joint.name
        if not joint.mimics:
            start[name] = joint.initial
            if name in given:
                wanted = checked[name]
                assert isinstance(wanted, float)
                start[name] = _keep_within_limits(joint, wanted, diagnostics)
    complete = complete_positions(motions, start)
    names = [joint.joint.name for joint in plan.joints]
    return {name: position for name in names if isinstance(position := complete[name], float)}


def _keep_within_limits(joint: JointPlan, wanted: float, diagnostics: Diagnostics) -> float:
    nearest = wanted
    if joint.lower is not None:
        nearest = max(nearest, joint.lower)
    if joint.upper is not None:
        nearest = min(nearest, joint.upper)
    if nearest != wanted:
        diagnostics.warning(
            "morse-start-position",
            f"joint {quote(joint.joint.name)} cannot be at {wanted:g}; it starts at {nearest:g}",
            subject=joint.joint.name,
            line=joint.joint.line,
        )
    return nearest


def _describe(
    parts: _Parts, path: Path, class_name: str, diagnostics: Diagnostics
) -> BuilderScript:
    plan = parts.plan
    armatures = _list_armatures(plan, parts.armatures)
    followers = tuple(joint.joint.name for joint in plan.joints if joint.mimics)
    sensors = name_sensors(parts.sensors, parts.armature_names)
    special = {
        "class": class_name,
        "actuators": {name: list(joints) for name, joints in armatures.items()},
        "components": list(sensors),
    }
    return BuilderScript(
        path=path,
        files=(path,),
        robot=plan.robot.name,
        class_name=class_name,
        links=tuple(link.link.name for link in plan.links),
        joints=tuple(joint.joint.name for joint in plan.joints),
        armatures=armatures,
        followers=followers,
        sensors=sensors,
        facts=_count(plan, len(followers)) | special,
        diagnostics=tuple(diagnostics),
    )


def _count(plan: RigPlan, followers: int) -> Facts:
    return count_robot(
        plan.robot,
        links=len(plan.links),
        moving_joints=len(plan.joints),
        degrees_of_freedom=len(plan.joints) - followers,
    )


def _list_armatures(plan: RigPlan, armatures: Sequence[ArmaturePlan]) -> dict[str, tuple[str, ...]]:
    held = {joint.channels[0].bone: joint.joint.name for joint in plan.joints}
    return {
        armature.name: tuple(held[bone.name] for bone in armature.bones)
        for armature in armatures
        if armature.bones
    }


def _draw(plan: RigPlan, files: RobotFiles, diagnostics: Diagnostics) -> ShapeTables:
    shapes = ShapeTables(plan.robot, files, diagnostics)
    # Visuals first: equal collisions share their meshes.
    for item in plan.links:
        shapes.add_visuals(item.link)
    for item in plan.links:
        shapes.add_collisions(item.link, mass_of(item))
    shapes.report_images()
    return shapes


def _write_tables(parts: _Parts) -> str:
    mass = math.fsum(mass_of(link) for link in parts.plan.links)
    size = _EMPTY_SHARE * parts.plan.size
    tables = (
        f"MASS = {single(mass)}\nEMPTY_SIZE = {single(size)}\n",
        write_rig(parts.plan, parts.armatures, parts.start),
        write_sensors(parts.sensors, parts.armature_names),
        parts.shapes.write_tables(),
    )
    return "\n".join(tables)


def _title(robot: Robot) -> str:
    """Returns a title that is safe in triple quotes."""
    name = printable(robot.name).replace("\\", "\\\\").replace('"', "'")
    return f"The robot {name}."


def _write_stand(options: StartOptions) -> str:
    """Writes the place of the robot, as lines of the script."""
    lines = []
    for what, numbers in (("translate", options.translation), ("rotate", options.rotation)):
        if any(numbers):
            x, y, z = (single(number) for number in numbers)
            lines.append(f"    robot.{what}(x={x}, y={y}, z={z})\n")
    return "".join(lines)
