# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an import by hand puts robots, and what the views show of them then."""

from collections.abc import Sequence
from typing import Any

import bpy

from ...urdf_importer import place_robots
from ...urdf_importer.blender.standing.placing import frame_robots
from ...urdf_importer.options import PlacementOptions
from ..option_properties import read_options

_CUBE_CORNERS = 8


def place_results(operator: Any, context: Any, robots: Sequence[Any]) -> None:
    """Puts newly imported robots where an operator's properties say, and shows them."""
    options = read_options(operator, PlacementOptions)
    if not robots:
        return
    place_robots(robots, options)
    if options.frame and not bpy.app.background:
        if _hide_start_cube(context, robots):
            operator.report({"INFO"}, "The cube of the start scene is hidden; Alt+H shows it")
        frame_robots(robots, list_views(context))


def list_views(context: Any) -> list[tuple[Any, Any]]:
    """Lists the 3D views, as (space, area), of the window."""
    screen = context.window.screen if context.window is not None else context.screen
    areas = screen.areas if screen is not None else ()
    return [(area.spaces.active, area) for area in areas if area.type == "VIEW_3D"]


def _hide_start_cube(context: Any, robots: Sequence[Any]) -> bool:
    """Hides the cube of Blender's start scene, two metres wide, which robots would stand in: as it
    comes with Blender and in a file that was never saved: it holds no work that could be lost."""
    cube = context.view_layer.objects.get("Cube")
    if bpy.data.filepath or cube is None or cube in robots or not _is_start_cube(cube):
        return False
    hidden = not cube.visible_get()
    cube.hide_set(True)
    return not hidden


def _is_start_cube(cube: Any) -> bool:
    return (
        cube.type == "MESH"
        and len(cube.data.vertices) == _CUBE_CORNERS
        and all(abs(abs(each) - 1.0) < 1e-6 for corner in cube.data.vertices for each in corner.co)
        and cube.matrix_world == cube.matrix_world.Identity(4)
        and not (cube.modifiers or cube.constraints or cube.children or cube.animation_data)
    )
