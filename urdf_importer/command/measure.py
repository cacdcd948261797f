# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer measure: the measures of a robot as a table, to be edited and given to convert
--resize."""

import argparse
from pathlib import Path
from typing import Any

from .. import ImportOptions
from .arguments import add_job_command, add_option_arguments, read_options
from .blends import is_blend
from .jobs import Job, MeasureJob
from .loading import READING
from .plans import UsageError, check_outputs, find_report_files


def add_measure(commands: Any) -> None:
    """Adds the command."""
    parser = add_job_command(
        commands,
        "measure",
        plan_measuring,
        help="write the measures of a robot as a table for convert --resize",
        description="Writes the positions of the joints of a robot description, or of a "
        "robot in a .blend, in their parent links: a table that changes nothing "
        "until it is edited.",
    )
    parser.add_argument(
        "-o",
        "--output",
        default="-",
        metavar="TABLE",
        help="the table to write, .yaml or .csv; - for standard output (default)",
    )
    parser.add_argument("--robot", metavar="NAME", help="which of several robots in a .blend")
    parser.add_argument(
        "--lengths", action="store_true", help="only how far each joint is from its parent link"
    )
    parser.add_argument(
        "--axes",
        default="xyz",
        metavar="zxy",
        help="whose axes the numbers are along: for each of the robot's the other that it is",
    )
    parser.add_argument(
        "--unit", type=float, default=1.0, metavar="METRES", help="their unit: 0.01 for centimetres"
    )
    add_option_arguments(parser, ImportOptions, only=READING)


def plan_measuring(given: argparse.Namespace) -> list[Job]:
    """Returns the job. Raises UsageError where the arguments make no sense together."""
    if len(given.inputs) != 1:
        raise UsageError("measure takes one robot at a time")
    if given.robot is not None and not is_blend(given.inputs[0]):
        raise UsageError("--robot says which robot of a .blend, and the input is not one")
    output = None if given.output == "-" else Path(given.output)
    if output is None and given.json == "-":
        raise UsageError("-o and --json cannot both be standard output")
    if output is not None and output.suffix.lower() not in (".yaml", ".yml", ".csv"):
        raise UsageError("-o has to end in .yaml or .csv")
    is_csv = output is not None and output.suffix.lower() == ".csv"
    if is_csv and (given.axes, given.unit) != ("xyz", 1.0):
        raise UsageError("--axes and --unit need a table in YAML, which says them")
    check_outputs(
        given.inputs, ([] if output is None else [output]) + find_report_files(given.json)
    )
    return [
        MeasureJob(
            input=given.inputs[0],
            output=output,
            options=read_options(given, ImportOptions),
            robot=given.robot,
            strict=given.strict,
            lengths=given.lengths,
            axes=given.axes,
            unit=given.unit,
        )
    ]
