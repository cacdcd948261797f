# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints in the groups in which people think of them: this arm, that leg, the fingers."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

MOST_JOINTS = 30
"""Longer chains are cut into pieces of this many: a longer list is hard to search."""

MOST_TOGETHER = 10
"""Smaller trees of joints of one name are not cut where they branch."""

_SEPARATORS = "_-./: "


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedChain:
    """`joints` are names, from the root outwards; no joint is in two chains."""

    title: str
    joints: tuple[str, ...]


def group_chains(parents: Mapping[str, str], most: int = MOST_JOINTS) -> tuple[NamedChain, ...]:
    """Cuts a tree of joints where it branches.

    `parents` maps each moving joint to the moving joint above it ("" where there is none), in the
    order in which they are shown. Joints that end right after a branch, such as wheels, are one
    group; so is a small tree of joints of one name, such as a gripper.
    """
    children: dict[str, list[str]] = {}
    for joint, parent in parents.items():
        children.setdefault(parent if parent in parents else "", []).append(joint)
    groups: list[list[str]] = []
    starts = [""]
    while starts:
        start = starts.pop()
        branches = children.get(start, [])
        if len(together := _find_together(start, children)) > len(branches):
            groups.append(together)
            continue
        runs = [_follow(joint, children) for joint in branches]
        groups += _join_ends(runs, children)
        starts += [run[-1] for run in reversed(runs)]
    pieces = [group[i : i + most] for group in groups for i in range(0, len(group), most)]
    return tuple(
        NamedChain(title=title, joints=tuple(piece))
        for title, piece in zip(_title_all(pieces), pieces, strict=True)
    )


def _follow(joint: str, children: Mapping[str, Sequence[str]]) -> list[str]:
    """From this joint outwards to the next branch."""
    run = [joint]
    while len(children.get(run[-1], ())) == 1:
        run.append(children[run[-1]][0])
    return run


def _find_together(start: str, children: Mapping[str, Sequence[str]]) -> list[str]:
    """All joints beyond this one if they are few and have a name in common, else none. At the root
    there is no such group: a small robot must not be one heap."""
    found: list[str] = []
    todo = list(reversed(children.get(start, ()))) if start else []
    while todo and len(found) <= MOST_TOGETHER:
        found.append(todo.pop())
        todo += reversed(children.get(found[-1], ()))
    return found if len(found) <= MOST_TOGETHER and _common_start(found or [""]) else []


def _join_ends(
    runs: Sequence[list[str]], children: Mapping[str, Sequence[str]]
) -> Iterable[list[str]]:
    """The runs; single joints with nothing beyond them as one, at the place of the first."""
    ends: list[str] = []
    joined = []
    for run in runs:
        if len(run) > 1 or run[0] in children:
            joined.append(run)
            continue
        if not ends:
            joined.append(ends)
        ends.append(run[0])
    return joined


def _title_all(groups: Sequence[Sequence[str]]) -> list[str]:
    """The common part of the names; the first name where that is empty, a number or not unique."""
    common = [_title(group) for group in groups]
    count = Counter(common)
    return [
        title if count[title] == 1 and title.strip("0123456789") else group[0]
        for title, group in zip(common, groups, strict=True)
    ]


def _title(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    return _common_start(names) or _common_start([name[::-1] for name in names])[::-1]


def _common_start(names: Sequence[str]) -> str:
    """Whole words only; a number may be cut off a word (`joint1`, `joint2`)."""
    pairs = zip(min(names), max(names), strict=False)
    start = "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    cut = start.rstrip("0123456789")
    if not all(re.match(r"[0-9]", name[len(cut) :]) for name in names):
        last = max(start.rfind(separator) for separator in _SEPARATORS)
        cut = start[: last + 1]
    return cut.strip(_SEPARATORS)
