# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports to Webots from rigs, each in a folder of its own."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from support.blender.rigs import new_scene
from support.webots.proto_check import Checked, check
from support.webots.real_exports import Exported
from urdf_importer import (
    Diagnostics,
    WebotsOptions,
    export_robot,
    find_robots,
    import_robot,
    open_blend,
    save_blend,
)
from urdf_importer.formats.webots.write import ExportResult

KEPT = ("webots-", "scaled-rig", "missing-texture", "missing-mesh", "unreadable-")
"""Diagnostics of the export itself; the others repeat what the reader said."""


def find_exporter(extension: ModuleType, name: str) -> Any:
    """The operator class of a format."""
    exporters = extension.operators.exporting.operators.EXPORTERS
    return next(each for each in exporters if each.format.name == name)


Export = Callable[..., "Scene"]


class Scene:
    """What was exported from the scene, in a folder of its own."""

    def __init__(self, folder: Path, armature: Any, **options: Any) -> None:
        self.folder = folder / f"export{len(list(folder.iterdir()))}"
        self.folder.mkdir()
        self.diagnostics = Diagnostics()
        self.proto = self.folder / "Shown.proto"
        self.result: ExportResult = export_robot(
            armature, self.proto, options=WebotsOptions(**options), diagnostics=self.diagnostics
        )
        self.text = self.proto.read_text("utf-8")

    @property
    def codes(self) -> list[str]:
        return [item.code for item in self.diagnostics if item.code.startswith(KEPT)]

    def check(self, *, initial: bool = False) -> Checked:
        checked = check(self.proto, initial=initial)
        assert checked.problems == ()
        return checked


class FromBlend(Exported):
    """Imported, saved, opened again and exported; its fields are those of the description."""

    def export(self, options: WebotsOptions) -> ExportResult:
        new_scene()
        import_robot(self.robot.source)
        blend = self.proto.with_suffix(".blend")
        save_blend(blend)
        open_blend(blend)
        (armature,) = find_robots().values()
        return export_robot(armature, self.proto, options=options, diagnostics=self.diagnostics)


def without_meshes(text: str) -> list[str]:
    return [line for line in text.splitlines() if "_meshes/" not in line]
