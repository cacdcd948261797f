# SPDX-License-Identifier: GPL-3.0-or-later
"""The places of robots in a scene, and their sizes: only their armature objects are placed and
scaled, so the numbers of the rigs stay as described."""

from collections.abc import Iterable, Sequence
from typing import Any

import bpy
import numpy as np

from ...arguments import options_of, rigs_of
from ...geometry.transforms import Matrix
from ...options import PlacementOptions
from . import properties
from .armatures import objects_of, pose_bones_of
from .links import links_of
from .robot_table import list_robots

_GAP = 0.15
"""The gap between robots side by side, as a share of the wider one's width."""
_CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)


X_AXIS = (1.0, 0.0, 0.0)


def place_robots(
    armatures: Sequence[Any],
    *,
    options: PlacementOptions | None = None,
    across: tuple[float, float, float] = X_AXIS,
) -> None:
    """Puts imported robots where the options say, and scales them, by their armature objects.
    Several are placed side by side, and none inside another that the scene shows, unless options
    place them at the cursor: along X or Y, whichever is nearer to `across`, the viewer's right.
    Their earlier places do not matter; views stay."""
    armatures = rigs_of(armatures)
    options = options_of(options, PlacementOptions)
    scene = bpy.context.scene
    scale = options.scale * (_unit(scene) if options.scene_unit else 1.0)
    anchor = np.array(scene.cursor.location if options.at_cursor else (0.0, 0.0, 0.0))
    for armature in armatures:
        armature.scale = (scale, scale, scale)
        armature.location = anchor
    if options.stand_on_ground:
        for armature in armatures:
            stand(armature, float(anchor[2]))
    for place, armature in enumerate(armatures):
        if place:
            set_beside(armature, armatures[place - 1], across)
        if not options.at_cursor:
            leave_others(armature, across, but=armatures[place:])


def leave_others(
    armature: Any, across: tuple[float, float, float] = X_AXIS, *, but: Sequence[Any] = ()
) -> None:
    """Moves a robot out of the visible robots that overlap it, except `but`, as set_beside does."""
    kept = [armature, *but]
    # Each is met once at most: all moves go one way.
    left = [each for each in list_robots() if each not in kept and each.visible_get()]
    while (met := next((each for each in left if _meet(armature, each)), None)) is not None:
        left.remove(met)
        set_beside(armature, met, across)


def _meet(armature: Any, other: Any) -> bool:
    low, high = measure(armature)
    before, behind = measure(other)
    return bool((low < behind).all() and (before < high).all())


def stand(armature: Any, ground: float = 0.0) -> None:
    """Moves a robot up or down until it stands on a plane at that height. A robot without shapes
    stays where it is: it has nothing visible to touch the ground."""
    lowest = find_lowest(armature)
    if lowest is not None:
        _shift(armature, 2, ground - lowest)


def set_beside(armature: Any, other: Any, across: tuple[float, float, float] = X_AXIS) -> None:
    """Moves a robot along X or Y, whichever is nearer to the level direction `across` (3,), until
    it is beside another one with a gap, as seen with `across` to the right."""
    aside = np.array(across) / np.linalg.norm(across)
    axis = int(np.argmax(np.abs(aside)))
    own, there = outline(armature) @ aside, outline(other) @ aside
    gap = _GAP * max(np.ptp(own), np.ptp(there))
    _shift(armature, axis, float((there.max() + gap - own.min()) / aside[axis]))


def measure(armature: Any) -> tuple[Matrix, Matrix]:
    """Returns the corners (3,), (3,) of the box around a robot in the world, in its present pose:
    around its visuals, else its collisions, else its links and bones."""
    points = outline(armature)
    return points.min(axis=0), points.max(axis=0)


def outline(armature: Any) -> Matrix:
    """Returns points (n, 3) around a robot in the world: the corners of its shapes' boxes, with
    bones and link frames where shapes are missing."""
    bpy.context.view_layer.update()
    boxes = [_box(item, world) for item, world in _shapes(armature)]
    if not boxes or _lacks_shapes(armature):
        boxes.append(_skeleton(armature))
    return np.concatenate(boxes)


def find_lowest(armature: Any) -> float | None:
    """Finds the height of the lowest vertex of a robot's visuals, else of its collisions, in the
    world in its present pose; of link frames too where meshes are missing. None where it was
    imported without shapes."""
    bpy.context.view_layer.update()
    boxes = [(_box(item, world)[:, 2].min(), item, world) for item, world in _shapes(armature)]
    lowest = _link_places(armature)[:, 2].min(initial=np.inf) if _lacks_shapes(armature) else np.inf
    # Boxes lie below their shapes: most need no look at the vertices.
    for bound, item, world in sorted(boxes, key=lambda each: each[0]):
        if bound >= lowest:
            break
        lowest = min(lowest, _lowest_vertex(item.data, world))
    return float(lowest) if np.isfinite(lowest) else None


def _lowest_vertex(mesh: Any, world: Matrix) -> float:
    places = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", places)
    return float((places.reshape(-1, 3) @ world[2, :3]).min() + world[2, 3])


def _shapes(armature: Any) -> list[tuple[Any, Matrix]]:
    """Lists shapes with vertices and their frames (4, 4) in the world. Blender does not keep the
    frames of hidden shapes up to date, so they are made from their links' frames."""
    for part in (properties.VISUALS, properties.COLLISIONS):
        found = [
            (item, _frame(item))
            for item in objects_of(armature)
            if item.get(properties.PART) == part and item.type == "MESH" and item.data.vertices
        ]
        if found:
            return found
    return []


def _lacks_shapes(armature: Any) -> bool:
    """Whether an empty is there in place of a visual, or of a collision where there are no visuals:
    its file was not found."""
    for part in (properties.VISUALS, properties.COLLISIONS):
        found = {item.type for item in objects_of(armature) if item.get(properties.PART) == part}
        if found:
            return "EMPTY" in found
    return False


def _frame(item: Any) -> Matrix:
    frame = np.eye(4)
    while item.parent is not None and properties.LINK not in item:
        frame = np.array(item.matrix_parent_inverse) @ np.array(item.matrix_basis) @ frame
        item = item.parent
    world: Matrix = np.array(item.matrix_world) @ frame
    return world


def _box(item: Any, world: Matrix) -> Matrix:
    """Returns the corners (8, 3) of a mesh's box in the world; of its own, without modifiers."""
    own = np.array(item.bound_box)
    low, high = own.min(axis=0), own.max(axis=0)
    corners: Matrix = (low + _CORNERS * (high - low)) @ world[:3, :3].T + world[:3, 3]
    return corners


def _skeleton(armature: Any) -> Matrix:
    """Returns where the robot, its bones' ends and its links are (n, 3) in the world."""
    ends = [
        bone.id_data.matrix_world @ end
        for bone in pose_bones_of(armature)
        for end in (bone.head, bone.tail)
    ]
    return np.array([armature.matrix_world.translation, *ends, *_link_places(armature)], float)


def _link_places(armature: Any) -> Matrix:
    """Returns where links are (n, 3) in the world."""
    places = [each.matrix_world.translation for each in links_of(armature)]
    return np.array(places, float).reshape(-1, 3)


def _shift(armature: Any, axis: int, by: float) -> None:
    """Moves an armature object along an axis of the world."""
    if armature.parent is None:
        armature.location[axis] += by
    else:
        world = armature.matrix_world.copy()
        world.translation[axis] += by
        armature.matrix_world = world
    bpy.context.view_layer.update()


def _unit(scene: Any) -> float:
    """Returns how many of Blender's units a metre has, as the scene says; 1 without units."""
    units = scene.unit_settings
    return 1.0 / units.scale_length if units.system != "NONE" else 1.0


# Views


_FILLED, _SHOWN = 0.85, 0.96
"""How much of a view a framed robot takes, and the picture of a camera."""
_TRIALS = 12


def frame_robots(armatures: Iterable[Any], views: Iterable[tuple[Any, Any]]) -> None:
    """Aims 3D views, as (space, area), at robots: they fill the part that no sidebar covers. The
    direction of a view stays; one through a camera, or locked, is left alone."""
    points = np.concatenate([outline(each) for each in armatures])
    for space, area in views:
        region = next(each for each in area.regions if each.type == "WINDOW")
        view = space.region_3d
        if view.view_perspective != "CAMERA" and not view.lock_rotation and region.height > 1:
            _aim(space, view, points, _free_part(area, region))


def center_camera(space: Any, area: Any, render: Any) -> None:
    """Shows the whole picture of a camera, in a 3D view that looks through it, in the part that no
    sidebar covers.

    At a zoom factor of 1 the larger sides of the picture and the view are equally long; Blender
    keeps 50 (2 sqrt(factor) - sqrt(2)), and offsets in double view sizes.
    """
    region = next(each for each in area.regions if each.type == "WINDOW")
    if min(region.width, region.height) <= 1:
        return
    across, up, half_width, half_height = _free_part(area, region)
    width = render.resolution_x * render.pixel_aspect_x
    height = render.resolution_y * render.pixel_aspect_y
    longest = max(width, height)
    factor = _SHOWN * min(half_width * longest / width, half_height * longest / height)
    unit = max(region.width, region.height) / 4 / factor
    space.region_3d.view_camera_zoom = 50.0 * (2.0 * factor**0.5 - 2.0**0.5)
    space.region_3d.view_camera_offset = (-across * unit / region.width, -up * unit / region.height)


def _free_part(area: Any, region: Any) -> tuple[float, float, float, float]:
    """Returns (middle x, middle y, half width, half height) of the part that no other region
    covers, where the larger side of the whole view goes from -1 to 1."""
    left, right, low, high = 0.0, float(region.width), 0.0, float(region.height)
    for each in area.regions:
        if each.type == "WINDOW" or each.width <= 1 or each.height <= 1:
            continue
        if each.alignment == "LEFT":
            left = max(left, each.x + each.width - region.x)
        elif each.alignment == "RIGHT":
            right = min(right, each.x - region.x)
        elif each.alignment == "TOP":
            high = min(high, each.y - region.y)
        elif each.alignment == "BOTTOM":
            low = max(low, each.y + each.height - region.y)
    if right - left < 0.2 * region.width or high - low < 0.2 * region.height:
        left, right, low, high = 0.0, float(region.width), 0.0, float(region.height)
    unit = max(region.width, region.height) / 2
    return (
        ((left + right) - region.width) / 2 / unit,
        ((low + high) - region.height) / 2 / unit,
        (right - left) / 2 / unit,
        (high - low) / 2 / unit,
    )


def _aim(space: Any, view: Any, points: Matrix, part: tuple[float, float, float, float]) -> None:
    """Sets where a view looks and from how far."""
    rotation = np.array(view.view_rotation.to_matrix())
    seen = points @ rotation
    middle, distance = _fit(seen, 36.0 / space.lens, part, view.view_perspective == "PERSP")
    view.view_location = rotation @ middle
    view.view_distance = distance
    reach = distance + float(np.linalg.norm(np.ptp(seen, axis=0)))
    space.clip_end = max(space.clip_end, 2.0 * reach)
    space.clip_start = min(space.clip_start, distance / 20.0)


def _fit(
    seen: Matrix, slope: float, part: tuple[float, float, float, float], near_is_larger: bool
) -> tuple[Matrix, float]:
    """Returns where (3,) to look and from how far, so that points (n, 3) fill a part of a view that
    looks along -Z. At distance d Blender's views show slope * d to either side of the larger side.

    A point p that is z nearer than the middle m is within the part, whose middle is c and half
    width w, where |p - m + c * slope * z| <= w * slope * (d - z). In perspective near parts are
    drawn larger: m moves until both sides are equally full.
    """
    aside, half = np.array(part[:2]), np.array(part[2:]) * _FILLED
    middle = (seen.min(axis=0) + seen.max(axis=0)) / 2
    near = (seen[:, 2] - middle[2]) * near_is_larger
    for _ in range(_TRIALS):
        across = seen[:, :2] - middle[:2] + aside * slope * near[:, None]
        needed = (np.abs(across) / (half * slope)).max(axis=1) + near
        distance = max(float(needed.max()), 1e-3)
        flat = across / (slope * np.maximum(distance - near, 1e-9)[:, None])
        middle[:2] += (flat.min(axis=0) + flat.max(axis=0)) / 2 * slope * (distance - near.max())
    middle[:2] -= aside * slope * distance
    return middle, distance
