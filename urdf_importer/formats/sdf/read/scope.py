# SPDX-License-Identifier: GPL-3.0-or-later
"""Models as scopes of names, and the frames in them: the link that carries each, and its pose.

Every model has its own frame, `__model__`. Links, joints, explicit frames and nested models have a
pose in another frame of their scope. Here all of them become matrices in the frame of their model,
each worked out once. A merged model is a nested one without a name: its names belong to the scope
about it, its `__model__` stays its own.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ....core.diagnostics import quote
from ....core.geometry.transforms import Matrix, invert, pose_of
from ....core.markup.xml import Element
from ....core.model import Joint, Link, Pose
from .page import Page, find

Kind = Literal["link", "joint", "frame", "model"]
MODEL, WORLD = "__model__", "world"
SEPARATOR = "::"
PARAMETERS = "experimental:params"
PLACING = ("pose", "placement_frame")
_OF_INCLUDES = frozenset({"uri", "name", *PLACING, "optional", PARAMETERS})
ROUNDING = 1e-12
"""By how much products of frames miss the frame that they are."""


@dataclass(slots=True, eq=False)
class FramedElement:
    """Something with a frame. `element` is its element in the file, `page` that file; `given` is
    the part that another format's reader made."""

    name: str
    kind: Kind
    element: Element
    page: Page
    scope: "Scope"
    model: "Scope | None" = None
    given: Link | Joint | None = None

    @property
    def full_name(self) -> str:
        return self.scope.prefix + self.name

    def warning(self, code: str, finding: str, element: Element | None = None) -> None:
        """Warns of it, in a sentence that begins with its name, at an element of it."""
        self._report_part(self.page.warning, code, finding, element)

    def error(self, code: str, finding: str, element: Element | None = None) -> None:
        """Does as warning, for a part that is lost."""
        self._report_part(self.page.error, code, finding, element)

    def _report_part(
        self, report: Callable[..., None], code: str, finding: str, element: Element | None
    ) -> None:
        where = self.element if element is None else element
        report(code, f"{self.kind} {quote(self.full_name)} {finding}", where, self.full_name)


@dataclass(slots=True, eq=False)
class Scope:
    """A model, or a world, whose frame has the name `world` too. `prefix` begins the names of all
    in it; `placed` holds its <pose> and <placement_frame>: itself or the <include>, read by
    `placed_page`. `include` is the <include>, and its file, by which it is there."""

    name: str
    prefix: str
    element: Element
    page: Page
    include: tuple[Element, Page] | None = None
    is_world: bool = False
    placed: Element = field(init=False)
    placed_page: Page = field(init=False)
    nodes: dict[str, FramedElement] = field(default_factory=dict)
    merged: list["Scope"] = field(default_factory=list)
    order: list["FramedElement | Scope"] = field(default_factory=list)
    _poses: dict[str, Matrix | None] = field(default_factory=dict)
    _links: dict[str, "tuple[Scope, FramedElement] | None"] = field(default_factory=dict)
    _holders: dict[int, "tuple[Scope, str]"] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.placed, self.placed_page = self.element, self.page
        if self.include is not None and any(each.tag in PLACING for each in self.include[0]):
            self.placed, self.placed_page = self.include

    def walk(self) -> Iterator["Scope"]:
        """Yields this model and all within it, in the order of the files."""
        waiting = [self]
        while waiting:
            scope = waiting.pop()
            yield scope
            waiting += reversed(list(scope.inner()))

    def items(self) -> Iterator[FramedElement]:
        """Yields all links, joints and frames of this model and all within it."""
        waiting: list[FramedElement | Scope] = [self]
        while waiting:
            item = waiting.pop()
            if isinstance(item, Scope):
                waiting += reversed(item.order)
            elif item.model is not None:
                waiting.append(item.model)
            else:
                yield item

    def hold(self, node: FramedElement, link: FramedElement, pose: Matrix) -> None:
        """Takes in a node at a known place (4, 4) in this model, carried by a link."""
        self.nodes[node.name] = node
        self.order.append(node)
        self._poses[node.name] = pose
        self._links[node.name] = (link.scope, link)

    def others(self, handled: frozenset[str]) -> Iterator[tuple[Page, list[Element]]]:
        """Yields the content of the model's element beyond handled tags, and of its <include>."""
        yield self.page, [child for child in self.element if child.tag not in handled]
        if self.include is not None:
            element, page = self.include
            yield page, [child for child in element if child.tag not in _OF_INCLUDES]

    # Names

    def look_up(self, name: str) -> "tuple[Scope, str] | None":
        """Returns the scope that has a name, and the name there; None for an unknown name."""
        if name in ("", MODEL) or (self.is_world and name == WORLD):
            return self, MODEL
        if name in self.nodes:
            return self, name
        for scope in self.merged:
            found = scope.look_up(name)
            if found is not None:
                return found
        # a::b::c: the longest name of a nested model counts, since old names hold :: themselves.
        place = name.rfind(SEPARATOR)
        while place > 0:
            head, rest = name[:place], name[place + len(SEPARATOR) :]
            node = self.find(head)
            if node is not None and node.model is not None:
                return node.model.look_up(rest)
            place = name.rfind(SEPARATOR, 0, place)
        return None

    def find(self, name: str) -> FramedElement | None:
        """Returns the node with the name here or in a model that is merged into this one."""
        if name in self.nodes:
            return self.nodes[name]
        return next((node for each in self.merged if (node := each.find(name)) is not None), None)

    # Which link

    def link_of(self, name: str) -> FramedElement | None:
        """Returns the link that a frame is attached to; None where there is none."""
        found = self.look_up(name)
        if found is None:
            return None
        scope, own = found
        return scope.own_link(own)

    def own_link(self, name: str) -> FramedElement | None:
        """Does as link_of for a name of this very scope; rings lead nowhere."""
        for each in reversed(self._list_way(name, self._links, self._carrier_of)):
            self._links[each] = None
            link = self._follow(each)
            self._links[each] = None if link is None else (link.scope, link)
        known = self._links[name]
        return None if known is None else known[1]

    def _follow(self, name: str) -> FramedElement | None:
        if name == MODEL:
            return self._canonical()
        node = self.nodes[name]
        if node.kind == "link":
            return node
        if node.kind == "model":
            assert node.model is not None
            return node.model.own_link(MODEL)
        return self.link_of(self._carrier_of(node))

    def _carrier_of(self, node: FramedElement) -> str:
        """The parent of a joint or frame, as written."""
        if node.kind == "joint":
            return node.page.text(node.element, "child")
        return node.element.attributes.get("attached_to", "") if node.kind == "frame" else ""

    def _list_way(
        self, name: str, known: Collection[str], above: Callable[[FramedElement], str]
    ) -> list[str]:
        """Lists a name of this very scope and its chain of dependencies, up to one that is known:
        such rows may be longer than Python's stack. A name in a nested model depends on that
        model; one in a merged model is not followed."""
        way: dict[str, None] = {}
        while name not in known and name not in way:
            way[name] = None
            if name not in self.nodes:
                break
            found = self.look_up(above(self.nodes[name]))
            if found is None:
                break
            name = found[1] if found[0] is self else self._find_holder(found[0])[1]
            if not name:
                break
        return list(way)

    def _canonical(self) -> FramedElement | None:
        """The canonical link: the named one, the first of the model, or the canonical link of the
        first nested model that has one."""
        named = self.element.attributes.get("canonical_link", "")
        found = self.link_of(named) if named else None
        if found is not None:
            return found
        for item in self.order:
            if isinstance(item, FramedElement) and item.kind == "link":
                return item
        links = (each.own_link(MODEL) for each in self.inner())
        return next((link for link in links if link is not None), None)

    # Where

    def pose_of(self, name: str) -> Matrix | None:
        """Returns a frame's pose in the frame of this model (4, 4); None where its way to there is
        not known."""
        if name in self._poses:
            return self._poses[name]
        found = self.look_up(name)
        if found is None:
            return None
        scope, own = found
        if scope is not self:
            inner = self._place_of(scope)
            there = scope.pose_of(own)
            return None if inner is None or there is None else inner @ there
        for each in reversed(self._list_way(own, self._poses, self._base_of)):
            # A ring meets itself here.
            self._poses[each] = None
            self._poses[each] = np.eye(4) if each == MODEL else self._work_out(self.nodes[each])
        return self._poses[own]

    def _place_of(self, scope: "Scope") -> Matrix | None:
        """The frame of a model within this one, however deep."""
        inner, name = self._find_holder(scope)
        place = self.pose_of(name) if name else self.place_model(inner)
        rest = np.eye(4) if inner is scope else inner._place_of(scope)
        return None if place is None or rest is None else place @ rest

    def _find_holder(self, scope: "Scope") -> "tuple[Scope, str]":
        """Finds the model directly within this one that holds another one, or is it, and its name
        here; "" for a merged model."""
        if not self._holders:
            for item in self.order:
                inner = item if isinstance(item, Scope) else item.model
                name = "" if isinstance(item, Scope) else item.name
                if inner is not None:
                    self._holders |= {id(each): (inner, name) for each in inner.walk()}
        return self._holders[id(scope)]

    def inner(self) -> Iterator["Scope"]:
        """Yields the models directly within this one, merged or not."""
        for item in self.order:
            if isinstance(item, Scope):
                yield item
            elif item.model is not None:
                yield item.model

    def place_model(self, inner: "Scope") -> Matrix | None:
        """Returns the frame of a model directly within this one: its pose gives its placement
        frame."""
        key = f"{SEPARATOR}{id(inner)}"
        if key not in self._poses:
            self._poses[key] = None
            self._poses[key] = self._place_model(inner)
        return self._poses[key]

    def _place_model(self, inner: "Scope") -> Matrix | None:
        page = inner.placed_page
        pose = find(inner.placed, "pose")
        base = self.pose_of(read_base(pose))
        if base is None:
            return None
        own = inner.pose_of(inner.placement_frame)
        return None if own is None else base @ page.pose(pose) @ invert(own)

    @property
    def placement_frame(self) -> str:
        """The frame of the model that its pose places, as written; "" for the model's own frame."""
        frame = self.placed_page.text(self.placed, "placement_frame")
        return frame or self.placed.attributes.get("placement_frame", "")

    def _work_out(self, node: FramedElement) -> Matrix | None:
        if node.kind == "model":
            assert node.model is not None
            return self.place_model(node.model)
        start = self.pose_of(self._base_of(node))
        pose = find(node.element, "pose")
        return None if start is None else start @ node.page.pose(pose)

    def _base_of(self, node: FramedElement) -> str:
        """The frame that a frame's pose is relative to, as written or by default."""
        if node.model is not None:
            return read_base(find(node.model.placed, "pose"))
        base = read_base(find(node.element, "pose"))
        if not base and node.kind == "joint":
            # Its child or, where that is the world, the model.
            child = node.page.text(node.element, "child")
            base = "" if child == WORLD and WORLD not in self.nodes else child
        elif not base and node.kind == "frame":
            base = node.element.attributes.get("attached_to", "")
        return base

    def say_lost(self, node: FramedElement) -> None:
        """Reports why a frame is not known, as an error of its element."""
        pose = find(node.element, "pose")
        names = (
            read_base(pose),
            node.element.attributes.get("attached_to", "") if node.kind == "frame" else "",
        )
        lost = next((name for name in names if name and self.look_up(name) is None), "")
        if lost:
            finding = f"is placed in frame {quote(lost)}, which does not exist; it is left out"
            node.error("sdf-unknown-frame", finding)
        else:
            finding = "is placed in a ring of frames, or in a lost one; it is left out"
            node.error("sdf-frame-ring", finding)


def read_base(pose: Element | None) -> str:
    """Returns the frame in which a pose is, as written; "" for the usual one."""
    if pose is None:
        return ""
    # Versions 1.5 and 1.6 called it `frame`, and nothing ever read it.
    return pose.attributes.get("relative_to", "").strip()


def place_part(element: Element, node: FramedElement) -> Pose:
    """Returns the pose of a part in its link; a part whose frame is unknown gets the origin, which
    is reported."""
    page = node.page
    pose = find(element, "pose")
    local = page.pose(pose)
    base = read_base(pose)
    if not base:
        return pose_of(local, rounding=ROUNDING)
    start, own = node.scope.pose_of(base), node.scope.pose_of(node.name)
    if start is None or own is None:
        finding = f"a <{element.tag}> of link {quote(node.full_name)} is placed in frame"
        finding = f"{finding} {quote(base)}, which does not exist; read as in the link's own"
        page.error("sdf-unknown-frame", finding, element, node.full_name)
        return pose_of(local, rounding=ROUNDING)
    return pose_of(invert(own) @ start @ local, rounding=ROUNDING)


def report_lost_names(top: Scope) -> None:
    """Reports canonical links and, of the outermost model, a placement frame that are not there.
    (A model within another whose placement frame is lost is lost, too.)"""
    for scope in top.walk():
        named = scope.element.attributes.get("canonical_link", "")
        if named and scope.link_of(named) is None:
            finding = f"the canonical link of model {quote(scope.name)}, {quote(named)}, is not"
            page = scope.page
            finding = f"{finding} there; the first link is taken"
            page.error("sdf-unknown-link", finding, scope.element, scope.name)
    frame = top.placement_frame
    if top.pose_of(frame) is None:
        finding = f"model {quote(top.name)} is placed by frame {quote(frame)}, which does not exist"
        finding = f"{finding}; its own frame is taken"
        where = find(top.placed, "placement_frame")
        where = top.placed if where is None else where
        top.placed_page.error("sdf-unknown-frame", finding, where, top.name)
