# SPDX-License-Identifier: GPL-3.0-or-later
"""The formats, each a folder, in the order of menus."""

NAMES = (
    "webots",
    "urdf",
    "sdf",
    "srdf",
    "simmechanics",
    "engines",
    "mjcf",
    "usd",
    "ros2",
    "worlds",
    "morse",
)
