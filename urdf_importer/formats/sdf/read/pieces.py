# SPDX-License-Identifier: GPL-3.0-or-later
"""Drafted -> joints of the model: joints with two axes and screws become two, with a link between.

A joint that closes a loop is not in the tree. Where another joint follows it, or it follows one
itself, as the slide of a screw does, it stays in the tree with a link of its own, which is then
fixed to its child: only joints that move in the tree can follow and be followed.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ....core.geometry.transforms import Matrix, invert, pose_of
from ....core.model import IDENTITY, Joint, Limit, Link, LoopJoint, Mimic, Pose, close_with
from ....core.names import Claims
from .joints import DOUBLE_TYPES, Axis, Drafted
from .page import UNBOUNDED, find
from .scope import ROUNDING

_SCREW = ("screw_thread_pitch", "thread_pitch")


@dataclass(slots=True, kw_only=True, eq=False)
class Made:
    """The parts made from a joint: joints of the tree, links between them and loops. `tails` maps a
    link behind them -> the child, which the loop fixes to it."""

    joints: list[Joint] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    loops: list[LoopJoint] = field(default_factory=list)
    tails: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Names of joints and links that are unnamed in the file. `seconds` maps the name of a joint
    with two axes -> the name of the joint about its second one."""

    joints: Claims
    links: Claims
    seconds: Mapping[str, str]


def name_parts(drafted: Collection[Drafted], links: Collection[str]) -> Names:
    """Returns the names of all joints and links, and claims names for second axes."""
    joints = Claims(taken=[each.name for each in drafted])
    seconds = {
        each.name: joints.claim(f"{each.name}_axis2")
        for each in drafted
        if each.type in DOUBLE_TYPES
    }
    return Names(joints=joints, links=Claims(taken=links), seconds=seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A joint of one degree of freedom at most. The last of a row carries the child."""

    name: str
    type: str
    axis: Axis | None = None
    mimic: Mimic | None = None


def make_joint(
    drafted: Drafted,
    frames: tuple[Matrix, Matrix],
    names: Names,
    *,
    closes: bool = False,
    leads: bool = False,
) -> Made:
    """Makes the joints of a drafted one, whose parent and child are at `frames` (4, 4). Where it
    `closes` a loop, the last of them does, or, where others follow it (`leads`) or it follows, a
    fixed joint behind them."""
    parent, child = frames
    pieces = _take_apart(drafted, names)
    hangs = closes and (leads or any(piece.mimic for piece in pieces))
    if hangs:
        pieces.append(_Piece(name=names.joints.claim(f"{drafted.name}_closing"), type="fixed"))
    made = Made()
    into = pose_of(invert(parent) @ drafted.frame, rounding=ROUNDING)
    above = drafted.parent
    for piece in pieces:
        is_last = piece is pieces[-1]
        below = drafted.child if is_last else names.links.claim(f"{piece.name}_link")
        joint = _join(drafted, piece, above, below, into)
        loop = close_with(joint) if is_last and closes else None
        if loop is not None:
            other = pose_of(invert(child) @ drafted.frame, rounding=ROUNDING)
            made.loops.append(replace(loop, origin2=other))
        else:
            rest = invert(drafted.frame) @ child if is_last else np.eye(4)
            made.joints.append(replace(joint, child_origin=pose_of(rest, rounding=ROUNDING)))
        if not is_last:
            made.links.append(Link(name=below, line=drafted.node.element.line))
        into, above = IDENTITY, below
    if hangs:
        made.tails[made.links[-1].name] = drafted.child
    return made


def _join(drafted: Drafted, piece: _Piece, above: str, below: str, origin: Pose) -> Joint:
    axis = piece.axis
    return Joint(
        name=piece.name,
        type=piece.type,
        parent=above,
        child=below,
        origin=origin,
        axis=None if axis is None else axis.vector,
        limit=None if axis is None else axis.limit,
        dynamics=None if axis is None else axis.dynamics,
        mimic=piece.mimic,
        line=drafted.node.element.line,
    )


def _take_apart(drafted: Drafted, names: Names) -> list[_Piece]:
    name, kind, axes = drafted.name, drafted.type, drafted.axes
    if any(axis.vector is None for axis in axes) or kind == "gearbox":
        return [_Piece(name=name, type="fixed")]
    if kind in DOUBLE_TYPES:
        pieces = [
            _move(name, _turning(axes[0]), axes[0], names),
            _move(names.seconds[name], _turning(axes[1]), axes[1], names),
        ]
        # The axis that turned last against the parent turns first against the child.
        return pieces[::-1] if drafted.turned else pieces
    if kind == "screw":
        return _take_screw_apart(drafted, names)
    if kind in ("fixed", "ball"):
        return [_Piece(name=name, type=kind)]
    axis = axes[0]
    if kind == "prismatic" and not axis.has_range:
        endless = replace(axis.limit or Limit(), lower=-UNBOUNDED, upper=UNBOUNDED)
        return [_move(name, kind, replace(axis, limit=endless), names)]
    if kind == "continuous":
        return [_move(name, kind, replace(axis, limit=_rates(axis.limit)), names)]
    return [_move(name, kind if kind == "prismatic" else _turning(axis), axis, names)]


def _take_screw_apart(drafted: Drafted, names: Names) -> list[_Piece]:
    name, turn = drafted.name, drafted.axes[0]
    travel = Axis(
        vector=turn.vector,
        limit=Limit(lower=-UNBOUNDED, upper=UNBOUNDED),
        has_range=False,
        dynamics=None,
    )
    slide = names.joints.claim(f"{name}_travel")
    follows = Mimic(joint=name, multiplier=_read_pitch(drafted))
    return [
        _move(name, _turning(turn), turn, names),
        _Piece(name=slide, type="prismatic", axis=travel, mimic=follows),
    ]


def _move(name: str, kind: str, axis: Axis, names: Names) -> _Piece:
    """A joint with an axis, and the leader that the axis names."""
    mimic = axis.mimic
    if mimic is not None and axis.follows_second:
        leader = names.seconds.get(mimic.joint, f"{mimic.joint}_axis2")
        mimic = replace(mimic, joint=leader)
    return _Piece(name=name, type=kind, axis=axis, mimic=mimic)


def _turning(axis: Axis) -> str:
    return "revolute" if axis.has_range else "continuous"


def _rates(limit: Limit | None) -> Limit | None:
    """A limit without bounds of the position."""
    found = None if limit is None else replace(limit, lower=None, upper=None)
    return None if found == Limit() else found


def _read_pitch(drafted: Drafted) -> float:
    """Metres that a screw travels in a radian: by its newer pitch, metres in a turn, else by the
    older one, radians in a metre with the opposite sign."""
    node = drafted.node
    page, element = node.page, node.element
    new, old = _SCREW
    pitch = page.number(element, new)
    if pitch is not None:
        return pitch / (2.0 * math.pi)
    given = find(element, old)
    turns = page.size(element, old, default=1.0)
    if given is not None and page.origin(given).version >= (1, 10):
        finding = "has a thread_pitch, which screw_thread_pitch replaces; it is read"
        node.warning("sdf-deprecated", finding, given)
    return -1.0 / turns if turns else 0.0
