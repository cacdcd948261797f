# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that must not be given twice."""


class Claims:
    """Gives out each name once: a second `arm` becomes `arm_2`."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def claim(self, wanted: str) -> str:
        name = wanted
        while name in self._taken:
            number = self._next.get(wanted, 2)
            self._next[wanted] = number + 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name
