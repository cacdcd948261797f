# SPDX-License-Identifier: GPL-3.0-or-later
"""The input of an engine, and its results."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...core.diagnostics import Diagnostic, Diagnostics
from ...core.geometry.transforms import Matrix
from ...core.kinematics.tree import KinematicTree
from ...core.progress import Progress
from ..collisions.parts import TestedPart
from ..motion.trajectory import Numbers, Trajectory
from .options import SimulationOptions
from .shapes import Solid

Position = float | tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Collider:
    """A mesh object of the scene that robots hit.

    solids  convex bodies in its own frame, its scale in them, modifiers applied
    poses   (1, 4, 4) its frame in the world, rigid; or (n, 4, 4), one for each frame, where it
            moves
    """

    name: str
    solids: Sequence[Solid]
    poses: Numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotFile:
    """A robot as an export to MuJoCo wrote it.

    text    the file
    folder  the folder of its meshes beside it
    bodies  link -> its body; joints  joint -> its joints there
    """

    text: str
    folder: str
    bodies: Mapping[str, str]
    joints: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StartedRobot:
    """A robot as it starts.

    name       a name that no other robot has, for names and messages
    armature   its armature object
    tree       its links and joints
    parts      link -> the shapes by which it touches others
    apart      pairs of links that touch nothing of each other by its SRDF
    positions  joint -> its position at the start, in the words of get_joint_positions; followers
               too
    base       (4, 4) its root link in the world, rigid, in metres of the robot; already lifted
    scale      how long a metre of the robot is in the scene: the engines work in metres of the
               robot, and all robots of one simulation have one scale
    is_free    whether its root link moves
    guide      (n, 4, 4) where the keys of its armature have `base` in each frame, where it follows
               them; else None, and a base that is free falls
    targets    joint of one axis that has a motor -> (n,) where its motor wants it in each frame;
               empty without motors, and never of followers and passive joints
    efforts    joint with a motor -> its greatest effort in N m or N, 100 where none is stated
    file       for MuJoCo
    """

    name: str
    armature: Any
    tree: KinematicTree
    parts: Mapping[str, tuple[TestedPart, ...]]
    apart: Sequence[tuple[str, str]]
    positions: Mapping[str, Position]
    base: Matrix
    scale: float
    is_free: bool
    targets: Mapping[str, Numbers]
    efforts: Mapping[str, float]
    file: RobotFile | None
    guide: Numbers | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Experiment:
    """The input of an engine: robots and colliders in one world, in metres of the robots.

    engine     "mujoco" or "bullet"
    first      the frame of the scene in which all starts
    count      states to return, n: one for each frame, the first as all starts
    fps        frames a second
    folder     for files; gone after the run
    """

    engine: str
    options: SimulationOptions
    first: int
    count: int
    fps: float
    folder: Path
    diagnostics: Diagnostics
    robots: tuple[StartedRobot, ...] = ()
    colliders: tuple[Collider, ...] = ()

    @property
    def step(self) -> float:
        """The step of the engine in seconds."""
        return 1.0 / (self.fps * self.options.substeps)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RobotStates:
    """The states of one robot in n frames, as an engine had them.

    positions  joint -> (n,) rad or m, of joints of one axis, without jumps of a turn; (n, 3), (n,
               4), (n, 7) of planar, ball and floating ones, in the words of get_joint_positions
    base       (n, 4, 4) the root link in the world, rigid, in metres of the robot
    drift      m, the worst distance between the two anchors of a joint; 0 where an engine has no
               anchors
    loads      joint with a motor -> (n,) the share of each frame's steps, 0 to 1, in which its
               motor gave all its effort; nothing for joints that the engine cannot tell of
    efforts    joint with a motor -> (n,) N m or N that it gave, the mean of each frame's steps;
               nothing in Bullet, which does not tell them
    peaks      joint with a motor -> the greatest effort of all steps, its size
    """

    positions: Mapping[str, Numbers]
    base: Numbers
    drift: float = 0.0
    loads: Mapping[str, Numbers] = field(default_factory=dict)
    efforts: Mapping[str, Numbers] = field(default_factory=dict)
    peaks: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment(Progress):
    """A frame that an engine has done. `read` returns the states of all robots in it, n = 1."""

    read: Callable[[], tuple[RobotStates, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overload:
    """A joint whose motor gave all its effort for more than half of the time: `share` of the time,
    `frame` of the scene in which that began, its `effort` in N m or N."""

    joint: str
    share: float
    frame: int
    effort: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MotorEffort:
    """The effort of a motor in N m or N: its `peak` of all steps, the `mean` of its size, its
    `limit`, 100 where none is stated, and the `share` of that which the peak is."""

    joint: str
    peak: float
    mean: float
    limit: float
    share: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimulatedRobot:
    """The motion of one robot of a simulation.

    positions   joint -> (n,) rad or m, as the rig shows it in the frames; (n, 3), (n, 4), (n, 7) of
                planar, ball and floating joints
    base        (n, 4, 4) its armature object in the world, in double precision
    action      the new action; other armatures of the robot have their own
    trajectory  the engine's own states, in double precision: joints, and the base as a frame
    drift       m, the worst distance between a link of the engine and of the rig, or between the
                two anchors of a joint
    overloads   joints that their motors could not hold, the worst first
    efforts     the efforts of motors, in the order of the joints; nothing by Bullet
    """

    armature: Any
    positions: Mapping[str, Numbers]
    base: Numbers
    action: Any
    trajectory: Trajectory
    drift: float
    overloads: tuple[Overload, ...]
    efforts: tuple[MotorEffort, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Simulation:
    """The result of a simulation. Of several robots `robots` has a record each, in the order given;
    `positions`, `base`, `action`, `trajectory`, `drift`, `overloads` and `efforts` are the first
    one's.

    engine   "mujoco" or "bullet"
    frames   (n,) frames of the scene
    """

    engine: str
    frames: Numbers
    robots: tuple[SimulatedRobot, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def positions(self) -> Mapping[str, Numbers]:
        return self.robots[0].positions

    @property
    def base(self) -> Numbers:
        return self.robots[0].base

    @property
    def action(self) -> Any:
        return self.robots[0].action

    @property
    def trajectory(self) -> Trajectory:
        return self.robots[0].trajectory

    @property
    def drift(self) -> float:
        return self.robots[0].drift

    @property
    def overloads(self) -> Sequence[Overload]:
        return self.robots[0].overloads

    @property
    def efforts(self) -> Sequence[MotorEffort]:
        return self.robots[0].efforts
