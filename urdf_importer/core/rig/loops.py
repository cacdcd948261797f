# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed loops in the rig: joints that a loop moves follow the free ones, like mimic joints.

Where a part of a linkage has one free joint, each other joint's position is a curve over that
joint's, and a driver with that curve is exact, native and works backwards and forwards in time.
Where it has two, a position is a sum of products of curves over either: hidden bones hold the
curves' values in their channels, and a driver adds up. Where it has more, drivers compute Newton's
method, line by line. Other loops stay open in the rig.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..geometry.transforms import Matrix
from ..kinematics.loops.closings import Closing
from ..kinematics.loops.curves import LoopCurve
from ..kinematics.loops.programs import LoopProgram
from ..kinematics.loops.surfaces import LoopSurface
from ..kinematics.motion import JointMotion
from ..kinematics.tree import KinematicTree
from ..model import Mimic
from .followers import FollowerReading
from .formulas import plan_program, plan_store
from .rig_plan import (
    AnyDriverPlan,
    BoneChannel,
    BonePlan,
    CurveDriverPlan,
    JointPlan,
    Property,
    SumDriverPlan,
)

CURVE_STRETCH = 1000.0
"""Blender snaps places within 1e-4 of a keyframe to it: curves of drivers are stretched along their
positions, by as much as single precision bears."""


def let_follow(tree: KinematicTree, closings: Sequence[Closing]) -> KinematicTree:
    """Returns the tree in which joints follow others as these say. Their multipliers are left to
    the curves; the others go only as far as their loops can. A joint that follows two is recorded
    as following the first of them."""
    if not closings:
        return tree
    follows = {name: leaders[0] for name, leaders in list_leaders(closings).items()}
    bounds = _find_bounds(closings)

    def follow(motion: JointMotion | None) -> JointMotion | None:
        if motion is None:
            return None
        name = motion.joint.name
        if name in follows:
            return replace(motion, mimic=Mimic(joint=follows[name]))
        if name in bounds:
            return replace(motion, lower=bounds[name][0], upper=bounds[name][1])
        return motion

    return replace(tree, motions=tuple(map(follow, tree.motions)))


def list_leaders(closings: Sequence[Closing]) -> dict[str, tuple[str, ...]]:
    """Returns follower -> the free joints that move it."""
    found: dict[str, tuple[str, ...]] = {}
    for closing in closings:
        if isinstance(closing, LoopCurve):
            found[closing.follower] = (closing.leader,)
        else:
            found |= dict.fromkeys(closing.followers, closing.leaders)
    return found


def _find_bounds(closings: Sequence[Closing]) -> dict[str, tuple[float, float]]:
    """Returns free joint -> its range; no joints that turn without end."""
    found: dict[str, tuple[float, float]] = {}
    for closing in closings:
        for name, (lower, upper) in closing.ranges.items():
            before = found.get(name, (lower, upper))
            found[name] = (max(lower, before[0]), min(upper, before[1]))
    return found


def order_angles(
    bones: Sequence[BonePlan], joints: Sequence[JointPlan], closings: Sequence[Closing]
) -> tuple[BonePlan, ...]:
    """Returns the bones; ball joints that follow have the order of angles in which they do so."""
    orders: dict[str, str] = {}
    for closing in closings:
        if not isinstance(closing, LoopCurve):
            orders |= closing.orders
        elif closing.order != "XYZ":
            orders[closing.follower] = closing.order
    by_bone = {
        joint.channels[0].bone: orders[joint.joint.name]
        for joint in joints
        if joint.joint.name in orders
    }
    return tuple(
        replace(bone, rotation_mode=by_bone[bone.name]) if bone.name in by_bone else bone
        for bone in bones
    )


def plan_loop_drivers(
    closings: Sequence[Closing],
    joints: Sequence[JointPlan],
    bones: Sequence[BonePlan],
    readings: Mapping[tuple[str, str], FollowerReading],
    claim: Callable[[str], str],
) -> tuple[list[BonePlan], list[AnyDriverPlan]]:
    """Plans the drivers of all joints that loops move, and the hidden bones that they need, which
    get their names by `claim`."""
    by_name = {joint.joint.name: joint for joint in joints}
    rests = {bone.name: bone for bone in bones}
    hidden: list[BonePlan] = []
    drivers: list[AnyDriverPlan] = []
    for closing in closings:
        if isinstance(closing, LoopCurve):
            follower = by_name[closing.follower]
            reading = readings[closing.follower, closing.leader]
            channel = follower.channels[closing.number]
            drivers.append(
                _plan_curve(channel, reading, closing.samples, follower.sign, closing.cyclic)
            )
            continue
        home = rests[by_name[closing.leaders[0]].channels[0].bone]
        if isinstance(closing, LoopProgram):
            kept, formulas = plan_program(closing, by_name, readings, home, claim)
            hidden += kept
            drivers += formulas
        else:
            store = _Store(home, claim)
            drivers += _plan_surface(closing, by_name, readings, store)
            hidden += store.bones
    return hidden, drivers


def _plan_curve(
    channel: BoneChannel,
    reading: FollowerReading,
    samples: Matrix,
    sign: int = 1,
    cyclic: bool = False,
) -> CurveDriverPlan:
    source = reading.source
    return CurveDriverPlan(
        channel=channel,
        source=source.channels[0],
        evaluated=reading.evaluated,
        expression=f"{reading.expression} * {source.sign * CURVE_STRETCH!r}",
        samples=samples * (CURVE_STRETCH, sign, sign / CURVE_STRETCH),
        cyclic=cyclic,
    )


class _Store:
    """Gives out channels of hidden bones without parent, at the place of another, for numbers."""

    def __init__(self, home: BonePlan, claim: Callable[[str], str]) -> None:
        self._home = home
        self._claim = claim
        self._free: list[BoneChannel] = []
        self.bones: list[BonePlan] = []

    def new_channel(self) -> BoneChannel:
        """Returns a channel that nothing else has."""
        if not self._free:
            self.bones.append(plan_store(self._home, self._claim))
            kinds: tuple[Property, ...] = ("rotation_euler", "location")
            self._free = [
                BoneChannel(bone=self.bones[-1].name, property=kind, index=index)
                for kind in kinds
                for index in range(2, -1, -1)
            ]
        return self._free.pop()


def _plan_surface(
    surface: LoopSurface,
    by_name: Mapping[str, JointPlan],
    readings: Mapping[tuple[str, str], FollowerReading],
    store: _Store,
) -> Iterator[AnyDriverPlan]:
    first, second = surface.leaders
    one_of_them = next(follower for follower, _ in surface.own)
    shared = [store.new_channel() for _ in surface.shared]
    for channel, samples in zip(shared, surface.shared, strict=True):
        yield _plan_curve(channel, readings[one_of_them, second], samples)
    for (name, number), curves in surface.own.items():
        follower = by_name[name]
        own = [store.new_channel() for _ in curves]
        for channel, samples in zip(own, curves, strict=True):
            yield _plan_curve(channel, readings[name, first], samples, follower.sign)
        yield SumDriverPlan(
            channel=follower.channels[number], terms=tuple(zip(own, shared, strict=True))
        )
