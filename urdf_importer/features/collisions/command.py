# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer collisions: the robot with collision shapes that were fitted. And urdf-importer
collide: which links of a robot touch, in its pose or during a motion."""

import argparse
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...core.command.arguments import (
    add_command,
    add_option_arguments,
    add_own_argument,
    read_options,
)
from ...core.command.blends import is_blend
from ...core.command.jobs import ExportJob, write_steps
from ...core.command.loading import READING, add_reading, add_robot, plan_robot, read_checked
from ...core.command.report import Work
from ...core.command.summary import count, describe_rows
from ...core.command.task import SLASH, Task, TaskOutput, UsageError
from ...core.files.outputs import SEPARATORS
from ...core.options import FileOptions, ImportOptions
from ...core.pipeline.formats import find_writer, writer_formats
from ...core.pipeline.importing import read_robot
from ...core.progress import finish, relay
from ...formats.usd.write.options import EngineOptions
from ..motion.command_limits import add_motion_arguments, open_with_motion
from .check import check_collisions
from .fit import CollisionOptions, FittedCollisions, fit_steps
from .options import CheckOptions
from .report import CollisionReport

_COLUMNS = ("link", "shapes", "triangles", "of the hull", "beyond by")
_CONTACTS = ("link", "touches", "from", "to", "apart")


def add_commands(commands: Any) -> None:
    """Adds the commands."""
    _add_collisions(commands)
    _add_collide(commands)


def _add_collisions(commands: Any) -> None:
    parser = add_command(
        commands,
        "collisions",
        _plan_fitting,
        help="fit collision shapes to a robot: simple shapes, hulls, convex parts",
        description="Fits collision shapes around the meshes of a robot and writes it with them, "
        "in the format of the suffix of OUT. The table has, for each link, the number of its "
        "shapes and triangles, their volume as a share of the hulls of the meshes, and how far a "
        "mesh reaches beyond them.",
    )
    parser.add_argument("robot", metavar="ROBOT", help="a robot description")
    parser.add_argument("-o", "--output", metavar="OUT", help="the file to write")
    text = "a link that gets new shapes; without any, all (may be repeated)"
    add_own_argument(parser, "links", "--link", action="append", metavar="LINK", help=text)
    add_option_arguments(parser, CollisionOptions, but=("links",))
    add_option_arguments(parser, ImportOptions, only=READING)


def _plan_fitting(given: argparse.Namespace) -> list[Task]:
    suffixes = [suffix for each in writer_formats() for suffix in each.suffixes]
    # Physics of USD is written as text.
    suffixes = [each for each in suffixes if each != ".usdc"]
    path = given.output
    is_folder = path is not None and (path.endswith(SEPARATORS) or os.path.isdir(path))
    output = TaskOutput(path=path, suffixes=[*suffixes, SLASH], is_folder=is_folder)
    return plan_robot(given, _fit, output)


def _fit(given: argparse.Namespace, work: Work) -> None:
    with work.clock("read"):
        reading = read_options(given, ImportOptions)
        robot = read_robot(given.robot, diagnostics=work.diagnostics, options=reading)
    options = read_options(given, CollisionOptions)
    with work.clock("fit"):
        steps = fit_steps(robot, options=options, diagnostics=work.diagnostics)
        fitted = finish(relay(steps, work.show))
    work.rows = _table(fitted)
    measures = {
        name: {"shapes": len(link.collisions), "triangles": link.triangles}
        | {"volume_ratio": link.volume_ratio, "miss": link.miss}
        for name, link in fitted.links.items()
    }
    if given.output is not None:
        work.hold()
        places: Any = {"packages": options.packages, "package_paths": options.package_paths}
        # Of files for game engines, only USD with physics has collision shapes.
        is_usd = Path(given.output).suffix.lower().startswith(".usd")
        job = ExportJob(
            input=given.robot,
            output=Path(given.output),
            format=find_writer(given.output).name,
            options=EngineOptions(engine="isaac", **places) if is_usd else FileOptions(**places),
            strict=given.strict,
        )
        finish(write_steps(job, fitted.robot, work))
        work.summary = f"{fitted.robot.name}: {count(len(fitted.links), 'link')} with new shapes"
    work.facts = {"robot": fitted.robot.name, "fitted": measures}


def _table(fitted: FittedCollisions) -> list[str]:
    rows = [_COLUMNS]
    for name, link in fitted.links.items():
        share, miss = f"{link.volume_ratio:.2f}", f"{1000.0 * link.miss:.3f} mm"
        rows.append((name, str(len(link.collisions)), str(link.triangles), share, miss))
    return describe_rows(rows, numbers=(1, 2, 3, 4)) if fitted.links else []


def _add_collide(commands: Any) -> None:
    parser = add_command(
        commands,
        "collide",
        _plan_check,
        help="list the links of a robot that touch, in a pose or during a motion",
        description="Lists the links of a robot that touch each other, and from when to when "
        "during a motion, between its samples too. Without a motion it checks the pose in a "
        ".blend, or the zero pose of a description. The exit status is 1 where something touches.",
    )
    add_robot(parser)
    parser.add_argument(
        "motion", metavar="MOTION", nargs="?", help="a recording or a planned trajectory"
    )
    add_motion_arguments(parser)
    parser.add_argument(
        "--object",
        dest="objects",
        action="append",
        default=[],
        metavar="NAME",
        help="an object of the .blend that links may touch too; may be repeated",
    )
    add_option_arguments(parser, CheckOptions)
    add_reading(parser, "packages", "package_paths")


def _plan_check(given: argparse.Namespace) -> list[Task]:
    if not is_blend(given.robot) and (given.name is not None or given.objects):
        raise UsageError("--robot and --object need a .blend, and the robot is not in one")
    return plan_robot(given, _collide, beside=(given.motion,) if given.motion else ())


def _collide(given: argparse.Namespace, work: Work) -> None:
    if given.motion is None:
        robot, motion = read_checked(given, work), None
    else:
        robot, motion = open_with_motion(given, work)
    with work.clock("check"):
        report = check_collisions(
            robot,
            motion,
            objects=given.objects,
            options=read_options(given, CheckOptions),
            diagnostics=work.diagnostics,
        )
    work.rows = _list_contacts(report)
    work.facts = {
        "contacts": [asdict(each) | {"point": each.point.tolist()} for each in report.contacts],
        "distance": report.distance,
        "nearest": report.nearest,
    }
    work.status = 1 if report.collides else 0


def _list_contacts(report: CollisionReport) -> list[str]:
    rows = [
        (each.link1, each.link2, f"{each.start:.3f} s", f"{each.end:.3f} s", _metres(each.distance))
        for each in report.contacts
    ]
    lines = describe_rows([_CONTACTS, *rows]) if rows else ["nothing touches"]
    if report.distance is not None and report.nearest is not None:
        one, other = report.nearest
        lines.append(f"nearest: {one} and {other}, {_metres(report.distance)}")
    return lines


def _metres(distance: float) -> str:
    return f"{distance:.4f} m"
