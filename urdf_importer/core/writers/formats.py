# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a writer's format, its input, and its result.

Each format has its record, a WriterFormat, in its own folder. The command, the menus, the export
panel and the reports are made from these records.
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

from ..diagnostics import Diagnostic, Diagnostics, WriteError, quote
from ..files.outputs import list_files
from ..geometry.transforms import Matrix, matrix_from_pose
from ..kinematics.tree import KinematicTree, retrace_tree
from ..meshes import RobotFiles
from ..model import Joint, Pose, Robot, Semantics, Solid
from ..model.world import Surroundings
from ..options import FileOptions, StartOptions

Options = TypeVar("Options", bound=FileOptions)

_FREEDOM = {"planar": 3, "floating": 6, "spherical": 3, "ball": 3, "fixed": 0}
"""Of joints that do not move along or about just one axis, by their kind or type."""

Facts = dict[str, Any]
"""Name -> number, text, list or dict of these, as reports say them."""

ConvertImage = Callable[[bytes, str], bytes]
"""The bytes of any image and its name -> the bytes of a PNG; MeshError where it cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A writer's result for a robot.

    path         the requested file or folder
    files        all files that were written
    robot        the robot's name there
    facts        numbers and names for reports; they begin with count_robot's
    diagnostics  everything that was changed or lost, in the order of the work
    """

    path: Path
    files: tuple[Path, ...]
    robot: str
    facts: Facts
    diagnostics: tuple[Diagnostic, ...]


Result = TypeVar("Result", bound=Written)


class OptionsOf(FileOptions, Generic[Result]):
    """The options of a format whose result says more than Written: type checkers know it by
    them."""

    __slots__ = ()


def list_made(
    folder: Path, home: Path, diagnostics: Diagnostics, *, strict: bool
) -> tuple[Path, ...]:
    """Returns the files in `folder` as they will be in `home`. Raises WriteError where there are
    diagnostics and the export is strict."""
    if strict and (faults := diagnostics.count_faults()):
        raise WriteError(
            f"strict mode allows no diagnostics, not {faults}",
            source=diagnostics.source,
        )
    return tuple(home / each.relative_to(folder) for each in list_files(folder))


def report_rewritten(diagnostics: Diagnostics) -> None:
    """Reports that a text could not be edited."""
    diagnostics.warning(
        "source-changed",
        "the text that was read cannot be edited to describe this robot; it is written anew, "
        "without comments",
    )


def report_springs(joints: Iterable[Joint], label: str, diagnostics: Diagnostics) -> None:
    """Reports the springs and rotors of joints for which a format has no place."""
    joints = [each for each in joints if each.dynamics is not None and each.dynamics.beyond]
    if joints:
        diagnostics.warning(
            "spring-left-out",
            f"joints with a spring or a rotor ({len(joints)}, such as {quote(joints[0].name)}): "
            f"{label} has no place for stiffness and armature; they are left out",
            subject=joints[0].name,
            line=joints[0].line,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OpenExport(Generic[Options]):
    """The input of a writer: `robot` as described, or as `as_shown` gives it.

    files           give its shapes and images
    armature        the rig that it was taken from; None for a description
    convert_image   makes a PNG of any image that Blender can read, where there is a Blender
    strict          every warning and error is a failure
    open_scene      called by as_shown
    find_semantics  returns the SRDF of the options, else of the rig, else the semantics in the
                    description itself; None where there is none. Raises ReadError
    """

    robot: Robot
    files: RobotFiles
    options: Options
    diagnostics: Diagnostics
    armature: Any | None = None
    convert_image: ConvertImage | None = None
    strict: bool = False
    open_scene: "Callable[[OpenExport[Any], bool, tuple[type[Solid], ...]], _Opened[Any]]" = (
        lambda found, keeps_seats, solids: nullcontext(found)
    )
    find_semantics: "Callable[[OpenExport[Any]], Semantics | None]" = lambda found: None

    def as_shown(
        self, *, keeps_seats: bool = False, solids: tuple[type[Solid], ...] = ()
    ) -> "_Opened[Options]":
        """Gives, for as long as the block runs, the export of a rig in its state in the scene: its
        shapes as shown, its joints starting at their present positions.

        `solids` are the shapes beyond boxes, cylinders, spheres and capsules that the format has;
        meshes take the place of the others. Links are moved to the axes of their joints, unless the
        format `keeps_seats`.
        """
        return self.open_scene(self, keeps_seats, solids)

    def list_made(self, folder: Path, home: Path) -> tuple[Path, ...]:
        """Returns the files in `folder` as they will be in `home`. Raises WriteError where there
        are diagnostics and the export is strict."""
        return list_made(folder, home, self.diagnostics, strict=self.strict)

    def semantics(self) -> Semantics | None:
        """Returns the SRDF that counts for the robot, None where there is none. Raises
        ReadError."""
        return self.find_semantics(self)

    def report_open_loops(self, label: str) -> None:
        """Reports each joint that closes a loop, for a format that cannot hold loops."""
        for loop in self.robot.loops:
            self.diagnostics.warning(
                "loop-left-open",
                f"joint {quote(loop.name)} closes a loop between links {quote(loop.link1)} and "
                f"{quote(loop.link2)}; the loop is left open for {label}",
                subject=loop.name,
                line=loop.line,
            )


_Opened = AbstractContextManager[OpenExport[Options]]


@dataclass(frozen=True, kw_only=True, eq=False)
class WorldRobot(Generic[Options]):
    """A robot as the scene shows it, under a `name` that nothing else in the world has."""

    name: str
    found: OpenExport[Options]

    @property
    def place(self) -> Pose:
        options = self.found.options
        assert isinstance(options, StartOptions)
        return Pose(xyz=options.translation, rpy=options.rotation)

    @property
    def frame(self) -> Matrix:
        """The place of the root link (4, 4)."""
        return matrix_from_pose(self.place)

    @cached_property
    def tree(self) -> KinematicTree:
        """The tree of the robot, planned once for all that a world asks of it."""
        return retrace_tree(self.found.robot)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WorldRequest(Generic[Options]):
    """`around` has the things as links of one robot, each in its own frame, and their files;
    `names` maps an object of the scene to the name of its thing."""

    path: Path
    robots: Sequence[WorldRobot[Options]]
    around: OpenExport[Options]
    world: Surroundings
    names: Mapping[str, str]

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def diagnostics(self) -> Diagnostics:
        return self.around.diagnostics

    def finish(self, folder: Path, names: Mapping[str, str]) -> Written:
        """Returns the result, with the files in `folder`; `names` maps the armature of a robot to
        its name there. Raises WriteError for diagnostics where the export is strict."""
        return Written(
            path=self.path,
            files=self.around.list_made(folder, self.path.parent),
            robot=self.name,
            facts=self.facts(names),
            diagnostics=tuple(self.diagnostics),
        )

    def facts(self, names: Mapping[str, str]) -> Facts:
        """Returns the sums of the facts of all robots, and the names of all in the world."""
        return _add_facts(each.tree for each in self.robots) | {
            "robot": self.name,
            "robots": dict(names),
            "objects": dict(self.names),
            "lights": len(self.world.lights),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldWriter(Generic[Options]):
    """How a format writes worlds.

    suffixes     the suffixes of their files, with their dots, the usual one first
    write        writes a world; yields the names of its parts before they are written
    solids       the shapes that it has beyond boxes, cylinders, spheres and capsules
    keeps_seats  whether links stay where they are described, not on the axes of their joints
    shown        whether robots come in their pose; else as they were edited, without it
    """

    suffixes: tuple[str, ...]
    write: Callable[[WorldRequest[Options]], Generator[str, None, Written]]
    solids: tuple[type[Solid], ...] = ()
    keeps_seats: bool = False
    shown: bool = True

    def open_robot(self, found: OpenExport[Options]) -> _Opened[Options]:
        """Gives the export of a rig as it comes into the world, as as_shown does."""
        if not self.shown:
            return nullcontext(found)
        return found.as_shown(keeps_seats=self.keeps_seats, solids=self.solids)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputKind:
    """A kind of output of a format. `suffix` ends the name of the file; an output without one is a
    folder. `text` names it, where users choose among several; `suits` are the values of the option
    `engine` with it as their usual kind."""

    name: str
    label: str
    suffix: str
    text: str = ""
    suits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterFormat(Generic[Options]):
    """A format that robots can be written in.

    name          its name in programs
    label         its name for people, on a button
    title         its name in menus
    text          the output, after "as": "a world (.wbt) or a project folder"
    description   the operator's tooltip
    kinds         its outputs, the usual one first
    options       the class of its options
    write         writes to a path, all files or none; raises RobotError
    write_steps   the same in steps, for formats that take long; they yield Progress
    suggest_name  a robot's name -> a name for the file, without its suffix
    purpose       the words after "Export" on its operator; empty: the title
    operator      the operator is export_scene.<operator>; empty: as the name
    write_world   how it writes worlds; None for a format that has none
    lists_changes whether the file browser shows changes since the import
    """

    name: str
    label: str
    title: str
    text: str
    description: str
    kinds: tuple[OutputKind, ...]
    options: type[Options]
    write: Callable[[OpenExport[Options], Path], Written]
    suggest_name: Callable[[str], str]
    write_steps: Callable[[OpenExport[Options], Path], Generator[Any, None, Written]] | None = None
    purpose: str = ""
    operator: str = ""
    write_world: WorldWriter[Options] | None = None
    lists_changes: bool = False

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The suffixes of the files that it writes, with their dots."""
        return tuple(kind.suffix for kind in self.kinds if kind.suffix)

    @property
    def world_suffixes(self) -> tuple[str, ...]:
        """The suffixes of the worlds that it writes, with their dots."""
        return () if self.write_world is None else self.write_world.suffixes

    @property
    def writes_folders(self) -> bool:
        """Whether a path without a suffix is a folder that it writes."""
        return any(not kind.suffix for kind in self.kinds)


def count_robot(robot: Robot, *, links: int, moving_joints: int, degrees_of_freedom: int) -> Facts:
    """Returns the facts that all exports have: `robot`, `links`, `joints`, `moving_joints`,
    `degrees_of_freedom` (of joints that follow no other) and `total_mass` in kg."""
    return {
        "robot": robot.name,
        "links": links,
        "joints": len(robot.joints),
        "moving_joints": moving_joints,
        "degrees_of_freedom": degrees_of_freedom,
        "total_mass": robot.total_mass(),
    }


def count_tree(tree: KinematicTree) -> Facts:
    """Counts a robot whose links and joints are written one to one."""
    motions = [motion for motion in tree.joint_motions if motion.moves]
    free = [_FREEDOM.get(each.kind, 1) for each in motions if each.mimic is None]
    return count_robot(
        tree.robot,
        links=len(tree.links),
        moving_joints=len(motions),
        degrees_of_freedom=sum(free),
    )


def count_described(robot: Robot) -> Facts:
    """Counts the content of a description, tree or not."""
    free = [_FREEDOM.get(joint.type, 1) for joint in robot.joints if joint.mimic is None]
    return count_robot(
        robot,
        links=len(robot.links),
        moving_joints=sum(joint.type != "fixed" for joint in robot.joints),
        degrees_of_freedom=sum(free),
    )


def _add_facts(trees: Iterable[KinematicTree]) -> Facts:
    """Returns the sums of the facts of the robots of trees."""
    empty = Robot(name="", links=())
    total = count_robot(empty, links=0, moving_joints=0, degrees_of_freedom=0)
    for tree in trees:
        own = count_tree(tree)
        total |= {key: total[key] + value for key, value in own.items() if key != "robot"}
    return total
