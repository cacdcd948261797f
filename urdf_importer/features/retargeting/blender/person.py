# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature in motion -> points: after rest pose, constraints, NLA, object scale and parents."""

from collections.abc import Generator, Sequence
from typing import Any

import bpy
import numpy as np

from ....core.blender.curves import MOST_FRAMES, frame_rate
from ....core.blender.span import find_span
from ....core.diagnostics import BuildError, KinematicsError, quote
from ....core.progress import Progress
from ...motion.blender.sample import walk_frames
from ...motion.trajectory import Numbers
from ..person import Person
from ..solve import orthonormalize

_FEW = 10
"""Deforming bones from which on others are controls, and passed over."""


def read_person(
    armature: Any, frames: Sequence[float], *, moving: bool = True
) -> Generator[Progress, None, Person]:
    """Returns, in steps, an armature as points in the scene, in each frame from the first to the
    last of `frames`, by default of its animation; with `moving` false only as it is now. The frame
    that was shown is shown again. Raises BuildError for other objects, KinematicsError for an
    armature that does not move."""
    if armature.type != "ARMATURE":
        raise BuildError(f"object {quote(armature.name)} is not an armature")
    if armature.pose is None or not len(armature.data.bones):
        raise KinematicsError(f"object {quote(armature.name)} has no bones in the scene")
    chosen, parents = _choose_bones(armature)
    leaves = [place for place in range(len(chosen)) if place not in parents]
    bones = armature.pose.bones
    names = [bones[each].name for each in chosen] + [""] * len(leaves)
    places = _find_frames(armature, frames) if moving else []
    rows = max(len(places), 1)
    heads, tails = np.empty((rows, len(bones), 3)), np.empty((rows, len(bones), 3))
    ends = [chosen[each] for each in leaves]
    turns = np.empty((rows, len(chosen) + len(ends), 3, 3))
    # Showing a frame would take back poses without keys.
    for row, _ in enumerate(walk_frames(places) if places else [1.0]):
        _look(armature, heads[row], tails[row])
        turns[row] = _look_at_turns(armature, [*chosen, *ends])
        yield Progress(share=0.3 * row / rows, text="person")
    points = np.concatenate([heads[:, chosen], tails[:, ends]], axis=1)
    return Person(
        names=tuple(names),
        parents=(*parents, *leaves),
        points=points,
        turns=turns,
        rate=frame_rate(),
        source=armature.name,
        name=armature.name,
        first_frame=float(places[0]) if places else 1.0,
        is_shown=True,
    )


def _look(armature: Any, heads: Any, tails: Any) -> None:
    """Fills in where bones begin and end in the world (n, 3)."""
    shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    world = np.array(shown.matrix_world)
    for key, into in (("head", heads), ("tail", tails)):
        flat = np.empty(into.size, dtype=np.float32)
        shown.pose.bones.foreach_get(key, flat)
        into[:] = flat.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]


def _look_at_turns(armature: Any, chosen: Sequence[int]) -> Numbers:
    """Returns how some bones are turned in the world, (n, 3, 3)."""
    shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    flat = np.empty(16 * len(shown.pose.bones), dtype=np.float32)
    shown.pose.bones.foreach_get("matrix", flat)
    # Blender has columns one after the other.
    columns = flat.reshape(-1, 4, 4)[list(chosen), :3, :3]
    turns = np.array(shown.matrix_world)[:3, :3] @ np.swapaxes(columns, 1, 2).astype(np.float64)
    # Of a mirrored person the mirror image turns.
    return orthonormalize(turns * np.sign(np.linalg.det(turns))[:, None, None])


def _find_frames(armature: Any, frames: Sequence[float]) -> list[int]:
    if any(frames):
        first, last = int(np.floor(frames[0])), int(np.ceil(frames[1]))
    else:
        span = find_span(armature)
        if span is None:
            raise KinematicsError(f"object {quote(armature.name)} is not animated")
        first, last = int(np.floor(span[1] + 1e-4)), int(np.ceil(span[2] - 1e-4))
    if last - first >= MOST_FRAMES:
        raise KinematicsError(f"these are {last - first + 1} frames; {MOST_FRAMES} are the most")
    return list(range(first, last + 1))


def _choose_bones(armature: Any) -> tuple[list[int], list[int]]:
    """Returns the places of the bones that deform, or of all, and the parent of each among them. A
    bone whose parents are all controls becomes a child of the bone before it that is nearest at
    rest.
    """
    bones = list(armature.data.bones)
    deforming = [place for place, bone in enumerate(bones) if bone.use_deform]
    chosen = deforming if len(deforming) >= _FEW else list(range(len(bones)))
    number = {bones[place].name: index for index, place in enumerate(chosen)}
    parents: list[int] = []
    for index, place in enumerate(chosen):
        above = bones[place].parent
        while above is not None and number.get(above.name, index) >= index:
            above = above.parent
        if above is not None:
            parents.append(number[above.name])
        elif index and bones[place].parent is not None:
            head = bones[place].head_local
            gaps = [
                min((bones[each].tail_local - head).length, (bones[each].head_local - head).length)
                for each in chosen[:index]
            ]
            parents.append(int(np.argmin(gaps)))
        else:
            parents.append(-1)
    return chosen, parents
