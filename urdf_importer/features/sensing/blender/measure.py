# SPDX-License-Identifier: GPL-3.0-or-later
"""Measurements of sensors in the scene as it is shown: ranges and depths by rays, pictures by
Cycles, motion by differences."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import bpy
import numpy as np
from numpy.typing import NDArray

from ....core.blender.extract.robot import find_link_empties
from ....core.blender.standing import properties
from ....core.blender.standing.armatures import objects_of
from ....core.blender.standing.display import find_parts
from ....core.diagnostics import ArgumentError, BuildError, Diagnostics, quote
from ....core.geometry.transforms import Matrix, Vector, nearest_rotation
from ....core.model import Camera, Imu, Lidar, Sonar
from ....core.progress import Progress, finish
from ....core.sensors.intrinsics import BLENDER_FROM_OPTICAL, pixel_rays, undistort
from ....core.sensors.placed import PlacedSensor
from ....core.sensors.rays import MOST_RAYS, rays_of
from ...motion.blender.sample import walk_frames
from ..dataset import Shot
from ..options import SenseOptions
from ..reading import Reading, feel_motion
from .casting import Rays, cast, cast_steps, turn
from .pictures import has_lights, render_view
from .trees import collect_obstacles

MEASURED = ("camera", "depth", "rgbd", "wide", "lidar", "sonar", "imu")
"""The kinds of sensors that measure something here."""
_T = TypeVar("_T")
Steps = Generator[Progress, None, _T]
_SHOWN = (properties.VISUALS, properties.COLLISIONS)
"""Parts that show a robot, where they are not hidden anyway."""
_HALF = 0.5
"""Frames between the poses from which motion is found."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Looker:
    """A robot whose sensors measure. `links` are its links in the description's order; where it is
    `sliced`, many rays are cast in several steps."""

    armature: Any
    links: tuple[str, ...]
    options: SenseOptions
    diagnostics: Diagnostics
    sliced: bool = False

    def __post_init__(self) -> None:
        if self.armature.library is not None:
            name = quote(self.armature.name)
            raise BuildError(f"{name} is linked from another file: open that file")
        if self.armature.name not in bpy.context.scene.objects:
            raise BuildError(f"{quote(self.armature.name)} is not in the scene")

    @cached_property
    def empties(self) -> Mapping[str, Any]:
        """Link name -> its empty."""
        return find_link_empties(self.armature)

    def measure(self, sensor: PlacedSensor) -> Reading:
        """Returns the measurement of a sensor now. Raises ArgumentError for one that measures
        nothing here, BuildError where there can be no picture."""
        return finish(self.measure_steps(sensor))

    def measure_steps(self, sensor: PlacedSensor) -> Steps[Reading]:
        """Runs measure in steps; the measurement shows the scene at the first one."""
        described = sensor.sensor
        if isinstance(described, Lidar | Sonar):
            return (yield from self._scan(sensor, described))
        if isinstance(described, Imu):
            return self._feel(sensor)
        if sensor.camera is not None:
            return (yield from self._see(sensor, sensor.camera))
        raise ArgumentError(
            f"sensor {quote(sensor.name)} has the kind {quote(sensor.kind)}, which measures "
            "nothing in Blender"
        )

    def find_base(self) -> tuple[Matrix, float]:
        """Returns the rigid frame (4, 4) of the robot as a whole, in metres of its true size, and
        how many times that it has."""
        graph = bpy.context.evaluated_depsgraph_get()
        world = np.array(self.armature.evaluated_get(graph).matrix_world)
        scale = float(np.cbrt(abs(np.linalg.det(world[:3, :3]))))
        world[:3] /= scale
        return world, scale

    def find_frame(self, sensor: PlacedSensor) -> tuple[Matrix, float]:
        """Returns the rigid frame (4, 4) of a sensor in the world, by its object where it has one,
        and how many times its true size the robot is. Raises ArgumentError."""
        graph = bpy.context.evaluated_depsgraph_get()
        item = bpy.data.objects.get(sensor.object) if sensor.object else None
        if item is not None:
            world = np.array(item.evaluated_get(graph).matrix_world)
            frame = world @ BLENDER_FROM_OPTICAL if sensor.camera is not None else world
        else:
            empty = self.empties.get(sensor.link)
            if empty is None:
                raise ArgumentError(
                    f"sensor {quote(sensor.name)} is on link {quote(sensor.link)}, whose object is "
                    "no longer there"
                )
            frame = np.array(empty.evaluated_get(graph).matrix_world) @ sensor.frame
        scale = float(np.cbrt(abs(np.linalg.det(frame[:3, :3]))))
        if not np.isfinite(frame).all() or scale < 1e-9:
            raise ArgumentError(f"sensor {quote(sensor.name)} has no place: its pose is not finite")
        frame[:3, :3] = nearest_rotation(frame[:3, :3])
        return frame, scale

    def _scan(self, sensor: PlacedSensor, described: Lidar | Sonar) -> Steps[Reading]:
        rays = rays_of(described)
        flat = rays.reshape(-1, 3)
        bounds = np.full((2, len(flat)), ((described.near,), (described.far,)))
        found, _ = yield from self._cast(sensor, flat, bounds)
        if isinstance(described, Lidar) and described.noise:
            found = self._add_noise(sensor, found, described.noise)
        if isinstance(described, Sonar) or described.makes_one_range:
            return Reading(frame_id=sensor.frame_id, ranges=found.min(keepdims=True)[None])
        hit, ranges = np.isfinite(found), found.reshape(rays.shape[:2])
        points = flat[hit] * found[hit, None]
        return Reading(frame_id=sensor.frame_id, ranges=ranges, points=points)

    def _cast(
        self, sensor: PlacedSensor, directions: Matrix, bounds: Matrix
    ) -> Steps[tuple[Vector, NDArray[np.int32]]]:
        """Casts unit rays (n, 3) of a sensor's frame between distances (2, n)."""
        frame, scale = self.find_frame(sensor)
        numbers = {name: number for number, name in enumerate(self.links, start=1)}
        own = {empty: numbers[name] for name, empty in self.empties.items() if name in numbers}
        skipped = () if self.options.own_robot else objects_of(self.armature)
        near, far = bounds * scale
        rays = Rays(origin=frame[:3, 3], directions=turn(directions, frame), near=near, far=far)
        obstacles = collect_obstacles(own, frozenset(skipped))
        hits = (yield from cast_steps(obstacles, rays)) if self.sliced else cast(obstacles, rays)
        return hits.far / scale, hits.links

    def _add_noise(self, sensor: PlacedSensor, values: Vector, noise: Any) -> Vector:
        if not self.options.noise:
            self._report_noise(sensor)
            return values
        # Names of sensors, unlike their hashes, are the same in all runs.
        seed = [self.options.seed, bpy.context.scene.frame_current & 0xFFFFFFFF]
        random = np.random.default_rng([*seed, *sensor.name.encode()])
        return values + random.normal(noise.mean, noise.deviation, values.shape)

    def _report_noise(self, sensor: PlacedSensor) -> None:
        message = f"sensor {quote(sensor.name)} has noise, which is left out"
        self._report_once(sensor, "sensor-noise-ignored", message)

    def _report_once(self, sensor: PlacedSensor, code: str, message: str) -> None:
        if all((e.code, e.subject) != (code, sensor.name) for e in self.diagnostics):
            self.diagnostics.warning(code, message, subject=sensor.name)

    def _feel(self, sensor: PlacedSensor) -> Reading:
        scene = bpy.context.scene
        now, step = scene.frame_current_final, _HALF * scene.render.fps_base / scene.render.fps
        poses = []
        for _ in walk_frames((now - _HALF, now, now + _HALF)):
            pose, scale = self.find_frame(sensor)
            pose[:3, 3] /= scale
            poses.append(pose)
        if getattr(sensor.sensor, "is_noisy", False):
            self._report_noise(sensor)
        return read_motion(sensor, np.array(poses), (step, step))

    def _see(self, sensor: PlacedSensor, camera: Camera) -> Steps[Reading]:
        given: dict[str, Any] = {"K": sensor.K}
        lens = None
        if sensor.D is not None:
            bends = bool(sensor.D.any())
            lens = sensor.D if bends and self.options.distort else None
            given["D"] = sensor.D if lens is not None else np.zeros(5)
            if bends and lens is None:
                message = f"the lens of sensor {quote(sensor.name)} distorts; its pictures are "
                self._report_once(sensor, "lens-distortion-ignored", f"{message}ideal, and D is 0")
        if sensor.kind != "depth":
            given["rgb"] = self._take_picture(sensor, camera, lens)
        measures_depth = sensor.kind in ("depth", "rgbd") or self.options.labels
        if sensor.K is not None and measures_depth:
            given |= yield from self._measure_depth(sensor, camera, lens)
        return Reading(frame_id=sensor.frame_id, **given)

    def _measure_depth(
        self, sensor: PlacedSensor, camera: Camera, lens: Vector | None
    ) -> Steps[dict[str, Any]]:
        assert sensor.K is not None
        if camera.width * camera.height > MOST_RAYS:
            raise ArgumentError(f"sensor {quote(sensor.name)} has too many pixels to cast rays")
        rays = pixel_rays(sensor.K, camera.width, camera.height)
        if lens is not None:
            rays[..., :2] = undistort(lens, rays[..., :2])
        flat = rays.reshape(-1, 3)
        lengths = np.linalg.norm(flat, axis=1)
        near, far = camera.depth if sensor.kind in ("depth", "rgbd") else (camera.near, camera.far)
        found, links = yield from self._cast(
            sensor, flat / lengths[:, None], np.stack([near * lengths, far * lengths])
        )
        depth = found / lengths
        hit = np.isfinite(depth)
        if camera.noise and sensor.kind in ("depth", "rgbd"):
            depth = np.maximum(self._add_noise(sensor, depth, camera.noise), 0.0)
        shape = (camera.height, camera.width)
        return {
            "depth": np.where(hit, depth, 0.0).astype(np.float32).reshape(shape),
            "points": flat[hit] * depth[hit, None],
            "links": links.reshape(shape),
        }

    def _take_picture(
        self, sensor: PlacedSensor, camera: Camera, lens: Vector | None
    ) -> NDArray[np.uint8]:
        frame, scale = self.find_frame(sensor)
        K, width, height = sensor.K, camera.width, camera.height
        bent = None
        if lens is not None and K is not None:
            bent = undistort(lens, pixel_rays(K, width, height)[..., :2])
            K, width, height = _widen(K, bent)
        near, far, lens_K = camera.near * scale, camera.far * scale, np.eye(3) if K is None else K
        view = Shot(world=frame, width=width, height=height, K=lens_K, near=near, far=far)
        parts = {} if self.options.own_robot else find_parts(self.armature)
        hidden = [each for part in _SHOWN for each in parts.get(part, ())]
        angle = camera.field_of_view if K is None else 0.0
        samples = self.options.samples
        picture = render_view(view, samples, hidden=frozenset(hidden), fisheye=angle)
        if not picture.any() and not has_lights():
            message = f"the picture of sensor {quote(sensor.name)} is black: nothing lights the "
            advice = "scene; add a light, or a world with a colour"
            self._report_once(sensor, "unlit-scene", message + advice)
        if bent is not None and K is not None:
            picture = _resample(picture, bent @ K[:2, :2].T + K[:2, 2])
        if not camera.is_color:
            grey = picture @ np.array([0.299, 0.587, 0.114])
            picture = np.repeat(grey.round().astype(np.uint8)[..., None], 3, axis=2)
        return picture


def read_motion(sensor: PlacedSensor, poses: Matrix, steps: tuple[float, float]) -> Reading:
    """Returns the measurement of an IMU from its frames (3, 4, 4) at three times, `steps` seconds
    apart."""
    felt = feel_motion(poses, steps)
    if not getattr(sensor.sensor, "has_orientation", True):
        del felt["orientation"]
    return Reading(frame_id=sensor.frame_id, **felt)


def _widen(K: Matrix, bent: Matrix) -> tuple[Matrix, int, int]:
    """Returns K, width and height of an ideal picture that holds points (..., 2) of z = 1."""
    low = np.floor(bent.min(axis=(0, 1)) * np.diag(K)[:2]) - 1.0
    high = np.ceil(bent.max(axis=(0, 1)) * np.diag(K)[:2]) + 1.0
    wider = K.copy()
    wider[:2, 2] = -low
    width, height = (high - low + 1.0).astype(int).tolist()
    return wider, width, height


def _resample(picture: NDArray[np.uint8], places: Matrix) -> NDArray[np.uint8]:
    """Returns the colours of a picture at pixels (h, w, 2), mixed from the four around them."""
    first = np.floor(places).astype(int)
    share = (places - first)[..., None]
    u, v = first[..., 0], first[..., 1]
    across, down = share[..., 0, :], share[..., 1, :]
    top = picture[v, u] * (1.0 - across) + picture[v, u + 1] * across
    low = picture[v + 1, u] * (1.0 - across) + picture[v + 1, u + 1] * across
    mixed = top * (1.0 - down) + low * down
    result: NDArray[np.uint8] = mixed.round().astype(np.uint8)
    return result
