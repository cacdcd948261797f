# SPDX-License-Identifier: GPL-3.0-or-later
"""The results of checks of motions: shown until the next check, or until the robot changes."""

from dataclasses import dataclass, field
from typing import Any

from ...urdf_importer import Violation
from ...urdf_importer.core.blender.memory import count_changes
from ..session import session_state


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The result of a robot's last check, as it was after so many `changes`; `contacts` as in a
    CollisionReport."""

    changes: int
    violations: tuple[Violation, ...]
    first: int
    last: int
    contacts: tuple[Any, ...] = ()


@dataclass(slots=True)
class Checks:
    """The result of the last check of each robot, by their session's numbers: shown until the
    next."""

    found: dict[int, Checked] = field(default_factory=dict)


def keep_checked(robot: Any, checked: Checked) -> None:
    """Keeps the result of a robot's check, and forgets the results of before its changes."""
    found = session_state(Checks).found
    for other, earlier in tuple(found.items()):
        if earlier.changes != checked.changes:
            del found[other]
    found[robot.session_uid] = checked


def find_checked(robot: Any) -> Checked | None:
    """Finds the result of a robot's last check; None where it is not about the robot as it is
    now."""
    found = session_state(Checks).found.get(robot.session_uid)
    return found if found is not None and found.changes == count_changes() else None
