# SPDX-License-Identifier: GPL-3.0-or-later
"""Wheel speeds to keyframes: the robot's base goes in arcs, its wheels roll.

The base moves by its planar or floating joint; else by the root control of an SRDF; else the
armature object does.
"""

import math
from dataclasses import dataclass
from os import PathLike
from typing import Any

import mathutils
import numpy as np

from ...arguments import options_of, rig_of
from ...diagnostics import KinematicsError, quote
from ...files.packages import AnyPath
from ...geometry.transforms import Matrix, Vector
from ...kinematics.drive import (
    Commands,
    DriveKind,
    DriveOptions,
    DriveResult,
    DriveWheels,
    Ride,
    Wheel,
    check_commands,
    drive_path,
    find_wheels,
    wheel_speeds,
)
from ...kinematics.link_path_file import TWISTS, read_commands
from ...kinematics.tree import KinematicTree
from ...motion.baked import BakeResult
from ..animation.curves import MOST_FRAMES, frame_rate, key_every_frame, read_number
from ..ik.solve import recall_rig
from ..semantics.control import find_control
from ..standing import properties
from ..standing.armatures import armatures_of, bones_of, objects_of
from ..standing.joints import RigJoint, posed_joints_of
from ..standing.links import find_link
from ..standing.pose import link_pose

_BASES = ("planar", "floating")
_SHAPES = (properties.VISUALS, properties.COLLISIONS)
ARMATURE = "armature"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Base:
    """The carrier of the robot: `link`, in whose frame the wheels are described, and the owner of
    the numbers (property, index) for x, y and heading. `scale` is how long a metre of the robot is
    in them."""

    link: str
    owner: Any
    numbers: tuple[tuple[str, int], tuple[str, int], tuple[str, int]]
    scale: float


def bake_drive(
    armature: Any,
    commands: AnyPath | Commands,
    *,
    start_frame: int = 1,
    fps: float | None = None,
    options: DriveOptions | None = None,
) -> BakeResult:
    """Keys the ride of a robot with two driven wheels, or rows of them, in every frame.

    `commands` are rows of (time, left, right): seconds, and how fast the wheels roll forward in
    rad/s; with `kind` "twist" of the options (time, v, w): how fast the robot goes ahead in m/s and
    turns in rad/s. Each is held until the next, and the last row says when the ride ends. A CSV
    file says by its head, time,left,right or time,v,w, which it is. Between rows the robot goes in
    arcs in closed form about the middle between its wheels; heading and wheels never wrap.

    The wheels and their sizes are found unless the options name them. Time of the first row is
    frame `start_frame`; `fps` are the scene's unless given. The robot moves by its planar or
    floating root joint, else by its root control, else the armature object moves. It goes on from
    where it is in the first frame.

    Keys nothing and raises KinematicsError where wheels are not found, or not clear which, with the
    candidates; for wrong commands, names and sizes; ReadError for a file that does not hold such a
    table, BuildError for an object that is not an imported robot.
    """
    armature, options = rig_of(armature), options_of(options, DriveOptions)
    unit = 1.0 if options.convention is None else options.convention.unit
    rows, twists = _read_ride(commands, options.kind, unit)
    rig = recall_rig(armature)
    base = _find_base(armature, rig.tree, options.base)
    passive = {name for bone in bones_of(armature) for name in bone.get(properties.PASSIVE, ())}
    wheels = find_wheels(
        rig.tree, base=base.link, left=options.left, right=options.right, passive=passive
    )
    distance = _check_size((options.distance or 0.0) * unit or wheels.distance, "distance")
    radius = (options.radius or 0.0) * unit or wheels.radius or _measure_radius(armature, wheels)
    radius = _check_size(radius, "radius")
    if twists:
        rows = wheel_speeds(rows, radius=radius, distance=distance)
    times = _plan_times(rows, frame_rate(fps))
    _check_free(armature, base, wheels)
    prop, index = base.numbers[2]
    heading = read_number(base.owner, prop, index, start_frame)
    ride = drive_path(
        rows, times, radius=radius, distance=distance, heading=heading, axle=wheels.axle
    )
    _key_base(base, start_frame, ride)
    result = DriveResult(
        left=tuple(each.joint for each in wheels.left),
        right=tuple(each.joint for each in wheels.right),
        radius=radius,
        distance=distance,
        x=float(ride.x[-1]),
        y=float(ride.y[-1]),
        heading=float(ride.heading[-1] - heading),
    )
    positions = _key_wheels(armature, wheels, start_frame, ride)
    last = start_frame + len(times) - 1
    return BakeResult(first=start_frame, last=last, positions=positions, ride=result)


def _read_ride(commands: AnyPath | Commands, kind: DriveKind, unit: float) -> tuple[Matrix, bool]:
    """Returns the rows of a table or its file, in metres, and whether they are twists."""
    rows: Any = commands
    if isinstance(commands, (str, PathLike)):
        head, rows = read_commands(str(commands))
        kind = "twist" if head == TWISTS else "wheels"
    return check_commands(rows, unit if kind == "twist" else 1.0), kind == "twist"


def _plan_times(commands: Matrix, rate: float) -> Vector:
    """Returns the time of each frame, until the ride has ended."""
    length = (commands[-1, 0] - commands[0, 0]) * rate
    if length > MOST_FRAMES:
        raise KinematicsError(f"the ride is longer than {MOST_FRAMES} frames")
    count = math.ceil(length - 1e-6) + 1
    result: Vector = commands[0, 0] + np.arange(count) / rate
    return result


def _check_size(size: float | None, what: str) -> float:
    if size is None:
        raise KinematicsError(f"the wheels' shapes do not tell their {what}: give it, in metres")
    if not (math.isfinite(size) and size > 0.0):
        raise KinematicsError(f"wheels cannot have a {what} of {size} m")
    return float(size)


def _find_base(armature: Any, tree: KinematicTree, name: str | None) -> _Base:
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
        return _Base(link=link, owner=bone, numbers=(x, y, heading), scale=scale)
    if name not in (None, ARMATURE):
        raise KinematicsError(
            f"the base moves by a planar or floating joint on the root link, or as the {ARMATURE}, "
            f"not by {quote(str(name))}"
        )
    numbers = (("location", 0), ("location", 1), ("rotation_euler", 2))
    scale = float(armature.matrix_basis.median_scale)
    if control is not None and name is None:
        return _Base(link=root, owner=control.pose.bones[0], numbers=numbers, scale=scale)
    if armature.rotation_mode != "XYZ":
        raise KinematicsError(
            f"armature {quote(armature.name)} turns by {armature.rotation_mode.lower()}, which "
            "wraps: set its rotation mode to XYZ Euler"
        )
    return _Base(link=root, owner=armature, numbers=numbers, scale=scale)


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


def _key_base(base: _Base, start: int, ride: Ride) -> None:
    """Keys a ride from where the base is in its first frame."""
    places = zip(base.numbers[:2], (ride.x, ride.y), strict=True)
    before = [read_number(base.owner, prop, index, start) for prop, index in base.numbers[:2]]
    for ((prop, index), way), there in zip(places, before, strict=True):
        key_every_frame(base.owner, prop, index, start, there + base.scale * way)
    prop, index = base.numbers[2]
    key_every_frame(base.owner, prop, index, start, ride.heading)


def _key_wheels(armature: Any, wheels: DriveWheels, start: int, ride: Ride) -> dict[str, float]:
    """Keys the wheels from where they are turned to in the first frame. Returns where they are at
    the end."""
    bones, ends = _wheel_bones(armature, wheels), {}
    for side, angles in ((wheels.left, ride.left), (wheels.right, ride.right)):
        for wheel in side:
            bone, joint = bones[wheel.joint]
            channel = joint.channels[0]
            before = read_number(bone, channel.prop, channel.index, start)
            turned = before + channel.sign * wheel.sign * angles
            key_every_frame(bone, channel.prop, channel.index, start, turned)
            ends[wheel.joint] = float(channel.sign * turned[-1])
    return ends


def _check_free(armature: Any, base: _Base, wheels: DriveWheels) -> None:
    """Looks before anything is keyed whether all can be."""
    for item in [base.owner.id_data, *armatures_of(armature)]:
        if not item.is_editable:
            raise KinematicsError(
                f"{quote(item.name)} is linked from another file: make a library override"
            )
    bones = _wheel_bones(armature, wheels)
    for wheel in wheels.left + wheels.right:
        if wheel.joint not in bones:
            raise KinematicsError(f"joint {quote(wheel.joint)} has lost its bone")


def _measure_radius(armature: Any, wheels: DriveWheels) -> float | None:
    """Measures how far the meshes of a wheel reach from its axis; else how high the wheel is above
    the lowest shape of the robot."""
    for wheel in wheels.left + wheels.right:
        empty = find_link(armature, wheel.link)
        reach = max((_reach(item, wheel) for item in _shapes_on(empty)), default=0.0)
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


def _shapes_on(empty: Any) -> list[Any]:
    """The visuals of a link, where it has any; else its collision shapes."""
    for part in _SHAPES:
        found = [
            item
            for item in empty.children
            if item.type == "MESH" and item.get(properties.PART) == part
        ]
        if found:
            return found
    return []


def _reach(item: Any, wheel: Wheel) -> float:
    """How far a mesh reaches from the axis of its wheel, in metres of the link."""
    points = np.zeros(3 * len(item.data.vertices), dtype=np.float32)
    item.data.vertices.foreach_get("co", points)
    place = np.array(item.matrix_parent_inverse @ item.matrix_basis, dtype=np.float64)
    placed = points.reshape(-1, 3) @ place[:3, :3].T + place[:3, 3]
    axis = np.array(wheel.axis)
    across = placed - np.outer(placed @ axis, axis)
    return float(np.linalg.norm(across, axis=1).max(initial=0.0))
