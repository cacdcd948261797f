# SPDX-License-Identifier: GPL-3.0-or-later
"""The robot's rig and its sensors, as tables of a script.

The table TAILS lists other tails for bones whose axes Blender may make inexact. Blender works a
bone's axes out in single precision, in the armature's frame and again in its parent's, by a formula
that loses its last digits for bones near -Y there. By how much is chance, and differs between
Blenders. So a script measures such bones and tries other tails, turned slightly about the joint's
axis, until one is right.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from urdf_importer.core.geometry.transforms import Matrix, quaternion_from_rotation
from urdf_importer.core.names import Claims
from urdf_importer.core.rig.rig_plan import BonePlan, JointPlan, LinkPlan, RigPlan
from urdf_importer.core.rig.rounding import edit_numbers, rank_refinements

from ..sensors import SensorSuggestion
from .armatures import ArmaturePlan
from .literals import comment, make_identifier, single, table, text, vector

_FOLDED = 0.9
"""Cosine beyond which a bone points back."""

_MOST = 12
"""Tails that are tried for one bone."""


def write_tails(armatures: Sequence[ArmaturePlan]) -> str:
    """Writes the table TAILS, parents before their children."""
    rows = [row for armature in armatures for row in _rows_of(armature)]
    return table("TAILS", "bone, its X axis in the armature, other tails and their rolls", rows)


def _rows_of(armature: ArmaturePlan) -> Iterator[str]:
    axes = {bone.name: bone.rest[:3, :3] for bone in armature.bones}
    for bone in armature.bones:
        parent = axes.get(bone.parent, np.eye(3))
        own = bone.rest[:3, 1]
        if min(float(own @ parent[:, 1]), float(own[1])) < -_FOLDED:
            yield f"{text(bone.name)}, {vector(bone.rest[:3, 0])}, {_write_others(bone, parent)}"


def _write_others(bone: BonePlan, parent: Matrix) -> str:
    """Writes pairs of a tail and a roll, as many as are tried."""
    head, axes = bone.rest[:3, 3], bone.rest[:3, :3]
    ranked = rank_refinements(head, axes, bone.length, free_turn=True, parent=parent)[:_MOST]
    turned = np.array([axes for axes, _ in ranked])
    lengths = np.array([length for _, length in ranked])
    tails, rolls = edit_numbers(np.repeat(head[None], len(ranked), axis=0), turned, lengths)
    pairs = [
        f"({vector(tail)}, {single(float(roll))})"
        for tail, roll in zip(tails.tolist(), rolls, strict=True)
    ]
    return "(\n        " + ",\n        ".join(pairs) + ")"


def write_rig(plan: RigPlan, armatures: Sequence[ArmaturePlan], start: Mapping[str, float]) -> str:
    """Writes the tables ARMATURES, BONES, TAILS, JOINTS, FOLLOWERS and LINKS. `start`: joint ->
    radians or metres."""
    parts = (
        _write_armatures(armatures),
        _write_bones(armatures),
        write_tails(armatures),
        _write_joints(plan, start),
        _write_followers(plan),
        _write_links(plan),
    )
    return "\n".join(parts)


def place(frame: Matrix) -> str:
    """Writes a frame (4, 4) as a location and a quaternion (w, x, y, z)."""
    x, y, z, w = quaternion_from_rotation(frame[:3, :3])
    return f"{vector(frame[:3, 3].tolist())}, {vector((w, x, y, z))}"


def mass_of(link: LinkPlan) -> float:
    """Returns a link's mass in kilograms; 0 if the description gives none."""
    inertial = link.link.inertial
    return (inertial.mass if inertial is not None else None) or 0.0


def _write_armatures(armatures: Sequence[ArmaturePlan]) -> str:
    rows = [
        f"{text(armature.name)}, {text(armature.carrier)}, {place(armature.frame)}"
        for armature in armatures
    ]
    head = "name, the bone that carries it, location and rotation (w, x, y, z) in the root link"
    return table("ARMATURES", head, rows)


def _write_bones(armatures: Sequence[ArmaturePlan]) -> str:
    rows = [row for armature in armatures for row in _bone_rows(armature)]
    head = "armature, name, parent, head and tail (metres in the armature), roll (radians)"
    return table("BONES", head, rows)


def _bone_rows(armature: ArmaturePlan) -> list[str]:
    bones = armature.bones
    if not bones:
        return []
    heads = np.array([bone.rest[:3, 3] for bone in bones])
    axes = np.array([bone.rest[:3, :3] for bone in bones])
    lengths = np.array([bone.length for bone in bones])
    tails, rolls = edit_numbers(heads, axes, lengths)
    return [
        f"{text(armature.name)}, {text(bone.name)}, {text(bone.parent)}, {vector(head)}, "
        f"{vector(tail)}, {single(float(roll))}"
        for bone, head, tail, roll in zip(bones, heads.tolist(), tails.tolist(), rolls, strict=True)
    ]


def _write_joints(plan: RigPlan, start: Mapping[str, float]) -> str:
    bones = {bone.name: bone for bone in plan.bones}
    head = (
        "bone, its joint's motion and axis, whether it may be posed by hand, "
        "limits of the axis in IK or None, stretch, its start"
    )
    rows = [
        _joint_row(joint, bones[joint.channels[0].bone], start.get(joint.joint.name, 0.0))
        for joint in plan.joints
    ]
    return table("JOINTS", head, rows)


def _joint_row(joint: JointPlan, bone: BonePlan, position: float) -> str:
    channel = joint.channels[0]
    limits = bone.ik_limits[channel.index]
    return (
        f"{text(bone.name)}, {text(channel.property)}, {channel.index}, {bool(bone.free)}, "
        f"{None if limits is None else vector(limits)}, {single(bone.ik_stretch)}, "
        f"{single(joint.sign * position)}"
    )


def _write_followers(plan: RigPlan) -> str:
    by_name = {joint.joint.name: joint for joint in plan.joints}
    rows = [_follower_row(joint, by_name[joint.mimics]) for joint in plan.joints if joint.mimics]
    head = "bone, the bone that it follows, position = factor * the other's position + offset"
    return table("FOLLOWERS", head, rows)


def _follower_row(follower: JointPlan, source: JointPlan) -> str:
    mimic = follower.joint.mimic
    assert mimic is not None
    factor = follower.sign * source.sign * mimic.multiplier
    bones = f"{text(follower.channels[0].bone)}, {text(source.channels[0].bone)}"
    return f"{bones}, {float(factor)!r}, {float(follower.sign * mimic.offset)!r}"


def _write_links(plan: RigPlan) -> str:
    rows = [
        f"{text(link.link.name)}, {text(link.bone)}, {place(link.rest)}, {single(mass_of(link))}"
        for link in plan.links
    ]
    head = (
        "link, the bone that moves it, location and rotation (w, x, y, z) at rest in the root "
        "link, kilograms"
    )
    return table("LINKS", head, rows)


_JOINT_STATES = "joint_states"
"""A component that every robot of a script has."""

_HEAD = (
    "name, component, the link that carries it, location and rotation in the link (MORSE's "
    "components look along X, Z is up), hertz or None, properties"
)


def name_sensors(
    sensors: Sequence[SensorSuggestion], armatures: Sequence[str] = ()
) -> tuple[str, ...]:
    """Gives the sensors their names in the script, in their order and apart from the `armatures`:
    MORSE does not allow dots."""
    names = Claims()
    for name in (*armatures, _JOINT_STATES):
        names.claim(name)
    return tuple(names.claim(make_identifier(sensor.name)) for sensor in sensors)


def write_sensors(sensors: Sequence[SensorSuggestion], armatures: Sequence[str] = ()) -> str:
    """Writes the table SENSORS, under comments with notes about them."""
    names = name_sensors(sensors, armatures)
    rows = [_row(name, sensor) for name, sensor in zip(names, sensors, strict=True)]
    who_is: dict[str, list[str]] = {}
    for name, sensor in zip(names, sensors, strict=True):
        for note in _notes(sensor):
            who_is.setdefault(note, []).append(name)
    notes = [comment(f"{', '.join(who)}: {note}") for note, who in who_is.items()]
    return "".join(notes) + table("SENSORS", _HEAD, rows)


def _notes(sensor: SensorSuggestion) -> list[str]:
    topic = [f"published as {sensor.topic}"] if sensor.topic else []
    return [*topic, *sensor.notes]


def _row(name: str, sensor: SensorSuggestion) -> str:
    properties = ", ".join(f"{text(key)}: {_value(value)}" for key, value in sensor.properties)
    return (
        f"{text(name)}, {sensor.component}, {text(sensor.link)}, {place(sensor.frame)}, "
        f"{_hertz(sensor.frequency)}, {{{properties}}}"
    )


def _value(value: bool | int | float | str) -> str:
    """Writes a value, also a number of numpy's, whose own text Python would not read."""
    if isinstance(value, bool | str):
        return ascii(value)
    return str(int(value)) if isinstance(value, int) else single(float(value))


def _hertz(frequency: float) -> str:
    """Writes a frequency. The game engine counts whole frames, so MORSE takes whole numbers; below
    one, where frame rates play no part, it takes others too."""
    if frequency <= 0.0:
        return "None"
    return str(round(frequency)) if frequency >= 1.0 else single(frequency)
