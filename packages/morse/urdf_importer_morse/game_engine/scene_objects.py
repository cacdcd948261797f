# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that a builder script puts into the scene, through the data API: in whatever mode the
user is, at the origin wherever the 3D cursor is."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Literal

import bmesh
import bpy
import numpy as np

from .defaults import CAMERA
from .storage import get_property, set_setting

Shape = Literal["PLANE", "CUBE", "SPHERE", "ICOSPHERE", "CYLINDER", "CONE", "TORUS"]

_SEGMENTS = 32
_RINGS = (48, 12)
_TUBE = 0.25
_SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def add_empty(name: str = "Empty", display: str = "ARROWS", size: float = 1.0) -> Any:
    made = bpy.data.objects.new(name, None)
    made.empty_display_type = display
    made.empty_display_size = size
    return _link(made)


def add_shape(name: str, shape: Shape) -> Any:
    """Adds a mesh object as large as Blender's own primitive: two metres across."""
    mesh = bpy.data.meshes.new(name)
    if shape == "TORUS":
        _fill_torus(mesh)
    else:
        _fill_mesh(mesh, shape)
    return _link(bpy.data.objects.new(name, mesh))


def add_mesh(name: str, vertices: Sequence[Any], faces: Sequence[Any]) -> Any:
    """Adds a mesh object of vertices (n, 3) in metres and faces, rows of vertex numbers."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], faces)
    mesh.update()
    return _link(bpy.data.objects.new(name, mesh))


def add_box(name: str, low: Sequence[float], high: Sequence[float]) -> Any:
    """Adds a mesh object: the box between two corners (x, y, z), in metres."""
    corners = [
        (x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])
    ]
    return add_mesh(name, corners, _SIDES)


def add_camera(name: str) -> Any:
    """Adds a camera with the lens and the sensor of Blender 2.7's cameras, for which scripts are
    made."""
    data = bpy.data.cameras.new(name)
    for setting, value in CAMERA.items():
        setattr(data, setting, value)
    return _link(bpy.data.objects.new(name, data))


def add_light(name: str, kind: str) -> Any:
    """Adds a light; `kind` is POINT, SUN, SPOT or AREA. Raises TypeError for another."""
    return _link(bpy.data.objects.new(name, bpy.data.lights.new(name, kind)))


def set_reach(light: Any, distance: float) -> None:
    """Sets how far a light shines, in metres."""
    set_setting(light, "distance", float(distance))
    light.use_custom_distance = True
    light.cutoff_distance = distance


def load_sound(path: str) -> Any:
    """Loads a sound from disk and keeps it in the file, though nothing plays it."""
    sound = bpy.data.sounds.load(path)
    sound.use_fake_user = True
    return sound


def remove_object(item: Any) -> None:
    """Removes an object, and its mesh if nothing else uses that."""
    mesh = item.data
    bpy.data.objects.remove(item)
    if mesh is not None and not mesh.users:
        bpy.data.meshes.remove(mesh)


def find_object(name: str) -> Any | None:
    return bpy.data.objects.get(name)


def find_with_property(name: str) -> list[Any]:
    """Finds all objects of the file that have a game property of the name."""
    return [item for item in bpy.data.objects if get_property(item, name) is not None]


def show(item: Any) -> None:
    """Lets an object be seen in this view layer."""
    item.hide_viewport = False
    if item.name in bpy.context.view_layer.objects:
        item.hide_set(False)


def select_only(item: Any) -> None:
    """Selects an object and nothing else, and makes it the active one, where the scene that is
    shown has it."""
    deselect()
    if item.name in bpy.context.view_layer.objects:
        item.select_set(True)
        bpy.context.view_layer.objects.active = item


def deselect() -> None:
    """Selects nothing. Objects that a script removed are still listed, as None, until the view
    layer is brought up to date."""
    for each in bpy.context.view_layer.objects.selected:
        if each is not None:
            each.select_set(False)


def parent_to(item: Any, parent: Any) -> None:
    """Makes one object the parent of another; the other's place in the world becomes its place in
    the parent."""
    item.matrix_parent_inverse.identity()
    item.parent = parent


def is_below(item: Any, other: Any) -> bool:
    """Tells whether an object is another one or is parented below it, however far down."""
    while item is not None:
        if item == other:
            return True
        item = item.parent
    return False


def find_child(objects: Sequence[Any], name: str, *, recursive: bool) -> tuple[Any, ...]:
    """Finds the objects that a name may mean: the one with that name; else all whose names begin
    with its part before the first dot. Searches these objects, then below each of them in turn.

    Blender adds numbers to names and cuts long ones off, so the beginning has to do. Empty if there
    is none.
    """
    beginning = name.partition(".")[0]
    below = _group_by_parent() if recursive else {}
    waiting = [list(objects)]
    while waiting:
        level = waiting.pop()
        for item in level:
            if item.name == name:
                return (item,)
        if candidates := tuple(item for item in level if item.name.startswith(beginning)):
            return candidates
        waiting.extend(below[item] for item in reversed(level) if item in below)
    return ()


def find_below(item: Any) -> list[Any]:
    """Returns an object and everything parented below it, however deep."""
    below = _group_by_parent()
    found = [item]
    for each in found:
        found.extend(below.get(each, ()))
    return found


def _group_by_parent() -> dict[Any, list[Any]]:
    """Groups all objects by parent at once: Blender goes through all of them for the children of
    one."""
    groups: defaultdict[Any, list[Any]] = defaultdict(list)
    for item in bpy.data.objects:
        if item.parent is not None:
            groups[item.parent].append(item)
    return groups


def _link(made: Any) -> Any:
    """Links an object to the active collection, where Blender puts everything it adds."""
    bpy.context.view_layer.active_layer_collection.collection.objects.link(made)
    return made


def _fill_mesh(mesh: Any, shape: Shape) -> None:
    made = bmesh.new()
    try:
        if shape == "PLANE":
            bmesh.ops.create_grid(made, x_segments=1, y_segments=1, size=1.0)
        elif shape == "CUBE":
            bmesh.ops.create_cube(made, size=2.0)
        elif shape == "SPHERE":
            bmesh.ops.create_uvsphere(
                made, u_segments=_SEGMENTS, v_segments=_SEGMENTS // 2, radius=1.0
            )
        elif shape == "ICOSPHERE":
            bmesh.ops.create_icosphere(made, subdivisions=2, radius=1.0)
        else:
            bmesh.ops.create_cone(
                made,
                cap_ends=True,
                segments=_SEGMENTS,
                radius1=1.0,
                radius2=1.0 if shape == "CYLINDER" else 0.0,
                depth=2.0,
            )
        made.to_mesh(mesh)
    finally:
        made.free()


def _fill_torus(mesh: Any) -> None:
    around, across = _RINGS
    turn = np.repeat(np.arange(around) * (2.0 * np.pi / around), across)
    tilt = np.tile(np.arange(across) * (2.0 * np.pi / across), around)
    radius = 1.0 + _TUBE * np.cos(tilt)
    vertices = np.column_stack((radius * np.cos(turn), radius * np.sin(turn), _TUBE * np.sin(tilt)))
    faces = [
        (
            ring * across + side,
            (ring + 1) % around * across + side,
            (ring + 1) % around * across + (side + 1) % across,
            ring * across + (side + 1) % across,
        )
        for ring in range(around)
        for side in range(across)
    ]
    mesh.from_pydata(vertices.tolist(), [], faces)
    mesh.update()
