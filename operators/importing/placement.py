# SPDX-License-Identifier: GPL-3.0-or-later
"""The placement of robots after an import by hand, and the views of them then."""

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import bpy

from ...urdf_importer import place_robots
from ...urdf_importer.core.blender.standing.placing import find_lowest, frame_robots, stand
from ...urdf_importer.core.options import PlacementOptions
from ..option_properties import read_options
from ..preferences import find_preferences

TAB = "Robot"
"""The sidebar's tab."""
_CUBE_CORNERS = 8
_HIDDEN = "The cube of the start scene is hidden, in renders too; Alt+H shows it in the view"
_NEAR = 1e-4
_TRIALS, _PAUSE = 20, 0.1
"""How often, and after how many seconds, the tab of a new sidebar is looked for."""


def place_results(
    operator: Any, context: Any, robots: Sequence[Any], placed: Sequence[Any] = ()
) -> None:
    """Puts newly imported robots where an operator's properties say, and shows them and the robots
    that have a place, in a world."""
    options = read_options(operator, PlacementOptions)
    if robots:
        place_robots(robots, options=options, across=find_right(context))
    robots = [*robots, *placed]
    if not robots:
        return
    if options.frame and not bpy.app.background:
        if _hide_start_cube(context, robots):
            operator.report({"INFO"}, _HIDDEN)
        frame_robots(robots, list_views(context))


def find_ground(context: Any, robot: Any) -> float | None:
    """Returns the height of the ground below a robot, 0 or the 3D cursor's, as an import puts it;
    None where it was moved or posed since."""
    lowest = find_lowest(robot)
    heights = (0.0, context.scene.cursor.location.z)
    if lowest is None:
        return None
    return next((each for each in heights if abs(lowest - each) < _NEAR), None)


def place_again(context: Any, robot: Any, ground: float) -> None:
    """Puts a robot that got other shapes on the ground, and shows it."""
    stand(robot, ground)
    if not bpy.app.background:
        frame_robots([robot], list_views(context))


def open_sidebar(context: Any) -> None:
    """Opens the sidebar of the 3D views in which it is closed, at the robot's tab, unless the
    preferences say otherwise."""
    found = find_preferences(context)
    if bpy.app.background or (found is not None and not found.open_sidebar):
        return
    areas = [area for space, area in list_views(context) if not space.show_region_ui]
    for area in areas:
        area.spaces.active.show_region_ui = True
        area.tag_redraw()
    trials = iter(range(_TRIALS))

    def choose_tab() -> float | None:
        """A sidebar has tabs once it was drawn; Blender 4.2's tabs cannot be chosen."""
        with suppress(AttributeError, TypeError, ReferenceError):
            bars = [each for area in areas for each in area.regions if each.type == "UI"]
            for bar in bars:
                bar.active_panel_category = TAB
            if all(bar.active_panel_category == TAB for bar in bars):
                return None
        return _PAUSE if next(trials, None) is not None else None

    bpy.app.timers.register(choose_tab, first_interval=_PAUSE)


def list_views(context: Any) -> list[tuple[Any, Any]]:
    """Lists the 3D views, as (space, area), of the window."""
    screen = context.window.screen if context.window is not None else context.screen
    areas = screen.areas if screen is not None else ()
    return [(area.spaces.active, area) for area in areas if area.type == "VIEW_3D"]


def find_right(context: Any) -> tuple[float, float, float]:
    """Returns the level direction that goes to the right in the largest 3D view of the window; X
    without a view, and where it is rolled to its side."""
    views = [] if bpy.app.background else list_views(context)
    if not views:
        return (1.0, 0.0, 0.0)
    space, _ = max(views, key=lambda each: each[1].width * each[1].height)
    x, y, _ = space.region_3d.view_matrix.inverted().col[0].to_3d()
    return (x, y, 0.0) if math.hypot(x, y) > 0.5 else (1.0, 0.0, 0.0)


def _hide_start_cube(context: Any, robots: Sequence[Any]) -> bool:
    """Hides the cube of Blender's start scene, two metres wide, which robots would overlap: only
    the original one in a file that was never saved, which holds no work that could be lost."""
    cube = context.view_layer.objects.get("Cube")
    if bpy.data.filepath or cube is None or cube in robots or not _is_start_cube(cube):
        return False
    if not cube.visible_get():
        return False
    cube.hide_set(True)
    cube.hide_render = True
    return True


def _is_start_cube(cube: Any) -> bool:
    return (
        cube.type == "MESH"
        and len(cube.data.vertices) == _CUBE_CORNERS
        and all(abs(abs(each) - 1.0) < 1e-6 for corner in cube.data.vertices for each in corner.co)
        and cube.matrix_world == cube.matrix_world.Identity(4)
        and not (cube.modifiers or cube.constraints or cube.children or cube.animation_data)
    )
