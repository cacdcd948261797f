# SPDX-License-Identifier: GPL-3.0-or-later
"""All that lies around a user's work and that no button may leave changed: views and their
overlays, modes, frames, selection, preferences. Shared by plays."""

from collections.abc import Iterator
from typing import Any

import bpy

Surroundings = dict[str, Any]
"""What is called so -> its value."""

_PLAIN = frozenset({"BOOLEAN", "INT", "FLOAT", "STRING", "ENUM"})
_SPACE = ("overlay", "shading")
_REGION = (
    "view_perspective", "view_rotation", "view_location", "view_distance", "view_camera_zoom",
    "view_camera_offset", "lock_rotation",
)  # fmt: skip
_SCENE = ("frame_start", "frame_end", "frame_current", "use_preview_range", "camera", "world")
_RENDER = ("engine", "resolution_x", "resolution_y", "fps", "fps_base", "filepath")
_SECTIONS = ("edit", "filepaths", "inputs", "keymap", "view", "system")
_NEVER = ("language",)
"""Blender complains while it reads it, where a program has no languages."""
_ROUND = 5
"""Digits: Blender keeps views in single precision, and undo through them."""


def note_surroundings() -> Surroundings:
    """Reads everything, as plain values that outlive undo and other files."""
    return dict(_walk())


def assert_same(before: Surroundings, *changed: str) -> None:
    """Asserts that all is as it was, but for values whose names begin with one of these."""
    after = note_surroundings()
    lost = {
        name: (before.get(name), after.get(name))
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name) and not name.startswith(changed)
    }
    assert not lost, f"left changed: {lost}"


def _walk() -> Iterator[tuple[str, Any]]:
    context = bpy.context
    for number, window in enumerate(context.window_manager.windows):
        at = f"window {number}"
        yield f"{at} scene", window.scene.name
        yield f"{at} workspace", window.workspace.name
        for place, area in enumerate(window.screen.areas):
            yield f"{at} area {place}", area.type
            if area.type == "VIEW_3D":
                yield from _walk_view(f"{at} view {place}", area.spaces.active)
    for scene in bpy.data.scenes:
        yield from _read(f"scene {scene.name}", scene, _SCENE)
        yield from _read(f"scene {scene.name} render", scene.render, _RENDER)
        yield from _read(f"scene {scene.name} tools", scene.tool_settings)
        yield f"scene {scene.name} markers", [each.name for each in scene.timeline_markers]
    layer = context.view_layer
    active = layer.objects.active
    yield "active", active.name if active is not None else None
    yield "selected", sorted(each.name for each in layer.objects.selected)
    yield "mode", context.mode
    for item in layer.objects:
        yield f"object {item.name}", (item.mode, item.rotation_mode, item.hide_get())
    for section in _SECTIONS:
        yield from _read(f"preferences {section}", getattr(context.preferences, section))
    for name, addon in context.preferences.addons.items():
        if addon.preferences is not None and name.endswith("urdf_importer"):
            yield from _read("preferences robots", addon.preferences)


def _walk_view(at: str, space: Any) -> Iterator[tuple[str, Any]]:
    yield from _read(at, space)
    for part in _SPACE:
        yield from _read(f"{at} {part}", getattr(space, part))
    yield from _read(f"{at} region", space.region_3d, _REGION)


def _read(at: str, owner: Any, names: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Reads properties of Blender's: these, else all plain ones that can be set."""
    for each in owner.bl_rna.properties:
        is_plain = each.type in _PLAIN and not each.is_readonly and each.identifier not in _NEVER
        if each.identifier in names or (is_plain and not names):
            yield f"{at} {each.identifier}", _plain(getattr(owner, each.identifier))


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, _ROUND)
    if isinstance(value, bpy.types.ID):
        return value.name
    if isinstance(value, (str, int, bool, set)) or value is None:
        return value
    return tuple(round(each, _ROUND) for each in value) if len(value) else ()
