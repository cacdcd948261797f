# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories of every kind, for properties that hold of all."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from support.recorded import START
from urdf_importer import FrameTrack, Trajectory

NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="\0\r\n", exclude_categories=("Cc", "Cs")),
    min_size=1,
    max_size=12,
).filter(lambda name: name == name.strip() and not name.startswith("/"))
NUMBERS = st.floats(-1e6, 1e6, allow_nan=False, width=64)


def times(count: int) -> st.SearchStrategy[np.ndarray]:
    """Whole nanoseconds as seconds, rising from zero."""
    steps = st.lists(st.integers(1, 10**11), min_size=count - 1, max_size=count - 1)
    return steps.map(lambda each: np.cumsum([0, *each]) / 1e9)


@st.composite
def tracks(draw: Any, parent: st.SearchStrategy[str], child: st.SearchStrategy[str]) -> FrameTrack:
    count = draw(st.integers(1, 4))
    turned = draw(arrays.arrays(float, (count, 4), elements=st.floats(0.25, 1.0)))
    return FrameTrack(
        parent=draw(parent),
        child=draw(child),
        times=draw(times(count)),
        translations=draw(arrays.arrays(float, (count, 3), elements=NUMBERS)),
        quaternions=turned / np.linalg.norm(turned, axis=1, keepdims=True),
    )


@st.composite
def trajectories(
    draw: Any, *, interpolation: str = "", holes: bool = True, frames: bool = True
) -> Trajectory:
    """Joints with samples and holes, frames that move, and every kind of numbers."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    count = draw(st.integers(1, 6))
    shape = (count, len(names))
    numbers = NUMBERS | st.just(np.nan) if holes else NUMBERS
    positions = draw(arrays.arrays(float, shape, elements=numbers))
    # Every joint and every time has a sample, or it would not be in a recording.
    positions[:, 0] = np.nan_to_num(positions[:, 0])
    positions[0] = np.nan_to_num(positions[0])
    kinds = {
        kind: draw(arrays.arrays(float, shape, elements=NUMBERS))
        for kind in ("velocities", "accelerations", "efforts")
        if draw(st.booleans())
    }
    edges = draw(st.lists(st.tuples(NAMES, NAMES), max_size=2, unique=True)) if frames else ()
    return Trajectory(
        names=tuple(names),
        times=draw(times(count)),
        positions=positions,
        frames=tuple(draw(tracks(st.just(a), st.just(b))) for a, b in edges),
        start_time=draw(st.integers(0, 2**60)),
        interpolation=interpolation or draw(st.sampled_from(("linear", "spline"))),  # type: ignore[arg-type]
        **kinds,
    )


def wave(joints: int, count: int) -> Trajectory:
    """Returns so many joints that swing for `count` hundredths of a second, on a base that rolls
    ahead and is told of at every tenth of them."""
    seconds = np.arange(count) / 100
    sparse = seconds[::10]
    track = FrameTrack(
        parent="odom",
        child="base",
        times=sparse,
        translations=np.stack([sparse, 0 * sparse, 0 * sparse], axis=1),
        quaternions=np.tile([0, 0, 0, 1.0], (len(sparse), 1)),
    )
    positions = np.stack([np.sin(seconds + i) for i in range(joints)], axis=1)
    return Trajectory(
        names=tuple(f"joint_{i}" for i in range(joints)),
        times=seconds,
        positions=positions,
        velocities=2 * positions,
        frames=(track,),
        start_time=START,
    )
