# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragging a body: its joint goes along."""

from dataclasses import dataclass
from typing import Any

import bpy
from mathutils import Vector

from ...urdf_importer.core.blender.loop_hand import LoopHand, take_loops
from ...urdf_importer.core.blender.standing.free_joints import (
    FreeDrag,
    can_move,
    can_turn,
    grip_free,
    regrip_free,
)
from ...urdf_importer.core.blender.standing.handles import (
    JointHandle,
    enter_armature,
    explain_hold,
    find_handle,
    grip_body,
    list_movable,
    snap_position,
)
from ...urdf_importer.core.blender.standing.selection import choose_bones
from ..active_robot import PolledOperator, is_playing, redraw_views
from ..registration import add_key
from .bodies import Hit, Sight, find_hit, look_through, read_eye
from .dragging import DragOperator, find_dragged, pressed_at
from .switch import is_on

_LEAST = 24
"""Pixels from the axis within which a body turns as if it were held that far away."""
_HELP = "Drag: move the joint    Shift: finely    Ctrl: in steps    Esc or right click: take back"
_HELP_FREE = "G: move    R: turn"


@dataclass(slots=True, kw_only=True)
class Dragging:
    """The drag in progress: drawn by the gizmo, moved by the operator. `raw` are the channels'
    numbers at the start, to the last bit, `start` the joint's. `loops` bring along the joints that
    the rig does not."""

    handle: JointHandle
    drag: Any
    raw: tuple[float, ...]
    start: tuple[float, ...]
    loops: LoopHand | None
    mouse: tuple[float, float]

    @property
    def name(self) -> str:
        return self.handle.joint.name

    @property
    def turning(self) -> bool:
        """Whether a body that moves freely is being turned."""
        return isinstance(self.drag, FreeDrag) and self.drag.turning

    def follow(self, ray: Any, *, fine: bool, stepped: bool) -> None:
        """Moves the joint to where the mouse has it, within its limits; without a keyframe."""
        drag, handle = self.drag, self.handle
        found, free = drag.move(ray, fine=fine), isinstance(drag, FreeDrag)
        positions, starts = (found, drag.start) if free else ((found,), self.start)
        movable, bone = list_movable(handle), handle.pose_bone
        for channel, position, start in zip(handle.joint.channels, positions, starts, strict=True):
            if channel not in movable:
                continue
            if stepped and position != start:
                position = snap_position(channel, position, fine=fine)
            channel.put(bone, handle.limit(channel, position))
        if self.loops is not None:
            self.loops.follow()

    def keep(self) -> bool:
        """Ends it. Returns whether the joint is elsewhere than it was."""
        bone, now = self.handle.pose_bone, _read_raw(self.handle)
        for channel, old, new in zip(self.handle.joint.channels, self.raw, now, strict=True):
            if old != new:
                channel.set(bone, channel.get(bone))
        if self.loops is not None and now != self.raw:
            self.loops.keep()
        return now != self.raw

    def take_back(self) -> None:
        """Puts the numbers there that were there before."""
        bone = self.handle.pose_bone
        for channel, raw in zip(self.handle.joint.channels, self.raw, strict=True):
            getattr(bone, channel.prop)[channel.index] = raw
        if self.loops is not None:
            self.loops.take_back()


class DragJoint(DragOperator, bpy.types.Operator):
    bl_idname = "urdf.drag_joint"
    bl_label = "Drag Joint"
    bl_description = (
        "Turn or slide the joint of the robot's body under the mouse, within its limits. Shift "
        "moves it finely, Ctrl in steps, Esc takes it back"
    )

    moved_by = ("MOUSEMOVE", "INBETWEEN_MOUSEMOVE")

    def invoke(self, context: Any, event: Any) -> set[str]:
        if context.region_data is None:
            return {"CANCELLED", "PASS_THROUGH"}
        hit = find_hit(context, pressed_at(context.region, event))
        handle = find_handle(hit.item) if hit is not None else None
        if hit is None or handle is None:
            return {"CANCELLED", "PASS_THROUGH"}
        hold = explain_hold(handle)
        if hold:
            self.report({"WARNING"}, f"{handle.joint.name}: {hold}")
            return {"CANCELLED"}
        more = f"    {_HELP_FREE}" if can_move(handle) and can_turn(handle) else ""
        return self.begin(context, event, _begin(context, hit, handle), f"{_HELP}{more}")

    def follow(self, context: Any, sight: Sight, event: Any) -> None:
        dragging = find_dragged()
        ray = enter_armature(dragging.handle, sight)
        dragging.follow(ray, fine=event.shift, stepped=event.ctrl)

    def press(self, context: Any, event: Any) -> None:
        """Continues turning a body that moves freely (R), or moving it (G)."""
        if event.type not in ("G", "R") or event.value != "PRESS":
            return
        dragging, turning = find_dragged(), event.type == "R"
        able = can_turn if turning else can_move
        if dragging.turning == turning or not able(dragging.handle):
            return
        place = (event.mouse_region_x, event.mouse_region_y)
        sight = look_through(context.region, context.region_data, place)
        up, least = _measure(context, dragging.drag.find_held())
        dragging.drag = regrip_free(dragging.drag, sight, up, least, turning=turning)


def find_dragging() -> Dragging | None:
    """Finds the joint that is being dragged."""
    found = find_dragged()
    return found if isinstance(found, Dragging) else None


class PickJoint(bpy.types.Operator):
    bl_idname = "urdf.pick_joint"
    bl_label = "Select Joint"
    bl_description = (
        "In pose mode, select the bone under the mouse, else the bone of the "
        "joint that moves the robot's body there"
    )
    bl_options = {"INTERNAL", "UNDO"}

    def invoke(self, context: Any, event: Any) -> set[str]:
        """Leaves a click in object mode to Blender, which selects an object."""
        mouse = pressed_at(context.region, event)
        hit = find_hit(context, mouse) if context.mode == "POSE" else None
        handle = find_handle(hit.item) if hit is not None else None
        if handle is None or handle.carrier.mode != "POSE" or _selects_by_right(context):
            return {"CANCELLED", "PASS_THROUGH"}
        place = (int(mouse[0]), int(mouse[1]))
        bpy.ops.view3d.select(location=place, deselect_all=True)
        if not context.selected_pose_bones:
            choose_bones(handle.carrier, [handle.mover.bone])
        redraw_views()
        return {"FINISHED"}


class ExplainPlaying(PolledOperator, bpy.types.Operator):
    bl_idname = "urdf.explain_playing"
    bl_label = "Drag While Playing"
    bl_description = (
        "Say in the status bar that the animation must stop before bodies are dragged: Blender "
        "hides all gizmos while it plays"
    )
    bl_options = {"INTERNAL"}

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        shown = is_playing(context) and is_on(context, "joint_gizmo")
        return "" if shown else "Bodies can be dragged: the animation does not play"

    def invoke(self: Any, context: Any, event: Any) -> set[str]:
        """Leaves the drag to Blender in any case."""
        in_view = context.region_data is not None
        if in_view and find_hit(context, pressed_at(context.region, event)) is not None:
            self.report({"INFO"}, "Stop the animation (Space) to drag this body")
        return {"CANCELLED", "PASS_THROUGH"}


def register() -> None:
    """Adds the drags that say why nothing is dragged: to the tools that select, which take drags
    before modes do."""
    for tool in ("Tweak", "Select Box", "Select Circle", "Select Lasso"):
        add_key(f"3D View Tool: {tool}", ExplainPlaying.bl_idname, "LEFTMOUSE", "CLICK_DRAG")


def _selects_by_right(context: Any) -> bool:
    """Whether the left button sets the cursor and the right one selects."""
    chosen = context.window_manager.keyconfigs.active.preferences
    return getattr(chosen, "select_mouse", "LEFT") == "RIGHT"


def _begin(context: Any, hit: Hit, handle: JointHandle) -> Dragging:
    up, least = _measure(context, hit.point)
    drag: Any
    if handle.is_free:
        turning = not can_move(handle)
        drag = grip_free(handle, hit.point, hit.sight, up, least, turning=turning)
    else:
        drag = grip_body(handle, hit.point, hit.sight, up, least)
    return Dragging(
        handle=handle,
        drag=drag,
        raw=_read_raw(handle),
        start=tuple(handle.shown(channel) for channel in handle.joint.channels),
        loops=take_loops(handle.armature, handle.joint.name),
        mouse=(0.0, 0.0),
    )


def _measure(context: Any, place: Any) -> tuple[Any, float]:
    """Returns the view's upward direction, and how near to its axis at a place a body is held as if
    it were further away."""
    up = context.region_data.view_rotation @ Vector((0.0, 1.0, 0.0))
    return up, _LEAST * read_eye(context).measure_pixel(place)


def _read_raw(handle: JointHandle) -> tuple[float, ...]:
    bone = handle.pose_bone
    return tuple(getattr(bone, each.prop)[each.index] for each in handle.joint.channels)
