# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of an MJCF file: angles in radians, quaternions, every number with all its digits."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ....core.geometry.inertia import BodyMass
from ....core.geometry.transforms import Matrix, matrix_from_pose, quaternion_from_rotation
from ....core.markup.write import Value, XmlWriter
from ....core.model import Dynamics, Limit, Pose
from ....core.model.world import Surroundings, WorldLight
from .plan import BodyPlan, MjcfJoint, PlannedElement, StructurePlan
from .sensors import Mount
from .shapes import WrittenGeom

VISUAL, COLLISION = "visual", "collision"
_IDENTITY = np.eye(4)
_SMALL_MOMENT = 1e-13
_CLASSES: Mapping[str, Mapping[str, Value]] = {
    VISUAL: {"group": 2, "contype": 0, "conaffinity": 0, "density": 0},
    COLLISION: {"group": 3, "density": 0, "rgba": "0.5 0.6 0.8 0.5"},
}
"""Groups as MuJoCo's own collection of robots has them; its viewers hide the third. A colour in a
class would hide the materials of its geoms."""
_PLAIN = "0.8 0.8 0.8 1"
_KINDS = {"point": "point", "sun": "directional", "spot": "spot"}
_STEADY = "1 0 0"
"""Lamps do not fade with distance: their strength is but a share of the strongest one's."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MjcfDocument:
    """All that the file says. `armatures` are by joint, where they are more than `armature`;
    `visuals` and `collisions` are by link, `keys` are positions of all joints by name, `sites` the
    bodies, by their places, that are but sites, `world` has the surroundings of robots."""

    name: str
    folder: str
    armature: float
    armatures: Mapping[str, float]
    plan: StructurePlan
    sites: Mapping[int, Mapping[str, Value]]
    visuals: Mapping[str, Sequence[WrittenGeom]]
    collisions: Mapping[str, Sequence[WrittenGeom]]
    assets: Sequence[PlannedElement]
    mounts: Mapping[str, Sequence[Mount]]
    excluded: Sequence[PlannedElement]
    equalities: Sequence[PlannedElement]
    actuators: Sequence[PlannedElement]
    readings: Sequence[PlannedElement]
    keys: Mapping[str, Sequence[float]]
    world: Surroundings | None = None


def write_document(document: MjcfDocument) -> str:
    """Returns the text. Raises ValueError for names and numbers that XML cannot hold."""
    xml = XmlWriter()
    with xml.element("mujoco", {"model": document.name}):
        _write_settings(document, xml)
        if document.world is not None:
            _write_world_settings(document.world, xml)
            _write_sky(document.world, xml)
        _write_all(xml, "asset", document.assets)
        with xml.element("worldbody"):
            if document.world is not None:
                _write_lights(document.world, xml)
            _write_bodies(document, xml)
        _write_all(xml, "contact", document.excluded)
        _write_all(xml, "equality", document.equalities)
        _write_all(xml, "actuator", document.actuators)
        _write_all(xml, "sensor", document.readings)
        keys = document.keys.items()
        poses = [PlannedElement("key", {"name": name, "qpos": each}) for name, each in keys]
        _write_all(xml, "keyframe", poses)
    return xml.text()


def write_scene(name: str, robot: str, height: float) -> str:
    """Returns the text of a scene that includes the file `robot`: a floor at a height, and
    light."""
    xml = XmlWriter()
    with xml.element("mujoco", {"model": f"{name} scene"}):
        xml.leaf("include", {"file": robot})
        xml.leaf("option", {"integrator": "implicitfast"})
        with xml.element("visual"):
            xml.leaf("headlight", {"diffuse": "0.6 0.6 0.6", "ambient": "0.3 0.3 0.3"})
        with xml.element("asset"):
            sky = {"type": "skybox", "builtin": "gradient", "rgb1": "0.6 0.7 0.8", "rgb2": "0 0 0"}
            xml.leaf("texture", {**sky, "width": 512, "height": 3072})
            tiles = {"builtin": "checker", "rgb1": "0.3 0.35 0.4", "rgb2": "0.2 0.25 0.3"}
            size = {"width": 300, "height": 300}
            xml.leaf("texture", {"name": "scene_floor", "type": "2d", **tiles, **size})
            floor = {"name": "scene_floor", "texture": "scene_floor", "texrepeat": "5 5"}
            xml.leaf("material", {**floor, "texuniform": "true", "reflectance": "0.1"})
        with xml.element("worldbody"):
            xml.leaf("light", {"pos": "0 0 4", "dir": "0 0 -1", "type": "directional"})
            plane = {"type": "plane", "size": "0 0 0.05", "material": "scene_floor"}
            xml.leaf("geom", {"name": "scene_floor", "pos": [0.0, 0.0, height], **plane})
    return xml.text()


def _write_settings(document: MjcfDocument, xml: XmlWriter) -> None:
    folder = document.folder or None
    compiler = {"angle": "radian", "autolimits": "true", "meshdir": folder, "texturedir": folder}
    xml.leaf("compiler", {**compiler, "inertiafromgeom": "false", "fusestatic": "false"})
    with xml.element("default"):
        # Of open meshes there is only the shell.
        xml.leaf("mesh", {"inertia": "shell"})
        for name, attributes in _CLASSES.items():
            with xml.element("default", {"class": name}):
                xml.leaf("geom", attributes)


def _write_all(xml: XmlWriter, tag: str, items: Sequence[PlannedElement]) -> None:
    if items:
        with xml.element(tag):
            for item in items:
                xml.leaf(item.tag, item.attributes)


def _write_bodies(document: MjcfDocument, xml: XmlWriter) -> None:
    """Writes all bodies, depth first: a chain may be longer than Python's stack."""
    plan = document.plan
    top, below = plan.children()
    for body in plan.bodies:
        if body.is_world:
            _write_content(body, body.frame, document, xml)
    stack: list[int | None] = [*reversed(top)]
    while stack:
        place = stack.pop()
        if place is None:
            xml.close()
            continue
        body = plan.bodies[place]
        if place in document.sites:
            xml.leaf("site", {**document.sites[place], **_place(body.frame)})
            continue
        xml.open("body", {"name": body.name, **_place(body.frame)})
        if body.mass is not None:
            _write_inertial(body.mass, xml)
        for joint in body.joints:
            _write_joint(joint, document, xml)
        _write_content(body, _IDENTITY, document, xml)
        stack += [None, *reversed(below[place])]


def _write_inertial(mass: BodyMass, xml: XmlWriter) -> None:
    """Writes a mass. Of off-diagonal tensors MuJoCo takes no moments below 1e-14: small ones are
    given along their principal axes."""
    i = mass.inertia
    tensor = [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
    attributes: dict[str, Value] = {"pos": mass.center + 0.0, "mass": mass.mass}
    moments, axes = np.linalg.eigh(i)
    if not any(tensor[3:]):
        attributes["diaginertia"] = tensor[:3]
    elif moments[0] > _SMALL_MOMENT:
        attributes["fullinertia"] = tensor
    else:
        axes = axes if np.linalg.det(axes) > 0.0 else -axes
        x, y, z, w = quaternion_from_rotation(axes)
        attributes |= {"quat": [w, x, y, z], "diaginertia": moments}
    xml.leaf("inertial", attributes)


def _write_joint(joint: MjcfJoint, document: MjcfDocument, xml: XmlWriter) -> None:
    if joint.kind == "free":
        xml.leaf("freejoint", {"name": joint.name})
        return
    described = joint.of.joint if joint.of is not None else None
    dynamics = (described.dynamics if described is not None else None) or Dynamics()
    limit = (described.limit if described is not None else None) or Limit()
    effort = limit.effort or 0.0
    attributes: dict[str, Value] = {"name": joint.name, "type": joint.kind}
    attributes["axis"] = None if joint.axis is None else joint.axis + 0.0
    if joint.kind != "slide" and joint.point is not None:
        attributes["pos"] = joint.point + 0.0
    attributes["range"] = joint.limits
    attributes["actuatorfrcrange"] = [-effort, effort] if effort > 0.0 else None
    attributes["damping"] = dynamics.damping or None
    attributes["frictionloss"] = dynamics.friction or None
    attributes["stiffness"] = dynamics.stiffness or None
    single = joint.kind in ("hinge", "slide")
    attributes["springref"] = dynamics.reference if single and dynamics.stiffness else None
    own, least = dynamics.armature or document.armature, document.armatures.get(joint.name, 0.0)
    attributes["armature"] = max(own, least) or None
    xml.leaf("joint", attributes)


def _write_content(body: BodyPlan, frame: Matrix, document: MjcfDocument, xml: XmlWriter) -> None:
    """Writes the visuals, collisions and sensors of a link; `frame` (4, 4) is the link's frame in
    the open element."""
    link = body.link.name
    for name, geoms in ((VISUAL, document.visuals), (COLLISION, document.collisions)):
        for geom in geoms.get(link, ()):
            attributes: dict[str, Value] = {"name": geom.name or None, "class": name}
            attributes |= geom.attributes
            attributes |= _place(frame @ geom.frame)
            attributes["material"] = geom.material or None
            attributes["rgba"] = _PLAIN if name == VISUAL and not geom.material else None
            attributes["friction"] = geom.friction
            xml.leaf("geom", attributes)
    for mount in document.mounts.get(link, ()):
        xml.leaf(mount.tag, {"name": mount.name, **_place(frame @ mount.frame), **mount.attributes})


def _place(frame: Matrix) -> dict[str, Value]:
    """Returns the attributes of a pose; none for defaults."""
    x, y, z, w = quaternion_from_rotation(frame[:3, :3])
    turned = not np.array_equal(frame[:3, :3], _IDENTITY[:3, :3])
    return {
        "pos": frame[:3, 3] + 0.0 if frame[:3, 3].any() else None,
        "quat": [w + 0.0, x + 0.0, y + 0.0, z + 0.0] if turned else None,
    }


def _write_world_settings(world: Surroundings, xml: XmlWriter) -> None:
    """Writes gravity and, where there are lights, a dim headlight in place of MuJoCo's own."""
    xml.leaf("option", {"gravity": world.gravity})
    if world.lights:
        with xml.element("visual"):
            dim: dict[str, Value] = {"ambient": "0.3 0.3 0.3", "diffuse": "0 0 0"}
            xml.leaf("headlight", {**dim, "specular": "0 0 0"})


def _write_sky(world: Surroundings, xml: XmlWriter) -> None:
    """Writes the background as an asset."""
    if world.background is not None:
        color: dict[str, Value] = {"rgb1": world.background, "rgb2": world.background}
        sky: dict[str, Value] = {"name": "sky", "type": "skybox", "builtin": "flat", **color}
        with xml.element("asset"):
            xml.leaf("texture", {**sky, "width": 8, "height": 48})


def _write_lights(world: Surroundings, xml: XmlWriter) -> None:
    """Writes the lights and the camera into the open body of the world."""
    for light in world.lights:
        xml.leaf("light", _describe_light(light))
    view = world.view
    if view is not None:
        place = _place_view(view.place)
        xml.leaf("camera", {"name": view.name, **place, "fovy": math.degrees(view.angle)})


def _describe_light(light: WorldLight) -> dict[str, Value]:
    frame = matrix_from_pose(light.place)
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


def _place_view(pose: Pose) -> dict[str, Value]:
    x, y, z, w = quaternion_from_rotation(matrix_from_pose(pose)[:3, :3])
    return {"pos": pose.xyz, "quat": [w, x, y, z]}
