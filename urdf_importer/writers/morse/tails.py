# SPDX-License-Identifier: GPL-3.0-or-later
"""Other tails for bones whose axes Blender may make inexact.

Blender works a bone's axes out in single precision, in the armature's frame and again in that of
its parent, by a formula that loses its last digits for bones near -Y there. How much is chance, and
not the same in all Blenders. So a script measures such bones and tries other tails, a little turned
about the joint's axis, until one is right.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from ...geometry.transforms import Matrix
from ...rig.rig_plan import BonePlan
from ...rig.rounding import edit_numbers, rank_refinements
from .armatures import ArmaturePlan
from .literals import single, table, text, vector

_FOLDED = 0.9
"""Cosine beyond which a bone points back."""

_MOST = 12
"""Tails that are tried for one bone."""


def write_tails(armatures: Sequence[ArmaturePlan]) -> str:
    """The table TAILS, parents before their children."""
    rows = [row for armature in armatures for row in _rows_of(armature)]
    return table("TAILS", "bone, its X axis in the armature, other tails and their rolls", rows)


def _rows_of(armature: ArmaturePlan) -> Iterator[str]:
    axes = {bone.name: bone.rest[:3, :3] for bone in armature.bones}
    for bone in armature.bones:
        parent = axes.get(bone.parent, np.eye(3))
        own = bone.rest[:3, 1]
        if min(float(own @ parent[:, 1]), float(own[1])) < -_FOLDED:
            yield f"{text(bone.name)}, {vector(bone.rest[:3, 0])}, {_write_others(bone, parent)}"


def _write_others(bone: BonePlan, parent: Matrix) -> str:
    """As many pairs of a tail and a roll as are tried."""
    head, axes = bone.rest[:3, 3], bone.rest[:3, :3]
    ranked = rank_refinements(head, axes, bone.length, free_turn=True, parent=parent)[:_MOST]
    turned = np.array([axes for axes, _ in ranked])
    lengths = np.array([length for _, length in ranked])
    tails, rolls = edit_numbers(np.repeat(head[None], len(ranked), axis=0), turned, lengths)
    pairs = [
        f"({vector(tail)}, {single(float(roll))})"
        for tail, roll in zip(tails.tolist(), rolls, strict=True)
    ]
    return "(\n        " + ",\n        ".join(pairs) + ")"
