# SPDX-License-Identifier: GPL-3.0-or-later
"""How much one expansion may cost.

Everything that expands xacro says what it is about to do: elements that come in or are copied,
characters that are read or made, steps of expressions. Each of these is bounded, and each looks at
the clock. The price: a description beyond these bounds, which are some ten times what the largest
real robots need, is refused and must be expanded by the program xacro first.
"""

import time

from ..diagnostics import ReadError

MOST_SECONDS = 20.0
MOST_ELEMENTS = 1_000_000
MOST_CHARACTERS = 64 * 1024 * 1024


class Budget:
    """What is left of one expansion's time and space. Everything raises ReadError at the end of it,
    without a place: whoever knows it adds it."""

    def __init__(
        self,
        seconds: float = MOST_SECONDS,
        elements: int = MOST_ELEMENTS,
        characters: int = MOST_CHARACTERS,
    ) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._elements = self._elements_left = elements
        self._characters = self._characters_left = characters

    def spend_element(self, characters: int = 0) -> None:
        """One element is read, copied or looked at, with so many characters below it."""
        self._elements_left -= 1
        if self._elements_left < 0:
            raise ReadError(
                f"the xacro makes more than {self._elements} elements, which no robot has"
            )
        self.spend(characters)

    def spend(self, characters: int) -> None:
        """So many characters, or things of about that size, are read or made."""
        self._characters_left -= characters
        if self._characters_left < 0:
            raise ReadError(
                f"the xacro makes more than {self._characters // 2**20} MiB of text and values"
            )
        if time.monotonic() > self._end:
            raise ReadError(f"expanding the xacro takes more than {self._seconds:g} s")
