# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a MuJoCo model that others write in an SRDF: keyframes are states of the whole
robot, excluded contacts pairs of links that need no check.

It is read of the elements that the robot keeps word for word, so it is there without the file.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ....core.diagnostics import Diagnostics, quote
from ....core.geometry.transforms import (
    invert,
    make_frame,
    matrix_from_pose,
    quaternion_from_rotation,
    rotation_from_quaternion,
)
from ....core.markup.write import format_element
from ....core.model import CollisionPair, Extra, Group, GroupState, Joint, Robot, Semantics
from ....core.names import Claims
from .document import ROOT, MjcfElement, parse

Positions = Sequence[tuple[str, tuple[float, ...]]]
START = "start"
"""The keyframe in which a robot starts."""
_WHOLE = "whole_body"
_REASON = "User"
"""MoveIt's reason for pairs that people named."""

_SIZES = {"revolute": 1, "continuous": 1, "prismatic": 1, "ball": 4, "floating": 7}


def find_semantics(robot: Robot, diagnostics: Diagnostics) -> Semantics | None:
    """Returns the keyframes and excluded contacts of a robot that was read from MJCF; None where it
    has none, and of other robots. Raises ReadError for text that is not a number."""
    nodes = list(list_sections(robot, diagnostics))
    states = tuple(_read_states(robot, nodes, diagnostics))
    pairs = tuple(_read_pairs(robot, nodes))
    if not (states or pairs):
        return None
    movable = tuple(joint.name for joint in robot.joints if joint.type in _SIZES)
    groups = (Group(name=_WHOLE, joints=movable),) if states else ()
    return Semantics(name=robot.name, groups=groups, group_states=states, disabled_collisions=pairs)


def list_sections(robot: Robot, diagnostics: Diagnostics) -> Iterator[MjcfElement]:
    """Yields the sections of a model that a robot keeps word for word."""
    for extra in robot.extras:
        if extra.tag == ROOT:
            yield from parse(extra.xml.encode(), robot.source, diagnostics).children


def keep_semantics(
    robot: Robot, poses: Mapping[str, Positions], pairs: Iterable[tuple[str, str]]
) -> Iterator[Extra]:
    """Yields the element that a robot keeps, in which find_semantics finds these: poses of all of
    its joints, by name, and pairs of links."""
    joints = [joint for joint in robot.joints if joint.type in _SIZES]
    keys = [
        {"name": name, "qpos": " ".join(map(repr, _join(joints, dict(each))))}
        for name, each in poses.items()
        if joints and len(each) == len(joints)
    ]
    apart = [{"body1": one, "body2": other} for one, other in pairs]
    content = "".join(
        format_element(section, content="".join(format_element(tag, each) for each in rows))
        for section, tag, rows in (("keyframe", "key", keys), ("contact", "exclude", apart))
        if rows
    )
    if content:
        yield Extra(tag=ROOT, xml=format_element(ROOT, content=content))


def _join(joints: Iterable[Joint], positions: Mapping[str, tuple[float, ...]]) -> Iterator[float]:
    """Yields a keyframe's numbers: the opposite of _split."""
    for joint in joints:
        own = positions[joint.name]
        if joint.type == "floating":
            inside = make_frame(rotation_from_quaternion(own[3:]), own[:3])
            frame = matrix_from_pose(joint.origin) @ inside
            own = (*map(float, frame[:3, 3]), *quaternion_from_rotation(frame[:3, :3]))
        if len(own) > 1:
            own = (*own[:-4], own[-1], *own[-4:-1])
        yield from own


def _read_states(
    robot: Robot, nodes: list[MjcfElement], diagnostics: Diagnostics
) -> Iterator[GroupState]:
    """Yields the keyframes that have positions, in MuJoCo's order of joints."""
    joints = [joint for joint in robot.joints if joint.type in _SIZES]
    needed = sum(_SIZES[joint.type] for joint in joints)
    names = Claims()
    keys = [key for node in nodes if node.tag == "keyframe" for key in node.all("key")]
    for index, key in enumerate(keys):
        numbers = key.numbers("qpos")
        if not numbers:
            continue
        name = names.claim(key.text("name") or f"key{index}")
        if len(numbers) != needed:
            diagnostics.error(
                "mjcf-not-read",
                f"the keyframe {quote(name)} has {len(numbers)} numbers and the joints of the "
                f"robot {needed}; it is left out",
                subject=name,
                line=robot.extras[0].line,
                source=robot.source,
            )
            continue
        yield GroupState(name=name, group=_WHOLE, positions=tuple(_split(joints, numbers)))


def _split(
    joints: list[Joint], numbers: tuple[float, ...]
) -> Iterator[tuple[str, tuple[float, ...]]]:
    place = 0
    for joint in joints:
        size = _SIZES[joint.type]
        own = numbers[place : place + size]
        place += size
        if size > 1:
            w, x, y, z = own[-4:]
            length = math.hypot(w, x, y, z) or 1.0
            turn = (x / length, y / length, z / length, w / length) if any(own[-4:]) else _LEVEL
            own = turn if size == 4 else _place_free(joint, own[:3], turn)
        yield joint.name, own


_LEVEL = (0.0, 0.0, 0.0, 1.0)


def _place_free(
    joint: Joint, point: tuple[float, ...], turn: tuple[float, float, float, float]
) -> tuple[float, ...]:
    """Returns a free body's position in its joint's frame; MuJoCo gives it in the world."""
    frame = make_frame(rotation_from_quaternion(turn), point)
    inside = invert(matrix_from_pose(joint.origin)) @ frame
    moved = (*map(float, inside[:3, 3]), *quaternion_from_rotation(inside[:3, :3]))
    return tuple(number + 0.0 for number in moved)


def _read_pairs(robot: Robot, nodes: list[MjcfElement]) -> Iterator[CollisionPair]:
    links = {link.name for link in robot.links}
    for node in nodes:
        if node.tag == "contact":
            for pair in node.all("exclude"):
                one, other = pair.text("body1"), pair.text("body2")
                if one in links and other in links and one != other:
                    yield CollisionPair(link1=one, link2=other, reason=_REASON)
