# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a robot that are worked out when they are asked for."""

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar, overload

T = TypeVar("T")


class Deferred(Sequence[T], Generic[T]):
    """A sequence that is worked out at its first use, once; else like the tuple of its items.

    An import asks for no sensors: interpreting them took a third of the time of reading a robot.
    Copies and pickles hold the items.
    """

    __slots__ = ("_items", "_work")

    def __init__(self, work: Callable[[], Sequence[T]]) -> None:
        self._work: Callable[[], Sequence[T]] | None = work
        self._items: tuple[T, ...] = ()

    def _all(self) -> tuple[T, ...]:
        if self._work is not None:
            self._items = tuple(self._work())
            self._work = None
        return self._items

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self._all()[index]

    def __len__(self) -> int:
        return len(self._all())

    def __iter__(self) -> Iterator[T]:
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Deferred | tuple) and self._all() == tuple(other)

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return repr(self._all())

    def __reduce__(self) -> tuple[type[tuple[T, ...]], tuple[tuple[T, ...]]]:
        return tuple, (self._all(),)
