# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks of samples and of poses -> as few as can be."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..gather import FrameBlock, SampleBlock, Times
from ..trajectory import KINDS


def join_samples(blocks: Sequence[SampleBlock]) -> Iterator[SampleBlock]:
    """Yields blocks of the same joints and kinds of numbers as one."""
    groups: dict[Any, list[SampleBlock]] = {}
    for block in blocks:
        said = tuple(kind for kind in KINDS if getattr(block, kind) is not None)
        groups.setdefault((block.names, said), []).append(block)
    for (names, said), members in groups.items():
        yield SampleBlock(names=names, **_join(members, ("times", "order", *said)))


def join_poses(blocks: Sequence[FrameBlock]) -> Iterator[FrameBlock]:
    """Yields blocks of the same frames as one."""
    groups: dict[Any, list[FrameBlock]] = {}
    for block in blocks:
        key = (block.parent, block.child, block.is_static, block.origin)
        groups.setdefault(key, []).append(block)
    for members in groups.values():
        arrays = ("times", "order", "translations", "quaternions")
        yield replace(members[0], **_join(members, arrays))


def _join(blocks: Sequence[Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: np.concatenate([getattr(each, name) for each in blocks]) for name in names}


def pack(
    blocks: list[Any], logs: list[Times], first: int, join: Callable[[list[Any]], Iterator[Any]]
) -> int:
    """Joins the blocks from the first one on, and in the same way their times of recording. Returns
    how many blocks there are then."""
    recent = list(zip(blocks[first:], logs[first:], strict=True))
    logged = join([replace(block, times=log) for block, log in recent])
    blocks[first:] = list(join(blocks[first:]))
    logs[first:] = [block.times for block in logged]
    return len(blocks)
