# SPDX-License-Identifier: GPL-3.0-or-later
"""seat_links: a robot whose links have the frames of their joints, as URDF wants it."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from ..arguments import robot_of, texts_of
from ..gazebo.devices import DEVICES_TAG
from ..gazebo.tags import holds_sensor
from ..geometry.inertia import move_pose
from ..geometry.transforms import Matrix, matrix_from_pose, pose_of_numbers
from ..markup.edit import XmlEditor
from ..markup.write import format_numbers
from ..markup.xml import Element, parse_fragment, text_of
from ..model import IDENTITY, Extra, Joint, Link, LoopJoint, Pose, Robot, Sensor

_NUMBERS = 6


def seat_links(robot: Robot, joints: Collection[str] | None = None) -> Robot:
    """Returns the robot with the child links of all joints, or of the named ones, in the moved
    frames of their joints: `child_origin` is the identity there. Nothing moves: shapes, masses,
    sensors, further joints and loops of such links are expressed in their new frames. A robot
    without such joints is returned unchanged, and so is everything on other links.
    """
    robot = robot_of(robot)
    joints = None if joints is None else texts_of(joints, "joints")
    frames = {
        joint.child: matrix_from_pose(joint.child_origin)
        for joint in robot.joints
        if joint.child_origin != IDENTITY and (joints is None or joint.name in joints)
    }
    if not frames:
        return robot
    moved = move_frames(robot, frames)
    joints_left = (
        replace(joint, child_origin=IDENTITY) if joint.child in frames else joint
        for joint in moved.joints
    )
    return replace(moved, joints=tuple(joints_left))


def move_frames(robot: Robot, frames: Mapping[str, Matrix]) -> Robot:
    """Returns the robot with all that is on some links expressed in new frames of these; `frames`
    are the poses (4, 4) of the old ones in them. How joints place these links is left."""
    return replace(
        robot,
        links=tuple(
            move_link(link, frames[link.name]) if link.name in frames else link
            for link in robot.links
        ),
        joints=tuple(seat_joint(joint, frames) for joint in robot.joints),
        loops=tuple(seat_loop(loop, frames) for loop in robot.loops),
        extras=tuple(_seat_extra(extra, frames) for extra in robot.extras),
        sensors=tuple(_seat_sensor(sensor, frames) for sensor in robot.sensors),
    )


def move_link(link: Link, frame: Matrix) -> Link:
    """Returns a link whose frame had the pose `frame` (4, 4) in its new frame."""
    inertial = link.inertial
    if inertial is not None:
        inertial = replace(inertial, origin=move_pose(frame, inertial.origin))
    return replace(
        link,
        inertial=inertial,
        visuals=tuple(replace(v, origin=move_pose(frame, v.origin)) for v in link.visuals),
        collisions=tuple(replace(c, origin=move_pose(frame, c.origin)) for c in link.collisions),
    )


def seat_joint(joint: Joint, frames: Mapping[str, Matrix]) -> Joint:
    """Returns a joint with its origin in the new frame of its parent link, as move_frames does."""
    if joint.parent not in frames:
        return joint
    return replace(joint, origin=move_pose(frames[joint.parent], joint.origin))


def move_loop(loop: LoopJoint, change: Callable[[Pose, str], Pose]) -> LoopJoint:
    """Returns a loop with both of its places changed; `change` takes a place and its link."""
    return replace(
        loop, origin1=change(loop.origin1, loop.link1), origin2=change(loop.origin2, loop.link2)
    )


def seat_loop(loop: LoopJoint, frames: Mapping[str, Matrix]) -> LoopJoint:
    """Returns a loop with its places in the new frames of its links, as move_frames does it."""

    def seat(pose: Pose, link: str) -> Pose:
        return move_pose(frames[link], pose) if link in frames else pose

    return move_loop(loop, seat)


def _seat_sensor(sensor: Sensor, frames: Mapping[str, Matrix]) -> Sensor:
    frame = frames.get(sensor.reference)
    return sensor if frame is None else replace(sensor, origin=move_pose(frame, sensor.origin))


def _seat_extra(extra: Extra, frames: Mapping[str, Matrix]) -> Extra:
    def seat(pose: Pose, link: str) -> Pose:
        return move_pose(frames[link], pose) if link in frames else pose

    return change_places(extra, seat)


def change_places(extra: Extra, change: Callable[[Pose, str], Pose]) -> Extra:
    """Returns the XML about a link with the poses of its sensors and devices changed; `change`
    takes a pose and the link."""
    if not (holds_sensor(extra) or extra.tag == DEVICES_TAG):
        return extra
    data = extra.xml.encode("utf-8")
    root = parse_fragment(data)
    link = None if root is None else root.attributes.get("reference")
    if root is None or link is None:
        return extra
    editor = XmlEditor(data)
    for placed in root:
        if placed.tag in ("sensor", "device"):
            _change_place(placed, lambda pose: change(pose, link), editor)
    return replace(extra, xml=editor.apply().decode("utf-8"))


def _change_place(placed: Element, change: Callable[[Pose], Pose], editor: XmlEditor) -> None:
    pose = next((child for child in placed if child.tag == "pose"), None)
    found = IDENTITY if pose is None else _read_pose(text_of(pose, editor.data))
    moved = None if found is None else change(found)
    if moved is None or moved == found:
        return
    numbers = (*moved.xyz, *moved.rpy)
    text = format_numbers(numbers)
    if pose is not None:
        editor.remove(pose)
    editor.insert_within(placed, [f"{editor.indent_of(placed.offset)}  <pose>{text}</pose>"])


def _read_pose(text: str) -> Pose | None:
    """Reads six numbers; None for anything else, which stays unchanged."""
    try:
        numbers = [float(word) for word in text.split()]
    except ValueError:
        return None
    if not numbers:
        return IDENTITY
    if len(numbers) != _NUMBERS:
        return None
    return pose_of_numbers(numbers[:3], numbers[3:])
