# SPDX-License-Identifier: GPL-3.0-or-later
"""Light, camera, sky and gravity around the robots of a world, as MuJoCo has them."""

import math

from ...geometry.transforms import Matrix, matrix_from_pose, quaternion_from_rotation
from ...markup.write import Value, XmlWriter
from ...model import Pose
from ...model.world import Surroundings, WorldLight

_KINDS = {"point": "point", "sun": "directional", "spot": "spot"}
_STEADY = "1 0 0"
"""Lamps do not fade with distance: their strength is but a share of the strongest one's."""


def write_settings(world: Surroundings, xml: XmlWriter) -> None:
    """Writes gravity and, where there are lights, a dim headlight in place of MuJoCo's own."""
    xml.leaf("option", {"gravity": world.gravity})
    if world.lights:
        with xml.element("visual"):
            dim: dict[str, Value] = {"ambient": "0.3 0.3 0.3", "diffuse": "0 0 0"}
            xml.leaf("headlight", {**dim, "specular": "0 0 0"})


def write_sky(world: Surroundings, xml: XmlWriter) -> None:
    """Writes the background as an asset."""
    if world.background is not None:
        color: dict[str, Value] = {"rgb1": world.background, "rgb2": world.background}
        sky: dict[str, Value] = {"name": "sky", "type": "skybox", "builtin": "flat", **color}
        with xml.element("asset"):
            xml.leaf("texture", {**sky, "width": 8, "height": 48})


def write_lights(world: Surroundings, xml: XmlWriter) -> None:
    """Writes the lights and the camera into the open body of the world."""
    for light in world.lights:
        xml.leaf("light", _describe(light))
    view = world.view
    if view is not None:
        place = _place(view.place)
        xml.leaf("camera", {"name": view.name, **place, "fovy": math.degrees(view.angle)})


def _describe(light: WorldLight) -> dict[str, Value]:
    frame: Matrix = matrix_from_pose(light.place)
    attributes: dict[str, Value] = {"name": light.name, "type": _KINDS[light.kind]}
    attributes["pos"] = frame[:3, 3] + 0.0
    if light.kind != "point":
        attributes["dir"] = -frame[:3, 2] + 0.0
    attributes["diffuse"] = [light.strength * part for part in light.color]
    attributes["castshadow"] = "true" if light.shadows else "false"
    if light.kind != "sun":
        attributes["attenuation"] = _STEADY
    if light.kind == "spot":
        attributes["cutoff"] = math.degrees(0.5 * light.angle)
    return attributes


def _place(pose: Pose) -> dict[str, Value]:
    x, y, z, w = quaternion_from_rotation(matrix_from_pose(pose)[:3, :3])
    return {"pos": pose.xyz, "quat": [w, x, y, z]}
