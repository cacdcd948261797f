# SPDX-License-Identifier: GPL-3.0-or-later
"""Which geometries of a COLLADA document are shown, where and with which materials.

`<unit>` counts, `<up_axis>` does not, as in RViz. Nodes are walked with a stack, since files say
how deep they are nested, and within a budget, since a few nodes that hold each other twice make
billions.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from ...diagnostics import MeshError, Report, quote
from ...geometry.transforms import make_frame

Matrix = NDArray[np.float64]

MOST_VISITS = 400_000
"""Elements of nodes looked at, each as often as its node is instanced."""

MOST_INSTANCES = 20_000
MOST_NESTED_INSTANCES = 64
_SMALLEST_UNIT, _LARGEST_UNIT = 1e-12, 1e12


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """The id of the material bound to a symbol of a geometry, and for each name that its effect
    gives to texture coordinates the matching set of the geometry."""

    material: str
    uv_sets: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedGeometry:
    """`world_from_geometry` is (4, 4), in metres. `bindings` are by symbol. `names` are the names
    of its node and its own, and their ids."""

    element: Element
    world_from_geometry: Matrix
    bindings: Mapping[str, Binding]
    names: tuple[str, ...] = ()


def place_geometries(root: Element, report: Report) -> list[PlacedGeometry]:
    """Returns all geometries of the document's scene, in the order of the file.

    Without <scene> the geometries of its first visual scene; without any, each geometry once,
    untransformed. Reports `no-scene`, `broken-reference`, `recursive-node`,
    `unsupported-transform`, `invalid-transform`, `decimal-commas` and `invalid-unit`. Raises
    MeshError `mesh-too-large`.
    """
    scale = np.diag([*[_read_unit(root, report)] * 3, 1.0])
    walk = _Walk(root, report)
    scene = _find_scene(root, walk, report)
    if scene is None:
        elements = list(root.iter("geometry"))
        place = partial(PlacedGeometry, world_from_geometry=scale, bindings={})
        return [place(element=e, names=_names_of(e)) for e in elements[:MOST_INSTANCES]]
    return list(walk.walk(scene, scale))


def target_of(element: Element, attribute: str = "url") -> str:
    """Returns the id that an element refers to."""
    return element.get(attribute, "").strip().removeprefix("#")


def elements_by_id(root: Element, tag: str) -> dict[str, Element]:
    """Returns the first element of each id."""
    found: dict[str, Element] = {}
    for element in root.iter(tag):
        found.setdefault(element.get("id", ""), element)
    return found


def _find_scene(root: Element, walk: "_Walk", report: Report) -> Element | None:
    scenes = elements_by_id(root, "visual_scene")
    instance = root.find("scene/instance_visual_scene")
    if instance is not None and target_of(instance) in scenes:
        return scenes[target_of(instance)]
    if scenes:
        report("no-scene", "the document does not say which scene is shown; the first one was read")
        return next(iter(scenes.values()))
    if walk.geometries:
        report("no-scene", "the document has no scene; all its geometries were read")
    return None


@dataclass(frozen=True, slots=True)
class _Visit:
    """A node to be looked at; `within` are the ids of the nodes instanced on the way to it."""

    node: Element
    world_from_parent: Matrix
    within: frozenset[str]


class _Walk:
    """One walk through a scene."""

    def __init__(self, root: Element, report: Report) -> None:
        self.geometries = elements_by_id(root, "geometry")
        self._controllers = elements_by_id(root, "controller")
        self._nodes = elements_by_id(root, "node")
        self._report = report
        self._matrices: dict[Element, Matrix] = {}
        self._bindings: dict[Element, Mapping[str, Binding]] = {}
        self._reported: set[tuple[str, str]] = set()
        self._visits_left = MOST_VISITS
        self._instances_left = MOST_INSTANCES

    def walk(self, scene: Element, world_from_scene: Matrix) -> Iterator[PlacedGeometry]:
        stack = [_Visit(scene, world_from_scene, frozenset())]
        while stack:
            visit = stack.pop()
            node = visit.node
            self._visits_left -= 1 + len(node)
            if self._visits_left < 0:
                raise _too_large("nodes")
            world = visit.world_from_parent @ self._matrix_of(node)
            yield from self._place_instances(node, world)
            stack += reversed([*self._children(node, world, visit.within)])

    def _children(self, node: Element, world: Matrix, within: frozenset[str]) -> Iterator[_Visit]:
        for child in node:
            if child.tag == "node":
                yield _Visit(child, world, within)
            elif child.tag == "instance_node":
                name = target_of(child)
                if name not in self._nodes:
                    self._say_missing("node", name)
                elif name in within or len(within) == MOST_NESTED_INSTANCES:
                    self._say(
                        "recursive-node", f"node {quote(name)} nests without end; it was left out"
                    )
                else:
                    yield _Visit(self._nodes[name], world, within | {name})

    def _place_instances(self, node: Element, world: Matrix) -> Iterator[PlacedGeometry]:
        for child in node:
            if child.tag not in ("instance_geometry", "instance_controller"):
                continue
            name, matrix = target_of(child), world
            if child.tag == "instance_controller":
                name, shape = self._skinned(name)
                matrix = world @ shape
            if name not in self.geometries:
                self._say_missing("geometry", name)
                continue
            self._instances_left -= 1
            if self._instances_left < 0:
                raise _too_large("instances")
            yield PlacedGeometry(
                element=self.geometries[name],
                world_from_geometry=matrix,
                bindings=self._bindings_of(child),
                names=(*_names_of(node), *_names_of(self.geometries[name])),
            )

    def _skinned(self, name: str) -> tuple[str, Matrix]:
        """The geometry below a chain of controllers, and the transform into its bind pose."""
        matrix = np.eye(4)
        for _ in range(MOST_NESTED_INSTANCES):
            controller = self._controllers.get(name)
            if controller is None:
                break
            skin = controller.find("skin")
            bent = skin if skin is not None else controller.find("morph")
            if bent is None:
                break
            shape = bent.find("bind_shape_matrix")
            if shape is not None:
                matrix = matrix @ self._read_transform(shape, _read_matrix)
            name = target_of(bent, "source")
        return name, matrix

    def _matrix_of(self, node: Element) -> Matrix:
        """parent_from_node, of all transforms of a node."""
        if node not in self._matrices:
            matrix = np.eye(4)
            for child in node:
                if child.tag in _TRANSFORMS:
                    matrix = matrix @ self._read_transform(child, _TRANSFORMS[child.tag])
                elif child.tag == "skew":
                    self._say("unsupported-transform", "a node is skewed; the skew was left out")
            self._matrices[node] = matrix
        return self._matrices[node]

    def _read_transform(self, element: Element, read: Callable[[list[float]], Matrix]) -> Matrix:
        try:
            matrix = read([_number(word) for word in (element.text or "").split()])
        except ValueError:
            matrix = np.full((4, 4), np.nan)
        if not np.isfinite(matrix).all():
            self._say("invalid-transform", f"a <{element.tag}> has wrong numbers; it was left out")
            return np.eye(4)
        return matrix

    def _bindings_of(self, instance: Element) -> Mapping[str, Binding]:
        if instance not in self._bindings:
            path = "bind_material/technique_common/instance_material"
            self._bindings[instance] = {
                each.get("symbol", ""): Binding(
                    material=target_of(each, "target"),
                    uv_sets={
                        bound.get("semantic", ""): bound.get("input_set", "0")
                        for bound in each.findall("bind_vertex_input")
                    },
                )
                for each in instance.findall(path)
            }
        return self._bindings[instance]

    def _say_missing(self, kind: str, name: str) -> None:
        self._say("broken-reference", f"there is no {kind} {quote(name)}; it was left out")

    def _say(self, code: str, message: str) -> None:
        """Each thing once, however often its node is instanced."""
        if (code, message) not in self._reported:
            self._reported.add((code, message))
            self._report(code, message)


def _names_of(element: Element) -> tuple[str, ...]:
    return element.get("name", ""), element.get("id", "")


def _too_large(what: str) -> MeshError:
    return MeshError(f"the scene has more {what} than are read", code="mesh-too-large")


def read_up_axis(root: Element) -> str:
    """Reads which axis points up: "X", "Y" or "Z"; Z also of a file that does not say."""
    text = (root.findtext("asset/up_axis") or "").strip().upper()
    return text[0] if text in ("X_UP", "Y_UP", "Z_UP") else "Z"


def _read_unit(root: Element, report: Report) -> float:
    unit = root.find("asset/unit")
    text = unit.get("meter", "1").strip() if unit is not None else "1"
    if "," in text and "." not in text:
        report("decimal-commas", f"the unit {quote(text)} has a decimal comma; read as a point")
        text = text.replace(",", ".")
    try:
        meter = _number(text)
    except ValueError:
        meter = math.nan
    if not _SMALLEST_UNIT <= meter <= _LARGEST_UNIT:
        report("invalid-unit", f"the unit {quote(text)} is not a length; metres were assumed")
        return 1.0
    return meter


def _number(word: str) -> float:
    if "_" in word or not word.isascii():
        raise ValueError(word)
    return float(word)


# Each of these takes the numbers of an element and raises ValueError where they are too few.


def _read_matrix(numbers: Sequence[float]) -> Matrix:
    return np.array(numbers, dtype=np.float64).reshape(4, 4)


def _read_translation(numbers: Sequence[float]) -> Matrix:
    return make_frame(point=np.reshape(numbers, 3))


def _read_scaling(numbers: Sequence[float]) -> Matrix:
    return np.diag([*np.reshape(numbers, 3), 1.0])


def _read_rotation(numbers: Sequence[float]) -> Matrix:
    """An axis, of any length, and an angle in degrees."""
    x, y, z, degrees = np.reshape(numbers, 4)
    length = math.hypot(x, y, z)
    matrix = np.eye(4)
    if length > 0:
        x, y, z = x / length, y / length, z / length
        angle = math.radians(degrees)
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        matrix[:3, :3] += math.sin(angle) * cross + (1 - math.cos(angle)) * (cross @ cross)
    return matrix


def _read_look(numbers: Sequence[float]) -> Matrix:
    """Eye, point of interest and up: -Z looks at the point."""
    eye, point, up = np.reshape(numbers, (3, 3))
    back = _unit(eye - point)
    right = _unit(np.cross(up, back))
    matrix = np.eye(4)
    matrix[:3] = np.column_stack([right, np.cross(back, right), back, eye])
    return matrix


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    length = np.linalg.norm(vector)
    if not length > 0:
        raise ValueError("no direction")
    unit: NDArray[np.float64] = vector / length
    return unit


_TRANSFORMS: dict[str, Callable[[list[float]], Matrix]] = {
    "matrix": _read_matrix,
    "translate": _read_translation,
    "scale": _read_scaling,
    "rotate": _read_rotation,
    "lookat": _read_look,
}
