# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded motions -> motions of a robot's joints, in radians and metres."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ....core.diagnostics import Diagnostics, KinematicsError, ReadError, quote
from ....core.kinematics.motion import JointMotion
from ....core.kinematics.tree import KinematicTree, retrace_tree
from ....core.model import Robot
from ..names import match_names
from ..options import MotionOptions
from ..trajectory import Numbers, Trajectory
from .orders import find_order, joint_orders
from .recorded import TURNS, Recorded, Unnamed, are_quaternions, track_base
from .servos import servos_by_joint
from .units import EVERY, TURNING, check_units, choose_unit, find_scale, is_gripper

_FULL_TURN = 1.05 * math.tau
_Split = tuple[Numbers, tuple[Numbers, Numbers] | None]
"""The columns of joints; places and quaternions of the base."""
_SCALED = ("positions", "velocities", "accelerations")


def fit_motion(
    recorded: Recorded, robot: Robot, options: MotionOptions, diagnostics: Diagnostics
) -> Trajectory:
    """Returns a motion under the robot's names of joints, in radians and metres: names, order and
    units are settled here, for all that read a motion for a robot. Names of other joints are left
    out, with one warning. Raises KinematicsError and ReadError where it cannot be this robot's."""
    tree = retrace_tree(robot)
    motion = recorded.motion
    if recorded.unnamed is not None:
        motion = _name(recorded.unnamed, tree, options, diagnostics, recorded.source)
    if not motion.names:
        return motion
    known = {each.joint.name: each for each in tree.joint_motions if each.is_scalar}
    given = dict(options.names)
    others = {each.name for each in robot.joints} - known.keys()
    names = [name for name in motion.names if name not in others or name in given]
    if not names:
        return motion
    found = match_names(names, known, given, options.prefix, diagnostics)
    recorded_of = {joint: name for name, joint in found.items()}
    motion = motion.select(tuple(recorded_of.values()))
    scales = _Scales(recorded, options, diagnostics)
    scaled = scales.apply(motion, {name: known[joint] for joint, name in recorded_of.items()})
    return replace(scaled, names=tuple(recorded_of))


def settled_options(options: MotionOptions, motion: Trajectory) -> MotionOptions:
    """Returns options without the names that a fitted motion no longer has, so that pairs such as
    a:=b and b:=a do not act twice."""
    names = tuple(each for each in options.names if each[0] not in motion.names)
    return replace(options, names=names, prefix="")


def unit_pairs(options: MotionOptions) -> dict[str, str]:
    """Returns name -> unit of options, where `degrees` are a unit of all joints."""
    units = check_units(options.units)
    return ({EVERY: "deg"} | units) if options.degrees else units


class _Scales:
    def __init__(
        self, recorded: Recorded, options: MotionOptions, diagnostics: Diagnostics
    ) -> None:
        self.units = unit_pairs(options)
        self.servos = servos_by_joint(options.servos)
        self.is_dataset = recorded.is_dataset
        self.diagnostics = diagnostics

    def apply(self, motion: Trajectory, joints: Mapping[str, JointMotion]) -> Trajectory:
        """Returns the motion of recorded names in radians and metres."""
        self._check_names(joints)
        factors, shifts, percent = np.ones(len(joints)), np.zeros(len(joints)), []
        for column, (name, joint) in enumerate(joints.items()):
            numbers = motion.positions[:, column]
            unit, is_named = choose_unit(self.units, joint, name)
            is_percent = self.is_dataset and is_gripper(name, unit, is_named)
            if is_percent and _are_percent(numbers):
                unit = "percent"
                percent.append(name)
            if self.is_dataset and joint.kind == "revolute" and not unit:
                self._refuse_degrees(numbers, name)
            servo = self.servos.get(joint.joint.name) or self.servos.get(name)
            scale = find_scale(unit, joint, servo)
            factors[column], shifts[column] = scale.factor, scale.shift
        if percent:
            message = f"the numbers of {', '.join(map(quote, percent))} are 0 to 100 of the limits"
            self.diagnostics.remark("gripper-percent", f"{message}; a unit of its own overrides it")
        return _scale(motion, factors, shifts)

    def _check_names(self, joints: Mapping[str, JointMotion]) -> None:
        known = {EVERY, *joints, *(each.joint.name for each in joints.values())}
        wrong = next((name for name in self.units if name not in known), None)
        if wrong is not None:
            raise KinematicsError(f"no joint of the motion is {quote(wrong)}, whose unit is given")

    def _refuse_degrees(self, numbers: Numbers, name: str) -> None:
        far = float(np.nanmax(np.abs(numbers), initial=0.0))
        if far > _FULL_TURN:
            raise KinematicsError(
                f"the positions of {quote(name)} go to {far:.4g}, so they are not radians: say "
                "--unit '*:=deg', or '*:=signed' with --servos and the calibration file, or "
                "'*:=rad' if it turns so far"
            )


def _scale(motion: Trajectory, factors: Any, shifts: Any) -> Trajectory:
    """Returns a motion whose positions are `shifts` + `factors` * its own."""
    with np.errstate(over="ignore"):
        arrays: dict[str, Any] = {
            kind: array * factors + (shifts if kind == "positions" else 0.0)
            for kind in _SCALED
            if (array := getattr(motion, kind)) is not None
        }
    return replace(motion, **arrays)


def _are_percent(numbers: Numbers) -> bool:
    known = numbers[np.isfinite(numbers)]
    return bool(len(known) and known.min() >= 0.0 and known.max() <= 100.0)


def without_robot(
    recorded: Recorded, options: MotionOptions, diagnostics: Diagnostics
) -> Trajectory:
    """Returns a motion for which no robot is known: with `degrees`, or a unit for all, each number
    is an angle. Raises ReadError for columns without names, and units that need the robot."""
    motion, unnamed = recorded.motion, recorded.unnamed
    if unnamed is not None:
        if not unnamed.names:
            raise ReadError("it names no joints; name the robot that it belongs to")
        motion = _read_named(unnamed, unnamed.quaternion, recorded.source)
    units = unit_pairs(options)
    if not units:
        return motion
    if units.keys() != {EVERY} or units[EVERY] not in TURNING:
        raise ReadError("its units need the robot: name the one that it belongs to")
    if not options.degrees:
        diagnostics.remark("units-unknown", "no robot says which joints turn: all are taken so")
    return _scale(motion, TURNING[units[EVERY]], 0.0)


def _read_named(found: Unnamed, quaternion: str, source: str) -> Trajectory:
    """Returns the motion of columns whose names are there after all."""
    return _to_motion(found, found.names, _split(found, len(found.names), None), quaternion, source)


def _name(
    found: Unnamed,
    tree: KinematicTree,
    options: MotionOptions,
    diagnostics: Diagnostics,
    source: str,
) -> Trajectory:
    """Gives columns the names of joints."""
    if found.names and options.order == "auto":
        return _read_named(found, _find_quaternion(found, tree, diagnostics), source)
    orders = joint_orders(tree)
    own = [name for name in orders["file"] if name not in tree.masters]
    width, has_followers = _choose_width(found, len(orders["file"]), len(own))
    if not has_followers:
        orders = {key: [n for n in names if n in own] for key, names in orders.items()}
    split = _split(found, width, found.has_base)
    order: str = options.order
    quaternion = found.quaternion
    if order == "auto" and found.bodies is not None:
        order, quaternion = find_order(tree, orders, found, split[0], diagnostics)
    elif order == "auto":
        order = found.order
    return _to_motion(found, tuple(orders[order]), split, quaternion, source)


def _find_quaternion(found: Unnamed, tree: KinematicTree, diagnostics: Diagnostics) -> str:
    """Returns how quaternions are written, by the places of bodies where names and bodies are
    there; as the layout has it where a joint is missing."""
    needed = [
        each.joint.name
        for each in tree.joint_motions
        if each.is_scalar and each.joint.name not in tree.masters
    ]
    if found.bodies is None or not set(needed) <= set(found.names):
        return found.quaternion
    table = _split(found, len(found.names), None)[0]
    columns = table[:, [found.names.index(name) for name in needed]]
    return find_order(tree, {"": needed}, found, columns, diagnostics)[1]


def _choose_width(found: Unnamed, most: int, own: int) -> tuple[int, bool]:
    """Returns how many columns are joints, and whether followers are among them."""
    width = found.table.shape[1]
    for joints in dict.fromkeys((most, own)):
        for base in (0, 7):
            fits = width == base + joints or (found.is_open and width > base + joints)
            if found.has_base is None and base and not are_quaternions(found.table[:, 3:7]):
                continue
            if fits and found.has_base in (None, bool(base)):
                return joints, joints == most
    shown = f"{most} ({own} without followers)" if most != own else str(most)
    joints = width - 7 if found.has_base or (found.has_base is None and width > 7) else width
    raise KinematicsError(f"it has {joints} joints, the robot {shown}")


def _split(found: Unnamed, joints: int, has_base: bool | None) -> _Split:
    """Returns the columns of joints, and places and quaternions of the base."""
    at = 7 if has_base or (not has_base and found.table.shape[1] >= joints + 7) else 0
    table = found.table[:, at : at + joints].astype(np.float64)
    if found.bodies is not None:
        return table, (found.bodies[0][:, 0], found.bodies[1][:, 0])
    if not at:
        return table, found.base
    return table, (found.table[:, :3], found.table[:, 3:7])


def _to_motion(
    found: Unnamed, names: tuple[str, ...], split: _Split, quaternion: str, source: str
) -> Trajectory:
    table, base = split
    if base is not None:
        turns = base[1][:, TURNS[quaternion]].astype(np.float64)
        base = base[0].astype(np.float64), turns
    table = np.where(np.isfinite(table), table, np.nan)
    velocities = found.velocities
    if velocities is not None:
        at = velocities.shape[1] - table.shape[1]
        velocities = velocities[:, -table.shape[1] :] if at in (0, 6) and table.size else None
    return Trajectory(
        names=names,
        times=found.times,
        positions=table,
        velocities=velocities,
        frames=track_base(found.times, base),
        source=source,
    )
