# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the files of a robot are, and what is in them."""

from ..diagnostics import Diagnostics
from ..files.packages import AnyPath, PackageResolver
from ..meshes import RobotFiles
from ..meshes.upright import suggest_upright
from ..model import Robot
from ..options import FileOptions, ImportOptions


def find_files(path: AnyPath, options: ImportOptions | FileOptions) -> PackageResolver:
    """Returns what finds the files that the description at `path` names."""
    return PackageResolver(str(path), options.packages, options.package_paths)


def open_files(
    resolver: PackageResolver,
    diagnostics: Diagnostics,
    robot: Robot,
    options: FileOptions | ImportOptions,
) -> RobotFiles:
    """Returns what reads the meshes and images of a description as options say."""
    upright = getattr(options, "up_axis", "ignore") == "file"
    return RobotFiles(resolver, diagnostics, robot=robot, upright=upright)


def suggest_options(
    robot: Robot, files: RobotFiles, options: ImportOptions, diagnostics: Diagnostics
) -> None:
    """Warns where meshes that were imported would fit with another option."""
    if options.visuals and options.up_axis == "ignore":
        suggest_upright(robot, files, diagnostics)
