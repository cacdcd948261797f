# SPDX-License-Identifier: GPL-3.0-or-later
"""Export: (extract ->) plan -> write."""

import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ..diagnostics import Diagnostics, MeshError, quote
from ..model import Robot
from ..options import ExportOptions
from ..packages import PackageResolver
from ..writers.webots import DescriptionSource, export_webots, make_proto_name
from ..writers.webots import ExportResult as ExportResult
from .files import AnyPath, find_files, load_shape, resolve_texture


def export_robot(
    robot: Robot | Any,
    path: AnyPath,
    options: ExportOptions | None = None,
    diagnostics: Diagnostics | None = None,
    *,
    strict: bool = False,
) -> ExportResult:
    """Writes a robot for Webots, as `path` says: a PROTO (.proto), with its meshes in the folder
    <name>_meshes beside it; a world (.wbt), with the PROTO beside it; or a project folder. Existing
    files are overwritten.

    `robot` is a description, and no Blender is needed; or the armature of an imported robot, which
    is written as it stands in the scene: its shapes as they are shown there, its joints starting
    where they are, its root where the armature stands. What `options` says of joints and root
    counts more.

    `diagnostics` fills while the work goes on, also when it fails; with `strict` it has to stay
    empty. Raises KinematicsError where the robot is no tree or an option fits none of its joints
    and links, WriteError where the files cannot be written, BuildError for an object that is no
    imported robot; nothing is written then.
    """
    options = options or ExportOptions()
    if not isinstance(robot, Robot):
        return _export_rig(robot, Path(path), options, diagnostics, strict=strict)
    diagnostics = diagnostics if diagnostics is not None else Diagnostics(robot.source)
    source = _read_files(robot, options, diagnostics)
    return export_webots(
        robot, source, Path(path), options, diagnostics, _convert_image, strict=strict
    )


def extract_robot(armature: Any) -> Robot:
    """The robot that a rig in Blender says, exactly, by its properties alone: also in a re-opened
    .blend. Links whose empty was deleted are not in it, nor are their joints. Raises BuildError for
    an object that is no imported robot."""
    from ..blender import extract

    return extract.extract_robot(armature)


def suggest_proto_name(robot: Robot | Any) -> str:
    """A name that Webots takes for a PROTO of this robot, or of this armature's."""
    if not isinstance(robot, Robot):
        robot = extract_robot(robot)
    return make_proto_name(robot.name)


def _export_rig(
    armature: Any,
    path: Path,
    options: ExportOptions,
    diagnostics: Diagnostics | None,
    *,
    strict: bool,
) -> ExportResult:
    from ..blender.scene_source import SceneSource

    described = extract_robot(armature)
    diagnostics = diagnostics if diagnostics is not None else Diagnostics(described.source)
    files = _read_files(described, options, diagnostics)
    with tempfile.TemporaryDirectory(prefix="urdf-importer-") as folder:
        scene = SceneSource(armature, Path(folder), files, diagnostics)
        start = _start_as_posed(armature, scene.robot, options, diagnostics)
        return export_webots(
            scene.robot, scene, path, start, diagnostics, _convert_image, strict=strict
        )


def _start_as_posed(
    armature: Any, robot: Robot, options: ExportOptions, diagnostics: Diagnostics
) -> ExportOptions:
    """Where the rig stands, unless the options say it."""
    from ..blender.extract_positions import extract_positions
    from ..blender.scene_source import find_place

    said = {name for name, _ in options.positions}
    shown = extract_positions(armature, robot)
    posed = tuple(pair for pair in shown if pair[0] not in said)
    translation, rotation = find_place(armature, diagnostics)
    if any((*options.translation, *options.rotation)):
        translation, rotation = options.translation, options.rotation
    return replace(
        options, positions=posed + options.positions, translation=translation, rotation=rotation
    )


def _read_files(
    robot: Robot, options: ExportOptions, diagnostics: Diagnostics
) -> DescriptionSource:
    resolver = find_files(robot.source, options)
    return DescriptionSource(
        partial(load_shape, resolver, {}),
        partial(_resolve_mesh, resolver),
        partial(resolve_texture, resolver),
        diagnostics,
    )


def _resolve_mesh(resolver: PackageResolver, uri: str) -> Path:
    """Without reports: whoever loads the mesh makes them."""
    return resolver.resolve_file(uri, lambda code, message: None)


def _convert_image(content: bytes, name: str) -> bytes:
    """By Blender, where it is installed. MeshError where it is not, or cannot read it either."""
    try:
        from ..blender.convert import convert_image
    except ImportError:
        message = f"only Blender can convert images such as {quote(name)}, and there is none here"
        raise MeshError(message, code="unreadable-texture") from None
    return convert_image(content, name)
