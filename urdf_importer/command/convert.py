# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer convert: a robot reshaped and written as URDF, with its SRDF."""

import argparse
from pathlib import Path
from typing import Any

from .. import ImportOptions, Reshaping, UrdfOptions
from .arguments import EPILOG, add_common_arguments, add_option_arguments, read_options
from .blends import is_blend
from .jobs import ExportJob, Job
from .plans import UsageError, check_outputs


def add_convert(commands: Any) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "convert",
        help="write a robot as URDF, reshaped on the way",
        description="Writes a robot description, or a robot in a .blend, as URDF. Its steps are "
        "done in this order, whatever their order here: strip, prune, attach, rename, reroot, "
        "resize, scale, axes, merge. Text that stays the same keeps its bytes.",
        epilog=EPILOG,
    )
    add_common_arguments(parser, plan_conversion)
    parser.add_argument("-o", "--output", required=True, metavar="OUT.urdf", help="what to write")
    parser.add_argument("--robot", metavar="NAME", help="which of several robots in a .blend")
    parser.add_argument("--srdf", metavar="IN.srdf", help="the robot's SRDF, which follows")
    parser.add_argument("--srdf-output", metavar="OUT.srdf", help="where that is written")
    _add_steps(parser.add_argument_group("reshape"))
    add_option_arguments(parser, UrdfOptions)
    add_option_arguments(parser, ImportOptions, only=("xacro_args",))


def _add_steps(group: Any) -> None:
    for flag, metavar, text in (
        ("--strip", "TAG", "leave out a tag (gazebo, transmission, ...) or part (visuals, ...)"),
        ("--prune", "LINK", "leave out a link, or what a joint carries, with all below"),
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
        "--axes", default="", metavar="zxy", help="for each new axis the old one that it is"
    )
    group.add_argument(
        "--merge-fixed", action="store_true", help="melt links on fixed joints into others"
    )


def _read_renaming(text: str) -> tuple[str, str]:
    old, separator, new = text.partition(":=")
    if not (separator and old and new):
        raise argparse.ArgumentTypeError(f"{text!r} is not OLD:=NEW")
    return old, new


def plan_conversion(arguments: argparse.Namespace) -> list[Job]:
    """Returns the job. Raises UsageError where the arguments make no sense together."""
    given = arguments
    if len(given.inputs) != 1:
        raise UsageError("convert takes one robot at a time")
    output = Path(given.output)
    if output.suffix != ".urdf":
        raise UsageError("-o has to end in .urdf")
    if (given.srdf is None) != (given.srdf_output is None):
        raise UsageError("--srdf and --srdf-output go together")
    if given.robot is not None and not is_blend(given.inputs[0]):
        raise UsageError("--robot says which robot of a .blend, and the input is not one")
    outputs = [output] if given.srdf_output is None else [output, Path(given.srdf_output)]
    inputs = given.inputs if given.srdf is None else [*given.inputs, given.srdf]
    check_outputs(inputs, outputs)
    return [
        ExportJob(
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
    ]


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
