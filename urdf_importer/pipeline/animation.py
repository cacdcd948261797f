# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions onto a rig that exists, and from it."""

from typing import Any

from ..arguments import diagnostics_of, options_of, rig_of
from ..diagnostics import Diagnostics
from ..files.packages import AnyPath
from ..motion.options import MotionOptions
from ..motion.trajectory import Trajectory
from ..recordings.read import trajectory_of


def apply_trajectory(
    armature: Any,
    trajectory: Trajectory | AnyPath,
    options: MotionOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Any:
    """Keys a motion on an imported robot, in a new action, which it gets; returns the action. Other
    actions stay in the file. Keys stand at the samples, between frames too, so that the rig shows
    the recorded lines exactly, and the splines of commands.

    `trajectory` may be the path of a recording, which is read as read_trajectory does. Joints that
    mimic another follow it; the base moves as the motion's frames say, and where it has
    no joints, but frames of links, the joints between these do too. Raises KinematicsError where no
    joint of the robot is in the motion, and BuildError for an object that
    is not an imported robot; nothing is left behind then.
    """
    from ..blender.animation import apply

    armature = rig_of(armature)
    options = options_of(options, MotionOptions)
    trajectory = trajectory_of(trajectory, options, diagnostics)
    diagnostics = diagnostics_of(diagnostics, trajectory.source)
    return apply.apply_trajectory(armature, trajectory, options, diagnostics)


def sample_trajectory(
    armature: Any,
    frame_range: tuple[float, float] | None = None,
    rate: float | None = None,
    *,
    links: bool = False,
) -> Trajectory:
    """Returns what an imported robot shows from frame to frame, after curves, IK, limits, drivers,
    constraints and NLA: positions of joints with velocities by central differences, and frames that
    move.

    `frame_range` are the first and last frame: by default of the actions and NLA strips that play,
    the scene's where nothing is animated. `rate` are the samples per second (one for each frame).
    Followers are sampled too. The base is a frame of its root link in `world`; planar, floating and
    ball joints are frames by their own names; with `links` every link is a frame of the one above,
    as /tf has them. The frame that was shown is shown again.
    Raises KinematicsError for a range or rate that makes no sense, BuildError.
    """
    from ..blender.animation import sample

    armature = rig_of(armature)
    return sample.sample_trajectory(armature, frame_range, rate, links=links)


def set_frame_rate(rate: float) -> None:
    """Sets the frames per second of the current scene, also broken numbers such as 29.97."""
    from ..blender.animation import curves

    curves.set_frame_rate(rate)
