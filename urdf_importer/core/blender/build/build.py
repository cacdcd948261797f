# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan becomes a rig, stage by stage. Only here is the order of stages."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import bpy

from ...meshes import RobotFiles
from ...model import Robot
from ...options import ImportOptions
from ...progress import Progress
from ...rig.rig_plan import RigPlan
from ...sensors.placed import PlacedSensor, place_sensors
from ..arrays import hide_in_renders
from ..ledger import Ledger
from ..modes import leave_modes, remember_state, restore_state, select
from ..standing import properties
from ..standing.display import show_collisions
from ..standing.rests import note_bone_rests
from .armature import build_bones, build_pose, describe_joints, sort_bones, sort_models
from .constraints import build_constraints, build_drivers
from .links import build_inertial, build_links, build_rigid_bodies
from .meshes import ShapeBuilder
from .sensors import build_sensors
from .widgets import build_limit_marks, give_looks

_MOST_AT_ONCE = 250
"""Links or constraints built in one step: progress bars stay alive."""

_COLLECTIONS = ("Links", properties.VISUALS, properties.COLLISIONS, properties.INERTIALS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rig:
    """The result of a build: link names -> objects; of sensors by their own names."""

    armature: Any
    collection: Any
    links: dict[str, Any]
    visuals: dict[str, list[Any]] = field(default_factory=dict)
    collisions: dict[str, list[Any]] = field(default_factory=dict)
    inertials: dict[str, Any] = field(default_factory=dict)
    sensors: dict[str, Any] = field(default_factory=dict)


def build_rig(
    plan: RigPlan, options: ImportOptions, files: RobotFiles, *, shares: bool = True
) -> Generator[Progress, None, Rig]:
    """Builds the rig into the current scene; draining the generator does the work. Without `shares`
    it uses no mesh or material that is there already, whatever the options say.

    On any exception, and when the generator is closed before its end, everything that was made is
    removed again, and the user's selection and mode are as before. The last step, with a share of
    1, comes when all is there.
    """
    ledger = Ledger()
    state = remember_state()
    try:
        shares = shares and options.share_data
        shapes = ShapeBuilder(plan.robot, plan.size, options, files, ledger, shares=shares)
        sensors = place_sensors(plan.robot, files.diagnostics) if options.sensors else ()
        rig = yield from _build(plan, options, shapes, ledger, sensors)
    except BaseException:
        ledger.remove_all()
        restore_state(state)
        raise
    return rig


def _build(
    plan: RigPlan,
    options: ImportOptions,
    shapes: ShapeBuilder,
    ledger: Ledger,
    sensors: Sequence[PlacedSensor],
) -> Generator[Progress, None, Rig]:
    leave_modes()
    select(())
    yield Progress(share=0.0, text=f"{len(plan.bones)} bones")
    collection = ledger.new_collection(plan.robot.name)
    bpy.context.scene.collection.children.link(collection)
    armature = yield from _build_armature(plan, collection, ledger)
    # The armature comes first: outliners list collections before objects, and a robot has hundreds.
    parts = {
        name: _new_part(plan.robot.name, name, ledger) for name in (properties.RIG, *_COLLECTIONS)
    }
    parts[properties.RIG].objects.link(armature)
    collection.objects.unlink(armature)
    links = yield from _build_links(armature, plan, parts["Links"], ledger)
    rig = Rig(armature=armature, collection=collection, links=links)
    for link in (item.link for item in plan.links if options.inertials):
        if link.inertial is not None:
            rig.inertials[link.name] = build_inertial(
                rig.links[link.name], link.inertial, plan.size, parts["Inertials"], ledger
            )
    if options.limit_arcs:
        parts["Limits"] = _new_part(plan.robot.name, "Limits", ledger)
        build_limit_marks(plan.limit_marks, rig.links, parts["Limits"], ledger)
    if sensors:
        part = parts[properties.SENSORS] = _new_part(plan.robot.name, properties.SENSORS, ledger)
        rig.sensors.update(build_sensors(sensors, rig.links, part, plan.size, ledger))
    yield from _build_shapes(plan, options, rig, parts, shapes)
    hide_in_renders(parts[properties.COLLISIONS].objects)
    yield from _build_motion(armature, plan)
    _show(rig, parts)
    if shows_collisions(plan.robot, options):
        shapes.files.note_collisions(plan.robot)
        show_collisions(rig.collisions, parts[properties.COLLISIONS])
    if options.rigid_bodies:
        bpy.context.view_layer.update()
        build_rigid_bodies([item.link for item in plan.links], rig.collisions)
    yield Progress(share=1.0, text="done")
    return rig


def shows_collisions(robot: Robot, options: ImportOptions) -> bool:
    """Whether collision shapes take the place of a robot's visuals."""
    return robot.shows_collisions and options.visuals and options.collisions


def name_part(robot: str, name: str) -> str:
    """Returns the name of the collection of a part of a robot."""
    return f"{robot} {name.lower()}"


def _new_part(robot: str, name: str, ledger: Ledger) -> Any:
    """Makes a collection that says which part of the robot it holds, even when it is renamed."""
    part = ledger.new_collection(name_part(robot, name))
    part[properties.PART] = name
    return part


def _build_armature(
    plan: RigPlan, collection: Any, ledger: Ledger
) -> Generator[Progress, None, Any]:
    armature = ledger.new_object(plan.robot.name, ledger.new_armature(plan.robot.name))
    armature.rotation_mode = "XYZ"
    collection.objects.link(armature)
    build_bones(armature, plan.bones)
    note_bone_rests(armature, (bone.name for bone in plan.bones))
    # It is not worth seeing half done, and drawing it costs more than the next step.
    bpy.context.scene.collection.children.unlink(collection)
    yield Progress(share=0.05, text="pose and looks of the bones")
    sort_bones(armature, plan.bones)
    sort_models(armature, plan.links)
    build_pose(armature, plan)
    looks = {bone.name: bone.look for bone in plan.bones if bone.look is not None}
    if looks:
        give_looks(armature, looks, ledger)
    yield Progress(share=0.07, text="data from the bones")
    describe_joints(armature, plan.joints)
    _describe_robot(armature, plan)
    return armature


def _build_links(
    armature: Any, plan: RigPlan, collection: Any, ledger: Ledger
) -> Generator[Progress, None, dict[str, Any]]:
    text = f"{len(plan.links)} links"
    yield Progress(share=0.1, text=text)
    built = {}
    for name, empty in build_links(armature, plan, collection, ledger):
        built[name] = empty
        if len(built) % _MOST_AT_ONCE == 0:
            yield Progress(share=0.1 + 0.05 * len(built) / len(plan.links), text=text)
    return built


def _build_motion(armature: Any, plan: RigPlan) -> Iterator[Progress]:
    for start in range(0, len(plan.constraints), _MOST_AT_ONCE):
        share = 0.95 + 0.03 * start / len(plan.constraints)
        yield Progress(share=share, text=f"{len(plan.constraints)} limits")
        build_constraints(armature, plan.constraints[start : start + _MOST_AT_ONCE])
    for start in range(0, len(plan.drivers), _MOST_AT_ONCE):
        yield Progress(share=0.98, text=f"{len(plan.drivers)} drivers")
        build_drivers(armature, plan.drivers[start : start + _MOST_AT_ONCE])


def _describe_robot(armature: Any, plan: RigPlan) -> None:
    robot = plan.robot
    packed = properties.pack(replace(robot, links=(), joints=()))
    packed["links"] = [link.name for link in robot.links]
    packed["joints"] = [joint.name for joint in robot.joints]
    packed["source"] = robot.source
    text = properties.pack_text(robot.text)
    if text:
        packed |= {"text": text, "text_format": robot.text_format}
    parents = {joint.parent for joint in robot.joints}
    packed["middle_joints"] = [
        properties.pack(joint) for joint in robot.joints if joint.child in parents
    ]
    packed["cut_joints"] = [properties.pack(joint) for joint in plan.cut_joints]
    armature[properties.SCHEMA] = properties.SCHEMA_VERSION
    armature[properties.ROBOT] = packed


def _build_shapes(
    plan: RigPlan,
    options: ImportOptions,
    rig: Rig,
    parts: dict[str, Any],
    builder: ShapeBuilder,
) -> Iterator[Progress]:
    for index, item in enumerate(plan.links):
        link, empty = item.link, rig.links[item.link.name]
        if link.visuals or link.collisions:
            share = 0.15 + 0.8 * index / len(plan.links)
            yield Progress(share=share, text=f"shapes of {link.name}")
        if options.visuals:
            rig.visuals[link.name] = [
                builder.build_visual(visual, link, empty, parts["Visuals"])
                for visual in link.visuals
            ]
        if options.collisions:
            rig.collisions[link.name] = [
                builder.build_collision(collision, link, empty, parts["Collisions"])
                for collision in link.collisions
            ]


def _show(rig: Rig, parts: dict[str, Any]) -> None:
    """Links everything into the scene: late, since each object linked to a scene costs time
    proportional to all that is there. Blender spares itself the evaluation of hidden objects."""
    for name, part in parts.items():
        rig.collection.children.link(part)
        part.hide_viewport = part.hide_render = name in properties.HIDDEN
    bpy.context.scene.collection.children.link(rig.collection)
    bpy.context.view_layer.objects.active = rig.armature
    rig.armature.select_set(True)
    rig.armature.show_in_front = True
