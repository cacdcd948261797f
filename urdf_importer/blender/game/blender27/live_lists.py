# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of named things as Blender's Python has them: by number, by name, and always current."""

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar, overload

Entry = TypeVar("Entry")


class LiveList(Generic[Entry]):
    """`read_names` gives the names as they are now, `make` the thing of a number.

    Stands for what bpy_prop_collection was to game properties and logic bricks.
    """

    __slots__ = ("_make", "_read_names")

    def __init__(self, read_names: Callable[[], list[str]], make: Callable[[int], Entry]) -> None:
        self._read_names = read_names
        self._make = make

    def __len__(self) -> int:
        return len(self._read_names())

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.values())

    @overload
    def __getitem__(self, key: int | str) -> Entry: ...
    @overload
    def __getitem__(self, key: slice) -> list[Entry]: ...
    def __getitem__(self, key: int | str | slice) -> Entry | list[Entry]:
        """Raises IndexError and KeyError, as Blender does."""
        if isinstance(key, slice):
            return self.values()[key]
        names = self._read_names()
        if isinstance(key, str):
            if key not in names:
                raise KeyError(f'bpy_prop_collection[key]: key "{key}" not found')
            return self._make(names.index(key))
        number = key + len(names) if key < 0 else key
        if not 0 <= number < len(names):
            raise IndexError(
                f"bpy_prop_collection[index]: index {key} out of range, size {len(names)}"
            )
        return self._make(number)

    def __contains__(self, name: object) -> bool:
        return name in self._read_names()

    def keys(self) -> list[str]:
        return self._read_names()

    def values(self) -> list[Entry]:
        return [self._make(number) for number in range(len(self))]

    def items(self) -> list[tuple[str, Entry]]:
        return list(zip(self.keys(), self.values(), strict=True))

    def get(self, name: str, default: Any = None) -> Any:
        number = self.find(name)
        return default if number < 0 else self._make(number)

    def find(self, name: str) -> int:
        """Its number; -1 where there is none."""
        names = self._read_names()
        return names.index(name) if name in names else -1

    def __repr__(self) -> str:
        return f"<LiveList of {self._read_names()}>"
