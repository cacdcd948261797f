# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer convert: a robot reshaped and written as URDF, with its SRDF; or the graph of its
links. And urdf-importer measure: its measures as a table, to be edited and given to convert
--resize."""

import argparse
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from .. import ImportOptions, Reshaping, UrdfOptions
from ..options import AUTO
from ..pipeline.converting import CONVERT_MODES
from .arguments import add_job_command, add_option_arguments, is_written, read_options
from .jobs import ConvertJob, ExportJob, Job, MeasureJob, SrdfJob
from .loading import READING
from .plans import UsageError, check_outputs, check_text, plan_text

_OF_FILES = ("style", "complete", "meshes", "ros_package", "srdf", "srdf_output")
"""Arguments about a .urdf file, which mean nothing of a text alone."""


def add_commands(commands: Any) -> None:
    """Adds the commands."""
    _add_convert(commands)
    _add_measure(commands)


def _add_convert(commands: Any) -> None:
    parser = add_job_command(
        commands,
        "convert",
        plan_conversion,
        help="write a robot as URDF, reshaped on the way, or show its graph of links",
        description="Writes a robot description, or a robot in a .blend, as URDF, or shows its "
        "graph of links. Its steps are done in this order, whatever their order here: strip, "
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
    parser.add_argument(
        "--robot", metavar="NAME", help="the name of the robot, where a .blend has several"
    )
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
    """Adds the arguments of the fields of Reshaping, under their names."""
    several = {"action": "append", "default": []}
    for flag, metavar, text in (
        ("--strip", "TAG", "leave out a tag (gazebo, transmission, ...) or part (visuals, ...)"),
        ("--prune", "LINK", "leave out a link, or the child of a joint, with all below"),
        ("--keep", "LINK", "keep only such links and their ancestors"),
    ):
        group.add_argument(flag, metavar=metavar, help=text, **several)
    text = "a link or joint that --merge-fixed leaves alone"
    group.add_argument("--keep-frame", dest="keep_frames", metavar="LINK", help=text, **several)
    on_link = {"nargs": 2, "metavar": ("FILE", "LINK"), **several}
    group.add_argument("--attach", help="put another robot on a link, by a fixed joint", **on_link)
    renamed = {"type": _read_renaming, "metavar": "OLD:=NEW", **several}
    group.add_argument("--rename", help="rename a link or joint", **renamed)
    for flag, metavar, text in (
        ("--prefix", "P", "put this before all names"),
        ("--reroot", "LINK", "make this link the root"),
        ("--resize", "TABLE", "a table of measures, YAML or JSON"),
        ("--axes", "zxy", "for each new axis the matching old one"),
    ):
        group.add_argument(flag, default="", metavar=metavar, help=text)
    group.add_argument("--scale", type=float, default=1.0, metavar="F", help="factor of everything")
    for flag, text in (
        ("--symmetric", "let the other side follow the table"),
        ("--merge-fixed", "merge links on fixed joints into their parents"),
    ):
        group.add_argument(flag, action="store_true", help=text)


def _read_count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 9):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of poses or a seed")
    return int(text)


def _read_renaming(text: str) -> tuple[str, str]:
    old, separator, new = text.partition(":=")
    if not (separator and old and new):
        raise argparse.ArgumentTypeError(f"{text!r} is not OLD:=NEW")
    return old, new


def plan_conversion(given: argparse.Namespace) -> list[Job]:
    """Returns the job. Raises UsageError where the arguments make no sense together, WriteError
    where a file could not be put there."""
    output = plan_text(given)
    wishes = Reshaping(**{each.name: getattr(given, each.name) for each in fields(Reshaping)})
    kept = {"input": given.inputs[0], "robot": given.robot, "strict": given.strict}
    kept |= {"wishes": wishes}
    if given.mode == "xml" and given.output.endswith(".srdf"):
        return [_plan_srdf(given, Path(given.output), kept)]
    if given.collisions is not None:
        raise UsageError("--collisions needs an SRDF to write: -o ROBOT.srdf")
    if given.mode == "xml" and output is not None:
        return [_plan_file(given, output, kept)]
    if given.mode == "none" and output is not None:
        raise UsageError("--mode none writes nothing, so -o makes no sense")
    if given.mode == "parameters" and wishes != Reshaping():
        raise UsageError("--mode parameters is about the file as it is, which is not reshaped")
    for name in _OF_FILES:
        if is_written(given, name):
            argument = "--" + name.replace("_", "-")
            raise UsageError(f"{argument} needs URDF that is written to a file: -o ROBOT.urdf")
    check_text(given, output)
    options = read_options(given, ImportOptions)
    return [ConvertJob(output=output, mode=given.mode, options=options, **kept)]


def _plan_file(given: argparse.Namespace, output: Path, kept: dict[str, Any]) -> ExportJob:
    """URDF with the files that it names, its SRDF with it."""
    if output.suffix != ".urdf":
        raise UsageError("-o must end in .urdf")
    if (given.srdf is None) != (given.srdf_output is None):
        raise UsageError("--srdf and --srdf-output go together")
    written = None if given.srdf_output is None else Path(given.srdf_output)
    beside = [] if given.srdf is None else [given.srdf]
    check_outputs([*given.inputs, *beside], [output, written], given.json)
    return ExportJob(
        output=output,
        format="urdf",
        options=read_options(given, UrdfOptions),
        reading=read_options(given, ImportOptions),
        srdf=given.srdf,
        srdf_output=written,
        **kept,
    )


def _plan_srdf(given: argparse.Namespace, output: Path, kept: dict[str, Any]) -> SrdfJob:
    """The robot's SRDF alone."""
    if given.srdf_output is not None:
        raise UsageError("-o is the SRDF to write, so --srdf-output makes no sense")
    beside = [given.srdf] if given.srdf not in (None, AUTO) else []
    check_outputs([*given.inputs, *beside], [output], given.json)
    options = replace(read_options(given, ImportOptions), srdf=given.srdf or "")
    return SrdfJob(
        output=output, options=options, samples=given.collisions, seed=given.seed, **kept
    )


def _add_measure(commands: Any) -> None:
    parser = add_job_command(
        commands,
        "measure",
        _plan_measuring,
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
    parser.add_argument(
        "--robot", metavar="NAME", help="the name of the robot, where a .blend has several"
    )
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


def _plan_measuring(given: argparse.Namespace) -> list[Job]:
    """Returns the job. Raises UsageError where the arguments make no sense together."""
    output = plan_text(given)
    if output is not None and output.suffix.lower() not in (".yaml", ".yml", ".csv"):
        raise UsageError("-o must end in .yaml or .csv")
    is_csv = output is not None and output.suffix.lower() == ".csv"
    if is_csv and (given.axes, given.unit) != ("xyz", 1.0):
        raise UsageError("--axes and --unit need a table in YAML, which says them")
    check_text(given, output)
    kept = {name: getattr(given, name) for name in ("robot", "strict", "lengths", "axes", "unit")}
    options = read_options(given, ImportOptions)
    return [MeasureJob(input=given.inputs[0], output=output, options=options, **kept)]
