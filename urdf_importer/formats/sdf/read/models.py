# SPDX-License-Identifier: GPL-3.0-or-later
"""Elements -> scopes: models, their includes, and the files that a URI means."""

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from ....core.diagnostics import Diagnostics, MeshError, ReadError, Report, quote
from ....core.files.packages import PackageResolver
from ....core.files.regular import read_regular_file
from ....core.markup.xml import Element
from ....core.readers.formats import find_root_tag
from .changes import Changer
from .model_files import find_model_file, find_stock
from .page import Page, all_of, read_page
from .params import Parameter
from .scope import SEPARATOR, WORLD, FramedElement, Kind, Scope
from .urdf_models import ROOT_TAG, make_nodes, read_urdf_page

MOST_DEPTH = 64
MOST_LINKS = 20_000
_KINDS: dict[str, Kind] = {"link": "link", "joint": "joint", "frame": "frame"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Included:
    """A model of the root or a world: `name`, and the element that is one or includes one."""

    name: str
    element: Element
    page: Page


def _silent(code: str, message: str) -> None:
    """Reports nothing: oddities of an include are reported once, when its model is read."""


@dataclass(slots=True, kw_only=True, eq=False)
class ModelReader:
    """Makes scopes of elements; each file is read once. `missing` maps the id of an include whose
    model cannot be read -> why."""

    resolver: PackageResolver
    diagnostics: Diagnostics
    pages: dict[str, Page] = field(default_factory=dict)
    count: int = 0
    missing: dict[int, str] = field(default_factory=dict)
    _open_now: list[Element] = field(default_factory=list)
    _changer: Changer = field(init=False)

    def __post_init__(self) -> None:
        self._changer = Changer(open_model=self._peek)

    def list_models(self, page: Page, *, stock: bool = False) -> list[Included]:
        """Returns the models of a file, of its worlds too, in their order; with `stock` also a
        floor that is built in. Includes of lights are passed over. An include without a name is
        opened for it; one that cannot be opened is reported and left out."""
        found: dict[str, Included] = {}
        worlds = [each for each in page.elements if each.tag == "world"]
        for holder in (page.elements, *worlds):
            for element in holder:
                name: str | None = None
                if element.tag == "model":
                    name = element.attributes.get("name", "")
                elif element.tag == "include":
                    kind = self._find_kind(element, page)
                    if kind == "light" or (kind == "stock" and not stock):
                        continue
                    opened = None if page.text(element, "name") else self._open(element, page)
                    own = "" if opened is None else opened[0].attributes.get("name", "")
                    name = page.text(element, "name") or own or None
                if name in found:
                    finding = f"model {quote(name)} has a name that is taken; it is left out"
                    page.error("sdf-duplicate-name", finding, element, name)
                elif name is not None:
                    found[name] = Included(name=name, element=element, page=page)
        return list(found.values())

    def read(self, given: Included) -> Scope | None:
        """Returns the scope of a model; None, and reported, for an include that is not there."""
        if given.element.tag == "include":
            return self._include(given.element, given.page, "", 0, keeps_prefix=True)
        return self._fill(Scope(given.name, "", given.element, given.page), 0)

    def read_world(self, page: Page, world: Element) -> tuple[Scope, list[Scope]]:
        """Returns a scope with the models of a file, each with names of its own, and the frames of
        a world in it; and these models. Raises ReadError where there are too many."""
        outer = Scope("", "", world, page, is_world=True)
        found = []
        for given in self.list_models(page, stock=True):
            scope = self.read(given)
            if scope is not None:
                node = FramedElement(given.name, "model", given.element, page, outer, scope)
                outer.nodes[given.name] = node
                outer.order.append(node)
                found.append(scope)
        for element in world:
            if element.tag == "frame":
                self._take_in(
                    outer, FramedElement(_name_of(element), "frame", element, page, outer)
                )
        return outer, found

    def read_lights(self, page: Page, world: Element) -> Iterator[tuple[Element, Element, Page]]:
        """Yields an include of a world, the light that it means, and that light's file."""
        for element in all_of(world, "include"):
            if self._find_kind(element, page) == "light":
                inner = self._open_file(element, page, _silent)
                yield element, next(each for each in inner.elements if each.tag == "light"), inner

    def _find_kind(self, element: Element, page: Page) -> str:
        """Returns "light" for an include of a file with a light and no model, "stock" for a model
        that is built in, "" for all others, also where there is no file."""
        try:
            inner = self._open_file(element, page, _silent)
        except (MeshError, ReadError):
            return ""
        tags = {each.tag for each in inner.elements}
        if "light" in tags and "model" not in tags:
            return "light"
        return "stock" if inner.is_stock else ""

    def _fill(self, scope: Scope, depth: int) -> Scope:
        """The scope with all that is in its model."""
        element, page = scope.element, scope.page
        if depth > MOST_DEPTH:
            raise page.refusal(f"models are nested deeper than {MOST_DEPTH}", element)
        self._count(True, element, page)
        if page.urdf is not None:
            for node in make_nodes(scope, page.urdf):
                self._count(node.kind == "link", node.element, page)
                if node.given is not None and node.given.name != node.name:
                    self._report_shared(node.given.name, node)
        for child in element:
            kind = _KINDS.get(child.tag)
            if kind is not None:
                self._take_in(scope, FramedElement(_name_of(child), kind, child, page, scope))
            elif child.tag == "model":
                self._nest(scope, child, page, depth)
            elif child.tag == "include":
                self._add_included(scope, child, page, depth)
        return scope

    def _take_in(self, scope: Scope, node: FramedElement) -> None:
        """Adds a node to a scope, unless its name is taken, reserved or missing."""
        name, page, element = node.name, node.page, node.element
        what = f"{node.kind} {quote(name)}"
        if not name:
            finding = f"a <{element.tag}> has no name; it is left out"
            page.error("sdf-bad-name", finding, element)
        elif name == WORLD or (name.startswith("__") and name.endswith("__") and len(name) > 4):
            finding = f"{what} has a name that is reserved; it is left out"
            page.error("sdf-bad-name", finding, element, name)
        elif SEPARATOR in name and page.origin(element).version >= (1, 8):
            finding = f"{what} has {SEPARATOR!r} in its name, which only nested models have"
            page.error("sdf-bad-name", f"{finding}; it is left out", element, name)
        elif self._may_share(scope, node):
            self._report_shared(name, node)
            self._take_in(scope, replace(node, name=f"{name}_joint"))
        elif scope.find(name) is not None:
            finding = f"{what} has a name that is taken in its model; it is left out"
            page.error("sdf-duplicate-name", finding, element, node.full_name)
        else:
            scope.nodes[name] = node
            scope.order.append(node)
            self._count(node.kind == "link", element, page)

    def _report_shared(self, name: str, node: FramedElement) -> None:
        finding = f"joint {quote(name)} has the name of a link or frame; it is called"
        finding = f"{finding} {quote(f'{name}_joint')}"
        node.page.warning("sdf-shared-name", finding, node.element, node.full_name)

    def _may_share(self, scope: Scope, node: FramedElement) -> bool:
        """Whether a joint has the name of something else, as it may before 1.7."""
        other = scope.find(node.name)
        version = node.page.origin(node.element).version
        is_joint = node.kind == "joint" and version < (1, 7)
        return is_joint and other is not None and other.kind != "joint"

    def _count(self, more: bool, element: Element, page: Page) -> None:
        self.count += more
        if self.count > MOST_LINKS:
            raise page.refusal(f"there are more than {MOST_LINKS} links and models", element)

    def _nest(self, scope: Scope, element: Element, page: Page, depth: int) -> None:
        name = _name_of(element)
        node = FramedElement(name, "model", element, page, scope)
        prefix = f"{scope.prefix}{name}{SEPARATOR}"
        node.model = self._fill(Scope(name, prefix, element, page), depth + 1)
        self._take_in(scope, node)

    def _add_included(self, scope: Scope, element: Element, page: Page, depth: int) -> None:
        is_merged = element.attributes.get("merge", "").strip().lower() in ("1", "true")
        inner = self._include(element, page, scope.prefix, depth + 1, keeps_prefix=is_merged)
        if inner is None:
            return
        if not is_merged:
            node = FramedElement(inner.name, "model", element, page, scope)
            node.model = inner
            self._take_in(scope, node)
            return
        for name, node in list(inner.nodes.items()):
            if scope.find(name) is not None:
                finding = f"{node.kind} {quote(name)} is merged, but its name is taken; left out"
                page.error("sdf-duplicate-name", finding, element, node.full_name)
                inner.order.remove(node)
                del inner.nodes[name]
        scope.merged.append(inner)
        scope.order.append(inner)

    # Includes

    def _include(
        self,
        element: Element,
        page: Page,
        prefix: str,
        depth: int,
        *,
        keeps_prefix: bool,
    ) -> Scope | None:
        if depth > MOST_DEPTH:
            raise page.refusal(f"files include each other deeper than {MOST_DEPTH}", element)

        def report(code: str, message: str) -> None:
            page.warning(code, message, element)

        opened = self._open(element, page, report)
        if opened is None:
            return None
        found, inner = opened
        name = page.text(element, "name") or found.attributes.get("name", "")
        if not keeps_prefix:
            prefix = f"{prefix}{name}{SEPARATOR}"
        if any(each is found for each in self._open_now):
            finding = f"model {quote(name)} includes itself; it is left out there"
            page.error("sdf-include", finding, element, name)
            return None
        self._open_now.append(found)
        found, inner = self._change(found, inner, self._changer.parameters_of(element, page))
        scope = Scope(name, prefix, found, inner, include=(element, page))
        self._fill(scope, depth)
        self._open_now.pop()
        return scope

    def _change(
        self, model: Element, page: Page, parameters: list[Parameter]
    ) -> tuple[Element, Page]:
        """The model as the parameters of its include have it."""
        if parameters and page.urdf is not None:
            finding = f"the file of the model, {quote(os.path.basename(page.source))}, is URDF"
            for each in parameters:
                each.pass_over(finding)
        elif parameters:
            return self._changer.change(model, page, parameters)
        return model, page

    def _open(
        self, element: Element, page: Page, report: Report = _silent
    ) -> tuple[Element, Page] | None:
        """Returns the model that an include means, and its file; None, and reported, where there is
        none. `report` receives oddities of the place where it was found."""
        try:
            return self._find_model(element, page, report)
        except (MeshError, ReadError) as error:
            self.missing[id(element)] = finding = _explain(error)
            if not page.flag(element, "optional"):
                page.error("sdf-include", f"a model is not included: {finding}", element)
            return None

    def _peek(self, element: Element, page: Page) -> tuple[Element, Page] | None:
        """As _open, but says nothing."""
        try:
            return self._find_model(element, page, _silent)
        except (MeshError, ReadError):
            return None

    def _find_model(self, element: Element, page: Page, report: Report) -> tuple[Element, Page]:
        inner = self._open_file(element, page, report)
        model = next((each for each in inner.elements if each.tag == "model"), None)
        if model is None:
            raise ReadError(f"{quote(page.text(element, 'uri').strip())} holds no model")
        return model, inner

    def _open_file(self, element: Element, page: Page, report: Report) -> Page:
        """Returns the file that an include means, or a model that is built in where there is none
        of its name."""
        uri = page.text(element, "uri").strip()
        if not uri:
            raise ReadError("it names no uri")
        stock = find_stock(uri)
        if stock is not None:
            try:
                return self._open_page(f"model://{stock[0]}", page.origin(element), _silent)
            except (MeshError, ReadError):
                inner = read_page(stock[1], stock[0], Diagnostics())
                inner.is_stock = True
                return self.pages.setdefault(uri, inner)
        if uri.lower().startswith(("http://", "https://")):
            name = uri.rstrip("/").rsplit("/", 1)[-1]
            message = f"{quote(uri)} is not fetched; download it, and put it into a folder"
            raise ReadError(f"{message} {quote(name)} beside the model")
        return self._open_page(uri, page.origin(element), report)

    def _open_page(self, uri: str, page: Page, report: Report) -> Page:
        path, home = find_model_file(uri, page, self.resolver, report)
        if path not in self.pages:
            data = read_regular_file(path)
            if find_root_tag(data, path) == ROOT_TAG:
                page = read_urdf_page(data, path, home, self.resolver, self.diagnostics)
            else:
                page = read_page(data, path, self.diagnostics, home)
            self.pages[path] = page
        return self.pages[path]


def _explain(error: MeshError | ReadError) -> str:
    """The error, and its place in the included file."""
    if not isinstance(error, ReadError) or not error.source:
        return error.message
    place = os.path.basename(error.source) + (f", line {error.line}" if error.line else "")
    return f"{place}: {error.message}"


def _name_of(element: Element) -> str:
    return element.attributes.get("name", "").strip()


def report_world_joints(page: Page, names: Collection[str], tied: Collection[int] = ()) -> None:
    """Reports joints of worlds that hold models, which are read without them. Joints at the offsets
    `tied` attach a model to another one: only that they do not move is reported."""
    for world in page.elements:
        for joint in all_of(world, "joint") if world.tag == "world" else ():
            is_tied = joint.offset in tied
            if is_tied and joint.attributes.get("type", "").strip() == "fixed":
                continue
            ends = [page.text(joint, tag).split(SEPARATOR)[0] for tag in ("parent", "child")]
            held = next((end for end in ends if end in names), None)
            if held is not None:
                finding = f"joint {quote(_name_of(joint))} of the world holds model {quote(held)}"
                loss = "and does not move" if is_tied else "which is read without it"
                finding = f"{finding}, {loss}"
                page.warning("sdf-world-joint", finding, joint, held)
