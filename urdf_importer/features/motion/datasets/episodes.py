# SPDX-License-Identifier: GPL-3.0-or-later
"""Episodes for training: their options, and their motions as rows of numbers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from ....core.diagnostics import Diagnostics, KinematicsError, WriteError, quote
from ....core.kinematics.keys import evaluate
from ....core.kinematics.motion import JointMotion
from ....core.kinematics.tree import retrace_tree
from ....core.model import Joint, Robot
from ....core.options import Options, option
from ..fitting.servos import servos_by_joint
from ..fitting.units import check_units, choose_unit, find_scale, is_gripper
from ..series import series_of
from ..trajectory import Numbers, Trajectory

_MOST_ROWS = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeOptions(Options):
    """How motions become a dataset of LeRobot."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Episodes", "Numbers", "Pictures")

    fps: int = option(30, "Rate", "Rows per second", group="Episodes", bounds=(1, 1000))
    robot_type: str = option(
        "", "Robot Type", "The type of the robot; else its name", group="Episodes", entries="NAME"
    )
    task: str = option(
        "", "Task", "The task in words; else the name of the action", group="Episodes",
        entries="TEXT",
    )  # fmt: skip
    append: bool = option(
        False, "Append", "Add episodes to the dataset that is there", group="Episodes"
    )
    actions: bool = option(
        False,
        "All Actions",
        "Each action of the robot is an episode, else the range of the scene is one",
        group="Episodes",
    )
    follow: Literal["next", "same"] = option(
        "next",
        "Action of a Row",
        "The action that belongs to a state",
        group="Episodes",
        choices={"next": "The state of the next row", "same": "The state itself"},
    )
    suffix: str = option(
        ".pos", "Suffix", "Behind the names of joints", group="Numbers", entries="TEXT"
    )
    units: tuple[tuple[str, str], ...] = option(
        (),
        "Units",
        "The units of joints, as name:=unit, with * for all joints that can have it; else radians "
        "and metres",
        group="Numbers",
        separator=":=",
    )
    servos: str = option(
        "",
        "Servos",
        "A table of servos, or LeRobot's calibration, for the units signed and counts",
        group="Numbers",
        entries="FILE",
    )
    cameras: tuple[str, ...] = option(
        (), "Cameras", "The cameras in the scene whose pictures are taken", group="Pictures"
    )
    width: int = option(640, "Width", "Pixels across", group="Pictures", bounds=(2, 8192))
    height: int = option(480, "Height", "Pixels down", group="Pictures", bounds=(2, 8192))
    pictures: Literal["image", "video"] = option(
        "image",
        "Pictures",
        "How pictures are kept",
        group="Pictures",
        choices={"image": "As PNG in the table", "video": "As videos in H.264"},
    )


def check_camera(name: str) -> None:
    """Raises WriteError for a camera whose name cannot be a part of a path."""
    if not re.fullmatch(r"[\w.\- ]{1,64}", name) or ".." in name:
        raise WriteError(
            f"the camera {quote(name)} must be renamed: a dataset takes letters, digits, spaces, "
            "and single . - _, at most 64"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """An episode for training.

    motion    the states of the joints; simulate's and retarget's motions are such
    action    the commands, on the same joints; None where they follow from the states
    task      the task in words
    pictures  camera -> a picture for each row: paths of PNG files, or their bytes
    """

    motion: Trajectory
    action: Trajectory | None = None
    task: str = ""
    pictures: Mapping[str, Sequence[Path | bytes]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rows:
    """An episode's numbers, single precision: states and actions (m, n)."""

    states: Numbers
    actions: Numbers
    task: str


class Table:
    """Makes rows of episodes that move the same joints."""

    def __init__(
        self, names: tuple[str, ...], robot: Robot | None, options: EpisodeOptions
    ) -> None:
        self.names, self._options = names, options
        units = check_units(options.units)
        servos = servos_by_joint(options.servos)
        known = {} if robot is None else retrace_tree(robot).motion_of
        factors: list[float] = []
        shifts: list[float] = []
        self._percent: list[int] = []
        self.units: dict[str, str] = {}
        for name in names:
            joint = known.get(name) or JointMotion(joint=_unknown(name), kind="revolute")
            unit, is_named = choose_unit(units, joint, name)
            if is_gripper(name, unit, is_named) and np.isfinite(joint.ends).all():
                # As LeRobot's followers, whose grippers are never in degrees.
                unit = "percent"
                self._percent.append(len(factors))
            self.units[name] = unit
            scale = find_scale(unit, joint, servos.get(name))
            if not scale.factor:
                raise KinematicsError(f"joint {quote(name)} has empty limits, so no {unit}")
            factors.append(scale.factor)
            shifts.append(scale.shift)
        unknown = units.keys() - {"*", *names}
        if unknown:
            raise KinematicsError(f"no joint of the motion is {quote(min(unknown))}")
        self._factors, self._shifts = np.array(factors), np.array(shifts)

    def rows_of(self, episode: Episode, number: int, diagnostics: Diagnostics) -> Rows:
        """Returns the rows of an episode. Raises WriteError for one that cannot be in this
        dataset."""
        fps, motion = self._options.fps, episode.motion
        count = int(np.floor(motion.duration * fps + 1e-3)) + 1
        for is_so, why in (
            (not len(motion.times), "is empty"),
            (set(motion.names) != set(self.names), "moves other joints than the first"),
            (count > _MOST_ROWS, f"has {count} rows; {_MOST_ROWS} are the most"),
        ):
            if is_so:
                raise WriteError(f"episode {number} {why}")
        times = np.arange(count) / fps
        states = self._resample(motion, times, number)
        if episode.action is not None:
            if set(episode.action.names) != set(self.names):
                raise WriteError(f"the actions of episode {number} move other joints")
            actions = self._resample(episode.action, times, number)
        elif self._options.follow == "next":
            actions = states[np.minimum(np.arange(count) + 1, count - 1)]
        else:
            actions = states
        if motion.frames and not number:
            diagnostics.remark("base-left-out", "a dataset has no place for the robot's base")
        if self._percent and not number:
            grippers = ", ".join(quote(self.names[column]) for column in self._percent)
            diagnostics.remark("gripper-percent", f"{grippers}: written as 0 to 100 of the limits")
        return Rows(states, actions, episode.task or self._options.task)

    def _resample(self, motion: Trajectory, times: Numbers, number: int) -> Numbers:
        columns = []
        for name in self.names:
            series = series_of(motion, motion.names.index(name), turns=False)
            if not len(series.times):
                raise WriteError(f"joint {quote(name)} has no position in episode {number}")
            columns.append(evaluate(series, np.clip(times, series.times[0], series.times[-1])))
        numbers = (np.stack(columns, axis=1) - self._shifts) / self._factors
        for column in self._percent:
            numbers[:, column] = np.clip(numbers[:, column], 0.0, 100.0)
        single: Numbers = numbers.astype(np.float32)
        return single


def _unknown(name: str) -> Joint:
    return Joint(name=name, type="continuous", parent="", child="")
