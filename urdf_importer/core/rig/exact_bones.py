# SPDX-License-Identifier: GPL-3.0-or-later
"""Heads, tails and rolls from which Blender makes exact axes, found before Blender is asked.

Blender's formula loses digits for bones that point back on their parent, or along -Y; how many is
chance, down to the last bit of all bones above. So Blender's result for such bones is computed in
its own way, parents first, and where that is off, other tails are tried: a little turned about the
bone's X axis, a little longer or shorter. A child takes over its parent's error, so parents must
be better than is asked for. Bones far from -Y with no such bones below them need none of this: one
look at all bones at once finds them good.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..geometry.transforms import Matrix, Vector
from .bone_arithmetic import (
    NO_PARENT,
    ORIGIN,
    ROUNDED_ONCE,
    AngleFunctions,
    Axes,
    EditBone,
    RestBone,
    Triple,
    edit_frame,
    invert_rest,
    rest_axes_of,
    rest_of,
)
from .rig_plan import BonePlan
from .rounding import TURNS, edit_columns, edit_numbers, try_tails

TOLERANCE = 7e-7
"""Error of an axis (as measure_errors has it) for which Blender is not asked again."""

_AIM = 4e-7
"""Error of an axis that is accepted before Blender is asked."""

_PLAIN = 1.5e-7
"""Errors below this are all the same: the least turn of a bone decides."""

_SLIGHT = 2e-6
"""Error that is worth a turn by one radian."""

_FOLDED = -0.9
"""Cosine to a parent's Y axis below which Blender's formula can lose more than TOLERANCE."""

_BLOCK = 16
"""Bones for which other tails are worked out at once, apart from dependence on their parents."""

Indices = NDArray[np.intp]
Single = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedBones:
    """Bones of a plan as arrays, N bones: `axes` (N, 3, 3) at `heads` (N, 3); `exact_all` (N,)
    says whether joints need all of them exact, or X only; `parents` (N,) are indices, -1 for
    none."""

    heads: Matrix
    axes: Matrix
    lengths: Vector
    exact_all: NDArray[np.bool_]
    parents: Indices

    def select(self, which: Any) -> "WantedBones":
        """Returns some of them; their parents are still indices of all."""
        return WantedBones(**{each.name: getattr(self, each.name)[which] for each in fields(self)})


@dataclass(frozen=True, slots=True, kw_only=True)
class EditBones:
    """The numbers for edit mode: `heads` and `tails` (N, 3) in the armature's frame, `rolls`
    (N,)."""

    heads: Single
    tails: Single
    rolls: Single

    def copy(self) -> "EditBones":
        """Returns the same numbers in other arrays."""
        return EditBones(heads=self.heads.copy(), tails=self.tails.copy(), rolls=self.rolls.copy())

    def bone(self, index: Any) -> EditBone:
        """Returns one bone."""
        x, y, z = self.heads[index]
        u, v, w = self.tails[index]
        return EditBone((x, y, z), (u, v, w), self.rolls[index])


def gather_bones(bones: Sequence[BonePlan]) -> WantedBones:
    """Returns the bones of a plan, at least one, as arrays."""
    index = {bone.name: i for i, bone in enumerate(bones)}
    rests = np.array([bone.rest for bone in bones])
    return WantedBones(
        heads=rests[:, :3, 3],
        axes=rests[:, :3, :3],
        lengths=np.array([bone.length for bone in bones]),
        exact_all=np.array([bone.exact == "xyz" for bone in bones]),
        parents=np.array([index.get(bone.parent, -1) for bone in bones], np.intp),
    )


def fit_bones(wanted: WantedBones, machine: AngleFunctions = ROUNDED_ONCE) -> EditBones:
    """Fits the numbers for edit mode, so that Blender makes exact bones of them. `machine` has the
    functions that Blender uses here, on which its last bits depend."""
    edit = compute_edit_bones(wanted)
    delicate = _find_delicate(wanted, edit)
    if delicate.any():
        pending = _add_parents(delicate, wanted.parents)
        _Search(wanted=wanted, edit=edit, machine=machine, suspects=pending, likely=delicate).fit()
    return edit


def mend_bones(
    wanted: WantedBones, edit: EditBones, made: Matrix, machine: AngleFunctions = ROUNDED_ONCE
) -> tuple[Indices, EditBones]:
    """Mends the numbers `edit` where Blender `made` inexact rest matrices (N, 4, 4) from them.
    Returns the indices of bones that change, and all numbers."""
    wrong = measure_errors(made[:, :3, :3], aim_axes(wanted, edit)) > TOLERANCE
    if not wrong.any():
        return np.empty(0, np.intp), edit
    copied = edit.copy()
    search = _Search(wanted=wanted, edit=copied, machine=machine, suspects=wrong, likely=wrong)
    search.mend(made.astype(np.float32))
    tails, rolls = search.edit.tails, search.edit.rolls
    changed = (tails != edit.tails).any(axis=1) | (rolls != edit.rolls)
    return np.flatnonzero(changed), search.edit


def compute_edit_bones(wanted: WantedBones) -> EditBones:
    """Computes the numbers for edit mode without a check of Blender's result."""
    tails, rolls = edit_numbers(wanted.heads, wanted.axes, wanted.lengths)
    return EditBones(
        heads=wanted.heads.astype(np.float32),
        tails=tails.astype(np.float32),
        rolls=rolls.astype(np.float32),
    )


def aim_axes(wanted: WantedBones, edit: EditBones) -> Matrix:
    """Returns (N, 3, 3) the axes that Blender should make from the numbers `edit`: Y along the
    bone, where its children are held, and X, or all axes where joints need that, as wanted."""
    y = edit.tails.astype(np.float64) - edit.heads
    y /= np.linalg.norm(y, axis=1)[:, None]
    x = wanted.axes[:, :, 0]
    axes = np.stack([x, y, np.cross(x, y)], axis=-1)
    return np.where(wanted.exact_all[:, None, None], wanted.axes, axes)


def measure_errors(made: Matrix | Single, aimed: Matrix) -> Vector:
    """Returns (N,) by how much axes `made` (N, 3, 3) miss `aimed` ones."""
    return np.abs(made - aimed).max(axis=(1, 2))


def _find_delicate(wanted: WantedBones, edit: EditBones) -> NDArray[np.bool_]:
    """Finds (N,) the bones that need care, as if all parents were right already."""
    parents, own = wanted.parents, wanted.axes[:, :, 1]
    roots = parents < 0
    above = np.where(roots[:, None, None], np.eye(3), wanted.axes[parents]).astype(np.float32)
    tails = np.where(roots[:, None], np.float32(0.0), edit.tails[parents])
    bones = EditBone(edit.heads.T.copy(), edit.tails.T.copy(), edit.rolls)
    columns = above.transpose(2, 1, 0).copy()
    inverse = np.array(invert_rest(columns))
    made: Single = rest_axes_of(bones, edit_frame(bones), columns, inverse, tails.T.copy())
    errors = measure_errors(made.transpose(2, 1, 0), aim_axes(wanted, edit))
    folded: NDArray[np.bool_] = np.einsum("ni,ni->n", own, above[:, :, 1]) < _FOLDED
    return folded | (errors > _AIM)


def _add_parents(delicate: NDArray[np.bool_], parents: Indices) -> NDArray[np.bool_]:
    """Adds to bones (N,) all above them, on whose last bits they depend."""
    pending, above = delicate.copy(), parents.tolist()
    for i in np.flatnonzero(delicate).tolist():
        up = above[i]
        while up >= 0 and not pending[up]:
            pending[up] = True
            up = above[up]
    return pending


@dataclass(frozen=True, slots=True, kw_only=True)
class _Others:
    """Other tails for a bone, K of them as arrays, with their edit_frame, and the columns of the
    axes that they aim at (3, 3, K)."""

    bones: EditBone
    frames: Axes
    aimed: Matrix

    def select(self, part: slice) -> "_Others":
        """Returns some of them."""
        bones, frames = self.bones, self.frames
        return _Others(
            bones=EditBone(bones.head[:, part], bones.tail[:, part], bones.roll[part]),
            frames=frames[:, :, part],
            aimed=self.aimed[:, :, part],
        )


@dataclass(frozen=True, kw_only=True)
class _Search:
    """The state while bones are fitted: `suspects` (N,) may need other tails, `likely` (N,) ones
    among them do, `edit` changes, `rests` belong to finished bones, `others` are tails to try."""

    wanted: WantedBones
    edit: EditBones
    machine: AngleFunctions
    suspects: NDArray[np.bool_]
    likely: NDArray[np.bool_]
    rests: dict[int, RestBone] = field(default_factory=dict)
    others: dict[int, _Others] = field(default_factory=dict)

    @cached_property
    def order(self) -> list[int]:
        """Indices of all bones, parents first."""
        return _sort_parents_first(self.wanted.parents)

    def fit(self) -> None:
        """Works out the suspects, including all bones above them, and the bones below changed ones,
        and gives other tails to bones that come out wrong."""
        changed: set[int] = set()
        for place, i in enumerate(self.order):
            up = int(self.wanted.parents[i])
            if self.suspects[i] or up in changed:
                bone = self.edit.bone(i)
                rest = self._work_out(i, bone)
                error = self._measure(i, bone, rest)
                self.rests[i] = rest
                if error > _AIM and self._try_others(place, error):
                    changed.add(i)

    def mend(self, made: Single) -> None:
        """Gives other tails to the suspects and to bones that go wrong with them.
        `made` (N, 4, 4) is Blender's own result: nothing more is known of machines where it was not
        foreseen."""
        moved: set[int] = set()
        for place, i in enumerate(self.order):
            bone, above = self.edit.bone(i), int(self.wanted.parents[i])
            self.rests[i] = _read_rest(made[i], bone)
            if above in moved:
                moved.add(i)
                self.rests[i] = self._work_out(i, bone)
            if self.suspects[i] or i in moved:
                error = self._measure(i, bone, self.rests[i])
                if error > _AIM and self._try_others(place, error):
                    moved.add(i)

    def _find_above(self, index: int) -> tuple[RestBone, Triple]:
        """Returns the result for a bone's parent, and its tail."""
        up = int(self.wanted.parents[index])
        return (self.rests[up], self.edit.bone(up).tail) if up >= 0 else (NO_PARENT, ORIGIN)

    def _work_out(self, index: int, bone: EditBone) -> RestBone:
        frame = edit_frame(bone, self.machine)
        return rest_of(bone, frame, *self._find_above(index), self.machine)

    def _measure(self, index: int, bone: EditBone, rest: RestBone) -> float:
        """Does as measure_errors, for one bone."""
        if self.wanted.exact_all[index]:
            aimed = self.wanted.axes[index].T.tolist()
        else:
            along = [float(b) - float(a) for a, b in zip(bone.head, bone.tail, strict=True)]
            aimed = _aim(self.wanted.axes[index, :, 0].tolist(), along)
        errors: list[float] = [
            abs(float(made) - wanted)
            for axis, other in zip(rest.axes, aimed, strict=True)
            for made, wanted in zip(axis, other, strict=True)
        ]
        return max(errors)

    def _try_others(self, place: int, error: float) -> bool:
        """Tries other tails for the bone and keeps the best if it beats `error`; returns whether it
        did."""
        index = self.order[place]
        others = self._find_others(place)
        bones, (parent, tail) = others.bones, self._find_above(index)
        above, inverse, origin = (
            np.array(values)[..., None] for values in (parent.axes, invert_rest(parent.axes), tail)
        )
        made = rest_axes_of(bones, others.frames, above, inverse, origin)
        found = np.abs(made - others.aimed).max(axis=(0, 1))
        tails = bones.tail.T
        same = (tails == self.edit.tails[index]).all(axis=1)
        score = np.maximum(found, _PLAIN) + _SLIGHT * np.abs(TURNS)
        best = int(np.where(same, np.inf, score).argmin())
        if found[best] >= error:
            return False
        self.edit.tails[index] = tails[best]
        self.edit.rolls[index] = bones.roll[best]
        self.rests[index] = self._work_out(index, self.edit.bone(index))
        return True

    def _find_others(self, place: int) -> _Others:
        """Finds other tails for a bone at a place in the order: parts independent of parents are
        worked out for the next likely bones too, which costs little more than for one."""
        index = self.order[place]
        if index not in self.others:
            following = (i for i in self.order[place + 1 :] if self.likely[i])
            block = [index, *islice(following, _BLOCK - 1)]
            self.others.clear()
            self.others.update(zip(block, _list_others(self.wanted.select(block)), strict=True))
        return self.others[index]


def _list_others(wanted: WantedBones) -> Iterator[_Others]:
    """Lists other tails and rolls for each bone, the least changes first."""
    toward, lengths = try_tails(wanted.axes, wanted.lengths, ~wanted.exact_all)
    count = lengths.shape[1]
    heads, axes = (
        np.repeat(np.moveaxis(values, 0, -1), count, axis=-1)
        for values in (wanted.heads, wanted.axes.transpose(0, 2, 1))
    )
    tails, rolls = edit_columns(heads, axes[0], toward, lengths.ravel())
    bones = EditBone(*(np.array(numbers, np.float32) for numbers in (heads, tails, rolls)))
    aimed = _aim(axes[0], bones.tail.astype(np.float64) - bones.head)
    exact_all = np.repeat(wanted.exact_all, count)
    others = _Others(
        bones=bones,
        frames=np.array(edit_frame(bones)),
        aimed=np.where(exact_all, axes, np.array(aimed)),
    )
    for start in range(0, len(rolls), count):
        yield others.select(slice(start, start + count))


def _aim(x: Any, along: Any) -> Any:
    """Does as aim_axes, for one bone whose X joints need, or columns of many: the columns of axes,
    from X and a vector along the bone in double precision."""
    (a, b, c), (u, v, w) = x, along
    length = (u * u + v * v + w * w) ** 0.5
    u, v, w = u / length, v / length, w / length
    return x, (u, v, w), (b * w - c * v, c * u - a * w, a * v - b * u)


def _read_rest(made: Single, bone: EditBone) -> RestBone:
    """Reads a rest matrix (4, 4)."""
    x, y, z, origin = ((a, b, c) for a, b, c in made[:3].T)
    squares = sum((b - a) * (b - a) for a, b in zip(bone.head, bone.tail, strict=True))
    return RestBone(axes=(x, y, z), origin=origin, length=np.sqrt(squares))


def _sort_parents_first(parents: Indices) -> list[int]:
    """Sorts indices of bones, parents before their children."""
    depths = (parents >= 0).astype(np.intp)
    above = parents
    while (above >= 0).any():
        depths = depths + np.where(above >= 0, depths[above], 0)
        above = np.where(above >= 0, above[above], -1)
    order: list[int] = np.argsort(depths, kind="stable").tolist()
    return order
