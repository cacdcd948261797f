# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/images from the sample robots; tools/render-pictures runs it."""

import math
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np

import urdf_importer

ROOT = Path(__file__).resolve().parent.parent

LEG = {
    "hip_yaw": -0.3,
    "hip_roll": 0.25,
    "hip_pitch": -0.7,
    "knee": 1.2,
    "ankle_pitch": -0.4,
}
ARM = {
    "shoulder_pitch": -0.9,
    "shoulder_roll": 0.4,
    "shoulder_yaw": 0.3,
    "elbow": -1.1,
    "forearm_yaw": 0.3,
    "wrist_pitch": 0.4,
    "wrist_roll": 0.3,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """`positions` are radians by joint; `bones` shows the rig through the robot."""

    name: str
    robot: str
    positions: Mapping[str, float]
    width: int
    height: int
    bones: bool


PICTURES = (
    Picture(
        name="quadruped_leg", robot="quadruped_leg", positions=LEG, width=440, height=560,
        bones=False,
    ),
    Picture(
        name="quadruped_leg_rig", robot="quadruped_leg", positions=LEG, width=440, height=560,
        bones=True,
    ),
    Picture(
        name="humanoid_arm_rig", robot="humanoid_arm", positions=ARM, width=640, height=460,
        bones=True,
    ),
)  # fmt: skip


def render_picture(picture: Picture) -> None:
    urdf_importer.new_file()
    result = urdf_importer.import_robot(ROOT / "sample_urdfs" / f"{picture.robot}.urdf")
    urdf_importer.set_joint_positions(result.armature, picture.positions)
    urdf_importer.render_preview(
        result.armature,
        ROOT / "docs" / "images" / f"{picture.name}.png",
        width=picture.width,
        height=picture.height,
        samples=64,
        bones=picture.bones,
    )


def render_turn(turns: int, width: int, height: int) -> None:
    """Writes pictures of the pumpjack side by side: a whole turn of its motor, the one free joint
    of its loop."""
    urdf_importer.new_file()
    sample = ROOT / "sample_urdfs" / "pumpjack"
    options = urdf_importer.ImportOptions(
        parameters=f"{sample}.yaml", joint_parameters=f"{sample}.csv"
    )
    armature = urdf_importer.import_robot(f"{sample}.xml", options).armature
    pictures = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(turns):
            urdf_importer.set_joint_positions(armature, {"motor": number * math.tau / turns})
            path = Path(folder) / f"{number}.png"
            size = {"width": width, "height": height}
            urdf_importer.render_preview(armature, path, samples=32, **size)
            image = bpy.data.images.load(str(path))
            pixels = np.empty(width * height * 4, np.float32)
            image.pixels.foreach_get(pixels)
            pictures.append(pixels.reshape(height, width, 4))
    strip = bpy.data.images.new("strip", turns * width, height)
    strip.pixels.foreach_set(np.concatenate(pictures, axis=1).ravel())
    strip.filepath_raw = str(ROOT / "docs" / "images" / "pumpjack_turn.png")
    strip.file_format = "PNG"
    strip.save()


if __name__ == "__main__":
    (ROOT / "docs" / "images").mkdir(parents=True, exist_ok=True)
    for each in PICTURES:
        render_picture(each)
    render_turn(turns=4, width=260, height=260)
