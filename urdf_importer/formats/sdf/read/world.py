# SPDX-License-Identifier: GPL-3.0-or-later
"""A world of SDF: all of its models at their places, its lights, its camera, its scene."""

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath

import numpy as np

from ....core.diagnostics import Diagnostics, NoLinksError, quote
from ....core.geometry.transforms import FROM_CAMERA, Matrix, length_of, pose_of, turn_z_onto, unit
from ....core.markup.xml import Element
from ....core.meshes import RobotFiles
from ....core.model import Extra
from ....core.model.pose import Vector3
from ....core.model.world import (
    DescribedWorld,
    LightKind,
    PlacedRobot,
    Surroundings,
    Tie,
    WorldLight,
    WorldView,
)
from ....core.names import Claims
from ....core.readers.formats import Description
from ....core.readers.groups import Groups
from ...urdf.read.robot import paused_garbage_collection
from .models import ModelReader, report_world_joints
from .page import Page, all_of, find
from .robot import make_robot
from .scope import ROUNDING, SEPARATOR, Scope, read_base

_KINDS: dict[str, LightKind] = {"point": "point", "directional": "sun", "spot": "spot"}
_LEFT_OUT = ("actor", "atmosphere", "plugin", "population", "road", "state", "wind")
"""Parts of worlds that change the picture or the places of models, and are not read."""
_KEPT = {*_LEFT_OUT, "audio", "magnetic_field", "physics", "spherical_coordinates"} - {"state"}
"""Parts that say the same beside models that were written anew."""
_FILE = re.compile(r"<(?:filename|uri)>\s*([^<]*)")
_DOWN: Vector3 = (0.0, 0.0, -1.0)
_WHITE: Vector3 = (1.0, 1.0, 1.0)


def read_sdf_world(given: Description, page: Page) -> DescribedWorld:
    """Reads all models of a file, and the parts of its first world. Raises ReadError."""
    diagnostics = given.diagnostics
    with paused_garbage_collection():
        reader = ModelReader(resolver=given.resolver, diagnostics=diagnostics)
        world = next((each for each in page.elements if each.tag == "world"), None)
        holder = page.elements[0] if world is None and page.elements else world
        if holder is None:
            raise NoLinksError("the file has no model", source=given.source)
        outer, scopes = reader.read_world(page, holder)
        names = {scope.name for scope in scopes}
        ties = () if world is None else tuple(_read_ties(page, world, names))
        report_world_joints(page, names, tied={joint.offset for joint, _ in ties})
        files = RobotFiles(given.resolver, Diagnostics())
        models = [
            model
            for scope in scopes
            if (model := _read_model(outer, scope, files, given)) is not None
        ]
        named = "" if world is None else world.attributes.get("name", "").strip()
        around = Surroundings() if world is None else _read_around(outer, world, page, reader)
    return DescribedWorld(
        name=named or PurePath(given.source).stem,
        models=tuple(models),
        ties=tuple(tie for _, tie in ties),
        around=around,
    )


def _read_ties(page: Page, world: Element, names: set[str]) -> Iterator[tuple[Element, Tie]]:
    """Yields the joints that attach a model to another one, without any that would close a ring."""
    groups = Groups(names)
    above: set[str] = set()
    for joint in all_of(world, "joint"):
        (parent, _, link), (child, _, _) = (
            page.text(joint, tag).partition(SEPARATOR) for tag in ("parent", "child")
        )
        if {parent, child} <= names and child not in above and groups.join(parent, child):
            above.add(child)
            yield joint, Tie(model=child, parent=parent, link=link)


def _read_model(
    outer: Scope, scope: Scope, files: RobotFiles, given: Description
) -> PlacedRobot | None:
    """Returns a model at its place; None, and reported, where that is unknown, or where it has no
    links."""
    node = outer.nodes[scope.name]
    place = outer.place_model(scope)
    if place is None:
        outer.say_lost(node)
        return None
    try:
        robot = make_robot(scope, given.source, files, given.diagnostics)
    except NoLinksError as error:
        node.page.error("world-no-links", f"{error.message}; it is left out", node.element)
        return None
    is_static = scope.page.flag(scope.element, "static")
    if scope.include is not None and find(scope.include[0], "static") is not None:
        is_static = scope.include[1].flag(scope.include[0], "static")
        if is_static and not scope.page.flag(scope.element, "static"):
            fixed = Extra(tag="gazebo", xml="<gazebo><static>true</static></gazebo>")
            robot = replace(robot, extras=(*robot.extras, fixed))
    return PlacedRobot(robot=robot, place=pose_of(place, rounding=ROUNDING), is_static=is_static)


def _read_around(outer: Scope, world: Element, page: Page, reader: ModelReader) -> Surroundings:
    _report_left_out(world, page)
    background = find(world, "scene", "background")
    return Surroundings(
        lights=tuple(_read_lights(outer, world, page, reader)),
        view=_read_view(outer, world, page),
        background=None if background is None else _read_color(background, page),
        gravity=page.vector(world, "gravity", default=(0.0, 0.0, -9.8)),
        text="".join(page.verbatim(each) for each in world if _is_kept(each, page)),
    )


def _is_kept(element: Element, page: Page) -> bool:
    """Whether an element says the same in a file in another folder."""
    names = _FILE.findall(page.verbatim(element)) if element.tag in _KEPT else [""]
    return all("://" in name or os.path.isabs(name) for name in names)


def _report_left_out(world: Element, page: Page) -> None:
    unseen = [each for each in world if each.tag in _LEFT_OUT]
    for word, is_kept in (("not shown", True), ("left out", False)):
        tags = sorted({each.tag for each in unseen if _is_kept(each, page) == is_kept})
        if tags:
            named = ", ".join(f"<{tag}>" for tag in tags)
            page.warning("world-not-read", f"{named} of the world: {word}", world)


def _place(outer: Scope, element: Element, page: Page) -> Matrix | None:
    """Returns the frame (4, 4) of an element in the world; None, and reported, for an unknown
    base."""
    pose = find(element, "pose")
    base = outer.pose_of(read_base(pose))
    if base is None:
        name = quote(element.attributes.get("name", ""))
        finding = f"{element.tag} {name} is placed in an unknown frame; it is left out"
        page.error("sdf-unknown-frame", finding, element)
        return None
    return base @ page.pose(pose)


def _read_lights(
    outer: Scope, world: Element, page: Page, reader: ModelReader
) -> Iterator[WorldLight]:
    names = Claims()
    own = [(light, light, page) for light in all_of(world, "light")]
    for holder, light, page_of_light in (*own, *reader.read_lights(page, world)):
        is_placed = holder is light or find(holder, "pose") is not None
        frame = _place(outer, holder, page) if is_placed else _place(outer, light, page_of_light)
        name = page.text(holder, "name").strip() if holder is not light else ""
        if frame is not None:
            yield from _read_light(light, page_of_light, frame, names, name)


def _read_light(
    light: Element, page: Page, frame: Matrix, names: Claims, name: str
) -> Iterator[WorldLight]:
    kind = _KINDS.get(light.attributes.get("type", "").strip())
    if kind is None:
        said = quote(light.attributes.get("type", ""))
        page.error("world-light", f"a light has the type {said}; it is left out", light)
        return
    direction = page.vector(light, "direction", default=_DOWN)
    if direction != _DOWN and length_of(np.array(direction)) > 0.0:
        frame[:3, :3] = frame[:3, :3] @ turn_z_onto(-unit(np.array(direction)))
    diffuse = find(light, "diffuse")
    color = _WHITE if diffuse is None else _read_color(diffuse, page)
    most = max(color)
    shadows = find(light, "cast_shadows")
    yield WorldLight(
        name=names.claim(name or light.attributes.get("name", "").strip() or "light"),
        kind=kind,
        place=pose_of(frame, rounding=ROUNDING),
        color=_scale(color, 1.0 / most) if most > 0.0 else _WHITE,
        strength=most * page.size(light, "intensity", default=1.0),
        angle=page.size(light, "spot", "outer_angle", default=0.785),
        shadows=shadows is None or page.flag(light, "cast_shadows"),
    )


def _read_view(outer: Scope, world: Element, page: Page) -> WorldView | None:
    camera = find(world, "gui", "camera")
    frame = None if camera is None else _place(outer, camera, page)
    if camera is None or frame is None:
        return None
    frame[:3, :3] = frame[:3, :3] @ FROM_CAMERA.T
    return WorldView(
        name=camera.attributes.get("name", "").strip() or "camera",
        place=pose_of(frame, rounding=ROUNDING),
    )


def _read_color(element: Element, page: Page) -> Vector3:
    """Returns red, green and blue, 0 to 1. Raises ReadError for text that is not numbers."""
    numbers = page.numbers(element)
    if len(numbers) not in (3, 4) or not all(abs(number) <= 1e9 for number in numbers):
        raise page.refusal(f"<{element.tag}> must hold three or four finite numbers", element)
    red, green, blue = (min(max(number, 0.0), 1.0) for number in numbers[:3])
    return red, green, blue


def _scale(vector: Vector3, factor: float) -> Vector3:
    x, y, z = vector
    return factor * x, factor * y, factor * z
