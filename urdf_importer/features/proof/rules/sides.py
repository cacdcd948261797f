# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of parts that have counterparts on the other side of a robot."""

import re

_SIDES = (("l", "r"), ("fl", "fr"), ("rl", "rr"), ("hl", "hr"), ("bl", "br"), ("lf", "rf"),
          ("lh", "rh"), ("lb", "rb"), ("left", "right"))  # fmt: skip
_ENDS = (("fl", "rl"), ("fl", "hl"), ("fl", "bl"), ("fr", "rr"), ("fr", "hr"), ("fr", "br"),
         ("lf", "lh"), ("lf", "lb"), ("rf", "rh"), ("rf", "rb"), ("front", "rear"),
         ("front", "back"), ("front", "hind"))  # fmt: skip
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def other_side(name: str) -> str:
    """Returns the name with left and right changed over; unchanged without such a word."""
    return _swap(name, _SIDES)


def other_ends(name: str) -> tuple[str, ...]:
    """Returns the names that it may have at the other end, front and rear changed over."""
    return tuple(each for pair in _ENDS if (each := _swap(name, (pair,))) != name)


def _swap(name: str, pairs: tuple[tuple[str, str], ...]) -> str:
    table = dict(pairs) | {other: one for one, other in pairs}

    def swap(word: "re.Match[str]") -> str:
        text = word.group()
        other = table.get(text.lower())
        if other is None:
            return text
        return (
            other.upper() if text.isupper() else other.capitalize() if text[0].isupper() else other
        )

    return _WORD.sub(swap, name)
