# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints of a machine as prims of UsdPhysics.

USD measures angles in degrees: limits, speeds, and the gains of drives per degree. Its joints move
about or along X, Y or Z of their own frame, so other axes get a frame that is turned. Attributes
that only one simulator knows are written in its own words: PhysX (Isaac Sim) and Newton.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ....core.geometry.transforms import Matrix, cross, plane_axes, unit
from ....core.kinematics.motion import JointMotion
from ....core.kinematics.tree import KinematicTree
from ....core.model import Dynamics, Limit, Mimic
from .bodies import Machine, MachineJoint, inertia_about
from .text import Prim, quote_text, write_quaternion, write_tuple

_KINDS = {
    "revolute": "PhysicsRevoluteJoint",
    "prismatic": "PhysicsPrismaticJoint",
    "spherical": "PhysicsSphericalJoint",
    "planar": "PhysicsJoint",
}
_AXES = {(1.0, 0.0, 0.0): "X", (0.0, 1.0, 0.0): "Y", (0.0, 0.0, 1.0): "Z"}
_DEGREES = 180.0 / math.pi
Find = Callable[[str], str]
"""Name -> path of the prim, as a target."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointTargets:
    """Where the prims are: of bodies by link, of joints by name. `frequency`: of the springs of
    drives in Hz; 0 for none."""

    bodies: Mapping[str, str]
    joints: Mapping[str, str]
    frequency: float


def make_joint(joint: MachineJoint, name: str, machine: Machine, targets: JointTargets) -> Prim:
    """Returns the prim of a joint."""
    motion = joint.motion
    prim = Prim("PhysicsFixedJoint" if motion is None else _KINDS[motion.kind], name)
    prim.show_as(joint.name)
    turn, axis = np.eye(3), ""
    if motion is not None and motion.kind != "spherical":
        turn, axis = align_axis(motion)
    _add_frames(prim, joint, turn, targets)
    _add_marks(prim, joint, machine.tree)
    if not joint.inside:
        prim.add("uniform bool physics:excludeFromArticulation", True)
    if motion is None:
        return prim
    if motion.kind == "planar":
        _lock_plane(prim)
    elif motion.is_scalar:
        prim.add("uniform token physics:axis", quote_text(axis))
        _add_scalar(prim, joint, axis, machine.tree, targets)
    return prim


def _add_marks(prim: Prim, joint: MachineJoint, tree: KinematicTree) -> None:
    """Adds words for this library's own reader: whether the description has the joint, and
    its parent link where that is a frame in the body."""
    if joint.place < 0:
        return
    above = tree.motions[joint.place]
    if above is None:
        prim.add("custom bool urdf:added", True)
    elif above.joint.parent != joint.parent:
        prim.add("custom string urdf:parent", quote_text(above.joint.parent))


def align_axis(motion: JointMotion) -> tuple[Matrix, str]:
    """Returns (3, 3), how the joint's frame is turned, and which axis of it is the joint's. The
    normal of a plane becomes Z, its x and y as kinematics measures them."""
    if motion.kind == "planar":
        normal = np.array(motion.axis)
        u, v = plane_axes(normal)
        return np.column_stack([u, v, normal]), "Z"
    named = _AXES.get(motion.axis)
    if named is not None:
        return np.eye(3), named
    x = np.array(motion.axis)
    start = np.eye(3)[int(np.abs(x).argmin())]
    y = unit(start - (start @ x) * x)
    return np.column_stack([x, y, cross(x, y)]), "X"


def _add_frames(prim: Prim, joint: MachineJoint, turn: Matrix, targets: JointTargets) -> None:
    prim.add("rel physics:body0", targets.bodies[joint.parent])
    prim.add("rel physics:body1", targets.bodies[joint.child])
    for index, frame in enumerate(joint.frames):
        prim.add(f"point3f physics:localPos{index}", write_tuple(frame[:3, 3]))
        prim.add(f"quatf physics:localRot{index}", write_quaternion(frame[:3, :3] @ turn))


def _lock_plane(prim: Prim) -> None:
    """Leaves x, y and the turn about z: a locked axis has a lower limit above the upper one."""
    for axis in ("transZ", "rotX", "rotY"):
        prim.schemas.append(f"PhysicsLimitAPI:{axis}")
        prim.add(f"float limit:{axis}:physics:low", 1.0)
        prim.add(f"float limit:{axis}:physics:high", -1.0)


def _add_scalar(
    prim: Prim, joint: MachineJoint, axis: str, tree: KinematicTree, targets: JointTargets
) -> None:
    motion = joint.motion
    assert motion is not None
    unit_size = _unit_size(motion)
    for name, value in (("lower", motion.lower), ("upper", motion.upper)):
        if value is not None:
            prim.add(f"float physics:{name}Limit", value * unit_size)
    _add_bounds(prim, motion, targets.frequency)
    mimic = tree.masters.get(joint.name) if joint.place >= 0 else None
    if mimic is not None and mimic.joint in targets.joints:
        source = tree.motions[tree.joint_index[mimic.joint]]
        assert source is not None
        _add_mimic(prim, motion, mimic, source, targets.joints[mimic.joint])
    elif joint.place >= 0:
        load = inertia_about(tree, joint.place, motion) if targets.frequency > 0.0 else 0.0
        _add_drive(prim, motion, load, targets.frequency)


def _unit_size(motion: JointMotion) -> float:
    return _DEGREES if motion.kind == "revolute" else 1.0


def _add_bounds(prim: Prim, motion: JointMotion, frequency: float) -> None:
    """Adds the greatest speed, and friction in N m or N. Speeds of zero, which many descriptions
    write, would lock a joint: they count as none. Then effort and damping in words of our own,
    which a drive has with other numbers, and a follower has not."""
    limit, dynamics = motion.joint.limit or Limit(), motion.joint.dynamics or Dynamics()
    unit_size = _unit_size(motion)
    velocity, friction = limit.velocity or 0.0, dynamics.friction or 0.0
    effort, damping = limit.effort or 0.0, dynamics.damping or 0.0
    if velocity > 0.0:
        prim.schemas.append("PhysxJointAPI")
        prim.add("float physxJoint:maxJointVelocity", velocity * unit_size)
    if friction > 0.0:
        kind = "angular" if motion.kind == "revolute" else "linear"
        prim.schemas.append(f"PhysxJointAxisAPI:{kind}")
        for name in ("static", "dynamic"):
            prim.add(f"float physxJointAxis:{kind}:{name}FrictionEffort", friction)
    if velocity > 0.0 or friction > 0.0:
        prim.schemas.append("NewtonJointAPI")
    if velocity > 0.0:
        prim.add("float newton:velocityLimit", velocity * unit_size)
    if friction > 0.0:
        prim.add("float newton:friction", friction)
    if effort > 0.0:
        prim.add("custom float urdf:limit:effort", effort)
    if damping > 0.0 and (frequency > 0.0 or motion.mimic is not None):
        prim.add("custom float urdf:dynamics:damping", damping)


def _add_mimic(
    prim: Prim, motion: JointMotion, mimic: Mimic, source: JointMotion, target: str
) -> None:
    """Adds a joint that follows another, q = multiplier * q' + offset: the `source`, which is the
    prim `target`.

    PhysX has q + gearing * q' + offset = 0 with angles in degrees in all three. Newton has q =
    coef0 + coef1 * q' with coef0 in degrees for a joint that turns, and coef1 unconverted.
    """
    own, other = _unit_size(motion), _unit_size(source)
    kind = f"rot{align_axis(motion)[1]}"
    prim.schemas += [f"PhysxMimicJointAPI:{kind}", "NewtonMimicAPI"]
    start = f"physxMimicJoint:{kind}"
    prim.add(f"float {start}:gearing", -mimic.multiplier * own / other)
    prim.add(f"float {start}:offset", -mimic.offset * own)
    prim.add(f"rel {start}:referenceJoint", target)
    prim.add(f"uniform token {start}:referenceJointAxis", quote_text(f"rot{align_axis(source)[1]}"))
    prim.add("rel newton:mimicJoint", target)
    prim.add("float newton:mimicCoef0", mimic.offset * own)
    prim.add("float newton:mimicCoef1", mimic.multiplier)


def _add_drive(prim: Prim, motion: JointMotion, load: float, frequency: float) -> None:
    """Adds the drive. Without a frequency it is the joint's damping alone, and no spring; with one,
    a critically damped spring with that frequency for the `load`: the inertia of all that the joint
    carries at zero."""
    limit, dynamics = motion.joint.limit or Limit(), motion.joint.dynamics or Dynamics()
    unit_size, effort, damping = _unit_size(motion), limit.effort or 0.0, dynamics.damping or 0.0
    speed = 2.0 * math.pi * frequency
    stiffness = load * speed**2
    damping += 2.0 * load * speed
    kind = "angular" if motion.kind == "revolute" else "linear"
    prim.schemas.append(f"PhysicsDriveAPI:{kind}")
    prim.add(f"uniform token drive:{kind}:physics:type", quote_text("force"))
    prim.add(f"float drive:{kind}:physics:stiffness", stiffness / unit_size)
    prim.add(f"float drive:{kind}:physics:damping", damping / unit_size)
    target = motion.nearest_valid(0.0) * unit_size
    prim.add(f"float drive:{kind}:physics:targetPosition", target)
    if effort > 0.0:
        prim.add(f"float drive:{kind}:physics:maxForce", effort)
