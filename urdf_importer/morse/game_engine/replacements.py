# SPDX-License-Identifier: GPL-3.0-or-later
"""What was put in the place of something else, so that it can be put back."""

from typing import Any

_MISSING = object()


class Replacements:
    """A list of attributes that were set, with what they were."""

    def __init__(self) -> None:
        self._made: list[tuple[Any, str, Any]] = []

    def __bool__(self) -> bool:
        return bool(self._made)

    def put(self, owner: Any, name: str, value: Any) -> None:
        """Sets an attribute of a module or a class."""
        self._made.append((owner, name, vars(owner).get(name, _MISSING)))
        setattr(owner, name, value)

    def undo(self) -> None:
        """Makes all of them what they were, the last first."""
        while self._made:
            owner, name, former = self._made.pop()
            if former is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, former)
