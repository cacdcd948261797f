# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs for tests, and how far they are from the truth."""

import typing
from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np

from urdf_importer.core.blender.build.build import Rig, build_rig
from urdf_importer.core.blender.save import new_file
from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.files.packages import PackageResolver
from urdf_importer.core.kinematics.forward import Position
from urdf_importer.core.kinematics.loops import forward_kinematics
from urdf_importer.core.meshes import RobotFiles
from urdf_importer.core.model import Robot
from urdf_importer.core.options import ImportOptions
from urdf_importer.core.rig import RigPlan, plan_rig


def new_scene() -> None:
    """Opens an empty file. It has other classes of add-ons, and old ones that typing's cache keeps
    crash the module of Blender 4.2."""
    for clear in getattr(typing, "_cleanups", ()):
        clear()
    new_file()


def override_collection(linked: Any, *, fully: bool = True) -> Any:
    """The override of a linked collection, in its place: Blender 5.3 makes none of a collection
    that the scene does not show."""
    scene = bpy.context.scene
    scene.collection.children.link(linked)
    made = linked.override_hierarchy_create(scene, bpy.context.view_layer, do_fully_editable=fully)
    scene.collection.children.unlink(linked)
    return made


def no_files(diagnostics: Diagnostics) -> RobotFiles:
    """Simple shapes have none."""
    return RobotFiles(PackageResolver("", environment=None), diagnostics)


def build(
    robot: Robot,
    options: ImportOptions | None = None,
    *,
    files: RobotFiles | None = None,
    diagnostics: Diagnostics | None = None,
) -> tuple[RigPlan, Rig]:
    """A robot of the model as a rig in the current scene; without `files` it has none."""
    options = options or ImportOptions()
    diagnostics = diagnostics if diagnostics is not None else Diagnostics()
    plan = plan_rig(robot, options=options, diagnostics=diagnostics)
    steps = build_rig(plan, options, files or no_files(diagnostics))
    while True:
        try:
            next(steps)
        except StopIteration as finished:
            return plan, finished.value


def valid_positions(plan: RigPlan, positions: Mapping[str, Position]) -> dict[str, Position]:
    """The positions with every independent joint within its limits, zero where not said."""
    valid: dict[str, Position] = {}
    for joint in plan.joints:
        name = joint.joint.name
        if joint.mimics:
            continue
        if joint.kind not in ("revolute", "prismatic"):
            if name in positions:
                valid[name] = positions[name]
            continue
        value = float(positions.get(name, 0.0))  # type: ignore[arg-type]
        low = -np.inf if joint.lower is None else joint.lower
        high = np.inf if joint.upper is None else joint.upper
        valid[name] = float(np.clip(value, low, high))
    return valid


def shown_frames(links: Mapping[str, Any]) -> dict[str, Any]:
    """Link name -> (4, 4), from the evaluated depsgraph; the armature stands at the origin."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return {n: np.array(e.evaluated_get(depsgraph).matrix_world) for n, e in links.items()}


def assert_frames(
    shown: Mapping[str, Any], wanted: Mapping[str, Any], *, metres: float, radians: float
) -> None:
    """Every link where it must be: metres per metre of reach (plus one), radians."""
    assert shown.keys() == wanted.keys()
    for name, frame in wanted.items():
        reach = np.linalg.norm(frame[:3, 3])
        off = np.linalg.norm(shown[name][:3, 3] - frame[:3, 3])
        assert off <= metres * (1 + reach), f"{name} is {off} m off"
        turned = shown[name][:3, :3] @ frame[:3, :3].T
        angle = np.linalg.norm(turned - turned.T) / np.sqrt(8)
        assert angle <= radians and np.trace(turned) > 0, f"{name} is {angle} rad off"


def assert_at(robot: Robot, rig: Rig, positions: Mapping[str, Position], **within: float) -> None:
    wanted = forward_kinematics(robot, positions)
    limits = {"metres": 1e-5, "radians": 1e-5} | within
    assert_frames(shown_frames(rig.links), wanted, **limits)
