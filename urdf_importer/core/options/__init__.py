# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's options: the command's arguments and the operator's properties are made from them."""

from .exports import (
    ExportOptions,
    FileOptions,
    FixedLinks,
    PoseMode,
    StartOptions,
    Style,
    base_option,
    fixed_links_option,
    poses_option,
    small_mass_option,
    style_option,
)
from .fields import AUTO, FITS, Base, FitCollisions, Options, group_options, option
from .imports import CombineJoints, FixedJoints, ImportOptions, PlacementOptions, Profile

__all__ = [
    "AUTO",
    "FITS",
    "Base",
    "CombineJoints",
    "ExportOptions",
    "FileOptions",
    "FitCollisions",
    "FixedJoints",
    "FixedLinks",
    "ImportOptions",
    "Options",
    "PlacementOptions",
    "PoseMode",
    "Profile",
    "StartOptions",
    "Style",
    "base_option",
    "fixed_links_option",
    "group_options",
    "option",
    "poses_option",
    "small_mass_option",
    "style_option",
]
