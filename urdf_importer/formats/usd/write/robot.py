# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of work: robot -> machine -> prims -> text.

All bodies are side by side below the robot's prim, as Isaac's own importer has them and the paths
of Isaac Lab's tasks expect; a rigid body within another one is an error for most simulators.
"""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ....core.diagnostics import Diagnostics, WriteError, quote
from ....core.geometry.inertia import BodyMass, body_of
from ....core.geometry.transforms import Matrix, make_frame
from ....core.kinematics.tree import KinematicTree
from ....core.model import Link, Robot
from ....core.names import Claims
from ....core.writers.file_folder import FileFolder
from ....core.writers.formats import OpenExport
from ....core.writers.masses import find_friction
from ....core.writers.textures import Textures
from .bodies import WORLD, Machine, Member, adds_mass, plan_machine
from .joints import JointTargets, make_joint
from .options import EngineOptions
from .shapes import LOOKS, MESHES, ShapeWriter
from .text import (
    Prim,
    add_place,
    clean_identifier,
    pack_usdz,
    path_to,
    quote_text,
    write_layer,
    write_quaternion,
    write_tuple,
)

JOINTS, SCENE = "joints", "physicsScene"
_TEXTURES = "textures"
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Names:
    """The names of bodies, by link, and of joints in the file."""

    root: str
    bodies: dict[str, str]
    joints: dict[str, str]


def write_articulation(
    found: OpenExport[EngineOptions], tree: KinematicTree, turn: Matrix, path: Path
) -> Machine:
    """Writes a robot as an articulation of UsdPhysics with all joints at zero, and its images into
    textures/ beside it. `turn` (3, 3) is how the robot is turned. Raises WriteError."""
    suffix, options = path.suffix.lower(), found.options
    if suffix == ".usdc":
        raise WriteError("physics is written as text: let the name end with .usda, .usd or .usdz")
    if options.scale != 1.0:
        raise WriteError("physics is written at true size: the scale must be 1")
    machine = plan_machine(
        tree, options.base, merge=options.fixed_joints == "merge", diagnostics=found.diagnostics
    )
    folder = path.parent / "usdz" if suffix == ".usdz" else path.parent
    folder.mkdir(exist_ok=True)
    textures = None
    if options.textures != "none":
        images = FileFolder(folder / _TEXTURES, f"{_TEXTURES}/")
        textures = Textures(images, found.convert_image, found.diagnostics)
    names = _name_prims(found.robot, machine)
    shapes = ShapeWriter(found, names.root, textures)
    robot = _make_robot(found, machine, names, shapes, turn)
    layer = folder / path.with_suffix(".usda").name if folder != path.parent else path
    write_layer(layer, names.root, [robot, _make_scene(names.root)])
    if folder != path.parent:
        pack_usdz(path, layer, folder)
        shutil.rmtree(folder)
    return machine


def _name_prims(robot: Robot, machine: Machine) -> _Names:
    inside, joints = Claims(taken=(LOOKS, MESHES, JOINTS)), Claims()
    return _Names(
        root=clean_identifier(robot.name or "robot"),
        bodies={name: inside.claim(clean_identifier(name)) for name in machine.bodies},
        joints={joint.name: joints.claim(clean_identifier(joint.name)) for joint in machine.joints},
    )


def _make_robot(
    found: OpenExport[EngineOptions],
    machine: Machine,
    names: _Names,
    shapes: ShapeWriter,
    turn: Matrix,
) -> Prim:
    robot = Prim("Xform", names.root)
    robot.metadata.append('kind = "component"')
    robot.show_as(found.robot.name)
    robot.add("custom string urdf:robot", quote_text(found.robot.name or "robot"))
    if not np.array_equal(turn, np.eye(3)):
        add_place(robot, make_frame(turn))
    filler = _Filler(shapes, find_friction(found.robot), machine, sockets=found.options.sockets)
    bodies = _make_bodies(machine, names, filler, found.diagnostics)
    _add_frames(robot, machine.fixtures, filler, list(names.bodies.values()))
    joints = _make_joints(machine, names, found.options)
    _mark_roots(machine, bodies, joints, self_collision=found.options.self_collision)
    if found.options.self_collision:
        _part_neighbours(machine, names, bodies)
    joint_scope = Prim("Scope", JOINTS)
    joint_scope.children = list(joints.values())
    robot.children += [shapes.looks, shapes.meshes, *bodies.values(), joint_scope]
    return robot


def _make_scene(root: str) -> Prim:
    """Adds gravity for a file opened on its own; stages that reference it are unaffected."""
    scene = Prim("PhysicsScene", SCENE if root != SCENE else f"{SCENE}_2")
    scene.add("vector3f physics:gravityDirection", "(0, 0, -1)")
    scene.add("float physics:gravityMagnitude", 9.81)
    return scene


class _Filler:
    """Puts links' shapes below prims."""

    def __init__(
        self, shapes: ShapeWriter, friction: dict[str, float], machine: Machine, *, sockets: bool
    ) -> None:
        self._shapes, self._friction, self._sockets = shapes, friction, sockets
        self._machine = machine

    def mark(self, prim: Prim, link: Link) -> None:
        """Adds the joint above a link, where none is written, for this library's own
        reader: of a frame in a body, and of a body that floats."""
        tree, carriers = self._machine.tree, self._machine.carriers
        motion = tree.motions[tree.index[link.name]]
        is_frame = carriers[link.name][0] != link.name
        body = self._machine.bodies.get(carriers[link.name][0])
        if body is not None and (
            any(adds_mass(member.link) for member in body.members[1:])
            or (body.mass is not None and link.has_mass and not _is_sound(body.mass))
        ):
            _mark_mass(prim, link)
        if is_frame:
            prim.add("custom string urdf:link", quote_text(link.name))
        if motion is not None and (is_frame or motion.kind == "floating"):
            prim.add("custom string urdf:joint", quote_text(motion.joint.name))
            prim.add("custom string urdf:parent", quote_text(motion.joint.parent))

    def fill(self, prim: Prim, member: Member) -> None:
        self._shapes.add_visuals(prim, member.link)
        self._shapes.add_collisions(prim, member.link, self._friction.get(member.link.name))

    def is_wanted(self, member: Member) -> bool:
        """Whether a link is written that is only a frame."""
        return self._sockets or bool(member.link.visuals or member.link.collisions)


def _mark_mass(prim: Prim, link: Link) -> None:
    """Adds the mass of one link of several in a body: kg, centre, and the upper triangle of the
    tensor along the link's axes."""
    numbers = [0.0] * 10
    if link.inertial is not None:
        one = body_of(link.inertial)
        tensor = one.inertia[np.triu_indices(3)]
        numbers = [one.mass, *one.center.tolist(), *tensor.tolist()]
    prim.add("custom double[] urdf:inertial", f"[{', '.join(map(repr, numbers))}]")


def _make_bodies(
    machine: Machine, names: _Names, filler: _Filler, diagnostics: Diagnostics
) -> dict[str, Prim]:
    prims = {}
    for name, body in machine.bodies.items():
        prim = Prim("Xform", names.bodies[name])
        prim.show_as(name)
        prim.schemas += ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
        add_place(prim, body.frame)
        filler.mark(prim, body.link)
        if body.mass is not None:
            _add_mass(prim, body.mass, name, body.link.line, diagnostics)
        filler.fill(prim, body.members[0])
        _add_frames(prim, body.members[1:], filler, [each.name for each in prim.children])
        prims[name] = prim
    return prims


def _add_frames(
    prim: Prim, members: Sequence[Member], filler: _Filler, taken: Sequence[str]
) -> None:
    claims = Claims(taken=(*taken, "visuals", "collisions", LOOKS, MESHES, JOINTS))
    for member in members:
        if filler.is_wanted(member):
            frame = Prim("Xform", claims.claim(clean_identifier(member.link.name)))
            frame.show_as(member.link.name)
            add_place(frame, member.frame)
            filler.mark(frame, member.link)
            filler.fill(frame, member)
            prim.children.append(frame)


def _is_sound(mass: BodyMass) -> bool:
    """Whether simulators take the inertia."""
    moments = np.linalg.eigvalsh(mass.inertia)
    return bool(moments[0] > _ROUNDING * abs(moments[-1]))


def _add_mass(prim: Prim, mass: BodyMass, name: str, line: int, diagnostics: Diagnostics) -> None:
    """Adds mass, centre and principal moments; an inertia that no body has is left to the
    simulator, which has the collision shapes."""
    prim.add("float physics:mass", mass.mass)
    prim.add("point3f physics:centerOfMass", write_tuple(mass.center))
    moments, axes = np.linalg.eigh(mass.inertia)
    if not _is_sound(mass):
        diagnostics.warning(
            "usd-inertia-left-out",
            f"link {quote(name)} has an inertia that is not positive; simulators work it out from "
            "its collision shapes",
            subject=name,
            line=line,
        )
        return
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    prim.add("float3 physics:diagonalInertia", write_tuple(moments))
    prim.add("quatf physics:principalAxes", write_quaternion(axes))


def _make_joints(machine: Machine, names: _Names, options: EngineOptions) -> dict[str, Prim]:
    places = {name: path_to(names.root, each) for name, each in names.bodies.items()}
    targets = JointTargets(
        # The robot's own prim does not move, and goes where the robot is put.
        bodies={WORLD: path_to(names.root), **places},
        joints={name: path_to(names.root, JOINTS, each) for name, each in names.joints.items()},
        frequency=options.drive_frequency,
    )
    return {
        joint.name: make_joint(joint, names.joints[joint.name], machine, targets)
        for joint in machine.joints
    }


def _mark_roots(
    machine: Machine,
    bodies: dict[str, Prim],
    joints: dict[str, Prim],
    *,
    self_collision: bool,
) -> None:
    """Says where articulations begin: at the joint that fixes one in the world, else at its first
    body."""
    inside = [joint for joint in machine.joints if joint.inside]
    above = {joint.child: joint for joint in inside}
    carrying = {joint.parent for joint in inside}
    for name, prim in bodies.items():
        joint = above.get(name)
        if name not in carrying or (joint is not None and joint.parent != WORLD):
            continue
        root = prim if joint is None else joints[joint.name]
        root.schemas += [
            "PhysicsArticulationRootAPI",
            "PhysxArticulationAPI",
            "NewtonArticulationRootAPI",
        ]
        root.add("bool physxArticulation:enabledSelfCollisions", self_collision)
        root.add("bool newton:selfCollisionEnabled", self_collision)


def _part_neighbours(machine: Machine, names: _Names, bodies: dict[str, Prim]) -> None:
    """Lets bodies not collide that are fixed to one another, or to two ends of one joint:
    simulators leave out only the two that the joint itself ties."""
    group = {name: name for name in machine.bodies}
    for joint in machine.joints:
        if joint.motion is None and joint.parent != WORLD and joint.inside:
            group[joint.child] = group[joint.parent]
    members: dict[str, list[str]] = {}
    for name, first in group.items():
        members.setdefault(first, []).append(name)
    pairs: set[tuple[str, str]] = set()
    for joint in machine.joints:
        if joint.parent != WORLD:
            pairs |= {
                (one, other)
                for one in members[group[joint.parent]]
                for other in members[group[joint.child]]
                if one != other and (other, one) not in pairs
            }
    order = list(machine.bodies)
    for name, prim in bodies.items():
        others = sorted((other for one, other in pairs if one == name), key=order.index)
        if others:
            prim.schemas.append("PhysicsFilteredPairsAPI")
            paths = ", ".join(path_to(names.root, names.bodies[other]) for other in others)
            prim.add("rel physics:filteredPairs", f"[{paths}]")
