# SPDX-License-Identifier: GPL-3.0-or-later
"""Which parts of a robot's linkages can be closed without a solver, and by what."""

from collections.abc import Sequence

from ...diagnostics import Diagnostics, quote
from ..tree import KinematicTree
from .blocks import Block, split_linkage
from .curves import LoopCurve, find_block_curves
from .freedom import LoopFreedom
from .linkage import Variable
from .programs import LoopProgram, find_block_program
from .surfaces import LoopSurface, find_block_surface

Closing = LoopCurve | LoopSurface | LoopProgram


def find_closings(
    tree: KinematicTree, freedom: LoopFreedom, diagnostics: Diagnostics
) -> tuple[Closing, ...]:
    """Returns what moves the followers of loops: curves over one free joint, surfaces over two,
    formulas over more.

    Loops with far more free joints stay open, with a diagnostic.
    """
    found: list[Closing] = []
    for linkage, follows in zip(freedom.linkages, freedom.moved, strict=True):
        closer = _Closer(tree, diagnostics)
        blocks = list(split_linkage(tree, linkage, follows))
        if not blocks:
            closer.leave_open([each.joint.name for each in linkage.closures], "it moves no joint")
        for block in blocks:
            found += closer.close(block)
    return tuple(found)


class _Closer:
    """Closes the parts of a linkage one after the other, and knows what became of those before."""

    def __init__(self, tree: KinematicTree, diagnostics: Diagnostics) -> None:
        self._lines = {loop.name: loop.line for loop in tree.robot.loops}
        self._diagnostics = diagnostics
        self._lost: set[str] = set()
        self._ranges: dict[str, tuple[float, float]] = {}

    def close(self, block: Block) -> Sequence[Closing]:
        """Returns what moves the followers of a part; reports it where there is nothing."""
        reason = _find_obstacle(block, self._lost)
        found: Sequence[Closing] = ()
        if not reason and len(block.inputs) == 1:
            found, reason = find_block_curves(block, self._ranges, self._diagnostics)
        elif not reason and len(block.inputs) > 2:
            found, reason = find_block_program(block, self._ranges, self._diagnostics)
        elif not reason:
            found, reason = find_block_surface(block, self._ranges, self._diagnostics)
        if reason:
            self._lost |= _names(block.outputs)
            self.leave_open(block.loops, reason)
        for closing in found:
            self._ranges |= closing.ranges
        return found

    def leave_open(self, loops: Sequence[str], reason: str) -> None:
        """Says that loops stay open."""
        self._diagnostics.warning(
            "loop-not-closed",
            f"loop joint {', '.join(map(quote, loops[:3]))} stays open in the rig: {reason}",
            subject=loops[0],
            line=self._lines.get(loops[0], 0),
        )


def _find_obstacle(block: Block, lost: set[str]) -> str:
    """Why the followers of a part cannot be drawn; empty where they may."""
    others = _names(block.linkage.variables) & lost
    if others:
        return f"joint {quote(min(others))} depends on another open loop"
    for variable in (*block.inputs, *block.outputs):
        name = quote(variable.motion.joint.name)
        if variable.is_single:
            continue
        if variable.motion.kind != "spherical":
            return f"joint {name} has several degrees of freedom"
        if variable in block.inputs:
            return f"ball joint {name} moves by itself"
    return "" if block.inputs else "none of its joints is free"


def _names(variables: Sequence[Variable]) -> set[str]:
    return {variable.motion.joint.name for variable in variables}
