# SPDX-License-Identifier: GPL-3.0-or-later
"""Labelled pictures of a robot: colours by Cycles; depths, normals and masks by one ray through the
centre of each pixel, so that no label is mixed from two surfaces."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import bpy
import mathutils
import numpy as np
from numpy.typing import NDArray

from ....core.blender.standing.armatures import objects_of
from ....core.blender.standing.pose import random_pose
from ....core.diagnostics import BuildError, Diagnostics, quote, unknown_name
from ....core.geometry.transforms import Matrix, invert
from ....core.model import Robot
from ....core.sensors.intrinsics import pixel_rays
from ....core.sensors.placed import PlacedSensor
from ...studio.blender.studio import denoise
from ..dataset import DatasetOptions, Shot, chance_of, draw_shot
from ..masks import box_of, describe_mask
from ..options import SenseOptions
from .casting import Hits, Rays, cast, start_hits, turn
from .measure import Looker
from .pictures import render_view
from .subjects import Subject
from .surroundings import Dressing, Room
from .trees import Obstacle, collect_obstacles, join_shapes

_BOUNCES = 4
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelledPicture:
    """A picture with its labels, all (height, width).

    rgb      (..., 3) uint8
    depth    float32, metres along the axis; 0 where nothing is
    normals  (..., 3) float32 in the optical frame, of the flat faces; 0 where nothing is
    links    uint16: 1 for the first link of the description, 0 for all that is not a robot
    robots   uint8: 1 for the first robot, 0 for all else
    label    all else, as JSON holds it
    silhouettes    (robot, link) -> the link's mask as if nothing else were there
    """

    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]
    normals: NDArray[np.float32]
    links: NDArray[np.uint16]
    robots: NDArray[np.uint8]
    label: dict[str, Any]
    silhouettes: Mapping[tuple[int, int], Mask]


class LabelStage:
    """Robots alike in a scene, for labelled pictures; `camera` is theirs, for pictures by it. The
    scene is changed: other objects are not rendered any more, but with the scene "own". Raises
    BuildError for a robot without anything to see, KinematicsError for a keypoint without a
    link."""

    def __init__(
        self,
        armatures: Sequence[Any],
        robot: Robot,
        options: DatasetOptions,
        refuse: Callable[[Mapping[str, Any]], str] | None = None,
        camera: PlacedSensor | None = None,
    ) -> None:
        self.robot, self.options = robot, options
        self._refuse, self._camera = refuse, camera
        self.keypoints = options.keypoints or _list_moved(robot)
        self.subjects = [
            Subject(each, robot, number, self.keypoints)
            for number, each in enumerate(armatures, start=1)
        ]
        self.ids = self.subjects[0].ids
        for name in self.keypoints:
            if name not in self.ids:
                raise unknown_name("the robot has no link", name, self.ids)
        if len(self.ids) > np.iinfo(np.uint16).max:
            raise BuildError(f"{len(self.ids)} links are too many for masks of 16 bits")
        self._set_scene()
        self._home = armatures[0].matrix_world.copy()
        self._kept: dict[Any, Any] = {}
        if not self._see_robots():
            raise BuildError(f"robot {quote(robot.name)} has nothing to see: no link has a visual")
        # Before the first pose: frames have single precision, so other poses give other bytes.
        self.shapes = self._find_shapes() if "bop" in options.formats else {}

    def _set_scene(self) -> None:
        scene, own = bpy.context.scene, set()
        for each in self.subjects:
            own |= {each.armature, *objects_of(each.armature)}
            if each.armature.animation_data is not None:
                # Keys would move the joints back; drivers must keep running.
                each.armature.animation_data.action = None
        if self.options.scene != "own":
            for item in scene.objects:
                item.hide_render |= item not in own
        scene.cycles.device = "CPU"
        scene.cycles.seed, scene.cycles.max_bounces = 0, _BOUNCES
        # For many lamps; without them it costs a tenth of the picture.
        scene.cycles.use_light_tree &= self.options.scene == "own"
        if self.options.denoise:
            denoise(scene.cycles)
        else:
            scene.cycles.use_denoising = False

    def _collect(self, kept: dict[Any, Any] | None = None) -> list[Obstacle]:
        own = {item: number for each in self.subjects for item, number in each.own.items()}
        return collect_obstacles(own, shapes=self._kept if kept is None else kept)

    def _see_robots(self) -> list[Obstacle]:
        return [each for each in self._collect() if each.link]

    def _find_shapes(self) -> dict[int, tuple[Matrix, NDArray[np.int32]]]:
        """Returns link id -> points (n, 3) in the link's frame in metres, and triangles (m, 3), of
        all links with visuals."""
        seats, found = self.subjects[0].place_links(), {}
        parts = self._see_robots()
        for name, number in self.ids.items():
            own = [each for each in parts if each.link == number]
            if own:
                inside = invert(seats[name])
                shape = join_shapes([replace(each, frame=inside @ each.frame) for each in own])
                found[number] = shape.points, shape.triangles
        return found

    def take_picture(self, number: int) -> LabelledPicture:
        """Takes the picture of this number, which depends on no other picture. Raises
        KinematicsError where no valid pose is found, BuildError where nothing is rendered,
        ArgumentError where the robot's camera has no place any more."""
        chance = chance_of(self.options.seed, number)
        for each in self.subjects:
            random_pose(each.armature, int(chance.integers(2**31)), refuse=self._refuse)
        self._spread(chance)
        site = _find_site(self._see_robots())
        shot = draw_shot(chance, self.options, site.center, site.radius)
        if self._camera is not None:
            shot = self._look_out(self._camera)
        camera = np.array([[*shot.world[:3, 3], shot.near]])
        site = replace(site, spheres=np.concatenate([site.spheres, camera]))
        with Dressing(chance, self.options) as dressing:
            if self.options.recolor:
                dressing.recolor([list(each.own) for each in self.subjects])
            dressing.dress(site)
            bpy.context.view_layer.update()
            rgb = render_view(shot, self.options.samples, denoise=self.options.denoise)
            return self._label(rgb, shot, dressing)

    def _spread(self, chance: np.random.Generator) -> None:
        """Puts all robots but the first elsewhere on the ground, where the spheres about their
        shapes are clear of the others'."""
        for each in self.subjects[1:]:
            each.armature.matrix_world = self._home
        bpy.context.view_layer.update()
        if len(self.subjects) == 1:
            return
        parts, home = self._see_robots(), np.array(self._home)[:3, 3]
        own = [(part.link - 1) // len(self.ids) for part in parts]
        spheres = _find_site(parts).spheres - (*home, 0.0)
        taken = spheres[np.equal(own, 0)]
        step = float(spheres[:, 3].max()) / 2.0
        for one, each in enumerate(self.subjects[1:], start=1):
            away, frame = 0.0, mathutils.Matrix()
            moved = spheres[np.equal(own, one)]
            still = moved[:, :3].copy()
            while _overlap(moved, taken):
                away += step
                around, turn = chance.uniform(-math.pi, math.pi, 2).tolist()
                frame = mathutils.Matrix.Rotation(turn, 4, "Z")
                frame.translation = away * math.cos(around), away * math.sin(around), 0.0
                moved[:, :3] = still @ np.array(frame)[:3, :3].T + np.array(frame)[:3, 3]
            taken = np.concatenate([taken, moved])
            shift = mathutils.Matrix.Translation(home)
            each.armature.matrix_world = shift @ frame @ shift.inverted() @ self._home
        bpy.context.view_layer.update()

    def _look_out(self, camera: PlacedSensor) -> Shot:
        """Returns the first robot's own camera in its present pose."""
        assert camera.K is not None and camera.near is not None and camera.far is not None
        assert camera.width is not None and camera.height is not None
        armature, links = self.subjects[0].armature, tuple(self.ids)
        quiet = Diagnostics()
        looker = Looker(armature=armature, links=links, options=SenseOptions(), diagnostics=quiet)
        frame, scale = looker.find_frame(camera)
        scale = float(f"{scale:.6g}")  # Frames have single precision.
        near, far, size = camera.near * scale, camera.far * scale, (camera.width, camera.height)
        return Shot(world=frame, K=camera.K, width=size[0], height=size[1], near=near, far=far)

    def _label(self, rgb: Any, shot: Shot, dressing: Dressing) -> LabelledPicture:
        obstacles, width, height = self._collect(dict(self._kept)), shot.width, shot.height
        wanted: dict[int, Mask] | None = {} if "bop" in self.options.formats else None
        hits, depth, normals = _trace(obstacles, shot, wanted)
        seen, silhouettes, parts = hits.links.reshape(height, width), {}, []
        for number in sorted({each.link for each in obstacles if each.link}):
            robot, link = (each + 1 for each in divmod(number - 1, len(self.ids)))
            mask = describe_mask(seen == number, polygons=self.options.coco_polygons)
            part: dict[str, Any] = {"link": link, "robot": robot, **mask}
            if wanted is not None:
                alone = [each for each in obstacles if each.link == number]
                whole = wanted.get(number, np.zeros(seen.size, bool)).reshape(height, width)
                silhouettes[robot, link], part["whole"] = whole, _count_whole(alone, shot, whole)
            parts.append(part)
        label = {
            "camera": {"name": self.options.camera or "camera", **shot.describe()},
            "robots": [each.describe(obstacles, shot) for each in self.subjects],
            "objects": dressing.things,
            "lights": dressing.lights,
            "masks": parts,
        }
        robots, links = np.divmod(seen - 1, len(self.ids))
        return LabelledPicture(
            rgb=rgb,
            depth=depth.astype(np.float32),
            normals=normals,
            links=np.where(seen > 0, links + 1, 0).astype(np.uint16),
            robots=np.where(seen > 0, robots + 1, 0).astype(np.uint8),
            label=label,
            silhouettes=silhouettes,
        )

    def list_bones(self) -> list[list[int]]:
        """Lists pairs of keypoints, counted from 1: each with the next above it in the tree."""
        above = {joint.child: joint.parent for joint in self.robot.joints}
        places = {name: place for place, name in enumerate(self.keypoints, start=1)}
        found = []
        for name, place in places.items():
            parent = above.get(name)
            while parent is not None and parent not in places:
                parent = above.get(parent)
            if parent is not None:
                found.append([places[parent], place])
        return found


def _overlap(first: Matrix, second: Matrix) -> bool:
    """Whether some spheres, rows (n, 4) of centres and radii, overlap some others."""
    apart = np.linalg.norm(first[:, None, :3] - second[None, :, :3], axis=2)
    return bool((apart < first[:, None, 3] + second[None, :, 3]).any())


def _list_moved(robot: Robot) -> tuple[str, ...]:
    fixed = {joint.child for joint in robot.joints if joint.type == "fixed"}
    return tuple(link.name for link in robot.links if link.name not in fixed)


def _find_site(obstacles: Sequence[Obstacle]) -> Room:
    spheres = []
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for each in obstacles:
        points = each.shape.points @ each.frame[:3, :3].T + each.frame[:3, 3]
        low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
        middle, reach = each.shape.sphere
        spheres.append([*(each.frame[:3, :3] @ middle + each.frame[:3, 3]), reach])
    radius = max(float(np.linalg.norm(high - low)) / 2.0, 1e-3)
    return Room(
        center=(low + high) / 2.0, radius=radius, floor=float(low[2]), spheres=np.array(spheres)
    )


def _trace(
    obstacles: Sequence[Obstacle], shot: Shot, alone: dict[int, Mask] | None = None
) -> tuple[Hits, Matrix, NDArray[np.float32]]:
    """Casts a ray through each pixel of a shot; returns the hits, depths (h, w), and normals
    (h, w, 3) in the optical frame. Into `alone` go the masks (h * w,) of links as if nothing else
    were there."""
    rays = pixel_rays(shot.K, shot.width, shot.height)
    lengths = np.sqrt(rays[:1, :, 0] ** 2 + rays[:, :1, 1] ** 2 + 1.0)
    rays /= lengths[..., None]
    along, lengths = turn(rays.reshape(-1, 3), shot.world), lengths.ravel()
    found = start_hits(len(along))
    found.normals, found.alone = np.zeros(along.shape, np.float32), alone
    near, far = shot.near * lengths, shot.far * lengths
    cast(obstacles, Rays(origin=shot.world[:3, 3], directions=along, near=near, far=far), found)
    depth: Matrix = np.where(np.isfinite(found.far), found.far / lengths, 0.0)
    turned = turn(found.normals, shot.world[:3, :3].T).astype(np.float32)
    return found, depth.reshape(rays.shape[:2]), turned.reshape(*rays.shape)


def _count_whole(alone: Sequence[Obstacle], shot: Shot, mask: Mask) -> dict[str, Any]:
    """Returns the box and the number of pixels of a link as if nothing else were there, on a canvas
    of three times the picture's width and height, as BOP counts them. `mask` is its part in the
    picture; nothing is cast where that is all."""
    (height, width), inside = mask.shape, invert(shot.world)
    points = np.concatenate(
        [each.shape.points @ each.frame[:3, :3].T + each.frame[:3, 3] for each in alone]
    )
    seen = points @ inside[:3, :3].T + inside[:3, 3]
    low, high = np.array([-width, -height]), np.array([2 * width, 2 * height])
    if (seen[:, 2] > shot.near).all():
        uv = (seen / seen[:, 2:]) @ shot.K[:2].T
        low = np.clip(np.floor(uv.min(axis=0)), low, high).astype(int)
        high = np.clip(np.ceil(uv.max(axis=0)) + 1, low, high).astype(int)
    (left, top), (right, bottom) = low.tolist(), high.tolist()
    is_inside = left >= 0 and top >= 0 and right <= width and bottom <= height
    if is_inside or left == right or top == bottom:
        return {"bbox": box_of(mask), "px_count": int(mask.sum())}
    K = shot.K.copy()
    K[:2, 2] -= low
    hits, _, _ = _trace(alone, replace(shot, K=K, width=right - left, height=bottom - top))
    whole = (hits.links > 0).reshape(bottom - top, right - left)
    rows = np.arange(max(top, 0), min(bottom, height))
    columns = np.arange(max(left, 0), min(right, width))
    whole[np.ix_(rows - top, columns - left)] = mask[np.ix_(rows, columns)]
    x, y, *size = box_of(whole)
    box = [x + left, y + top, *size] if x >= 0 else [-1, -1, -1, -1]
    return {"bbox": box, "px_count": int(whole.sum())}
