# SPDX-License-Identifier: GPL-3.0-or-later
"""The animation of a rig, and the pictures of cameras -> episodes for training."""

import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ....core.arguments import diagnostics_of, options_of, rig_of
from ....core.blender.curves import frame_rate
from ....core.blender.extract.robot import extract_robot
from ....core.blender.span import find_range
from ....core.blender.standing import properties
from ....core.blender.standing.keys import curves_of, playing
from ....core.diagnostics import Diagnostics, KinematicsError, WriteError, quote
from ....core.files.packages import AnyPath
from ....core.progress import Progress, finish
from ..datasets.episodes import Episode, EpisodeOptions, check_camera
from ..datasets.writing import Making, write_steps
from .sample import sample_trajectory, walk_frames
from .servos import with_servos

_CODEC = {"video.codec": "h264", "video.pix_fmt": "yuv420p", "video.channels": 3,
          "video.is_depth_map": False, "has_audio": False, "is_depth_map": False}  # fmt: skip
_MOST_ROWS = 100_000
_HELD = (
    "filepath", "resolution_x", "resolution_y", "resolution_percentage", "use_file_extension",
    "use_overwrite", "use_border", "use_sequencer", "use_compositing",
)  # fmt: skip


def record_episodes(
    armature: Any,
    folder: AnyPath,
    *,
    options: EpisodeOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> tuple[Path, ...]:
    """Writes an imported robot's animation as a dataset of LeRobot, as write_episodes does, and
    returns the files: an episode of the frames that are animated, or of each action of the robot,
    after IK, limits, drivers and constraints, with the pictures of the scene's `cameras`.

    The scene, its settings and the action that was active stay as they were. Raises KinematicsError
    for a camera that is not there and a robot without actions, BuildError, and as write_episodes
    does.
    """
    return finish(record_episode_steps(armature, folder, options=options, diagnostics=diagnostics))


def record_episode_steps(
    armature: Any,
    folder: AnyPath,
    *,
    options: EpisodeOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Generator[Progress, None, tuple[Path, ...]]:
    """Runs record_episodes in steps, for progress bars."""
    armature = rig_of(armature)
    options = with_servos(options_of(options, EpisodeOptions), armature)
    diagnostics = diagnostics_of(diagnostics)
    cameras = {name: _find_camera(name) for name in options.cameras}
    takes = _find_takes(armature, options)
    robot = extract_robot(armature)
    with tempfile.TemporaryDirectory() as place:
        recorder = _Recorder(armature, options, cameras, Path(place))
        encode = recorder.encode if options.pictures == "video" else None
        episodes = recorder.episodes(takes)
        making = Making(robot=robot, options=options, diagnostics=diagnostics, encode=encode)
        return (yield from write_steps(episodes, folder, making))


def _find_camera(name: str) -> Any:
    check_camera(name)
    found = bpy.context.scene.objects.get(name)
    if found is None or found.type != "CAMERA":
        there = [each.name for each in bpy.context.scene.objects if each.type == "CAMERA"]
        shown = f"; there is {', '.join(map(quote, there[:8]))}" if there else "; there is none"
        raise KinematicsError(f"the scene has no camera {quote(name)}{shown}")
    return found


@dataclass(frozen=True, slots=True)
class _Take:
    """An action to play, None for the scene as it is, and its first and last frame."""

    action: Any
    first: float
    last: float
    task: str


def _find_takes(armature: Any, options: EpisodeOptions) -> list[_Take]:
    active: Any = armature.animation_data.action if armature.animation_data else None
    if not options.actions:
        task = active.name if active is not None else armature.name
        return [_Take(None, *find_range(armature), task)]
    found = [
        _Take(action, float(action.frame_range[0]), float(action.frame_range[1]), str(action.name))
        for action in sorted(bpy.data.actions, key=lambda each: str(each.name))
        if action == active or (properties.MOTION in action and _fits(armature, action))
    ]
    if not found:
        raise KinematicsError("the robot has no actions to write")
    return found


def _fits(armature: Any, action: Any) -> bool:
    """Whether the robot has the bones of an action's curves."""
    paths = {each.data_path for each in curves_of(action)}
    bones = {path.split('"')[1] for path in paths if path.startswith('pose.bones["')}
    return bool(bones) and bones <= set(armature.pose.bones.keys())


class _Recorder:
    def __init__(
        self,
        armature: Any,
        options: EpisodeOptions,
        cameras: Mapping[str, Any],
        folder: Path,
    ) -> None:
        self._armature, self._options = armature, options
        self._cameras, self._folder = cameras, folder

    def episodes(self, takes: Sequence[_Take]) -> Iterator[Episode]:
        """Yields the episodes, one after the other; each plays its action meanwhile."""
        for number, take in enumerate(takes):
            own = nullcontext() if take.action is None else playing(self._armature, take.action)
            with own:
                yield self._record(take, number)

    def _record(self, take: _Take, number: int) -> Episode:
        fps, span = self._options.fps, (take.first, take.last)
        motion = sample_trajectory(self._armature, frame_range=span, rate=fps)
        rows = len(motion.times)
        if rows > _MOST_ROWS and self._cameras:
            raise WriteError(f"these are {rows} pictures of each camera; {_MOST_ROWS} are the most")
        shots: dict[str, list[Path | bytes]] = {name: [] for name in self._cameras}
        frames = take.first + np.arange(rows) * frame_rate() / fps
        if self._cameras:
            with _rendering(bpy.context.scene, self._options):
                for row, _ in enumerate(walk_frames(frames.tolist())):
                    for at, (name, camera) in enumerate(self._cameras.items()):
                        shots[name].append(self._shoot(camera, f"{number}-{at}-{row:06d}"))
        return Episode(motion=motion, task=self._options.task or take.task, pictures=shots)

    def _shoot(self, camera: Any, name: str) -> Path:
        scene, path = bpy.context.scene, self._folder / f"{name}.png"
        scene.camera = camera
        scene.render.filepath = str(path)
        bpy.ops.render.render(write_still=True)
        return path

    def encode(self, shots: Sequence[Path | bytes], target: Path, fps: int) -> Mapping[str, Any]:
        """Writes pictures as a video in H.264, by a scene of its own, a row a frame."""
        paths = [each for each in shots if isinstance(each, Path)]
        scene = bpy.data.scenes.new("Video")
        try:
            _compose(scene, paths, self._options)
            scene.render.fps, scene.render.fps_base = fps, 1.0
            scene.render.filepath = str(target)
            bpy.ops.render.render(animation=True, scene=scene.name)
        finally:
            bpy.data.scenes.remove(scene)
        if not target.is_file():
            raise WriteError("Blender has written no video")
        size = {"video.height": self._options.height, "video.width": self._options.width}
        return {"video.fps": fps, **size, **_CODEC}


def _compose(scene: Any, paths: Sequence[Path], options: EpisodeOptions) -> None:
    editor = scene.sequence_editor_create()
    strips = editor.strips if hasattr(editor, "strips") else editor.sequences
    strip = strips.new_image("pictures", str(paths[0]), channel=1, frame_start=1)
    for each in paths[1:]:
        strip.elements.append(each.name)
    if not hasattr(strip, "duration"):
        # Before Blender 5.2 a strip does not grow with its elements.
        strip.frame_final_duration = len(paths)
    scene.frame_start, scene.frame_end = 1, len(paths)
    render = scene.render
    render.resolution_x, render.resolution_y = options.width, options.height
    render.resolution_percentage = 100
    render.use_file_extension = False
    render.use_sequencer, render.use_compositing = True, False
    scene.view_settings.view_transform = "Standard"
    if hasattr(render.image_settings, "media_type"):
        render.image_settings.media_type = "VIDEO"
    render.image_settings.file_format = "FFMPEG"
    video = render.ffmpeg
    video.format, video.codec = "MPEG4", "H264"
    video.gopsize, video.use_max_b_frames, video.max_b_frames = 2, True, 0
    video.constant_rate_factor = "HIGH"


@contextmanager
def _rendering(scene: Any, options: EpisodeOptions) -> Iterator[None]:
    """Renders PNG files of the options' size, and puts all settings back."""
    render, image = scene.render, scene.render.image_settings
    held = {name: getattr(render, name) for name in _HELD}
    kinds = ("media_type",) if hasattr(image, "media_type") else ()
    held_image = {name: getattr(image, name) for name in (*kinds, "file_format", "color_mode")}
    camera = scene.camera
    try:
        for name in kinds:
            setattr(image, name, "IMAGE")
        image.file_format, image.color_mode = "PNG", "RGB"
        render.resolution_x, render.resolution_y = options.width, options.height
        render.resolution_percentage = 100
        render.use_border, render.use_sequencer = False, False
        yield
    finally:
        scene.camera = camera
        for name, value in held.items():
            setattr(render, name, value)
        for name, value in held_image.items():
            setattr(image, name, value)
