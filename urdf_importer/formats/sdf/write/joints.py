# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of the robot -> joints of SDF: kinds that a reader takes apart are put together again.

Universal and revolute2 joints, screws and gearboxes are several joints, or a joint that follows, in
the robot. They become one again only where their parts are still as a reader makes them: by the
names NAME_axis2, NAME_travel and NAME_closing, with an empty link between.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....core.diagnostics import Diagnostics
from ....core.geometry.transforms import unit
from ....core.kinematics.motion import JointMotion, interpret_joint
from ....core.kinematics.tree import KinematicTree, plan_tree, retrace_tree
from ....core.model import IDENTITY, Joint, LoopJoint, Mimic, Robot, hang_on
from .parts import JointPart, SdfAxis

GEARBOX = "gearbox"
"""The attribute of a mimic that names the gearbox it was read from."""
_SECOND, _TRAVEL, _CLOSING = "_axis2", "_travel", "_closing"
_RIGHT = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Joined:
    """A robot without the links between joints that are one in SDF.

    motions   of all joints, also of joints that were merged
    seconds   joint -> the joint about its second axis
    travels   screw -> metres in a radian
    loops     joints that close loops, each with the motion that it has; None for a fixed one
    """

    tree: KinematicTree
    motions: Mapping[str, JointMotion]
    seconds: Mapping[str, str]
    travels: Mapping[str, float]
    loops: Sequence[tuple[LoopJoint, JointMotion]]

    def axes_of(self, motion: JointMotion) -> tuple[SdfAxis, ...]:
        """Returns the axes of a joint of the robot, one or two."""
        if motion.kind not in ("revolute", "prismatic"):
            return ()
        second = self.seconds.get(motion.joint.name)
        found = [motion] if second is None else [motion, self.motions[second]]
        return tuple(self._axis(each) for each in found)

    def _axis(self, motion: JointMotion) -> SdfAxis:
        joint = motion.joint
        # Followers are in the whole robot; the tree may lack their leaders.
        mimic = self.motions.get(joint.name, motion).mimic
        firsts = {second: first for first, second in self.seconds.items()}
        second = mimic is not None and mimic.joint in firsts
        if mimic is not None and second:
            mimic = replace(mimic, joint=firsts[mimic.joint])
        elif mimic is not None:
            screw = mimic.joint.removesuffix(_TRAVEL)
            if screw != mimic.joint and screw in self.travels:
                multiplier = mimic.multiplier * self.travels[screw]
                mimic = replace(mimic, joint=screw, multiplier=multiplier)
        return SdfAxis(
            joint=joint.name,
            xyz=motion.axis if joint.axis is None else joint.axis,
            lower=motion.lower,
            upper=motion.upper,
            limit=joint.limit,
            dynamics=joint.dynamics,
            mimic=mimic,
            follows_second=second,
        )

    def type_of(self, motion: JointMotion) -> str:
        """Returns the word of SDF for a joint that moves."""
        name = motion.joint.name
        if name in self.travels:
            return "screw"
        if name in self.seconds:
            one, other = (unit(np.array(each.xyz)) for each in self.axes_of(motion))
            return "universal" if abs(float(one @ other)) < _RIGHT else "revolute2"
        if motion.kind == "spherical":
            return "ball"
        if motion.kind == "revolute" and motion.lower is None and motion.upper is None:
            return "continuous"
        return motion.kind


def join_joints(robot: Robot, diagnostics: Diagnostics) -> Joined:
    """Puts joints together. Raises KinematicsError where the robot is not a tree."""
    tree = plan_tree(robot, diagnostics)
    motions = {each.joint.name: each for each in tree.joint_motions}
    joiner = _Joiner(tree, motions)
    joiner.join()
    if joiner.gone:
        links = tuple(each for each in robot.links if each.name not in joiner.gone)
        joints = tuple(replace(each, mimic=None) for each in joiner.joints.values())
        tree = retrace_tree(replace(robot, links=links, joints=joints))
    silent = Diagnostics()
    loops = [
        (loop, joiner.closed.get(loop.name) or interpret_joint(hang_on(loop), silent))
        for loop in joiner.loops
    ]
    return Joined(
        tree=tree, motions=motions, seconds=joiner.seconds, travels=joiner.travels, loops=loops
    )


class _Joiner:
    """Finds joints that belong together. `gone` are links, `closed` the motions of joints that
    close loops, by their names."""

    def __init__(self, tree: KinematicTree, motions: Mapping[str, JointMotion]) -> None:
        robot = tree.robot
        self.motions = motions
        self.joints: dict[str, Joint] = {
            each.name: each for each in robot.joints if each.name in motions
        }
        self.loops: list[LoopJoint] = list(robot.loops)
        self.gone: set[str] = set()
        self.seconds: dict[str, str] = {}
        self.travels: dict[str, float] = {}
        self.closed: dict[str, JointMotion] = {}
        self._bare = {each.name for each in robot.links if each.is_bare and not each.extras}
        self._below: dict[str, int] = {}
        for joint in self.joints.values():
            self._below[joint.parent] = self._below.get(joint.parent, 0) + 1

    def join(self) -> None:
        ends = {name for loop in self.loops for name in (loop.link1, loop.link2)}
        for name, joint in list(self.joints.items()):
            first = self._find_first(name, _SECOND)
            if first is not None and joint.parent not in ends and self._turn(first.name, name):
                self.seconds[first.name] = name
                self._merge(first, joint)
                continue
            first = self._find_first(name, _TRAVEL)
            if first is not None and joint.parent not in ends:
                travel = self._find_travel(first.name, name)
                if travel is not None:
                    self.travels[first.name] = travel
                    self._merge(first, joint)
        for place, loop in enumerate(self.loops):
            self._close(place, loop)

    def _find_first(self, name: str, end: str) -> Joint | None:
        """The joint whose second half a joint is, by name and place."""
        first, second = self.joints.get(name.removesuffix(end)), self.joints[name]
        if first is None or first is second or first.child != second.parent:
            return None
        is_between = second.parent in self._bare and self._below[second.parent] == 1
        touch = first.child_origin == IDENTITY == second.origin
        return first if is_between and touch else None

    def _turn(self, *names: str) -> bool:
        return all(self.motions[name].kind == "revolute" for name in names)

    def _find_travel(self, turn: str, slide: str) -> float | None:
        mimic = self.motions[slide].mimic
        one, other = self.motions[turn], self.motions[slide]
        if mimic is None or mimic.joint != turn or mimic.offset or one.axis != other.axis:
            return None
        return mimic.multiplier if (one.kind, other.kind) == ("revolute", "prismatic") else None

    def _merge(self, first: Joint, second: Joint) -> None:
        joined = replace(first, child=second.child, child_origin=second.child_origin)
        self.joints[first.name] = joined
        del self.joints[second.name]
        self.gone.add(second.parent)

    def _close(self, place: int, loop: LoopJoint) -> None:
        """A joint that a fixed loop ties to its child closes the loop itself."""
        joint = self.joints.get(loop.name.removesuffix(_CLOSING))
        if loop.type != "fixed" or joint is None or joint.child != loop.link1:
            return
        if loop.link1 not in self._bare or self._below.get(loop.link1):
            return
        if joint.child_origin != IDENTITY or loop.origin1 != IDENTITY:
            return
        closing = replace(loop, name=joint.name, link1=joint.parent, origin1=joint.origin)
        self.loops[place] = closing
        self.closed[joint.name] = self.motions[joint.name]
        self.gone.add(loop.link1)
        del self.joints[joint.name]


def find_gearboxes(joined: Joined) -> Iterator[tuple[str, JointPart]]:
    """Yields followers and the gearboxes that couple them, in the robot's names."""
    for name, motion in joined.motions.items():
        mimic = motion.mimic
        gearbox = None if mimic is None else dict(mimic.attributes).get(GEARBOX)
        if mimic is not None and gearbox and not mimic.offset:
            part = _make_gearbox(gearbox, joined.motions[mimic.joint].joint, motion.joint, mimic)
            if part is not None:
                yield name, part


def _make_gearbox(name: str, leader: Joint, follower: Joint, mimic: Mimic) -> JointPart | None:
    """theta2 = -ratio theta1, both counted from the body that the two joints share."""
    shared = {leader.parent, leader.child} & {follower.parent, follower.child}
    if len(shared) != 1:
        return None
    reference = shared.pop()
    ends, signs, axes = [], 1.0, []
    for joint in (leader, follower):
        ends.append(joint.child if joint.parent == reference else joint.parent)
        signs *= 1.0 if joint.parent == reference else -1.0
        axes.append(SdfAxis(joint="", xyz=joint.axis or (1.0, 0.0, 0.0), expressed_in=joint.name))
    return JointPart(
        name=name,
        type=GEARBOX,
        base=follower.name,
        on_joint=True,
        anchor=(follower.parent, follower.origin),
        parent=ends[0],
        child=ends[1],
        axes=tuple(axes),
        gear=(reference, -mimic.multiplier * signs),
    )
