# SPDX-License-Identifier: GPL-3.0-or-later
"""resize: a robot with other measures."""

import math
from collections.abc import Mapping
from dataclasses import replace

from ..arguments import diagnostics_of, robot_of
from ..diagnostics import Diagnostics, KinematicsError, quote
from ..geometry.transforms import invert, matrix_from_pose, pose_of
from ..kinematics.tree import retrace_tree
from ..model import IDENTITY, Joint, Mimic, Robot, Vector3
from .references import need_joints, need_links
from .scaling import LinkScaler, Masses, map_positions, scale_origin
from .seat import move_loop
from .symmetry import Symmetry

_ONE: Vector3 = (1.0, 1.0, 1.0)


def resize(
    robot: Robot,
    *,
    origins: Mapping[str, Vector3] | None = None,
    lengths: Mapping[str, float] | None = None,
    factors: Mapping[str, float | Vector3] | None = None,
    scale: float = 1.0,
    symmetric: bool = False,
    masses: Masses = "density",
    meshes: bool = True,
    diagnostics: Diagnostics | None = None,
) -> Robot:
    """Returns the robot with other measures, in this order:

    factors    link -> one factor, or three along its axes: everything attached to it, its shapes,
               its mass
    lengths    joint -> its distance from its parent link's frame in metres, the direction stays
    origins    joint -> its place in its parent link's frame, in metres, and nothing else
    scale      factor of everything

    With `symmetric` the other side of the robot follows, unless named itself. `masses`: "density"
    lets mass and inertia follow the volume, "mass" keeps the mass, "keep" both. Without `meshes`
    mesh files keep their size. Raises KinematicsError for unknown names, numbers that are not
    finite, factors that are not positive, and a length of a joint at its parent's origin.
    """
    robot = robot_of(robot)
    diagnostics = diagnostics_of(diagnostics, robot.source)
    origins, lengths, grown = dict(origins or {}), dict(lengths or {}), _read_factors(factors)
    need_joints(robot, [*origins, *lengths])
    need_links(robot, grown)
    _check_numbers(origins, lengths, grown, scale, robot)
    sides = Symmetry(retrace_tree(robot), diagnostics) if symmetric else None
    if sides is not None:
        grown |= _mirror_factors(grown, sides)
    scaler = LinkScaler(masses=masses, meshes=meshes, diagnostics=diagnostics)
    result = _place(_grow(robot, grown, scaler), robot, origins, lengths, sides)
    return _scale(result, float(scale), scaler)


def _read_factors(factors: Mapping[str, float | Vector3] | None) -> dict[str, Vector3]:
    read = {}
    for name, factor in (factors or {}).items():
        x, y, z = (factor,) * 3 if isinstance(factor, int | float) else factor
        read[name] = (float(x), float(y), float(z))
    return read


def _check_numbers(
    origins: Mapping[str, Vector3],
    lengths: Mapping[str, float],
    factors: Mapping[str, Vector3],
    scale: float,
    robot: Robot,
) -> None:
    for name, origin in origins.items():
        if len(origin) != 3 or not all(map(math.isfinite, origin)):
            raise KinematicsError(f"the origin of joint {quote(name)} must be three finite numbers")
    joints = {joint.name: joint for joint in robot.joints}
    for name, length in lengths.items():
        if not (math.isfinite(length) and length >= 0.0):
            raise KinematicsError(f"the length of joint {quote(name)} must be zero or more")
        if not any(joints[name].origin.xyz):
            raise KinematicsError(
                f"joint {quote(name)} is at its parent's origin: a length has no direction there"
            )
    for owner, each in [("the scale", (scale,)), *factors.items()]:
        if not all(math.isfinite(number) and number > 0.0 for number in each):
            called = owner if owner == "the scale" else f"the factor of link {quote(owner)}"
            raise KinematicsError(f"{called} must be more than zero")


def _mirror_factors(factors: Mapping[str, Vector3], sides: Symmetry) -> dict[str, Vector3]:
    mirrored = {}
    for link, each in factors.items():
        partner = sides.partner_link(link)
        if partner is not None and partner not in factors:
            mirrored[partner] = sides.mirror_factors(link, partner, each)
    return mirrored


def _grow(robot: Robot, factors: Mapping[str, Vector3], scaler: LinkScaler) -> Robot:
    """Links under their factors, with the places of their children."""
    factors = {name: each for name, each in factors.items() if each != _ONE}
    if not factors:
        return robot
    return replace(
        robot,
        links=tuple(scaler.scale(link, factors.get(link.name, _ONE)) for link in robot.links),
        joints=tuple(_grow_joint(joint, factors) for joint in robot.joints),
    )


def _grow_joint(joint: Joint, factors: Mapping[str, Vector3]) -> Joint:
    """The joint where its links, under their factors, have it: it is a place on both of them."""
    if joint.parent in factors:
        joint = replace(joint, origin=scale_origin(joint.origin, factors[joint.parent]))
    if joint.child in factors and joint.child_origin != IDENTITY:
        child = matrix_from_pose(joint.child_origin)
        back = invert(child)[:3, 3] * factors[joint.child]
        child[:3, 3] = -child[:3, :3] @ back
        joint = replace(joint, child_origin=pose_of(child))
    return joint


def _place(
    robot: Robot,
    before: Robot,
    origins: Mapping[str, Vector3],
    lengths: Mapping[str, float],
    sides: Symmetry | None,
) -> Robot:
    """Joints at their origins and distances; the other side's mirrored."""
    joints = {joint.name: joint for joint in robot.joints}
    placed = {name: _at_length(joints[name], length) for name, length in lengths.items()}
    for name, (x, y, z) in origins.items():
        placed[name] = (float(x), float(y), float(z))
    placed = {name: xyz for name, xyz in placed.items() if xyz != joints[name].origin.xyz}
    if sides is not None:
        named = {*origins, *lengths}
        for joint in before.joints:
            partner = (
                sides.partner_joint(joint) if joint.name in placed and joint.name in named else None
            )
            if partner is not None and partner.name not in named:
                placed[partner.name] = sides.mirror_origin(joint, partner, placed[joint.name])
    for name, xyz in placed.items():
        joints[name] = replace(joints[name], origin=replace(joints[name].origin, xyz=xyz))
    return replace(robot, joints=tuple(joints.values()))


def _at_length(joint: Joint, length: float) -> Vector3:
    x, y, z = joint.origin.xyz
    before = math.hypot(x, y, z)
    return x / before * length, y / before * length, z / before * length


def _scale(robot: Robot, factor: float, scaler: LinkScaler) -> Robot:
    if factor == 1.0:
        return robot
    factors = (factor, factor, factor)
    slides = {joint.name for joint in robot.joints if joint.type == "prismatic"}
    return replace(
        robot,
        links=tuple(scaler.scale(link, factors) for link in robot.links),
        joints=tuple(
            _scale_rotor(_scale_joint(joint, factor, slides), factor, scaler.masses)
            for joint in robot.joints
        ),
        loops=tuple(
            move_loop(loop, lambda pose, _link: scale_origin(pose, factors)) for loop in robot.loops
        ),
    )


def _scale_joint(joint: Joint, factor: float, slides: set[str]) -> Joint:
    """Travel is a length; angles, effort and damping stay, and springs have as much force at the
    same share of it."""
    factors = (factor, factor, factor)
    joint = replace(
        joint,
        origin=scale_origin(joint.origin, factors),
        child_origin=scale_origin(joint.child_origin, factors),
    )
    if joint.mimic is not None:
        mimic = _scale_mimic(joint.mimic, factor, joint.name in slides, joint.mimic.joint in slides)
        joint = replace(joint, mimic=mimic)
    if joint.name not in slides:
        return joint
    if joint.limit is not None and joint.limit.velocity is not None:
        limit = replace(joint.limit, velocity=joint.limit.velocity * factor)
        joint = replace(joint, limit=limit)
    if joint.dynamics is not None and joint.dynamics.stiffness:
        softer = replace(joint.dynamics, stiffness=joint.dynamics.stiffness / factor)
        joint = replace(joint, dynamics=softer)
    return map_positions(joint, lambda number: number * factor)


def _scale_rotor(joint: Joint, factor: float, masses: Masses) -> Joint:
    """A rotor goes with the masses, as a body whose inertia or, at a sliding joint, mass it is."""
    dynamics = joint.dynamics
    if dynamics is None or not dynamics.armature or masses == "keep":
        return joint
    power = (3 if masses == "density" else 0) + (0 if joint.type == "prismatic" else 2)
    grown = replace(dynamics, armature=dynamics.armature * factor**power)
    return replace(joint, dynamics=grown)


def _scale_mimic(mimic: Mimic, factor: float, slides: bool, leader_slides: bool) -> Mimic:
    multiplier = mimic.multiplier
    if slides and not leader_slides:
        multiplier *= factor
    elif leader_slides and not slides:
        multiplier /= factor
    offset = mimic.offset * factor if slides else mimic.offset
    return replace(mimic, multiplier=multiplier, offset=offset)
