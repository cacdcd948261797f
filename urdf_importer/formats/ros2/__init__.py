# SPDX-License-Identifier: GPL-3.0-or-later
"""ROS 2: a folder of packages with the description, its controllers and MoveIt, out."""

from ...core.shelves import Part

PART = Part(
    name="ros2",
    names={"write.options": ("Ros2Options",)},
    writer="write.export:ROS2",
)
