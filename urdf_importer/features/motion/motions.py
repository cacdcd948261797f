# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions of a robot: read and written, checked against its limits, and given other times."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...core.arguments import diagnostics_of, options_of, robot_or_rig_of
from ...core.diagnostics import Diagnostics, KinematicsError
from ...core.files.packages import AnyPath
from ...core.model import Robot
from ...core.pipeline.extracting import find_reshaped
from ...core.progress import finish
from .check import check_motion
from .datasets.episodes import Episode, EpisodeOptions
from .datasets.writing import Making, write_steps
from .limits import JointLimits, RobotLimits, Violation, limits_of, table_of
from .limits_file import read_joint_limits
from .names import match_names
from .options import MotionOptions, RetimeOptions
from .recordings import read, write
from .retime import retime, scale_speed
from .trajectory import Trajectory

Limits = str | os.PathLike[str] | Mapping[str, JointLimits]
"""A file as MoveIt's joint_limits.yaml, or bounds by the joints' names."""


def read_trajectory(
    path: AnyPath,
    *,
    topic: str | None = None,
    robot: Any = None,
    options: MotionOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Trajectory:
    """Returns the motion that a recording holds: a ROS 1 bag, an MCAP file, a recording of ROS 2
    (a .db3 or its folder), .csv, .json, .yaml or .npz; also the arrays of mjlab, BeyondMimic, Isaac
    Lab, GMR and MuJoCo, AMP's JSON, Unitree's tables, .parquet and LeRobot's datasets, by their
    folder or meta/info.json, whose `topic` is an episode: "7", "7/action".

    `topic` says which of a recording's topics; without it that is /joint_states, or the only one
    that has positions of joints. The poses of frames (/tf, odometry) come along. With a `robot`
    the motion has that robot's names, in radians and metres: the options settle which joint a name
    or a column without a name is (`names`, `prefix`, `order`), and the meaning of its numbers
    (`units`, `servos`, `degrees`); joints of other robots are left out. Without a robot names stay,
    and files without names are refused. Raises ReadError, in one sentence, for unreadable files,
    for motions that cannot be this robot's, and where several topics are possible.
    """
    known = None if robot is None else robot_of_rig(robot)
    options = _with_servos(options_of(options, MotionOptions), robot)
    return read.read_trajectory(
        path, topic=topic, robot=known, options=options, diagnostics=diagnostics
    )


def write_trajectory(
    trajectory: Trajectory,
    path: AnyPath,
    *,
    layout: str = "",
    robot: Any = None,
    rate: float | None = None,
) -> tuple[Path, ...]:
    """Writes a motion as its file's suffix says, and returns the files: .bag (ROS 1), .mcap (ROS
    2), a path without a suffix (a folder, ROS 2 in SQLite), .csv (positions alone, and the base's
    pose), .json, .yaml or .npz (everything). An existing file is overwritten.

    In a table the base moves the whole robot: it is its root link, or the floating or level
    planar joint that carries all the rest. Sampled motions know it; of others the `robot` does.

    `layout` writes the files of programs that train policies: "unitree", a .csv of the base's
    place, its quaternion x, y, z, w and all joints, "tracking", an .npz of joints and bodies with
    their velocities, or "isaac", the same in the order of Isaac Lab. All need the `robot`, a
    `Robot` or an imported robot, and have `rate` samples per second (30, and 50).

    In recordings, samples are JointStates, which have no accelerations, and commands a
    JointTrajectory; frames are on /tf. Times are written to the nanosecond. Raises WriteError where
    the format cannot hold the motion, or the file cannot be put there.
    """
    known = None if robot is None else robot_of_rig(robot)
    return write.write_trajectory(trajectory, path, layout=layout, robot=known, rate=rate)


def write_episodes(
    episodes: Iterable[Episode],
    folder: AnyPath,
    *,
    robot: Any = None,
    options: EpisodeOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> tuple[Path, ...]:
    """Writes motions as a dataset of LeRobot, version 3.0, into a folder of its own, and returns
    the files. States are positions at `fps` rows a second, in single precision; actions are the
    episodes' own, or follow from the states.

    Numbers are radians and metres, or in the `units` of the options; the `robot`, a `Robot` or an
    imported robot, tells which joints slide, and their limits. With `append`, episodes are added to
    a dataset with the same features. Raises WriteError for another folder's files, for episodes of
    other joints or cameras than the first, and for none.
    """
    known = None if robot is None else robot_of_rig(robot)
    options = _with_servos(options_of(options, EpisodeOptions), robot)
    making = Making(robot=known, options=options, diagnostics=diagnostics)
    return finish(write_steps(episodes, folder, making))


def find_limits(
    robot_or_armature: Any,
    *,
    limits: Limits | None = None,
    diagnostics: Diagnostics | None = None,
) -> dict[str, JointLimits]:
    """Returns the limits of each joint of one number, by which check_trajectory judges: from the
    description of a `Robot` or an imported robot, overridden by `limits`. Raises as
    check_trajectory does."""
    diagnostics = diagnostics_of(diagnostics)
    return dict(find_robot_limits(robot_or_armature, limits, diagnostics)[1].joints)


def check_trajectory(
    robot_or_armature: Any,
    trajectory: Trajectory | AnyPath,
    *,
    limits: Limits | None = None,
    diagnostics: Diagnostics | None = None,
) -> tuple[Violation, ...]:
    """Returns where a motion is beyond the limits of a `Robot` or an imported robot, or with None
    beyond `limits` alone: the worst of each joint and kind, the worst first; nothing where all is
    well.

    The description limits positions (with its safety controllers), velocities and efforts, and
    from URDF 1.2 on accelerations and jerks; `limits`, a joint_limits.yaml of MoveIt or
    `JointLimits` by name, change and complete these. Values without a limit are not checked. A
    velocity of 0 means that none is stated. Joints that follow another, and are not in the motion,
    are checked as they follow. Planar, floating and ball joints have no such limits.

    Raises KinematicsError where no joint of the robot is in the motion, ReadError for a file of
    limits that makes no sense, BuildError for an object that is not an imported robot.
    """
    trajectory = read.trajectory_of(trajectory, None, diagnostics)
    diagnostics = diagnostics_of(diagnostics, trajectory.source)
    given = None if robot_or_armature is None else robot_of_rig(robot_or_armature)
    if not trajectory.names:
        return ()
    robot, found = find_robot_limits(given, limits, diagnostics)
    return check_motion(trajectory, found, _match(trajectory, found, robot, diagnostics))


def retime_trajectory(
    trajectory: Trajectory | AnyPath,
    *,
    robot: Any = None,
    speed: float | None = None,
    limits: Limits | None = None,
    options: RetimeOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Trajectory:
    """Returns the same motion `speed` times as fast, or along the same path as fast as the limits
    of a robot allow: the description's and `limits`, as check_trajectory takes them.

    With limits of acceleration the motion starts and ends at rest and becomes cubics
    (`interpolation="spline"`) through all samples; with velocity limits alone each line between
    samples takes as long as its slowest joint needs. Time in which nothing moves is left out,
    unless `RetimeOptions(only_slower=True)` asks that nothing become faster. A joint without limits
    is never faster than it was, nor is a base that moves. Limits of jerk are kept too, but the
    result is not the fastest then. Efforts are left out.

    Raises KinematicsError for neither or both of a speed and limits, where no joint that moves has
    a limit, and as check_trajectory does.
    """
    trajectory = read.trajectory_of(trajectory, None, diagnostics)
    diagnostics = diagnostics_of(diagnostics, trajectory.source)
    if speed is not None:
        if robot is not None or limits is not None:
            raise KinematicsError("a motion is retimed by a speed or by limits, not by both")
        return scale_speed(trajectory, speed)
    if robot is None and limits is None:
        raise KinematicsError("retiming needs a speed, a robot or limits")
    described, found = find_robot_limits(robot, limits, diagnostics)
    joints = _match(trajectory, found, described, diagnostics) if trajectory.names else {}
    return retime(trajectory, found, joints, options_of(options, RetimeOptions))


def _with_servos(options: Any, robot: Any) -> Any:
    """Returns options with the table of servos that an imported robot keeps, unless they name
    one."""
    if robot is None or isinstance(robot, Robot):
        return options
    from .blender.servos import with_servos

    return with_servos(options, robot)


def robot_of_rig(robot_or_armature: Any) -> Robot:
    """Returns a `Robot` unchanged, and the one of an imported robot, with its edits. Raises
    BuildError."""
    given = robot_or_rig_of(robot_or_armature)
    return given if isinstance(given, Robot) else find_reshaped(given)


def find_robot_limits(
    given: Any, limits: Limits | None, diagnostics: Diagnostics
) -> tuple[Robot | None, RobotLimits]:
    """Returns the robot that is given, None for none, with its limits."""
    robot, table = None if given is None else robot_of_rig(given), None
    if isinstance(limits, Mapping):
        table = table_of(limits)
    elif limits is not None:
        table = read_joint_limits(os.fspath(limits), diagnostics)
    return robot, limits_of(robot, table, diagnostics)


def _match(
    trajectory: Trajectory, limits: RobotLimits, robot: Robot | None, diagnostics: Diagnostics
) -> Mapping[str, str]:
    """Returns which joint a name of the motion is; fixed joints are passed over."""
    others = {joint.name for joint in robot.joints} if robot is not None else set()
    others -= limits.joints.keys()
    names = [name for name in trajectory.names if name not in others]
    return match_names(names, limits.joints.keys(), {}, "", diagnostics)
