# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion beside the limits of a robot.

Lines between samples have no acceleration of their own: their acceleration and jerk are the divided
differences of neighbouring samples, which are weighted means of the derivatives of any smooth
motion through the samples. So a motion that keeps its limits is never found to break them, however
uneven its times are. Cubics are taken exactly.
"""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from ...core.kinematics.keys import Keys, follow
from .limits import JointLimits, RobotLimits, Violation, ViolationKind
from .series import Cubics, cubics_of, extreme_values, fastest, series_of
from .trajectory import Numbers, Trajectory

SLACK = 1e-6
"""Of positions in radians or metres, of the others as a share: a value within it keeps its limit.
"""
Peak = tuple[float, float]
"""A value and its second."""


def check_motion(
    trajectory: Trajectory, limits: RobotLimits, joints: Mapping[str, str]
) -> tuple[Violation, ...]:
    """Returns the worst of each joint and kind beyond its limit, the worst first; `joints` says
    which joint a name of the motion is. Followers that it does not have move with theirs."""
    found: list[Violation] = []
    for name, joint in joints.items():
        column = trajectory.names.index(name)
        keys = series_of(trajectory, column, turns=joint in limits.turning)
        if not len(keys.times):
            continue
        found += _check_joint(joint, keys, limits.joints[joint])
        found += _check_stated(joint, trajectory, column, limits.joints[joint])
        for follower, mimic in limits.followers.items():
            if mimic.joint == joint and follower not in joints.values():
                moved = follow(keys, mimic.multiplier, mimic.offset)
                found += _check_joint(follower, moved, limits.joints[follower])
    return rank(found)


def rank(violations: Iterable[Violation]) -> tuple[Violation, ...]:
    """Returns the worst of each joint and kind, the worst first."""
    worst: dict[tuple[str, str], Violation] = {}
    for each in violations:
        known = worst.get((each.joint, each.kind))
        if known is None or each.excess > known.excess:
            worst[each.joint, each.kind] = each
    return tuple(sorted(worst.values(), key=lambda each: -each.excess))


def peaks_of(keys: Keys) -> dict[ViolationKind, Peak]:
    """Returns the greatest velocity, acceleration and jerk of a joint, as sizes."""
    if keys.slopes is not None and len(keys.times) > 1:
        return dict(_peaks_of_cubics(cubics_of(keys)))
    return dict(_peaks_of_lines(keys.times, keys.values))


def _check_joint(joint: str, keys: Keys, limits: JointLimits) -> Iterator[Violation]:
    yield from _check_positions(joint, keys, limits)
    for kind, peak in peaks_of(keys).items():
        yield from compare_size(joint, kind, peak, getattr(limits, kind))


def compare_size(
    joint: str, kind: ViolationKind, peak: Peak, limit: float | None, slack: float = SLACK
) -> Iterator[Violation]:
    """Yields the violation of a bound on a size, if it is by more than this share of the bound."""
    value, time = peak
    if limit is not None and value > limit * (1.0 + slack):
        excess = value / limit - 1.0
        yield Violation(joint=joint, kind=kind, value=value, limit=limit, time=time, excess=excess)


def compare_positions(
    joint: str, values: Numbers, times: Numbers, limits: JointLimits, slack: float = SLACK
) -> Iterator[Violation]:
    """Yields the worst of positions (m,) beyond each end of a range by more than `slack`."""
    for limit, sign in ((limits.lower, -1.0), (limits.upper, 1.0)):
        if limit is None:
            continue
        worst = int((sign * values).argmax())
        value, time = float(values[worst]), float(times[worst])
        excess = sign * (value - limit)
        if excess > slack:
            yield Violation(
                joint=joint, kind="position", value=value, limit=limit, time=time, excess=excess
            )


def _check_positions(joint: str, keys: Keys, limits: JointLimits) -> Iterator[Violation]:
    times, values = keys.times, keys.values
    if keys.slopes is not None and len(times) > 1:
        cubics = cubics_of(keys)
        after, inside = extreme_values(cubics)
        times = np.concatenate([times, (cubics.starts[:, None] + after).ravel()])
        values = np.concatenate([values, inside.ravel()])
    yield from compare_positions(joint, values, times, limits)


def _check_stated(
    joint: str, trajectory: Trajectory, column: int, limits: JointLimits
) -> Iterator[Violation]:
    """Compares the samples' velocities, accelerations and efforts."""
    stated: tuple[tuple[ViolationKind, Numbers | None], ...] = (
        ("velocity", trajectory.velocities),
        ("acceleration", trajectory.accelerations),
        ("effort", trajectory.efforts),
    )
    for kind, array in stated:
        if array is None or np.isnan(array[:, column]).all():
            continue
        sizes = np.abs(array[:, column])
        worst = int(np.nanargmax(sizes))
        peak = float(sizes[worst]), float(trajectory.times[worst])
        yield from compare_size(joint, kind, peak, getattr(limits, kind))


def _peaks_of_lines(times: Numbers, values: Numbers) -> Iterator[tuple[ViolationKind, Peak]]:
    kinds: tuple[ViolationKind, ...] = ("velocity", "acceleration", "jerk")
    for order, (kind, (at, sizes)) in enumerate(
        zip(kinds, divided_differences(times, values), strict=True), start=1
    ):
        if len(times) > order:
            yield kind, _greatest(np.abs(sizes), at)


def divided_differences(times: Numbers, values: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    """Yields times and values of the first, second and third derivative: divided differences times
    1, 2 and 6, in the middle of their samples (Newton)."""
    found, factor = values, 1.0
    for order in (1, 2, 3):
        spans = times[order:] - times[:-order]
        found = np.diff(found) / spans if len(spans) else np.empty(0)
        factor *= order
        middle = np.zeros(len(spans))
        for first in range(order + 1):
            middle += times[first : first + len(spans)] / (order + 1)
        yield middle, found * factor


def _peaks_of_cubics(cubics: Cubics) -> Iterator[tuple[ViolationKind, Peak]]:
    after, slopes = fastest(cubics)
    yield "velocity", _greatest(np.abs(slopes), cubics.starts + after)
    begin = 2 * cubics.second
    end = begin + 6 * cubics.third * cubics.lengths
    ends = cubics.starts + cubics.lengths
    bends = np.concatenate([np.abs(begin), np.abs(end)])
    yield "acceleration", _greatest(bends, np.concatenate([cubics.starts, ends]))
    # Where two cubics meet, acceleration jumps: its change counts from middle to middle.
    middles = cubics.starts + cubics.lengths / 2
    jumps = np.abs(np.diff((begin + end) / 2) / np.diff(middles))
    jerks = np.concatenate([np.abs(6 * cubics.third), jumps])
    yield "jerk", _greatest(jerks, np.concatenate([middles, ends[:-1]]))


def _greatest(sizes: Numbers, times: Numbers) -> Peak:
    worst = int(sizes.argmax())
    return float(sizes[worst]), float(times[worst])
