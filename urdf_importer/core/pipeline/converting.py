# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert: read -> text: plain URDF, or the graph of the description, for people who look
before they import."""

from typing import Literal, get_args

from ..arguments import diagnostics_of, options_of
from ..diagnostics import Diagnostics, ReadError, name_choices
from ..files.packages import AnyPath
from ..model import Robot
from ..model.graph import edges_of_robot
from ..options import ImportOptions
from ..readers.formats import Overview, reader_formats
from ..reshape import seat_links
from ..reshape.balls import split_balls
from ..shelves import find_hook
from ..writers.graph import write_graph, write_graph_picture, write_groups
from .files import find_files
from .formats import open_description, read_description

ConvertMode = Literal["xml", "graph", "groups", "picture", "parameters", "none"]
CONVERT_MODES: tuple[ConvertMode, ...] = get_args(ConvertMode)


def convert_description(
    description: AnyPath | Robot,
    *,
    mode: ConvertMode = "xml",
    options: ImportOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> str:
    """Returns a description of any format as text.

    xml         plain URDF, as which it reads again; ball joints become three continuous joints
    graph       the joints between links, for Graphviz: blue joints are reversed, yellow ones not in
                the tree, thick ones move
    groups      groups of parts that move together: the joint that moves a group, and its links
    picture     the graph as SVG
    parameters  of a CAD assembly: a commented parameter file that changes nothing, with all names
    none        nothing: the diagnostics alone count

    `diagnostics` and `options` as in read_robot. Raises ReadError as there, and for parameters with
    a file that is not a CAD assembly; WriteError where URDF cannot express the robot.
    """
    if isinstance(description, Robot):
        return _convert(_reading_of(description), mode)
    diagnostics = diagnostics_of(diagnostics, description)
    options = options_of(options, ImportOptions)
    resolver = find_files(description, options)
    if mode in _OF_FILES:
        found, given = open_description(resolver, options, diagnostics)
        if found.examine is not None:
            return _convert(found.examine(given), mode)
    return _convert(_reading_of(read_description(resolver, options, diagnostics)), mode)


_OF_FILES = ("graph", "picture", "parameters")
"""Modes that show more than the robot, where a file holds more."""


def _reading_of(robot: Robot) -> Overview:
    return Overview(robot=robot, edges=edges_of_robot(robot))


def _convert(found: Overview, mode: ConvertMode) -> str:
    robot = found.robot
    match mode:
        case "xml":
            return str(find_hook("write_text")(split_balls(seat_links(robot))))
        case "graph":
            return write_graph(robot.name, found.edges)
        case "groups":
            return write_groups(robot)
        case "picture":
            return write_graph_picture(robot.name, found.edges)
        case "none":
            return ""
    if found.parameters is None:
        labels = name_choices([each.label for each in reader_formats() if each.examine])
        raise ReadError(f"only {labels} files have parameters to start with", source=robot.source)
    return found.parameters
