# SPDX-License-Identifier: GPL-3.0-or-later
"""wm.collada_import, which Blender dropped in 5.0."""

import logging
from pathlib import Path
from typing import Any

import bpy

from urdf_importer.core.blender.build.materials import MaterialBuilder
from urdf_importer.core.blender.build.meshes import build_mesh
from urdf_importer.core.blender.ledger import Ledger
from urdf_importer.core.diagnostics import Diagnostics, MeshError
from urdf_importer.core.files.packages import PackageResolver
from urdf_importer.core.meshes import RobotFiles
from urdf_importer.core.meshes.collada.load import load_collada

logger = logging.getLogger(__name__)


def import_collada(filepath: str) -> None:
    """Imports the geometries of a COLLADA document as one object, selected, in the active
    collection.

    Textures are read from the document's folder. Missing parts are logged. Raises MeshError if the
    document cannot be read; nothing is left behind then.
    """
    path = Path(filepath)
    diagnostics = Diagnostics(str(path))
    ledger = Ledger()
    try:
        item = _build(path, ledger, diagnostics)
    except BaseException:
        ledger.remove_all()
        raise
    for diagnostic in diagnostics:
        logger.warning("%s", diagnostic)
    bpy.context.view_layer.active_layer_collection.collection.objects.link(item)
    item.select_set(True)


def _build(path: Path, ledger: Ledger, diagnostics: Diagnostics) -> Any:
    def resolve(uri: str, kind: str) -> Path:
        found = (path.parent / uri).resolve()
        if not found.is_relative_to(path.parent.resolve()) or not found.is_file():
            raise MeshError(f"{uri!r} is not in the document's folder", code=f"missing-{kind}")
        return found

    data = load_collada(path, diagnostics.warning, resolve)
    mesh = build_mesh(data, path.stem, ledger)
    materials = MaterialBuilder(RobotFiles(PackageResolver(""), diagnostics), ledger)
    for material in data.materials:
        made = materials.build_from(material, path.stem, 0, has_uvs=data.uvs is not None)
        mesh.materials.append(made)
    return ledger.new_object(path.stem, mesh)
