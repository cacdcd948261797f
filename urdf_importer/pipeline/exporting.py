# SPDX-License-Identifier: GPL-3.0-or-later
"""Export: (extract ->) plan -> write."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ..diagnostics import Diagnostics, MeshError, quote
from ..files.packages import AnyPath, PackageResolver
from ..model import Robot
from ..options import ExportOptions
from ..writers.robot_files import DescriptionSource, GeometrySource
from ..writers.webots import ExportResult as ExportResult
from ..writers.webots import (
    export_webots,
    make_proto_name,
)
from .files import find_files, load_shape, resolve_texture


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
    with open_export(robot, options, diagnostics) as found:
        return export_webots(
            found.robot,
            found.source,
            Path(path),
            found.options,
            found.diagnostics,
            _convert_image,
            strict=strict,
        )


def extract_robot(armature: Any) -> Robot:
    """The robot that a rig in Blender says, exactly, by its properties alone: also in a re-opened
    .blend. Links whose empty was deleted are not in it, nor are their joints. Raises BuildError for
    an object that is no imported robot."""
    from ..blender.extract import robot as extract

    return extract.extract_robot(armature)


def suggest_proto_name(robot: Robot | Any) -> str:
    """A name that Webots takes for a PROTO of this robot, or of this armature's."""
    if not isinstance(robot, Robot):
        robot = extract_robot(robot)
    return make_proto_name(robot.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenExport:
    """What is written, and where its shapes are."""

    robot: Robot
    source: GeometrySource
    options: ExportOptions
    diagnostics: Diagnostics


@contextmanager
def open_export(
    robot: Robot | Any, options: ExportOptions | None, diagnostics: Diagnostics | None
) -> Iterator[OpenExport]:
    """A description; or a rig as it stands in the scene, whose images are files meanwhile."""
    options = options or ExportOptions()
    described = robot if isinstance(robot, Robot) else extract_robot(robot)
    diagnostics = diagnostics if diagnostics is not None else Diagnostics(described.source)
    files = _read_files(described, options, diagnostics)
    if described is robot:
        yield OpenExport(robot=robot, source=files, options=options, diagnostics=diagnostics)
        return
    from ..blender.extract.scene_source import SceneSource

    with tempfile.TemporaryDirectory(prefix="urdf-importer-") as folder:
        scene = SceneSource(robot, Path(folder), files, diagnostics)
        start = _start_as_posed(robot, scene.robot, options, diagnostics)
        yield OpenExport(
            robot=scene.robot,
            source=scene,
            options=start,
            diagnostics=diagnostics,
        )


def _start_as_posed(
    armature: Any, robot: Robot, options: ExportOptions, diagnostics: Diagnostics
) -> ExportOptions:
    """Where the rig stands, unless the options say it."""
    from ..blender.extract.positions import extract_positions
    from ..blender.extract.scene_source import find_place

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
