# SPDX-License-Identifier: GPL-3.0-or-later
"""A group of a robot's joints gets an armature object of its own.

A bone's parent is always in the same armature, so splitting makes a tree of armature objects, each
on a bone of the one before it. Bones beyond the group cannot stay either: they go to armatures of
their own, one for each bone of the group that carries some. Such an implied armature is called
`beyond_<joint>`, after the bone's joint, with _2, _3 at the end if the robot already has one with
this name. A later split that would leave nothing in an implied armature makes it the group's. An
armature that a user asked for keeps its first joint for good.

Everything moves exactly as before. The new armatures are first built whole beside the old one; then
the bones, and everything that belongs to them, change over.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from urdf_importer.core.blender.build.armature import build_bones, rest_matrices
from urdf_importer.core.blender.build.links import place
from urdf_importer.core.blender.extract.robot import extract_robot
from urdf_importer.core.blender.ledger import Ledger
from urdf_importer.core.blender.modes import edit_bones_of, reachable, selection_kept
from urdf_importer.core.blender.standing import properties
from urdf_importer.core.blender.standing.armatures import (
    armatures_by_name,
    find_main,
    frames_at_rest,
    held_frame,
    name_armature,
)
from urdf_importer.core.blender.standing.joints import RigJoint, read_joints
from urdf_importer.core.blender.standing.rests import read_bone_rest, write_bone_rest
from urdf_importer.core.diagnostics import BuildError, quote
from urdf_importer.core.geometry.transforms import Matrix, unit
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.core.rig.rig_plan import JOINTS, BonePlan

from .frames import (
    JointLine,
    frame_armature,
    locate_joints,
    round_into,
    sharpen_rest,
)
from .plan import PartPlan, SplitPlan, plan_split
from .reparent import (
    check_followers,
    copy_bone,
    copy_drivers,
    move_children,
    parent_to,
    redirect,
    remove_drivers,
)

_DISPLAY = ("show_in_front", "hide_viewport", "hide_render", "hide_select")
_BONE_DISPLAY = ("display_type", "show_axes", "show_names", "show_bone_colors")


def split_armature(armature: Any, name: str, joints: Iterable[str]) -> Any:
    """Gives joints of an imported robot an armature object of their own; returns it.

    `armature` is any armature of the robot, with bones of one joint each, as the rig profile
    `morse` makes them. `joints` are names of connected joints in one armature; fixed ones among
    them have no bone and are passed over. The new object is called `name` (Blender numbers it if
    the file has an object of this name) and is parented to the bone above the group, or to the
    armature object if there is none. Its origin is the origin of the group's first joint; its axes
    are the robot's root frame's, turned as little as possible so that Z is the joint's axis if that
    joint slides.

    Raises KinematicsError for joints that are not such a group; BuildError for a rig that cannot be
    split (not imported, animated, from another file) and for a name that the robot already has.
    Nothing is changed then.
    """
    main = find_main(armature)
    if main is None:
        raise BuildError(f"object {quote(armature.name)} is not an imported robot")
    plan = plan_split(main, name, list(dict.fromkeys(joints)))
    check_followers(main, plan)
    with selection_kept(main):
        bpy.context.view_layer.update()
        builder = _Builder.of(main, plan)
        _change_over(main, plan, builder.build(plan), builder.frames)
    return armatures_by_name(main)[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Builder:
    """Makes armatures of bones of `old`. In the robot's root frame, with all joints at zero:
    `frames` of its armatures; by bones that go, `rests` of them and `lines` of their joints."""

    main: Any
    old: Any
    frames: dict[Any, Matrix]
    rests: dict[str, Matrix]
    lines: dict[str, JointLine]

    @classmethod
    def of(cls, main: Any, plan: SplitPlan) -> "_Builder":
        frames = frames_at_rest(main)
        located = locate_joints(retrace_tree(extract_robot(main)))
        made = rest_matrices(plan.old)
        rests, lines = {}, {}
        for name in (name for part in plan.parts for name in part.bones):
            (joint,) = read_joints(plan.old.data.bones[name])
            rest = frames[plan.old] @ made[name]
            lines[name] = located.get(joint.name) or _read_line(rest, joint)
            rests[name] = sharpen_rest(rest, lines[name], joint.sign)
        return cls(main=main, old=plan.old, frames=frames, rests=rests, lines=lines)

    def build(self, plan: SplitPlan) -> list[Any]:
        """Builds the armatures of the parts, in their order; `old` stays unchanged. On an exception
        none of them is left."""
        ledger = Ledger()
        made: list[Any] = []
        try:
            for part in plan.parts:
                group = self.old if plan.group is None else next(iter(made), None)
                made.append(self._build_part(part, part.carrier or group, ledger))
                _describe(made[-1], self.main, part.name, implied=part.carrier is None)
        except BaseException:
            ledger.remove_all()
            raise
        return made

    def _build_part(self, part: PartPlan, carrier: Any, ledger: Ledger) -> Any:
        made = self._build_object(part.name, ledger)
        parent_to(made, carrier, part.bone)
        held = held_frame(self.frames[carrier], carrier, part.bone)
        first = part.bones[0]
        place(made, np.linalg.inv(held) @ frame_armature(self.rests[first], self.lines[first]))
        # In single precision, as Blender holds it: its bones make up for the error.
        self.frames[made] = held @ np.array(made.matrix_basis)
        bones = round_into(self.frames[made], self._plan_bones(part))
        with reachable(made):
            build_bones(made, bones)
        for bone in bones:
            copy_bone(self.old.pose.bones[bone.name], made.pose.bones[bone.name])
            self._note_rest(made, bone.name)
        copy_drivers(self.old, made)
        return made

    def _note_rest(self, made: Any, name: str) -> None:
        """Notes where a bone would rest had the user not moved it: the split has turned it."""
        before = self.frames[self.old] @ np.array(self.old.data.bones[name].matrix_local)
        after = self.frames[made] @ np.array(made.data.bones[name].matrix_local)
        kept = read_bone_rest(made.data.bones[name])
        if kept is not None:
            moved = before @ np.linalg.inv(kept[0])
            rest = after if np.array_equal(before, kept[0]) else np.linalg.inv(moved) @ after
            write_bone_rest(made.data.bones[name], rest, kept[1])

    def _build_object(self, name: str, ledger: Ledger) -> Any:
        made = ledger.new_object(name, ledger.new_armature(name))
        for setting in _DISPLAY:
            setattr(made, setting, getattr(self.old, setting))
        for setting in _BONE_DISPLAY:
            setattr(made.data, setting, getattr(self.old.data, setting))
        for collection in self.old.users_collection:
            collection.objects.link(made)
        if self.old.hide_get():
            made.hide_set(True)
        return made

    def _plan_bones(self, part: PartPlan) -> list[BonePlan]:
        """Plans the existing bones, in the robot's root frame."""
        own = set(part.bones)
        bones = [self.old.data.bones[name] for name in part.bones]
        return [
            BonePlan(
                name=bone.name,
                parent=bone.parent.name if bone.parent and bone.parent.name in own else "",
                rest=self.rests[bone.name],
                length=bone.length,
                collection=JOINTS,
                exact="x",
            )
            for bone in bones
        ]


def _read_line(rest: Matrix, joint: RigJoint) -> JointLine:
    """Reads a joint's line from its bone, for a joint whose link was deleted."""
    axis = joint.sign * unit(rest[:3, 0])
    return JointLine(origin=rest[:3, 3], axis=axis, slides=joint.kind == "prismatic")


def _change_over(main: Any, plan: SplitPlan, made: list[Any], frames: Mapping[Any, Matrix]) -> None:
    """Moves everything that belongs to the bones to the new armatures, and removes the old
    bones."""
    old = plan.old
    homes = {
        bone: armature
        for part, armature in zip(plan.parts, made, strict=True)
        for bone in part.bones
    }
    move_children(old, homes, frames)
    remove_drivers(old, homes)
    redirect(old, homes)
    if homes:
        with reachable(old), edit_bones_of(old) as edit_bones:
            for bone in homes:
                edit_bones.remove(edit_bones[bone])
    names = [*main.get(properties.ARMATURES, ()), *(part.name for part in plan.parts)]
    if plan.group is None:
        names[names.index(name_armature(old))] = plan.name
        _describe(old, main, plan.name, implied=False)
        old.name = old.data.name = plan.name
    main[properties.ARMATURES] = names


def _describe(armature: Any, main: Any, name: str, *, implied: bool) -> None:
    armature[properties.ARMATURE] = {"name": name, "robot": main, "implied": implied}
