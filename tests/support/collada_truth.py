# SPDX-License-Identifier: GPL-3.0-or-later
"""What a COLLADA file shows, worked out straight from its XML.

On another way than the loader takes: recursive, with plain transforms and face by face, and without
the library. It knows what the files of real robots have and no more.
"""

import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

NS = "{http://www.collada.org/2005/11/COLLADASchema}"


@dataclass
class Expected:
    faces: int = 0
    materials: set[str] = field(default_factory=set)
    images: set[str] = field(default_factory=set)
    low: np.ndarray = field(default_factory=lambda: np.full(3, math.inf))
    high: np.ndarray = field(default_factory=lambda: np.full(3, -math.inf))
    points: list[np.ndarray] = field(default_factory=list)

    def add(self, points: np.ndarray) -> None:
        self.points.append(points)
        self.low = np.minimum(self.low, points.min(axis=0))
        self.high = np.maximum(self.high, points.max(axis=0))


def tagged(path: str) -> str:
    return "/".join(NS + each for each in path.split("/"))


def expect(path: Path) -> Expected:
    root = ET.parse(path).getroot()
    by_id = {each.get("id", ""): each for each in root.iter() if each.get("id")}
    unit = root.find(tagged("asset/unit"))
    meter = 1.0 if unit is None else float(unit.get("meter", "1"))
    scene = root.find(tagged("scene/instance_visual_scene"))
    assert scene is not None
    expected = Expected()
    visit(by_id[scene.get("url", "")[1:]], np.diag([meter, meter, meter, 1]), by_id, expected)
    return expected


ById = dict[str, ET.Element]


def words(element: ET.Element) -> list[str]:
    return (element.text or "").split()


def child_of(element: ET.Element, tag: str) -> ET.Element:
    found = element.find(NS + tag)
    assert found is not None, tag
    return found


def named(element: ET.Element, attribute: str, by_id: ById) -> ET.Element:
    """What the reference in this attribute names."""
    return by_id[element.get(attribute, "")[1:]]


def visit(node: ET.Element, matrix: np.ndarray, by_id: ById, expected: Expected) -> None:
    for child in node:
        tag = child.tag.removeprefix(NS)
        if tag in ("matrix", "translate", "rotate", "scale"):
            matrix = matrix @ transform(tag, [float(each) for each in words(child)])
        elif tag == "node":
            visit(child, matrix, by_id, expected)
        elif tag == "instance_node":
            visit(named(child, "url", by_id), matrix, by_id, expected)
        elif tag == "instance_geometry":
            bound = {
                each.get("symbol"): each.get("target")
                for each in child.iter(NS + "instance_material")
            }
            add_geometry(named(child, "url", by_id), matrix, bound, by_id, expected)
        else:
            assert tag in ("instance_light", "instance_camera", "extra", "skew"), tag


def transform(tag: str, numbers: list[float]) -> np.ndarray:
    matrix = np.eye(4)
    if tag == "matrix":
        matrix = np.array(numbers).reshape(4, 4)
    elif tag == "translate":
        matrix[:3, 3] = numbers
    elif tag == "scale":
        matrix = np.diag([*numbers, 1])
    else:  # Rodrigues' formula, vector by vector
        axis, angle = np.array(numbers[:3]), math.radians(numbers[3])
        for i, unit in enumerate(np.eye(3)):
            turned = unit * math.cos(angle) + np.cross(axis, unit) * math.sin(angle)
            matrix[:3, i] = turned + axis * np.dot(axis, unit) * (1 - math.cos(angle))
    return matrix


def add_geometry(
    element: ET.Element,
    matrix: np.ndarray,
    bound: dict[str | None, str | None],
    by_id: ById,
    expected: Expected,
) -> None:
    for primitive in child_of(element, "mesh"):
        tag = primitive.tag.removeprefix(NS)
        if tag not in ("triangles", "polylist"):
            assert tag in ("source", "vertices", "lines", "extra"), tag
            continue
        inputs = {each.get("semantic"): each for each in primitive.findall(NS + "input")}
        width = max(int(each.get("offset", "0")) for each in primitive.findall(NS + "input")) + 1
        position = child_of(named(inputs["VERTEX"], "source", by_id), "input")
        assert position.get("semantic") == "POSITION"
        values = words(child_of(named(position, "source", by_id), "float_array"))
        points = np.array(values, dtype=float).reshape(-1, 3)
        places = points @ matrix[:3, :3].T + matrix[:3, 3]
        numbers = np.array(words(child_of(primitive, "p")), dtype=int)
        used = numbers.reshape(-1, width)[:, int(inputs["VERTEX"].get("offset", "0"))]
        if len(used):
            expected.faces += count_faces(primitive, used, places)
            expected.add(places[used])
            target = (bound.get(primitive.get("material")) or "#")[1:]
            expected.materials |= {target} & {*by_id}
            if target in by_id:
                expected.images |= find_images(by_id[target], by_id)


def find_images(material: ET.Element, by_id: ById) -> set[str]:
    """The files of the images on the diffuse colour: sampler, surface, image."""
    effect = named(child_of(material, "instance_effect"), "url", by_id)
    parameters = {each.get("sid"): each for each in effect.iter(NS + "newparam")}
    images = set()
    for texture in effect.iterfind(f".//{NS}diffuse/{NS}texture"):
        name = texture.get("texture", "")
        while name in parameters:
            (place,) = (
                *parameters[name].iter(NS + "source"),
                *parameters[name].iter(NS + "init_from"),
            )
            name = place.text or ""
        images.add(child_of(by_id[name], "init_from").text or "")
    return images


def count_faces(primitive: ET.Element, used: np.ndarray, places: np.ndarray) -> int:
    """Those with at least three different places."""
    _, same = np.unique(places.astype(np.float32) + np.float32(0), axis=0, return_inverse=True)
    vertices = same.reshape(-1)[used].tolist()
    counts = primitive.find(NS + "vcount")
    sizes = [3] * (len(used) // 3) if counts is None else [int(n) for n in words(counts)]
    start = faces = 0
    for size in sizes:
        faces += len({*vertices[start : start + size]}) >= 3
        start += size
    assert start == len(used)
    return faces
