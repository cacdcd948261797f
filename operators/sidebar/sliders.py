# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of pose bones that read and write a joint's position: the panel's sliders.

A bone's own channels know no range that fits the joint, nor its direction. So each distinct range
gets a property before the channel: it stores nothing in the file, cannot be animated (the channel
can), and is taken out with the extension. Properties cannot be added while a panel is drawn: a
timer adds missing ones and draws again.

Every pose bone of every robot has all of these properties, and of an overridden robot Blender
compares all of them with the library's, keeps differences in the file, and sets them again when the
file is opened. So a property is silent on bones of other joints: else the ranges of one robot would
bound the joints of another.
"""

import math
from collections.abc import Iterable
from ctypes import c_float
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import bpy

from ...urdf_importer.core.blender.loop_hand import move_joint
from ...urdf_importer.core.blender.standing.joints import JointChannel, read_joints
from ..active_robot import redraw_views
from ..registration import add_property, call_later
from ..session import session_state

_FREE_SLIDE = 1.0
"""Range (metres) of the slider of a joint without bounds; numbers beyond it can be typed."""

_SHORT = 0.25
"""Metres: a joint that slides no further is set in millimetres."""

_LEAST = 1e-6
"""Radians or metres; less is shown as zero."""

_Key = tuple[JointChannel, bool]
"""A channel, and whether its slider counts in millimetres."""


@dataclass(slots=True)
class _Sliders:
    """The names of properties added to Blender, and of the ones still wanted."""

    made: dict[_Key, str] = field(default_factory=dict)
    wanted: set[_Key] = field(default_factory=set)


def counts_millimetres(channel: JointChannel, scene: Any) -> bool:
    """Whether a slider shows millimetres: of short travels, in scenes whose lengths are shown in
    metres as Blender has it. Scenes of other units show theirs."""
    units = scene.unit_settings
    if channel.turns or channel.lower is None or channel.upper is None:
        return False
    plain = units.system == "METRIC" and units.length_unit == "METERS" and units.scale_length == 1.0
    return plain and max(abs(channel.lower), abs(channel.upper)) <= _SHORT


def find_slider(channel: JointChannel, *, millimetres: bool = False) -> str | None:
    """Finds the pose bone's property for a channel; None while there is none yet, and then it is
    made soon. For draw()."""
    sliders = session_state(_Sliders)
    found = sliders.made.get((channel, millimetres))
    if found is None:
        sliders.wanted.add((channel, millimetres))
        call_later(_make_wanted)
    return found


def _make_wanted() -> None:
    wanted = session_state(_Sliders).wanted
    _make(wanted)
    wanted.clear()
    redraw_views()


def _make(keys: Iterable[_Key]) -> None:
    made = session_state(_Sliders).made
    for key in keys:
        if key not in made:
            name = f"urdf_{blake2b(repr(key).encode(), digest_size=8).hexdigest()}"
            add_property(bpy.types.PoseBone, name, _property(*key))
            made[key] = name


def _property(channel: JointChannel, millimetres: bool) -> Any:
    lower, upper = _soft_range(channel)
    factor = 1000.0 if millimetres else 1.0

    def get(pose_bone: Any) -> float:
        position = channel.get(pose_bone)
        # Followers come near zero, which Blender would write as -0.000001.
        shown = abs(position) > _LEAST and _is_of(pose_bone, channel)
        return factor * position if shown else 0.0

    def set_to(pose_bone: Any, position: float) -> None:
        # An override that is put back reports the channel's value by then: no second key, no bound.
        if _is_of(pose_bone, channel) and c_float(position).value != c_float(get(pose_bone)).value:
            move_joint(pose_bone, channel, position / factor)

    unit = "radians" if channel.turns else "millimetres" if millimetres else "metres"
    return bpy.props.FloatProperty(
        name=channel.label or "Joint Position",
        description=f"Position of this joint: {_describe_range(channel)}. "
        f"Scripts give and get {unit}. Set keyframes by the diamond beside it",
        get=get,
        set=set_to,
        soft_min=factor * lower,
        soft_max=factor * upper,
        subtype="ANGLE" if channel.turns else "NONE" if millimetres else "DISTANCE",
        step=100 if channel.turns or millimetres else 1,
        precision=2 if millimetres else 4,
        options=set(),
        # Linked characters are animated through overrides; without this their sliders are grey.
        override={"LIBRARY_OVERRIDABLE"},
    )


def _is_of(pose_bone: Any, channel: JointChannel) -> bool:
    """Whether a channel belongs to a bone's joints, not to a number with other limits."""
    return any(channel in joint.channels for joint in read_joints(pose_bone.bone))


def _soft_range(channel: JointChannel) -> tuple[float, float]:
    free = math.pi if channel.turns else _FREE_SLIDE
    lower = channel.lower if channel.lower is not None else min(-free, (channel.upper or 0) - free)
    upper = channel.upper if channel.upper is not None else max(free, (channel.lower or 0) + free)
    return lower, upper


def _describe_range(channel: JointChannel) -> str:
    if channel.lower is None and channel.upper is None:
        return "it has no limits"
    ends = [_show(channel, bound) for bound in (channel.lower, channel.upper)]
    return f"from {ends[0]} to {ends[1]} while limits are enforced"


def _show(channel: JointChannel, bound: float | None) -> str:
    if bound is None:
        return "anywhere"
    return f"{math.degrees(bound):.4g}°" if channel.turns else f"{bound:.4g} m"
