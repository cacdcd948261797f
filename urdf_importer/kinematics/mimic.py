# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joints follow which."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..diagnostics import Diagnostics, quote
from ..model import Mimic
from .motion import JointMotion


def resolve_mimics(
    motions: Sequence[JointMotion], diagnostics: Diagnostics
) -> tuple[JointMotion, ...]:
    """Returns the motions with `mimic` set where it can be followed: source there, both of one
    position each, no ring. What cannot be followed moves on its own, with a warning."""
    by_name = {motion.joint.name: motion for motion in motions}
    followed = {
        motion.joint.name: motion.joint.mimic
        for motion in motions
        if motion.joint.mimic is not None and _can_follow(motion, by_name, diagnostics)
    }
    for name in _find_rings(followed):
        motion = by_name[name]
        _warn(
            diagnostics,
            motion,
            "mimic-ring",
            "mimics itself by way of other joints; it moves on its own",
        )
        del followed[name]
    return tuple(replace(motion, mimic=followed.get(motion.joint.name)) for motion in motions)


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


def _can_follow(
    motion: JointMotion, by_name: Mapping[str, JointMotion], diagnostics: Diagnostics
) -> bool:
    mimic = motion.joint.mimic
    assert mimic is not None
    source = by_name.get(mimic.joint)
    if not motion.is_scalar:
        finding = f"is {motion.joint.type} and cannot mimic a joint; mimic is ignored"
        _warn(diagnostics, motion, "mimic-ignored", finding)
    elif source is None:
        finding = f"mimics joint {quote(mimic.joint)}, which is not there; it moves on its own"
        _warn(diagnostics, motion, "mimic-unknown-joint", finding)
    elif not source.is_scalar:
        finding = (
            f"mimics joint {quote(mimic.joint)}, which has no single position; it moves on its own"
        )
        _warn(diagnostics, motion, "mimic-ignored", finding)
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


def _warn(diagnostics: Diagnostics, motion: JointMotion, code: str, finding: str) -> None:
    name = motion.joint.name
    diagnostics.warning(
        code, f"joint {quote(name)} {finding}", subject=name, line=motion.joint.line
    )
