# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of work of an export to an engine: look -> stage -> bake -> write."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ....core.blender.extract.robot import find_link_empties
from ....core.blender.extract.scene_source import report_scale
from ....core.blender.span import find_span
from ....core.blender.standing.keys import playing
from ....core.diagnostics import Diagnostics
from ....core.names import Claims
from ....core.progress import Progress, relay
from ..skeleton import EngineSkeleton, clean_name
from .files import EngineWishes, write_stage
from .motion import ClipSampler, Motion, frames_between, list_actions, sampling
from .stage import Stage, bake_clip, basis_of, pose_bones, staged

_SEEN, _STAGED = 0.5, 0.7
"""Shares of the work at which the clips are seen, and all is ready to be written."""


def export_rig_steps(
    main: Any,
    skeleton: EngineSkeleton,
    wishes: EngineWishes,
    path: Path,
    diagnostics: Diagnostics,
) -> Generator[Progress, None, tuple[str, ...]]:
    """Writes a rig to `path`, and levels of detail and textures beside it where the format has them
    so, step by step; returns the names of the clips. The scene is left unchanged, also where the
    work is closed. Raises WriteError."""
    report_scale(main, diagnostics)
    found = find_link_empties(main)
    empties = {link: found[link] for link in skeleton.carriers if link in found}
    with sampling(main, list(empties.values())) as sampler:
        shown = sampler.look()
        found_clips = yield from _see_clips(main, sampler, wishes)
        clips = [clip for clip in found_clips if clip.moves]
        if wishes.frames and len(found_clips) == 1:
            shown = found_clips[0]
    yield Progress(share=_SEEN, text="meshes")
    name = clean_name(str(skeleton.tree.robot.name) or "robot")
    step = wishes.frames[2] if wishes.frames else 1.0
    with staged(skeleton, empties, name, wishes.shares) as stage:
        for bone, values in wishes.properties.items():
            for key, value in values.items():
                # The exporter of glTF reads the bone's up to Blender 5.2, the pose bone's from 5.3.
                stage.armature.data.bones[bone][f"urdf_{key}"] = value
                stage.armature.pose.bones[bone][f"urdf_{key}"] = value
        links = list(empties)
        clips = clips or _hold_pose(stage, skeleton, links, shown)
        for clip in clips:
            poses = pose_bones(skeleton, links, clip)
            bake_clip(stage.armature, clip.name, basis_of(stage.armature, skeleton, poses))
        last = max((len(clip.base) for clip in clips), default=1) - 1
        stage.scene.frame_start, stage.scene.frame_end = 0, last
        # Before all clips, where the armature is at rest.
        stage.scene.frame_set(-1)
        # Exporters look at whole frames only, so a step between frames becomes a frame.
        stage.scene.render.fps_base *= step
        yield Progress(share=_STAGED, text=path.name)
        yield from _write_all(stage, path, wishes, clips)
    return tuple(clip.name for clip in clips)


def _see_clips(
    main: Any, sampler: ClipSampler, wishes: EngineWishes
) -> Generator[Progress, None, list[Motion]]:
    found = []
    actions = list_actions(main) if wishes.every_action else []
    for number, (armature, action) in enumerate(actions):
        first, last, step = wishes.frames or (*action.frame_range, 1.0)
        part = partial(_show, first=number / len(actions), size=1.0 / len(actions))
        with playing(armature, action):
            steps = sampler.play(action.name, frames_between(first, last, step))
            found.append((yield from relay(steps, part)))
    if not wishes.every_action:
        name, first, last = find_span(main) or ("", 0.0, 0.0)
        first, last, step = wishes.frames or (first, last, 1.0)
        if wishes.frames or last > first:
            steps = sampler.play(name or "motion", frames_between(first, last, step))
            found.append((yield from relay(steps, partial(_show, first=0.0, size=1.0))))
    return found


def _show(step: Progress, first: float, size: float) -> Progress:
    return replace(step, share=_SEEN * (first + size * step.share))


_POSE = "pose"
"""The clip of a robot that does not move and is not at zero."""
_NEAR = 1e-5
"""Deviation from zero in single precision, in radians and in metres at true size."""


def _hold_pose(
    stage: Stage, skeleton: EngineSkeleton, links: Sequence[str], shown: Motion
) -> list[Motion]:
    """Makes a clip of two like frames of the pose in `shown`, unless that is the rest: engines take
    nodes for the rest, so these cannot show it. Players stumble over a clip of one frame."""
    basis = basis_of(stage.armature, skeleton, pose_bones(skeleton, links, shown))
    is_rest = all(
        float(np.abs(locations).max()) < _NEAR * skeleton.scale
        and float(np.abs(quaternions[:, 1:]).max()) < _NEAR
        for locations, quaternions in basis.values()
    )
    if is_rest:
        return []
    held = {"base": shown.base[:1].repeat(2, axis=0), "links": shown.links[:1].repeat(2, axis=0)}
    return [replace(shown, name=_POSE, **held)]


def _write_all(
    stage: Stage, path: Path, wishes: EngineWishes, clips: Sequence[Motion]
) -> Iterator[Progress]:
    """Writes the file; formats without several levels in one get a file for each level, USD one for
    each further clip. Yields before each further one."""
    moves = bool(clips)
    suffix = path.suffix.lower()
    is_usd = suffix.startswith(".usd")
    # Exporters look for clips in different places: glTF's takes muted tracks, FBX's strips that are
    # not muted.
    for track in stage.armature.animation_data.nla_tracks if moves else ():
        track.mute = suffix != ".fbx"
    if is_usd and moves:
        _play_alone(stage, clips, 0)
    if suffix == ".fbx" or len(stage.meshes) < 2:
        write_stage(stage, path, wishes, moves=moves)
    else:
        for index in range(len(stage.meshes)):
            place = path.with_stem(f"{path.stem}_LOD{index}") if index else path
            if index:
                yield Progress(share=_STAGED, text=place.name)
            with _only(stage, index):
                write_stage(stage, place, wishes, moves=moves)
    claims = Claims()
    for index, clip in enumerate(clips):
        name = claims.claim(clean_name(clip.name))
        if is_usd and index:
            place = path.with_stem(f"{path.stem}_{name}")
            yield Progress(share=_STAGED + 0.3 * index / len(clips), text=place.name)
            _play_alone(stage, clips, index)
            with _only(stage, 0):
                write_stage(stage, place, wishes, moves=moves)


def _play_alone(stage: Stage, clips: Sequence[Motion], index: int) -> None:
    """Plays one clip, for its own time: USD's exporter takes the active one, and no reader of USD
    looks for a second motion of a skeleton."""
    for place, track in enumerate(stage.armature.animation_data.nla_tracks):
        track.mute = place != index
    stage.scene.frame_end = len(clips[index].base) - 1


@contextmanager
def _only(stage: Stage, index: int) -> Iterator[None]:
    """Takes all levels of detail but one from the stage."""
    others = [mesh for place, mesh in enumerate(stage.meshes) if place != index]
    for mesh in others:
        stage.scene.collection.objects.unlink(mesh)
        mesh.parent = None
    try:
        yield
    finally:
        for mesh in others:
            stage.scene.collection.objects.link(mesh)
            mesh.parent = stage.armature
