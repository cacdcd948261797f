# SPDX-License-Identifier: GPL-3.0-or-later
"""The frame of each link, and the motion of each joint of the tree.

Nothing else is free in URDF: a link on a moving joint has its origin at the joint's base frame,
also when the joint is reversed, and the axes of its body's CS1.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from ....core.geometry.transforms import make_frame
from .assembly import Assembly, AssemblyJoint
from .mechanism.graph import NO_AXIS, Matrix, Primitive, Vector
from .named_frames import NamedFrames
from .parameters.keys import JointChange
from .tree import Branch, SpanningTree

_TURNING = ("continuous", "revolute")
_AXIS_TYPES = (*_TURNING, "prismatic", "planar")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Step:
    """One joint of URDF: its type, and its axis in the world as a unit vector, without length where
    it has none."""

    type: str
    axis: Vector = field(default_factory=NO_AXIS.copy)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Placed:
    """A link of the tree: `frame` is world from link; `point` is where its joint turns; `steps` are
    the joints from its parent to it, more than one for a chain."""

    branch: Branch | None
    frame: Matrix
    point: Vector
    steps: tuple[Step, ...] = ()


def place_links(assembly: Assembly, tree: SpanningTree) -> dict[int, Placed]:
    """Returns body -> its link, for all of the tree. Raises ReadError for an unknown base frame."""
    chosen = _choose_frames(assembly, tree)
    placed: dict[int, Placed] = {}
    for body in tree.bodies():
        branch = tree.branches.get(body)
        wanted = chosen.get(body)
        if branch is None:
            placed[body] = _place_root(body, assembly, wanted)
        else:
            placed[body] = _place_link(body, branch, assembly, wanted)
    return placed


def _choose_frames(assembly: Assembly, tree: SpanningTree) -> dict[int, tuple[Matrix, int]]:
    """Body -> the user's frame that becomes its link frame, and its line in the file."""
    chosen: dict[int, tuple[Matrix, int]] = {}
    for wish in assembly.parameters.link_frames:
        body = assembly.names.body_of.get(wish.link)
        if body is None or not tree.holds(body):
            assembly.values.bad("linkFrames", assembly.names.no_link(wish.link), wish.frame_line)
            continue
        found = assembly.frames.choose(wish, "linkFrames")
        if found is not None:
            chosen[body] = (found[1], wish.frame_line)
    return chosen


def _place_root(body: int, assembly: Assembly, wanted: tuple[Matrix, int] | None) -> Placed:
    parameters = assembly.parameters
    base = assembly.frames.find(parameters.baseframe)
    if base is None:
        raise assembly.values.refusal(
            "baseframe", assembly.frames.no_frame(parameters.baseframe),
            parameters.line("baseframe"),
        )  # fmt: skip
    part = assembly.mechanism.bodies[body].part
    frame = wanted[0] if wanted is not None else make_frame(part[:3, :3], base[:3, 3])
    return Placed(branch=None, frame=frame, point=frame[:3, 3])


def _place_link(
    body: int, branch: Branch, assembly: Assembly, wanted: tuple[Matrix, int] | None
) -> Placed:
    part = assembly.mechanism.bodies[body].part
    joint = branch.joint
    if joint is None:
        frame = part if wanted is None else wanted[0]
        return Placed(branch=branch, frame=frame, point=frame[:3, 3], steps=(Step(type="fixed"),))

    def put_at(frame: Matrix) -> Placed:
        steps = steps_of(joint, frame[:3, :3], assembly.frames, is_reversed=branch.is_reversed)
        return Placed(branch=branch, frame=frame, point=joint.frame[:3, 3], steps=steps)

    placed = put_at(make_frame(part[:3, :3], joint.frame[:3, 3]))
    if all(step.type == "fixed" for step in placed.steps):
        default = part if assembly.parameters.dialect == "robotology" else placed.frame
        return replace(placed, frame=default if wanted is None else wanted[0])
    if wanted is None:
        return placed
    moved = put_at(wanted[0])
    gap = _distance_from_axes(moved.frame[:3, 3], moved.point, moved.steps)
    if gap <= assembly.parameters.epsilon:
        return moved
    assembly.values.bad(
        "linkFrames",
        f"the frame lies {gap:.3g} m beside the axis of joint {joint.name!r}; link "
        f"{assembly.link_name(body)!r} keeps its own frame",
        wanted[1],
    )
    return placed


def _distance_from_axes(point: Vector, on_axes: Vector, steps: tuple[Step, ...]) -> float:
    away = point - on_axes
    beside = [np.zeros(3)]
    beside += [away for step in steps if step.type == "spherical"]
    beside += [np.cross(step.axis, away) for step in steps if step.type in _TURNING]
    return max(float(np.linalg.norm(gap)) for gap in beside)


def steps_of(
    joint: AssemblyJoint, rotation: Matrix, frames: NamedFrames, *, is_reversed: bool
) -> tuple[Step, ...]:
    """Returns the joints of URDF that a joint becomes, from parent to child; `rotation` (3, 3) is
    the child link's, in which a redefined axis is given."""
    primitives = joint.primitives[::-1] if is_reversed else joint.primitives
    steps = _classify(primitives)
    if joint.change is None:
        return steps
    return (_redefined(joint, joint.change, steps, rotation, frames),)


def _redefined(
    joint: AssemblyJoint,
    change: JointChange,
    steps: tuple[Step, ...],
    rotation: Matrix,
    frames: NamedFrames,
) -> Step:
    kind = change.type or "continuous"
    if kind == "revolute" and (change.limits.lower is None or change.limits.upper is None):
        kind = "continuous"
    if kind not in _AXIS_TYPES:
        return Step(type=kind)
    axis = next((step.axis for step in steps if step.axis.any()), NO_AXIS)
    if change.axis is not None:
        turn: Matrix | None = rotation
        if change.axis_frame:
            frame = frames.find(change.axis_frame)
            turn = None if frame is None else frame[:3, :3]
            if frame is None:
                frames.values.bad("referenceFrame", frames.no_frame(change.axis_frame), change.line)
        if turn is not None:
            written = np.array(change.axis)
            axis = turn @ (written / np.linalg.norm(written))
    if not axis.any():
        frames.values.bad(
            "axis",
            f"joint {joint.name!r} should be {kind} but has no axis, neither here nor in the file; "
            "it is fixed",
            change.line,
        )
        return Step(type="fixed")
    return Step(type=kind, axis=axis)


def _classify(primitives: tuple[Primitive, ...]) -> tuple[Step, ...]:
    slides, turns = (
        [item.axis for item in primitives if item.kind == kind]
        for kind in ("prismatic", "revolute")
    )
    balls = sum(item.kind == "spherical" for item in primitives)
    if not slides and not turns and not balls:
        return (Step(type="fixed"),)
    if len(slides) == 2 and len(turns) == 1 and not balls:
        normal = np.cross(slides[0], slides[1])
        if float(np.linalg.norm(normal)) > 1e-3 and all(
            abs(float(slide @ turns[0])) < 1e-4 for slide in slides
        ):
            return (Step(type="planar", axis=turns[0]),)
    if len(slides) == 3 and balls == 1 and not turns and _span_space(slides):
        return (Step(type="floating"),)
    types = {"revolute": "continuous", "prismatic": "prismatic", "spherical": "spherical"}
    return tuple(
        Step(type=types[item.kind], axis=item.axis) for item in primitives if item.kind in types
    )


def _span_space(axes: list[Vector]) -> bool:
    return abs(float(np.linalg.det(np.array(axes)))) > 1e-3
