# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer convert: a robot reshaped and written as URDF, with its SRDF; or how it hangs
together."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import ImportOptions, Reshaping, UrdfOptions
from ..options import AUTO
from ..pipeline.converting import CONVERT_MODES
from .arguments import add_job_command, add_option_arguments, is_written, read_options
from .blends import is_blend
from .jobs import ConvertJob, ExportJob, Job, SrdfJob
from .loading import READING
from .plans import UsageError, check_outputs, find_report_files

_OF_FILES = ("style", "complete", "meshes", "ros_package", "srdf", "srdf_output")
"""Arguments about a .urdf file, which mean nothing of a text alone."""


def add_convert(commands: Any) -> None:
    """Adds the command."""
    parser = add_job_command(
        commands,
        "convert",
        plan_conversion,
        help="write a robot as URDF, reshaped on the way, or show how it hangs together",
        description="Writes a robot description, or a robot in a .blend, as URDF, or shows how it "
        "hangs together. Its steps are done in this order, whatever their order here: strip, "
        "prune, attach, rename, reroot, resize, scale, axes, merge. Text that stays the same keeps "
        "its bytes in a file.",
    )
    parser.add_argument(
        "-o",
        "--output",
        default="-",
        metavar="OUT.urdf",
        help="the file to write; - for standard output (default), where URDF is plain; OUT.srdf "
        "for the robot's SRDF",
    )
    parser.add_argument(
        "--mode",
        choices=CONVERT_MODES,
        default="xml",
        help="xml: URDF; graph: text for Graphviz; groups: the parts that move "
        "together; picture: the graph as SVG; parameters: a parameter file of a "
        "SimMechanics file to start with; none: only diagnostics (default: xml)",
    )
    parser.add_argument("--robot", metavar="NAME", help="which of several robots in a .blend")
    _add_srdf(parser)
    _add_steps(parser.add_argument_group("reshape"))
    add_option_arguments(parser, UrdfOptions)
    add_option_arguments(parser, ImportOptions, only=READING)


def _add_srdf(parser: Any) -> None:
    parser.add_argument("--srdf", metavar="IN.srdf", help="the robot's SRDF, which follows")
    parser.add_argument("--srdf-output", metavar="OUT.srdf", help="where that is written")
    parser.add_argument(
        "--collisions",
        nargs="?",
        type=_read_count,
        const=10_000,
        metavar="POSES",
        help="with -o OUT.srdf: find the pairs of links that need no look for collisions, by this "
        "many poses (default: 10000)",
    )
    parser.add_argument(
        "--seed", type=_read_count, default=0, metavar="N", help="draws other poses (default: 0)"
    )


def _add_steps(group: Any) -> None:
    for flag, metavar, text in (
        ("--strip", "TAG", "leave out a tag (gazebo, transmission, ...) or part (visuals, ...)"),
        ("--prune", "LINK", "leave out a link, or the child of a joint, with all below"),
        ("--keep", "LINK", "keep only such links and the ways to them"),
        ("--keep-frame", "LINK", "a link or joint that --merge-fixed leaves alone"),
    ):
        group.add_argument(flag, action="append", default=[], metavar=metavar, help=text)
    group.add_argument(
        "--attach",
        action="append",
        nargs=2,
        default=[],
        metavar=("FILE", "LINK"),
        help="put another robot on a link, by a fixed joint",
    )
    group.add_argument(
        "--rename",
        action="append",
        type=_read_renaming,
        default=[],
        metavar="OLD:=NEW",
        help="rename a link or joint",
    )
    group.add_argument("--prefix", default="", metavar="P", help="put this before all names")
    group.add_argument("--reroot", default="", metavar="LINK", help="make this link the root")
    group.add_argument(
        "--resize", default="", metavar="TABLE", help="a table of measures, YAML or JSON"
    )
    group.add_argument("--scale", type=float, default=1.0, metavar="F", help="factor of everything")
    group.add_argument(
        "--symmetric", action="store_true", help="let the other side follow the table"
    )
    group.add_argument(
        "--axes", default="", metavar="zxy", help="for each new axis the matching old one"
    )
    group.add_argument(
        "--merge-fixed", action="store_true", help="melt links on fixed joints into others"
    )


def _read_count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 9):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of poses or a seed")
    return int(text)


def _read_renaming(text: str) -> tuple[str, str]:
    old, separator, new = text.partition(":=")
    if not (separator and old and new):
        raise argparse.ArgumentTypeError(f"{text!r} is not OLD:=NEW")
    return old, new


def plan_conversion(arguments: argparse.Namespace) -> list[Job]:
    """Returns the job. Raises UsageError where the arguments make no sense together, WriteError
    where a file could not be put there."""
    given = arguments
    if len(given.inputs) != 1:
        raise UsageError("convert takes one robot at a time")
    if given.robot is not None and not is_blend(given.inputs[0]):
        raise UsageError("--robot says which robot of a .blend, and the input is not one")
    if given.mode == "xml" and given.output.endswith(".srdf"):
        return [_plan_srdf(given)]
    if given.collisions is not None:
        raise UsageError("--collisions needs an SRDF to write: -o ROBOT.srdf")
    if given.mode == "xml" and given.output != "-":
        return [_plan_file(given)]
    return [_plan_text(given)]


def _plan_file(given: argparse.Namespace) -> ExportJob:
    """URDF with the files that it names, its SRDF with it."""
    output = Path(given.output)
    if output.suffix != ".urdf":
        raise UsageError("-o has to end in .urdf")
    if (given.srdf is None) != (given.srdf_output is None):
        raise UsageError("--srdf and --srdf-output go together")
    outputs = [output] if given.srdf_output is None else [output, Path(given.srdf_output)]
    inputs = given.inputs if given.srdf is None else [*given.inputs, given.srdf]
    check_outputs(inputs, outputs + find_report_files(given.json))
    return ExportJob(
        input=given.inputs[0],
        output=output,
        format="urdf",
        options=read_options(given, UrdfOptions),
        reading=read_options(given, ImportOptions),
        robot=given.robot,
        strict=given.strict,
        wishes=read_wishes(given),
        srdf=given.srdf,
        srdf_output=None if given.srdf_output is None else Path(given.srdf_output),
    )


def _plan_srdf(given: argparse.Namespace) -> SrdfJob:
    """The robot's SRDF alone."""
    if given.srdf_output is not None:
        raise UsageError("-o is the SRDF to write, so --srdf-output makes no sense")
    output = Path(given.output)
    beside = [given.srdf] if given.srdf not in (None, AUTO) else []
    check_outputs([*given.inputs, *beside], [output, *find_report_files(given.json)])
    reading = read_options(given, ImportOptions)
    return SrdfJob(
        input=given.inputs[0],
        output=output,
        options=replace(reading, srdf=given.srdf or ""),
        samples=given.collisions,
        seed=given.seed,
        robot=given.robot,
        strict=given.strict,
        wishes=read_wishes(given),
    )


def _plan_text(given: argparse.Namespace) -> ConvertJob:
    """A text on its own."""
    output = None if given.output == "-" else Path(given.output)
    wishes = read_wishes(given)
    if given.mode == "none" and output is not None:
        raise UsageError("--mode none writes nothing, so -o makes no sense")
    if given.mode == "parameters" and wishes != Reshaping():
        raise UsageError("--mode parameters is about the file as it is, which is not reshaped")
    if output is None and given.json == "-":
        raise UsageError("-o and --json cannot both be standard output")
    for name in _OF_FILES:
        if is_written(given, name):
            argument = "--" + name.replace("_", "-")
            raise UsageError(f"{argument} needs URDF that is written to a file: -o ROBOT.urdf")
    outputs = [] if output is None else [output]
    check_outputs(given.inputs, outputs + find_report_files(given.json))
    return ConvertJob(
        input=given.inputs[0],
        output=output,
        mode=given.mode,
        options=read_options(given, ImportOptions),
        robot=given.robot,
        strict=given.strict,
        wishes=wishes,
    )


def read_wishes(given: argparse.Namespace) -> Reshaping:
    """Returns the steps that were written."""
    return Reshaping(
        strip=tuple(given.strip),
        prune=tuple(given.prune),
        keep=tuple(given.keep),
        attach=tuple((file, link) for file, link in given.attach),
        rename=tuple(given.rename),
        prefix=given.prefix,
        reroot=given.reroot,
        resize=given.resize,
        scale=given.scale,
        symmetric=given.symmetric,
        axes=given.axes,
        merge_fixed=given.merge_fixed,
        keep_frames=tuple(given.keep_frame),
    )
