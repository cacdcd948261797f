# SPDX-License-Identifier: GPL-3.0-or-later
"""What the interface remembers from one call to the next, until it is taken out of Blender.

Operators and panels come and go, so neither can remember. This is the one place for it: whoever
remembers something has a dataclass with a default for each field, and gets the one object of it
here. What was read from robots belongs into `urdf_importer/blender/memory.py` instead, which knows
when that is out of date.
"""

from typing import TypeVar

_T = TypeVar("_T")

_remembered: dict[type, object] = {}


def recall_state(kind: type[_T]) -> _T:
    """Returns the session's one object of a class, made when it is first asked for."""
    if kind not in _remembered:
        _remembered[kind] = kind()
    found = _remembered[kind]
    assert isinstance(found, kind)
    return found


def register() -> None:
    """Does nothing: who remembers something begins by itself."""


def unregister() -> None:
    """Forgets everything, after all others took out of Blender what they had added."""
    _remembered.clear()
