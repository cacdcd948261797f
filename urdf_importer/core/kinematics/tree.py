# SPDX-License-Identifier: GPL-3.0-or-later
"""Links and joints as a forest: parents before children, every link reached once.

URDF asks for one tree; files in the wild hold several, undefined links, second parents and rings.
Nothing here recurses: a chain may be 10,000 links long.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import Diagnostics, KinematicsError, hint_at_blanks, quote, unknown_name
from ..geometry.transforms import Matrix, matrices_from_poses
from ..model import IDENTITY, Joint, Link, Mimic, Robot
from .motion import JointMotion, follow_to_masters, interpret_joint, resolve_mimics

Places = NDArray[np.intp]
"""(N,) places of links in tree order."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TreePath:
    """The way from one link to another.

    A joint is named by the place of its child link. `up` (U,) are the joints passed from child to
    parent, nearest to the start first; `down` (D,) the joints passed from parent to child after
    them, nearest to the end last. `top` is the place of the link between the two; -1 where the
    links have different roots, which are all at the robot's origin.
    """

    up: Places
    top: int
    down: Places

    @property
    def places(self) -> Places:
        """(U + D,) all joints of the path, in its order."""
        return np.concatenate([self.up, self.down])

    @property
    def signs(self) -> NDArray[np.float64]:
        """(U + D,) -1 for each joint that the path passes against its direction, 1 for other
        joints.
        """
        return np.repeat([-1.0, 1.0], [len(self.up), len(self.down)])


@dataclass(frozen=True, kw_only=True)
class KinematicTree:
    """The forest of a robot, as parallel tuples in tree order (depth first, in file order).

    links          each after its parent link; also links that only joints name
    parents        per link, the index of its parent link; -1 for a root
    motions        per link, the motion of the joint above it; None for a root
    cut_joints     joints left out: second parents, rings, joints from a link to itself
    undefined      names of links that the description only refers to

    A link's place is its index in these tuples. Derived values are cached: a tree never changes.
    """

    robot: Robot
    links: tuple[Link, ...]
    parents: tuple[int, ...]
    motions: tuple[JointMotion | None, ...]
    cut_joints: tuple[Joint, ...]
    undefined: frozenset[str]

    @cached_property
    def joint_motions(self) -> tuple[JointMotion, ...]:
        """The motions of all joints, in tree order."""
        return tuple(motion for motion in self.motions if motion is not None)

    @cached_property
    def child_frames(self) -> Matrix | None:
        """(N, 4, 4), per link its frame in the moved frame of the joint above it; None where every
        link's frame is its joint's, as in URDF."""
        origins = [
            IDENTITY if motion is None else motion.joint.child_origin for motion in self.motions
        ]
        return None if all(each == IDENTITY for each in origins) else matrices_from_poses(origins)

    @cached_property
    def masters(self) -> Mapping[str, Mimic]:
        """Follower name -> the independent joint it follows, chains multiplied out."""
        return follow_to_masters(self.joint_motions)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Link name -> its place."""
        return {link.name: place for place, link in enumerate(self.links)}

    @cached_property
    def joint_index(self) -> Mapping[str, int]:
        """Joint name -> the place of its child link; without the joints that were left out."""
        return {m.joint.name: place for place, m in enumerate(self.motions) if m is not None}

    @cached_property
    def motion_of(self) -> Mapping[str, JointMotion]:
        """Joint name -> its motion, in tree order; without the joints that were left out."""
        return {motion.joint.name: motion for motion in self.joint_motions}

    def motion_named(self, joint: str) -> JointMotion:
        """Returns the motion of a joint. Raises KinematicsError for one that the robot lacks."""
        if joint not in self.motion_of:
            raise unknown_name("the robot has no joint", joint, self.motion_of)
        return self.motion_of[joint]

    def lead(self, joint: str) -> Mimic:
        """Returns how a joint follows an independent one; an independent joint follows itself."""
        return self.masters.get(joint) or Mimic(joint=joint)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Per link, the places of its child links, in tree order."""
        found: list[list[int]] = [[] for _ in self.links]
        for place, parent in enumerate(self.parents):
            if parent >= 0:
                found[parent].append(place)
        return tuple(map(tuple, found))

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """Per link, the number of joints between it and its root."""
        depths: list[int] = []
        for parent in self.parents:
            depths.append(0 if parent < 0 else depths[parent] + 1)
        return tuple(depths)

    @cached_property
    def bodies(self) -> tuple[int, ...]:
        """Per link, the place of the first link of its rigid body: of all that fixed joints, and
        joints whose limits leave them one place, hold together. All roots are one."""
        bodies: list[int] = []
        for place, (parent, motion) in enumerate(zip(self.parents, self.motions, strict=True)):
            if motion is None:
                bodies.append(0)
            else:
                is_still = not motion.moves or motion.is_locked
                bodies.append(bodies[parent] if is_still else place)
        return tuple(bodies)

    @cached_property
    def _ends(self) -> tuple[int, ...]:
        """Per link, the place after the last link of its subtree."""
        ends = list(range(1, len(self.links) + 1))
        for place in range(len(self.links) - 1, 0, -1):
            parent = self.parents[place]
            if parent >= 0:
                ends[parent] = max(ends[parent], ends[place])
        return tuple(ends)

    def subtree(self, place: int) -> range:
        """Returns the places of a link and all its descendants, contiguous in tree order."""
        return range(place, self._ends[place])

    def ancestors(self, place: int) -> Iterator[int]:
        """Yields the places from a link, itself first, up to its root."""
        while place >= 0:
            yield place
            place = self.parents[place]

    def joint_above(self, link: str) -> Joint | None:
        """Returns the joint above the link of this name; None for a root and for a missing link."""
        place = self.index.get(link, -1)
        motion = self.motions[place] if place >= 0 else None
        return None if motion is None else motion.joint

    def path(self, start: str, end: str) -> TreePath:
        """Returns the way from one link to another, in time linear in the tree's depth at most.

        Raises KinematicsError for a link that is not in the tree.
        """
        one, other = self._find(start), self._find(end)
        up, down = [], []
        while one != other:
            # Depths count from 0; above a root there is nothing, which is least deep.
            if other < 0 or (one >= 0 and self.depths[one] >= self.depths[other]):
                up.append(one)
                one = self.parents[one]
            else:
                down.append(other)
                other = self.parents[other]
        ups, downs = (np.array(found, dtype=np.intp) for found in (up, down[::-1]))
        if one < 0:
            # Roots have no joint above them.
            ups, downs = ups[:-1], downs[1:]
        return TreePath(up=ups, top=one, down=downs)

    def _find(self, link: str) -> int:
        if link not in self.index:
            source = self.robot.source
            raise unknown_name("the robot has no link", link, self.index, source=source)
        return self.index[link]


def find_above(above: Mapping[str, str], wanted: Container[str]) -> dict[str, str]:
    """Returns, for each name of `above` (name -> the name above it), the nearest wanted name
    that is above it, not itself; "" where there is none. For parts of robots that are not whole
    trees."""
    found: dict[str, str] = {}
    for start in above:
        passed: list[str] = []
        name = start
        while name in above and name not in found:
            passed.append(name)
            found[name] = ""
            name = above[name]
            if name in wanted:
                break
        nearest = name if name in wanted else found.get(name, "")
        for name in reversed(passed):
            found[name] = nearest
    return found


def retrace_tree(robot: Robot) -> KinematicTree:
    """Returns the tree of a robot whose description was judged before: of a rig in Blender, and
    where only frames are asked for. Nothing is reported once more.

    Raises KinematicsError as plan_tree does. Code that has a plan takes the tree from it instead.
    """
    return plan_tree(robot, Diagnostics(robot.source))


def plan_tree(robot: Robot, diagnostics: Diagnostics) -> KinematicTree:
    """Returns the tree of a robot, with a diagnostic for each joint left out.

    Raises KinematicsError where the robot has no link, no root, or one name twice.
    """
    if not robot.links and not robot.joints:
        raise KinematicsError("the robot has no links", source=robot.source)
    links, undefined = _define_links(robot, diagnostics)
    joint_above, cut = _choose_parents(robot, diagnostics)
    children: dict[str, list[Joint]] = {name: [] for name in links}
    for joint in joint_above.values():
        children[joint.parent].append(joint)
    roots = [name for name in links if name not in joint_above]
    if not roots:
        raise _ring_error(robot, joint_above)
    order = _walk(roots, children)
    for name in links:
        if name not in order:
            joint = _cut_ring(name, joint_above, children, robot, diagnostics)
            cut.append(joint)
            order.update(_walk([joint.child], children))
    return _number(robot, links, undefined, joint_above, order, cut, diagnostics)


def _define_links(robot: Robot, diagnostics: Diagnostics) -> tuple[dict[str, Link], frozenset[str]]:
    links: dict[str, Link] = {}
    for link in robot.links:
        if link.name in links:
            raise KinematicsError(
                f"two links are named {quote(link.name)}", source=robot.source, line=link.line
            )
        links[link.name] = link
    undefined: set[str] = set()
    for joint in robot.joints:
        for name in (joint.parent, joint.child):
            if name not in links:
                undefined.add(name)
                diagnostics.warning(
                    "undefined-link",
                    f"joint {quote(joint.name)} names link {quote(name)}, which is not defined"
                    f"{hint_at_blanks(name, links)}; an empty link takes its place",
                    subject=name,
                    line=joint.line,
                )
                links[name] = Link(name=name, line=joint.line)
    return links, frozenset(undefined)


def _choose_parents(robot: Robot, diagnostics: Diagnostics) -> tuple[dict[str, Joint], list[Joint]]:
    """Child link -> the first joint that leads to it; and the joints left out."""
    joint_above: dict[str, Joint] = {}
    names: set[str] = set()
    cut: list[Joint] = []
    for joint in robot.joints:
        if joint.name in names:
            raise KinematicsError(
                f"two joints are named {quote(joint.name)}", source=robot.source, line=joint.line
            )
        names.add(joint.name)
        if joint.parent == joint.child:
            finding = f"connects link {quote(joint.child)} to itself; it is left out"
            _lose(diagnostics, joint, "self-parent", finding)
        elif joint.child in joint_above:
            first = joint_above[joint.child].name
            finding = (
                f"is a second parent of link {quote(joint.child)}, which is already the child of "
                f"joint {quote(first)}; it is left out"
            )
            _lose(diagnostics, joint, "second-parent", finding)
        else:
            joint_above[joint.child] = joint
            continue
        cut.append(joint)
    return joint_above, cut


def _walk(roots: Iterable[str], children: dict[str, list[Joint]]) -> dict[str, None]:
    """Link names depth first, in file order."""
    order: dict[str, None] = {}
    stack = list(roots)[::-1]
    while stack:
        name = stack.pop()
        order[name] = None
        stack.extend(joint.child for joint in reversed(children[name]))
    return order


def _ring_from(name: str, joint_above: dict[str, Joint]) -> list[str]:
    """The ring that lies above a link without a root, along the joints, first name once."""
    seen: dict[str, None] = {}
    while name not in seen:
        seen[name] = None
        name = joint_above[name].parent
    names = list(seen)
    ring = names[names.index(name) :]
    return ring[::-1]


def _ring_error(robot: Robot, joint_above: dict[str, Joint]) -> KinematicsError:
    ring = _ring_from(next(iter(joint_above)), joint_above)
    shown = [quote(name) for name in ring[:8]] + (["..."] if len(ring) > 8 else [])
    return KinematicsError(
        f"the links form a ring without a root: {' -> '.join([*shown, quote(ring[0])])}",
        source=robot.source,
        line=joint_above[ring[0]].line,
    )


def _cut_ring(
    name: str,
    joint_above: dict[str, Joint],
    children: dict[str, list[Joint]],
    robot: Robot,
    diagnostics: Diagnostics,
) -> Joint:
    """Opens the ring that keeps `name` from any root, above the ring's first link in the file.

    Called for links in file order, so `name` itself may be beside the ring: then the ring opens
    where the walk upwards meets it.
    """
    ring = set(_ring_from(name, joint_above))
    position = {link.name: index for index, link in enumerate(robot.links)}
    root = min(ring, key=lambda link: position.get(link, len(position)))
    joint = joint_above.pop(root)
    children[joint.parent].remove(joint)
    finding = f"closes a ring of links; link {quote(root)} becomes a root and the joint is left out"
    _lose(diagnostics, joint, "ring", finding)
    return joint


def _number(
    robot: Robot,
    links: dict[str, Link],
    undefined: frozenset[str],
    joint_above: dict[str, Joint],
    order: Iterable[str],
    cut: Sequence[Joint],
    diagnostics: Diagnostics,
) -> KinematicTree:
    names = tuple(order)
    index = {name: i for i, name in enumerate(names)}
    above = [joint_above.get(name) for name in names]
    motions = {
        motion.joint.child: motion
        for motion in resolve_mimics(
            [interpret_joint(joint, diagnostics) for joint in above if joint is not None],
            diagnostics,
        )
    }
    roots = [name for name in names if name not in joint_above]
    if len(roots) > 1:
        diagnostics.warning(
            "several-roots",
            f"the robot has {len(roots)} roots ({', '.join(map(quote, roots[:4]))}"
            f"{', ...' if len(roots) > 4 else ''}); all are placed at the robot's origin",
            subject=roots[1],
            line=links[roots[1]].line,
        )
    return KinematicTree(
        robot=robot,
        links=tuple(links[name] for name in names),
        parents=tuple(-1 if joint is None else index[joint.parent] for joint in above),
        motions=tuple(motions.get(name) for name in names),
        cut_joints=tuple(cut),
        undefined=undefined,
    )


def _lose(diagnostics: Diagnostics, joint: Joint, code: str, finding: str) -> None:
    diagnostics.error(
        code, f"joint {quote(joint.name)} {finding}", subject=joint.name, line=joint.line
    )
