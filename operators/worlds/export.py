# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Export > Robot > World: all robots of the scene and all around them."""

import os
from pathlib import Path
from typing import Any

import bpy

from ...urdf_importer import Diagnostics
from ...urdf_importer.core.command.summary import count, describe_files
from ...urdf_importer.core.pipeline.exporting import Written
from ...urdf_importer.formats.worlds.export import export_world_steps
from .. import props
from ..active_robot import PolledOperator, browse
from ..exporting.exported_robot import find_export_folder
from ..registration import add_to_menus
from ..reports import report_diagnostics
from ..stepping import BrowsedWork, Steps

_KINDS = {"WEBOTS": (".wbt", "Webots"), "SDF": (".sdf", "SDF"), "MUJOCO": (".xml", "MuJoCo")}
_ENDINGS = (".wbt", ".sdf", ".world", ".xml", ".mjcf")


_NOT_NOW = "Leave the mode you are in first: worlds are written in object mode"


class ExportWorld(BrowsedWork, PolledOperator, bpy.types.Operator):
    bl_idname = "export_scene.robot_world"
    bl_label = "Export World"
    bl_description = (
        "Write all robots of the scene with the other objects, the lights and the camera as a "
        "world for Webots, Gazebo and Drake, or MuJoCo"
    )

    bl_options: set[str] = set()
    steps_title = "Exporting"
    cancelled_text = "The export was cancelled; nothing was written"

    filepath: props.file("The world: a name that ends in .wbt, .sdf, .world, .xml or .mjcf")
    check_existing: props.check_existing()
    filter_glob: props.pattern(*_ENDINGS, options=props.OF_THIS_TIME)
    kind: props.choice(
        "World Type", "The format of the world, where the name of the file has no such ending",
        items=[(name, label, f"A world of {label}") for name, (_, label) in _KINDS.items()],
    )  # fmt: skip

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        return "" if context.mode in ("OBJECT", "POSE") else _NOT_NOW

    def choose_file(self, context: Any) -> set[str]:
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

    def begin_steps(self, context: Any) -> Steps:
        path = Path(bpy.path.abspath(self.filepath))
        if not path.suffix:
            path = path.with_suffix(_KINDS[self.kind][0])
        return export_world_steps(path, diagnostics=Diagnostics())

    def keep_result(self: Any, context: Any, written: Written) -> set[str]:
        report_diagnostics(self, written.robot, written.diagnostics, "export")
        robots = count(len(written.facts["robots"]), "robot")
        objects = count(len(written.facts["objects"]), "object")
        files = describe_files(str(written.path), [str(each) for each in written.files])
        self.report({"INFO"}, f"Wrote {written.path.name}: {robots}, {objects}, {files}")
        return {"FINISHED"}


def draw_export_world(menu: Any, context: Any) -> None:
    """Draws the entry of File > Export."""
    menu.layout.operator(ExportWorld.bl_idname, text="World (.wbt, .sdf, .xml)")


def register() -> None:
    """Adds the entry to the menu of robots."""
    add_to_menus(draw_export_world, "TOPBAR_MT_urdf_export")
