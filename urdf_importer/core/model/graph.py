# SPDX-License-Identifier: GPL-3.0-or-later
"""How links are connected, for pictures and lists of them."""

from dataclasses import dataclass

from .joint import Joint
from .loop import LoopJoint
from .robot import Robot


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEdge:
    """A joint as an arrow from `parent` to `child`. `is_reversed`: the file has it the other way
    round; `in_tree`: it does not close a loop."""

    parent: str
    child: str
    label: str
    moves: bool = False
    in_tree: bool = True
    is_reversed: bool = False


def edges_of_robot(robot: Robot) -> tuple[GraphEdge, ...]:
    """Returns the joints of a robot, then the joints that close loops."""
    joints: tuple[Joint | LoopJoint, ...] = (*robot.joints, *robot.loops)
    return tuple(
        GraphEdge(
            parent=each.parent if isinstance(each, Joint) else each.link1,
            child=each.child if isinstance(each, Joint) else each.link2,
            label=each.name,
            moves=each.type != "fixed",
            in_tree=isinstance(each, Joint),
        )
        for each in joints
    )
