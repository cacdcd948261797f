# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer collisions: the robot with collision shapes that were fitted."""

import argparse
from dataclasses import fields, replace
from typing import Any

from .. import (
    CollisionOptions,
    Diagnostics,
    EngineOptions,
    FileOptions,
    FittedCollisions,
    ImportOptions,
    RobotError,
    export_robot,
    fit_collisions,
    read_robot,
)
from ..files.outputs import check_output
from .arguments import EPILOG, add_option_arguments, read_options
from .plans import check_outputs
from .summary import count
from .terminal import Terminal, write_result

_READING = ("xacro_args", "model", "parameters", "joint_parameters")
_FITTING = tuple(each.name for each in fields(CollisionOptions) if each.name != "links")
_COLUMNS = ("link", "shapes", "triangles", "of the hull", "beyond by")


def add_collisions(commands: Any) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "collisions",
        help="fit collision shapes to a robot: simple ones, hulls, convex parts",
        description="Fits collision shapes around the meshes of a robot and writes it with them, "
        "in the format of the suffix of OUT. The table has, for each link, the number of its "
        "shapes and triangles, their volume as a share of the hulls of the meshes, and how far a "
        "mesh reaches beyond them.",
        epilog=EPILOG,
    )
    parser.set_defaults(parser=parser, act=_fit)
    parser.add_argument("--quiet", action="store_true", help="write nothing but errors")
    parser.add_argument("--strict", action="store_true", help="take each diagnostic as a failure")
    parser.add_argument("robot", metavar="ROBOT", help="a robot description")
    parser.add_argument("-o", "--output", metavar="OUT", help="the file to write")
    parser.add_argument(
        "--link",
        dest="links",
        action="append",
        default=[],
        metavar="LINK",
        help="a link that gets new shapes; without any, all (may be repeated)",
    )
    add_option_arguments(parser, CollisionOptions, only=_FITTING)
    add_option_arguments(parser, ImportOptions, only=_READING)


def _fit(given: argparse.Namespace, terminal: Terminal) -> int:
    if given.output is not None:
        check_output(given.output)
        check_outputs([given.robot], [given.output])
    diagnostics = Diagnostics(given.robot)
    reading = read_options(given, ImportOptions)
    robot = read_robot(given.robot, diagnostics=diagnostics, options=reading)
    options = replace(read_options(given, CollisionOptions), links=given.links)
    fitted = fit_collisions(robot, options=options, diagnostics=diagnostics)
    terminal.diagnostics(tuple(diagnostics))
    if given.strict and len(diagnostics):
        what = count(len(diagnostics), "diagnostic")
        raise RobotError(f"--strict takes {what} as a failure", source=given.robot)
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
    if output.lower().endswith((".usd", ".usda", ".usdc")):
        return EngineOptions(
            engine="isaac", packages=options.packages, package_paths=options.package_paths
        )
    return FileOptions(packages=options.packages, package_paths=options.package_paths)


def _write_table(fitted: FittedCollisions) -> None:
    rows = [_COLUMNS] if fitted.links else []
    for name, link in fitted.links.items():
        share, miss = f"{link.volume_ratio:.2f}", f"{1000.0 * link.miss:.3f} mm"
        rows.append((name, str(len(link.collisions)), str(link.triangles), share, miss))
    widths = [max(len(row[i]) for row in rows) for i in range(len(_COLUMNS))] if rows else []
    for name, *cells in rows:
        numbers = (cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        write_result("  ".join([name.ljust(widths[0]), *numbers]))
