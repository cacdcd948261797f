# SPDX-License-Identifier: GPL-3.0-or-later
"""The ranges of joints as wires beside them, each under the empty of its link."""

from collections.abc import Mapping, Sequence
from typing import Any

import bpy

from ...rig.looks import draw_limits, draw_marks
from ...rig.rig_plan import BoneLook, LimitMarkPlan, Mark, Role
from ..arrays import hide_in_renders
from ..ledger import Ledger
from ..standing import properties
from .links import place


def build_limit_marks(
    plans: Sequence[LimitMarkPlan], links: Mapping[str, Any], collection: Any, ledger: Ledger
) -> None:
    """Makes them into the collection. They are seen through the robot and never rendered, and a
    click goes through them."""
    for plan in plans:
        name = f"{plan.joint}_limits"
        mesh = ledger.new_mesh(name)
        points, edges = draw_limits(plan)
        mesh.from_pydata(points.tolist(), edges, ())
        mark = ledger.new_object(name, mesh)
        mark.parent = links[plan.parent]
        place(mark, plan.place)
        mark.display_type = "WIRE"
        mark.show_in_front = True
        mark[properties.LIMITS_OF] = plan.joint
        collection.objects.link(mark)
    hide_in_renders(collection.objects)
    collection.objects.foreach_set("hide_select", [True] * len(collection.objects))


Color = tuple[float, float, float]

_COLORS: dict[Role, Color] = {
    "revolute": (1.0, 0.72, 0.13),
    "continuous": (0.45, 0.9, 0.25),
    "prismatic": (0.2, 0.72, 1.0),
    "several": (1.0, 0.42, 0.16),
    "fixed": (0.6, 0.6, 0.6),
    "follower": (0.72, 0.56, 0.95),
    "root": (1.0, 0.25, 0.4),
}
"""Bright, and distinct in lightness too, on the dark grey of Blender's default theme."""

_WIRE_WIDTH = 1.8
"""Pixels."""


def give_looks(armature: Any, looks: Mapping[str, BoneLook], ledger: Ledger) -> None:
    """Gives bones their looks, by their names; others are drawn as Blender's own."""
    widgets = {
        marks: _provide_widget(marks, ledger)
        for marks in dict.fromkeys(look.marks for look in looks.values())
    }
    radii = []
    for pose_bone in armature.pose.bones:
        look = looks.get(pose_bone.name)
        radii.append(1.0 if look is None else look.radius)
        if look is not None:
            pose_bone.custom_shape = widgets[look.marks]
            color = pose_bone.bone.color
            color.palette, shades = "CUSTOM", color.custom
            shades.normal, shades.select, shades.active = _SHADES[look.role]
    # All at once, in metres: one by one it takes six times as long.
    pose_bones, count = armature.pose.bones, len(radii)
    pose_bones.foreach_set("use_custom_shape_bone_size", [False] * count)
    pose_bones.foreach_set("custom_shape_scale_xyz", [radius for radius in radii for _ in "xyz"])
    pose_bones.foreach_set("custom_shape_wire_width", [_WIRE_WIDTH] * count)


def _lighten(color: Color, share: float) -> Color:
    red, green, blue = color
    return (red + share * (1 - red), green + share * (1 - green), blue + share * (1 - blue))


_SHADES = {
    role: (color, _lighten(color, 0.55), _lighten(color, 0.85)) for role, color in _COLORS.items()
}
"""Unselected, selected, and active."""


def _provide_widget(marks: tuple[Mark, ...], ledger: Ledger) -> Any:
    """Finds a widget that another robot of the file has, or builds it. By name, since a file may
    hold many objects; a widget that a user renamed stays with the robots that have it."""
    name = "-".join(["WGT", *(f"{kind}_{'XYZ'[axis]}" for kind, axis in marks)])
    found = bpy.data.objects.get((name, None))
    if found is not None and found.get(properties.WIDGET) == name:
        return found
    mesh = ledger.share(bpy.data.meshes.new(name))
    points, edges = draw_marks(marks)
    mesh.from_pydata(points.tolist(), edges, ())
    widget = ledger.share(bpy.data.objects.new(name, mesh))
    widget[properties.WIDGET] = name
    return widget
