# SPDX-License-Identifier: GPL-3.0-or-later
"""Elements that strict readers of URDF require, and their values where a description has none.

urdfdom refuses limits without effort or velocity, revolute and prismatic joints without limits,
safety controllers without k_velocity, empty <dynamics>, materials of a robot with one name and
versions other than 1.0, and leaves capsules out; only Pinocchio reads quaternions. MuJoCo and
PyBullet refuse moving links without mass.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import PurePath
from typing import TypeVar

from ....core.diagnostics import Diagnostics, quote
from ....core.geometry.transforms import matrix_from_pose, pose_of, rpy_from_rotation
from ....core.model import (
    IDENTITY,
    JOINT_TYPES,
    Capsule,
    Collision,
    Cylinder,
    Inertia,
    Inertial,
    Joint,
    Limit,
    Link,
    Material,
    Pose,
    Robot,
    Sphere,
    Visual,
)
from ....core.model.drake import as_urdf, is_drake

EFFORT = 1000.0
VELOCITY = 10.0
FARTHEST = 1e5  # metres: the range that rigs treat as no limit
MASS = 1e-3
INERTIA = Inertia(ixx=1e-6, iyy=1e-6, izz=1e-6)
_SUFFIXES, _OTHER = frozenset((".urdf", ".xacro")), ".sdf"
_Shape = TypeVar("_Shape", Visual, Collision)
_LIMITED = ("revolute", "prismatic")


def report_incomplete(robot: Robot, diagnostics: Diagnostics) -> None:
    """Warns once of all joints and links that strict readers refuse, and names these readers."""
    lacking = [(joint.name, joint.line) for joint in robot.joints if _lacks(joint)]
    if lacking:
        name, line = lacking[0]
        several = f"{len(lacking)} joints, {quote(name)} first, lack"
        who = f"joint {quote(name)} lacks" if len(lacking) == 1 else several
        diagnostics.warning(
            "incomplete-for-others",
            f"{who} limits, effort, velocity or numbers that urdfdom (ROS, Pinocchio) asks for: it "
            "refuses the file; an export as URDF with Complete for Others fills them",
            subject=name,
            line=line,
        )
    for material in find_doubles(robot.materials):
        diagnostics.warning(
            "incomplete-for-others",
            f"material {quote(material.name)} is defined once more, for which urdfdom (ROS, "
            "Pinocchio) refuses the file: leave one definition",
            subject=material.name,
            line=material.line,
        )
    turned = next((joint for joint in robot.joints if joint.origin.quat_xyzw is not None), None)
    if turned is not None or robot.version not in ("", "1.0"):
        diagnostics.warning(
            "incomplete-for-others",
            "the file uses a newer version of URDF or quaternions, which urdfdom before 6.0 "
            "refuses and most other readers ignore; an export as URDF with Complete for Others "
            "writes rpy",
            subject=turned.name if turned is not None else "",
            line=turned.line if turned is not None else 0,
        )


def find_doubles(materials: Iterable[Material]) -> Iterator[Material]:
    """Yields the materials whose names others before them have."""
    seen = set[str]()
    for material in materials:
        if material.name in seen:
            yield material
        seen.add(material.name)


def is_converted(robot: Robot) -> bool:
    """Whether a robot was read from a file of another format than URDF and xacro."""
    suffixes = {each.lower() for each in PurePath(robot.source).suffixes}
    is_urdf = not suffixes.isdisjoint(_SUFFIXES) and _OTHER not in suffixes
    return bool(robot.source and not robot.text_of("urdf") and not is_urdf)


def complete_robot(robot: Robot, *, masses: bool = True) -> Robot:
    """Returns the robot with the elements that strict readers require; with `masses` also elements
    that simulators require. Existing elements stay.
    """
    moving = {joint.child for joint in robot.joints if masses and joint.type != "fixed"}
    return replace(
        robot,
        version=robot.version if robot.version == "1.0" else "",
        joints=tuple(_complete_joint(joint) for joint in robot.joints),
        links=tuple(
            _complete_link(link, link.name in moving, masses=masses) for link in robot.links
        ),
    )


def _lacks(joint: Joint) -> bool:
    if is_drake(joint):
        return False  # Others do not read it.
    limit, controller, dynamics = joint.limit, joint.safety_controller, joint.dynamics
    if limit is None:
        if joint.type in _LIMITED:
            return True
    elif limit.effort is None or limit.velocity is None:
        return True
    if controller is not None and controller.k_velocity is None:
        return True
    return dynamics is not None and dynamics.damping is None and dynamics.friction is None


def _complete_joint(joint: Joint) -> Joint:
    limit, kind = joint.limit, joint.type
    has_range = limit is not None and (limit.lower, limit.upper) != (None, None)
    if kind == "prismatic" and not has_range:
        limit = replace(limit or Limit(), lower=-FARTHEST, upper=FARTHEST)
    elif kind == "revolute" and not has_range:
        # It turns for ever, which URDF calls continuous.
        kind = "continuous"
    if limit is not None:
        limit = replace(
            limit,
            effort=EFFORT if limit.effort is None else limit.effort,
            velocity=VELOCITY if limit.velocity is None else limit.velocity,
        )
    controller, dynamics = joint.safety_controller, joint.dynamics
    if controller is not None and controller.k_velocity is None:
        controller = replace(controller, k_velocity=0.0)
    if dynamics is not None and dynamics.damping is None and dynamics.friction is None:
        dynamics = replace(dynamics, damping=0.0)
    if kind in JOINT_TYPES:
        joint = as_urdf(joint)
    return replace(
        joint,
        type=kind,
        origin=_without_quaternion(joint.origin),
        axis=None if joint.axis == (0.0, 0.0, 0.0) else joint.axis,
        limit=limit,
        dynamics=dynamics,
        safety_controller=controller,
    )


def _complete_link(link: Link, moves: bool, *, masses: bool) -> Link:
    inertial = link.inertial
    if moves and inertial is None:
        inertial = Inertial()
    if inertial is not None:
        inertial = replace(inertial, origin=_without_quaternion(inertial.origin))
    if inertial is not None and masses:
        mass = MASS if inertial.mass is None else inertial.mass
        inertial = replace(inertial, mass=mass, inertia=inertial.inertia or INERTIA)
    return replace(
        link,
        inertial=inertial,
        visuals=tuple(each for shape in link.visuals for each in _plain_shapes(shape)),
        collisions=tuple(each for shape in link.collisions for each in _plain_shapes(shape)),
    )


def _plain_shapes(shape: _Shape) -> Iterator[_Shape]:
    """Yields a shape in terms that all versions of URDF know: a capsule is a cylinder and two
    spheres."""
    shape = replace(shape, origin=_without_quaternion(shape.origin))
    capsule = shape.geometry
    if not isinstance(capsule, Capsule):
        yield shape
        return
    yield replace(shape, geometry=Cylinder(radius=capsule.radius, length=capsule.length))
    for number, side in enumerate((0.5, -0.5), 1):
        end = matrix_from_pose(shape.origin)
        end[:3, 3] += side * capsule.length * end[:3, 2]
        name = f"{shape.name}_end{number}" if shape.name else ""
        origin = replace(shape.origin, xyz=pose_of(end).xyz)
        yield replace(shape, geometry=Sphere(radius=capsule.radius), origin=origin, name=name)


def _without_quaternion(pose: Pose) -> Pose:
    if pose.quat_xyzw is None:
        return pose
    turned = Pose(xyz=pose.xyz, rpy=rpy_from_rotation(matrix_from_pose(pose)[:3, :3]))
    return IDENTITY if turned == IDENTITY else turned
