# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of work: XML with its includes -> bodies -> links and joints -> Robot; and all of a
world that is neither body nor geom: lights, a camera, the sky, gravity."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath

import numpy as np

from ....core.diagnostics import Diagnostics, NoLinksError, quote
from ....core.gazebo import interpret_extras
from ....core.geometry.transforms import length_of, make_frame, pose_of, turn_z_onto
from ....core.model import Extra, Material, Robot, Vector3
from ....core.model.world import (
    DescribedWorld,
    LightKind,
    PlacedRobot,
    Surroundings,
    WorldLight,
    WorldView,
)
from ....core.names import Claims
from ....core.readers.formats import Description, ReaderFormat
from .actuators import read_actuators
from .bodies import WORLD, BodyReader, BodyReading, LinkBuilder
from .branches import name_models, pick_model, split_models
from .constraints import ConstraintReader
from .document import ROOT, ROOTS, MjcfElement
from .masses import Scales, scale_to
from .meshes import MeshMeasures
from .models import READ_SECTIONS, Model, Models
from .semantics import list_sections
from .sensors import list_sensors

_PARTS = ("light", "camera")
_SPLIT = ("<actuator>", "<contact>", "<keyframe>")
"""Sections that each model of a world gets its own parts of."""
_KINDS: dict[str, LightKind] = {"point": "point", "directional": "sun", "spot": "spot"}


def read_mjcf(given: Description) -> Robot:
    """Reads a model of MuJoCo: its bodies, joints, geoms, masses, mimic joints and loops; of a
    world with several, the one in options.model. Raises ReadError, with file and line, for models
    that MuJoCo refuses too; all milder things go to the diagnostics."""
    robot, wanted = _read(given)[0], given.options.model
    return pick_model(robot, wanted, given.diagnostics) if wanted else robot


def list_models(given: Description) -> tuple[str, ...]:
    """Returns the names of the models in a file, in their order. Raises ReadError as read_mjcf
    does."""
    return name_models(_read(given)[0])


def _read(given: Description) -> tuple[Robot, Model]:
    diagnostics = given.diagnostics
    meshes = MeshMeasures(given.resolver)
    models = Models(given.resolver, meshes, diagnostics)
    model = models.open(given.data, given.source)
    root = model.root
    if root.tag != ROOT:
        raise root.refuse("this is a part that models of MuJoCo include; read a model instead")
    reader = BodyReader(models, diagnostics)
    bodies = reader.read(model)
    if len(bodies) == 1 and not bodies[0].geoms:
        raise NoLinksError("the model has no bodies", source=given.source, line=root.line)
    _report_aligned(bodies, diagnostics)
    scales = Scales(model.compiler, meshes, diagnostics)
    built = LinkBuilder(bodies, scales).build(keeps_world=_has_loops(model, models))
    constraints = ConstraintReader(bodies, built, diagnostics)
    constraints.read(model, reader.suffixes)
    for attached, suffix in models.attached:
        constraints.read_attached(attached, suffix)
    transmissions, joints = read_actuators(model, constraints.joints)
    links = scale_to(built.links, model.compiler.node.number("settotalmass", -1.0))
    robot = Robot(
        name=root.text("model") or PurePath(given.source).stem,
        links=links,
        joints=joints,
        loops=tuple(constraints.loops),
        materials=_list_materials(model, models),
        transmissions=transmissions,
        extras=(*_list_extras(root), *list_sensors(bodies, built, model)),
        source=given.source,
    )
    return interpret_extras(robot), model


def read_world(given: Description) -> DescribedWorld:
    """Reads the models of a file, and all around them. Raises ReadError as read_mjcf does."""
    robot, model = _read(given)
    around = _read_around(model)
    world = DescribedWorld(name=robot.name, models=(PlacedRobot(robot=robot),), around=around)
    if robot.links[0].name != WORLD:
        return world
    models = tuple(split_models(robot, given.diagnostics))
    _report_lost(robot, given.diagnostics)
    return replace(world, models=models, materials=robot.materials)


def _report_lost(whole: Robot, diagnostics: Diagnostics) -> None:
    """Reports the sections of a world that none of its models gets a part of."""
    sections = sorted({f"<{each.tag}>" for each in list_sections(whole, Diagnostics())})
    lost = [each for each in sections if each not in _SPLIT]
    if lost:
        diagnostics.warning(
            "world-not-read",
            f"{', '.join(lost)} of the world: left out but for cameras, range finders and "
            "inertial sensors on its models",
        )


def _report_aligned(bodies: list[BodyReading], diagnostics: Diagnostics) -> None:
    """Reports the bodies that MuJoCo moves: bodies with nothing but a free joint that asks for it,
    and without bodies of their own."""
    parents = {body.parent for body in bodies}
    for place, body in enumerate(bodies):
        if place in parents or len(body.joints) != 1 or body.joints[0].kind != "free":
            continue
        node, compiler = body.joints[0].node, body.joints[0].compiler
        said = node.text("align", "auto")
        if said == "true" or (said == "auto" and compiler.node.flag("alignfree", False)):
            finding = "is aligned with its inertia by MuJoCo; its frame is left where it is written"
            message = f"body {quote(body.name)} {finding}"
            node.report("mjcf-free-aligned", message, body.name, diagnostics.warning)


def _has_loops(model: Model, models: Models) -> bool:
    every = [model, *(attached for attached, _ in models.attached)]
    sections = (section for each in every for section in each.root.all("equality"))
    return any(node.tag != "joint" for section in sections for node in section.children)


def _list_materials(model: Model, models: Models) -> tuple[Material, ...]:
    """Returns the materials of all models, each name once."""
    named = dict(model.assets.materials)
    for attached, _ in models.attached:
        for material in attached.assets.materials.values():
            named.setdefault(material.name, material)
    return tuple(named.values())


def _list_extras(root: MjcfElement) -> tuple[Extra, ...]:
    """Motors, sensors, keyframes and the rest, as one element that MuJoCo reads in URDF too."""
    kept = [node.xml for node in root.children if node.tag not in READ_SECTIONS and node.xml]
    if not kept:
        return ()
    return (Extra(tag=ROOT, xml=f"<{ROOT}>{''.join(kept)}</{ROOT}>", line=root.line),)


def _read_around(model: Model) -> Surroundings:
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


MJCF = ReaderFormat(
    name="mjcf",
    label="MuJoCo",
    description="Load models of the simulator MuJoCo (MJCF) as armatures: a bone for each moving "
    "joint, and an empty in the frame of each body",
    suffixes=(".mjcf",),
    roots=ROOTS,
    read=read_mjcf,
    read_world=read_world,
    list_models=list_models,
)
