# SPDX-License-Identifier: GPL-3.0-or-later
"""The handle that is large. It opens near its ball, and where the mouse rests beside the robot or
on the hand; a drag on another body is meant for that body until then.

Bodies of the hand's own limb are never in front of an open handle, which is drawn over them. Other
bodies are: a handle behind them does not open, and closes where the mouse is on none of its parts.
"""

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import bpy
from bpy_extras import view3d_utils
from mathutils import Vector

from ...urdf_importer.core.blender.memory import forget
from ...urdf_importer.core.blender.standing.handles import find_handle
from ...urdf_importer.core.blender.standing.robot_table import find_robot, recall_table
from ...urdf_importer.features.ik.blender.tip_handles import TipHandle, explain_tip, read_frame
from ..gizmos.bodies import Hit, find_hit
from ..registration import call_later
from ..session import session_state
from .tip_shape import Grip, Look, Part, find_grip, list_active, look_at, visible_handles

_AT, _NEAR = 20, 84
"""Pixels from its ball, which grow with the interface: there a handle opens, or may stay open."""
_REST = 0.2
"""Seconds after which a mouse rests."""
_Owner = Literal["none", "hand", "limb", "other"]


@dataclass(slots=True)
class _Opened:
    """The large handle and its part under the mouse, in the view of the region `view`. `since` is
    when the mouse came to where it is."""

    look: Look | None = None
    part: Part | None = None
    view: int = 0
    mouse: tuple[float, float] = (0.0, 0.0)
    since: float = 0.0


def find_opened(context: Any) -> tuple[Look | None, Part | None]:
    """Finds the large handle of a view, and the part of it that a drag would take."""
    opened = session_state(_Opened)
    if context.region is None or context.region.as_pointer() != opened.view:
        return None, None
    return opened.look, opened.part


def follow_mouse(context: Any, mouse: tuple[float, float]) -> bool:
    """Opens and closes handles for a mouse that came to a place of the view; a handle beside it
    opens when it rests. Returns whether anything changed."""
    opened, before = session_state(_Opened), _describe(context)
    opened.view, opened.mouse = context.region.as_pointer(), mouse
    opened.since = time.monotonic()
    take_part(context, mouse)
    if opened.look is None:
        call_later(_rest, _REST)
    return _describe(context) != before


def take_part(context: Any, mouse: tuple[float, float], *, rests: bool = False) -> Grip | None:
    """Finds the part of an open handle that a drag from a place takes; opens and closes them."""
    opened = session_state(_Opened)
    try:
        look, grip = _look(context, mouse, rests)
    except ReferenceError:  # The robot is gone: undo, another file.
        forget()
        look, grip = None, None
    opened.look, opened.part = look, None if grip is None else grip.part
    return grip


def _look(context: Any, mouse: tuple[float, float], rests: bool) -> tuple[Look | None, Grip | None]:
    handle = _find_near(context, mouse)
    if handle is None:
        return None, None
    hit = find_hit(context, mouse)
    owner = _find_owner(handle, hit)
    is_open, is_at = name_tip(handle) == _name_opened(), _measure(context, handle, mouse) <= _AT
    hidden = owner == "other" and _is_before(hit, read_frame(handle).origin)
    opens = (is_at and not hidden) or (rests and owner in ("none", "hand"))
    if not (is_open or opens):
        return None, None
    look = look_at(context, handle, hold=explain_tip(handle))
    grip = find_grip(context, look, mouse)
    if grip is not None and owner == "other" and _is_before(hit, grip.point):
        grip = None
    if grip is None and owner == "other" and not opens:
        return None, None
    return look, grip


def _find_near(context: Any, mouse: tuple[float, float]) -> TipHandle | None:
    """Finds the handle near the mouse: the one whose ball it is at, else the open one; where
    several overlap, the active robot's."""
    found, opened, active = [], _name_opened(), list_active(context)
    for handle in visible_handles(context):
        away = _measure(context, handle, mouse)
        if away <= _NEAR:
            is_open = name_tip(handle) == opened
            rank = (away > _AT, not is_open, handle.armature not in active, away)
            found.append((rank, handle))
    return min(found, key=lambda each: each[0])[1] if found else None


def _measure(context: Any, handle: TipHandle, mouse: tuple[float, float]) -> float:
    """Returns how far the ball is from the mouse, in pixels at a scale of 1."""
    region, view = context.region, context.region_data
    seen = view3d_utils.location_3d_to_region_2d(region, view, read_frame(handle).origin)
    if seen is None:
        return float("inf")
    return float((seen - Vector(mouse)).length / context.preferences.system.ui_scale)


def _find_owner(handle: TipHandle, hit: Hit | None) -> _Owner:
    """Finds whose body the mouse is on; bodies that no joint moves count as none."""
    body = find_handle(hit.item) if hit is not None else None
    if body is None:
        return "none"
    if hit is None or find_robot(hit.item) != handle.armature:
        return "other"
    table = recall_table(handle.armature)
    hand = table.joints.get(table.movers.get(handle.link, ""))
    bone = body.carrier.pose.bones[body.mover.bone]
    carriers = {each.name for each in (bone, *bone.parent_recursive)}
    if hand is not None and body.carrier.name == hand.armature and hand.bone in carriers:
        return "hand"
    return "limb" if body.mover.name in handle.joints else "other"


def _is_before(hit: Hit | None, place: Any) -> bool:
    """Whether a body is nearer to the eye than a place."""
    if hit is None:
        return False
    origin, direction = hit.sight
    return bool((hit.point - origin).dot(direction) < (place - origin).dot(direction))


def _rest() -> float | None:
    """Opens a handle beside a mouse that rests; Blender calls it, without a view."""
    opened = session_state(_Opened)
    left = opened.since + _REST - time.monotonic()
    if left > 0.01:
        return left
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            for region in area.regions:
                if region.as_pointer() == opened.view:
                    with bpy.context.temp_override(window=window, area=area, region=region):
                        take_part(bpy.context, opened.mouse, rests=True)
                    region.tag_redraw()
    return None


def name_tip(handle: TipHandle) -> tuple[str, str]:
    """Returns a name of a tip that outlives its robot; an empty one where that is gone."""
    with suppress(ReferenceError):
        return handle.armature.name, handle.link
    return "", ""


def _name_opened() -> tuple[str, str]:
    look = session_state(_Opened).look
    return ("", "") if look is None else name_tip(look.handle)


def _describe(context: Any) -> tuple[Any, ...]:
    look, part = find_opened(context)
    return _name_opened(), part, "" if look is None else look.hold
