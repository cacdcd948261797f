# SPDX-License-Identifier: GPL-3.0-or-later
"""Body -> Link: mass, shapes, colours, as the parameters change them."""

import math
from collections.abc import Callable, Container, Mapping, Sequence

import numpy as np

from ....core.diagnostics import quote
from ....core.geometry.volumes import inertia_of
from ....core.model import Collision, Inertial, Link, Material, Mesh, Pose, Visual
from .assembly import Assembly
from .mechanism.graph import Body, BodyColors, Matrix
from .parameters.keys import MirroredInertia, Parameters
from .placing import Placed

# Twelve plain colours, so that parts can be distinguished.
PALETTE = (
    ("green", (0.0, 1.0, 0.0, 1.0)),
    ("black", (0.0, 0.0, 0.0, 1.0)),
    ("red", (1.0, 0.0, 0.0, 1.0)),
    ("blue", (0.0, 0.0, 1.0, 1.0)),
    ("yellow", (1.0, 1.0, 0.0, 1.0)),
    ("pink", (1.0, 0.4, 0.7, 1.0)),
    ("cyan", (0.0, 1.0, 1.0, 1.0)),
    ("orange", (1.0, 0.5, 0.0, 1.0)),
    ("white", (1.0, 1.0, 1.0, 1.0)),
    ("dark_blue", (0.0, 0.0, 0.5, 1.0)),
    ("dark_green", (0.0, 0.4, 0.0, 1.0)),
    ("gray", (0.5, 0.5, 0.5, 1.0)),
)

_MESH_SUFFIXES = (".stl", ".obj", ".dae", ".ply", ".glb", ".gltf")
_STAND_INS = (".stl", ".obj", ".dae")

# Whether a mesh of this filename can be found.
HasFile = Callable[[str], bool]


def pose_of(matrix: Matrix) -> Pose:
    """Returns (4, 4) -> a pose in roll, pitch and yaw. Near gimbal lock, where only the sum of roll
    and yaw counts, roll takes all of it."""
    r = matrix[:3, :3].tolist()
    x, y, z = matrix[:3, 3].tolist()
    flat = math.hypot(r[0][0], r[1][0])
    pitch = math.atan2(-r[2][0], flat)
    if flat < 1e-9:
        roll, yaw = math.atan2(-r[1][2], r[1][1]), 0.0
    else:
        roll, yaw = math.atan2(r[2][1], r[2][2]), math.atan2(r[1][0], r[0][0])
    return Pose(
        xyz=(_rounded(x), _rounded(y), _rounded(z)),
        rpy=(_rounded(roll), _rounded(pitch), _rounded(yaw)),
    )


def _rounded(number: float) -> float:
    """To 1e-12: rounding errors of unit changes, such as 0.010000000000000002, go."""
    return round(number, 12) + 0.0


def relative(base: Matrix, frame: Matrix) -> Matrix:
    """Returns (4, 4) base from frame, of two frames in the world."""
    result = np.empty((4, 4))
    turned = base[:3, :3].T
    result[:3, :3] = turned @ frame[:3, :3]
    result[:3, 3] = turned @ (frame[:3, 3] - base[:3, 3])
    result[3] = (0.0, 0.0, 0.0, 1.0)
    return result


class LinkMaker:
    """Makes the links of an assembly; `has_file` knows which meshes are there."""

    def __init__(
        self,
        assembly: Assembly,
        placed: Mapping[int, Placed],
        has_file: HasFile,
    ) -> None:
        self.assembly = assembly
        self.placed = placed
        self.has_file = has_file
        self.parameters = assembly.parameters
        self.inertials = _assigned_masses(assembly, placed)
        self.shapes: dict[str, list[Collision]] = {}
        for shape in self.parameters.shapes:
            key = "assignedCollisionGeometry"
            if find_bodies([shape.link], key, shape.line, assembly, placed):
                self.shapes.setdefault(shape.link, []).append(
                    Collision(geometry=shape.geometry, origin=shape.origin)
                )
        for link in self.parameters.colors:
            line = self.parameters.line("assignedColors", link)
            find_bodies([link], "assignedColors", line, assembly, placed)
        self._palette: dict[str, int] = {}

    def make(self, index: int) -> Link:
        """Returns the link of a body that is in the tree."""
        body = self.assembly.mechanism.bodies[index]
        name = self.assembly.link_name(index)
        frame = self.placed[index].frame
        visuals: tuple[Visual, ...] = ()
        collisions: tuple[Collision, ...] = ()
        material = self._material(body, name)
        if body.geometry and body.is_visible and body.kind == "part":
            mesh = Mesh(filename=self._filename(body, name), scale=self.parameters.scale or _ONE)
            origin = pose_of(relative(frame, body.part))
            visuals = (Visual(geometry=mesh, origin=origin, material=material, line=body.line),)
            collisions = (Collision(geometry=mesh, origin=origin, line=body.line),)
        return Link(
            name=name,
            inertial=self._inertial(index, frame),
            visuals=visuals,
            collisions=tuple(self.shapes.get(name, ())) or collisions,
            line=body.line,
        )

    def _inertial(self, index: int, frame: Matrix) -> Inertial | None:
        found = self.inertials.get(index)
        if found is None:
            return None
        mass, center, inertia = found
        return Inertial(
            origin=pose_of(relative(frame, center)),
            mass=mass,
            inertia=None if inertia is None else inertia_of(inertia),
            line=self.assembly.mechanism.bodies[index].line,
        )

    def _material(self, body: Body, name: str) -> Material:
        assigned = self.parameters.colors.get(name)
        if assigned is not None:
            return Material(name=f"{name}_color", color=assigned)
        if body.look is not None:
            return Material(name=f"{name}_color", color=(*body.look.color, body.look.alpha))
        place = self._palette.setdefault(body.name, len(self._palette))
        plain, color = PALETTE[place % len(PALETTE)]
        return Material(name=plain, color=color)

    def look(self, index: int) -> BodyColors | None:
        """Returns the look that is not replaced by an assigned colour."""
        if self.assembly.link_name(index) in self.parameters.colors:
            return None
        return self.assembly.mechanism.bodies[index].look

    def _filename(self, body: Body, name: str) -> str:
        """The mesh as the description names it: lower case, cut, extension off, format; a mesh of
        the same stem where its kind is unreadable here."""
        filename = format_filename(body.geometry, self.parameters)
        suffix = _suffix(filename)
        if suffix.lower() in _MESH_SUFFIXES or not suffix or self.has_file(filename):
            return filename
        stem = filename.removesuffix(suffix)
        for stand_in in _STAND_INS:
            if self.has_file(stem + stand_in):
                self.assembly.diagnostics.warning(
                    "other-mesh-format",
                    f"{quote(filename)} of link {quote(name)} has a format that "
                    f"cannot be read; {quote(stem + stand_in)} takes its place",
                    subject=name,
                    line=body.line,
                )
                return stem + stand_in
        return filename


_ONE = (1.0, 1.0, 1.0)


def format_filename(written: str, parameters: Parameters) -> str:
    """Returns the name of a mesh file after the parameters' changes."""
    filename = written.lower() if parameters.lower_case else written
    if parameters.removed_text:
        filename = filename.replace(parameters.removed_text, "")
    if parameters.drops_extension:
        filename = filename.removesuffix(_suffix(filename))
    # By hand: the % operator would run any format in the text.
    before, _, after = parameters.filename_format.replace("%%", "\0").partition("%s")
    return before.replace("\0", "%") + filename + after.replace("\0", "%")


def _suffix(filename: str) -> str:
    name = filename.replace("\\", "/").rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    return dot + suffix if stem and dot else ""


_Mass = tuple[float | None, Matrix, Matrix | None]


def _assigned_masses(assembly: Assembly, placed: Mapping[int, Placed]) -> dict[int, _Mass]:
    """Body -> mass, frame of the centre in the world, inertia in its axes: the file's, then
    mirrored ones, then assigned ones."""
    parameters = assembly.parameters
    found: dict[int, _Mass] = {}
    for index in placed:
        body = assembly.mechanism.bodies[index]
        if body.center is None or (
            not body.mass and (body.inertia is None or not body.inertia.any())
        ):
            continue
        found[index] = (body.mass, body.center, body.inertia)
    original = dict(found)
    for mirror in parameters.mirrored:
        links = (mirror.link, mirror.original, mirror.reference)
        ends = find_bodies(links, "mirroredInertia", mirror.line, assembly, placed)
        if ends and ends[1] in original:
            found[ends[0]] = _mirrored(
                original[ends[1]], mirror, placed[ends[2]].frame,
                assembly.mechanism.bodies[ends[0]].center,
            )  # fmt: skip
    key = "inertiaWorkaround"
    for link in parameters.mirrored_centers:
        for index in find_bodies([link], key, parameters.line(key), assembly, placed):
            if index in found:
                mass, center, inertia = found[index]
                center = center.copy()
                center[2, 3] = -center[2, 3]
                found[index] = (mass, center, inertia)
    _assign(found, assembly, placed)
    return found


def _assign(found: dict[int, _Mass], assembly: Assembly, placed: Mapping[int, Placed]) -> None:
    parameters, key = assembly.parameters, "assignedMasses"
    for link, mass in parameters.masses.items():
        for body in find_bodies([link], key, parameters.line(key, link), assembly, placed):
            old, center, inertia = found.get(body) or _no_mass(body, assembly, placed)
            if old and inertia is not None:
                inertia = inertia * (mass / old)
            found[body] = (mass, center, inertia)
    for wish in parameters.inertias:
        for body in find_bodies([wish.link], "assignedInertias", wish.line, assembly, placed):
            own, center, inertia = found.get(body) or _no_mass(body, assembly, placed)
            changed = np.zeros((3, 3)) if inertia is None else inertia.copy()
            for axis, moment in enumerate((wish.xx, wish.yy, wish.zz)):
                if moment is not None:
                    changed[axis, axis] = moment
            found[body] = (own, center, changed)


def _no_mass(body: int, assembly: Assembly, placed: Mapping[int, Placed]) -> _Mass:
    center = assembly.mechanism.bodies[body].center
    return None, placed[body].frame if center is None else center, None


def find_bodies(
    links: Sequence[str], key: str, line: int, assembly: Assembly, placed: Container[int]
) -> list[int]:
    """Returns the bodies of links; none, and reported, where one is not in the tree."""
    bodies = [assembly.names.body_of.get(link, -1) for link in links]
    for link, body in zip(links, bodies, strict=True):
        if body not in placed:
            assembly.values.bad(key, assembly.names.no_link(link), line)
            return []
    return bodies


def _mirrored(
    original: _Mass, mirror: MirroredInertia, reference: Matrix, center: Matrix | None
) -> _Mass:
    """A mass mirrored in a plane of the frame `reference`: centre c -> S c, inertia I -> S I S, in
    that frame; the inertia is then written in the axes that the mirrored body's centre has."""
    mass, frame, inertia = original
    flip = np.eye(3)
    flip[mirror.plane, mirror.plane] = -1.0
    turn = reference[:3, :3]
    in_world = turn @ flip @ turn.T
    result = np.eye(4) if center is None else center.copy()
    result[:3, 3] = reference[:3, 3] + in_world @ (frame[:3, 3] - reference[:3, 3])
    if inertia is None:
        return mass, result, None
    axes = result[:3, :3].T @ in_world @ frame[:3, :3]
    return mass, result, axes @ inertia @ axes.T
