# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that must not be given twice."""

from collections.abc import Callable, Iterable
from itertools import chain, count


def append_number(name: str, number: int) -> str:
    """Returns the name of the second, third, ... that is called `name`: arm_2."""
    return f"{name}_{number}"


def find_free(name: str, is_taken: Callable[[str], bool]) -> str:
    """Returns the name, else the first numbered one, that is not taken."""
    names = chain([name], (append_number(name, number) for number in count(2)))
    return next(each for each in names if not is_taken(each))


class Claims:
    """Gives out each name once: a second `arm` becomes `arm_2`.

    `taken` are earlier names. `form` makes a name from a taken one and a number, which counts up
    from `first`.
    """

    def __init__(
        self,
        form: Callable[[str, int], str] = append_number,
        *,
        first: int = 2,
        taken: Iterable[str] = (),
    ) -> None:
        self._form = form
        self._first = first
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def claim(self, wanted: str) -> str:
        """Returns `wanted` if it is free, else the first numbered name that is."""
        name = wanted
        while name in self._taken:
            number = self._next.get(wanted, self._first)
            self._next[wanted] = number + 1
            name = self._form(wanted, number)
        self._taken.add(name)
        return name
