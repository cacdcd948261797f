# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot as .urdf file, with the files that it names."""

import re
from dataclasses import replace
from pathlib import Path

from ....core.diagnostics import Diagnostics, WriteError, quote
from ....core.files.outputs import check_output, replace_files
from ....core.markup.write import XmlWriter
from ....core.model import Robot
from ....core.model.drake import join_drake_joints
from ....core.writers.formats import OpenExport, report_rewritten, report_springs
from ....core.writers.named_files import NamedFiles
from .complete import complete_robot, is_converted, report_incomplete
from .loops import settle_notations
from .options import UrdfOptions
from .patch import Locate, patch_text
from .plain import write_robot_text

_PACKAGE = re.compile(r"[a-z][a-z0-9_-]*").fullmatch


def export_urdf(
    found: OpenExport[UrdfOptions], path: Path, locate: Locate
) -> tuple[Robot, tuple[Path, ...]]:
    """Writes the robot and its files that are not there yet, all or none; returns the content of
    the file, and all files. Raises WriteError, also where the export is strict and there is any
    diagnostic."""
    given, path = path, path.absolute()
    robot, options, diagnostics = found.robot, found.options, found.diagnostics
    package = options.ros_package
    if package and not _PACKAGE(package):
        raise WriteError(
            f"{quote(package)} is not a name that a ROS package can have: small "
            "letters, digits, _ and -"
        )
    if path.parent.is_dir():
        check_output(path)
    if options.complete == "always":
        robot = complete_robot(robot)
    elif options.complete == "converted" and is_converted(robot):
        robot = complete_robot(robot, masses=False)
    report_incomplete(robot, diagnostics)
    report_springs(robot.joints, "URDF", diagnostics)
    with replace_files(path.parent) as folder:
        prefix = f"package://{package}/" if package else ""
        named = NamedFiles(files=found.files, home=path.parent, folder=folder, prefix=prefix)
        robot = named.write_new(robot)
        if package or options.meshes == "copy":
            robot = named.copy(robot)
        elif options.meshes != "keep":
            robot = named.link(robot)
        (folder / path.name).write_bytes(_write_text(robot, options, locate, diagnostics))
        if package:
            (folder / "package.xml").write_bytes(_package_text(package, robot).encode())
        files = found.list_made(folder, given.parent)
    return replace(robot, source=str(path)), files


def _write_text(
    robot: Robot, options: UrdfOptions, locate: Locate, diagnostics: Diagnostics
) -> bytes:
    robot = join_drake_joints(settle_notations(robot))
    text = robot.text_of("urdf")
    if options.style == "keep" and text:
        patched = patch_text(text, robot, locate)
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
