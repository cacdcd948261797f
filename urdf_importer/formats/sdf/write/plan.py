# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot -> parts of a model of SDF: which links are links there, and which only frames.

SDF gives a link without <inertial> a kilogram. So a link without mass on a fixed joint becomes a
frame of its name, attached to the link above, and its shapes go to the link that carries it. A
row of such links at the root, or below a joint that moves, is attached to the first link with a
mass that is fixed to it. Only where there is none does the row's first link get a small mass.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from ....core.diagnostics import Diagnostics, quote
from ....core.geometry.inertia import move_pose
from ....core.geometry.transforms import matrix_from_pose, plane_axes
from ....core.kinematics.motion import JointMotion
from ....core.kinematics.tree import KinematicTree
from ....core.model import IDENTITY, Inertial, Joint, Link, LoopJoint, Pose
from .extras import GazeboData
from .joints import Joined, find_gearboxes
from .masses import Weights, small_inertial
from .options import SdfOptions
from .parts import MODEL, WORLD, FramePart, JointPart, LinkPart, ModelPlan, SdfAxis, SdfPart

_PLANAR = (("x", "prismatic"), ("y", "prismatic"), ("yaw", "revolute"))


def plan_parts(
    joined: Joined,
    options: SdfOptions,
    data: GazeboData,
    weights: Weights,
    diagnostics: Diagnostics,
) -> ModelPlan:
    """Plans the parts, by the robot's own names."""
    planner = _Planner(joined, options, data, weights, diagnostics)
    planner.plan()
    return ModelPlan(tree=joined.tree, parts=planner.parts)


def _compose(joint: Joint) -> Pose:
    """The child's frame in the parent's, by the numbers of the description where one will do."""
    if joint.child_origin == IDENTITY:
        return joint.origin
    if joint.origin == IDENTITY:
        return joint.child_origin
    return move_pose(matrix_from_pose(joint.origin), joint.child_origin)


@dataclass(slots=True, eq=False)
class _Planner:
    _joined: Joined
    _options: SdfOptions
    _data: GazeboData
    _weights: Weights
    _diagnostics: Diagnostics
    _tree: KinematicTree = field(init=False)
    _top: list[str] = field(init=False)
    _heads: list[int] = field(default_factory=list)
    _real: set[int] = field(default_factory=set)
    _carriers: dict[int, int] = field(default_factory=dict)
    _members: dict[int, list[int]] = field(default_factory=dict)
    parts: list[SdfPart] = field(default_factory=list)
    _carried: dict[int, list[Link]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._tree = self._joined.tree
        self._top = [self._find_top(place) for place in range(len(self._tree.links))]

    def plan(self) -> None:
        self._group()
        for place in range(len(self._tree.links)):
            if not self._top[place]:
                self._place_link(place)
        self.parts += [self._close(loop, motion) for loop, motion in self._joined.loops]
        self._couple()

    # Which links are links

    def _find_top(self, place: int) -> str:
        """WORLD or MODEL for a root that becomes no link in SDF, but its world or its model."""
        link = self._tree.links[place]
        if self._tree.parents[place] >= 0 or link.shapes or link.has_mass:
            return ""
        below = [self._tree.motions[each] for each in self._tree.children[place]]
        if link.name == WORLD and below and self._options.base != "free":
            return WORLD
        fixed = all(each is not None and not each.moves for each in below)
        return MODEL if link.name == MODEL and below and fixed else ""

    def _group(self) -> None:
        """Finds the links that are fixed to each other; a joint that is written heads each."""
        tree = self._tree
        for place, parent in enumerate(tree.parents):
            head = place
            if not self._top[place] and not self._is_head(place, parent):
                head = self._heads[parent]
            self._heads.append(head)
            if not self._top[place]:
                self._members.setdefault(head, []).append(place)
        for head, members in self._members.items():
            heavy = [each for each in members if tree.links[each].has_mass]
            self._carriers[head] = heavy[0] if heavy else head
            self._real.add(self._carriers[head])
            if self._options.fixed_joints == "keep":
                self._real.update(heavy)

    def _is_head(self, place: int, parent: int) -> bool:
        motion = self._tree.motions[place]
        if parent < 0 or motion is None or motion.moves or self._top[parent]:
            return True
        return self._data.keeps(motion.joint.name, self._options.fixed_joints == "lump")

    # Parts

    def _place_link(self, place: int) -> None:
        link, motion = self._tree.links[place], self._tree.motions[place]
        parent = self._tree.parents[place]
        head = self._heads[place]
        base, pose, told, on_joint = "", IDENTITY, "", False
        if place == head:
            base, pose, on_joint = self._hang(place, motion)
        elif motion is not None:
            above = self._find_real(parent)
            base, pose = self._tree.links[parent].name, _compose(motion.joint)
            is_link = place in self._real
            if is_link and above is not None:
                joint = self._add_joint(motion.joint, "fixed", base, motion.joint.child)
                base, pose, on_joint = joint.name, motion.joint.child_origin, True
            elif self._options.fixed_joints == "lump" and above is not None:
                base, on_joint = self._frame_joint(motion.joint, base), True
                pose = motion.joint.child_origin
            else:
                told = motion.joint.name
        part = self._make_part(place, link, told)
        part.base, part.pose, part.on_joint = base, pose, on_joint
        part.anchor = (link.name, IDENTITY)
        self.parts.append(part)

    def _make_part(self, place: int, link: Link, told: str) -> SdfPart:
        carrier = self._carriers[self._heads[place]]
        if place in self._real:
            carried = self._carried.setdefault(place, [])
            carried.insert(0, link)
            inertial = self._weigh(place)
            return LinkPart(name=link.name, carried=carried, inertial=inertial, fixed_by=told)
        real = self._find_real(place)
        holder = carrier if real is None else self._tree.parents[place]
        bearer = carrier if real is None else real
        self._carried.setdefault(bearer, []).append(link)
        return FramePart(name=link.name, holder=self._tree.links[holder].name, fixed_by=told)

    def _find_real(self, place: int) -> int | None:
        """The nearest link of the same group, itself or above, that is a link in SDF."""
        head = self._heads[place]
        while place not in self._real:
            if place == head:
                return None
            place = self._tree.parents[place]
        return place

    def _weigh(self, place: int) -> Inertial:
        """The mass of a link; lumped, of all that are fixed to it."""
        link, head = self._tree.links[place], self._heads[place]
        if self._options.fixed_joints == "lump":
            members = [self._tree.links[each] for each in self._members[head]]
            heavy = [each for each in members if each.has_mass]
            if len(heavy) > 1:
                return self._weights.join(heavy, link)
        if link.has_mass:
            return self._weights.find(link)
        small = self._options.small_mass
        self._diagnostics.warning(
            "sdf-small-mass",
            f"link {quote(link.name)} has no mass, and a link that moves must have one; it gets "
            f"{small:g} kg",
            subject=link.name,
            line=link.line,
        )
        return small_inertial(small)

    def _frame_joint(self, joint: Joint, parent: str) -> str:
        """Adds a lumped joint as a frame, in which its link's frame lies; returns its name."""
        frame = FramePart(name=joint.name, base=parent, holder=parent, of_joint=True)
        frame.pose, frame.anchor = joint.origin, (joint.parent, joint.origin)
        self.parts.append(frame)
        return joint.name

    def _add_joint(
        self, joint: Joint, kind: str, parent: str, child: str, axes: tuple[SdfAxis, ...] = ()
    ) -> JointPart:
        part = JointPart(
            name=joint.name,
            base="" if parent in (WORLD, "") else parent,
            pose=joint.origin,
            anchor=(joint.parent, joint.origin),
            type=kind,
            parent=parent,
            child=child,
            joint=joint.name,
            axes=axes,
        )
        self.parts.append(part)
        return part

    # The joints that head groups

    def _hang(self, place: int, motion: JointMotion | None) -> tuple[str, Pose, bool]:
        """Adds the joint above a group; returns the base and the pose of its first link, and
        whether the base is a joint."""
        tree, parent = self._tree, self._tree.parents[place]
        child = tree.links[self._carriers[place]].name
        if motion is None or parent < 0:
            self._hold_root(place, child)
            return "", IDENTITY, False
        joint = motion.joint
        if self._top[parent] == MODEL:
            self._hold_root(place, child)
            return "", _compose(joint), False
        above = WORLD if self._top[parent] else tree.links[parent].name
        if motion.kind == "floating":
            return "" if above == WORLD else above, _compose(joint), False
        if motion.kind == "planar":
            return self._add_planar(motion, above, child), joint.child_origin, True
        if not motion.moves:
            kind = "revolute" if self._data.locks(joint.name) else "fixed"
            lock = SdfAxis(joint=joint.name, xyz=(0.0, 0.0, 1.0), lower=0.0, upper=0.0)
            axes: tuple[SdfAxis, ...] = () if kind == "fixed" else (lock,)
            part = self._add_joint(joint, kind, above, child, axes)
            return part.name, joint.child_origin, True
        joined = self._joined
        part = self._add_joint(joint, joined.type_of(motion), above, child, joined.axes_of(motion))
        part.travel = joined.travels.get(joint.name)
        return part.name, joint.child_origin, True

    def _hold_root(self, place: int, child: str) -> None:
        if self._options.base == "fixed":
            name = self._tree.links[place].name
            joint = JointPart(name=f"{name}_to_world", type="fixed", parent=WORLD, child=child)
            joint.anchor = (name, IDENTITY)
            self.parts.append(joint)

    def _add_planar(self, motion: JointMotion, above: str, child: str) -> str:
        """Two slides and a turn about the normal, with small links between; the name of the
        last."""
        joint, normal = motion.joint, np.array(motion.axis)
        for vector, (end, kind) in zip((*plane_axes(normal), normal), _PLANAR, strict=True):
            axis = (float(vector[0]), float(vector[1]), float(vector[2]))
            is_last = end == "yaw"
            name = f"{joint.name}_{end}"
            below = child if is_last else f"{name}_link"
            part = self._add_joint(
                joint, kind, above, below, (SdfAxis(joint=joint.name, xyz=axis),)
            )
            part.name, part.joint = name, joint.name if is_last else ""
            if end != "x":
                part.pose = IDENTITY
            if not is_last:
                link = LinkPart(name=below, base=name, on_joint=True, anchor=part.anchor)
                link.inertial = small_inertial(self._options.small_mass)
                self.parts.append(link)
            above = below
        self._diagnostics.warning(
            "sdf-planar",
            f"joint {quote(joint.name)} is planar, which SDF does not have; it becomes two "
            "slides and a turn, with two small links between",
            subject=joint.name,
            line=joint.line,
        )
        return f"{joint.name}_yaw"

    # Joints beside the tree

    def _close(self, loop: LoopJoint, motion: JointMotion) -> JointPart:
        joined = self._joined
        moves = motion.moves and motion.kind != "floating"
        return JointPart(
            name=loop.name,
            base=loop.link2,
            pose=loop.origin2,
            anchor=(loop.link2, loop.origin2),
            type=joined.type_of(motion) if moves else "fixed",
            parent=self._resolve(loop.link1),
            child=self._resolve(loop.link2),
            joint=loop.name,
            axes=joined.axes_of(motion),
            travel=joined.travels.get(loop.name),
        )

    def _resolve(self, link: str) -> str:
        """The link of the model that carries a link of the robot."""
        place = self._tree.index.get(link)
        if place is None or self._top[place]:
            return WORLD
        real = self._find_real(place)
        return self._tree.links[self._carriers[self._heads[place]] if real is None else real].name

    def _couple(self) -> None:
        """Puts gearboxes in the place of the mimics that they were read as."""
        there = {part.name: part for part in self.parts if isinstance(part, JointPart)}
        for name, gearbox in find_gearboxes(self._joined):
            follower = there.get(name)
            if follower is not None and len(follower.axes) == 1 and gearbox.name not in there:
                axis = follower.axes[0]
                follower.axes = (replace(axis, mimic=None),)
                gearbox.parent, gearbox.child = map(self._resolve, (gearbox.parent, gearbox.child))
                if gearbox.gear is not None:
                    gearbox.gear = (self._resolve(gearbox.gear[0]), gearbox.gear[1])
                self.parts.append(gearbox)
