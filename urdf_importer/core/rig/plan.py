# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot becomes a plan of its rig: the passes in their order."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from ..arguments import diagnostics_of, options_of, robot_of
from ..diagnostics import Diagnostics, KinematicsError, quote
from ..geometry.transforms import Matrix, make_frame
from ..kinematics.forward import joint_frames, zero_frames
from ..kinematics.loops.closings import Closing, closing_steps
from ..kinematics.motion import JointMotion
from ..kinematics.tree import KinematicTree, plan_tree
from ..model import Robot
from ..names import Claims
from ..options import ImportOptions
from ..progress import Budget, Progress, finish
from .bones import BoneShape, exact_axes, measure_robot, plan_joints, rotation_mode, shape_bones
from .followers import plan_mechanism, plan_mimic_drivers, plan_readings
from .limits import free_channels, needs_limit_bone, plan_ik_limits, plan_limit_bone, plan_limits
from .looks import fixed_look, joint_look, measure_joints, plan_limit_marks
from .loops import let_follow, list_leaders, order_angles, plan_loop_drivers
from .rig_plan import (
    FIXED,
    JOINTS,
    AnyDriverPlan,
    BonePlan,
    ConstraintPlan,
    DriverPlan,
    JointPlan,
    LimitMarkPlan,
    LinkPlan,
    RigPlan,
)
from .rounding import refine_folded, round_bones
from .single_axis import fit_options, free_one_axis, hold_joints
from .skeleton import BoneSeed, Skeleton, group_joints, plan_skeleton

BONE_NAME_BYTES = 63
"""Blender cuts bone names here, in every version, and numbers clashing ones: nothing can be found
again by a name that Blender made. Full names stay in the rig's properties."""


class NameTable:
    """Gives out names of at most 63 bytes of UTF-8, each once."""

    def __init__(self) -> None:
        self._claims = Claims(_number, first=1)

    def claim(self, wanted: str) -> str:
        """Returns `wanted` itself if it is free and fits, else shortened and numbered (.001)."""
        return self._claims.claim(_cut(wanted, BONE_NAME_BYTES) or "joint")


def _number(name: str, number: int) -> str:
    suffix = f".{number:03d}"
    return _cut(name, BONE_NAME_BYTES - len(suffix)) + suffix


def _cut(name: str, size: int) -> str:
    """At most `size` bytes, cut between characters."""
    return name.encode("utf-8", "replace")[:size].decode("utf-8", "ignore")


MOST_DISTANT = 1e6
"""Metres from the origin beyond which single precision is too coarse for any robot."""


def plan_rig(
    robot: Robot, *, options: ImportOptions | None = None, diagnostics: Diagnostics | None = None
) -> RigPlan:
    """Returns the plan of Blender's scene for this robot.

    Raises KinematicsError where no robot can be made: no links, no root, names twice, too many
    links for `options.max_links`, links absurdly far away.
    """
    return finish(plan_steps(robot, options, diagnostics))


def plan_steps(
    robot: Robot, options: ImportOptions | None = None, diagnostics: Diagnostics | None = None
) -> Generator[Progress, None, RigPlan]:
    """Does plan_rig in steps; closed loops need many."""
    robot = robot_of(robot)
    options = fit_options(options_of(options, ImportOptions))
    diagnostics = diagnostics_of(diagnostics, robot.source)
    _check_size(robot, options)
    described = plan_tree(robot, diagnostics)
    tree = hold_joints(described, diagnostics) if options.profile == "morse" else described
    closings: tuple[Closing, ...] = ()
    if _closes_loops(robot, options):
        closings = yield from closing_steps(tree, diagnostics, Budget(options.loop_seconds))
    tree = let_follow(tree, closings)
    frames = _check_frames(tree, zero_frames(tree))
    joints_at = joint_frames(tree, frames)
    fixed_bones = options.fixed_joints == "bones"
    groups = group_joints(
        tree, joints_at, combine=options.combine_joints, through_fixed=not fixed_bones
    )
    skeleton = plan_skeleton(tree, groups, fixed_bones=fixed_bones)
    size = measure_robot(tree, frames)
    shapes = shape_bones(tree, frames, joints_at, skeleton, size)
    radii = measure_joints(tree, skeleton, shapes, size).tolist()
    table = NameTable()
    names = [table.claim(_wanted_name(tree, seed)) for seed in skeleton.seeds]
    places = _place_bones(tree, skeleton, names, _round(skeleton, shapes), radii)
    parts = [_plan_part(place, options, size, table, diagnostics) for place in places]
    bones = tuple(bone for part in parts for bone in part.bones)
    joints = tuple(joint for part in parts for joint in part.joints)
    hidden, followers = _plan_followers(joints, bones, closings, options, table)
    return RigPlan(
        robot=robot,
        tree=described,
        size=size,
        bones=(*order_angles(bones, joints, closings), *hidden),
        joints=joints,
        links=_plan_links(tree, frames, skeleton, parts),
        constraints=tuple(each for part in parts for each in part.constraints),
        drivers=(*(each for part in parts for each in part.drivers), *followers),
        bone_of_joint={name: part.name for part in parts for name in part.held},
        cut_joints=tree.cut_joints,
        limit_marks=_plan_limit_marks(tree, joints_at, places, parts) if options.limit_arcs else (),
    )


def _plan_followers(
    joints: Sequence[JointPlan],
    bones: Sequence[BonePlan],
    closings: Sequence[Closing],
    options: ImportOptions,
    table: NameTable,
) -> tuple[list[BonePlan], list[AnyDriverPlan]]:
    """Returns the plans that move followers, of mimic joints and loops, and the hidden bones that
    they need."""
    moved = list_leaders(closings)
    leaders: dict[str, tuple[str, ...]] = {
        joint.joint.name: (joint.mimics,) for joint in joints if joint.mimics
    }
    enforce = options.enforce_limits
    readings = plan_readings(joints, bones, leaders | moved, enforce_limits=enforce)
    hidden, drivers = plan_loop_drivers(closings, joints, bones, readings, table.claim)
    return hidden, [*plan_mimic_drivers(joints, readings, moved), *drivers]


def _closes_loops(robot: Robot, options: ImportOptions) -> bool:
    """MORSE drives every joint by itself."""
    return bool(robot.loops) and options.close_loops and options.profile == "native"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A bone of the skeleton with its name, its parent's (empty for none), its rounded shape and
    the radius of its marks in metres. `fixed` is the joint of a fixed joint's bone."""

    name: str
    parent: str
    seed: BoneSeed
    shape: BoneShape
    radius: float
    fixed: JointMotion | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A bone of the skeleton, as a part of the rig.

    bones   the bone itself, then the hidden ones that it needs
    held    the names of the joints that it holds
    inner   the hidden bones of the links inside a zero-length chain, outermost first
    """

    name: str
    held: tuple[str, ...]
    bones: tuple[BonePlan, ...]
    joints: tuple[JointPlan, ...] = ()
    inner: tuple[str, ...] = ()
    constraints: tuple[ConstraintPlan, ...] = ()
    drivers: tuple[DriverPlan, ...] = ()

    def carrier(self, place: int) -> str:
        """Returns the bone that moves the links after the first `place` joints."""
        return self.inner[place - 1] if 0 < place <= len(self.inner) else self.name


def _wanted_name(tree: KinematicTree, seed: BoneSeed) -> str:
    if seed.group is not None:
        return ">".join(motion.joint.name for motion in seed.group.motions)
    motion = tree.motions[seed.link]
    return motion.joint.name if motion is not None else ""


def _place_bones(
    tree: KinematicTree,
    skeleton: Skeleton,
    names: Sequence[str],
    shapes: Sequence[BoneShape],
    radii: Sequence[float],
) -> list[_Place]:
    return [
        _Place(
            name=name,
            parent=names[seed.parent] if seed.parent >= 0 else "",
            seed=seed,
            shape=shape,
            radius=radius,
            fixed=tree.motions[seed.link] if seed.group is None else None,
        )
        for name, seed, shape, radius in zip(names, skeleton.seeds, shapes, radii, strict=True)
    ]


def _plan_part(
    place: _Place, options: ImportOptions, size: float, table: NameTable, diagnostics: Diagnostics
) -> _Part:
    """Plans the bone in its place, and the hidden bones that hold it within its joints' limits
    (LIM-) and carry the links inside its zero-length chain (MCH-). They get their names of
    `table`."""
    if place.fixed is not None:
        bone = _plan_fixed_bone(place, options)
        return _Part(name=place.name, held=(place.fixed.joint.name,), bones=(bone,))
    assert place.seed.group is not None
    joints = plan_joints(place.seed.group, place.shape, place.name, diagnostics)
    bone = _plan_moving_bone(place, joints, options, size)
    enforce = options.enforce_limits
    limit_bones, limits, limited = _plan_limits(bone, joints, table) if enforce else ((), (), ())
    inner = [table.claim(f"MCH-{joint.joint.name}") for joint in joints[:-1]]
    hidden, copies, copied = plan_mechanism(bone, joints, inner, enforce_limits=enforce)
    return _Part(
        name=bone.name,
        held=tuple(joint.joint.name for joint in joints),
        bones=(bone, *limit_bones, *hidden),
        joints=tuple(joints),
        inner=tuple(inner),
        constraints=(*limits, *copies),
        drivers=(*limited, *copied),
    )


def _plan_limits(
    bone: BonePlan, joints: Sequence[JointPlan], table: NameTable
) -> tuple[Sequence[BonePlan], Sequence[ConstraintPlan], Sequence[DriverPlan]]:
    """Returns the hidden bone, the constraints and the drivers that hold a bone within limits."""
    if not needs_limit_bone(joints):
        return (), plan_limits(bone, joints), ()
    limit_bone, constraints, drivers = plan_limit_bone(
        bone, joints, table.claim(f"LIM-{bone.name}")
    )
    return (limit_bone,), constraints, drivers


def _plan_fixed_bone(place: _Place, options: ImportOptions) -> BonePlan:
    return BonePlan(
        name=place.name,
        parent=place.parent,
        rest=make_frame(place.shape.axes, place.shape.head),
        length=place.shape.length,
        collection=FIXED,
        look=fixed_look(place.radius) if options.bone_shapes else None,
    )


def _plan_moving_bone(
    place: _Place, joints: Sequence[JointPlan], options: ImportOptions, size: float
) -> BonePlan:
    free = free_channels(joints, enforce_limits=options.enforce_limits)
    look = joint_look(joints, place.radius, size, root=place.seed.parent < 0)
    bone = BonePlan(
        name=place.name,
        parent=place.parent,
        rest=make_frame(place.shape.axes, place.shape.head),
        length=place.shape.length,
        collection=JOINTS,
        rotation_mode=rotation_mode(joints),
        free=free,
        turns=tuple(i for prop, i in free if prop == "rotation_euler"),
        ik_limits=plan_ik_limits(joints),
        exact=exact_axes(place.seed),
        look=look if options.bone_shapes else None,
    )
    return free_one_axis(bone, joints[0]) if options.profile == "morse" else bone


def _plan_links(
    tree: KinematicTree, frames: Matrix, skeleton: Skeleton, parts: Sequence[_Part]
) -> tuple[LinkPlan, ...]:
    return tuple(
        LinkPlan(
            link=link,
            rest=frame,
            bone=parts[bone].carrier(place) if bone >= 0 else "",
            joint=None if motion is None else motion.joint,
            undefined=link.name in tree.undefined,
        )
        for link, frame, (bone, place), motion in zip(
            tree.links, frames, skeleton.carriers, tree.motions, strict=True
        )
    )


def _plan_limit_marks(
    tree: KinematicTree, frames: Matrix, places: Sequence[_Place], parts: Sequence[_Part]
) -> tuple[LimitMarkPlan, ...]:
    return plan_limit_marks(
        [joint for part in parts for joint in part.joints],
        {bone.name: bone.rest for part in parts for bone in part.bones},
        {place.name: place.radius for place in places},
        {link.name: frame for link, frame in zip(tree.links, frames, strict=True)},
    )
