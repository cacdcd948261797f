# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a robot: their places and contents."""

import os

from ..diagnostics import Diagnostics, ReadError, quote
from ..files.folders import Folders
from ..files.packages import AnyPath, PackageResolver
from ..files.references import is_address
from ..meshes import RobotFiles
from ..meshes.upright import suggest_upright
from ..model import Robot
from ..options import FileOptions, ImportOptions
from ..readers.formats import FoundInPackage, reader_formats

_MOST_ENTRIES = 5_000
_PACKAGE = "package.xml"
_MOST_NAMED = 3
"""Of a folder that was given in place of a description."""


def find_files(path: AnyPath, options: ImportOptions | FileOptions) -> PackageResolver:
    """Returns a resolver of the files that the description at `path` names."""
    found = _find_described(path)
    # The robot of a server names nothing but files of packages, in folders that the user named.
    place = "" if is_address(found.path) else found.path
    resolver = PackageResolver(place, options.packages, options.package_paths)
    resolver.description = found.path
    resolver.package, resolver.arguments = found.package, found.arguments
    return resolver


def find_description(path: AnyPath) -> str:
    """Returns the file of a description: in a folder that is a model of Gazebo, the newest that it
    names; of a ROS package, or of its package.xml, the robot's. Other paths stay
    unchanged. Raises ReadError for one that no file can have, and for a package of several
    robots."""
    return _find_described(path).path


def _find_described(path: AnyPath) -> FoundInPackage:
    place = os.fspath(path)
    if "\0" in place:
        raise ReadError("the path has a character that no path can have", source=place)
    if is_address(place):
        return FoundInPackage(path=place)
    formats = reader_formats()
    finders = (each.find_in_folder for each in formats)
    found = next(filter(None, (find(place) for find in finders if find is not None)), "")
    if found:
        return FoundInPackage(path=found)
    folder = os.path.dirname(place) or "." if os.path.basename(place) == _PACKAGE else place
    looks = (each.find_in_package for each in formats)
    inside = (look(folder) for look in looks if look is not None)
    return next(filter(None, inside), None) or FoundInPackage(path=folder)


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
