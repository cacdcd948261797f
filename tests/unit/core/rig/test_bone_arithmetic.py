# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's arithmetic of bones comes out the same for one bone and for many at once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from urdf_importer.core.rig.bone_arithmetic import (
    NO_PARENT,
    ORIGIN,
    EditBone,
    edit_frame,
    invert_rest,
    rest_axes_of,
    rest_of,
)

COUNT = 12


def throw_bones(chance, count):
    """Bones (3, N) in all directions, many of them along -Y."""
    heads = chance.normal(size=(3, count)) * 0.1
    toward = chance.normal(size=(3, count)) * 10.0 ** chance.uniform(-6, 0, count)
    toward[1] -= chance.choice([0.0, 1.0], count)
    tails = heads + toward * chance.uniform(0.02, 0.6, count)
    rolls = chance.uniform(-np.pi, np.pi, count)
    return EditBone(*(values.astype(np.float32) for values in (heads, tails, rolls)))


def take(bones, index):
    return EditBone(tuple(bones.head[:, index]), tuple(bones.tail[:, index]), bones.roll[index])


@given(st.integers(0, 2**32))
def test_many_bones_at_once_are_as_each_alone(seed):
    chance = np.random.default_rng(seed)
    above = take(throw_bones(chance, 1), 0)
    parent = rest_of(above, edit_frame(above), NO_PARENT, ORIGIN)
    bones = throw_bones(chance, COUNT)
    frames = np.array(edit_frame(bones))
    axes, inverse, tail = (
        np.array(values)[..., None]
        for values in (parent.axes, invert_rest(parent.axes), above.tail)
    )
    made = rest_axes_of(bones, frames, axes, inverse, tail)
    for i in range(COUNT):
        alone = take(bones, i)
        assert np.array_equal(edit_frame(alone), frames[:, :, i])
        rest = rest_of(alone, edit_frame(alone), parent, above.tail)
        assert np.array_equal(rest.axes, made[:, :, i])
