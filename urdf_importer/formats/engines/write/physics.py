# SPDX-License-Identifier: GPL-3.0-or-later
"""The physics for engines that let a robot fall and hold: bodies, joints and collision shapes, as
JSON.

Everything is in SI units and at the robot's true size; frames are the bones' and so the links', so
the way the robot is turned for an engine does not matter.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ....core.geometry.hulls import convex_hull
from ....core.geometry.inertia import add_bodies, body_of
from ....core.geometry.transforms import Matrix, invert, matrix_from_pose, quaternion_from_rotation
from ....core.kinematics.forward import joint_frames, zero_frames
from ....core.kinematics.motion import JointMotion
from ....core.kinematics.tree import KinematicTree
from ....core.meshes import RobotFiles
from ....core.model import Box, Capsule, Collision, Cylinder, Dynamics, Limit, Link, Sphere

Data = dict[str, Any]
Carriers = Mapping[str, tuple[str, Matrix]]
"""Link -> (the bone that carries it, the link's frame (4, 4) in that bone's)."""

_HULL_TRIANGLES = 64
"""Engines take hulls of at most 255 corners, and are fast with far fewer."""


def describe_bones(
    tree: KinematicTree, bones_of: Mapping[str, str], carriers: Carriers
) -> dict[str, Data]:
    """Returns bone -> its link and joint in the description, as custom properties can hold it:
    `link` and, where a joint is above, `joint`. Links without a bone are in the list `carries` of
    their carrier's link, with their places in it."""
    found: dict[str, Data] = {}
    for link, motion in zip(tree.links, tree.motions, strict=True):
        bone = bones_of[link.name]
        is_own = motion is None or motion.moves or not tree.children[tree.index[link.name]]
        if not is_own or (bone in found and found[bone]["link"]["name"] != link.name):
            continue
        found[bone] = {"link": _describe_link(link, motion)}
        if motion is not None:
            found[bone]["joint"] = _describe_joint(motion)
    for link in tree.links:
        bone, (carrier, frame) = bones_of[link.name], carriers[link.name]
        if found[bone]["link"]["name"] != link.name:
            assert bone == carrier
            carried = {**_describe_link(link, None), **_describe_place(frame)}
            found[bone]["link"].setdefault("carries", []).append(carried)
    return found


def _describe_link(link: Link, motion: JointMotion | None) -> Data:
    if link.inertial is None:
        return {"name": link.name}
    frame = None if motion is None else matrix_from_pose(motion.joint.child_origin)
    body = body_of(link.inertial, frame)
    return {"name": link.name, **_describe_mass(body.mass, body.center, body.inertia)}


def _describe_mass(mass: float, center: Matrix, inertia: Matrix) -> Data:
    """`inertia` is about the centre of mass, along the frame: xx, xy, xz, yy, yz, zz."""
    upper = [inertia[0, 0], inertia[0, 1], inertia[0, 2], inertia[1, 1], inertia[1, 2]]
    return {
        "mass": mass,
        "center_of_mass": _numbers(center),
        "inertia": _numbers([*upper, inertia[2, 2]]),
    }


def _describe_joint(motion: JointMotion) -> Data:
    joint = motion.joint
    described: Data = {"name": joint.name, "type": joint.type}
    if motion.kind in ("revolute", "prismatic", "planar"):
        described["axis"] = _numbers(motion.axis)
    limit, dynamics = joint.limit or Limit(), joint.dynamics or Dynamics()
    numbers = {"lower": motion.lower, "upper": motion.upper}
    numbers |= {"effort": limit.effort, "velocity": limit.velocity}
    for name in ("damping", "friction", "stiffness", "reference", "armature"):
        numbers[name] = getattr(dynamics, name)
    described |= {key: value for key, value in numbers.items() if value is not None}
    if motion.mimic is not None:
        mimic = motion.mimic
        described["mimic"] = {
            "joint": mimic.joint,
            "multiplier": mimic.multiplier,
            "offset": mimic.offset,
        }
    return described


def write_physics(tree: KinematicTree, carriers: Carriers, scale: float, files: RobotFiles) -> str:
    """Returns the text of the file. Collision meshes become convex hulls; unreadable ones are left
    out, with a diagnostic."""
    data = {
        "format": "robot physics 1",
        "robot": tree.robot.name,
        "units": {"length": "m", "angle": "rad", "mass": "kg"},
        "scale": scale,
        "bodies": list(_list_bodies(tree, carriers, files)),
        "joints": list(_list_joints(tree, carriers)),
    }
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


def _list_bodies(tree: KinematicTree, carriers: Carriers, files: RobotFiles) -> Iterator[Data]:
    """Yields a body for each bone that moves: the links that it carries, as one."""
    members: dict[str, list[Link]] = {}
    for link in tree.links:
        members.setdefault(carriers[link.name][0], []).append(link)
    for bone, links in members.items():
        masses = [
            body_of(link.inertial, carriers[link.name][1])
            for link in links
            if link.inertial is not None
        ]
        body: Data = {"bone": bone, "links": [link.name for link in links]}
        if masses:
            total = add_bodies(masses)
            body |= _describe_mass(total.mass, total.center, total.inertia)
        body["shapes"] = [
            shape
            for link in links
            for collision in link.collisions
            if (shape := _describe_shape(collision, link, carriers[link.name][1], files))
        ]
        yield body


def _describe_shape(
    collision: Collision, link: Link, frame: Matrix, files: RobotFiles
) -> Data | None:
    place = frame @ matrix_from_pose(collision.origin)
    match collision.geometry:
        case Box(size=size):
            shape: Data = {"type": "box", "size": _numbers(size)}
        case Cylinder() | Capsule() as tube:
            # Both are along z; a capsule's length is its cylinder's.
            kind = type(tube).__name__.lower()
            shape = {"type": kind, "radius": tube.radius, "length": tube.length}
        case Sphere(radius=radius):
            shape = {"type": "sphere", "radius": radius}
        case _:
            return _describe_hull(collision, link, place, files)
    return {**shape, **_describe_place(place)}


def _describe_hull(
    collision: Collision, link: Link, place: Matrix, files: RobotFiles
) -> Data | None:
    data = files.load_or_report(collision, link)
    if data is None or not len(data.vertices):
        return None
    points = data.vertices.astype(np.float64)
    hull = convex_hull(points, _HULL_TRIANGLES)
    corners = points if hull is None else hull.vertices
    if hull is None:
        # It is flat: the corners of its box say as much.
        low, high = points.min(axis=0), points.max(axis=0)
        grid = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
        corners = np.unique(grid, axis=0)
    moved = corners @ place[:3, :3].T + place[:3, 3]
    return {"type": "hull", "points": [_numbers(point) for point in moved]}


def _list_joints(tree: KinematicTree, carriers: Carriers) -> Iterator[Data]:
    zero = joint_frames(tree, zero_frames(tree))
    index = {name: tree.index[name] for name in carriers}
    homes = {
        carriers[link.name][0]: index[link.name]
        for link, motion in zip(tree.links, tree.motions, strict=True)
        if motion is None or motion.moves
    }
    for place, motion in enumerate(tree.motions):
        if motion is None or not motion.moves:
            continue
        child, parent = carriers[motion.joint.child][0], carriers[motion.joint.parent][0]
        yield {
            **_describe_joint(motion),
            "parent": parent,
            "child": child,
            **_describe_place(invert(zero[homes[parent]]) @ zero[place]),
        }


def _describe_place(frame: Matrix) -> Data:
    """`rotation` is a quaternion as x, y, z, w."""
    return {
        "position": _numbers(frame[:3, 3]),
        "rotation": _numbers(quaternion_from_rotation(frame[:3, :3])),
    }


def _numbers(values: Any) -> list[float]:
    return [float(value) + 0.0 for value in values]
