# SPDX-License-Identifier: GPL-3.0-or-later
"""A line about the drags in the view, for users who have not made one yet."""

from dataclasses import dataclass
from typing import Any

from . import preferences as remembered
from .gizmos.switch import is_on
from .session import session_state
from .wrapped_text import draw_wrapped

_DRAGGED = "dragged"


@dataclass(slots=True)
class _Steps:
    """Whether anything was ever dragged; None before the kept answer was asked for."""

    dragged: bool | None = None


def note_dragged() -> None:
    """Keeps for all sessions that a body or a ball was dragged."""
    if not _has_dragged():
        session_state(_Steps).dragged = True
        remembered.save(remembered.load() | {_DRAGGED: "yes"})


def draw_first_steps(layout: Any, context: Any, poses_key: str) -> None:
    """Draws the line, with the key for poses unless it is empty, until something was dragged;
    nothing where the gizmos are off."""
    if _has_dragged():
        return
    things = [
        name
        for switch, name in (("joint_gizmo", "a body"), ("tip_handles", "a white ball"))
        if is_on(context, switch)
    ]
    if things:
        text = f"Drag {' or '.join(things)}. Ctrl: steps."
        rest = f" {poses_key}: poses." if poses_key else ""
        draw_wrapped(layout, context, text + rest, icon="INFO")


def _has_dragged() -> bool:
    steps = session_state(_Steps)
    if steps.dragged is None:
        steps.dragged = _DRAGGED in remembered.load()
    return steps.dragged
