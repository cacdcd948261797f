# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer prove: a robot against files that were made of it."""

import argparse
from pathlib import Path
from typing import Any

from ...core.command.arguments import (
    add_command,
    add_option_arguments,
    add_own_argument,
    read_options,
    split_names,
)
from ...core.command.loading import add_reading, add_robot, plan_robot, read_checked
from ...core.command.report import Work
from ...core.command.task import Task, UsageError
from ...core.diagnostics import ArgumentError, ReadError
from .options import READERS, ProofOptions
from .prove import prove_export
from .proving import draw_pictures, give_proof, page_output

_OWN = ("poses", "seed", "seconds", "shapes", "tolerance")


def add_commands(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(
        commands,
        "prove",
        _plan,
        help="compare a robot with files that were made of it",
        description="Reads files back, with this library and with independent readers that are "
        "installed, and compares them with the robot that they were made of: links, frames in "
        "several poses, masses, inertias, limits, shapes. The exit status is 1 where something "
        "differs that no message of the export names.",
    )
    add_robot(parser)
    parser.add_argument("files", metavar="FILE", nargs="+", help="a file that was made of it")
    parser.add_argument("-o", "--output", metavar="PAGE.html", help="the page, .html or .json")
    text = f"who reads, with commas between: {', '.join(READERS)}; all by default"
    add_own_argument(
        parser, "readers", "--readers", type=split_names, metavar="READER,...", help=text
    )
    add_option_arguments(parser, ProofOptions, only=_OWN)
    add_reading(parser)


def _plan(given: argparse.Namespace) -> list[Task]:
    try:
        read_options(given, ProofOptions).refuse_unknown()
    except ArgumentError as error:
        raise UsageError(error.message) from error
    if given.output is not None and len(given.files) > 1:
        raise UsageError("-o takes the page of one file")
    outputs = page_output(given.output, "-o")
    return plan_robot(given, _prove, *outputs, beside=tuple(given.files))


def _prove(given: argparse.Namespace, work: Work) -> None:
    robot = read_checked(given, work)
    options = read_options(given, ProofOptions)
    with work.clock("prove"):
        for each in given.files:
            if not Path(each).exists():
                raise ReadError("there is no such file", source=each)
        proofs = [prove_export(robot, each, options=options) for each in given.files]
    give_proof(proofs, given.output, work, lambda: draw_pictures(robot, proofs[0], options))
