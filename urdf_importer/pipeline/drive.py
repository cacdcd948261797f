# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots that drive, joints that run, and what is grasped, in a rig that exists."""

from collections.abc import Collection, Mapping
from os import PathLike
from typing import Any, Literal

from ..arguments import positions_of, rig_of, texts_of
from ..diagnostics import KinematicsError, quote
from ..files.packages import AnyPath
from ..geometry.transforms import Matrix
from ..kinematics.conventions import Convention
from ..kinematics.drive import Commands, DriveResult, check_commands
from ..kinematics.link_path_file import TWISTS, read_commands

DriveKind = Literal["wheels", "twist"]


def bake_drive(
    armature: Any,
    commands: AnyPath | Commands,
    *,
    kind: DriveKind = "wheels",
    radius: float | None = None,
    distance: float | None = None,
    left: str | Collection[str] = (),
    right: str | Collection[str] = (),
    start: int = 1,
    fps: float | None = None,
    base: str | None = None,
    convention: Convention | None = None,
) -> DriveResult:
    """Keys the ride of a robot with two driven wheels, or rows of them, in every frame.

    `commands` are rows of (time, left, right): seconds, and how fast the wheels roll forward in
    rad/s; with `kind` "twist" of (time, v, w): how fast the robot goes ahead in m/s and turns in
    rad/s. Each is held until the next, and the last row says when the ride ends. A CSV file says by
    its head, time,left,right or time,v,w, which it is. Between rows the robot goes in arcs in
    closed form about the middle between its wheels; heading and wheels never wrap.

    The wheels are found, or named: joints of the `left` and of the `right`. `radius` and `distance`
    of the wheels are measured at their shapes and joints unless given. Time of the first row is
    frame `start`; `fps` are the scene's unless given. The robot moves by its planar or floating
    root joint, else by its root control, else the armature object moves; `base` names the joint, or
    is "armature". It goes on from where it is in the first frame. Lengths are in the unit of
    `convention`, metres without.

    Raises KinematicsError where wheels are not found, or not clear which, with the candidates; for
    wrong commands, names and sizes: nothing is keyed then. Raises ReadError for a file that
    does not hold such a table, BuildError for an object that is not an imported robot.
    """
    from ..blender.driving.bake import DriveWish
    from ..blender.driving.bake import bake_drive as bake

    armature = rig_of(armature)
    unit = 1.0 if convention is None else convention.unit
    checked, twists = _check_ride(commands, kind, unit)
    return bake(
        armature,
        DriveWish(
            commands=checked,
            twists=twists,
            radius=None if radius is None else radius * unit,
            distance=None if distance is None else distance * unit,
            left=texts_of(left, "left"),
            right=texts_of(right, "right"),
            start=start,
            fps=fps,
            base=base,
        ),
    )


def _check_ride(commands: AnyPath | Commands, kind: DriveKind, unit: float) -> tuple[Matrix, bool]:
    """Returns the rows of a table or its file, in metres, and whether they are twists."""
    rows: Any = commands
    if isinstance(commands, (str, PathLike)):
        head, rows = read_commands(str(commands))
        kind = "twist" if head == TWISTS else "wheels"
    if kind not in ("wheels", "twist"):
        raise KinematicsError(f"commands are for wheels or twist, not for {quote(str(kind))}")
    return check_commands(rows, unit if kind == "twist" else 1.0), kind == "twist"


def bake_velocity(
    armature: Any,
    speeds: Mapping[str, float],
    *,
    until: Mapping[str, float] | None = None,
    seconds: float | None = None,
    start: int = 1,
    fps: float | None = None,
) -> dict[str, float]:
    """Keys joints that move at constant speeds, in every frame from `start` on: joint -> rad/s, or
    m/s where it slides. Returns joint -> position at the end.

    A joint goes on from where it is in the first frame, until it is where `until` says (joint ->
    radians or metres), `seconds` have passed or it is at its limit, whichever is first. `fps` are
    the scene's unless given.

    Raises KinematicsError, and keys nothing, for joints that are not there, follow others or are
    not of one number; for ends that are outside the limits or behind; where a joint would never
    end. Raises BuildError for an object that is not an imported robot.
    """
    from ..blender.driving.velocity import bake_velocity as bake

    armature = rig_of(armature)
    return bake(armature, positions_of(speeds), positions_of(until), seconds, start, fps)


def grasp(armature: Any, link: str, item: Any, *, frame: int | None = None) -> Any:
    """Lets an object follow a link from a frame on, the current one unless given: by a Child Of
    constraint, keyed, which it returns. The object stays where it is in that frame.

    Raises KinematicsError for an unknown link, for an object that is part of the robot, and for one
    that is held already; BuildError for an object that is not an imported robot.
    """
    from ..blender.driving import grasp as grasping

    armature = rig_of(armature)
    return grasping.grasp(armature, link, item, frame)


def release(item: Any, *, frame: int | None = None) -> None:
    """Lets go of an object from a frame on, the current one unless given: it stays where it is in
    that frame. Raises KinematicsError where nothing holds it then."""
    from ..blender.driving import grasp as grasping

    grasping.release(item, frame)
