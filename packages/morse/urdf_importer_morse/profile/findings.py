# SPDX-License-Identifier: GPL-3.0-or-later
"""MORSE's Armature actuator's view of bones, and where it differs from the robot.

An error is about bones that cannot be driven or end the actuator, a warning about bones that it
drives differently. Any bones will do; bones that name the joint they hold are compared with that
joint.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from urdf_importer.core.diagnostics import Diagnostics, quote
from urdf_importer.core.geometry.transforms import Matrix
from urdf_importer.core.kinematics.motion import JointMotion
from urdf_importer.core.kinematics.tree import KinematicTree
from urdf_importer.core.model import Mimic
from urdf_importer.core.rig.rig_plan import Property
from urdf_importer.core.rig.single_axis import find_joints_to_hold, report_held

_SAME = 1e-5
"""Limits (radians, metres), heights (metres) and parts of unit vectors this near are equal:
Blender's numbers have single precision."""

_SPLIT_OFF = "give it an armature of its own at the joint with Z along it"
_IMPORT_AGAIN = "import the robot with the rig profile 'morse'"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldJoint:
    """A joint that a rig names on one of its bones: `channels` are (property, axis), `lower` and
    `upper` its limits, None if there are none; `mimics` names the joint that it follows."""

    name: str
    channels: tuple[tuple[Property, int], ...]
    lower: float | None = None
    upper: float | None = None
    mimics: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoneState:
    """A bone as MORSE finds it. `rest` (4, 4) is in armature space, X, Y, Z as columns; `free` are
    the axes that IK may use; `ik_limits` (radians) the limits of X, Y, Z, switched on or not.
    `joints` are the bone's joints, as far as known."""

    name: str
    parent: str
    rest: Matrix
    free: tuple[int, ...]
    ik_limits: tuple[tuple[float, float], ...]
    ik_stretch: float
    is_connected: bool = False
    is_driven: bool = False
    joints: tuple[HeldJoint, ...] = ()

    @property
    def slides(self) -> bool:
        return self.ik_stretch != 0.0

    @property
    def subject(self) -> str:
        return self.joints[0].name if len(self.joints) == 1 else self.name

    def __str__(self) -> str:
        return f"{'joint' if len(self.joints) == 1 else 'bone'} {quote(self.subject)}"


def judge_bones(
    bones: Sequence[BoneState], mimics: Mapping[str, Mimic], diagnostics: Diagnostics
) -> None:
    """Reports the bones that MORSE cannot drive, or drives differently. `mimics`: follower -> how
    it follows, as far as that is known."""
    by_name = {bone.name: bone for bone in bones}
    if not bones:
        _report_no_bones(diagnostics)
    for bone in bones:
        freedoms = max(len(bone.free), sum(len(joint.channels) for joint in bone.joints))
        if not bone.free:
            _report_no_axis(bone, diagnostics)
        elif freedoms > 1:
            _report_several_axes(bone, freedoms, diagnostics)
        else:
            _judge_joint(bone, mimics, diagnostics)
            if bone.slides:
                _judge_reading(bone, by_name, diagnostics)


def judge_joints(tree: KinematicTree, has_bone: Collection[str], diagnostics: Diagnostics) -> None:
    """Reports joints of the description that move and have no bone: MORSE does not know them."""
    held = find_joints_to_hold(tree)
    for index, motion in enumerate(tree.motions):
        if motion is None or not motion.moves or motion.joint.name in has_bone:
            continue
        if index in held:
            report_held(motion, diagnostics, is_base=held[index][1])
        else:
            _report_no_bone(motion, diagnostics)


def _report_no_bones(diagnostics: Diagnostics) -> None:
    diagnostics.error(
        "morse-no-bones",
        "the armature has no bones, which ends MORSE's Armature actuator with an exception; give "
        "it no such actuator",
        subject=diagnostics.source,
    )


def _report_no_bone(motion: JointMotion, diagnostics: Diagnostics) -> None:
    diagnostics.error(
        "morse-no-bone",
        f"joint {quote(motion.joint.name)} has no bone, so MORSE cannot drive it; {_IMPORT_AGAIN}",
        subject=motion.joint.name,
    )


def _report_no_axis(bone: BoneState, diagnostics: Diagnostics) -> None:
    diagnostics.error(
        "morse-no-free-axis",
        f"{bone} has no free IK axis, which ends MORSE's Armature actuator with "
        f"an exception; unlock the axis of its joint, or {_IMPORT_AGAIN}",
        subject=bone.subject,
    )


def _report_several_axes(bone: BoneState, freedoms: int, diagnostics: Diagnostics) -> None:
    diagnostics.error(
        "morse-several-axes",
        f"{bone} has {freedoms} degrees of freedom, and MORSE drives only one (IK "
        f"axis {'XYZ'[bone.free[0]]}); lock the others, or {_IMPORT_AGAIN}",
        subject=bone.subject,
    )


def _judge_joint(bone: BoneState, mimics: Mapping[str, Mimic], diagnostics: Diagnostics) -> None:
    """Judges a bone of one axis, against the joint that it holds if that is known."""
    if not bone.joints:
        _judge_range(bone, diagnostics)
        _judge_follower(bone, None, diagnostics)
        return
    joint = bone.joints[0]
    if joint.name != bone.name:
        diagnostics.warning(
            "morse-joint-renamed",
            f"{bone} has a bone of another name, which MORSE calls it by; call it "
            f"{quote(bone.name)} there",
            subject=bone.subject,
        )
    if joint.channels[0] != (_moved(bone), bone.free[0]):
        _report_wrong_axis(bone, joint, diagnostics)
    else:
        _judge_limits(bone, joint, diagnostics)
    _judge_follower(bone, mimics.get(joint.name), diagnostics)


def _moved(bone: BoneState) -> Property:
    return "location" if bone.slides else "rotation_euler"


def _report_wrong_axis(bone: BoneState, joint: HeldJoint, diagnostics: Diagnostics) -> None:
    words = {"location": "slides along", "rotation_euler": "turns about"}
    prop, axis = joint.channels[0]
    diagnostics.error(
        "morse-wrong-axis",
        f"{bone} {words[prop]} bone {'XYZ'[axis]}, but in MORSE it "
        f"{words[_moved(bone)]} {'XYZ'[bone.free[0]]}; unlock this IK axis alone, "
        "and give sliding bones, and only these, an IK stretch",
        subject=bone.subject,
    )


def _judge_limits(bone: BoneState, joint: HeldJoint, diagnostics: Diagnostics) -> None:
    """Judges the limits that MORSE reads: its services keep to them; streamed positions do not."""
    lower = -math.inf if joint.lower is None else joint.lower
    upper = math.inf if joint.upper is None else joint.upper
    if bone.slides:
        code, moves, given = "morse-prismatic-limits", "slides", (0.0, bone.ik_stretch)
    else:
        code, moves, given = "morse-revolute-limits", "turns", bone.ik_limits[bone.free[0]]
    if abs(given[0] - lower) <= _SAME and abs(given[1] - upper) <= _SAME:
        return
    if math.isinf(lower) and math.isinf(upper):
        own, hint = "without bound", "send it positions within these"
    else:
        own, hint = f"from {lower:g} to {upper:g}", "send it positions within both"
    if max(lower, given[0]) > min(upper, given[1]):
        hint = "stream its positions, which MORSE's services cannot reach"
    diagnostics.warning(
        code,
        f"{bone} {moves} {own}, in MORSE from {given[0]:g} to {given[1]:g}; {hint}",
        subject=bone.subject,
    )


def _judge_range(bone: BoneState, diagnostics: Diagnostics) -> None:
    if not bone.slides and bone.ik_limits[bone.free[0]] == (0.0, 0.0):
        diagnostics.warning(
            "morse-no-range",
            f"{bone} has IK limits of 0 to 0, within which MORSE holds it even where they are "
            "switched off; set them to its range",
            subject=bone.subject,
        )


def _judge_follower(bone: BoneState, mimic: Mimic | None, diagnostics: Diagnostics) -> None:
    follows = bone.joints[0].mimics if bone.joints else ""
    if not follows and not bone.is_driven:
        return
    position = "positions of its own"
    if follows and mimic is not None:
        offset = f" {mimic.offset:+g}" if mimic.offset else ""
        position = f"{mimic.multiplier:g} times the position of {quote(follows)}{offset}"
    elif follows:
        position = f"the part that follows from {quote(follows)}"
    diagnostics.warning(
        "morse-follower",
        f"{bone} is moved by a driver, which MORSE's engine does not run; send it {position}",
        subject=bone.subject,
    )


def _judge_reading(
    bone: BoneState, by_name: Mapping[str, BoneState], diagnostics: Diagnostics
) -> None:
    """Judges how MORSE reads a sliding bone: it takes the height of the posed bone's head above the
    armature for the position, and slides the bone until that equals the requested one."""
    height, rise = float(bone.rest[2, 3]), float(bone.rest[2, bone.free[0]])
    lifted_by = [each.name for each in _walk_up(bone, by_name) if _changes_height(each)]
    if bone.is_connected or rise <= _SAME:
        _report_runaway(bone, diagnostics)
    elif lifted_by:
        _report_misread(bone, f", which {quote(lifted_by[-1])} changes too", diagnostics)
    elif abs(height) > _SAME or abs(rise - 1.0) > _SAME:
        factor = f"{rise:g} times " if abs(rise - 1.0) > _SAME else ""
        offset = f" {'plus' if height > 0 else 'minus'} {abs(height):g} m"
        read = f": {factor}its position{offset if abs(height) > _SAME else ''}"
        _report_misread(bone, read, diagnostics)


def _report_runaway(bone: BoneState, diagnostics: Diagnostics) -> None:
    if bone.is_connected:
        reason = f"is connected to bone {quote(bone.parent)} and cannot slide: MORSE moves it"
        remedy = "disconnect it"
    else:
        reason = "does not slide upwards: MORSE takes its height in the armature for its position "
        reason += "and moves it"
        remedy = _SPLIT_OFF
    diagnostics.error(
        "morse-prismatic-runaway",
        f"{bone} {reason} without end; {remedy}",
        subject=bone.subject,
    )


def _report_misread(bone: BoneState, read: str, diagnostics: Diagnostics) -> None:
    diagnostics.warning(
        "morse-prismatic-misread",
        f"MORSE takes the height of {bone} in the armature for its position{read}; {_SPLIT_OFF}, "
        "or stream that height",
        subject=bone.subject,
    )


def _walk_up(bone: BoneState, by_name: Mapping[str, BoneState]) -> Iterator[BoneState]:
    """Yields the bones above, nearest first."""
    while bone.parent in by_name:
        bone = by_name[bone.parent]
        yield bone


def _changes_height(bone: BoneState) -> bool:
    """Tells whether this bone, as MORSE moves it, lifts or tilts its children."""
    if not bone.free:
        return False
    x, y, z = bone.rest[:3, bone.free[0]]
    return bool((abs(z) if bone.slides else math.hypot(x, y)) > _SAME)
