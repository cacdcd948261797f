# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a robot's linkages that can be closed without a solver, and the means for each of
them.

The cheapest part comes first, so that a budget is spent on as many loops as it can close.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

from ...diagnostics import Diagnostics, quote
from ...model import LoopJoint
from ...progress import Budget, BudgetSpentError, Progress
from ..tree import KinematicTree
from .blocks import LoopBlock, split_linkage
from .curves import LoopCurve, find_block_curves
from .freedom import choose_followers, group_loops
from .linkage import Variable
from .plan import plan_linkage
from .programs import LoopProgram, find_block_program
from .surfaces import LoopSurface, find_block_surface

Closing = LoopCurve | LoopSurface | LoopProgram

FAILURES: tuple[type[Exception], ...] = (ArithmeticError, LookupError, TypeError, ValueError)
"""Exceptions that a mistake in the planning of a loop may raise. An import bears it, and leaves the
loop open; tests put nothing here, so that mistakes show."""


def closing_steps(
    tree: KinematicTree, diagnostics: Diagnostics, budget: Budget
) -> Generator[Progress, None, tuple[Closing, ...]]:
    """Finds, in steps, the drivers of loops' followers: curves over one free joint, surfaces over
    two, formulas over more.

    Loops with far more free joints stay open, with a diagnostic, and so do loops for which the
    budget is too small or the planning fails.
    """
    closer = _Closer(tree, diagnostics, budget)
    while closer.left:
        yield Progress(share=0.0, text=f"closing loops: {closer.left} to go")
        closer.do_next()
    return tuple(closing for place in sorted(closer.found) for closing in closer.found[place])


_Place = tuple[int, int]
"""Of a part: the place of its linkage among all, and its own in that."""


class _Closer:
    """Takes linkages apart and closes their parts one after the other, the cheapest first, and
    remembers the results. `found` is place of a part -> its closing."""

    def __init__(self, tree: KinematicTree, diagnostics: Diagnostics, budget: Budget) -> None:
        self._tree, self._diagnostics, self._budget = tree, diagnostics, budget
        self._lines = {loop.name: loop.line for loop in tree.robot.loops}
        self._lost: set[str] = set()
        self._ranges: dict[str, tuple[float, float]] = {}
        self._linkages = dict(enumerate(group_loops(tree)))
        self._parts: dict[_Place, LoopBlock] = {}
        self.found: dict[_Place, Sequence[Closing]] = {}

    @property
    def left(self) -> int:
        """How many loops wait to be closed."""
        whole = sum(map(len, self._linkages.values()))
        return whole + sum(len(each.loops) for each in self._parts.values())

    def do_next(self) -> None:
        """Does the cheapest step: takes a linkage apart, or closes a part that needs no other which
        waits."""
        coming = {name for block in self._parts.values() for name in _names(block.outputs)}
        costs: dict[_Place | int, float] = {
            place: _guess_closing(block)
            for place, block in self._parts.items()
            if not coming & _needed_names(block)
        }
        costs |= {place: _guess_splitting(loops) for place, loops in self._linkages.items()}
        place = min(costs, key=costs.__getitem__)
        if isinstance(place, int):
            self._split(place, self._linkages.pop(place))
            return
        block = self._parts.pop(place)
        with self._leave_open_what_fails(block.loops, block):
            self.found[place] = self._close(block)

    def _split(self, place: int, loops: Sequence[LoopJoint]) -> None:
        names = [each.name for each in loops]
        with self._leave_open_what_fails(names):
            linkage = plan_linkage(self._tree, loops, self._budget)
            if linkage is None:
                return
            (follows,) = choose_followers(self._tree, [linkage])
            blocks = list(split_linkage(self._tree, linkage, follows))
            if not blocks:
                self._leave_open(names, "it moves no joint")
            self._parts |= {(place, index): block for index, block in enumerate(blocks)}

    def _close(self, block: LoopBlock) -> Sequence[Closing]:
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
            self._leave_open(block.loops, reason)
        for closing in found:
            self._ranges |= closing.ranges
        return found

    @contextmanager
    def _leave_open_what_fails(
        self, loops: Sequence[str], block: LoopBlock | None = None
    ) -> Iterator[None]:
        try:
            yield
        except BudgetSpentError:
            allowed = f"{self._budget.seconds:g} s of work that loop_seconds allows"
            self._leave_open(loops, f"closing it takes more than the {allowed}", "loop-not-planned")
        except FAILURES as failure:
            reason = f"its numbers suit no way of closing it ({type(failure).__name__}: {failure})"
            self._leave_open(loops, reason, "loop-failed")
        else:
            return
        self._lost |= _names(block.outputs) if block is not None else set()

    def _leave_open(self, loops: Sequence[str], reason: str, code: str = "loop-not-closed") -> None:
        """Says that loops stay open."""
        others = f" and {len(loops) - 3} more" if len(loops) > 3 else ""
        self._diagnostics.warning(
            code,
            f"loop joint {', '.join(map(quote, loops[:3]))}{others} stays open in the rig: "
            f"{reason}",
            subject=loops[0],
            line=self._lines.get(loops[0], 0),
        )


def _find_obstacle(block: LoopBlock, lost: set[str]) -> str:
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


def _guess_splitting(loops: Sequence[LoopJoint]) -> float:
    """Guesses how many seconds it takes to take the linkage of loops apart."""
    return 0.02 + 1e-6 * len(loops) ** 3


def _guess_closing(block: LoopBlock) -> float:
    """Guesses how many seconds it takes to close a part."""
    return (0.05, 0.05, 0.5, 1.0)[min(len(block.inputs), 3)] * len(block.linkage.closures)


def _needed_names(block: LoopBlock) -> set[str]:
    """Returns the names of the followers that other parts must find before this one."""
    return _names(block.linkage.variables) - _names(block.outputs)


def _names(variables: Sequence[Variable]) -> set[str]:
    return {variable.motion.joint.name for variable in variables}
