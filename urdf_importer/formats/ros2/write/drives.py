# SPDX-License-Identifier: GPL-3.0-or-later
"""The wheels that drive a robot's base, as the controllers of ros2_controllers want them measured.

diff_drive_controller, mecanum_drive_controller and ackermann_steering_controller take wheels that
roll forward when their positions grow; the first can turn the direction of a side around.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....core.diagnostics import Diagnostics, KinematicsError, MeshError, quote
from ....core.geometry.transforms import matrix_from_pose
from ....core.kinematics.drive import (
    DriveWheels,
    Wheel,
    find_wheels,
    measure_reach,
    pair_wheels,
)
from ....core.kinematics.steering import find_steering
from ....core.kinematics.tree import KinematicTree
from ....core.meshes import RobotFiles
from ....core.model import Mesh

_CORNERS = 4
_MECANUM = ("front_left", "front_right", "rear_right", "rear_left")


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive:
    """A controller of a base: its `type`, its `parameters`, the joints that it commands by velocity
    and by position."""

    type: str
    parameters: Mapping[str, Any]
    rolling: tuple[str, ...]
    steering: tuple[str, ...] = ()

    @property
    def joints(self) -> tuple[str, ...]:
        return (*self.steering, *self.rolling)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DriveSearch:
    """Looks for a drive on the root link, then on the links below it; `passive` joints drive
    nothing. `commands` are joint -> its commands in the description's own block of ros2_control;
    empty where there is no block, and joints take any."""

    tree: KinematicTree
    files: RobotFiles
    passive: Collection[str]
    commands: Mapping[str, Collection[str]] = field(default_factory=dict)

    def find(self, mode: str, diagnostics: Diagnostics) -> Drive | None:
        """Finds the drive; None where there is none, with `never`, and, with a warning, where
        `auto` finds wheels that cannot be measured. Raises KinematicsError where there is no drive
        of another mode."""
        if mode == "never":
            return None
        try:
            drive = self._find(mode)
            if drive is not None:
                self._need_commands(drive)
            return drive
        except KinematicsError as error:
            if mode != "auto":
                raise
            diagnostics.warning("wheels-unclear", f"{error.message}; no controller drives the base")
        return None

    def _find(self, mode: str) -> Drive | None:
        tree = self.tree
        places = [0, *tree.children[0]] if tree.links else []
        for base in (tree.links[place].name for place in places if tree.children[place]):
            if mode in ("auto", "ackermann"):
                steered = self._find_steered(base)
                if steered is not None:
                    return steered
            found = pair_wheels(tree, base=base, passive=self.passive)
            if found is not None and mode != "ackermann":
                return self._make_rolling(found, base, mode)
        if mode == "ackermann":
            raise KinematicsError(
                "no two joints were found that steer about z, mirror each other and carry a wheel, "
                "with a pair of driven wheels behind them"
            )
        if mode != "auto":
            find_wheels(tree, base=tree.links[0].name, passive=self.passive)
        return None

    def _make_rolling(self, found: DriveWheels, base: str, mode: str) -> Drive:
        corners = found.left + found.right
        if mode == "mecanum" or (mode == "auto" and self._are_oblique(corners)):
            return self._make_mecanum(corners)
        if not found.are_alike:
            find_wheels(self.tree, base=base, passive=self.passive)
        signs = [{each.sign for each in side} for side in (found.left, found.right)]
        if any(len(each) > 1 for each in signs):
            raise KinematicsError(f"{_name(corners)} of one side turn in different directions")
        parameters = {
            "left_wheel_names": [each.joint for each in found.left],
            "right_wheel_names": [each.joint for each in found.right],
            "wheel_separation": found.distance,
            "wheel_radius": self._measure(corners),
            "base_frame_id": self.tree.links[0].name,
            "odom_frame_id": "odom",
        }
        for side, (sign,) in zip(("left", "right"), signs, strict=True):
            if sign < 0:
                parameters[f"{side}_wheel_radius_multiplier"] = -1.0
        rolling = tuple(each.joint for each in corners)
        kind = "diff_drive_controller/DiffDriveController"
        return Drive(type=kind, parameters=parameters, rolling=rolling)

    def _make_mecanum(self, wheels: Sequence[Wheel]) -> Drive:
        if len(wheels) != _CORNERS:
            raise KinematicsError(
                f"a mecanum drive has four wheels at its corners, not {_name(wheels)}"
            )
        self._need_forward(wheels)
        lengths, widths = ([each.place[axis] for each in wheels] for axis in (0, 1))
        middle = math.fsum(lengths) / _CORNERS
        # Front first, and on the way around: left, right, right, left.
        front = sorted((w for w in wheels if w.place[0] >= middle), key=lambda w: -w.place[1])
        rear = sorted((w for w in wheels if w.place[0] < middle), key=lambda w: w.place[1])
        ordered = [each.joint for each in (*front, *rear)]
        reach = (max(lengths) - min(lengths) + max(widths) - min(widths)) / 2.0
        parameters: dict[str, Any] = {
            f"{corner}_wheel_command_joint_name": joint
            for corner, joint in zip(_MECANUM, ordered, strict=True)
        }
        parameters["kinematics"] = {
            "wheels_radius": self._measure(wheels),
            "sum_of_robot_center_projection_on_X_Y_axis": reach,
        }
        parameters |= {"base_frame_id": self.tree.links[0].name, "odom_frame_id": "odom"}
        kind = "mecanum_drive_controller/MecanumDriveController"
        return Drive(type=kind, parameters=parameters, rolling=tuple(ordered))

    def _find_steered(self, base: str) -> Drive | None:
        found = find_steering(self.tree, base=base, passive=self.passive)
        if found is None:
            return None
        driven = (*found.driven.right, *found.driven.left)
        self._need_forward(driven)
        rolling, steering = tuple(each.joint for each in driven), (found.right, found.left)
        parameters = {
            "traction_joints_names": rolling,
            "steering_joints_names": steering,
            "wheelbase": found.wheelbase,
            "traction_track_width": found.driven.distance,
            "steering_track_width": found.track,
            "traction_wheels_radius": self._measure(driven),
            "base_frame_id": self.tree.links[0].name,
            "odom_frame_id": "odom",
        }
        kind = "ackermann_steering_controller/AckermannSteeringController"
        return Drive(type=kind, parameters=parameters, rolling=rolling, steering=steering)

    def _are_oblique(self, wheels: Sequence[Wheel]) -> bool:
        """Whether the friction of all four wheels in Gazebo is across the rollers of mecanum
        wheels."""
        oblique = {
            setting.reference
            for setting in self.tree.robot.settings
            for each in setting.settings
            if each.name == "fdir1" and _is_oblique(each.text)
        }
        return len(wheels) == _CORNERS and all(each.link in oblique for each in wheels)

    def _need_commands(self, drive: Drive) -> None:
        wanted = dict.fromkeys(drive.rolling, "velocity") | dict.fromkeys(
            drive.steering, "position"
        )
        for joint, kind in wanted.items():
            if self.commands and kind not in self.commands.get(joint, ()):
                raise KinematicsError(
                    f"the description's own block of ros2_control has no command of {kind} for "
                    f"joint {quote(joint)}, which drives the base"
                )

    def _need_forward(self, wheels: Iterable[Wheel]) -> None:
        if any(each.sign < 0 for each in wheels):
            raise KinematicsError(f"{_name(wheels)} do not all roll forward as they turn forward")

    def _measure(self, wheels: Iterable[Wheel]) -> float:
        """Returns the radius by the first wheel whose shapes give it: simple ones, else the reach
        of its meshes from its axis. Raises KinematicsError where none does."""
        for wheel in wheels:
            radius = wheel.radius or self._measure_meshes(wheel)
            if radius:
                return radius
        raise KinematicsError(f"{_name(wheels)} have no shape that gives their radius")

    def _measure_meshes(self, wheel: Wheel) -> float:
        link = self.tree.links[self.tree.index[wheel.link]]
        for shapes in (link.collisions, link.visuals):
            reaches = []
            for shape in (each for each in shapes if isinstance(each.geometry, Mesh)):
                try:
                    points = self.files.peek(shape.geometry).vertices.astype(np.float64)
                except MeshError:
                    continue
                frame = matrix_from_pose(shape.origin)
                reaches.append(measure_reach(points @ frame[:3, :3].T + frame[:3, 3], wheel.axis))
            if reaches:
                return max(reaches)
        return 0.0


def _is_oblique(text: str) -> bool:
    try:
        x, y, *_ = (abs(float(word)) for word in text.split())
    except ValueError:
        return False
    return min(x, y) > 0.1 * max(x, y)


def _name(wheels: Iterable[Wheel]) -> str:
    return f"wheels {', '.join(quote(each.joint) for each in wheels)}"
