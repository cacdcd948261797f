# SPDX-License-Identifier: GPL-3.0-or-later
"""One linkage in every notation for loops: SDF, three of URDF, MJCF, SimMechanics.

The texts are made of the frames of all links, so they say the same mechanism by different numbers.
Only joints that turn, slide or hold are written, and loops that turn.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from support.assembly_text import CadBody, CadFrame, CadJoint, first_generation
from urdf_importer import forward_kinematics
from urdf_importer.core.geometry.transforms import (
    invert,
    matrix_from_pose,
    quaternion_from_rotation,
    rpy_from_rotation,
)
from urdf_importer.core.model import Joint, LoopJoint, Pose, Robot
from urdf_importer.formats.urdf.write.plain import write_robot_text

Matrix = Any
MASS = "<inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia>"


def numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)


def as_loop_joint(robot: Robot) -> str:
    return write_robot_text(robot)


def as_gazebo(robot: Robot) -> str:
    """Each loop by a joint of SDF, which stands in its second link."""
    said = "".join(
        f'<gazebo><joint name="{loop.name}" type="revolute">'
        f"<parent>{loop.link1}</parent><child>{loop.link2}</child>"
        f"<pose>{numbers((*loop.origin2.xyz, *loop.origin2.rpy))}</pose>"
        f"<axis><xyz>{numbers(loop.axis or ())}</xyz></axis></joint></gazebo>"
        for loop in robot.loops
    )
    return write_robot_text(replace(robot, loops=())).replace("</robot>", f"{said}</robot>")


def as_drake(robot: Robot) -> str:
    """Each loop by a ball, which in a plane is a hinge."""
    tag = "drake:ball_constraint"
    said = "".join(
        f'<{tag} name="{loop.name}"><{tag}_body_A name="{loop.link1}"/>'
        f'<{tag}_body_B name="{loop.link2}"/><{tag}_p_AP value="{numbers(loop.origin1.xyz)}"/>'
        f'<{tag}_p_BQ value="{numbers(loop.origin2.xyz)}"/></{tag}>'
        for loop in robot.loops
    )
    text = write_robot_text(replace(robot, loops=()))
    head, _, tail = text.partition("<robot ")
    text = f'{head}<robot xmlns:drake="http://drake.mit.edu" {tail}'
    return text.replace("</robot>", f"{said}</robot>")


def as_sdf(robot: Robot, version: str = "1.9") -> str:
    """Links stand in the model; axes where the version has them."""
    frames = forward_kinematics(robot)
    links = "".join(
        f'<link name="{name}"><pose>{_pose(frame)}</pose>'
        f"<inertial><mass>1</mass>{MASS}</inertial></link>"
        for name, frame in frames.items()
    )
    joints = "".join(
        _sdf_joint(joint, joint.parent, joint.child, Pose(), frames, version)
        for joint in robot.joints
    )
    loops = "".join(
        _sdf_joint(loop, loop.link1, loop.link2, loop.origin2, frames, version)
        for loop in robot.loops
    )
    return f'<sdf version="{version}"><model name="linkage">{links}{joints}{loops}</model></sdf>'


def _sdf_joint(
    joint: Joint | LoopJoint,
    parent: str,
    child: str,
    origin: Pose,
    frames: dict[str, Matrix],
    version: str,
) -> str:
    axis = np.array(joint.axis or (0.0, 0.0, 1.0))
    if float(version) < 1.5:
        axis = (frames[child] @ matrix_from_pose(origin))[:3, :3] @ axis
    limit = joint.limit
    bounds = ""
    if limit is not None and limit.lower is not None:
        bounds = f"<limit><lower>{limit.lower!r}</lower><upper>{limit.upper!r}</upper></limit>"
    kind = "revolute" if joint.type == "continuous" else joint.type
    turning = "" if kind == "fixed" else f"<axis><xyz>{numbers(axis)}</xyz>{bounds}</axis>"
    return (
        f'<joint name="{joint.name}" type="{kind}"><parent>{parent}</parent>'
        f"<child>{child}</child><pose>{numbers((*origin.xyz, *origin.rpy))}</pose>{turning}</joint>"
    )


def as_mjcf(robot: Robot) -> str:
    """Bodies in bodies; each loop connects two points, which in a plane is a hinge."""
    (root,) = {link.name for link in robot.links} - {joint.child for joint in robot.joints}
    held = "".join(
        f'<connect name="{loop.name}" body1="{loop.link1}" body2="{loop.link2}" '
        f'anchor="{numbers(loop.origin1.xyz)}"/>'
        for loop in robot.loops
    )
    return (
        '<mujoco><compiler angle="radian"/><worldbody>'
        f'<body name="{root}">{_mjcf_inside(robot, root)}</body></worldbody>'
        f"<equality>{held}</equality></mujoco>"
    )


def _mjcf_inside(robot: Robot, link: str) -> str:
    found = '<inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>'
    for joint in robot.joints:
        if joint.parent != link:
            continue
        place = matrix_from_pose(joint.origin)
        x, y, z, w = quaternion_from_rotation(place[:3, :3])
        kind = {"prismatic": "slide", "fixed": ""}.get(joint.type, "hinge")
        moves = ""
        if kind:
            axis = numbers(joint.axis or ())
            moves = f'<joint name="{joint.name}" type="{kind}" axis="{axis}"/>'
        found += (
            f'<body name="{joint.child}" pos="{numbers(place[:3, 3])}" '
            f'quat="{numbers((w, x, y, z))}">{moves}{_mjcf_inside(robot, joint.child)}</body>'
        )
    return found


def as_simmechanics(robot: Robot) -> str:
    """Bodies with a frame for each end of a joint, all in the world. Links are NAME1 there."""
    frames = forward_kinematics(robot)
    bodies = {link.name: CadBody(name=link.name) for link in robot.links}
    joints: list[CadJoint] = []
    words = {"prismatic": "prismatic", "fixed": "weld"}
    ends = [(joint, joint.parent, joint.child, Pose()) for joint in robot.joints]
    ends += [(loop, loop.link1, loop.link2, loop.origin2) for loop in robot.loops]  # type: ignore[misc]
    for number, (joint, one, other, origin) in enumerate(ends):
        frame = frames[other] @ matrix_from_pose(origin)
        for side, name in enumerate((one, other)):
            body = bodies[name]
            ref = 10 * number + side + 1
            label = f"CS{len(body.frames) + 2}"
            body.frames.append(CadFrame(name=label, point=tuple(frame[:3, 3]), ref=ref))
        axis = frame[:3, :3] @ np.array(joint.axis or (0.0, 0.0, 1.0))
        word = words.get(joint.type, "revolute")
        primitive = (word, tuple(axis)) if word != "weld" else (word,)
        base = 10 * number + 1
        joints.append(
            CadJoint(name=joint.name, base=base, follower=base + 1, primitives=[primitive])
        )
    return first_generation(list(bodies.values()), joints, name="linkage").decode()


def _pose(frame: Matrix) -> str:
    return numbers((*frame[:3, 3], *rpy_from_rotation(frame[:3, :3])))


NOTATIONS: dict[str, tuple[str, Callable[[Robot], str]]] = {
    "loop_joint": (".urdf", as_loop_joint),
    "gazebo": (".urdf", as_gazebo),
    "drake": (".urdf", as_drake),
    "sdf 1.4": (".sdf", lambda robot: as_sdf(robot, "1.4")),
    "sdf 1.6": (".sdf", lambda robot: as_sdf(robot, "1.6")),
    "sdf 1.9": (".sdf", as_sdf),
    "mjcf": (".xml", as_mjcf),
    "simmechanics": (".xml", as_simmechanics),
}
"""What a notation is called -> the suffix of its files, and what writes it."""


def moved(robot: Robot, positions: dict[str, float]) -> dict[str, Matrix]:
    """How each link has moved from zero, as a motion of the whole space: the same whatever frame
    the notation gives to a link."""
    rest, now = forward_kinematics(robot), forward_kinematics(robot, positions)
    return {name.removesuffix("1"): now[name] @ invert(rest[name]) for name in rest}
