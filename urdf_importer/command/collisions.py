# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer collisions: the robot with collision shapes that were fitted. And urdf-importer
collide: which links of a robot touch, in its pose or during a motion."""

import argparse
from typing import Any

from .. import (
    CheckOptions,
    CollisionOptions,
    CollisionReport,
    Diagnostics,
    EngineOptions,
    FileOptions,
    FittedCollisions,
    ImportOptions,
    check_collisions,
    export_robot,
    find_writer,
    fit_collisions,
    read_robot,
)
from ..files.outputs import check_output
from .arguments import add_option_arguments, add_own_argument, read_options
from .blends import is_blend
from .limits import add_motion_arguments, open_checked, open_with_motion, write_rows
from .loading import READING, add_command, add_reading, add_robot, add_strict, report_diagnostics
from .plans import UsageError, check_outputs
from .summary import count
from .terminal import Terminal, write_result

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
        _fit,
        help="fit collision shapes to a robot: simple ones, hulls, convex parts",
        description="Fits collision shapes around the meshes of a robot and writes it with them, "
        "in the format of the suffix of OUT. The table has, for each link, the number of its "
        "shapes and triangles, their volume as a share of the hulls of the meshes, and how far a "
        "mesh reaches beyond them.",
    )
    add_strict(parser)
    parser.add_argument("robot", metavar="ROBOT", help="a robot description")
    parser.add_argument("-o", "--output", metavar="OUT", help="the file to write")
    text = "a link that gets new shapes; without any, all (may be repeated)"
    add_own_argument(parser, "links", "--link", action="append", metavar="LINK", help=text)
    add_option_arguments(parser, CollisionOptions, but=("links",))
    add_option_arguments(parser, ImportOptions, only=READING)


def _fit(given: argparse.Namespace, terminal: Terminal) -> int:
    if given.output is not None:
        find_writer(given.output)
        check_output(given.output)
        check_outputs([given.robot], [given.output])
    diagnostics = Diagnostics(given.robot)
    reading = read_options(given, ImportOptions)
    robot = read_robot(given.robot, diagnostics=diagnostics, options=reading)
    options = read_options(given, CollisionOptions)
    fitted = fit_collisions(robot, options=options, diagnostics=diagnostics)
    report_diagnostics(given, terminal, diagnostics)
    if not given.quiet:
        _write_table(fitted)
    if given.output is not None:
        own = Diagnostics(given.robot)
        written = export_robot(
            fitted.robot,
            given.output,
            strict=given.strict,
            options=_find_options(given.output, options),
            diagnostics=own,
        )
        terminal.diagnostics(tuple(own))
        terminal.note(f"{written.path}: {count(len(fitted.links), 'link')} with new shapes")
    return 0


def _find_options(output: str, options: CollisionOptions) -> FileOptions:
    """Of files for game engines, only USD with physics has collision shapes."""
    places: Any = {"packages": options.packages, "package_paths": options.package_paths}
    if output.lower().endswith((".usd", ".usda", ".usdc")):
        return EngineOptions(engine="isaac", **places)
    return FileOptions(**places)


def _write_table(fitted: FittedCollisions) -> None:
    rows = [_COLUMNS]
    for name, link in fitted.links.items():
        share, miss = f"{link.volume_ratio:.2f}", f"{1000.0 * link.miss:.3f} mm"
        rows.append((name, str(len(link.collisions)), str(link.triangles), share, miss))
    write_rows(rows if fitted.links else [], numbers=(1, 2, 3, 4))


def _add_collide(commands: Any) -> None:
    parser = add_command(
        commands,
        "collide",
        _collide,
        help="list the links of a robot that touch, in a pose or during a motion",
        description="Lists the links of a robot that touch each other, and from when to when "
        "during a motion, between its samples too. Without a motion the pose counts that a .blend "
        "shows, or zero of a description. The exit status is 1 where something touches.",
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


def _collide(given: argparse.Namespace, terminal: Terminal) -> int:
    if not is_blend(given.robot) and (given.name is not None or given.objects):
        raise UsageError("--robot and --object need a .blend, and the robot is not in one")
    diagnostics = Diagnostics(given.robot)
    if given.motion is None:
        robot, motion = open_checked(given, diagnostics), None
    else:
        robot, motion = open_with_motion(given, diagnostics)
    report = check_collisions(
        robot,
        motion,
        objects=given.objects,
        options=read_options(given, CheckOptions),
        diagnostics=diagnostics,
    )
    terminal.diagnostics(tuple(diagnostics))
    _write_contacts(report)
    return 1 if report.collides else 0


def _write_contacts(report: CollisionReport) -> None:
    rows = [
        (each.link1, each.link2, f"{each.start:.3f} s", f"{each.end:.3f} s", _metres(each.distance))
        for each in report.contacts
    ]
    if rows:
        write_rows([_CONTACTS, *rows])
    else:
        write_result("nothing touches")
    if report.distance is not None and report.nearest is not None:
        one, other = report.nearest
        write_result(f"nearest: {one} and {other}, {_metres(report.distance)}")


def _metres(distance: float) -> str:
    return f"{distance:.4f} m"
