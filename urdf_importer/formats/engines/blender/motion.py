# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of a rig, looked at frame by frame in a scene of its own.

Nothing of the user's is touched: a frame that is set in another scene changes evaluated copies
only, so poses without keyframes stay unchanged. (ViewLayer.update() of such a scene would write
keyed values to the originals.) An armature whose bones copy the links' empties makes Blender
evaluate all that moves them, also where it is hidden.
"""

import math
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ....core.blender.arrays import read_array
from ....core.blender.modes import edit_bones_of
from ....core.blender.standing.armatures import armatures_of
from ....core.blender.standing.keys import curves_of
from ....core.geometry.transforms import Matrix, Vector, nearest_rotation
from ....core.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Motion:
    """The frames of links, frame by frame.

    name   the clip's
    base   (F, 4, 4), the robot's root frame relative to the first frame
    links  (F, L, 4, 4), frames of the links in the robot's root frame, in metres
    """

    name: str
    base: Matrix
    links: Matrix

    @property
    def moves(self) -> bool:
        """Whether anything is elsewhere in some frame."""
        return any(
            float(np.abs(part - part[:1]).max(initial=0.0)) > 1e-6
            for part in (self.base, self.links)
        )


class ClipSampler:
    """Looks at a main armature and the empties of links; only within sampling()."""

    def __init__(self, watched: Sequence[Any], scene: Any, probe: Any) -> None:
        self._watched = watched
        self._scene, self._probe = scene, probe

    def look(self) -> Motion:
        """Returns the one frame that the user's scene shows now."""
        depsgraph = bpy.context.evaluated_depsgraph_get()
        shown = [item.evaluated_get(depsgraph).matrix_world for item in self._watched]
        return _make("", np.array(shown)[None])

    def play(self, name: str, frames: Vector) -> Generator[Progress, None, Motion]:
        """Returns the motion at frames, in their order, one by one."""
        found = []
        for number, frame in enumerate(frames.tolist()):
            yield Progress(share=number / len(frames), text=f"{name}, frame {frame:g}")
            whole = math.floor(frame)
            self._scene.frame_set(whole, subframe=frame - whole)
            found.append(self._read())
        return _make(name, np.array(found))

    def _read(self) -> Matrix:
        depsgraph = self._scene.view_layers[0].depsgraph
        bones = self._probe.evaluated_get(depsgraph).pose.bones
        numbers: Matrix = read_array(bones, "matrix", 16).astype(np.float64)
        return numbers.reshape(-1, 4, 4).transpose(0, 2, 1)


def _make(name: str, worlds: Matrix) -> Motion:
    base, links = worlds[:, 0], worlds[:, 1:]
    return Motion(
        name=name,
        base=_upright(np.linalg.inv(base[:1]) @ base),
        links=_upright(np.linalg.inv(base)[:, None] @ links),
    )


def _upright(frames: Matrix) -> Matrix:
    """Returns frames (..., 4, 4) without the scale and shear that single precision leaves, or that
    a scaled armature gives them."""
    result = np.array(frames)
    result[..., :3, :3] = nearest_rotation(result[..., :3, :3])
    return result


_COLLECTIONS = (
    "actions",
    "armatures",
    "collections",
    "images",
    "materials",
    "meshes",
    "objects",
    "scenes",
    "texts",
)


@contextmanager
def own_scene(name: str) -> Iterator[Any]:
    """Gives an empty scene of the frame rate of the user's; all that the block makes is gone
    afterwards."""
    before = {kind: set(getattr(bpy.data, kind)) for kind in _COLLECTIONS}
    user, scene = bpy.context.scene, bpy.data.scenes.new(name)
    scene.render.fps, scene.render.fps_base = user.render.fps, user.render.fps_base
    try:
        yield scene
    finally:
        for kind in reversed(_COLLECTIONS):
            made = [item for item in getattr(bpy.data, kind) if item not in before[kind]]
            bpy.data.batch_remove(made)


@contextmanager
def sampling(main: Any, empties: Sequence[Any]) -> Iterator[ClipSampler]:
    """Gives a sampler of a robot's main armature and of its links' empties."""
    watched = [main, *empties]
    with own_scene("~ motion") as scene:
        probe = bpy.data.objects.new("~ motion", bpy.data.armatures.new("~ motion"))
        scene.collection.objects.link(probe)
        with bpy.context.temp_override(scene=scene, view_layer=scene.view_layers[0]):
            _watch(probe, watched)
        yield ClipSampler(watched, scene, probe)


def _watch(probe: Any, targets: Sequence[Any]) -> None:
    with edit_bones_of(probe) as edit_bones:
        for index in range(len(targets)):
            edit_bones.new(str(index)).tail = (0.0, 1.0, 0.0)
    for bone, target in zip(probe.pose.bones, targets, strict=True):
        bone.constraints.new("COPY_TRANSFORMS").target = target


def list_actions(main: Any) -> list[tuple[Any, Any]]:
    """Lists (armature, action) of each action of the file that moves bones with joints of a robot,
    by the names of the actions."""
    bones = {each: {bone.name for bone in each.data.bones} for each in armatures_of(main)}
    found = []
    for action in sorted(bpy.data.actions, key=lambda each: str(each.name)):
        named = _named_bones(action)
        fitting = [(len(named & names), each) for each, names in bones.items()]
        most = max(fitting, key=lambda pair: pair[0])
        if most[0]:
            found.append((most[1], action))
    return found


def _named_bones(action: Any) -> set[str]:
    curves = [curve.data_path for curve in curves_of(action)]
    parts = (path.split('"') for path in curves if path.startswith('pose.bones["'))
    return {part[1] for part in parts if len(part) > 2}


def frames_between(first: float, last: float, step: float) -> Vector:
    """Returns the frames from the first to the last, whole ones where none were chosen."""
    count = math.floor((last - first) / step + 1e-9) + 1
    frames: Vector = first + step * np.arange(count, dtype=np.float64)
    return frames
