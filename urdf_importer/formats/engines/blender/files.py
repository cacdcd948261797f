# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own exporters, each with the settings that engines need, and quiet.

They differ between versions of Blender: only settings that an exporter has are passed.
"""

import os
import pkgutil
import re
import struct
import sys
import tempfile
import typing
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import addon_utils
import bpy

from ....core.blender.complaints import last_words
from ....core.diagnostics import WriteError, quote
from ....core.interrupts import hold_interrupt
from ....core.names import Claims
from .materials import encode_colors
from .stage import Stage

_GLTF, _FBX = "io_scene_gltf2", "io_scene_fbx"

_GLTF_SETTINGS = {
    "check_existing": False,
    "use_active_scene": True,
    "export_yup": True,
    "export_apply": False,
    "export_skins": True,
    "export_all_influences": False,
    "export_def_bones": False,
    "export_morph": False,
    "export_cameras": False,
    "export_lights": False,
    "export_animation_mode": "NLA_TRACKS",
    "export_force_sampling": False,
    "export_optimize_animation_size": False,
    "export_reset_pose_bones": True,
    "export_anim_slide_to_zero": False,
    "export_vertex_color": "MATERIAL",
}
_FBX_SETTINGS = {
    "check_existing": False,
    "use_mesh_modifiers": False,
    "object_types": {"ARMATURE", "MESH"},
    # The default leaves a scale of 100 on the nodes.
    "apply_scale_options": "FBX_SCALE_ALL",
    "add_leaf_bones": False,
    "mesh_smooth_type": "FACE",
    "bake_anim_use_all_bones": True,
    "bake_anim_use_nla_strips": True,
    "bake_anim_use_all_actions": False,
    "bake_anim_force_startend_keying": True,
    "bake_anim_simplify_factor": 0.0,
    "use_custom_props": False,
}
_USD_SETTINGS = {
    "check_existing": False,
    "export_armatures": True,
    "only_deform_bones": False,
    "export_custom_properties": False,
    "export_lights": False,
    "export_cameras": False,
    "convert_world_material": False,
    "export_hair": False,
    "use_instancing": False,
    "export_subdivision": "IGNORE",
    "relative_paths": True,
}


BoneProperties = Mapping[str, Mapping[str, Any]]
"""Bone -> its custom properties, which are called urdf_<name>."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineWishes:
    """The wishes for an export: all actions or the active one, first and last frame and step or
    None, the shares of triangles, where textures go, whether the program reads the colours of FBX
    as linear ones, the properties of bones."""

    every_action: bool
    frames: tuple[float, float, float] | None
    shares: tuple[float, ...]
    textures: str
    linear_colors: bool
    properties: BoneProperties


def write_stage(stage: Stage, path: Path, wishes: EngineWishes, *, moves: bool) -> None:
    """Writes the content of a stage, in the format of the suffix; `moves`: with clips. The stage is
    for one format then. Raises WriteError."""
    suffix, textures = path.suffix.lower(), wishes.textures
    if suffix in (".glb", ".gltf"):
        _write_gltf(stage, path, textures, extras=bool(wishes.properties), moves=moves)
    elif suffix == ".fbx":
        if not wishes.linear_colors:
            # Blender writes its own linear numbers; most programs read sRGB.
            encode_colors(stage.meshes)
        _write_fbx(stage, path, textures, moves=moves)
    else:
        _write_usd(stage, path, textures, moves=moves)
    if not path.is_file() or not path.stat().st_size:
        raise WriteError(f"Blender did not write {quote(path.name)}")


def _write_gltf(stage: Stage, path: Path, textures: str, *, extras: bool, moves: bool) -> None:
    settings = _GLTF_SETTINGS | {
        "filepath": str(path),
        "export_format": "GLB" if path.suffix.lower() == ".glb" else "GLTF_SEPARATE",
        "export_extras": extras,
        "export_image_format": "NONE" if textures == "none" else "AUTO",
        "export_animations": moves,
        # Nodes are at rest, where engines look for it.
        "export_rest_position_armature": True,
    }
    for mesh in stage.meshes:
        # Bones alone move it: below a node whose place does not count it invites a mistake.
        mesh.parent = None
    render = stage.scene.render
    base = render.fps_base
    with _enabled(_GLTF), _window_kept(_GLTF):
        # Blender divides the frame rate by its base; this exporter multiplies.
        render.fps_base = 1.0 / base
        try:
            _run(stage, bpy.ops.export_scene.gltf, settings, path)
        finally:
            render.fps_base = base


def _write_fbx(stage: Stage, path: Path, textures: str, *, moves: bool) -> None:
    settings = _FBX_SETTINGS | {
        "filepath": str(path),
        "bake_anim": moves,
        "path_mode": "STRIP" if textures == "none" else "COPY",
        "embed_textures": textures == "embed",
    }
    is_beside = textures == "beside"
    with _enabled(_FBX), _packed_as_files(stage) if is_beside else nullcontext():
        _run(stage, bpy.ops.export_scene.fbx, settings, path)


@contextmanager
def _packed_as_files(stage: Stage) -> Iterator[None]:
    """Lets packed images be files, which FBX's exporter can copy, for as long as the block runs."""
    claims, renamed = Claims(), []
    with tempfile.TemporaryDirectory(prefix="urdf-importer-") as folder:
        try:
            for image in _images_of(stage):
                if image.packed_file is not None:
                    name = _ODD.sub("_", image.name).removesuffix(f"_{_ending(image)}")
                    target = Path(folder, f"{claims.claim(name)}.{_ending(image)}")
                    target.write_bytes(image.packed_file.data)
                    renamed.append((image, image.filepath_raw))
                    image.filepath_raw = str(target)
            yield
        finally:
            for image, before in renamed:
                image.filepath_raw = before


_ODD = re.compile(r"[^A-Za-z0-9_-]+")


def _ending(image: Any) -> str:
    return {"JPEG": "jpg", "TIFF": "tif", "TARGA": "tga", "OPEN_EXR": "exr"}.get(
        image.file_format, str(image.file_format).lower()
    )


def _images_of(stage: Stage) -> list[Any]:
    materials = [each for mesh in stage.meshes for each in mesh.data.materials if each is not None]
    trees = [each.node_tree for each in materials if each.node_tree is not None]
    found = (getattr(node, "image", None) for tree in trees for node in tree.nodes)
    return list(dict.fromkeys(filter(None, found)))


def _write_usd(stage: Stage, path: Path, textures: str, *, moves: bool) -> None:
    settings = _USD_SETTINGS | {
        "filepath": str(path),
        "export_animation": moves,
        "export_textures": textures != "none",
        "export_textures_mode": "KEEP" if textures == "none" else "NEW",
    }
    _run(stage, bpy.ops.wm.usd_export, settings, path)
    if not is_whole_usd(path):
        raise WriteError(f"cannot write {quote(path.name)}: the file is not whole")


def is_whole_usd(path: Path) -> bool:
    """Whether the end of a USD file is there: Blender does not say when the disk is full."""
    with path.open("rb") as file:
        start = file.read(24)
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - 64, 0))
        end = file.read()
    if start.startswith(b"PXR-USDC"):
        # The table of contents is last: its place, then sections of 32 bytes.
        (place,) = struct.unpack("<q", start[16:24])
        return bool(24 <= place <= size - 40)
    if start.startswith(b"PK"):
        return zipfile.is_zipfile(path)
    return end.rstrip().endswith(b"}")


def _run(stage: Stage, exporter: Any, settings: dict[str, Any], path: Path) -> None:
    try:
        known = exporter.get_rna_type().properties.keys()
    except (AttributeError, KeyError):
        # Some distributions build Blender without USD.
        raise WriteError(f"this Blender cannot write {quote(path.suffix)} files") from None
    chosen = {name: value for name, value in settings.items() if name in known}
    with hold_interrupt(), stage.context, _quiet():
        try:
            done = exporter(**chosen)
        except RuntimeError as error:
            raise WriteError(f"cannot write {quote(path.name)}: {last_words(error)}") from error
    if done != {"FINISHED"}:
        raise WriteError(f"Blender did not write {quote(path.name)}")


class _Quiescent:
    """A proxy of an object of Blender, with some attributes replaced."""

    def __init__(self, real: Any, **instead: Any) -> None:
        self.__dict__.update(instead, _real=real)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


@contextmanager
def _window_kept(addon: str) -> Iterator[None]:
    """Keeps an exporter from showing the window its scene, as glTF's does.

    When the user's own scene comes back, Blender shows its keyed values, also where numbers were
    changed since; and a window that shows a scene that is removed ends the process. The exporter
    works in the right scene without it.
    """
    window = _Quiescent(bpy.context.window, scene=None, cursor_set=lambda shape: None)
    stand_in = _Quiescent(bpy, context=_Quiescent(bpy.context, window=window))
    patched = [vars(each) for each in _load_modules(f"{addon}.blender.exp")]
    patched = [each for each in patched if each.get("bpy") is bpy]
    for each in patched:
        each["bpy"] = stand_in
    try:
        yield
    finally:
        for each in patched:
            each["bpy"] = bpy


def _load_modules(package: str) -> list[ModuleType]:
    """Loads all modules of a package, which its operator would load later."""
    found = [import_module(package)]
    for each in pkgutil.iter_modules(found[0].__path__, f"{package}."):
        found += _load_modules(each.name) if each.ispkg else [import_module(each.name)]
    return found


@contextmanager
def _enabled(addon: str) -> Iterator[None]:
    """Lends an exporter that users may have switched off."""
    _, loaded = addon_utils.check(addon)
    if not loaded and addon_utils.enable(addon, default_set=False) is None:
        raise WriteError(f"this Blender has no {quote(addon)}, which writes the format")
    try:
        yield
    finally:
        if not loaded:
            addon_utils.disable(addon, default_set=False)
        # Blender's classes, which exporters' annotations name: kept alive in typing's cache, they
        # crash bpy 4.2 at exit.
        for clear in getattr(typing, "_cleanups", ()):
            clear()


@contextmanager
def _quiet() -> Iterator[None]:
    """Discards exporters' reports of their progress, and of changes to come."""
    kept = []
    for number in (1, 2):
        try:
            kept.append((number, os.dup(number)))
        except OSError:
            continue
    streams = [each for each in (sys.stdout, sys.stderr) if each is not None]
    for each in streams:
        each.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for number, _ in kept:
            os.dup2(nowhere, number)
        with (
            open(os.devnull, "w", encoding="utf-8") as unread,
            redirect_stdout(unread),
            redirect_stderr(unread),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        for each in streams:
            each.flush()
        for number, old in kept:
            os.dup2(old, number)
            os.close(old)
        os.close(nowhere)
