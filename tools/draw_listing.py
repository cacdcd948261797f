# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the icon and renders the line-up of listing/; tools/take-screenshots --listing runs
it."""

import math
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np

import urdf_importer
from urdf_importer.core.blender.standing.placing import find_lowest
from urdf_importer.core.images import encode_png
from urdf_importer.features.studio.blender.render import set_scene
from urdf_importer.features.studio.blender.studio import Studio

ROBOTS = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix", "share", "example-robot-data")
WIDTH, HEIGHT = 1920, 1080

RIGHT, NEAR = np.array([0.625, 0.781, 0.0]), np.array([0.781, -0.625, 0.0])
"""Ways along the ground as the studio's camera sees them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a robot of the line-up is: metres to the right and towards the camera, degrees
    from the way it looks; `bones` shows its rig."""

    robot: str
    positions: Mapping[str, float]
    right: float
    near: float
    turn: float = 0.0
    bones: bool = False


STANDING = {
    f"{leg}_{joint}": value * (1 if joint == "HAA" else front)
    for leg, side, front in (("LF", -1, 1), ("RF", 1, 1), ("LH", -1, -1), ("RH", 1, -1))
    for joint, value in (("HAA", 0.1 * side), ("HFE", 0.7), ("KFE", -1.0))
}
GREETING = {
    "arm_right_1_joint": -0.4, "arm_right_2_joint": -1.3, "arm_right_3_joint": -1.2,
    "arm_right_4_joint": -2.0, "arm_left_1_joint": 0.3, "arm_left_2_joint": 0.35,
    "arm_left_4_joint": -1.3, "head_2_joint": 0.2, "torso_1_joint": 0.15,
    "leg_left_3_joint": -0.45, "leg_left_4_joint": 0.9, "leg_left_5_joint": -0.45,
    "leg_right_3_joint": -0.3, "leg_right_4_joint": 0.6, "leg_right_5_joint": -0.3,
}  # fmt: skip
WALKING = {
    "left_hip_pitch_joint": -0.7, "left_knee_joint": 0.8, "left_ankle_pitch_joint": -0.1,
    "right_hip_pitch_joint": 0.2, "right_knee_joint": 0.25, "right_ankle_pitch_joint": -0.25,
    "left_shoulder_pitch_joint": 0.5, "left_elbow_joint": 0.6, "left_shoulder_roll_joint": 0.2,
    "right_shoulder_pitch_joint": -0.7, "right_elbow_joint": 0.2,
    "right_shoulder_roll_joint": -0.2,
}  # fmt: skip
REACHING = {
    "panda_joint1": 0.3, "panda_joint2": 0.1, "panda_joint4": -2.0, "panda_joint6": 2.1,
    "panda_joint7": 0.8, "panda_finger_joint1": 0.03,
}  # fmt: skip
PLACES = (
    Place(
        robot="panda_description/urdf/panda.urdf", positions=REACHING, right=-1.3, near=0.9,
        turn=25.0,
    ),
    Place(robot="talos_data/robots/talos_full_v2.urdf", positions=GREETING, right=-0.4, near=0.0),
    Place(
        robot="g1_description/urdf/g1_29dof_rev_1_0.urdf", positions=WALKING, right=0.5, near=0.45,
        turn=-30.0, bones=True,
    ),
    Place(
        robot="anymal_c_simple_description/urdf/anymal.urdf", positions=STANDING, right=1.25,
        near=0.75, turn=-70.0,
    ),
)  # fmt: skip
"""Robots of example-robot-data whose licences allow it; listing/README.md names them."""


def render_line_up(target: Path, *, samples: int = 24) -> None:
    """Renders the robots of PLACES side by side, one of them with its rig."""
    urdf_importer.new_file()
    rigs = []
    for place in PLACES:
        rig = urdf_importer.import_robot(ROBOTS / "robots" / place.robot).armature
        urdf_importer.set_joint_positions(rig, place.positions)
        x, y, _ = place.right * RIGHT + place.near * NEAR
        rig.location, rig.rotation_euler.z = (x, y, 0.0), math.radians(place.turn)
        bpy.context.view_layer.update()
        rig.location.z = -(find_lowest(rig) or 0.0)
        rigs.append(rig)
    bpy.context.view_layer.update()
    with Studio(WIDTH, HEIGHT, samples) as studio:
        scenes = [
            set_scene(rig, studio, place.bones) for rig, place in zip(rigs, PLACES, strict=True)
        ]
        points = np.concatenate([points for points, _ in scenes])
        shapes = [
            shape
            for (_, shapes), place in zip(scenes, PLACES, strict=True)
            for shape in shapes
            if not place.bones
        ]
        studio.light(points, shapes, 0.0)
        studio.aim(points)
        studio.render(target, target.name)


ICON = 256
INK, SHELL, JOINT, ARC = (30, 36, 48), (236, 240, 245), (255, 140, 26), (255, 176, 92)
BASE, ELBOW, HAND = (76.0, 190.0), (94.0, 78.0), (190.0, 118.0)
"""Pixels from the upper left corner."""


def draw_icon() -> bytes:
    """Draws an arm of two links, its joints, and how far the elbow turns; returns a PNG."""
    y, x = np.mgrid[0:ICON, 0:ICON] + 0.5
    pixels = np.full((ICON, ICON, 4), [*INK, 0.0])

    def paint(distance: np.ndarray, color: tuple[int, int, int], cover: float = 1.0) -> None:
        """Paints where the distance from an outline, in pixels, is negative."""
        share = cover * np.clip(0.5 - distance, 0.0, 1.0)[..., None]
        pixels[...] = pixels * (1 - share) + np.array([*color, 255.0]) * share

    def disc(centre: tuple[float, float], radius: float) -> np.ndarray:
        return np.hypot(x - centre[0], y - centre[1]) - radius

    def bar(
        start: tuple[float, float], end: tuple[float, float], widths: tuple[float, float]
    ) -> np.ndarray:
        way = np.subtract(end, start)
        share = ((x - start[0]) * way[0] + (y - start[1]) * way[1]) / (way @ way)
        share = np.clip(share, 0.0, 1.0)
        return np.hypot(x - start[0] - share * way[0], y - start[1] - share * way[1]) - (
            widths[0] + share * (widths[1] - widths[0])
        )

    corner = np.maximum(np.abs(np.stack([x, y]) - ICON / 2) - (ICON / 2 - 60), 0.0)
    paint(np.hypot(*corner) - 56, INK)
    angle = np.arctan2(y - ELBOW[1], x - ELBOW[0])
    outside = (np.abs(angle - 0.4) - 0.95) * 70
    paint(np.maximum(disc(ELBOW, 70.0), outside), JOINT, 0.35)
    paint(np.maximum(np.abs(disc(ELBOW, 70.0)) - 6, outside), ARC)
    paint(bar((46.0, 212.0), (120.0, 212.0), (18.0, 18.0)), SHELL)
    paint(bar(BASE, ELBOW, (28.0, 22.0)), SHELL)
    paint(bar(ELBOW, HAND, (22.0, 17.0)), SHELL)
    for finger in ((214.0, 96.0), (216.0, 150.0)):
        paint(bar(HAND, finger, (12.0, 9.0)), SHELL)
    for centre, radius in ((BASE, 21.0), (ELBOW, 27.0), (HAND, 16.0)):
        paint(disc(centre, radius), INK)
        paint(disc(centre, radius - 5), JOINT)
    return encode_png(np.round(pixels).astype(np.uint8))
