# SPDX-License-Identifier: GPL-3.0-or-later
"""The formats, a folder for each, in the order of menus."""

NAMES = (
    "webots",
    "urdf",
    "sdf",
    "srdf",
    "simmechanics",
    "engines",
    "mjcf",
    "usd",
    "worlds",
)
