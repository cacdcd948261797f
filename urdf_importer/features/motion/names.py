# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded names -> joints of a robot."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches

from ...core.diagnostics import Diagnostics, KinematicsError, quote
from .fitting.rules import match_by_rule, match_by_words

_MOST_NAMED, _MOST_SUGGESTED, _MOST_COMPARED, _MOST_LETTERS = 5, 3, 200, 100


def match_names(
    recorded: Sequence[str],
    joints: Collection[str],
    given: Mapping[str, str],
    prefix: str,
    diagnostics: Diagnostics,
) -> dict[str, str]:
    """Returns recorded name -> joint: as `given` says it; the same name; without `prefix`. Where
    nothing fits so, the prefix, suffix or namespace that makes most joints fit, or the words of
    names, with a warning.

    Names that fit nothing are one diagnostic. Raises KinematicsError where no name fits, and for
    given pairs that name no joint.
    """
    for joint in given.values():
        if joint not in joints:
            raise KinematicsError(f"the robot has no moving joint {quote(joint)}")
    found = {}
    for name in recorded:
        bare = name.removeprefix(prefix)
        fitting = [each for each in (given.get(name, name), name, bare) if each in joints]
        if fitting:
            found[name] = fitting[0]
    if not found:
        matched = match_by_rule(recorded, joints) or match_by_words(recorded, joints)
        if matched is None:
            raise KinematicsError(
                f"no joint of the robot is in the motion: it has {name_few(recorded)}, the robot "
                f"{name_few(joints)}{_suggest(recorded, joints)}"
            )
        found, message = matched
        diagnostics.warning("joints-matched", message)
    unknown = [name for name in recorded if name not in found]
    if unknown:
        diagnostics.warning(
            "unknown-joint",
            f"the robot has no moving joint for {len(unknown)} of the motion's: "
            f"{name_few(unknown)}",
        )
    return found


def _suggest(recorded: Sequence[str], joints: Collection[str]) -> str:
    """Returns up to three pairs of names that are near each other, as arguments."""
    if len(joints) > _MOST_COMPARED:
        return ""
    near = {
        name: get_close_matches(name, joints, n=1)
        for name in recorded[:_MOST_COMPARED]
        if len(name) <= _MOST_LETTERS
    }
    pairs = [f"--name {name}:={found[0]}" for name, found in near.items() if found]
    return f"; perhaps {' '.join(pairs[:_MOST_SUGGESTED])}" if pairs else ""


def name_few(names: Iterable[str]) -> str:
    """Returns the first few names, for a message."""
    every = list(names)
    more = len(every) - _MOST_NAMED
    shown = ", ".join(map(quote, every[:_MOST_NAMED])) or "none"
    return shown + (f" and {more} more" if more > 0 else "")
