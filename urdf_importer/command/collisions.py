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
    export_robot,
    find_writer,
    fit_collisions,
    read_robot,
)
from ..files.outputs import check_output
from .arguments import add_option_arguments, read_options
from .limits import write_rows
from .loading import READING, add_command, add_strict, refuse_strictly
from .plans import check_outputs
from .summary import count
from .terminal import Terminal

_FITTING = tuple(each.name for each in fields(CollisionOptions) if each.name != "links")
_COLUMNS = ("link", "shapes", "triangles", "of the hull", "beyond by")


def add_collisions(commands: Any) -> None:
    """Adds the command."""
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
    parser.add_argument(
        "--link",
        dest="links",
        action="append",
        default=[],
        metavar="LINK",
        help="a link that gets new shapes; without any, all (may be repeated)",
    )
    add_option_arguments(parser, CollisionOptions, only=_FITTING)
    add_option_arguments(parser, ImportOptions, only=READING)


def _fit(given: argparse.Namespace, terminal: Terminal) -> int:
    if given.output is not None:
        find_writer(given.output)
        check_output(given.output)
        check_outputs([given.robot], [given.output])
    diagnostics = Diagnostics(given.robot)
    reading = read_options(given, ImportOptions)
    robot = read_robot(given.robot, diagnostics=diagnostics, options=reading)
    options = replace(read_options(given, CollisionOptions), links=given.links)
    fitted = fit_collisions(robot, options=options, diagnostics=diagnostics)
    refuse_strictly(given, terminal, diagnostics)
    terminal.diagnostics(tuple(diagnostics))
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
    rows = [_COLUMNS]
    for name, link in fitted.links.items():
        share, miss = f"{link.volume_ratio:.2f}", f"{1000.0 * link.miss:.3f} mm"
        rows.append((name, str(len(link.collisions)), str(link.triangles), share, miss))
    write_rows(rows if fitted.links else [], numbers=(1, 2, 3, 4))
