# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer convert: a robot reshaped and written as URDF, with its SRDF; or the graph of its
links. And urdf-importer measure: its measures as a table, to be edited and given to convert
--resize."""

import argparse
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from ...core import reshape
from ...core.command.arguments import add_command, add_option_arguments, is_written, read_options
from ...core.command.blends import is_blend
from ...core.command.jobs import ExportJob, write_steps
from ...core.command.loading import READING, add_robot, plan_robot, read_checked
from ...core.command.plans import plan_text
from ...core.command.report import Work
from ...core.command.summary import describe_counts
from ...core.command.task import Task, TaskOutput, UsageError
from ...core.files.outputs import write_text
from ...core.model import Robot, Semantics
from ...core.options import AUTO, FileOptions, ImportOptions
from ...core.pipeline.converting import CONVERT_MODES, convert_description
from ...core.pipeline.extracting import extract_robot
from ...core.pipeline.hooks import read_semantics
from ...core.pipeline.reshaping import Reshaping, reshape_robot
from ...core.progress import finish, relay
from ...core.reshape import adapt_srdf
from ...core.shelves import find_hook, has_hook
from .write.options import UrdfOptions

_SRDF = (".srdf",)
_OF_FILES = ("style", "complete", "meshes", "ros_package", "srdf", "srdf_output")
"""Arguments about a .urdf file, which mean nothing of a text alone."""


def add_commands(commands: Any) -> None:
    """Adds the commands."""
    _add_convert(commands)
    _add_measure(commands)


def _add_convert(commands: Any) -> None:
    parser = add_command(
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
    add_robot(parser)
    _add_srdf(parser)
    _add_steps(parser.add_argument_group("reshape"))
    add_option_arguments(parser, UrdfOptions)
    add_option_arguments(parser, ImportOptions, only=READING)


def _add_srdf(parser: Any) -> None:
    """Adds the arguments of those parts that are there."""
    parser.set_defaults(srdf=None, srdf_output=None, collisions=None, seed=0)
    if not has_hook("write_srdf"):
        return
    parser.add_argument("--srdf", metavar="IN.srdf", help="the robot's SRDF, which follows")
    parser.add_argument("--srdf-output", metavar="OUT.srdf", help="where that is written")
    if not has_hook("disable_pairs"):
        return
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


def plan_conversion(given: argparse.Namespace) -> list[Task]:
    """Returns the task. Raises UsageError where the arguments make no sense together."""
    suffix = Path(given.output).suffix.lower()
    beside = () if given.srdf in (None, AUTO) else (given.srdf,)
    if given.mode == "xml" and suffix in _SRDF and has_hook("write_srdf"):
        if given.srdf_output is not None:
            raise UsageError("-o is the SRDF to write, so --srdf-output makes no sense")
        output = TaskOutput(path=given.output, suffixes=_SRDF)
        return plan_robot(given, _write_srdf, output, beside=beside)
    if given.collisions is not None:
        raise UsageError("--collisions needs an SRDF to write: -o ROBOT.srdf")
    if given.mode == "xml" and given.output != "-":
        if (given.srdf is None) != (given.srdf_output is None):
            raise UsageError("--srdf and --srdf-output go together")
        outputs = (
            TaskOutput(path=given.output, suffixes=(".urdf",)),
            TaskOutput(path=given.srdf_output, suffixes=_SRDF, argument="--srdf-output"),
        )
        return plan_robot(given, _write_file, *outputs, beside=beside)
    if given.mode == "none" and given.output != "-":
        raise UsageError("--mode none writes nothing, so -o makes no sense")
    if given.mode == "parameters" and _wishes_of(given) != Reshaping():
        raise UsageError("--mode parameters is about the file as it is, which is not reshaped")
    for name in _OF_FILES:
        if is_written(given, name):
            argument = "--" + name.replace("_", "-")
            raise UsageError(f"{argument} needs URDF that is written to a file: -o ROBOT.urdf")
    return plan_robot(given, _convert, plan_text(given))


def _wishes_of(given: argparse.Namespace) -> Reshaping:
    return Reshaping(**{each.name: getattr(given, each.name) for each in fields(Reshaping)})


def _write_file(given: argparse.Namespace, work: Work) -> None:
    """URDF with the files that it names, its SRDF with it. The export is all or nothing by itself,
    so it comes last."""
    robot, semantics, wishes = read_checked(given, work), None, _wishes_of(given)
    if isinstance(robot, Robot) or given.srdf is not None or wishes != Reshaping():
        if given.srdf is not None:
            robot = _describe(robot)
            read = find_hook("read_srdf", "--srdf")
            semantics = read(given.srdf, robot=robot, diagnostics=work.diagnostics)
        robot, semantics = _reshape(robot, semantics, given, work)
    if semantics is not None:
        write = find_hook("write_srdf", "--srdf-output")
        written = write(semantics, given.srdf_output, diagnostics=work.diagnostics)
        work.hold()
    job = ExportJob(
        input=given.robot,
        output=Path(given.output),
        format="urdf",
        options=read_options(given, UrdfOptions),
        strict=given.strict,
    )
    finish(write_steps(job, robot, work))
    if semantics is not None:
        work.add(written)


def _write_srdf(given: argparse.Namespace, work: Work) -> None:
    """The SRDF that is named, or of a rig in a .blend, or a new one, adapted to the changes."""
    options = replace(read_options(given, ImportOptions), srdf=given.srdf or "")
    robot = read_checked(given, work)
    semantics = read_semantics(given.robot, _describe(robot), options, work.diagnostics)
    if semantics is None and not isinstance(robot, Robot):
        from ...core.blender.semantics.apply import extract_semantics

        semantics = extract_semantics(robot)
    semantics = semantics or Semantics(name=robot.name)
    if _wishes_of(given) != Reshaping():
        robot, adapted = _reshape(robot, semantics, given, work)
        semantics = adapted or semantics
    if given.collisions is not None:
        files = FileOptions(packages=options.packages, package_paths=options.package_paths)
        with work.clock("collisions"):
            disable = find_hook("disable_pairs", "--collisions")
            drawn = (given.collisions, given.seed)
            steps = disable(robot, semantics, drawn, files, work.diagnostics)
            semantics = finish(relay(steps, work.show))
    work.hold()
    write = find_hook("write_srdf", "an SRDF")
    work.output = str(write(semantics, given.output, diagnostics=work.diagnostics))
    work.add(work.output)
    work.facts = {
        "robot": semantics.name,
        "groups": len(semantics.groups),
        "states": len(semantics.group_states),
        "disabled_collisions": len(semantics.disabled_collisions),
    }
    counted = {"groups": "group", "states": "state", "disabled_collisions": "disabled pair"}
    work.summary = describe_counts(work.facts, counted)


def _convert(given: argparse.Namespace, work: Work) -> None:
    """The robot as text, reshaped."""
    source: Any = given.robot
    if is_blend(source):
        source = _describe(read_checked(given, work))
    if _wishes_of(given) != Reshaping():
        robot = source if isinstance(source, Robot) else read_checked(given, work)
        source, _ = _reshape(robot, None, given, work)
    with work.clock("convert"):
        text = convert_description(
            source,
            mode=given.mode,
            diagnostics=work.diagnostics,
            options=read_options(given, ImportOptions),
        )
    _hand_over(text, given, work)


def _measure(given: argparse.Namespace, work: Work) -> None:
    robot = read_checked(given, work)
    if not isinstance(robot, Robot):
        robot = extract_robot(robot, edits=True)
    with work.clock("measure"):
        if given.output.lower().endswith(".csv"):
            text = reshape.measure_csv(robot, lengths=given.lengths)
        else:
            how: Any = {"lengths": given.lengths, "axes": given.axes, "unit": given.unit}
            text = reshape.measure(robot, **how)
    _hand_over(text, given, work)


def _hand_over(text: str, given: argparse.Namespace, work: Work) -> None:
    """Writes the text to its output; text for standard output is kept."""
    work.hold()
    if given.output == "-":
        work.text = text
    else:
        write_text(given.output, text)
        work.output = given.output
        work.add(given.output)


def _describe(robot: Any) -> Robot:
    return robot if isinstance(robot, Robot) else extract_robot(robot)


def _reshape(
    robot: Any, semantics: Semantics | None, given: argparse.Namespace, work: Work
) -> tuple[Robot, Semantics | None]:
    """Returns a robot as it is wished, and its SRDF as it fits then."""
    options, own = read_options(given, ImportOptions), work.diagnostics
    with work.clock("reshape"):
        found = reshape_robot(_describe(robot), _wishes_of(given), options=options, diagnostics=own)
        if semantics is not None:
            semantics = adapt_srdf(semantics, robot=found.robot, names=found.names, diagnostics=own)
    return found.robot, semantics


def _add_measure(commands: Any) -> None:
    parser = add_command(
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
    add_robot(parser)
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


def _plan_measuring(given: argparse.Namespace) -> list[Task]:
    """Returns the task. Raises UsageError where the arguments make no sense together."""
    if given.output.lower().endswith(".csv") and (given.axes, given.unit) != ("xyz", 1.0):
        raise UsageError("--axes and --unit need a table in YAML, which says them")
    output = plan_text(given, (".yaml", ".yml", ".csv"))
    return plan_robot(given, _measure, output)
