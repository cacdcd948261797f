# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames in frames that move, beside matrices."""

import numpy as np

from urdf_importer import FrameTrack
from urdf_importer.core.geometry.transforms import rotation_from_quaternion
from urdf_importer.features.motion.frames import (
    align_signs,
    find_base,
    interpolate_track,
    multiply,
    rotate,
)


def track(parent, child, count, seed):
    rng = np.random.default_rng(seed)
    turned = rng.normal(size=(count, 4))
    return FrameTrack(
        parent=parent,
        child=child,
        times=np.arange(count) * 0.5,
        translations=rng.normal(size=(count, 3)),
        quaternions=turned / np.linalg.norm(turned, axis=1, keepdims=True),
    )


def matrix(moved, turned):
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = rotation_from_quaternion(turned), moved
    return frame


def test_chains_are_products_of_frames():
    inner, outer, fixed = track("odom", "base", 5, 1), track("map", "odom", 5, 2), track(
        "world", "map", 1, 3
    )  # fmt: skip
    found = find_base([outer, fixed, inner], ["base"], "")
    assert (found.parent, found.child) == ("world", "base")
    for row in range(5):
        wanted = np.linalg.multi_dot(
            [
                matrix(each.translations[i], each.quaternions[i])
                for each, i in ((fixed, 0), (outer, row), (inner, row))
            ]
        )
        shown = matrix(found.translations[row], found.quaternions[row])
        assert np.allclose(shown, wanted, atol=1e-12)
    assert find_base([outer, inner], ["base"], "odom") == inner
    assert find_base([outer, inner], ["nose"], "") is None
    assert find_base([track("a", "b", 2, 1), track("b", "a", 2, 2)], ["a"], "").child == "a"


def test_between_samples_turns_go_the_shortest_way_at_one_speed():
    half = np.sqrt(0.5)
    turning = FrameTrack(
        parent="a",
        child="b",
        times=[0, 1],
        translations=[[0, 0, 0], [2, 0, 0]],
        quaternions=[[0, 0, 0, 1], [0, 0, -half, -half]],
    )
    moved, turned = interpolate_track(turning, np.array([-1.0, 0.5, 9.0]))
    assert moved[:, 0].tolist() == [0, 1, 2]
    assert np.allclose(turned[1], [0, 0, np.sin(np.pi / 8), np.cos(np.pi / 8)])
    assert np.allclose(np.abs(turned[2]), [0, 0, half, half])


def test_products_and_turned_vectors():
    a, b = track("", "", 6, 4).quaternions, track("", "", 6, 5).quaternions
    vectors = np.random.default_rng(6).normal(size=(6, 3))
    for row in range(6):
        one, other = rotation_from_quaternion(a[row]), rotation_from_quaternion(b[row])
        assert np.allclose(rotation_from_quaternion(multiply(a, b)[row]), one @ other)
        assert np.allclose(rotate(a, vectors)[row], one @ vectors[row])
    aligned = align_signs(a)
    assert ((aligned[1:] * aligned[:-1]).sum(axis=1) >= 0).all()
