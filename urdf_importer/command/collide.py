# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer collide: which links of a robot touch, in its pose or during a motion."""

import argparse
from typing import Any

from .. import (
    CheckOptions,
    CollisionReport,
    Diagnostics,
    check_collisions,
    read_trajectory,
)
from .arguments import add_option_arguments, read_options
from .blends import is_blend
from .limits import open_checked, write_rows
from .loading import add_command, add_reading, add_robot
from .plans import UsageError
from .terminal import Terminal, write_result

_COLUMNS = ("link", "touches", "from", "to", "apart")


def add_collide(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(
        commands,
        "collide",
        _collide,
        help="say which links of a robot touch, in a pose or during a motion",
        description="Says which links of a robot touch each other, and from when to when during a "
        "motion, between its samples too. Without a motion the pose counts that a .blend shows, or "
        "zero of a description. The exit status is 1 where something touches.",
    )
    add_robot(parser)
    parser.add_argument(
        "motion", metavar="MOTION", nargs="?", help="a recording or a planned trajectory"
    )
    parser.add_argument("--topic", metavar="T", help="which topic of the recording")
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


def _collide(given: argparse.Namespace, terminal: Terminal) -> int:
    if not is_blend(given.robot) and (given.name is not None or given.objects):
        raise UsageError("--robot and --object need a .blend, and the robot is not in one")
    diagnostics = Diagnostics(given.robot)
    motion = None
    if given.motion is not None:
        own = Diagnostics(given.motion)
        motion = read_trajectory(given.motion, topic=given.topic, diagnostics=own)
        diagnostics.extend(own)
    robot = open_checked(given, diagnostics)
    report = check_collisions(
        robot,
        motion,
        objects=given.objects,
        options=read_options(given, CheckOptions),
        diagnostics=diagnostics,
    )
    terminal.diagnostics(tuple(diagnostics))
    _write(report)
    return 1 if report.collides else 0


def _write(report: CollisionReport) -> None:
    rows = [
        (each.link1, each.link2, f"{each.start:.3f} s", f"{each.end:.3f} s", _metres(each.distance))
        for each in report.contacts
    ]
    if rows:
        write_rows([_COLUMNS, *rows])
    else:
        write_result("nothing touches")
    if report.distance is not None and report.nearest is not None:
        one, other = report.nearest
        write_result(f"nearest: {one} and {other}, {_metres(report.distance)}")


def _metres(distance: float) -> str:
    return f"{distance:.4f} m"
