# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded names that are joints' names with something before or behind, or with the same words."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ....core.diagnostics import KinematicsError, quote

_OTHER = frozenset(
    (
        *("velocity", "velocities", "vel", "effort", "efforts", "torque", "torques", "current"),
        *("temperature", "qd", "dq", "tau", "ddq", "acceleration", "acc", "speed", "load"),
    )
)
"""Words for other things than positions."""
_USUAL = frozenset(("position", "positions", "pos", "q", "state"))
_MOST_LETTERS, _MOST_EDGES = 200, 24
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True, slots=True)
class _Rule:
    """`before` and `after` a joint's name in the motion, or a recorded one in the robot's."""

    before: str
    after: str
    is_recorded: bool

    @property
    def words(self) -> frozenset[str]:
        return frozenset(_words_of(f"{self.before} {self.after}"))

    @property
    def text(self) -> str:
        return " and ".join(quote(each) for each in (self.before, self.after) if each)


def match_by_rule(
    recorded: Sequence[str], joints: Collection[str]
) -> tuple[dict[str, str], str] | None:
    """Returns recorded name -> joint by the rule that fits most joints, at edges of words, and the
    part left out, in words; None where no rule fits two joints, or the only one. Affixes that tell
    of velocities or efforts never count. Raises KinematicsError where two rules fit alike."""
    fits: dict[_Rule, dict[str, str]] = {}
    known, said = frozenset(joints), frozenset(recorded)
    for longs, shorts, is_recorded in ((recorded, known, True), (joints, said, False)):
        for long in longs:
            for before, short, after in _cut(long):
                if short in shorts and (before or after):
                    rule = _Rule(before, after, is_recorded)
                    name, joint = (long, short) if is_recorded else (short, long)
                    fits.setdefault(rule, {})[name] = joint
    least = min(2, len(known), len(said))
    ranked = sorted(
        ((rule, found) for rule, found in fits.items()
         if len(found) >= least and not (rule.is_recorded and rule.words & _OTHER)),
        key=lambda each: (-len(each[1]), -len(each[0].words & _USUAL), not each[0].is_recorded),
    )  # fmt: skip
    if not ranked:
        return None
    (rule, found), *rest = ranked
    for other, its in rest:
        alike = len(its) == len(found) and len(other.words & _USUAL) == len(rule.words & _USUAL)
        if alike and other.is_recorded and rule.is_recorded and _disagree(found, its):
            name, joint = next(iter(found.items()))
            raise KinematicsError(
                f"{rule.text} and {other.text} both fit in the names of the motion: say --prefix "
                f"{rule.before}, or --name {name}:={joint}"
            )
    who = "the motion" if rule.is_recorded else "the robot"
    return found, f"names of joints fit without {rule.text} in the names of {who}"


def _disagree(one: dict[str, str], other: dict[str, str]) -> bool:
    return bool(set(one.values()) & set(other.values())) and one.keys() != other.keys()


def _cut(name: str) -> list[tuple[str, str, str]]:
    """Returns the parts before, in and behind each run of whole words of a name."""
    if len(name) > _MOST_LETTERS:
        return []
    starts = [at for at in range(len(name)) if not at or not name[at - 1].isalnum()]
    ends = [at for at in range(1, len(name) + 1) if at == len(name) or not name[at].isalnum()]
    return [
        (name[:start], name[start:end], name[end:])
        for start in starts[:_MOST_EDGES]
        for end in ends[-_MOST_EDGES:]
        if start < end
    ]


def _words_of(name: str) -> tuple[str, ...]:
    return tuple(each.lower() for each in _WORD.findall(name[:_MOST_LETTERS]))


def match_by_words(
    recorded: Sequence[str], joints: Collection[str]
) -> tuple[dict[str, str], str] | None:
    """Returns recorded name -> joint by their words: without case, separators, "joint", a leading k
    and words that four of five names share, as long as all stay distinct; None where fewer than
    two fit, or not the only one."""
    usable = [name for name in recorded if not set(_words_of(name)) & _OTHER]
    for thins in (True, False):
        one, other = _by_words(usable, thins), _by_words(list(joints), thins)
        found = {name: other[key] for key, name in one.items() if key in other}
        if found and len(found) >= min(2, len(recorded), len(joints)):
            return found, "names of joints fit by their words alone"
    return None


def _by_words(names: Sequence[str], thins: bool) -> dict[tuple[str, ...], str]:
    every = {name: tuple(w for w in _words_of(name) if w != "joint") for name in names}
    every = {name: words[1:] if words[:1] == ("k",) else words for name, words in every.items()}
    counts = Counter(word for words in every.values() for word in set(words))
    shared = {word for word, count in counts.items() if count >= 0.8 * len(names)}
    if thins and len(names) > 1:
        every = {name: tuple(w for w in words if w not in shared) for name, words in every.items()}
    found: dict[tuple[str, ...], str] = {}
    for name, words in every.items():
        if words in found:
            return {}
        if words:
            found[words] = name
    return found
