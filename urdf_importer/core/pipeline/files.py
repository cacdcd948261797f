# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a robot: their places and contents."""

import os

from ..diagnostics import Diagnostics, ReadError, quote
from ..files.folders import Folders
from ..files.packages import AnyPath, PackageResolver
from ..meshes import RobotFiles
from ..meshes.upright import suggest_upright
from ..model import Robot
from ..options import FileOptions, ImportOptions
from ..readers.formats import reader_formats

_MOST_ENTRIES = 5_000
_MOST_NAMED = 3
"""Of a folder that was given in place of a description."""


def find_files(path: AnyPath, options: ImportOptions | FileOptions) -> PackageResolver:
    """Returns a resolver of the files that the description at `path` names."""
    return PackageResolver(find_description(path), options.packages, options.package_paths)


def find_description(path: AnyPath) -> str:
    """Returns the file of a description: in a folder that is a model of Gazebo, the newest that it
    names. Other paths stay unchanged. Raises ReadError for one that no file can have."""
    place = os.fspath(path)
    if "\0" in place:
        raise ReadError("the path has a character that no path can have", source=place)
    finders = (each.find_in_folder for each in reader_formats())
    return next(filter(None, (find(place) for find in finders if find is not None)), place)


def refuse_folder(folder: str) -> None:
    """Raises ReadError for a folder, which names the descriptions in it, the nearest first."""
    if not os.path.isdir(folder):
        return
    files = Folders(_MOST_ENTRIES).find_files_below(folder)
    places = [parts for each in files.values() for parts in each]
    suffixes = tuple(suffix for each in reader_formats() for suffix in each.suffixes)
    described = [parts for parts in places if parts[-1].lower().endswith(suffixes)]
    described.sort(key=lambda parts: (len(parts), parts))
    names = [quote("/".join(parts)) for parts in described]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    held = f"; it holds {', '.join(names[:_MOST_NAMED])}{more}" if names else ""
    raise ReadError(f"this is a folder, not a robot description{held}", source=folder)


def open_files(
    resolver: PackageResolver,
    diagnostics: Diagnostics,
    robot: Robot,
    options: FileOptions | ImportOptions,
) -> RobotFiles:
    """Returns a reader of the meshes and images of a description, with these options."""
    upright = getattr(options, "up_axis", "ignore") == "file"
    return RobotFiles(resolver, diagnostics, robot=robot, upright=upright)


def suggest_options(
    robot: Robot, files: RobotFiles, options: ImportOptions, diagnostics: Diagnostics
) -> None:
    """Warns where meshes that were imported would fit with another option."""
    if options.visuals and options.up_axis == "ignore":
        suggest_upright(robot, files, diagnostics)
