# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion of joints and frames over time: files, limits, keys."""

from ...core.shelves import Part

PART = Part(
    name="motion",
    names={
        "datasets.servo_frames": ("write_servo_frames",),
        "datasets.episodes": (
            "Episode",
            "EpisodeOptions",
        ),
        "fitting.servos": (
            "Servo",
            "read_servos",
            "write_servos",
        ),
        "messages.description": ("find_description",),
        "limits": (
            "JointLimits",
            "Violation",
        ),
        "motions": (
            "check_trajectory",
            "find_limits",
            "read_trajectory",
            "retime_trajectory",
            "write_episodes",
            "write_trajectory",
        ),
        "options": (
            "MotionOptions",
            "RetimeOptions",
        ),
        "recordings.formats": ("motion_formats",),
        "recordings.read": ("list_topics",),
        "recordings.topics": ("Topic",),
        "trajectory": (
            "FrameTrack",
            "Trajectory",
        ),
        "blender.apply": ("apply_trajectory",),
        "blender.episodes": (
            "record_episode_steps",
            "record_episodes",
        ),
        "blender.sample": ("sample_trajectory",),
    },
    commands="command",
    hooks={"find_recorded": "messages.description:find_recorded"},
)
