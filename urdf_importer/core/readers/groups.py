# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of many names are connected: bodies by joints, models by the joints of their world."""

from collections.abc import Iterable


class Groups:
    """Sets of connected names (union by their first names)."""

    def __init__(self, names: Iterable[str]) -> None:
        self._first = {each: each for each in names}

    def __contains__(self, name: str) -> bool:
        return name in self._first

    def find(self, name: str) -> str:
        """Returns the first name of the set with this name. Raises KeyError for an unknown name."""
        path = [name]
        while self._first[path[-1]] != path[-1]:
            path.append(self._first[path[-1]])
        self._first.update(dict.fromkeys(path, path[-1]))
        return path[-1]

    def join(self, one: str, other: str) -> bool:
        """Puts the sets of two names together; returns whether these were two."""
        first, second = self.find(one), self.find(other)
        self._first[second] = first
        return first != second

    def members(self) -> list[list[str]]:
        """Returns the sets, each in the order in which it was given."""
        found: dict[str, list[str]] = {}
        for name in self._first:
            found.setdefault(self.find(name), []).append(name)
        return list(found.values())
