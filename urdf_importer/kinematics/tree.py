# SPDX-License-Identifier: GPL-3.0-or-later
"""Links and joints as a forest: parents before children, every link reached once.

URDF asks for one tree; files in the wild hold several, undefined links, second parents and rings.
Nothing here recurses: a chain may be 10,000 links long.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..diagnostics import Diagnostics, KinematicsError, quote
from ..model import Joint, Link, Robot
from .mimic import resolve_mimics
from .motion import JointMotion, interpret_joint


@dataclass(frozen=True, slots=True, kw_only=True)
class KinematicTree:
    """The forest of a robot, as parallel tuples in tree order (depth first, in file order).

    links          each after the link it hangs on; also links that only joints name
    parents        per link, the index of the link it hangs on; -1 for a root
    motions        per link, the motion of the joint above it; None for a root
    cut_joints     joints left out: second parents, rings, joints from a link to itself
    undefined      names of links that the description only refers to
    """

    robot: Robot
    links: tuple[Link, ...]
    parents: tuple[int, ...]
    motions: tuple[JointMotion | None, ...]
    cut_joints: tuple[Joint, ...]
    undefined: frozenset[str]

    @property
    def joint_motions(self) -> tuple[JointMotion, ...]:
        return tuple(motion for motion in self.motions if motion is not None)


def plan_tree(robot: Robot, diagnostics: Diagnostics) -> KinematicTree:
    """Raises KinematicsError where the robot has no link, no root, or one name twice."""
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
                links[name] = Link(name=name, line=joint.line)
                undefined.add(name)
                diagnostics.warning(
                    "undefined-link",
                    f"joint {quote(joint.name)} names link {quote(name)}, which is not defined; "
                    "an empty link takes its place",
                    subject=name,
                    line=joint.line,
                )
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
                f"is a second parent of link {quote(joint.child)}, which hangs on joint "
                f"{quote(first)}; it is left out"
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

    Called for links in file order, so `name` itself may hang beside the ring: then the ring opens
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
            f"{', ...' if len(roots) > 4 else ''}); all stand at the robot's origin",
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
