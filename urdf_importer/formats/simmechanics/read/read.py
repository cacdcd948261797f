# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of work: XML -> mechanism -> parameters applied -> spanning tree -> Robot."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from ....core.diagnostics import Diagnostics, ReadError, quote
from ....core.files.regular import read_regular_file
from ....core.gazebo import interpret_extras
from ....core.markup.encoding import decode_text
from ....core.markup.xml import Element, parse_xml
from ....core.model import Robot
from ...urdf.read.robot import paused_garbage_collection
from .assembly import Assembly, apply_parameters
from .build import RobotMaker
from .links import HasFile
from .locked_joints import find_held, report_held
from .mechanism import first_generation, second_generation
from .mechanism.first_generation import FirstGeneration
from .mechanism.graph import Mechanism
from .mechanism.second_generation import SecondGeneration
from .mechanism.values import XmlPage
from .parameters.joint_table import JointTable, read_joint_table
from .parameters.keys import Parameters
from .parameters.read import read_parameters, start_parameters
from .placing import Placed, place_links
from .tree import SpanningTree, plan_spanning_tree

ROOT_TAGS = (first_generation.ROOT_TAG, second_generation.ROOT_TAG)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AssemblyReading:
    """A CAD assembly and the robot made from it, for programs that print more than the robot."""

    assembly: Assembly
    tree: SpanningTree
    placed: Mapping[int, Placed]
    robot: Robot

    @property
    def mechanism(self) -> Mechanism:
        return self.assembly.mechanism


def _no_file(_filename: str) -> bool:
    return False


def read_assembly(
    data: bytes,
    source: str,
    diagnostics: Diagnostics,
    *,
    parameters: str = "",
    joint_parameters: str = "",
    has_file: HasFile = _no_file,
) -> AssemblyReading:
    """Returns the robot of an assembly that a CAD system wrote; `parameters` and `joint_parameters`
    are the paths of both files that may change it, "" for none; `has_file` tells whether a mesh can
    be found.

    Raises ReadError, with file and line, for a file that is not an assembly, text that is not a
    number, an unknown unit, and for impossible parameter files. All milder things go to
    `diagnostics`.
    """
    if not diagnostics.source:
        diagnostics.source = source
    with paused_garbage_collection():
        mechanism = read_mechanism(data, source, diagnostics)
        said, table = _read_parameter_files(
            parameters, joint_parameters, mechanism.generation, diagnostics
        )
        return _apply(mechanism, said, table, diagnostics, has_file)


def read_mechanism(data: bytes, source: str, diagnostics: Diagnostics) -> Mechanism:
    """Returns the graph of bodies and joints of either generation. Raises ReadError as
    read_assembly."""
    text = decode_text(data, source)
    root = _Root(XmlPage(text.data, source, diagnostics))
    parse_xml(text.data, source, root, ROOT_TAGS)
    return root.generation.mechanism()


class _Root:
    """Chooses the generation by the root's tag."""

    def __init__(self, page: XmlPage) -> None:
        self.page = page
        self.generation: FirstGeneration | SecondGeneration = FirstGeneration(page)

    def read_root(self, element: Element) -> None:
        if element.tag == second_generation.ROOT_TAG:
            self.generation = SecondGeneration(self.page)
        self.generation.read_root(element)

    def read_child(self, element: Element) -> None:
        self.generation.read_child(element)


def _apply(
    mechanism: Mechanism,
    parameters: Parameters,
    table: JointTable,
    diagnostics: Diagnostics,
    has_file: HasFile,
) -> AssemblyReading:
    found = Diagnostics(diagnostics.source)
    reading = _make(apply_parameters(mechanism, parameters, found), table, has_file)
    held = find_held(reading.assembly, reading.tree, reading.robot) if reading.tree.loops else []
    if held and parameters.freezes_held:
        names = frozenset(joint.name for joint in held)
        frozen = apply_parameters(mechanism, parameters, diagnostics, names)
        return _make(frozen, table, has_file)
    diagnostics.extend(found)
    report_held(held, diagnostics)
    return reading


def _make(assembly: Assembly, table: JointTable, has_file: HasFile) -> AssemblyReading:
    tree = plan_spanning_tree(assembly)
    placed = place_links(assembly, tree)
    robot = interpret_extras(RobotMaker(assembly, tree, placed, table, has_file).make())
    return AssemblyReading(assembly=assembly, tree=tree, placed=placed, robot=robot)


def _read_parameter_files(
    parameters: str, joint_parameters: str, generation: int, diagnostics: Diagnostics
) -> tuple[Parameters, JointTable]:
    if parameters:
        said = read_parameters(
            read_regular_file(parameters),
            parameters,
            diagnostics,
            has_table=bool(joint_parameters),
            generation=generation,
        )
        if not joint_parameters and said.joint_parameters:
            joint_parameters = _find_beside(parameters, said)
    else:
        said = start_parameters("", {}, has_table=bool(joint_parameters), generation=generation)
    if not joint_parameters:
        return said, JointTable(source="", rows={})
    table = read_joint_table(read_regular_file(joint_parameters), joint_parameters, diagnostics)
    return said, table


def _find_beside(parameters: str, said: Parameters) -> str:
    """The table that a parameter file names: relative to itself, and only within its own folder.
    Raises ReadError for one elsewhere, links followed."""
    folder = os.path.dirname(os.path.abspath(parameters))
    name = said.joint_parameters
    line = said.line("jointParameters")
    if "\0" in name:
        raise ReadError("jointParameters names no file", source=parameters, line=line)
    path = os.path.join(folder, name)
    real, home = os.path.realpath(path), os.path.realpath(folder)
    if os.path.isabs(name) or not real.startswith(home + os.sep):
        raise ReadError(
            f"jointParameters names {quote(name)}, which lies outside the folder of the parameter "
            "file",
            source=parameters,
            line=line,
        )
    return path
