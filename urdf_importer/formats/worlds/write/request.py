# SPDX-License-Identifier: GPL-3.0-or-later
"""The input of the writers of worlds, and their result."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Generic

from ....core.diagnostics import Diagnostics
from ....core.geometry.transforms import Matrix, matrix_from_pose
from ....core.kinematics.tree import KinematicTree, retrace_tree
from ....core.model import Pose, Robot
from ....core.model.world import Surroundings
from ....core.options import StartOptions
from ....core.writers.formats import Facts, OpenExport, Options, Written, count_robot, count_tree


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


def _add_facts(trees: Iterable[KinematicTree]) -> Facts:
    """Returns the sums of the facts of the robots of trees."""
    empty = Robot(name="", links=())
    total = count_robot(empty, links=0, moving_joints=0, degrees_of_freedom=0)
    for tree in trees:
        own = count_tree(tree)
        total |= {key: total[key] + value for key, value in own.items() if key != "robot"}
    return total
