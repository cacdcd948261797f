# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of labelled pictures, and the draws of each picture."""

import math
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from ...core.diagnostics import ArgumentError, name_choices, quote
from ...core.geometry.transforms import Matrix, Vector, unit
from ...core.options import Options, option
from ...core.sensors.intrinsics import WIDEST, check_size, matrix_from_angle

FORMATS = ("coco", "bop", "dream")
MOST_ROBOTS = 16
_RUNNING = "Running"
_picture, _scene, _camera, _running = (
    partial(option, group=name) for name in ("Pictures", "Scene", "Camera", _RUNNING)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetOptions(Options):
    """Labelled pictures of a robot. Every field has a sensible default. Raises ArgumentError for
    values that make no sense."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Pictures", "Scene", "Camera", _RUNNING)

    count: int = _picture(1000, "Count", "How many pictures", bounds=(1, 10_000_000))
    seed: int = _picture(
        0, "Seed", "The same seed gives the same pictures", bounds=(0, 2_147_483_647)
    )
    width: int = _picture(640, "Width", "Pixels across", bounds=(1, 65_535))
    height: int = _picture(480, "Height", "Pixels down", bounds=(1, 65_535))
    samples: int = _picture(8, "Samples", "Samples of each pixel of colours", bounds=(1, 4096))
    denoise: bool = _picture(
        True, "Denoise", "Take the grain out of the colours, not out of labels"
    )
    depth: Literal["exr", "png"] = _picture(
        "exr",
        "Depth",
        "The files of depths",
        choices={"exr": "Metres in single precision", "png": "Tenths of millimetres, 16 bits"},
    )
    formats: tuple[str, ...] = _picture(("coco",), "Formats", "Layouts of labels: coco, bop, dream")
    coco_polygons: bool = _picture(
        False,
        "COCO Polygons",
        "Masks as polygons as well, without their holes, in coco_polygons.json",
    )
    keypoints: tuple[str, ...] = _picture(
        (),
        "Keypoints",
        "Links whose origins are keypoints; without any, the root and all links that joints move",
    )
    scene: Literal["random", "plain", "own"] = _scene(
        "random",
        "Scene",
        "The surroundings of the robot",
        choices={
            "random": "A ground, other things, lights and a sky by the seed",
            "plain": "A light and nothing else",
            "own": "The surroundings in the .blend",
        },
    )
    robots: int = _scene(1, "Robots", "How many robots of this kind", bounds=(1, MOST_ROBOTS))
    recolor: bool = _scene(False, "Recolor", "The robot's materials get colours by the seed")
    backgrounds: str = _scene(
        "",
        "Backgrounds",
        "A folder: one of its pictures is behind all things, in place of ground and sky",
        entries="FOLDER",
    )
    distractors: tuple[float, float] = _scene(
        (0.0, 6.0), "Distractors", "Fewest and most other things", entries="A B"
    )
    distractor_meshes: str = _scene(
        "",
        "Distractor Meshes",
        "A folder: other things are its meshes, in place of boxes, balls and cylinders",
        entries="FOLDER",
    )
    avoid_collisions: bool = _scene(True, "Avoid Collisions", "Only poses in which no links touch")
    camera: str = _camera(
        "",
        "Camera",
        "The robot's own camera that takes the pictures, in its own size",
        entries="NAME",
    )
    distance: tuple[float, float] = _camera(
        (0.0, 0.0),
        "Distance",
        "Metres from the camera to the robot's middle; 0 0: as the robot fills the picture",
        entries="A B",
    )
    elevation: tuple[float, float] = _camera(
        (5.0, 75.0),
        "Elevation",
        "Degrees of the camera above the horizon, as seen from the robot",
        entries="A B",
    )
    fov: tuple[float, float] = _camera(
        (40.0, 70.0), "Field of View", "Degrees across the picture", entries="A B"
    )
    name: str = _running("", "Name", "The robot in a .blend with several", entries="NAME")
    jobs: int = _running(0, "Jobs", "Processes at a time; 0: one for each core", bounds=(0, 4096))
    scheduler: str = _running(
        "", "Scheduler", "Work on a Dask cluster: tcp://host:8786", entries="ADDRESS"
    )
    resume: bool = _running(False, "Resume", "Go on with the pictures that are there")
    again: bool = _running(False, "Again", "Remove the earlier pictures, and start over")

    def __post_init__(self) -> None:
        super(DatasetOptions, self).__post_init__()
        check_size(self.width, self.height)
        for name in ("distractors", "distance", "elevation", "fov"):
            low, high = getattr(self, name)
            if not (math.isfinite(low) and low <= high < math.inf):
                raise ArgumentError(f"{name} must rise, not go from {low:g} to {high:g}")
        if self.distractors[0] < 0 or self.distractors[1] > 1000:
            raise ArgumentError("distractors are between 0 and 1000")
        if not 0.0 < self.fov[0] <= self.fov[1] <= math.degrees(WIDEST):
            raise ArgumentError("fov is between 0 and 180 degrees")
        if self.elevation[0] < -90 or self.elevation[1] > 90:
            raise ArgumentError("elevation is between -90 and 90 degrees")
        for name in ("backgrounds", "distractor_meshes"):
            if getattr(self, name) and self.scene != "random":
                raise ArgumentError(f"{name.replace('_', ' ')} need the scene random")
        if self.coco_polygons and "coco" not in self.formats:
            raise ArgumentError("polygons need the format coco")
        if self.distance[0] < 0 or (self.distance[0] == 0 < self.distance[1]):
            raise ArgumentError("distance is above 0, or 0 0")

    def check_formats(self) -> None:
        """Raises ArgumentError for an unknown format."""
        for each in self.formats:
            if each not in FORMATS:
                choices = name_choices(FORMATS)
                raise ArgumentError(f"unknown format {quote(each)}; choose from {choices}")

    def describe(self) -> dict[str, Any]:
        """Returns the options that pictures depend on, as JSON holds them."""
        own = (each.name for each in fields(self) if each.metadata["group"] != _RUNNING)
        values = {name: getattr(self, name) for name in own if name != "count"}
        return {k: list(v) if isinstance(v, tuple) else v for k, v in values.items()}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shot:
    """A camera: its optical frame (4, 4) in the world, its K (3, 3), its pixels, its nearest and
    farthest depths in metres."""

    world: Matrix
    K: Matrix
    width: int
    height: int
    near: float
    far: float

    def describe(self) -> dict[str, Any]:
        """Describes the camera, which has no lens, as JSON holds it."""
        numbers = {"K": self.K.tolist(), "D": [0.0] * 5, "pose": self.world.tolist()}
        return numbers | {"near": self.near, "far": self.far}


def chance_of(seed: int, number: int) -> np.random.Generator:
    """Returns the generator of a picture, which depends on no other picture."""
    return np.random.default_rng([seed, number])


def draw_shot(
    chance: np.random.Generator, options: DatasetOptions, center: Vector, radius: float
) -> Shot:
    """Draws a camera that sees a robot of this centre (3,) and radius, in metres.

    DREAM keeps one camera for all pictures: with it, all have the same K."""
    angle = math.radians(float(chance.uniform(*options.fov)))
    if "dream" in options.formats:
        angle = math.radians(float(np.random.default_rng(options.seed).uniform(*options.fov)))
    K = matrix_from_angle(options.width, options.height, angle)
    half = math.atan(min(options.width, options.height) / 2.0 / K[0, 0])
    fill, share = float(chance.uniform(0.75, 1.8)), float(chance.uniform(*options.distance))
    distance = share or fill * radius / math.sin(half)
    up = math.radians(float(chance.uniform(*options.elevation)))
    around = float(chance.uniform(-math.pi, math.pi))
    ahead = -np.array(
        [math.cos(up) * math.cos(around), math.cos(up) * math.sin(around), math.sin(up)]
    )
    place = center - distance * ahead
    target = center + radius * 0.3 * chance.uniform(-1.0, 1.0, 3)
    world = aim(place, target, float(chance.normal(0.0, 0.1)))
    return Shot(
        world=world,
        K=K,
        width=options.width,
        height=options.height,
        near=0.01 * distance,
        far=distance + 1000.0 * radius,
    )


def aim(place: Vector, target: Vector, roll: float) -> Matrix:
    """Returns the optical frame (4, 4) at a place that looks at a target, turned by `roll` radians
    about its axis."""
    z = unit(target - place)
    side = np.cross(z, (0.0, 0.0, 1.0))
    x = unit(side) if np.linalg.norm(side) > 1e-6 else np.array([1.0, 0.0, 0.0])
    y = np.cross(z, x)
    c, s = math.cos(roll), math.sin(roll)
    frame = np.eye(4)
    frame[:3, :3] = np.stack([c * x + s * y, c * y - s * x, z], axis=1)
    frame[:3, 3] = place
    return frame
