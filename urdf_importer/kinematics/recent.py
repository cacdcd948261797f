# SPDX-License-Identifier: GPL-3.0-or-later
"""What was worked out last, kept for those who ask again, from any thread."""

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


class Recent(Generic[_K, _V]):
    """At most `most` values by their keys; the oldest is forgotten first.

    Threads may ask at the same time. Two that miss the same key both work it out, since a lock held
    meanwhile would let all others wait; both get the value that came first.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[_K, _V] = {}
        self._lock = threading.Lock()

    def recall(self, key: _K, make: Callable[[], _V]) -> _V:
        """Returns the value kept for a key, or makes it."""
        with self._lock:
            if key in self._kept:
                return self._kept[key]
        made = make()
        with self._lock:
            if key not in self._kept:
                while len(self._kept) >= self._most:
                    del self._kept[next(iter(self._kept))]
                self._kept[key] = made
            return self._kept[key]
