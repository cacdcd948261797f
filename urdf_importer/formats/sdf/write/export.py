# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of work of an export on one page: files -> the text that was read, or plan -> text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ....core.diagnostics import Diagnostics, MeshError, quote
from ....core.files.outputs import check_output, replace_files
from ....core.geometry.mesh_data import MeshData
from ....core.geometry.volumes import MassProperties
from ....core.markup.write import XmlWriter
from ....core.model import Collision, Dynamics, Joint, Link, Mesh, Pose, Robot, VisualMaterials
from ....core.model.file_names import name_files
from ....core.writers.formats import (
    Facts,
    OpenExport,
    Written,
    count_tree,
    report_rewritten,
    report_springs,
)
from ....core.writers.masses import measure_collisions
from ....core.writers.named_files import NamedFiles
from .authors import find_authors
from .document import NEW, SdfDocument, write_document
from .extras import GazeboData
from .joints import Joined, join_joints
from .masses import Weights
from .nesting import Addresses
from .options import SdfOptions
from .parts import JointPart, ModelPlan
from .patch import Read, patch_text
from .plan import plan_parts
from .shapes import ShapeText

SUFFIX = ".sdf"
_VERSION = re.compile(rb"""<sdf\b[^>]*?\bversion\s*=\s*["']([0-9.]+)""")
_FILE = "model.sdf"
_BARE = ".stl"
_ROS, _GAZEBO = "package://", "model://"
_NOBODY = (("unknown", "unknown@example.com"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class SdfRequest:
    """The path to write, a file or a folder, and how. `place` is the pose of the model in its
    world; None where there is none. `prefix` begins the names of files, where another file will
    hold the model. `read` reads SDF: writers know no readers."""

    path: Path
    read: Read
    place: Pose | None = None
    prefix: str = ""

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


def export_sdf(found: OpenExport[SdfOptions], request: SdfRequest) -> Written:
    """Writes the robot and its files that are not there yet, all or none. Raises KinematicsError
    where the robot is not a tree; WriteError where it cannot be written, also where the export is
    strict and there is any diagnostic."""
    options, path, robot = found.options, request.path.absolute(), found.robot
    home = path if request.is_folder else path.parent
    if home.is_dir():
        check_output(home / _FILE if request.is_folder else path)
    prefix = f"{_GAZEBO}{path.name}/" if request.is_folder else request.prefix
    with replace_files(home) as folder:
        named = NamedFiles(files=found.files, home=home, folder=folder, prefix=prefix, maps=True)
        robot = named.write_new(robot)
        if options.meshes == "copy":
            robot = named.copy(robot)
        else:
            if options.meshes == "link":
                robot = named.link(robot)
            robot = name_files(robot, lambda mesh, *_: _rename(mesh.filename), _rename, maps=True)
        work = _Work(found, robot, request)
        file = _FILE if request.is_folder else path.name
        written = work.write_text()
        (folder / file).write_bytes(written)
        if request.is_folder:
            text = _config(robot, written, find_authors(robot.source) or _NOBODY)
            (folder / "model.config").write_text(text, encoding="utf-8", newline="\n")
        files = found.list_made(folder, request.path if request.is_folder else request.path.parent)
    facts, (links, joints) = work.facts()
    return SdfExport(
        path=request.path,
        files=files,
        robot=robot.name,
        facts=facts,
        diagnostics=tuple(found.diagnostics),
        links=links,
        joints=joints,
    )


def _rename(name: str) -> str:
    """Gazebo knows packages of ROS as models."""
    return _GAZEBO + name[len(_ROS) :] if name.startswith(_ROS) else name


def _list_meshes(robot: Robot) -> list[Mesh]:
    shapes = (shape.geometry for link in robot.links for shape in link.shapes)
    return [each for each in shapes if isinstance(each, Mesh)]


class _Work:
    """The text of one robot: of the one in `found`, with the files in `robot` that it names."""

    def __init__(self, found: OpenExport[SdfOptions], robot: Robot, request: SdfRequest) -> None:
        self._found, self._robot, self._request = found, robot, request
        pairs = zip(_list_meshes(robot), _list_meshes(found.robot), strict=True)
        self._before = {after.filename: each for after, each in pairs}
        self._links = {link.name: link for link in found.robot.links}
        self._faults = Diagnostics(found.diagnostics.source)
        self._joined: Joined | None = None
        self._addresses: Addresses | None = None

    def write_text(self) -> bytes:
        options, diagnostics = self._found.options, self._found.diagnostics
        text = self._robot.text_of("sdf")
        plain = options.fixed_joints == "keep" and options.base == "auto"
        if options.style == "keep" and text and plain:
            patched = patch_text(text, self._robot, self._request.read, self._write_silently)
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
            self._write_silently(self._robot, XmlWriter())
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
        options, data, own = self._found.options, GazeboData(robot), robot is self._robot
        joined = self._join(diagnostics) if own else join_joints(robot, diagnostics)
        weights = Weights(
            tree=joined.tree, volume=self._volume, diagnostics=diagnostics, repairs=repairs
        )
        plan = plan_parts(joined, options, data, weights, diagnostics)
        report_springs(_list_without_place(plan), "SDF", diagnostics)
        addresses = Addresses(plan, diagnostics)
        document = SdfDocument(
            name=robot.name or "robot",
            plan=plan,
            addresses=addresses,
            data=data,
            shapes=ShapeText(VisualMaterials(robot), data, self._has_materials),
            place=self._request.place if own else None,
            lumps=options.fixed_joints == "lump",
        )
        write_document(document, xml)
        if own:
            self._addresses = addresses

    def _join(self, diagnostics: Diagnostics) -> Joined:
        """Plans the robot once; the faults come with each text of it."""
        if self._joined is None:
            self._joined = join_joints(self._robot, self._faults)
        diagnostics.extend(self._faults)
        return self._joined

    def _has_materials(self, mesh: Mesh) -> bool:
        """Whether a mesh file brings materials, which others in the visual would replace."""
        mesh = self._before.get(mesh.filename, mesh)
        if mesh.filename.lower().endswith(_BARE) or mesh.bare:
            return False
        try:
            return bool(self._found.files.peek(mesh).materials)
        except MeshError:
            return False

    def _volume(self, link: Link) -> MassProperties | None:
        return measure_collisions(self._links.get(link.name, link), self._peek)

    def _peek(self, shape: Collision, link: Link) -> MeshData | None:
        try:
            return self._found.files.peek(shape.geometry)
        except MeshError:
            return None


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
