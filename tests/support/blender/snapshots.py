# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands in Blender as plain values, to be compared."""

from typing import Any

import bpy

_PARTS = (
    "actions", "armatures", "cameras", "collections", "images", "lights", "materials", "meshes",
    "node_groups", "objects", "scenes", "texts", "worlds",
)  # fmt: skip
_SIDES = ("lock_ik", "use_ik_limit", "ik_min", "ik_max")
_IK = ("ik_stretch", *(f"{name}_{axis}" for name in _SIDES for axis in "xyz"))


def list_data() -> dict[str, list[str]]:
    """Kind -> names of all datablocks."""
    return {part: getattr(bpy.data, part).keys() for part in _PARTS}


def describe_scene() -> dict[str, Any]:
    """Every object of the scene with its place, properties and look, and every bone."""
    bpy.context.view_layer.update()  # Drivers write to what they drive.
    return {shown.name: describe_object(shown) for shown in bpy.context.scene.objects}


def describe_object(shown: Any) -> dict[str, Any]:
    described = {
        "type": shown.type,
        "parent": shown.parent and (shown.parent.name, shown.parent_type, shown.parent_bone),
        "place": _plain(shown.matrix_basis),
        "collections": [each.name for each in shown.users_collection],
        "properties": _plain_properties(shown),
        "hidden": (shown.hide_viewport, shown.hide_render, shown.visible_get()),
        "display": (shown.display_type, shown.show_in_front),
        "materials": [slot.material and slot.material.name for slot in shown.material_slots],
        "selected": shown.select_get(),
        "rigid_body": shown.rigid_body and shown.rigid_body.mass,
    }
    if shown.type == "MESH":
        described["mesh"] = [_plain(vertex.co) for vertex in shown.data.vertices]
    if shown.type == "EMPTY":
        described["empty"] = (shown.empty_display_type, shown.empty_display_size)
    if shown.type == "ARMATURE":
        described["bones"] = [_describe_bone(bone) for bone in shown.pose.bones]
        described["bone_collections"] = [
            (each.name, each.is_visible, sorted(bone.name for bone in each.bones))
            for each in shown.data.collections
        ]
        drivers = shown.animation_data.drivers if shown.animation_data else ()
        described["drivers"] = [
            (each.data_path, each.array_index, each.driver.expression) for each in drivers
        ]
    return described


def _describe_bone(bone: Any) -> dict[str, Any]:
    return {
        "name": bone.name,
        "parent": bone.parent and bone.parent.name,
        "rest": _plain(bone.bone.matrix_local),
        "length": bone.bone.length,
        "mode": bone.rotation_mode,
        "pose": (_plain(bone.location), _plain(bone.rotation_euler)),
        "locks": (_plain(bone.lock_location), _plain(bone.lock_rotation)),
        "ik": [getattr(bone, name) for name in _IK],
        "shape": (
            bone.custom_shape and bone.custom_shape.name,
            _plain(bone.custom_shape_scale_xyz),
        ),
        "color": (bone.bone.color.palette, _plain(bone.bone.color.custom.normal)),
        "constraints": [_describe_settings(each) for each in bone.constraints],
        "properties": _plain_properties(bone.bone),
    }


def _describe_settings(constraint: Any) -> dict[str, Any]:
    settings = {key: getattr(constraint, key) for key in constraint.bl_rna.properties.keys()}  # noqa: SIM118
    # The errors are how far it was off when it was last evaluated.
    return {
        key: value
        for key, value in settings.items()
        if isinstance(value, str | int | float) and not key.startswith("error")
    }


def _plain_properties(owner: Any) -> dict[str, Any]:
    return {key: _plain(owner[key]) for key in owner.keys()}  # noqa: SIM118


def _plain(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        kept = value.to_dict()
        if "options" in kept:  # How it was imported: when its files were changed is no property.
            kept.pop("files", None)
        return _plain(kept)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, str | int | float) or value is None:
        return value
    if isinstance(value, bpy.types.ID):
        return value.name
    return [_plain(item) for item in value]
