# SPDX-License-Identifier: GPL-3.0-or-later
"""How links hang together, for pictures and lists of them."""

from dataclasses import dataclass

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
    tree = (
        GraphEdge(
            parent=joint.parent, child=joint.child, label=joint.name, moves=joint.type != "fixed"
        )
        for joint in robot.joints
    )
    loops = (
        GraphEdge(
            parent=loop.link1,
            child=loop.link2,
            label=loop.name,
            moves=loop.type != "fixed",
            in_tree=False,
        )
        for loop in robot.loops
    )
    return (*tree, *loops)
