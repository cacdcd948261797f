# SPDX-License-Identifier: GPL-3.0-or-later
"""Wheel speeds to keyframes: the robot's base goes in arcs, its wheels roll."""

import math
from os import PathLike
from typing import Any

import numpy as np

from ....core.arguments import options_of, rig_of
from ....core.blender.curves import MOST_FRAMES, frame_rate
from ....core.diagnostics import KinematicsError
from ....core.files.packages import AnyPath
from ....core.geometry.transforms import Matrix, Vector
from ....core.kinematics.drive import (
    Commands,
    DriveKind,
    DriveOptions,
    DriveResult,
    check_commands,
    wheel_speeds,
)
from ....core.kinematics.link_path_file import TWISTS, read_commands
from ...motion.baked import BakeResult
from .driven import find_driven, key_courses


def bake_drive(
    armature: Any,
    commands: AnyPath | Commands,
    *,
    start_frame: int = 1,
    fps: float | None = None,
    options: DriveOptions | None = None,
) -> BakeResult:
    """Keys the ride of a robot with two driven wheels, or rows of them, in every frame.

    `commands` are rows of (time, left, right): seconds, and how fast the wheels roll forward in
    rad/s; with `kind` "twist" of the options (time, v, w): how fast the robot goes ahead in m/s and
    turns in rad/s. Each is held until the next, and the last row says when the ride ends. A CSV
    file says by its head, time,left,right or time,v,w, which it is. Between rows the robot goes in
    arcs in closed form about the middle between its wheels; heading and wheels never wrap.

    The wheels and their sizes are found unless the options name them. Time of the first row is
    frame `start_frame`; `fps` are the scene's unless given. The robot moves by its planar or
    floating root joint, else by its root control, else the armature object moves. It continues from
    where it is in the first frame.

    Keys nothing and raises KinematicsError where wheels are not found, or not clear which, with the
    candidates; for wrong commands, names and sizes; ReadError for a file that does not hold such a
    table, BuildError for an object that is not an imported robot.
    """
    armature, options = rig_of(armature), options_of(options, DriveOptions)
    unit = 1.0 if options.convention is None else options.convention.unit
    rows, twists = _read_ride(commands, options.kind, unit)
    driven = find_driven(armature, options)
    wheels = driven.wheels
    assert wheels is not None
    if twists:
        rows = wheel_speeds(rows, **driven.sizes)
    times = plan_times(rows, frame_rate(fps))
    ride = driven.plan(rows, times, start_frame)
    result = DriveResult(
        left=tuple(each.joint for each in wheels.found.left),
        right=tuple(each.joint for each in wheels.found.right),
        radius=wheels.radius,
        distance=wheels.distance,
        x=float(ride.x[-1]),
        y=float(ride.y[-1]),
        heading=float(ride.heading[-1] - ride.heading[0]),
    )
    positions = key_courses(list(driven.find_courses(ride, start_frame)), start_frame)
    last = start_frame + len(times) - 1
    return BakeResult(first=start_frame, last=last, positions=positions, ride=result)


def _read_ride(commands: AnyPath | Commands, kind: DriveKind, unit: float) -> tuple[Matrix, bool]:
    """Returns the rows of a table or its file, in metres, and whether they are twists."""
    rows: Any = commands
    if isinstance(commands, (str, PathLike)):
        head, rows = read_commands(str(commands))
        kind = "twist" if head == TWISTS else "wheels"
    return check_commands(rows, unit if kind == "twist" else 1.0), kind == "twist"


def plan_times(commands: Matrix, rate: float) -> Vector:
    """Returns the time of each frame, until the ride has ended."""
    length = (commands[-1, 0] - commands[0, 0]) * rate
    if length > MOST_FRAMES:
        raise KinematicsError(f"the ride is longer than {MOST_FRAMES} frames")
    count = math.ceil(length - 1e-6) + 1
    result: Vector = commands[0, 0] + np.arange(count) / rate
    return result
