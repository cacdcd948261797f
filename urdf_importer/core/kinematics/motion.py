# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of a joint, derived from its description, and the joints that follow it.

A `Joint` holds the file's data. A `JointMotion` holds the interpreted motion: one of six kinds, a
unit axis, limits that make sense. Each repair is stated in a diagnostic.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from ..diagnostics import Diagnostics, quote
from ..model import BALL_TYPES, Joint, Limit, Mimic, Vector3

Kind = Literal["fixed", "revolute", "prismatic", "planar", "floating", "spherical"]
SCALAR_KINDS = ("revolute", "prismatic")
UNBOUNDED = 1e5
_KINDS: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}
_KINDS |= {"continuous": "revolute", **dict.fromkeys(BALL_TYPES, "spherical")}
_DEFAULT_AXIS = (1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class JointMotion:
    """`axis` has unit length, in the joint frame: the axis of rotation, the direction of sliding or
    the normal of the plane. `lower` and `upper` are None where motion has no bound.
    `mimic` is None unless it can be followed."""

    joint: Joint
    kind: Kind
    axis: Vector3 = _DEFAULT_AXIS
    lower: float | None = None
    upper: float | None = None
    mimic: Mimic | None = None

    @property
    def moves(self) -> bool:
        return self.kind != "fixed"

    @property
    def is_scalar(self) -> bool:
        return self.kind in SCALAR_KINDS

    @property
    def is_endless(self) -> bool:
        """Whether it turns without bounds, as a wheel does."""
        return self.kind == "revolute" and self.lower is None and self.upper is None

    @property
    def is_locked(self) -> bool:
        """Whether its limits leave it one place."""
        return self.lower is not None and self.lower == self.upper

    @property
    def ends(self) -> tuple[float, float]:
        """Its limits, infinite where there is no bound."""
        lower = -math.inf if self.lower is None else self.lower
        return lower, math.inf if self.upper is None else self.upper

    def nearest_valid(self, position: float) -> float:
        """Returns the position within the limits that is nearest to `position`."""
        return clamp(position, self.lower, self.upper)


def clamp(position: float, lower: float | None, upper: float | None) -> float:
    """Returns the nearest position within limits."""
    if lower is not None and position < lower:
        return lower
    return upper if upper is not None and position > upper else position


def choose_range(
    lower: float | None, upper: float | None, *, turns: bool, slide: float
) -> tuple[float, float]:
    """Returns the ends between which a joint is tried: its limits; without these half a turn each
    way, or so many metres."""
    most = math.pi if turns else slide
    if lower is None:
        return (-most if upper is None else upper - most), (most if upper is None else upper)
    return lower, (lower + most if upper is None else upper)


def interpret_joint(joint: Joint, diagnostics: Diagnostics) -> JointMotion:
    """Returns the motion of a joint by itself; its mimic is looked at when all joints are known."""
    kind = _interpret_type(joint, diagnostics)
    if kind in ("fixed", "floating", "spherical"):
        return JointMotion(joint=joint, kind=kind)
    axis = _interpret_axis(joint, diagnostics)
    if axis is None:
        return JointMotion(joint=joint, kind="fixed")
    if kind == "planar":
        return JointMotion(joint=joint, kind=kind, axis=axis)
    lower, upper = _interpret_limits(joint, diagnostics)
    return JointMotion(joint=joint, kind=kind, axis=axis, lower=lower, upper=upper)


def _interpret_type(joint: Joint, diagnostics: Diagnostics) -> Kind:
    if joint.type in _KINDS:
        return _KINDS[joint.type]
    finding = f"has the type {quote(joint.type)}, which URDF does not know; treated as fixed"
    _warn(diagnostics, joint, "unknown-joint-type", finding)
    return "fixed"


def _interpret_axis(joint: Joint, diagnostics: Diagnostics) -> Vector3 | None:
    if joint.axis is None:
        return _DEFAULT_AXIS
    x, y, z = joint.axis
    scale = max(abs(x), abs(y), abs(z))
    if scale < 1e-9:
        _warn(diagnostics, joint, "zero-axis", "has an axis of length zero; treated as fixed")
        return None
    x, y, z = x / scale, y / scale, z / scale
    length = math.sqrt(x * x + y * y + z * z)
    return (x / length, y / length, z / length)


def _interpret_limits(joint: Joint, diagnostics: Diagnostics) -> tuple[float | None, float | None]:
    limit = joint.limit
    if joint.type == "continuous":
        if limit is not None and (limit.lower or limit.upper):
            finding = "is continuous; its position limits are ignored"
            _warn(diagnostics, joint, "continuous-limit", finding)
        return None, None
    if limit is None:
        _warn(diagnostics, joint, "missing-limit", "has no limit; it moves without bound")
        return None, None
    return _order_limits(joint, limit, diagnostics)


def _order_limits(
    joint: Joint, limit: Limit, diagnostics: Diagnostics
) -> tuple[float | None, float | None]:
    if limit.lower is None and limit.upper is None:
        # To urdfdom it is locked; its writers mean a joint that moves, with a rated motor.
        finding = "has a limit without lower and upper; it moves without bound"
        _warn(diagnostics, joint, "limit-without-range", finding)
        return None, None
    lower, upper = limit.lower or 0.0, limit.upper or 0.0
    if lower > upper:
        finding = f"has a lower limit of {lower:g} above the upper of {upper:g}; they are swapped"
        _warn(diagnostics, joint, "swapped-limits", finding)
        lower, upper = upper, lower
    low, high = (end if abs(end) <= UNBOUNDED else None for end in (lower, upper))
    return low, high


def _warn(diagnostics: Diagnostics, joint: Joint, code: str, finding: str) -> None:
    diagnostics.warning(
        code, f"joint {quote(joint.name)} {finding}", subject=joint.name, line=joint.line
    )


_MOST_GUESSES, _MOST_LIKELY = 100, 16
"""Each guess looks at all joints: a hostile description could make many of them."""


def resolve_mimics(
    motions: Sequence[JointMotion], diagnostics: Diagnostics
) -> tuple[JointMotion, ...]:
    """Returns the motions with `mimic` set where it can be followed: source there, both of one
    position each, no ring. A joint that cannot follow moves on its own, with a warning. Followers
    get the limits that their leader's take them to."""
    by_name = {motion.joint.name: motion for motion in motions}
    followed: dict[str, Mimic] = {}
    guesses = 0
    for motion in motions:
        mimic = motion.joint.mimic
        if mimic is not None and mimic.joint not in by_name and motion.is_scalar:
            guesses += 1
            known = by_name if guesses <= _MOST_GUESSES else {}
            mimic = _guess_mimic(motion.joint, mimic, known, diagnostics)
        if mimic is not None and _can_follow(motion, mimic, by_name, diagnostics):
            followed[motion.joint.name] = mimic
    for name in _find_rings(followed):
        finding = "mimics itself through other joints; it moves on its own"
        _warn(diagnostics, by_name[name].joint, "mimic-ring", finding)
        del followed[name]
    found = [replace(motion, mimic=followed.get(motion.joint.name)) for motion in motions]
    return _limit_followers(found, diagnostics)


_EXACT, _ROUNDED = 1e-9, 2e-3
"""Radians or metres: own limits nearer than the first stay as the file has them, nearer than the
second they are the same, rounded."""


def _limit_followers(
    motions: Sequence[JointMotion], diagnostics: Diagnostics
) -> tuple[JointMotion, ...]:
    """Returns the motions with each follower's limits where its leader's take it. One diagnostic
    names all such followers: a warning where simulators would stop the leader at them.

    The stops of a gearbox's joints are real on both sides, and reading chose who leads: without
    any of its leader a follower keeps its own."""
    limited = {motion.joint.name: motion for motion in motions}
    differ: dict[str, bool] = {}
    for name, mimic in follow_to_masters(motions).items():
        own, leader = limited[name], limited[mimic.joint]
        if leader.lower is leader.upper is None and _is_geared(own):
            continue
        reached = [_follow(mimic, end) for end in (leader.lower, leader.upper)]
        lower, upper = reached if mimic.multiplier >= 0.0 else reached[::-1]
        led = replace(own, lower=lower, upper=upper)
        (low, high), (least, most) = own.ends, led.ends
        gaps = [0.0 if a == b else b - a for a, b in ((least, low), (high, most))]
        if max(map(abs, gaps)) > _EXACT:
            limited[name] = led
        if max(map(abs, gaps)) > _ROUNDED and (own.lower, own.upper) != (None, None):
            differ[name] = max(gaps) > _ROUNDED
    if differ:
        _report_limits(limited, differ, diagnostics)
    return tuple(limited.values())


def _report_limits(
    limited: Mapping[str, JointMotion], differ: Mapping[str, bool], diagnostics: Diagnostics
) -> None:
    """`differ`: follower -> whether its own limits would stop its leader."""
    first = limited[max(differ, key=lambda name: differ[name])]
    report = diagnostics.warning if any(differ.values()) else diagnostics.remark
    low, high = first.ends
    way = "without bound" if first.lower is first.upper is None else f"from {low:g} to {high:g}"
    others = f"; {len(differ) - 1} more joints likewise" if len(differ) > 1 else ""
    report(
        "mimic-limits",
        f"joint {quote(first.joint.name)} moves {way}, as far as the joint that it follows "
        f"takes it; its own limits do not count{others}",
        subject=first.joint.name,
        line=first.joint.line,
    )


def _is_geared(motion: JointMotion) -> bool:
    return motion.mimic is not None and "gearbox" in dict(motion.mimic.attributes)


def _follow(mimic: Mimic, end: float | None) -> float | None:
    """Returns where a follower is at an end of its leader's range."""
    if mimic.multiplier == 0.0:
        return mimic.offset
    reached = math.inf if end is None else mimic.multiplier * end + mimic.offset
    return reached if abs(reached) <= UNBOUNDED else None


def follow_to_masters(motions: Sequence[JointMotion]) -> dict[str, Mimic]:
    """Maps follower name -> (independent joint, multiplier, offset), chains multiplied out."""
    followed = {m.joint.name: m.mimic for m in motions if m.mimic is not None}
    masters: dict[str, Mimic] = {}
    for name in followed:
        chain = [name]
        while followed.get(chain[-1]) is not None and chain[-1] not in masters:
            chain.append(followed[chain[-1]].joint)
        for follower in reversed(chain):
            direct = followed.get(follower)
            if direct is None or follower in masters:
                continue
            source = masters.get(direct.joint, Mimic(joint=direct.joint))
            masters[follower] = Mimic(
                joint=source.joint,
                multiplier=direct.multiplier * source.multiplier,
                offset=direct.multiplier * source.offset + direct.offset,
            )
    return masters


def _guess_mimic(
    joint: Joint, mimic: Mimic, by_name: Mapping[str, JointMotion], diagnostics: Diagnostics
) -> Mimic | None:
    """Returns the likely source for a missing joint: the one nearest in the tree whose name ends
    so, as where a limb was copied and its joints were given a prefix. None where there is no such
    joint, or where several are as near."""
    asked = mimic.joint.casefold()
    likely = [
        motion.joint
        for name, motion in by_name.items()
        if asked and name.casefold().endswith(asked) and name != joint.name and motion.is_scalar
    ]
    nearest = _find_nearest(joint, likely, by_name) if len(likely) <= _MOST_LIKELY else []
    lost = f"mimics joint {quote(mimic.joint)}, which does not exist"
    if len(nearest) == 1:
        finding = f"{lost}; {quote(nearest[0])} is used, the nearest joint whose name ends so"
        _warn(diagnostics, joint, "mimic-unknown-joint", finding)
        return replace(mimic, joint=nearest[0])
    shown = f"; one of {', '.join(map(quote, nearest[:5]))} is likely meant" if nearest else ""
    _warn(diagnostics, joint, "mimic-unknown-joint", f"{lost}{shown}; it moves on its own")
    return None


def _find_nearest(
    joint: Joint, likely: Sequence[Joint], by_name: Mapping[str, JointMotion]
) -> list[str]:
    """Returns the names of the joints with the fewest joints between."""
    above = {motion.joint.child: motion.joint for motion in by_name.values()} if likely else {}
    here = _joints_above(joint, above)
    distances = {each.name: _distance(here, _joints_above(each, above)) for each in likely}
    least = min(distances.values(), default=0)
    return [name for name, distance in distances.items() if distance == least]


def _joints_above(joint: Joint, above: Mapping[str, Joint]) -> list[str]:
    """Returns the names of the joint and of its ancestors, up to the root or around a ring."""
    names = {joint.name: None}
    while (upper := above.get(joint.parent)) is not None and upper.name not in names:
        names[upper.name] = None
        joint = upper
    return list(names)


def _distance(first: Sequence[str], second: Sequence[str]) -> int:
    """Returns how many joints lie between two, by the joints above each."""
    shared = len(set(first) & set(second))
    return len(first) + len(second) - 2 * shared


def _can_follow(
    motion: JointMotion, mimic: Mimic, by_name: Mapping[str, JointMotion], diagnostics: Diagnostics
) -> bool:
    source = by_name.get(mimic.joint)
    if not motion.is_scalar:
        finding = f"is {motion.joint.type} and cannot mimic a joint; mimic is ignored"
        _warn(diagnostics, motion.joint, "mimic-ignored", finding)
    elif source is None or not source.is_scalar:
        finding = (
            f"mimics joint {quote(mimic.joint)}, which has no single position; it moves on its own"
        )
        _warn(diagnostics, motion.joint, "mimic-ignored", finding)
    else:
        return True
    return False


def _find_rings(followed: Mapping[str, Mimic]) -> list[str]:
    """All joints on rings, in order. A joint that only leads into a ring is not on it."""
    on_ring: list[str] = []
    visited: set[str] = set()
    for start in followed:
        path: dict[str, int] = {}
        name = start
        while name in followed and name not in visited:
            visited.add(name)
            path[name] = len(path)
            name = followed[name].joint
        if name in path:
            on_ring += list(path)[path[name] :]
    return on_ring
