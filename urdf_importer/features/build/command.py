# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer inertials: the robot with masses from its shapes. And urdf-importer ranges: how far
its joints can move before links touch."""

import argparse
from pathlib import Path
from typing import Any

from ...core.command.arguments import (
    add_command,
    add_option_arguments,
    add_own_argument,
    read_options,
)
from ...core.command.jobs import ExportJob, write_steps
from ...core.command.loading import READING, plan_robot
from ...core.command.report import Work
from ...core.command.summary import count, describe_rows
from ...core.command.task import SLASH, Task, TaskOutput
from ...core.model import Robot
from ...core.options import FileOptions, ImportOptions
from ...core.pipeline.formats import find_writer, writer_formats
from ...core.pipeline.importing import read_robot
from ...core.progress import finish, relay
from .inertials import ComputedInertials, inertia_steps
from .options import InertiaOptions, RangeOptions
from .ranges import FoundRanges, range_steps

_MASSES = ("link", "mass", "volume", "measured")
_RANGES = ("joint", "lower", "upper", "touches below", "touches above")


def add_commands(commands: Any) -> None:
    """Adds the commands."""
    parser = add_command(
        commands,
        "inertials",
        _plan_inertials,
        help="compute masses and inertias from shapes",
        description="Computes masses and inertias of the links of a robot from their shapes, and "
        "writes the robot with them, in the format of the suffix of OUT. The table has the mass "
        "and the volume of each link, and how it was measured.",
    )
    text = "a link that is weighed; without any, all (may be repeated)"
    _add_arguments(parser, InertiaOptions, "links", text)
    parser = add_command(
        commands,
        "ranges",
        _plan_ranges,
        help="find the limits of joints by a search for contact",
        description="Finds how far each joint of a robot can move from zero before links touch "
        "that do not touch there, and writes the robot with these limits, in the format of the "
        "suffix of OUT. Contacts narrower than a step may be missed.",
    )
    text = "a joint that is searched; without any, all (may be repeated)"
    _add_arguments(parser, RangeOptions, "joints", text)


def _add_arguments(parser: argparse.ArgumentParser, kind: Any, many: str, text: str) -> None:
    one = many.removesuffix("s")
    parser.add_argument("robot", metavar="ROBOT", help="a robot description")
    parser.add_argument("-o", "--output", metavar="OUT", help="the file to write")
    add_own_argument(parser, many, f"--{one}", action="append", metavar=one.upper(), help=text)
    add_option_arguments(parser, kind, but=(many,))
    add_option_arguments(parser, ImportOptions, only=READING)


def _plan_inertials(given: argparse.Namespace) -> list[Task]:
    return plan_robot(given, _weigh, _find_output(given))


def _plan_ranges(given: argparse.Namespace) -> list[Task]:
    return plan_robot(given, _search, _find_output(given))


def _find_output(given: argparse.Namespace) -> TaskOutput:
    suffixes = [suffix for each in writer_formats() for suffix in each.suffixes]
    return TaskOutput(path=given.output, suffixes=[*suffixes, SLASH])


def _read(given: argparse.Namespace, work: Work) -> Robot:
    with work.clock("read"):
        reading = read_options(given, ImportOptions)
        return read_robot(given.robot, diagnostics=work.diagnostics, options=reading)


def _write(given: argparse.Namespace, work: Work, robot: Robot, options: FileOptions) -> None:
    if given.output is None:
        return
    work.hold()
    places = FileOptions(packages=options.packages, package_paths=options.package_paths)
    job = ExportJob(
        input=given.robot,
        output=Path(given.output),
        format=find_writer(given.output).name,
        options=places,
        strict=given.strict,
    )
    finish(write_steps(job, robot, work))


def _weigh(given: argparse.Namespace, work: Work) -> None:
    robot = _read(given, work)
    options = read_options(given, InertiaOptions)
    with work.clock("weigh"):
        steps = inertia_steps(robot, options, work.diagnostics)
        found: ComputedInertials = finish(relay(steps, work.show))
    masses = {each.name: each.inertial.mass for each in found.robot.links if each.inertial}
    rows = [
        (name, f"{masses[name]:.4g} kg", f"{1e6 * volume:.4g} cm3", kind)
        for name, (volume, _, kind) in found.bodies.items()
    ]
    work.rows = describe_rows([_MASSES, *rows], numbers=(1, 2)) if rows else ["no link to weigh"]
    _write(given, work, found.robot, options)
    work.summary = f"{robot.name}: {count(len(rows), 'link')} weighed"
    work.facts = {
        "robot": robot.name,
        "bodies": {
            name: {"mass": masses[name], "volume": volume, "center": center, "measured": kind}
            for name, (volume, center, kind) in found.bodies.items()
        },
    }


def _search(given: argparse.Namespace, work: Work) -> None:
    robot = _read(given, work)
    options = read_options(given, RangeOptions)
    with work.clock("search"):
        steps = range_steps(robot, options, work.diagnostics)
        found: FoundRanges = finish(relay(steps, work.show))
    rows = []
    for name, bounds in found.ranges.items():
        lower, upper = ("free" if each is None else f"{each:.4f}" for each in bounds)
        below, above = (" and ".join(each or ()) for each in found.contacts[name])
        rows.append((name, lower, upper, below, above))
    work.rows = describe_rows([_RANGES, *rows], numbers=(1, 2)) if rows else ["no joint to search"]
    _write(given, work, found.robot, options)
    work.summary = f"{robot.name}: {count(len(rows), 'joint')} searched"
    work.facts = {"robot": robot.name, "ranges": found.ranges, "contacts": found.contacts}
