# SPDX-License-Identifier: GPL-3.0-or-later
"""Names during an update.

The new parts are built beside the old ones. So that they get the names of a fresh import, the old
names are put aside; afterwards remaining objects take the names of their new twins. Names that the
user gave are never touched.
"""

import re
from typing import Any

_NUMBER = re.compile(r"\.\d{3,}$")
_CUT = 58
"""Bytes from which on Blender may have cut a name."""


class NamesAside:
    """Remembers names, and the final name of each datablock."""

    def __init__(self) -> None:
        self._names: dict[Any, str] = {}
        self._sure: set[Any] = set()
        self._final: dict[Any, str] = {}

    def put(self, datablock: Any, wanted: str | None = None) -> None:
        """Puts a name aside, unless the user gave it: such a name is neither `wanted` nor `wanted`
        with a number. Without `wanted` that is decided when the twin's name is known."""
        name = datablock.name
        if datablock in self._names or (wanted is not None and not is_named_after(name, wanted)):
            return
        self._names[datablock] = name
        if wanted is not None:
            self._sure.add(datablock)
        datablock.name = f" {len(self._names):06}"

    def hand_over(self, datablock: Any, twin: Any) -> None:
        """Plans that a datablock takes the name of its twin, which goes."""
        name = self._names.get(datablock)
        if name is None:
            return
        if datablock in self._sure or is_named_after(name, _stem(twin.name)):
            self._final[datablock] = twin.name

    def pass_on(self, datablock: Any, twin: Any) -> None:
        """Gives a name of the user's to the twin that replaces a datablock."""
        if datablock not in self._names:
            name, datablock.name = datablock.name, "~ replaced"
            twin.name = name

    def forget(self, datablock: Any) -> None:
        """Drops the name of a datablock that goes."""
        self._names.pop(datablock, None)
        self._final.pop(datablock, None)

    def give_back(self) -> None:
        """Gives every datablock its final name; where it has no twin, its old one."""
        for datablock, name in sorted(self._final.items(), key=lambda each: each[1].lower()):
            datablock.name = name
        for datablock, name in self._names.items():
            if datablock not in self._final:
                datablock.name = name

    def restore(self) -> None:
        """Restores all old names."""
        self._final.clear()
        self.give_back()


def is_named_after(name: str, wanted: str) -> bool:
    """Whether Blender may have made this name from `wanted`: it cuts names and numbers clashing
    ones."""
    if name == wanted:
        return True
    stem = _stem(name)
    return stem == _stem(wanted) or (len(stem.encode()) >= _CUT and wanted.startswith(stem))


def _stem(name: str) -> str:
    return _NUMBER.sub("", name)
