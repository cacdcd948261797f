# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Export > Robot > World: all robots of the scene and all around them."""

import os
from pathlib import Path
from typing import Any

import bpy

from ...urdf_importer import Diagnostics, RobotError, WriterFormat, writer_formats
from ...urdf_importer.core.command.summary import count, describe_files
from ...urdf_importer.core.diagnostics import name_choices
from ...urdf_importer.core.pipeline.exporting import Written
from ...urdf_importer.formats.worlds.export import export_world_steps, world_suffixes
from .. import props
from ..active_robot import PolledOperator, browse
from ..exporting.exported_robot import find_export_folder
from ..option_properties import add_option_properties, draw_options, read_options
from ..registration import add_to_menus
from ..reports import report_diagnostics
from ..stepping import BrowsedWork, Steps

WORLD_FORMATS = tuple(each for each in writer_formats() if each.world_suffixes)
_FORMATS = {each.label.upper(): each for each in WORLD_FORMATS}
_ENDINGS = world_suffixes()
_NOT_NOW = "Leave the mode you are in first: worlds are written in object mode"


def _make_options(format: WriterFormat[Any]) -> type[Any]:
    """Returns a group of properties, one for each option of a format."""
    members = {
        "__doc__": f"Options of worlds for {format.title}.",
        "__module__": __name__,
        "__annotations__": {},
        "bl_idname": f"export_scene.robot_world_{format.name}",
        "bl_options": set[str](),
    }
    made = type(f"{format.name.title()}World", (bpy.types.PropertyGroup,), members)
    return add_option_properties(made, format.options)


OPTIONS = tuple(map(_make_options, WORLD_FORMATS))


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

    filepath: props.file(f"The world: a name that ends in {name_choices(_ENDINGS)}")
    check_existing: props.check_existing()
    filter_glob: props.pattern(*_ENDINGS, options=props.OF_THIS_TIME)
    kind: props.choice(
        "World Type", "The format of the world, where the name of the file has no such ending",
        items=[(name, each.label, f"A world of {each.label}") for name, each in _FORMATS.items()],
    )  # fmt: skip

    _shown_kind = ""

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        return "" if context.mode in ("OBJECT", "POSE") else _NOT_NOW

    def choose_file(self, context: Any) -> set[str]:
        if not self.filepath:
            stem = Path(bpy.data.filepath).stem or "world"
            name = stem + _FORMATS[self.kind].world_suffixes[0]
            self.filepath = os.path.join(find_export_folder(context), name)
        if bpy.app.background:
            return self.execute(context)
        self._shown_kind = self.kind
        return browse(self, context)

    def check(self, context: Any) -> bool:
        """Brings the name and the kind into agreement: the last change decides. Blender calls it
        when either changes."""
        before = self.filepath, self.kind
        path = Path(self.filepath)
        written = _find_kind(path)
        if written and self.kind == self._shown_kind:
            self.kind = written
        elif written != self.kind and os.path.basename(self.filepath):
            stem = path.with_suffix("") if written else path
            self.filepath = str(stem) + _FORMATS[self.kind].world_suffixes[0]
        self._shown_kind = self.kind
        return before != (self.filepath, self.kind)

    def draw(self, context: Any) -> None:
        self.layout.row().prop(self, "kind", expand=True)
        format = _FORMATS[self.kind]
        draw_options(self.layout, getattr(self, format.name), format.options)

    def begin_steps(self, context: Any) -> Steps:
        if not self.filepath:
            raise RobotError("no file is chosen: give its path as filepath")
        path = Path(bpy.path.abspath(self.filepath))
        format = _FORMATS[_find_kind(path) or self.kind]
        if not path.suffix:
            path = path.with_suffix(format.world_suffixes[0])
        options = read_options(getattr(self, format.name), format.options)
        return export_world_steps(path, options=options, diagnostics=Diagnostics())

    def keep_result(self: Any, context: Any, written: Written) -> set[str]:
        report_diagnostics(self, written.robot, written.diagnostics, "export")
        robots = count(len(written.facts["robots"]), "robot")
        objects = count(len(written.facts["objects"]), "object")
        files = describe_files(str(written.path), [str(each) for each in written.files])
        self.report({"INFO"}, f"Wrote {written.path.name}: {robots}, {objects}, {files}")
        return {"FINISHED"}


def _find_kind(path: Path) -> str:
    suffix = path.suffix.lower()
    return next((name for name, each in _FORMATS.items() if suffix in each.world_suffixes), "")


for _format, _options in zip(WORLD_FORMATS, OPTIONS, strict=True):
    ExportWorld.__annotations__[_format.name] = bpy.props.PointerProperty(
        name=_format.label, description=f"The options of a world of {_format.label}", type=_options
    )


def draw_export_world(menu: Any, context: Any) -> None:
    """Draws the entry of File > Export."""
    first = ", ".join(each.world_suffixes[0] for each in WORLD_FORMATS)
    menu.layout.operator(ExportWorld.bl_idname, text=f"World ({first})")


def register() -> None:
    """Adds the entry to the menu of robots."""
    add_to_menus(draw_export_world, "TOPBAR_MT_urdf_export")
