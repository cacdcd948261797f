# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder of files beside a robot: each content once, under a name of its own."""

import hashlib
import re
from pathlib import Path

from ..files.portable import avoid_reserved
from ..names import find_free

_OTHER = re.compile(r"[^A-Za-z0-9_-]+")
_MOST_LETTERS = 60


class FileFolder:
    """Writes files into `folder`, which is made when the first one comes; `prefix` begins their
    names in urls ("Robot_meshes/").

    Names differ in more than upper and lower case, and depend on nothing but the order of work.
    """

    def __init__(self, folder: Path, prefix: str) -> None:
        self._folder = folder
        self._prefix = prefix
        self._names: dict[bytes, str] = {}
        self._taken: set[str] = set()

    def write(self, content: bytes, stem: str, suffix: str) -> str:
        """Returns the url of a file with this content, which is written the first time."""
        key = hashlib.sha256(suffix.encode() + b"\0" + content).digest()
        if key not in self._names:
            name = self._new_name(stem, suffix)
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / name).write_bytes(content)
            self._names[key] = name
        return self._prefix + self._names[key]

    def _new_name(self, stem: str, suffix: str) -> str:
        plain = _OTHER.sub("_", stem).strip("_")[:_MOST_LETTERS] or "mesh"
        plain = avoid_reserved(plain)
        name = find_free(plain, lambda each: (each + suffix).lower() in self._taken) + suffix
        self._taken.add(name.lower())
        return name
