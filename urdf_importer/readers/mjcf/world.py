# SPDX-License-Identifier: GPL-3.0-or-later
"""All of a world of MuJoCo that is neither body nor geom: lights, a camera, the sky, gravity."""

import math
from collections.abc import Iterator

import numpy as np

from ...geometry.transforms import length_of, make_frame, pose_of, turn_z_onto
from ...model.pose import Vector3
from ...model.world import LightKind, Surroundings, WorldLight, WorldView
from ...names import Claims
from .document import MjcfElement
from .models import Model

_PARTS = ("light", "camera")
_KINDS: dict[str, LightKind] = {"point": "point", "directional": "sun", "spot": "spot"}


def read_around(model: Model) -> Surroundings:
    """Reads all of a model that is neither body nor geom. Raises ReadError."""
    world = model.make_world()
    kind = world.text("childclass")
    parts = [model.defaults.resolve(each, kind) for each in world.children if each.tag in _PARTS]
    cameras = [each for each in parts if each.tag == "camera"]
    return Surroundings(
        lights=tuple(_read_lights(each for each in parts if each.tag == "light")),
        view=_read_view(cameras[0], model) if cameras else None,
        background=_read_sky(model),
        gravity=_read_gravity(model),
    )


def _read_lights(lights: Iterator[MjcfElement]) -> Iterator[WorldLight]:
    names = Claims()
    for light in lights:
        if not light.flag("active", True):
            continue
        kind = _KINDS.get(light.text("type"), "sun" if light.flag("directional") else "spot")
        frame = make_frame(point=light.triple("pos"))
        direction = np.array(light.triple("dir", (0.0, 0.0, -1.0)))
        if length_of(direction) > 0.0:
            frame[:3, :3] = turn_z_onto(-direction / length_of(direction))
        color = _color(light, "diffuse", (0.7, 0.7, 0.7))
        most = max(color)
        red, green, blue = (part / most if most > 0.0 else 1.0 for part in color)
        yield WorldLight(
            name=names.claim(light.text("name") or "light"),
            kind=kind,
            place=pose_of(frame, rounding=1e-12),
            color=(red, green, blue),
            strength=most,
            angle=math.radians(2.0 * light.number("cutoff", 45.0)),
            shadows=light.flag("castshadow", True),
        )


def _read_view(camera: MjcfElement, model: Model) -> WorldView:
    """Returns the view of a camera, whose angle is in degrees in all models."""
    return WorldView(
        name=camera.text("name") or "camera",
        place=pose_of(model.compiler.frame(camera), rounding=1e-12),
        angle=math.radians(min(max(camera.number("fovy", 45.0), 1.0), 170.0)),
    )


def _read_sky(model: Model) -> Vector3 | None:
    """Returns the colour of a sky without an image, at its zenith."""
    for asset in model.root.all("asset"):
        for node in asset.all("texture"):
            if node.text("type") == "skybox" and node.text("builtin", "none") != "none":
                return _color(node, "rgb1", (0.8, 0.8, 0.8))
    return None


def _read_gravity(model: Model) -> Vector3:
    found = (0.0, 0.0, -9.81)
    for node in model.root.all("option"):
        found = node.triple("gravity", found)
    return found


def _color(node: MjcfElement, name: str, default: Vector3) -> Vector3:
    red, green, blue = (min(max(part, 0.0), 1.0) for part in node.triple(name, default))
    return red, green, blue
