# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of work of an export on one page: files -> the text that was read, or plan -> text."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...diagnostics import Diagnostics, quote
from ...files.outputs import check_output, replace_files
from ...markup.write import XmlWriter
from ...model import Dynamics, Joint, Mesh, Pose, Robot, VisualMaterials
from ...model.file_names import name_files
from ..formats import (
    Facts,
    Written,
    count_tree,
    list_made,
    report_rewritten,
    report_springs,
)
from ..masses import MeasureVolume
from ..urdf.meshes import (
    FindMesh,
    FindTexture,
    NewFiles,
    TargetFolder,
    copy_files,
    find_taken,
    link_files,
    write_new_files,
)
from .authors import find_authors
from .document import NEW, SdfDocument, write_document
from .extras import GazeboData
from .joints import Joined, join_joints
from .masses import Weights
from .nesting import Addresses
from .options import SdfOptions
from .parts import JointPart, ModelPlan
from .patch import patch_text
from .plan import plan_parts
from .shapes import HasMaterials, ShapeText

SUFFIX = ".sdf"
_VERSION = re.compile(rb"""<sdf\b[^>]*?\bversion\s*=\s*["']([0-9.]+)""")
_FILE = "model.sdf"
_ROS, _GAZEBO = "package://", "model://"
_NOBODY = (("unknown", "unknown@example.com"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class SdfRequest:
    """The path to write, a file or a folder, and how. `place` is the pose of the model in its
    world; None where there is none. `prefix` begins the names of files, where another file will
    hold the model."""

    path: Path
    options: SdfOptions
    diagnostics: Diagnostics
    place: Pose | None = None
    prefix: str = ""
    strict: bool = False

    @property
    def is_folder(self) -> bool:
        return self.path.suffix.lower() != SUFFIX


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SdfExport(Written):
    """The result of an export to SDF.

    links    link -> its name in the file, where it is a link or a frame
    joints   joint -> its name in the file; joints that the file does not have are missing
    """

    links: Mapping[str, str]
    joints: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SdfReading:
    """How SDF and the files in it are read: writers know no readers.

    has_materials   whether a mesh, by its name before it is copied, brings materials
    volume          measures the collisions of a link
    """

    read: Callable[[bytes], Robot]
    find_file: Callable[[str], Path | None]
    find_mesh: FindMesh
    find_texture: FindTexture
    has_materials: HasMaterials
    volume: MeasureVolume


def export_sdf(robot: Robot, request: SdfRequest, reading: SdfReading, new: NewFiles) -> Written:
    """Writes the robot, all files or none; `new` are files that it names and that are not there
    yet. Raises KinematicsError where the robot is not a tree; WriteError where it cannot be
    written, also where `strict` and there is any diagnostic."""
    options, diagnostics = request.options, request.diagnostics
    path = request.path.absolute()
    home = path if request.is_folder else path.parent
    if home.is_dir():
        check_output(home / _FILE if request.is_folder else path)
    prefix = f"{_GAZEBO}{path.name}/" if request.is_folder else request.prefix
    with replace_files(home) as folder:
        target = TargetFolder(folder=folder, prefix=prefix, maps=True)
        taken = find_taken(home.resolve(), new, reading.find_file)
        before = _list_meshes(robot)
        robot, done = write_new_files(robot, new, target, taken, diagnostics)
        if options.meshes == "copy":
            robot = copy_files(robot, target, reading.find_mesh, reading.find_texture, done)
        else:
            if options.meshes == "link":
                robot = link_files(robot, home, reading.find_file, done, maps=True)
            robot = name_files(robot, lambda mesh, *_: _rename(mesh.filename), _rename, maps=True)
        pairs = zip(_list_meshes(robot), before, strict=True)
        found = {after.filename: each for after, each in pairs}

        def has_materials(mesh: Mesh) -> bool:
            return reading.has_materials(found.get(mesh.filename, mesh))

        work = _Work(robot, request, has_materials, reading.volume)
        file = _FILE if request.is_folder else path.name
        written = work.write_text(reading.read)
        (folder / file).write_bytes(written)
        if request.is_folder:
            text = _config(robot, written, find_authors(robot.source) or _NOBODY)
            (folder / "model.config").write_text(text, encoding="utf-8", newline="\n")
        place = request.path if request.is_folder else request.path.parent
        files = list_made(folder, place, diagnostics, strict=request.strict)
    facts, (links, joints) = work.facts()
    return SdfExport(
        path=request.path,
        files=files,
        robot=robot.name,
        facts=facts,
        diagnostics=tuple(diagnostics),
        links=links,
        joints=joints,
    )


def _rename(name: str) -> str:
    """Gazebo knows packages of ROS as models."""
    return _GAZEBO + name[len(_ROS) :] if name.startswith(_ROS) else name


def _list_meshes(robot: Robot) -> list[Mesh]:
    shapes = (shape.geometry for link in robot.links for shape in link.shapes)
    return [each for each in shapes if isinstance(each, Mesh)]


@dataclass(slots=True, eq=False)
class _Work:
    """The text of one robot."""

    _robot: Robot
    _request: SdfRequest
    _has_materials: HasMaterials
    _volume: MeasureVolume
    _addresses: Addresses | None = None
    _joined: Joined | None = None

    def write_text(self, read: Callable[[bytes], Robot]) -> bytes:
        options, diagnostics = self._request.options, self._request.diagnostics
        text = self._robot.text_of("sdf")
        plain = options.fixed_joints == "keep" and options.base == "auto"
        if options.style == "keep" and text and plain:
            patched = patch_text(text, self._robot, read, self._write_silently)
            if patched is not None:
                return patched
            report_rewritten(diagnostics)
        xml = XmlWriter()
        xml.declare()
        self._write(self._robot, xml, diagnostics, repairs=options.inertia == "repair")
        return xml.text().encode("utf-8")

    def facts(self) -> tuple[Facts, tuple[dict[str, str], dict[str, str]]]:
        """Returns the facts, and the names of links and of joints in the file."""
        if self._joined is None or self._addresses is None:
            self._write(self._robot, XmlWriter(), Diagnostics(), repairs=False)
        assert self._joined is not None and self._addresses is not None
        names = self._addresses.whole_names()
        renamed = {old: new for each in names for old, new in each.items() if old != new}
        return count_tree(self._joined.tree) | {"renamed": renamed}, names

    def _write_silently(self, robot: Robot, xml: XmlWriter) -> None:
        self._write(robot, xml, Diagnostics(), repairs=False)

    def _write(
        self,
        robot: Robot,
        xml: XmlWriter,
        diagnostics: Diagnostics,
        *,
        repairs: bool,
    ) -> None:
        options, data = self._request.options, GazeboData(robot)
        joined = join_joints(robot, diagnostics)
        tree, volume = joined.tree, self._volume
        weights = Weights(tree=tree, volume=volume, diagnostics=diagnostics, repairs=repairs)
        plan = plan_parts(joined, options, data, weights, diagnostics)
        report_springs(_list_without_place(plan), "SDF", diagnostics)
        addresses = Addresses(plan, diagnostics)
        document = SdfDocument(
            name=robot.name or "robot",
            plan=plan,
            addresses=addresses,
            data=data,
            shapes=ShapeText(VisualMaterials(robot), data, self._has_materials),
            place=self._request.place if robot is self._robot else None,
            lumps=options.fixed_joints == "lump",
        )
        write_document(document, xml)
        if robot is self._robot:
            self._joined, self._addresses = joined, addresses


def _list_without_place(plan: ModelPlan) -> Iterator[Joint]:
    """Yields the joints with a spring but no axis, and with a rotor but not a joint of their
    own."""
    parts = [each for each in plan.parts if isinstance(each, JointPart)]
    alone = {axis.joint: part.rotor for part in parts for axis in part.axes}
    for joint in plan.tree.robot.joints:
        dynamics = joint.dynamics or Dynamics()
        if (dynamics.stiffness and joint.name not in alone) or (
            dynamics.armature and not alone.get(joint.name)
        ):
            yield joint


def _config(robot: Robot, written: bytes, authors: Sequence[tuple[str, str]]) -> str:
    """The model.config by which Gazebo finds the model, with the version that its file states, and
    the name and address of each author."""
    stated = _VERSION.search(written)
    xml = XmlWriter()
    xml.verbatim('<?xml version="1.0"?>')
    with xml.element("model"):
        xml.leaf("name", text=robot.name or "robot")
        xml.leaf("version", text="1.0")
        xml.leaf("sdf", {"version": stated[1].decode() if stated else NEW}, _FILE)
        for name, email in authors:
            with xml.element("author"):
                xml.leaf("name", text=name)
                xml.leaf("email", text=email)
        xml.leaf("description", text=f"The robot {quote(robot.name)}")
    return xml.text()
