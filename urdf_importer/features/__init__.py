# SPDX-License-Identifier: GPL-3.0-or-later
"""The features, each a folder, in the order in which their hooks act."""

NAMES = (
    "motion",
    "ik",
    "studio",
    "collisions",
    "build",
    "waypoints",
    "sensing",
    "driving",
    "live",
    "retargeting",
    "simulation",
    "batch",
    "proof",
)
