# SPDX-License-Identifier: GPL-3.0-or-later
"""From graph to tree: the parent of each link, and the joints that close loops. No body is
lost.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from ....core.diagnostics import ReadError, quote
from .assembly import Assembly, AssemblyJoint


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Branch:
    """How a link is attached to another: by `joint`, or where that is None by a fixed joint that
    the file does not have. `is_reversed`: the joint's follower is the parent."""

    parent: int
    child: int
    joint: AssemblyJoint | None
    is_reversed: bool = False


@dataclass(slots=True, kw_only=True, eq=False)
class SpanningTree:
    """`branches` in an order in which parents come before children; `children` by body."""

    root: int
    branches: dict[int, Branch] = field(default_factory=dict)
    children: dict[int, list[int]] = field(default_factory=dict)
    loops: list[AssemblyJoint] = field(default_factory=list)

    def holds(self, body: int) -> bool:
        return body == self.root or body in self.branches

    def bodies(self) -> list[int]:
        """Returns all bodies depth first, children in the order of their joints."""
        order, stack = [], [self.root]
        while stack:
            body = stack.pop()
            order.append(body)
            stack.extend(reversed(self.children.get(body, ())))
        return order


def plan_spanning_tree(assembly: Assembly) -> SpanningTree:
    """Raises ReadError where the parameters name a root that is not there."""
    neighbours: dict[int, list[AssemblyJoint]] = {}
    for joint in assembly.connections:
        neighbours.setdefault(joint.base, []).append(joint)
        neighbours.setdefault(joint.follower, []).append(joint)
    tree = SpanningTree(root=choose_root(assembly))
    _search(tree, tree.root, neighbours, is_stiff=assembly.is_stiff)
    _attach_unreached(tree, assembly, neighbours)
    used = {branch.joint for branch in tree.branches.values()}
    tree.loops = [
        joint
        for joint in assembly.connections
        if joint not in used and tree.holds(joint.base) and tree.holds(joint.follower)
    ]
    for joint in tree.loops:
        assembly.values.warning(
            "loop-joint",
            f"joint {quote(joint.name)} closes a loop between links "
            f"{quote(assembly.link_name(joint.base))} and "
            f"{quote(assembly.link_name(joint.follower))}; the tree has no place for it",
            joint,
        )
    return tree


def choose_root(assembly: Assembly) -> int:
    """Returns the body of the key `root`, else a body that represents ground or assembly and moves
    parts, else the one that the file names, else the first with a mesh, else the first. Raises
    ReadError for a root that is not there."""
    parameters, bodies = assembly.parameters, assembly.mechanism.bodies
    if parameters.root:
        body = assembly.names.body_of.get(parameters.root)
        if body is None or body not in set(assembly.links):
            raise ReadError(
                f"root: {assembly.names.no_link(parameters.root)}",
                source=parameters.source,
                line=parameters.line("root"),
            )
        return body
    for kind in ("ground", "placement"):
        for index in assembly.links:
            if bodies[index].kind == kind:
                return index
    if assembly.mechanism.root >= 0:
        return assembly.mechanism.root
    for index in assembly.links:
        if bodies[index].geometry:
            return index
    return assembly.links[0]


Neighbours = Mapping[int, Iterable[AssemblyJoint]]


def _attach(tree: SpanningTree, branch: Branch) -> None:
    tree.branches[branch.child] = branch
    tree.children.setdefault(branch.parent, []).append(branch.child)


def _search(tree: SpanningTree, start: int, neighbours: Neighbours, *, is_stiff: bool) -> None:
    """Breadth first, each body's joints in the order of the file; or, `is_stiff`, Prim's minimum
    spanning tree by degrees of freedom: the cut falls on the freest joints, so that rods of a
    linkage are attached to their hinge and not on their slot."""
    heap: list[tuple[int, int, int, AssemblyJoint]] = []
    order = count()

    def push(body: int) -> None:
        for joint in neighbours.get(body, ()):
            heappush(heap, (joint.freedom if is_stiff else 0, next(order), body, joint))

    push(start)
    while heap:
        _, _, body, joint = heappop(heap)
        other = joint.other(body)
        if not tree.holds(other):
            is_reversed = joint.base == other
            _attach(tree, Branch(parent=body, child=other, joint=joint, is_reversed=is_reversed))
            push(other)


def _attach_unreached(tree: SpanningTree, assembly: Assembly, neighbours: Neighbours) -> None:
    """Fixes bodies that no joint reaches to the body in the same assembly, else to the root; leaves
    out bodies that only a removed joint held."""
    cut = _cut_bodies(assembly)
    places = _Places(assembly)
    for group in _groups(tree, assembly, neighbours):
        if any(body in cut for body in group):
            for body in group:
                name = quote(assembly.link_name(body))
                finding = f"body {name} was attached by a joint that was removed; it is left out"
                assembly.warn_of_body("removed-body", finding, body)
            continue
        first, anchor = places.find_anchor(group, tree)
        name = quote(assembly.link_name(first))
        finding = f"no joint that counts leads to body {name}; it is fixed to link"
        assembly.warn_of_body(
            "unconnected-body", f"{finding} {quote(assembly.link_name(anchor))}", first
        )
        _attach(tree, Branch(parent=anchor, child=first, joint=None))
        _search(tree, first, neighbours, is_stiff=assembly.is_stiff)


def _groups(tree: SpanningTree, assembly: Assembly, neighbours: Neighbours) -> Iterable[list[int]]:
    """The bodies that are not reached, each with all bodies connected to it, in the order of
    the file."""
    seen: set[int] = set()
    for body in assembly.links:
        if tree.holds(body) or body in seen:
            continue
        seen.add(body)
        group, stack = [], [body]
        while stack:
            member = stack.pop()
            group.append(member)
            for joint in neighbours.get(member, ()):
                other = joint.other(member)
                if other not in seen:
                    seen.add(other)
                    stack.append(other)
        yield sorted(group)


class _Places:
    """The members of each assembly, by the joints that only place."""

    def __init__(self, assembly: Assembly) -> None:
        self.places_of: dict[int, list[int]] = {}
        self.bodies_in: dict[int, list[int]] = {}
        self.anchors: dict[int, int] = {}
        for place, body, _ in assembly.placements:
            self.places_of.setdefault(body, []).append(place)
            self.bodies_in.setdefault(place, []).append(body)

    def find_anchor(self, group: list[int], tree: SpanningTree) -> tuple[int, int]:
        """The body of a group that is in an assembly with a body of the tree, and that body;
        else the first of the group and the root."""
        for body in group:
            for place in self.places_of.get(body, ()):
                anchor = self._anchor(place, tree)
                if anchor >= 0:
                    return body, anchor
        return group[0], tree.root

    def _anchor(self, place: int, tree: SpanningTree) -> int:
        """The first body of an assembly that is in the tree; -1 while there is none."""
        if self.anchors.get(place, -1) < 0:
            self.anchors[place] = next(
                (body for body in self.bodies_in.get(place, ()) if tree.holds(body)), -1
            )
        return self.anchors[place]


def _cut_bodies(assembly: Assembly) -> set[int]:
    """The bodies that a removed joint held."""
    edges = (assembly.mechanism.edges[index] for index in assembly.removed)
    return {end for edge in edges for end in (edge.base, edge.follower)}
