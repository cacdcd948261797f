# SPDX-License-Identifier: GPL-3.0-or-later
"""Which links share a Solid, and the parent of each Solid.

1. The Robot node is the root link. An empty root above a floating joint is the world: the link
   below it is the Robot then.
2. A link on a moving joint is a Solid of its own.
3. A link with mass on a fixed joint is a Solid of its own too, which Webots joins to the one above;
   or it is merged with it, by option.
4. A link without mass on a fixed joint is a frame (a Pose) in its parent Solid. Children
   of the frame become children of that Solid: nothing is lost, and no Solid without Physics is
   between two with Physics, which Webots forbids.
5. A Solid whose own link has no mass takes in the first link with mass that is fixed to it, so
   that base_footprint above base_link makes one body and no mass is invented.
6. In a fixed base nothing has Physics: a part of it that had would fall.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .....core.diagnostics import Diagnostics, quote
from .....core.geometry.inertia import BodyMass
from .....core.geometry.transforms import Matrix, matrix_from_pose
from .....core.kinematics.forward import local_matrices
from .....core.kinematics.motion import JointMotion
from .....core.kinematics.tree import KinematicTree
from .....core.model import Link
from ..names import report_on
from ..options import WebotsOptions
from .joints import JointPlanner
from .links import HeldLink, SolidPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The link that is the Robot node, by its index, and whether it is fixed in the world. `frame`
    is its frame in the root link's."""

    index: int
    static: bool
    frame: Matrix


def find_base(
    tree: KinematicTree, options: WebotsOptions, positions: Mapping[str, float | tuple[float, ...]]
) -> Base:
    """Finds the base. Raises KinematicsError for a wrong position of the joint that carries the
    robot."""
    below = [index for index, parent in enumerate(tree.parents) if parent == 0]
    root = tree.links[0]
    if len(below) == 1 and _is_empty(root):
        motion = tree.motions[below[0]]
        assert motion is not None
        if motion.kind == "floating":
            frame = local_matrices(tree, positions)[below[0]]
            return Base(index=below[0], static=options.base == "fixed", frame=frame)
    world = root.name == "world" and _is_empty(root) and bool(below)
    static = options.base == "fixed" or (options.base == "auto" and world)
    return Base(index=0, static=static, frame=np.eye(4))


def plan_solids(
    tree: KinematicTree,
    base: Base,
    masses: Mapping[str, BodyMass],
    joints: JointPlanner,
    options: WebotsOptions,
    diagnostics: Diagnostics,
) -> list[SolidPlan]:
    """Plans the Solids, each after the one above it."""
    grouping = _Grouping(masses, joints, merge=options.fixed_joints == "merge")
    for index, (link, motion, parent) in enumerate(
        zip(tree.links, tree.motions, tree.parents, strict=True)
    ):
        if index == base.index:
            grouping.start(link, static=base.static)
        elif motion is None and index < base.index:
            continue  # the world above the base
        elif motion is None:
            root = tree.links[base.index].name
            finding = f"is a second root; a PROTO has one, so it is fixed to link {quote(root)}"
            report_on(link, "webots-joined-root", finding, diagnostics)
            grouping.fix(link, root, np.eye(4))
        elif motion.moves:
            grouping.move(link, tree.links[parent].name, motion)
        else:
            origin = matrix_from_pose(motion.joint.origin)
            grouping.fix(link, tree.links[parent].name, origin)
    return grouping.solids


class _Grouping:
    """Takes the links in tree order."""

    def __init__(
        self, masses: Mapping[str, BodyMass], joints: JointPlanner, *, merge: bool
    ) -> None:
        self.solids: list[SolidPlan] = []
        self._masses = masses
        self._joints = joints
        self._merge = merge
        self._places: dict[str, tuple[SolidPlan, Matrix]] = {}

    def start(self, link: Link, *, static: bool) -> None:
        self._hold(SolidPlan(zero=np.eye(4), static=static), link)

    def fix(self, link: Link, parent: str, origin: Matrix) -> None:
        above, place = self._places[parent]
        pose = place @ origin
        mass = self._masses.get(link.name)
        if mass is not None and not self._takes_in(above):
            self._hold(SolidPlan(zero=pose, above=above, static=above.static), link)
            return
        above.links.append(HeldLink(link=link, pose=pose))
        self._places[link.name] = (above, pose)
        if mass is not None:
            above.masses.append(mass.moved(pose))

    def move(self, link: Link, parent: str, motion: JointMotion) -> None:
        above, place = self._places[parent]
        for joint, zero in self._joints.plan_joints(motion, place):
            solid = SolidPlan(zero=zero, above=above, joint=joint)
            self.solids.append(solid)
            above = solid
        self.solids.pop()
        self._hold(above, link)

    def _hold(self, solid: SolidPlan, link: Link) -> None:
        self.solids.append(solid)
        solid.links.append(HeldLink(link=link, pose=np.eye(4)))
        mass = self._masses.get(link.name)
        if mass is not None:
            solid.masses.append(mass)
        self._places[link.name] = (solid, np.eye(4))

    def _takes_in(self, solid: SolidPlan) -> bool:
        """Whether a mass that is fixed to the Solid becomes part of it."""
        return self._merge or (not solid.static and not solid.masses)


def _is_empty(link: Link) -> bool:
    return not (link.has_mass or link.visuals or link.collisions)
