# SPDX-License-Identifier: GPL-3.0-or-later
"""What hands do with a robot's body in the 3D view; scenarios.py hands these out."""

import importlib
import math
from collections.abc import Generator
from typing import Any

import bpy
from driver import Driver, Steps

Place = tuple[float, float]
EXTENSION = "bl_ext.user_default.urdf_importer"


def _module(name: str) -> Any:
    return importlib.import_module(f"{EXTENSION}.{name}")


def proto(driver: Driver) -> Steps:
    (path,) = driver.arguments
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    assert bpy.ops.import_scene.urdf(filepath=path) == {"FINISHED"}
    robot = bpy.context.view_layer.objects.active
    lib = _module("urdf_importer")
    lib.set_joint_positions(robot, {"panda_joint2": 0.3, "panda_joint4": -1.8, "panda_joint6": 2.0})
    bpy.ops.ed.undo_push(message="Import")
    yield 0.5
    view = driver.viewport.spaces.active.region_3d
    view.view_location = (0.2, 0, 0.5)
    view.view_distance = 2.5
    yield 0.5
    area = driver.viewport
    region = next(r for r in area.regions if r.type == "WINDOW")
    bodies = _module("operators.gizmos.bodies")
    handles = _module("urdf_importer.blender.standing.handles")
    seen = {}
    with bpy.context.temp_override(window=driver.window, area=area, region=region):
        for x in range(0, region.width, 12):
            for y in range(0, region.height, 12):
                hit = bodies.find_hit(bpy.context, (x, y))
                handle = hit and handles.find_handle(hit.item)
                if handle:
                    seen.setdefault(handle.mover.name, []).append((x, y))
    print({k: len(v) for k, v in seen.items()}, flush=True)
    for name, places in seen.items():
        x, y = places[len(places) // 2]
        driver.move(region.x + x, region.y + y)
        yield 0.6
        driver.take_picture(f"hover-{name}")
    x, y = seen["panda_joint4"][len(seen["panda_joint4"]) // 2]
    driver.move(region.x + x, region.y + y)
    yield 0.3
    before = lib.get_joint_positions(robot)
    driver._send("LEFTMOUSE", "PRESS")
    yield 0.2
    for i in range(1, 15):
        driver.move(region.x + x + 8 * i, region.y + y + 5 * i)
        yield 0.1
    driver.take_picture("dragging")
    driver._send("LEFTMOUSE", "RELEASE")
    yield 0.5
    driver.take_picture("dragged")
    print(before)
    print(lib.get_joint_positions(robot), flush=True)
    print([o.name for o in bpy.context.selected_objects])
    yield from driver.undo()
    print(lib.get_joint_positions(bpy.data.objects["panda"]), flush=True)
    yield from driver.redo()
    print(lib.get_joint_positions(bpy.data.objects["panda"]), flush=True)
    yield from driver.click(region.x + x, region.y + y)
    driver.take_picture("clicked")
    print([o.name for o in bpy.context.selected_objects])
    driver.move(region.x + 20, region.y + 20)
    driver._send("LEFTMOUSE", "PRESS")
    yield 0.2
    for i in range(1, 15):
        driver.move(region.x + 20 + 40 * i, region.y + 20 + 30 * i)
        yield 0.05
    driver.take_picture("box")
    driver._send("LEFTMOUSE", "RELEASE")
    yield 0.5
    print(len(bpy.context.selected_objects))
    raise AssertionError("end")
