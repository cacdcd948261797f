# SPDX-License-Identifier: GPL-3.0-or-later
"""Labelled pictures of a robot: colours by Cycles; depths, normals and masks by one ray through the
centre of each pixel, so that no label is mixed from two surfaces."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...diagnostics import BuildError, quote, unknown_name
from ...geometry.transforms import Matrix, Vector, invert
from ...model import Robot
from ...sensing.dataset import DatasetOptions, Shot, chance_of, draw_shot
from ...sensing.intrinsics import pixel_rays
from ...sensing.masks import box_of, describe_mask
from ..extract.robot import find_link_empties
from ..preview.studio import denoise
from ..standing.armatures import objects_of
from ..standing.pose import get_joint_positions, random_pose
from .dressing import Dressing, Room
from .pictures import SensorView, render_view
from .trees import Hits, Obstacle, Rays, cast, collect_obstacles, start_hits

_BOUNCES = 4
_BEFORE = 1e-4
"""Parts of a distance that a surface in front of a keypoint is nearer at least."""
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelledPicture:
    """A picture with its labels, all (height, width).

    rgb      (..., 3) uint8
    depth    float32, metres along the axis; 0 where nothing is
    normals  (..., 3) float32 in the optical frame, of the flat faces; 0 where nothing is
    links    uint16: 1 for the first link of the description, 0 for all that is not the robot
    label    all else, as JSON holds it
    silhouettes    link id -> its mask as if nothing else were there
    """

    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]
    normals: NDArray[np.float32]
    links: NDArray[np.uint16]
    label: dict[str, Any]
    silhouettes: Mapping[int, Mask]


class LabelStage:
    """A robot in a scene, for labelled pictures. The scene is changed: other
    objects are not rendered any more, but with the scene "own". Raises BuildError for a robot
    without anything to see, KinematicsError for a keypoint without a link."""

    def __init__(
        self,
        armature: Any,
        robot: Robot,
        options: DatasetOptions,
        refuse: Callable[[Mapping[str, Any]], str] | None = None,
    ) -> None:
        self.robot, self.options = robot, options
        self._armature, self._refuse = armature, refuse
        self.ids = {link.name: number for number, link in enumerate(robot.links, start=1)}
        self._bodies = _join_fixed(robot)
        self.keypoints = options.keypoints or _list_moved(robot)
        for name in self.keypoints:
            if name not in self.ids:
                raise unknown_name("the robot has no link", name, self.ids)
        if len(self.ids) > np.iinfo(np.uint16).max:
            raise BuildError(f"{len(self.ids)} links are too many for masks of 16 bits")
        self._set_scene()
        self._kept: dict[Any, Any] = {}
        if not self._see_robot():
            raise BuildError(f"robot {quote(robot.name)} has nothing to see: no link has a visual")
        # Before the first pose: frames have single precision, so other poses give other bytes.
        self.shapes = self._find_shapes() if "bop" in options.formats else {}

    def _set_scene(self) -> None:
        scene, own = bpy.context.scene, set(objects_of(self._armature))
        if self._armature.animation_data is not None:
            # Keys would move the joints back; drivers have to go on.
            self._armature.animation_data.action = None
        if self.options.scene != "own":
            for item in scene.objects:
                item.hide_render |= item not in own and item != self._armature
        scene.render.dither_intensity = 0.0
        scene.cycles.device = "CPU"
        scene.cycles.seed, scene.cycles.max_bounces = 0, _BOUNCES
        if not self.options.denoise:
            scene.cycles.use_denoising = False
        else:
            denoise(scene.cycles)

    def _collect(self, kept: dict[Any, Any] | None = None) -> list[Obstacle]:
        empties = find_link_empties(self._armature)
        own = {empties[name]: self.ids[name] for name in empties}
        return collect_obstacles(own, shapes=self._kept if kept is None else kept)

    def _see_robot(self) -> list[Obstacle]:
        return [each for each in self._collect() if each.link]

    def _find_shapes(self) -> dict[int, tuple[Matrix, NDArray[np.int32]]]:
        """Returns link id -> points (n, 3) in the link's frame in metres, and triangles (m, 3), of
        all links with visuals."""
        seats, found = self._place_links(), {}
        names = {number: name for name, number in self.ids.items()}
        parts = self._see_robot()
        for number in sorted({each.link for each in parts}):
            inside = invert(seats[names[number]])
            points: list[Matrix] = []
            triangles: list[NDArray[np.int32]] = []
            for each in (part for part in parts if part.link == number):
                frame = inside @ each.frame
                triangles.append(each.shape.triangles + sum(map(len, points)))
                points.append(each.shape.points @ frame[:3, :3].T + frame[:3, 3])
            found[number] = np.concatenate(points), np.concatenate(triangles)
        return found

    def take(self, number: int) -> LabelledPicture:
        """Takes the picture of this number, which depends on no other picture. Raises
        KinematicsError where no valid pose is found, BuildError where nothing is rendered."""
        chance = chance_of(self.options.seed, number)
        random_pose(self._armature, int(chance.integers(2**31)), refuse=self._refuse)
        bpy.context.view_layer.update()
        site = _find_site(self._see_robot())
        shot = draw_shot(chance, self.options, site.center, site.radius)
        camera = np.array([[*shot.world[:3, 3], shot.near]])
        kept_clear = np.concatenate([site.spheres, camera])
        with Dressing(chance) as dressing:
            dressing.dress(
                Room(
                    center=site.center,
                    radius=site.radius,
                    floor=site.floor,
                    spheres=kept_clear,
                ),
                self.options,
            )
            bpy.context.view_layer.update()
            rgb = render_view(self._view(shot))
            return self._label(rgb, shot, dressing)

    def _view(self, shot: Shot) -> SensorView:
        return SensorView(
            world=shot.world,
            width=self.options.width,
            height=self.options.height,
            K=shot.K,
            angle=0.0,
            near=shot.near,
            far=shot.far,
            samples=self.options.samples,
        )

    def _label(self, rgb: Any, shot: Shot, dressing: Dressing) -> LabelledPicture:
        obstacles = self._collect(dict(self._kept))
        width, height = self.options.width, self.options.height
        wanted = {} if "bop" in self.options.formats else None
        hits, depth, normals = _trace(obstacles, shot, pixel_rays(shot.K, width, height), wanted)
        links = hits.links.reshape(height, width)
        silhouettes: dict[int, Mask] = {}
        parts = []
        for number in sorted({each.link for each in obstacles if each.link}):
            part: dict[str, Any] = {"link": number, "robot": 1, **describe_mask(links == number)}
            if wanted is not None:
                alone = [each for each in obstacles if each.link == number]
                mask = wanted.get(number, np.zeros(links.size, bool)).reshape(height, width)
                silhouettes[number], part["whole"] = mask, _count_whole(alone, shot, mask)
            parts.append(part)
        label = {
            "camera": {
                "name": "camera",
                "K": shot.K.tolist(),
                "D": [0.0] * 5,
                "pose": shot.world.tolist(),
                "near": shot.near,
                "far": shot.far,
            },
            "robots": [self._describe(obstacles, shot)],
            "objects": dressing.things,
            "lights": dressing.lights,
            "masks": parts,
        }
        return LabelledPicture(
            rgb=rgb,
            depth=depth.astype(np.float32),
            normals=normals.astype(np.float32),
            links=links.astype(np.uint16),
            label=label,
            silhouettes=silhouettes,
        )

    def _place_links(self) -> dict[str, Matrix]:
        """Returns link -> its rigid frame (4, 4) in the world, in the order of the description."""
        graph = bpy.context.evaluated_depsgraph_get()
        empties, found = find_link_empties(self._armature), {}
        for name in self.ids:
            if name in empties:
                frame = np.array(empties[name].evaluated_get(graph).matrix_world)
                left, _, right = np.linalg.svd(frame[:3, :3])
                frame[:3, :3] = left @ right
                found[name] = frame
        return found

    def _describe(self, obstacles: Sequence[Obstacle], shot: Shot) -> dict[str, Any]:
        seats = self._place_links()
        return {
            "id": 1,
            "name": self.robot.name,
            "pose": next(iter(self._roots(seats))).tolist(),
            "joints": {
                name: list(value) if isinstance(value, tuple) else value
                for name, value in get_joint_positions(self._armature).items()
            },
            "links": {name: frame.tolist() for name, frame in seats.items()},
            "keypoints": [
                self._see_keypoint(name, seats[name][:3, 3], obstacles, shot)
                for name in self.keypoints
                if name in seats
            ],
        }

    def _roots(self, seats: Mapping[str, Matrix]) -> list[Matrix]:
        children = {joint.child for joint in self.robot.joints}
        return [seats[name] for name in seats if name not in children]

    def _see_keypoint(
        self, name: str, place: Vector, obstacles: Sequence[Obstacle], shot: Shot
    ) -> dict[str, Any]:
        """Describes a point of a link: visible is 2 where its own body, or the one across its
        joint, is the first on its ray, or nothing is nearer; 1 where it is hidden, 0 outside."""
        inside = invert(shot.world)
        point = inside[:3, :3] @ place + inside[:3, 3]
        uv, visible = (0.0, 0.0), 0
        if point[2] > shot.near:
            u, v, _ = (shot.K @ point / point[2]).tolist()
            uv = (u, v)
            size = (self.options.width, self.options.height)
            if all(-0.5 <= each < most - 0.5 for each, most in zip(uv, size, strict=True)):
                way = place - shot.world[:3, 3]
                far = float(np.linalg.norm(way))
                near = shot.near * far / float(point[2])
                hits = cast(
                    obstacles,
                    Rays(
                        origin=shot.world[:3, 3],
                        directions=way[None] / far,
                        near=np.array([near]),
                        far=np.array([far * (1.0 - _BEFORE)]),
                    ),
                )
                is_free = not np.isfinite(hits.far[0]) or int(hits.links[0]) in self._own_of(name)
                visible = 2 if is_free else 1
        return {
            "name": name,
            "link": name,
            "xyz": point.tolist(),
            "uv": list(uv),
            "visible": visible,
        }

    def _own_of(self, name: str) -> set[int]:
        """Returns the ids of the links of a link's body, and of the body across its joint."""
        body = self._bodies[name]
        near = {body}
        for joint in self.robot.joints:
            if self._bodies.get(joint.child) == body and joint.type != "fixed":
                near.add(self._bodies.get(joint.parent, ""))
        return {self.ids[each] for each, its in self._bodies.items() if its in near}


def _join_fixed(robot: Robot) -> dict[str, str]:
    """Returns link -> the first link of its body: all that fixed joints hold together."""
    above = {joint.child: joint.parent for joint in robot.joints if joint.type == "fixed"}
    found = {}
    for link in robot.links:
        name = link.name
        while name in above:
            name = above[name]
        found[link.name] = name
    return found


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
    obstacles: Sequence[Obstacle],
    shot: Shot,
    rays: Matrix,
    alone: dict[int, Mask] | None = None,
) -> tuple[Hits, Matrix, Matrix]:
    """Casts rays (h, w, 3) of depth 1; returns what they hit, depths (h, w), and normals (h, w, 3)
    in the optical frame. Into `alone` go the masks (h * w,) of links as if nothing else were
    there."""
    flat = rays.reshape(-1, 3)
    lengths = np.linalg.norm(flat, axis=1)
    found = start_hits(len(flat))
    found.normals, found.alone = np.zeros_like(flat), alone
    cast(
        obstacles,
        Rays(
            origin=shot.world[:3, 3],
            directions=flat / lengths[:, None] @ shot.world[:3, :3].T,
            near=shot.near * lengths,
            far=shot.far * lengths,
        ),
        found,
    )
    depth = np.where(np.isfinite(found.far), found.far / lengths, 0.0)
    turned = (found.normals @ shot.world[:3, :3]).reshape(rays.shape)
    return found, depth.reshape(rays.shape[:2]), turned


def _count_whole(alone: Sequence[Obstacle], shot: Shot, mask: Mask) -> dict[str, Any]:
    """Returns the box and the number of pixels of a link as if nothing else were there, on a canvas
    of three times the picture's width and height, as BOP counts them. `mask` is its part in the
    picture; only what is beside that is cast."""
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
    canvas = np.pad(mask, ((height, height), (width, width)))
    (left, top), (right, bottom) = low.tolist(), high.tolist()
    inner = (min(max(top, 0), bottom), max(min(bottom, height), top))
    for x, y, far, down in (
        (left, top, right, inner[0]),
        (left, inner[1], right, bottom),
        (left, inner[0], min(right, 0), inner[1]),
        (max(left, width), inner[0], right, inner[1]),
    ):
        if far > x and down > y:
            K = shot.K.copy()
            K[:2, 2] -= (x, y)
            hits, _, _ = _trace(alone, shot, pixel_rays(K, far - x, down - y))
            canvas[height + y : height + down, width + x : width + far] = (hits.links > 0).reshape(
                down - y, far - x
            )
    x, y, *size = box_of(canvas)
    box = [x - width, y - height, *size] if x >= 0 else [-1, -1, -1, -1]
    return {"bbox": box, "px_count": int(canvas.sum())}
