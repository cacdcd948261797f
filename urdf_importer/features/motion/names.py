# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded names -> joints of a robot."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from ...core.diagnostics import Diagnostics, KinematicsError, quote

_MOST_NAMED = 5


def match_names(
    recorded: Sequence[str],
    joints: Collection[str],
    given: Mapping[str, str],
    prefix: str,
    diagnostics: Diagnostics,
) -> dict[str, str]:
    """Returns recorded name -> joint: as `given` says it; the same name; without `prefix`. Where
    nothing fits so, the one prefix, suffix or namespace that makes all fit, with a warning.

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
        found = _match_all(recorded, joints, diagnostics)
    if not found:
        raise KinematicsError(
            f"no joint of the robot is in the motion: it has {name_few(recorded)}, the robot "
            f"{name_few(joints)}"
        )
    unknown = [name for name in recorded if name not in found]
    if unknown:
        diagnostics.warning(
            "unknown-joint",
            f"the robot has no moving joint for {len(unknown)} of the motion's: "
            f"{name_few(unknown)}",
        )
    return found


def _match_all(
    recorded: Sequence[str], joints: Collection[str], diagnostics: Diagnostics
) -> dict[str, str]:
    """Finds the common prefix or suffix of all names, of the motion or of the robot."""
    for joint in joints:
        for name in recorded[:1]:
            for long, short, is_recorded in ((name, joint, True), (joint, name, False)):
                if not short or (not long.endswith(short) and not long.startswith(short)):
                    continue
                found = _strip(recorded, joints, long, short, is_recorded)
                if found:
                    more = long.replace(short, "", 1)
                    who = "the motion" if is_recorded else "the robot"
                    diagnostics.warning(
                        "joints-matched",
                        f"names of joints fit without {quote(more)} in the names of {who}",
                    )
                    return found
    return {}


def _strip(
    recorded: Sequence[str], joints: Collection[str], long: str, short: str, is_recorded: bool
) -> dict[str, str]:
    """Returns the joints of all names where one rule fits all; nothing otherwise."""
    before, after = "", ""
    if long.endswith(short):
        before = long[: len(long) - len(short)]
    else:
        after = long[len(short) :]
    if is_recorded:
        found = {
            name: name.removeprefix(before).removesuffix(after)
            for name in recorded
            if name.startswith(before) and name.endswith(after)
        }
    else:
        found = {name: f"{before}{name}{after}" for name in recorded}
    fits = len(found) == len(recorded) and all(joint in joints for joint in found.values())
    return found if fits else {}


def name_few(names: Iterable[str]) -> str:
    """Returns the first few names, for a message."""
    every = list(names)
    more = len(every) - _MOST_NAMED
    shown = ", ".join(map(quote, every[:_MOST_NAMED])) or "none"
    return shown + (f" and {more} more" if more > 0 else "")
