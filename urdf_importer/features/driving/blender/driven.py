# SPDX-License-Identifier: GPL-3.0-or-later
"""The robot of a ride: its carrier, its wheels, and the numbers that move both.

The base moves by its planar or floating joint; else by the root control of an SRDF; else the
armature object does.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import mathutils
import numpy as np

from ....core.blender.curves import key_every_frame, read_number
from ....core.blender.extract.robot import group_children
from ....core.blender.semantics.control import find_control
from ....core.blender.standing import properties
from ....core.blender.standing.armatures import armatures_of, bones_of, objects_of
from ....core.blender.standing.joints import RigJoint, posed_joints_of
from ....core.blender.standing.links import find_link
from ....core.blender.standing.pose import link_pose
from ....core.diagnostics import KinematicsError, quote
from ....core.geometry.transforms import Matrix, Vector
from ....core.kinematics.drive import (
    DriveOptions,
    DriveWheels,
    Ride,
    Wheel,
    Wheels,
    find_wheels,
    measure_reach,
    ride_wheels,
    sizes_of,
)
from ....core.kinematics.tree import KinematicTree
from ...ik.blender.solve import recall_rig

_BASES = ("planar", "floating")
_SHAPES = (properties.VISUALS, properties.COLLISIONS)
ARMATURE = "armature"


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier:
    """The carrier of the robot: `link`, in whose frame the wheels are described, and the owner of
    the numbers (property, index) for x, y and heading, and for the height where it has one. `scale`
    is how long a metre of the robot is in them."""

    link: str
    owner: Any
    numbers: tuple[tuple[str, int], tuple[str, int], tuple[str, int]]
    scale: float
    height: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DrivenNumber:
    """Where a number goes: of an object or a pose bone, from `before` on, by `values` (N,)."""

    owner: Any
    prop: str
    index: int
    values: Vector
    joint: str = ""
    sign: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DrivenRobot:
    """A robot that rides: on its wheels, or gliding where it has none."""

    armature: Any
    base: Carrier
    wheels: Wheels | None

    @property
    def sizes(self) -> dict[str, float]:
        """The radius of the wheels and their distance; of no wheels, such that they do not
        count."""
        return sizes_of(self.wheels)

    def plan(self, speeds: Matrix, times: Vector, start_frame: int) -> Ride:
        """Returns where the robot is at `times` (N,), in seconds, by the speeds of its wheels, as
        drive_path takes them. It begins with its heading in a frame."""
        prop, index = self.base.numbers[2]
        heading = read_number(self.base.owner, prop, index, start_frame)
        return ride_wheels(self.wheels, speeds, times, heading)

    def find_courses(self, ride: Ride, start_frame: int) -> Iterator[DrivenNumber]:
        """Yields the numbers that a ride moves, from where they are in its first frame."""
        base = self.base
        for number, way in zip(base.numbers[:2], (ride.x, ride.y), strict=True):
            yield drive_number(base.owner, number, start_frame, base.scale * way)
        prop, index = base.numbers[2]
        yield DrivenNumber(owner=base.owner, prop=prop, index=index, values=ride.heading)
        if self.wheels is not None:
            yield from self._roll(self.wheels.found, ride, start_frame)

    def _roll(self, wheels: DriveWheels, ride: Ride, start_frame: int) -> Iterator[DrivenNumber]:
        bones = _wheel_bones(self.armature, wheels)
        for name, positions in wheels.roll(ride).items():
            bone, joint = bones[name]
            (channel,) = joint.channels
            number = channel.prop, channel.index
            driven = drive_number(bone, number, start_frame, channel.sign * positions)
            yield replace(driven, joint=name, sign=channel.sign)


def drive_number(
    owner: Any, number: tuple[str, int], start_frame: int, way: Vector
) -> DrivenNumber:
    """Returns a number (property, index) that goes a way (N,) from where it is in a frame."""
    prop, index = number
    values = read_number(owner, prop, index, start_frame) + way
    return DrivenNumber(owner=owner, prop=prop, index=index, values=values)


def key_courses(courses: list[DrivenNumber], start_frame: int) -> dict[str, float]:
    """Keys numbers in every frame. Returns joint -> radians of the wheels at the end."""
    for each in courses:
        key_every_frame(each.owner, each.prop, each.index, start_frame, each.values)
    return {each.joint: float(each.sign * each.values[-1]) for each in courses if each.joint}


def find_driven(armature: Any, options: DriveOptions, *, glides: bool = False) -> DrivenRobot:
    """Finds the carrier of a robot and its wheels, as the options say. A robot whose wheels are not
    found has None where it may glide.

    Raises KinematicsError, which lists the candidates, where wheels are not found, or not clear
    which; for wrong names and sizes, and for an object that cannot be keyed.
    """
    tree = recall_rig(armature).tree
    base = _find_base(armature, tree, options.base)
    wheels = None
    try:
        wheels = _find_wheels(armature, tree, base, options)
    except KinematicsError:
        if not glides or options.left or options.right:
            raise
    _check_free(armature, base, wheels)
    return DrivenRobot(armature=armature, base=base, wheels=wheels)


def find_wheels_of(armature: Any) -> Wheels | None:
    """Finds the wheels that drive a robot; None where there are none, or where it is not clear
    which."""
    tree = recall_rig(armature).tree
    try:
        return _find_wheels(armature, tree, _find_base(armature, tree, None), DriveOptions())
    except KinematicsError:
        return None


def _find_wheels(
    armature: Any, tree: KinematicTree, base: Carrier, options: DriveOptions
) -> Wheels:
    unit = 1.0 if options.convention is None else options.convention.unit
    passive = {name for bone in bones_of(armature) for name in bone.get(properties.PASSIVE, ())}
    wheels = find_wheels(
        tree, base=base.link, left=options.left, right=options.right, passive=passive
    )
    distance = _check_size((options.distance or 0.0) * unit or wheels.distance, "distance")
    radius = (options.radius or 0.0) * unit or wheels.radius or _measure_radius(armature, wheels)
    return Wheels(found=wheels, radius=_check_size(radius, "radius"), distance=distance)


def _check_size(size: float | None, what: str) -> float:
    if size is None:
        raise KinematicsError(f"the wheels' shapes do not tell their {what}: give it, in metres")
    if not (math.isfinite(size) and size > 0.0):
        raise KinematicsError(f"wheels cannot have a {what} of {size} m")
    return float(size)


def _find_base(armature: Any, tree: KinematicTree, name: str | None) -> Carrier:
    """Finds the carrier of the robot: the named one, else the existing one."""
    free = {
        joint.name: (bone, joint)
        for bone, joint in posed_joints_of(armature)
        if joint.kind in _BASES and _is_at_root(tree, joint.name)
    }
    root = tree.links[0].name
    control = find_control(armature)
    if name is None and free:
        name = next(iter(free))
    if name in free:
        bone, joint = free[name]
        _check_upright(tree, joint.name)
        scale = 1.0
        link = tree.links[tree.joint_index[joint.name]].name
        channels = joint.channels[:2] + joint.channels[-1:]
        x, y, heading = ((each.prop, each.index) for each in channels)
        rises = joint.kind == "floating"
        height = (joint.channels[2].prop, joint.channels[2].index) if rises else None
        return Carrier(link=link, owner=bone, numbers=(x, y, heading), scale=scale, height=height)
    if name not in (None, ARMATURE):
        raise KinematicsError(
            f"the base moves by a planar or floating joint on the root link, or as the {ARMATURE}, "
            f"not by {quote(str(name))}"
        )
    numbers = (("location", 0), ("location", 1), ("rotation_euler", 2))
    scale = float(armature.matrix_basis.median_scale)
    if control is not None and name is None:
        bone = control.pose.bones[0]
        height = None if bone.lock_location[2] else ("location", 2)
        return Carrier(link=root, owner=bone, numbers=numbers, scale=scale, height=height)
    return Carrier(link=root, owner=armature, numbers=numbers, scale=scale, height=("location", 2))


def _is_at_root(tree: KinematicTree, joint: str) -> bool:
    """Whether nothing that moves is above a joint."""
    above = tree.parents[tree.joint_index[joint]]
    motions = (tree.motions[place] for place in tree.ancestors(above))
    return not any(motion is not None and motion.moves for motion in motions)


def _check_upright(tree: KinematicTree, joint: str) -> None:
    motion = tree.motions[tree.joint_index[joint]]
    assert motion is not None
    if motion.kind == "planar" and not np.allclose(motion.axis, (0.0, 0.0, 1.0), atol=1e-6):
        raise KinematicsError(
            f"joint {quote(joint)} slides across the axis {motion.axis}: a ride needs a floor, "
            f"across (0, 0, 1); base={ARMATURE!r} moves the robot as a whole"
        )


def _wheel_bones(armature: Any, wheels: DriveWheels) -> dict[str, tuple[Any, RigJoint]]:
    names = {each.joint for each in wheels.left + wheels.right}
    return {
        joint.name: (bone, joint)
        for bone, joint in posed_joints_of(armature)
        if joint.name in names
    }


def _check_free(armature: Any, base: Carrier, wheels: Wheels | None) -> None:
    """Looks before anything is keyed whether all can be."""
    for item in [base.owner.id_data, *armatures_of(armature)]:
        if not item.is_editable:
            raise KinematicsError(
                f"{quote(item.name)} is linked from another file: make a library override"
            )
    if base.owner == armature and armature.rotation_mode != "XYZ":
        raise KinematicsError(
            f"armature {quote(armature.name)} turns by {armature.rotation_mode.lower()}, which "
            "wraps: set its rotation mode to XYZ Euler"
        )
    if wheels is not None:
        bones = _wheel_bones(armature, wheels.found)
        for wheel in wheels.found.left + wheels.found.right:
            if wheel.joint not in bones:
                raise KinematicsError(f"joint {quote(wheel.joint)} has lost its bone")


def _measure_radius(armature: Any, wheels: DriveWheels) -> float | None:
    """Measures how far the meshes of a wheel reach from its axis; else how high the wheel is above
    the lowest shape of the robot."""
    children = group_children()
    for wheel in wheels.left + wheels.right:
        below = children.get(find_link(armature, wheel.link), ())
        reach = max((_reach(item, wheel) for item in _shapes_among(below)), default=0.0)
        if reach > 0.0:
            return reach
    world = np.array(armature.matrix_world, dtype=np.float64)
    corners = [
        np.linalg.solve(world, np.array(item.matrix_world @ mathutils.Vector(corner).to_4d()))
        for item in objects_of(armature)
        if item.type == "MESH" and item.get(properties.PART) in _SHAPES
        for corner in item.bound_box
    ]
    if not corners:
        return None
    height = link_pose(armature, wheels.left[0].link)[2, 3] - min(each[2] for each in corners)
    return float(height) if height > 0.0 else None


def _shapes_among(below: Iterable[Any]) -> list[Any]:
    """The visuals among the objects below a link, where there are any; else its collision
    shapes."""
    shapes = [item for item in below if item.type == "MESH"]
    visuals, others = ([i for i in shapes if i.get(properties.PART) == part] for part in _SHAPES)
    return visuals or others


def _reach(item: Any, wheel: Wheel) -> float:
    """How far a mesh reaches from the axis of its wheel, in metres of the link."""
    points = np.zeros(3 * len(item.data.vertices), dtype=np.float32)
    item.data.vertices.foreach_get("co", points)
    place = np.array(item.matrix_parent_inverse @ item.matrix_basis, dtype=np.float64)
    placed = points.reshape(-1, 3) @ place[:3, :3].T + place[:3, 3]
    return measure_reach(placed, wheel.axis)
