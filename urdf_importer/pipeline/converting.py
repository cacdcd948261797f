# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert: read -> text: plain URDF, or how the description hangs together, for people who look
before they import."""

from typing import Literal, get_args

from ..arguments import diagnostics_of, options_of
from ..diagnostics import Diagnostics, ReadError
from ..files.packages import AnyPath
from ..files.regular import read_regular_file
from ..model import Robot
from ..model.graph import GraphEdge, edges_of_robot
from ..options import ImportOptions
from ..readers import SIMMECHANICS, Description, choose_reader
from ..readers.simmechanics import (
    AssemblyReading,
    edges_of_assembly,
    read_simmechanics,
    write_starter_parameters,
)
from ..reshape import seat_links
from ..reshape.balls import split_balls
from ..writers.graph import write_graph, write_graph_picture, write_groups
from ..writers.urdf import write_robot_text
from .files import find_description, find_files
from .formats import read_description, reader_formats

ConvertMode = Literal["xml", "graph", "groups", "picture", "parameters", "none"]
CONVERT_MODES: tuple[ConvertMode, ...] = get_args(ConvertMode)


def convert_description(
    description: AnyPath | Robot,
    mode: ConvertMode = "xml",
    diagnostics: Diagnostics | None = None,
    options: ImportOptions | None = None,
) -> str:
    """Returns a description of any format as text.

    xml         plain URDF, as which it reads again; ball joints become three continuous joints
    graph       what hangs on what, for Graphviz: blue joints are reversed, yellow ones not in the
                tree, thick ones move
    groups      what moves together: the joint that moves a group, and its links
    picture     the graph as SVG
    parameters  of a CAD assembly: a commented parameter file that changes nothing, with all names
    none        nothing: the diagnostics alone count

    `diagnostics` and `options` as in read_robot. Raises ReadError as there, and for the parameters
    of what is not a CAD assembly; WriteError where no URDF can say the robot.
    """
    if isinstance(description, Robot):
        return _convert(description, edges_of_robot(description), mode, None)
    options = options_of(options, ImportOptions)
    diagnostics = diagnostics_of(diagnostics, description)
    assembly = _find_assembly(description, diagnostics, options)
    if assembly is not None:
        return _convert(assembly.robot, edges_of_assembly(assembly), mode, assembly)
    files = find_files(description, options)
    robot = read_description(description, diagnostics, files, options)
    return _convert(robot, edges_of_robot(robot), mode, None)


def _convert(
    robot: Robot,
    edges: tuple[GraphEdge, ...],
    mode: ConvertMode,
    assembly: AssemblyReading | None,
) -> str:
    match mode:
        case "xml":
            return write_robot_text(split_balls(seat_links(robot)))
        case "graph":
            return write_graph(robot.name, edges)
        case "groups":
            return write_groups(robot)
        case "picture":
            return write_graph_picture(robot.name, edges)
        case "none":
            return ""
    if assembly is None:
        raise ReadError(
            "only SimMechanics files have parameters to start with", source=robot.source
        )
    return write_starter_parameters(assembly)


def _find_assembly(
    path: AnyPath, diagnostics: Diagnostics, options: ImportOptions
) -> AssemblyReading | None:
    source = find_description(path)
    data = read_regular_file(source)
    if choose_reader(data, source, reader_formats()) is not SIMMECHANICS:
        return None
    return read_simmechanics(
        Description(
            data=data,
            source=source,
            resolver=find_files(path, options),
            options=options,
            diagnostics=diagnostics,
        )
    )
