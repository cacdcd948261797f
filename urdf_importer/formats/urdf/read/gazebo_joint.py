# SPDX-License-Identifier: GPL-3.0-or-later
"""<gazebo><joint>: a joint that closes a loop, in the words of SDF, as Gazebo takes it.

    <gazebo><joint name type> <parent/> <child/> <pose/> <axis/> </joint></gazebo>

Its <pose> is in its child link, where all joints are at zero; so it is read when the tree is there.
It is taken out of its <gazebo>, whose other children stay unchanged.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from ....core.diagnostics import KinematicsError, quote
from ....core.geometry.transforms import Matrix, invert, matrix_from_pose, pose_of
from ....core.kinematics.forward import zero_frames
from ....core.kinematics.tree import KinematicTree, retrace_tree
from ....core.markup.xml import Element, find_end, parse_fragment, text_of, verbatim
from ....core.model import (
    Dynamics,
    Extra,
    Joint,
    Limit,
    Link,
    LoopJoint,
    Pose,
    Robot,
    Vector3,
    hang_on,
)
from .document import Document
from .loop import FaultError, report_unread, to_number_or_infinity, to_numbers, to_point

_SINGLE = ("revolute", "continuous", "prismatic")
_DOUBLE = ("universal", "revolute2")
_TYPES = (*_SINGLE, *_DOUBLE, "fixed", "ball")
_HANDLED = ("pose", "parent", "child")
_UNBOUNDED = 1e16
"""From here on a limit of SDF does not count."""
_LIMIT = ("lower", "upper", "effort", "velocity")
_ROUNDING = 1e-12
_NO_LENGTH = 1e-9
_TRUE = ("1", "true")
_MODEL = "__model__"


@dataclass(slots=True, kw_only=True, eq=False)
class GazeboLoops:
    """The result of reading joints within <gazebo>. `rests` maps the number of an extra of the
    robot -> its remainder; None where that is empty. `loops` and `owners` run in parallel: each
    with the number of its extra. `joints` and `links` come from joints with two axes."""

    rests: dict[int, Extra | None] = field(default_factory=dict)
    loops: list[LoopJoint] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)

    def extras_of(self, robot: Robot) -> tuple[Extra, ...]:
        """Returns the extras of the robot that was read, without these joints."""
        found = [self.rests.get(i, extra) for i, extra in enumerate(robot.extras)]
        return tuple(extra for extra in found if extra is not None)


def read_gazebo_loops(robot: Robot, document: Document) -> GazeboLoops:
    """Reads the joints within the robot's <gazebo>; unreadable ones stay there, with an ERROR
    diagnostic each."""
    found = GazeboLoops()
    place: _Place | None = None
    for number, extra in enumerate(robot.extras):
        if extra.tag != "gazebo" or "<joint" not in extra.xml:
            continue
        data = extra.xml.encode()
        root = parse_fragment(data)
        if root is None or root.attributes.get("reference", "").strip():
            continue
        place = place or _Place(robot)
        taken = list(
            _take_joints(root, _Page(data=data, before=extra.line - 1), place, found, document)
        )
        if taken:
            found.owners += [number] * (len(found.loops) - len(found.owners))
            found.rests[number] = _cut_out(taken, root, data, extra)
    return found


def _take_joints(
    root: Element, page: "_Page", place: "_Place", found: GazeboLoops, document: Document
) -> Iterator[Element]:
    """Adds the joints of a <gazebo> and yields their elements."""
    for element in root:
        if element.tag != "joint":
            continue
        try:
            _read_joint(element, page, place, found)
        except FaultError as fault:
            name = element.attributes.get("name", "")
            report_unread(
                document, f"joint {quote(name)} in <gazebo>", str(fault), page.line(element)
            )
        else:
            yield element


def _cut_out(taken: list[Element], root: Element, data: bytes, extra: Extra) -> Extra | None:
    """The <gazebo> without these; None where nothing else is in it."""
    if len(taken) == len(root):
        return None
    for element in reversed(taken):
        start = len(data[: element.offset].rstrip(b" \t\r\n"))
        data = data[:start] + data[find_end(element, data) :]
    return replace(extra, xml=data.decode())


class _Place:
    """The frames of links with all joints at zero, and the names in use."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.names = {joint.name for joint in robot.joints}
        self.names.update(loop.name for loop in robot.loops)
        self.links = {link.name for link in robot.links}
        self._child = {joint.name: joint.child for joint in robot.joints}
        self._tree: KinematicTree | None = None
        self._frames: Matrix = np.zeros((0, 4, 4))
        try:
            self._tree = retrace_tree(robot)
            self._frames = zero_frames(self._tree)
        except KinematicsError:
            pass  # The planner of the robot reports the reason.

    def link(self, written: str) -> str:
        """Returns the link that a name means, which may begin with the robot's. Raises FaultError
        where there is none."""
        name = written.strip().removeprefix(f"{self.robot.name}::")
        if name not in self.tree.index:
            raise FaultError(f"connects {quote(name)}, and no link is called so")
        return name

    @property
    def tree(self) -> KinematicTree:
        if self._tree is None:
            raise FaultError("connects links that make no tree")
        return self._tree

    def frame(self, name: str) -> Matrix:
        """Returns a frame's pose in the model (4, 4): a link's, a joint's or the model's own.
        Raises FaultError where there is none."""
        if name == _MODEL:
            return np.eye(4)
        index = self.tree.index.get(self._child.get(name, name))
        if index is None:
            raise FaultError(f"names the frame {quote(name)}, which does not exist")
        frame: Matrix = self._frames[index]
        return frame


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    """The text of a <gazebo>; `before` is the number of lines of the file before it."""

    data: bytes
    before: int

    def line(self, element: Element) -> int:
        return self.before + element.line

    def text(self, element: Element | None) -> str:
        return "" if element is None else text_of(element, self.data)

    def extras(self, elements: Iterable[Element], handled: tuple[str, ...]) -> tuple[Extra, ...]:
        """Returns the elements with other tags, word for word."""
        return tuple(
            Extra(tag=each.tag, xml=verbatim(each, self.data), line=self.line(each))
            for each in elements
            if each.tag not in handled
        )


def _read_joint(element: Element, page: _Page, place: _Place, found: GazeboLoops) -> None:
    first = _first_of(element, ("pose", "parent", "child", "axis", "axis2"))
    kind = element.attributes.get("type", "").strip().lower()
    if kind not in _TYPES:
        raise FaultError(f"has the type {quote(kind)}" if kind else "has no type")
    ends = [place.link(page.text(first.get(tag))) for tag in ("parent", "child")]
    if ends[0] == ends[1]:
        raise FaultError(f"connects link {quote(ends[0])} to itself")
    if place.tree.path(*ends).top < 0:
        raise FaultError(
            f"holds links {quote(ends[0])} and {quote(ends[1])} together, which have different "
            "roots: write it as <joint> of <robot>"
        )
    origin, frame = _read_pose(first.get("pose"), ends[1], page, place)
    axes = [
        tag for tag in ("axis", "axis2") if kind in _DOUBLE or (kind in _SINGLE and tag == "axis")
    ]
    loop = LoopJoint(
        name=element.attributes.get("name", "").strip() or "_to_".join(ends),
        type=kind,
        link1=ends[0],
        link2=ends[1],
        origin1=pose_of(invert(place.frame(ends[0])) @ frame, rounding=_ROUNDING),
        origin2=origin,
        notation="gazebo",
        extras=page.extras(element, (*_HANDLED, *axes)),
        line=page.line(element),
    )
    turning = [_read_axis(loop, first.get(tag), frame, page, place) for tag in axes]
    _settle(loop, turning, place, found)


def _first_of(element: Element, tags: tuple[str, ...]) -> dict[str, Element]:
    first: dict[str, Element] = {}
    for child in element:
        if child.tag in tags and first.setdefault(child.tag, child) is not child:
            raise FaultError(f"has <{child.tag}> twice")
    return first


def _settle(loop: LoopJoint, axes: list[LoopJoint], place: _Place, found: GazeboLoops) -> None:
    """Adds the loop that a joint makes; one with two axes turns a link of the tree about the first
    of them, and closes with the second."""
    names = [loop.name, *([f"{loop.name}_axis2"] if len(axes) == 2 else [])]
    between = f"{loop.name}_link"
    if not place.names.isdisjoint(names) or (len(axes) == 2 and between in place.links):
        raise FaultError("has the name of another one")
    place.names.update(names)
    if len(axes) < 2:
        found.loops += axes or [loop]
        return
    one, two = axes
    place.links.add(between)
    found.links.append(Link(name=between, line=loop.line))
    found.joints.append(replace(hang_on(one), child=between, extras=()))
    found.loops.append(
        replace(two, name=names[1], link1=between, origin1=Pose(), notation="", extras=loop.extras)
    )


def _read_pose(
    element: Element | None, child: str, page: _Page, place: _Place
) -> tuple[Pose, Matrix]:
    """Returns the joint's pose in its child, and where that is in the model (4, 4)."""
    below = place.frame(child)
    pose = Pose() if element is None else _pose_of_text(element, page.text(element))
    base = "" if element is None else element.attributes.get("relative_to", "").strip()
    if base:
        pose = pose_of(
            invert(below) @ place.frame(base) @ matrix_from_pose(pose), rounding=_ROUNDING
        )
    return pose, below @ matrix_from_pose(pose)


def _pose_of_text(element: Element, text: str) -> Pose:
    if not text.strip():
        return Pose()
    is_quaternion = element.attributes.get("rotation_format", "").strip() == "quat_xyzw"
    numbers = to_numbers(text, 7 if is_quaternion else 6)
    place = (numbers[0], numbers[1], numbers[2])
    if is_quaternion:
        x, y, z, w = numbers[3:]
        if not any(numbers[3:]):
            raise FaultError("has a pose whose quaternion is zero")
        return Pose(xyz=place, quat_xyzw=(x, y, z, w))
    if element.attributes.get("degrees", "").strip().lower() in _TRUE:
        numbers[3:] = [math.radians(angle) for angle in numbers[3:]]
    return Pose(xyz=place, rpy=(numbers[3], numbers[4], numbers[5]))


def _read_axis(
    loop: LoopJoint, element: Element | None, frame: Matrix, page: _Page, place: _Place
) -> LoopJoint:
    """Returns the loop with the values of an <axis>. It is in the joint's frame, or, in later
    versions of SDF, in the frame that `expressed_in` names, in earlier ones in the model's."""
    first = {} if element is None else {child.tag: child for child in reversed(element)}
    written = page.text(first.get("xyz"))
    axis: Vector3 = to_point(written) if written else (0.0, 0.0, 1.0)
    base = first["xyz"].attributes.get("expressed_in", "").strip() if "xyz" in first else ""
    if not base and page.text(first.get("use_parent_model_frame")).strip().lower() in _TRUE:
        base = _MODEL
    if base:
        x, y, z = frame[:3, :3].T @ place.frame(base)[:3, :3] @ np.array(axis)
        axis = (float(x) + 0.0, float(y) + 0.0, float(z) + 0.0)
    if max(map(abs, axis)) < _NO_LENGTH:
        raise FaultError("has an axis of length zero")
    limit = _read_limit(first.get("limit"), page)
    is_bounded = limit is not None and (limit.lower is not None or limit.upper is not None)
    is_turning = loop.type != "prismatic"
    # Others become the joint's own, where words of joints would have another meaning.
    known = ("xyz", "limit", "dynamics", "use_parent_model_frame", *_HANDLED, "axis", "axis2")
    return replace(
        loop,
        type=("revolute" if is_bounded else "continuous") if is_turning else loop.type,
        axis=axis,
        limit=limit,
        dynamics=_read_dynamics(first.get("dynamics"), page),
        extras=(*loop.extras, *page.extras(element or [], known)),
    )


def _read_limit(element: Element | None, page: _Page) -> Limit | None:
    if element is None:
        return None
    numbers = _children_numbers(element, _LIMIT, page)
    bounds = [None if n is None or abs(n) >= _UNBOUNDED else n for n in numbers]
    rates = [None if n is None or not 0.0 <= n < _UNBOUNDED else n for n in numbers[2:]]
    extras = page.extras(element, _LIMIT)
    limit = Limit(
        lower=bounds[0], upper=bounds[1], effort=rates[0], velocity=rates[1], extras=extras
    )
    return None if limit == Limit() else limit


def _read_dynamics(element: Element | None, page: _Page) -> Dynamics | None:
    if element is None:
        return None
    damping, friction = _children_numbers(element, ("damping", "friction"), page)
    extras = page.extras(element, ("damping", "friction"))
    return Dynamics(damping=damping, friction=friction, extras=extras)


def _children_numbers(element: Element, tags: tuple[str, ...], page: _Page) -> list[float | None]:
    found: list[float | None] = []
    for tag in tags:
        child = next((child for child in element if child.tag == tag), None)
        text = page.text(child).strip()
        found.append(to_number_or_infinity(text) if text else None)
    return found
