# SPDX-License-Identifier: GPL-3.0-or-later
"""All around the robots of a world: things become objects, with their collision shapes below them;
lights, a camera, a background."""

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy
from mathutils import Matrix

from ....core.blender.arrays import hide_in_renders
from ....core.blender.build.meshes import ShapeBuilder
from ....core.blender.ledger import Ledger
from ....core.blender.standing import properties
from ....core.geometry.transforms import matrix_from_pose
from ....core.images.colors import linear_from_srgb
from ....core.meshes import RobotFiles
from ....core.model import IDENTITY, Pose, Robot, Vector3
from ....core.model.world import Surroundings, Thing, WorldLight, WorldView
from ....core.options import ImportOptions
from ....core.progress import Progress

_MOST_AT_ONCE = 50
_STRENGTHS = {"point": ("POINT", 500.0), "spot": ("SPOT", 500.0), "sun": ("SUN", 3.0)}
"""Kind -> Blender's, and the strength of the strongest: watts, for suns watts per square metre.
Worlds have no such numbers."""
_BLEND = 0.15
_HOLDER_SIZE = 0.1


@dataclass(slots=True, kw_only=True, eq=False)
class BuiltWorld:
    """All of a world but its robots, in a collection."""

    around: Surroundings
    collection: Any
    objects: dict[str, Any] = field(default_factory=dict)
    lights: dict[str, Any] = field(default_factory=dict)
    camera: Any | None = None
    background: Any | None = None


def build_surroundings(
    around: Surroundings, things: Robot, options: ImportOptions, files: RobotFiles
) -> Generator[Progress, None, BuiltWorld]:
    """Builds things, lights and a camera into the current scene.

    `things` is a robot, called as the world, whose links are theirs, and `files` are its files. The
    last step, with a share of 1, comes when all is there; closing the generator until then leaves
    nothing of it. The settings of the scene stay: gather_world changes them."""
    ledger = Ledger()
    try:
        world = BuiltWorld(around=around, collection=ledger.new_collection(things.name))
        if around.text and len(around.text) <= properties.MOST_TEXT:
            world.collection[properties.WORLD] = around.text
        shapes = ShapeBuilder(things, 1.0, options, files, ledger, shares=options.share_data)
        builder = _ThingBuilder(world.collection, options, shapes, ledger)
        for number, thing in enumerate(around.things):
            if number % _MOST_AT_ONCE == 0:
                share = number / len(around.things)
                yield Progress(share=share, text=f"{len(around.things)} objects")
            world.objects[thing.link.name] = builder.build(thing)
        builder.finish()
        for light in around.lights:
            world.lights[light.name] = _build_light(light, world.collection, ledger)
        if around.view is not None:
            world.camera = _build_camera(around.view, world.collection, ledger)
        if around.background is not None:
            world.background = _build_background(around.background, things.name, ledger)
        bpy.context.scene.collection.children.link(world.collection)
        yield Progress(share=1.0, text="done")
    except BaseException:
        ledger.remove_all()
        raise
    return world


def gather_world(world: BuiltWorld, robots: Iterable[tuple[Any, Pose]]) -> None:
    """Puts robots, each by its armature, at their places and into the collection of their world,
    and gives the scene the gravity, the camera and the background of it."""
    scene = bpy.context.scene
    for armature, pose in robots:
        put(armature, pose)
        homes = {each.name for each in armature.users_collection}
        for each in scene.collection.children:
            if each is not world.collection and homes & {part.name for part in each.children}:
                world.collection.children.link(each)
                scene.collection.children.unlink(each)
                break
    scene.use_gravity = any(world.around.gravity)
    if scene.use_gravity:
        scene.gravity = world.around.gravity
    if world.camera is not None:
        scene.camera = world.camera
    if world.background is not None:
        scene.world = world.background
    bpy.context.view_layer.update()


def hang(item: Any, target: Any) -> None:
    """Lets an object go with another one, from where both are."""
    made = item.constraints.new("CHILD_OF")
    made.target, made.inverse_matrix = target, target.matrix_world.inverted_safe()


def put(item: Any, pose: Pose) -> None:
    """Sets the place of an object in the world, by angles that people edit."""
    frame = Matrix(matrix_from_pose(pose).tolist())
    item.rotation_mode = "XYZ"
    item.location, item.rotation_euler = frame.to_translation(), frame.to_euler("XYZ")


class _ThingBuilder:
    """Makes an object of each thing: of one shape in its frame that shape, else an empty that holds
    its shapes. Its collision shapes are its children, hidden."""

    def __init__(
        self, collection: Any, options: ImportOptions, shapes: ShapeBuilder, ledger: Ledger
    ) -> None:
        self._collection = collection
        self._options = options
        self._shapes = shapes
        self._ledger = ledger
        self._hidden: Any | None = None

    def build(self, thing: Thing) -> Any:
        link, options = thing.link, self._options
        visuals = link.visuals if options.visuals else ()
        if len(visuals) == 1 and visuals[0].origin == IDENTITY:
            held = self._shapes.build_visual(visuals[0], link, None, self._collection)
            held.name = link.name
        else:
            held = self._ledger.new_object(link.name, None)
            held.empty_display_size = _HOLDER_SIZE
            self._collection.objects.link(held)
            for visual in visuals:
                self._shapes.build_visual(visual, link, held, self._collection)
        put(held, thing.place)
        for collision in link.collisions if options.collisions else ():
            self._shapes.build_collision(collision, link, held, self._find_hidden())
        held[properties.THING] = _describe(thing)
        return held

    def finish(self) -> None:
        if self._hidden is not None:
            hide_in_renders(self._hidden.objects)

    def _find_hidden(self) -> Any:
        if self._hidden is None:
            name = f"{self._collection.name} collisions"
            self._hidden = self._ledger.new_collection(name)
            self._hidden[properties.PART] = properties.COLLISIONS
            self._hidden.hide_viewport = self._hidden.hide_render = True
            self._collection.children.link(self._hidden)
        return self._hidden


def _describe(thing: Thing) -> dict[str, Any]:
    described: dict[str, Any] = {"collisions": len(thing.link.collisions)}
    if thing.friction is not None:
        described["friction"] = thing.friction
    if thing.link.inertial is not None:
        described["inertial"] = properties.pack(thing.link.inertial)
    return described


def _build_light(light: WorldLight, collection: Any, ledger: Ledger) -> Any:
    kind, most = _STRENGTHS[light.kind]
    data = ledger.note(bpy.data.lights.new(light.name, kind))
    data.color = _linear(light.color)
    data.energy = most * light.strength
    data.use_shadow = light.shadows
    if light.kind == "spot":
        data.spot_size, data.spot_blend = light.angle, _BLEND
    return _place(ledger.new_object(light.name, data), light.place, collection)


def _place(item: Any, pose: Pose, collection: Any) -> Any:
    put(item, pose)
    collection.objects.link(item)
    return item


def _build_camera(view: WorldView, collection: Any, ledger: Ledger) -> Any:
    data = ledger.new_camera(view.name)
    data.sensor_fit = "VERTICAL"
    data.angle_y = view.angle
    return _place(ledger.new_object(view.name, data), view.place, collection)


def _build_background(color: Vector3, name: str, ledger: Ledger) -> Any:
    world = ledger.note(bpy.data.worlds.new(name))
    world.color = _linear(color)
    if bpy.app.version < (5, 0):
        world.use_nodes = True
    shader = next(node for node in world.node_tree.nodes if node.type == "BACKGROUND")
    shader.inputs["Color"].default_value = (*_linear(color), 1.0)
    return world


def _linear(color: Sequence[float]) -> Vector3:
    red, green, blue = (linear_from_srgb(part) for part in color)
    return red, green, blue
