# SPDX-License-Identifier: GPL-3.0-or-later
"""The model that is read, and the models that it attaches: each with its own settings, default
classes and assets.

An attached model is a file of its own, whose names get a prefix. Models that attach each other in a
circle are refused, and so are models that would have more elements than any robot.
"""

import os
from dataclasses import dataclass, replace
from pathlib import Path

from ....core.diagnostics import Diagnostics, quote
from ....core.files.packages import PackageResolver
from ....core.files.portable import relative_path
from ....core.files.regular import read_regular_file
from .document import Compiler, Defaults, Files, MjcfElement, parse
from .geoms import Assets
from .meshes import MeshMeasures
from .sites import list_frameless

READ_SECTIONS = ("default", "asset", "worldbody", "equality", "compiler")
"""Sections that become the robot; the others are kept word for word."""

_SETTINGS = ("option", "visual", "size", "statistic", "custom")
_MOST_ATTACHED = 1_000
_UNNAMED = "MuJoCo Model"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Model:
    """One file with its includes. `prefix` begins all of its names, `above` are the files that
    attach it, `frameless` the sites that become no links."""

    root: MjcfElement
    files: Files
    compiler: Compiler
    defaults: Defaults
    assets: Assets
    source: str
    frameless: frozenset[str] = frozenset()
    prefix: str = ""
    above: tuple[str, ...] = ()

    def make_world(self) -> MjcfElement:
        """Returns all <worldbody> as one element."""
        world = MjcfElement("worldbody", {}, self.root.line, self.root.source)
        parts = list(self.root.all("worldbody"))
        world.children = [child for each in parts for child in each.children]
        childclass = next((each.text("childclass") for each in parts), "")
        if childclass:
            world.attributes = {"childclass": childclass}
        return world


class Models:
    """Opens the model that is read, and the models that it attaches."""

    def __init__(
        self, resolver: PackageResolver, meshes: MeshMeasures, diagnostics: Diagnostics
    ) -> None:
        self._resolver = resolver
        self._meshes = meshes
        self._diagnostics = diagnostics
        self._home = ""
        self._told: set[str] = set()
        self._names: dict[str, str] = {}
        self._orders: dict[int, _Order] = {}
        self.attached: list[tuple[Model, str]] = []
        """Attached models, and the suffixes of their names."""

    def open(self, data: bytes, source: str) -> Model:
        """Opens the model that is read. Raises ReadError."""
        self._home = os.path.dirname(source)
        return self._open(data, source, "", ())

    def attach(
        self, model: Model, node: MjcfElement, suffix: str
    ) -> tuple[Model, MjcfElement, str]:
        """Opens the file that <attach> names; returns it, the element of it that is attached and
        the class of the bodies around that. Raises ReadError."""
        if len(self.attached) >= _MOST_ATTACHED:
            raise node.refuse(f"more than {_MOST_ATTACHED} models are attached")
        prefix = model.prefix + node.text("prefix")
        if name := node.text("model"):
            path = self._find_file(model, node, name)
            above = (*model.above, model.source)
            found = self._open(read_regular_file(path), path, prefix, above)
            element, childclass = _find_part(found, node)
        else:
            found = replace(model, prefix=prefix)
            element, childclass = self._find_earlier(model, node)
        self.attached.append((found, suffix))
        self._tell_what_is_lost(found, node)
        return found, element, childclass

    def _find_file(self, model: Model, node: MjcfElement, name: str) -> str:
        """Finds the file of a model by its name, or by its own where <model> gives it none."""
        for asset in model.assets.models:
            if (asset.text("name") or self._read_name(model, asset)) == name:
                path = str(model.files.find(asset))
                if path in (*model.above, model.source):
                    raise node.refuse(f"the model {quote(name)} attaches itself")
                return path
        raise node.refuse(f"<attach> names the model {quote(name)}, which is not defined")

    def _read_name(self, model: Model, asset: MjcfElement) -> str:
        path = str(model.files.find(asset))
        if path not in self._names:
            root = parse(read_regular_file(path), path, Diagnostics(path))
            self._names[path] = root.text("model") or _UNNAMED
        return self._names[path]

    def _find_earlier(self, model: Model, node: MjcfElement) -> tuple[MjcfElement, str]:
        """Finds a part of the model itself, as far as it has been written where it is attached,
        and the class around it."""
        order = self._orders.get(id(model.root))
        if order is None:
            order = self._orders[id(model.root)] = _Order(model)
        return order.find(node)

    def _open(self, data: bytes, source: str, prefix: str, above: tuple[str, ...]) -> Model:
        files = Files(self._resolver, source, self._diagnostics)
        root = files.read(data, source)
        folder = relative_path(os.path.dirname(source) or ".", self._home or ".")
        compiler = Compiler(root, "" if folder == os.curdir else folder)
        defaults = Defaults(root)
        assets = Assets(
            root, compiler, defaults, self._meshes, self._diagnostics, prefix=prefix
        )  # fmt: skip
        return Model(
            root=root,
            files=files,
            compiler=compiler,
            defaults=defaults,
            assets=assets,
            source=os.path.realpath(source),
            frameless=list_frameless(root),
            prefix=prefix,
            above=above,
        )

    def _tell_what_is_lost(self, model: Model, node: MjcfElement) -> None:
        kept = (*READ_SECTIONS, *_SETTINGS)
        tags = {f"<{each.tag}>" for each in model.root.children if each.tag not in kept}
        if not tags or model.source in self._told:
            return
        self._told.add(model.source)
        lost = f"{', '.join(sorted(tags))} of {quote(Path(model.source).name)} are left out"
        report = self._diagnostics.error
        node.report("mjcf-not-read", f"<attach>: {lost}", node.text("model"), report)


def _find_part(model: Model, node: MjcfElement) -> tuple[MjcfElement, str]:
    """Returns the body or frame that <attach> names, or all of the world, as a frame that holds
    it."""
    order = _Order(model)
    for tag in ("body", "frame"):
        wanted = node.text(tag)
        if not wanted:
            continue
        if tag == "body" and wanted == "world":
            attributes = {**order.world.attributes, "name": wanted}
            return replace(order.world, tag="body", attributes=attributes), ""
        found = order.named.get((tag, wanted))
        if found is None:
            raise node.refuse(f"<attach> names the {tag} {quote(wanted)}, which does not exist")
        return found
    return replace(order.world, tag="frame"), ""


class _Order:
    """The bodies and frames of one model by name, and the order in which they are written. A body
    that is attached within itself comes without the elements written from there on."""

    def __init__(self, model: Model) -> None:
        self.world = world = model.make_world()
        self._above: dict[int, MjcfElement] = {}
        self._numbers: dict[int, int] = {}
        self.named: dict[tuple[str, str], tuple[MjcfElement, str]] = {
            ("body", "world"): (world, "")
        }
        stack = [(world, "")]
        while stack:
            node, childclass = stack.pop()
            self._numbers[id(node)] = len(self._numbers)
            if name := node.text("name"):
                self.named.setdefault((node.tag, name), (node, childclass))
            inner = node.text("childclass") or childclass
            for child in reversed(node.children):
                self._above[id(child)] = node
                stack.append((child, inner))

    def find(self, node: MjcfElement) -> tuple[MjcfElement, str]:
        """Returns the element that <attach> names, and the class around it. Raises ReadError."""
        tag = "body" if node.text("body") else "frame"
        name = node.text(tag)
        found, childclass = self.named.get((tag, name), (node, ""))
        if self._numbers[id(found)] >= self._numbers[id(node)]:
            raise node.refuse(f"<attach> names the {tag} {quote(name)}, which does not exist yet")
        cut: MjcfElement | None = None
        child = node
        while child is not found and child is not self.world:
            above = self._above[id(child)]
            kept = above.children[: above.children.index(child)]
            cut = replace(above, children=kept if cut is None else [*kept, cut])
            child = above
        if child is not found or cut is None:
            return found, childclass
        if found is self.world:
            attributes = {**cut.attributes, "name": "world"}
            cut = replace(cut, tag="body", attributes=attributes)
        return cut, childclass
