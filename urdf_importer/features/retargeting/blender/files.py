# SPDX-License-Identifier: GPL-3.0-or-later
"""People in files that Blender reads -> an armature in the scene."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, suppress
from io import StringIO
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy_extras import image_utils

from ....core.blender.complaints import last_words
from ....core.blender.curves import set_frame_rate
from ....core.diagnostics import (
    Diagnostics,
    MeshError,
    ReadError,
    name_choices,
    one_line,
    quote,
    unknown_name,
)
from ....core.files.packages import PackageResolver
from ....core.files.regular import ResolveBeside
from ....core.meshes.gltf.judge import judge_gltf
from ..bvh import read_bvh

_IMPORTERS = {".bvh": "bvh", ".fbx": "fbx", ".glb": "gltf", ".gltf": "gltf"}
_TALL = 1.7
"""Metres: files of centimetres and of inches become people of about this height."""


def open_person(path: str, name: str | None = None) -> Any:
    """Brings the objects of a .bvh, .fbx, .glb, .gltf or .blend into the scene and returns the
    armature of this name, or the only one. The scene gets the frame rate of the
    file; of a glTF file, which has seconds, it keeps its own. Raises ReadError."""
    suffix = Path(path).suffix.lower()
    if suffix not in (*_IMPORTERS, ".blend"):
        choices = name_choices((*_IMPORTERS, ".blend"))
        raise ReadError(f"a person's motion ends in {choices}, not in {quote(suffix)}", source=path)
    if not Path(path).is_file():
        raise ReadError("no such file", source=path)
    before = set(bpy.data.objects)
    if suffix == ".blend":
        _append(path)
    else:
        _import(path, suffix)
    people = (item for item in bpy.data.objects if item not in before and item.type == "ARMATURE")
    found = {item.name: item for item in people}
    if not found:
        raise ReadError("there is no armature in this file", source=path)
    if name is not None and name not in found:
        raise unknown_name("the file has no armature", name, found)
    if name is None and len(found) > 1:
        named = ", ".join(map(quote, list(found)[:5]))
        raise ReadError(f"there are several armatures: choose one of {named}", source=path)
    return found[name] if name is not None else next(iter(found.values()))


def _append(path: str) -> None:
    try:
        with bpy.data.libraries.load(path) as (theirs, ours):
            ours.objects, ours.scenes = list(theirs.objects), list(theirs.scenes)
    except OSError as error:
        raise ReadError(f"Blender cannot read it: {one_line(error)}", source=path) from None
    for item in ours.objects:
        if item is not None:
            bpy.context.scene.collection.objects.link(item)
    for number, scene in enumerate(filter(None, ours.scenes)):
        # Frames last as long as in their own scene.
        if not number:
            set_frame_rate(scene.render.fps / scene.render.fps_base)
        bpy.data.scenes.remove(scene)


def _import(path: str, suffix: str) -> None:
    more: dict[str, Any] = {}
    if suffix == ".bvh":
        # Blender's own reader ends in tracebacks: damaged files are refused before.
        person = read_bvh(path, Diagnostics(path))
        size = float(np.median(np.ptp(person.points, axis=1).max(axis=1)))
        more["global_scale"] = 10.0 ** round(np.log10(_TALL / max(size, 1e-6)))
        set_frame_rate(round(person.rate, 3))
    if suffix in (".glb", ".gltf"):
        try:
            judge_gltf(Path(path), _judge_beside(path))
        except MeshError as error:
            raise ReadError(error.message, source=path) from None
    group = bpy.ops.import_anim if suffix == ".bvh" else bpy.ops.import_scene
    try:
        # Blender's readers print tracebacks; the sentence says the same.
        with redirect_stderr(StringIO()), _images_judged(path):
            getattr(group, _IMPORTERS[suffix])(filepath=path, **more)
    except (RuntimeError, AttributeError) as error:
        raise ReadError(f"Blender cannot read it: {last_words(error)}", source=path) from None


def _judge_beside(path: str) -> ResolveBeside:
    resolver = PackageResolver(path)
    return lambda uri, kind: resolver.resolve_file(uri, lambda code, note: None, kind=kind)


@contextmanager
def _images_judged(path: str) -> Iterator[None]:
    """Lets the reader of FBX, which takes any path, open images only where meshes may name them;
    others become empty ones."""
    load, judge = image_utils.load_image, _judge_beside(path)

    def load_judged(name: str, dirname: str = "", **how: Any) -> Any:
        folder = os.path.dirname(os.path.abspath(path))
        for place in (os.path.join(dirname, name), os.path.join(folder, os.path.basename(name))):
            with suppress(MeshError):
                found = judge(os.path.normpath(place), "texture")
                return load(str(found), "", **how | {"recursive": False})
        return bpy.data.images.new(os.path.basename(name), 1, 1)

    image_utils.load_image = load_judged
    try:
        yield
    finally:
        image_utils.load_image = load
