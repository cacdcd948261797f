# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot as .urdf file, with the files that it names."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ...diagnostics import Diagnostics, WriteError, quote
from ...files.outputs import check_output, replace_files
from ...markup.edit import Located
from ...markup.write import XmlWriter
from ...model import Robot
from ...model.drake import join_drake_joints
from ..formats import list_made, report_rewritten, report_springs
from .complete import complete_robot, is_converted, report_incomplete
from .loops import settle_notations
from .meshes import (
    FindMesh,
    FindTexture,
    NewFiles,
    TargetFolder,
    copy_files,
    find_taken,
    link_files,
    write_new_files,
)
from .options import UrdfOptions
from .patch import patch_text
from .plain import write_robot_text

_PACKAGE = re.compile(r"[a-z][a-z0-9_-]*").fullmatch


@dataclass(frozen=True, slots=True, kw_only=True)
class UrdfRequest:
    """The path to write and how; with `strict`, every warning and error is a failure."""

    path: Path
    options: UrdfOptions
    diagnostics: Diagnostics
    strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UrdfReading:
    """How URDF and the files in it are read: writers know no readers.

    find_file    the place of a file that the robot names, None where it is not there
    """

    locate: Callable[[bytes], Located]
    read: Callable[[bytes], Robot]
    find_file: Callable[[str], Path | None]
    find_mesh: FindMesh
    find_texture: FindTexture


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenUrdf:
    path: Path
    files: tuple[Path, ...]
    robot: Robot


def export_urdf(
    robot: Robot, request: UrdfRequest, reading: UrdfReading, new: NewFiles
) -> WrittenUrdf:
    """Writes the robot, all files or none; `new` are the files that it names and that are not there
    yet. Raises WriteError, also where `strict` and there is any diagnostic."""
    options, diagnostics = request.options, request.diagnostics
    if options.ros_package and not _PACKAGE(options.ros_package):
        raise WriteError(
            f"{quote(options.ros_package)} is not a name that a ROS package can have: small "
            "letters, digits, _ and -"
        )
    path = request.path.absolute()
    if path.parent.is_dir():
        check_output(path)
    if options.complete == "always":
        robot = complete_robot(robot)
    elif options.complete == "converted" and is_converted(robot):
        robot = complete_robot(robot, masses=False)
    report_incomplete(robot, diagnostics)
    report_springs(robot.joints, "URDF", diagnostics)
    with replace_files(path.parent) as folder:
        package = options.ros_package
        target = TargetFolder(folder=folder, prefix=f"package://{package}/" if package else "")
        done = frozenset[str]()
        if new.meshes or new.images:
            taken = find_taken(path.parent.resolve(), new, reading.find_file)
            robot, done = write_new_files(robot, new, target, taken, diagnostics)
        if options.ros_package or options.meshes == "copy":
            robot = copy_files(robot, target, reading.find_mesh, reading.find_texture, done)
        elif options.meshes != "keep":
            robot = link_files(robot, path.parent, reading.find_file, done)
        (folder / path.name).write_bytes(_write_text(robot, options, reading, diagnostics))
        if options.ros_package:
            (folder / "package.xml").write_bytes(_package_text(options.ros_package, robot).encode())
        files = list_made(folder, request.path.parent, diagnostics, strict=request.strict)
    return WrittenUrdf(path=request.path, files=files, robot=replace(robot, source=str(path)))


def _write_text(
    robot: Robot, options: UrdfOptions, reading: UrdfReading, diagnostics: Diagnostics
) -> bytes:
    robot = join_drake_joints(settle_notations(robot))
    text = robot.text_of("urdf")
    if options.style == "keep" and text:
        patched = patch_text(text, robot, reading.locate, reading.read)
        if patched is not None:
            return patched
        report_rewritten(diagnostics)
    return write_robot_text(robot).encode("utf-8")


def _package_text(package: str, robot: Robot) -> str:
    """package.xml in its third format, for catkin and ament alike."""
    xml = XmlWriter()
    xml.verbatim('<?xml version="1.0"?>')
    with xml.element("package", {"format": "3"}):
        xml.leaf("name", text=package)
        xml.leaf("version", text="0.0.0")
        xml.leaf("description", text=f"Description of the robot {robot.name}")
        xml.leaf("maintainer", {"email": "maintainer@example.com"}, "unknown")
        xml.leaf("license", text="unknown")
    return xml.text()
