# SPDX-License-Identifier: GPL-3.0-or-later
"""Bone names that Blender keeps as they are."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..diagnostics import Diagnostics, KinematicsError, quote
from ..geometry.transforms import Matrix
from ..kinematics.forward import zero_frames
from ..kinematics.tree import KinematicTree, plan_tree
from ..model import Robot
from ..options import ImportOptions
from .bones import BoneShape, exact_axes, measure_robot, shape_bones
from .channels import free_channels, plan_joints, rotation_mode
from .followers import plan_mechanism, plan_mimic_drivers
from .limit_marks import plan_limit_marks
from .limits import needs_limit_bone, plan_ik_limits, plan_limit_bone, plan_limits
from .looks import fixed_look, joint_look, measure_joints
from .rig_plan import (
    FIXED,
    JOINTS,
    BoneLook,
    BonePlan,
    ConstraintPlan,
    DriverPlan,
    JointPlan,
    LimitMarkPlan,
    LinkPlan,
    RigPlan,
)
from .rounding import refine_folded, round_bones
from .single_axis import free_one_axis, hold_joints, settle_options
from .skeleton import BoneSeed, Skeleton, group_joints, plan_skeleton

BONE_NAME_BYTES = 63
"""Blender cuts bone names here, in every version, and numbers what clashes: nothing can be found
again by a name that Blender made. Full names stay in the rig's properties."""


class NameTable:
    """Gives out names of at most 63 bytes of UTF-8, each once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def claim(self, wanted: str) -> str:
        """`wanted` itself if it is free and fits, else shortened and numbered (.001)."""
        name = _cut(wanted, BONE_NAME_BYTES) or "joint"
        stem = name
        while name in self._taken:
            number = self._next.get(stem, 1)
            self._next[stem] = number + 1
            suffix = f".{number:03d}"
            name = _cut(stem, BONE_NAME_BYTES - len(suffix)) + suffix
        self._taken.add(name)
        return name


def _cut(name: str, size: int) -> str:
    """At most `size` bytes, cut between characters."""
    return name.encode("utf-8", "replace")[:size].decode("utf-8", "ignore")


MOST_DISTANT = 1e6
"""Metres from the origin beyond which single precision is too coarse for any robot."""


def plan_rig(
    robot: Robot, options: ImportOptions | None = None, diagnostics: Diagnostics | None = None
) -> RigPlan:
    """What Blender shall contain for this robot.

    Raises KinematicsError where no robot can be made: no links, no root, names twice, too many
    links for `options.max_links`, links absurdly far away.
    """
    options = settle_options(options or ImportOptions())
    diagnostics = diagnostics if diagnostics is not None else Diagnostics(robot.source)
    _check_size(robot, options)
    described = plan_tree(robot, diagnostics)
    tree = hold_joints(described, diagnostics) if options.profile == "morse" else described
    frames = _check_frames(tree, zero_frames(tree))
    bones = options.fixed_joints == "bones"
    groups = group_joints(tree, frames, combine=options.combine_joints, through_fixed=not bones)
    skeleton = plan_skeleton(tree, groups, fixed_bones=bones)
    size = measure_robot(tree, frames)
    shapes = shape_bones(tree, frames, skeleton, size)
    rig = _Rig(
        tree=tree,
        skeleton=skeleton,
        options=options,
        diagnostics=diagnostics,
        size=size,
        radii=measure_joints(tree, skeleton, shapes, size).tolist(),
    )
    rig.plan_bones(_round(skeleton, shapes))
    return RigPlan(
        robot=robot,
        tree=described,
        size=size,
        bones=tuple(rig.bones),
        joints=tuple(rig.joints),
        links=rig.plan_links(frames),
        constraints=tuple(rig.constraints),
        drivers=tuple(rig.plan_drivers()),
        bone_of_joint=rig.bone_of_joint,
        cut_joints=tree.cut_joints,
        limit_marks=rig.plan_limit_marks(frames) if options.limit_arcs else (),
    )


def _check_size(robot: Robot, options: ImportOptions) -> None:
    if len(robot.links) > options.max_links:
        raise KinematicsError(
            f"the robot has {len(robot.links)} links, more than the {options.max_links} that the "
            "option max_links allows",
            source=robot.source,
        )


def _check_frames(tree: KinematicTree, frames: Matrix) -> Matrix:
    far = np.abs(frames[:, :3, 3]).max(axis=1)
    worst = int(np.argmax(far))
    if not far[worst] <= MOST_DISTANT:
        motion = tree.motions[worst]
        raise KinematicsError(
            f"link {quote(tree.links[worst].name)} is {far[worst]:g} m away from the origin, "
            f"too far for Blender's single precision (at most {MOST_DISTANT:g} m)",
            source=tree.robot.source,
            line=motion.joint.line if motion is not None else 0,
        )
    return frames


def _round(skeleton: Skeleton, shapes: Sequence[BoneShape]) -> list[BoneShape]:
    if not shapes:
        return []
    heads = np.array([shape.head for shape in shapes])
    free_turn = np.array([exact_axes(seed) != "xyz" for seed in skeleton.seeds])
    axes, lengths = round_bones(
        heads,
        np.array([shape.axes for shape in shapes]),
        np.array([shape.length for shape in shapes]),
        free_turn,
    )
    parents = np.array([seed.parent for seed in skeleton.seeds])
    refine_folded(heads, axes, lengths, free_turn, parents)
    return [
        BoneShape(head=shape.head, axes=axes[i], length=float(lengths[i]), slots=shape.slots)
        for i, shape in enumerate(shapes)
    ]


@dataclass
class _Rig:
    """The plan while it grows, bone by bone."""

    tree: KinematicTree
    skeleton: Skeleton
    options: ImportOptions
    diagnostics: Diagnostics
    size: float
    radii: list[float]
    bones: list[BonePlan] = field(default_factory=list)
    joints: list[JointPlan] = field(default_factory=list)
    constraints: list[ConstraintPlan] = field(default_factory=list)
    drivers: list[DriverPlan] = field(default_factory=list)
    bone_of_joint: dict[str, str] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    between: dict[tuple[int, int], str] = field(default_factory=dict)

    def plan_bones(self, shapes: Sequence[BoneShape]) -> None:
        table = NameTable()
        self.names = [table.claim(self._wanted_name(seed)) for seed in self.skeleton.seeds]
        for index, (seed, shape) in enumerate(zip(self.skeleton.seeds, shapes, strict=True)):
            if seed.group is None:
                self._add_fixed(index, seed, shape)
            else:
                self._add_moving(index, seed, shape, table)

    def plan_links(self, frames: Matrix) -> tuple[LinkPlan, ...]:
        return tuple(
            LinkPlan(
                link=link,
                rest=frame,
                bone=self.between.get(carrier, self.names[carrier[0]] if carrier[0] >= 0 else ""),
                joint=None if motion is None else motion.joint,
                undefined=link.name in self.tree.undefined,
            )
            for link, frame, carrier, motion in zip(
                self.tree.links, frames, self.skeleton.carriers, self.tree.motions, strict=True
            )
        )

    def plan_drivers(self) -> list[DriverPlan]:
        """All drivers; to be called when all bones are there."""
        enforce = self.options.enforce_limits
        return self.drivers + plan_mimic_drivers(self.joints, self.bones, enforce_limits=enforce)

    def plan_limit_marks(self, frames: Matrix) -> tuple[LimitMarkPlan, ...]:
        rests = {bone.name: bone.rest for bone in self.bones}
        radii = dict(zip(self.names, self.radii, strict=True))
        links = {link.name: frame for link, frame in zip(self.tree.links, frames, strict=True)}
        return plan_limit_marks(self.joints, rests, radii, links)

    def _wanted_name(self, seed: BoneSeed) -> str:
        if seed.group is not None:
            return ">".join(motion.joint.name for motion in seed.group.motions)
        motion = self.tree.motions[seed.link]
        return motion.joint.name if motion is not None else ""

    def _parent(self, seed: BoneSeed) -> str:
        return self.names[seed.parent] if seed.parent >= 0 else ""

    def _add_fixed(self, index: int, seed: BoneSeed, shape: BoneShape) -> None:
        motion = self.tree.motions[seed.link]
        assert motion is not None
        self.bone_of_joint[motion.joint.name] = self.names[index]
        self.bones.append(
            BonePlan(
                name=self.names[index],
                parent=self._parent(seed),
                rest=_rest(shape),
                length=shape.length,
                collection=FIXED,
                look=fixed_look(self.radii[index]) if self.options.bone_shapes else None,
            )
        )

    def _add_moving(self, index: int, seed: BoneSeed, shape: BoneShape, table: NameTable) -> None:
        assert seed.group is not None
        enforce = self.options.enforce_limits
        joints = plan_joints(seed.group, shape, self.names[index], self.diagnostics)
        free = free_channels(joints, enforce_limits=enforce)
        bone = BonePlan(
            name=self.names[index],
            parent=self._parent(seed),
            rest=_rest(shape),
            length=shape.length,
            collection=JOINTS,
            rotation_mode=rotation_mode(joints),
            free=free,
            turns=tuple(i for prop, i in free if prop == "rotation_euler"),
            ik_limits=plan_ik_limits(joints),
            exact=exact_axes(seed),
            look=self._look(index, seed, joints),
        )
        if self.options.profile == "morse":
            bone = free_one_axis(bone, joints[0])
        self.bones.append(bone)
        self.joints += joints
        self.bone_of_joint.update({joint.joint.name: bone.name for joint in joints})
        if enforce:
            self._add_limits(bone, joints, table)
        self._add_mechanism(index, bone, joints, table)

    def _look(self, index: int, seed: BoneSeed, joints: list[JointPlan]) -> BoneLook | None:
        if not self.options.bone_shapes:
            return None
        return joint_look(joints, self.radii[index], self.size, root=seed.parent < 0)

    def _add_limits(self, bone: BonePlan, joints: list[JointPlan], table: NameTable) -> None:
        if not needs_limit_bone(joints):
            self.constraints += plan_limits(bone, joints)
            return
        limit_bone, constraints, drivers = plan_limit_bone(
            bone, joints, table.claim(f"LIM-{bone.name}")
        )
        self.bones.append(limit_bone)
        self.constraints += constraints
        self.drivers += drivers

    def _add_mechanism(
        self, index: int, bone: BonePlan, joints: list[JointPlan], table: NameTable
    ) -> None:
        names = [table.claim(f"MCH-{joint.joint.name}") for joint in joints[:-1]]
        self.between.update({(index, place): name for place, name in enumerate(names, start=1)})
        bones, copies, drivers = plan_mechanism(
            bone, joints, names, enforce_limits=self.options.enforce_limits
        )
        self.bones += bones
        self.constraints += copies
        self.drivers += drivers


def _rest(shape: BoneShape) -> Matrix:
    rest = np.eye(4)
    rest[:3, :3] = shape.axes
    rest[:3, 3] = shape.head
    return rest
