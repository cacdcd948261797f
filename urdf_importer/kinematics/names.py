# SPDX-License-Identifier: GPL-3.0-or-later
"""Bone names that Blender keeps as they are."""

BONE_NAME_BYTES = 63
"""Blender cuts bone names here, in every version, and numbers what clashes: nothing can be found
again by a name that Blender made. Full names stay in the rig's properties."""


class NameTable:
    """Gives out names of at most 63 bytes of UTF-8, each once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def claim(self, wanted: str) -> str:
        """`wanted` itself if it is free and fits, else shortened and numbered (.001)."""
        name = _cut(wanted, BONE_NAME_BYTES) or "joint"
        stem = name
        while name in self._taken:
            number = self._next.get(stem, 1)
            self._next[stem] = number + 1
            suffix = f".{number:03d}"
            name = _cut(stem, BONE_NAME_BYTES - len(suffix)) + suffix
        self._taken.add(name)
        return name


def _cut(name: str, size: int) -> str:
    """At most `size` bytes, cut between characters."""
    return name.encode("utf-8", "replace")[:size].decode("utf-8", "ignore")
