# SPDX-License-Identifier: GPL-3.0-or-later
"""The latest results, cached for repeated questions, from any thread."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


class Recent(Generic[_K, _V]):
    """At most `most` values by their keys; the oldest is forgotten first.

    Threads may ask at the same time: each step is one that Python does at once. Two that miss the
    same key both work it out; both get the value that came first.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[_K, tuple[_V]] = {}

    def get(self, key: _K, make: Callable[[], _V]) -> _V:
        """Returns the value kept for a key, or makes it."""
        kept = self._kept.get(key)
        if kept is None:
            kept = self._kept.setdefault(key, (make(),))
            for oldest in list(self._kept)[: -self._most]:
                self._kept.pop(oldest, None)
        return kept[0]
