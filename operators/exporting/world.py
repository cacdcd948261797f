# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Export > Robot > World: all robots of the scene and all around them."""

import os
from pathlib import Path
from typing import Any

import bpy

from ...urdf_importer import Diagnostics, export_world
from ...urdf_importer.command.summary import count, describe_files
from .. import props
from ..active_robot import ActingOperator, browse
from ..reports import report_diagnostics
from .exported_robot import find_export_folder

_KINDS = {"WEBOTS": (".wbt", "Webots"), "SDF": (".sdf", "SDF"), "MUJOCO": (".xml", "MuJoCo")}
_ENDINGS = (".wbt", ".sdf", ".world", ".xml", ".mjcf")


_NOT_NOW = "Leave the mode you are in first: worlds are written in object mode"


class ExportWorld(ActingOperator, bpy.types.Operator):
    bl_idname = "export_scene.robot_world"
    bl_label = "Export World"
    bl_description = (
        "Write all robots of the scene with the other objects, the lights and the camera as a "
        "world for Webots, Gazebo and Drake, or MuJoCo"
    )

    bl_options: set[str] = set()

    filepath: props.file("The world: a name that ends in .wbt, .sdf, .world, .xml or .mjcf")
    check_existing: props.check_existing()
    filter_glob: props.pattern(*_ENDINGS, options=props.OF_THIS_TIME)
    kind: props.choice(
        "Write", "The kind of world, where the name does not say it",
        items=[(name, label, f"A world of {label}") for name, (_, label) in _KINDS.items()],
    )  # fmt: skip

    @classmethod
    def hinder(cls, context: Any) -> str:
        return "" if context.mode in ("OBJECT", "POSE") else _NOT_NOW

    def invoke(self, context: Any, event: Any) -> set[str]:
        if not self.filepath:
            stem = Path(bpy.data.filepath).stem or "world"
            self.filepath = os.path.join(find_export_folder(context), stem)
        if bpy.app.background:
            return self.execute(context)
        return browse(self, context)

    def check(self, context: Any) -> bool:
        """Gives the name the ending of the kind. Blender calls it when either changes."""
        path = Path(self.filepath)
        known = [suffix for suffix, _ in _KINDS.values()]
        stem = path.with_suffix("") if path.suffix in known else path
        wanted = str(stem) + _KINDS[self.kind][0]
        changed = path.name != "" and path.suffix not in (".world", ".mjcf")
        if changed and wanted != self.filepath:
            self.filepath = wanted
            return True
        return False

    def act(self: Any, context: Any, robot: Any) -> str:
        path = Path(bpy.path.abspath(self.filepath))
        if not path.suffix:
            path = path.with_suffix(_KINDS[self.kind][0])
        diagnostics = Diagnostics()
        written = export_world(path, diagnostics=diagnostics)
        report_diagnostics(self, written.robot, written.diagnostics, "export")
        robots = count(len(written.facts["robots"]), "robot")
        objects = count(len(written.facts["objects"]), "object")
        files = describe_files(str(path), [str(each) for each in written.files])
        return f"Wrote {path.name}: {robots}, {objects}, {files}"
