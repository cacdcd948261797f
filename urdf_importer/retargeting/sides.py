# SPDX-License-Identifier: GPL-3.0-or-later
"""Left and right in names: of two names that are partners, which is the left one's."""

from itertools import takewhile


def compare_sides(one: str, other: str) -> int:
    """Returns 1 where the one name is the left one's and the other the right one's, -1 where it is
    the other way round, and 0 where the names do not tell: by the part in which they differ."""
    start = sum(
        1 for _ in takewhile(lambda both: both[0] == both[1], zip(one, other, strict=False))
    )
    first, second = one[start:].lower(), other[start:].lower()
    if not first or not second:
        return 0
    sides = first[0] + second[0]
    return {"lr": 1, "rl": -1}.get(sides, 0)
