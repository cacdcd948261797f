# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface's memory from one call to the next, until it is taken out of Blender.

Operators and panels come and go, so neither can remember. This is the one place for it: a module
with a memory has a dataclass with a default for each field, and gets the one object of it here.
Data read from robots belongs into `core/blender/memory.py` of the library instead, which knows when
that is out of date.
"""

from typing import TypeVar

_T = TypeVar("_T")

_remembered: dict[type, object] = {}


def session_state(kind: type[_T]) -> _T:
    """Returns the session's one object of a class, made when it is first asked for."""
    if kind not in _remembered:
        _remembered[kind] = kind()
    found = _remembered[kind]
    assert isinstance(found, kind)
    return found


def forget_session() -> None:
    """Forgets everything, after all others took their additions out of Blender."""
    _remembered.clear()
