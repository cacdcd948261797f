# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes in stages of USD, each a part of its file that is named by its path there.

Coordinates are in metres in the frame of the prim: whatever stretches it is in them. The robot of
the stage was read before, so the stage is at hand in most cases.
"""

import zipfile
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.diagnostics import MeshError, ReadError, Report, quote
from ...core.files.regular import ResolveBeside
from ...core.geometry.mesh_data import MeshData, MeshMaterial, reverse_corners
from ...core.images.colors import srgb_from_linear
from ...core.meshes.faces import Faces, make_mesh, missing_part
from ...core.model import Color, Surface
from .stages import StagePrim, UsdStage, Variants, open_stage, split_stretch

USD_SUFFIXES = (".usd", ".usda", ".usdc", ".usdz")
_MATT = 0.6
"""The roughness that this library writes where nothing says one."""
_MOST_IMAGE_BYTES = 128 * 2**20


def load_usd(path: Path, report: Report, resolve: ResolveBeside, part: str = "") -> MeshData:
    """Loads one mesh of a stage; `part` is its name_part. Raises MeshError: `missing-part`,
    `empty-mesh`, `unreadable-mesh` for a stage that cannot be read."""
    place, variants = _split_part(part)
    try:
        stage = open_stage(str(path), partial(permit_file, resolve), variants)
    except ReadError as error:
        raise MeshError(error.message, code="unreadable-mesh") from None
    prim = stage.prims.get(place)
    if prim is None or prim.mesh is None:
        meshes = [each.path for each in stage.prims.values() if each.mesh is not None]
        raise missing_part(path, part, meshes)
    faces = _read_faces(stage, prim, path)
    if not brings_looks(stage, prim):
        return make_mesh(_without_holes(stage, prim, faces), path, report)
    materials = _read_materials(stage, prim, faces, report, resolve)
    return make_mesh(_without_holes(stage, prim, faces), path, report, materials)


LOADERS = dict.fromkeys(USD_SUFFIXES, load_usd)
"""Suffix -> loader, for core/meshes/loaders.py."""


def name_part(path: str, variants: Variants) -> str:
    """Returns the name of the mesh at a path under chosen variants: /arm/hand{gripper=open}."""
    return path + "".join(f"{{{name}={choice}}}" for name, choice in variants)


def _split_part(part: str) -> tuple[str, Variants]:
    path, *chosen = part.replace("}", "").split("{")
    pairs = [each.partition("=") for each in chosen]
    return path, tuple((name, choice) for name, _, choice in pairs)


def permit_file(resolve: ResolveBeside, path: str) -> str:
    """Asks whether a layer may be read: empty for yes, else why not."""
    try:
        found = resolve(path, "file")
    except MeshError as error:
        return error.message
    return "" if str(found) == path else f"{quote(path)} is not there"


def brings_looks(stage: UsdStage, prim: StagePrim) -> bool:
    """Whether a mesh has materials that no visual can name: several, or an image in an archive."""
    if prim.mesh is None:
        return False
    image = image_of(stage.materials.get(prim.material, {}))
    return bool(prim.mesh.get("parts")) or "[" in image


def image_of(material: Mapping[str, Any]) -> str:
    found = material.get("image")
    return found if isinstance(found, str) else ""


def color_of(material: Mapping[str, Any]) -> Color:
    """Returns the colour of a material, white where it is an image."""
    given = material.get("color")
    is_known = isinstance(given, list) and len(given) == 3
    linear = given if is_known and given is not None else [1.0, 1.0, 1.0]
    r, g, b = (srgb_from_linear(min(max(float(each), 0.0), 1.0)) for each in linear)
    return r, g, b, _share(material, "opacity", 1.0)


def surface_of(material: Mapping[str, Any]) -> Surface | None:
    """Returns how a material shines; None for one as matt as any."""
    roughness, metalness = _share(material, "roughness", 0.5), _share(material, "metallic", 0.0)
    glow = material.get("emission")
    is_glowing = isinstance(glow, list) and len(glow) == 3 and any(glow)
    if abs(roughness - _MATT) < 1e-6 and not metalness and not is_glowing:
        return None
    emission = None
    if is_glowing and glow is not None:
        r, g, b = (srgb_from_linear(min(max(float(each), 0.0), 1.0)) for each in glow)
        emission = (r, g, b)
    return Surface(roughness=roughness, metalness=metalness or None, emission=emission)


def _share(material: Mapping[str, Any], name: str, default: float) -> float:
    value = material.get(name, default)
    good = isinstance(value, int | float) and 0.0 <= value <= 1.0
    return float(value) if good else default


def _read_faces(stage: UsdStage, prim: StagePrim, path: Path) -> Faces:
    mesh = prim.mesh or {}
    points, sizes, corners = (stage.array(mesh.get(k)) for k in ("points", "sizes", "corners"))
    if points is None or sizes is None or corners is None or not len(sizes):
        raise MeshError(f"{quote(path.name)} has no faces in {quote(prim.path)}", code="empty-mesh")
    if sizes.min() < 0 or int(sizes.sum(dtype=np.int64)) != len(corners):
        what = f"the faces of {quote(prim.path)} have fewer or more corners than they state"
        raise MeshError(what, code="unreadable-mesh")
    stretch = split_stretch(prim, stage.meters)
    with np.errstate(over="ignore", invalid="ignore"):
        vertices = points.astype(np.float64) @ stretch.T
    normals = stage.array(mesh.get("normals"))
    if normals is not None:
        normals = _stretch_normals(normals, stretch)
    faces = Faces(
        vertices=vertices,
        corners=corners.copy(),
        sizes=sizes.copy(),
        normals=normals,
        uvs=_copy(stage.array(mesh.get("uvs"))),
        slots=np.zeros(len(sizes), dtype=np.int32),
    )
    if bool(mesh.get("left")) != (np.linalg.det(stretch) < 0.0):
        return faces.keep_corners(reverse_corners(faces.sizes))
    return faces


def _without_holes(stage: UsdStage, prim: StagePrim, faces: Faces) -> Faces:
    """Takes out the faces that are holes; materials go by the numbers of all faces."""
    holes = stage.array((prim.mesh or {}).get("holes"))
    if holes is None:
        return faces
    is_there = np.ones(len(faces.sizes), dtype=bool)
    is_there[holes[(holes >= 0) & (holes < len(is_there))]] = False
    return faces.keep(is_there)


def _copy(rows: NDArray[Any] | None) -> NDArray[Any] | None:
    return None if rows is None else rows.copy()


def _stretch_normals(
    normals: NDArray[np.float32], stretch: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Normals go by the inverse, which is symmetric; none through a stretch that is flat."""
    if abs(np.linalg.det(stretch)) < 1e-30:
        return None
    size = np.abs(stretch).max()
    found: NDArray[np.float64] = normals.astype(np.float64) @ np.linalg.inv(stretch / size)
    return found


def _read_materials(
    stage: UsdStage, prim: StagePrim, faces: Faces, report: Report, resolve: ResolveBeside
) -> tuple[MeshMaterial, ...]:
    """Reads the material of the mesh and of its parts, and puts the slots of faces into `faces`;
    a face without a material of its own has the mesh's."""
    assert faces.slots is not None and prim.mesh is not None
    materials = [_read_material(stage, prim.material, report, resolve)]
    for path, number in prim.mesh.get("parts", ()):
        members = stage.array(number)
        if members is None:
            continue
        inside = members[(members >= 0) & (members < len(faces.slots))]
        faces.slots[inside] = len(materials)
        materials.append(_read_material(stage, path, report, resolve))
    return tuple(materials)


def _read_material(
    stage: UsdStage, path: str, report: Report, resolve: ResolveBeside
) -> MeshMaterial:
    said = stage.materials.get(path)
    if said is None:
        return MeshMaterial()
    image = image_of(said)
    found = MeshMaterial(
        name=path.rpartition("/")[2], color=color_of(said), surface=surface_of(said)
    )
    if not image:
        return found
    try:
        archive, _, inner = image.partition("[")
        if inner:
            data = _read_archived(Path(archive), inner.rstrip("]"))
            return replace(found, image=data)
        texture = resolve(image, "texture")
    except MeshError as error:
        report(error.code, f"texture {quote(image)}: {error.message}; the colour is shown")
        return found
    return replace(found, texture=texture)


def _read_archived(path: Path, name: str) -> bytes:
    """Returns an image in an archive of USD, whose content is never compressed."""
    try:
        with zipfile.ZipFile(path) as archive:
            info = archive.getinfo(name)
            if info.compress_type != zipfile.ZIP_STORED or info.file_size > _MOST_IMAGE_BYTES:
                raise MeshError(f"{quote(name)} is too big", code="missing-texture")
            return archive.read(info)
    except (OSError, KeyError, ValueError, zipfile.BadZipFile):
        raise MeshError(f"there is no image {quote(name)}", code="missing-texture") from None
