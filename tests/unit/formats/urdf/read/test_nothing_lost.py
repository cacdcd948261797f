# SPDX-License-Identifier: GPL-3.0-or-later
"""What descriptions say beyond URDF is in the model: of a file made for it, of every real one."""

from collections.abc import Callable, Iterator
from pathlib import Path
from xml.parsers import expat

import pytest

from support.readable_robots import DATA, readable_descriptions
from urdf_importer import read_robot
from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.model import Extra, Leaf
from urdf_importer.formats.urdf.write.plain import write_robot_text
from urdf_importer.formats.urdf.xacro.expand import is_xacro

from ...conftest import Reading


@pytest.fixture(scope="module")
def reading(read_file: Callable[[str], Reading]) -> Reading:
    return read_file("attributes_at_every_level.urdf")


def test_attributes_and_children_are_kept_where_they_stand(reading: Reading) -> None:
    robot = reading.robot
    assert robot.attributes == (("xmlns:drake", "http://drake.mit.edu"), ("owner", ""))
    (paint,) = robot.materials
    assert paint.attributes == (("shine", "0.5"),)
    assert [extra.tag for extra in paint.extras] == ["specular"]
    assert paint.leaves == (
        Leaf(tag="color", attributes=(("space", "linear"),)),
        Leaf(tag="texture", attributes=(("repeat", "2"),)),
    )
    base = robot.links[0]
    assert base.attributes == (("type", "laser"),)
    assert [extra.tag for extra in base.extras] == ["inertial"]
    assert base.inertial is not None
    assert base.inertial.attributes == (("kind", "measured"),)
    assert base.inertial.inertia is not None
    assert base.inertial.inertia.attributes == (("iyx", "0"), ("izx", "0"), ("izy", "0"))
    assert base.inertial.inertia.extras == (Extra(tag="note", xml="<note/>"),)


def test_shapes_keep_what_they_say(reading: Reading) -> None:
    (visual,), (collision,) = reading.robot.links[0].visuals, reading.robot.links[0].collisions
    assert visual.attributes == (("group", "1"),)
    assert [(leaf.tag, leaf.attributes) for leaf in visual.leaves] == [
        ("origin", (("frame", 'a "b"\nc'),)),
        ("geometry", (("name", "outer"),)),
        ("box", (("units", "m"),)),
    ]
    assert [extra.tag for extra in visual.leaves[1].extras] == ["origin", "sphere"]
    assert visual.leaves[2].extras == (Extra(tag="edge", xml='<edge radius="0.1"/>'),)
    assert visual.extras == (Extra(tag="material", xml='<material name="other"/>'),)
    assert collision.leaves[0] == Leaf(tag="origin")  # a second one follows, which must stay so
    assert collision.attributes == (("group", "2"), ("drake:name", "hull"))


def test_joints_keep_what_they_say(reading: Reading) -> None:
    turn, slide = reading.robot.joints
    assert turn.attributes == (("dont_collapse", "true"),)
    assert turn.limit is not None
    assert turn.limit.attributes == (("drake:acceleration", "4"), ("jerk", "5"))
    assert turn.limit.extras == (Extra(tag="soft", xml="<soft/>"),)
    assert turn.dynamics is not None
    assert dict(turn.dynamics.attributes)["mu_viscous"] == "16"
    assert [leaf.tag for leaf in turn.leaves] == ["origin", "parent", "child", "axis"]
    assert turn.leaves[3].attributes == (("rpy", "0 0 0"),)
    assert slide.axis == (1.0, 0.0, 0.0)
    assert slide.mimic is None
    assert slide.leaves == (Leaf(tag="mimic", attributes=(("multiplier", "2"), ("ratio", "3"))),)


def elements_of(text: bytes) -> dict[str, list[dict[str, str]]]:
    """Path of tags and places -> attributes of every element. The place counts elements of one
    tag, and is the name where there is one."""
    found: dict[str, list[dict[str, str]]] = {}
    path: list[str] = []
    counts: list[dict[str, int]] = [{}]

    def start(tag: str, attributes: dict[str, str]) -> None:
        number = counts[-1][tag] = counts[-1].get(tag, 0) + 1
        path.append(f"{tag}#{number}")
        counts.append({})
        found.setdefault("/".join(path), []).append(attributes)

    def end(_tag: str) -> None:
        path.pop()
        counts.pop()

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(text, True)
    return found


DEFAULTS = {
    ("origin", "xyz"): "0 0 0",
    ("origin", "rpy"): "0 0 0",
    ("mesh", "scale"): "1 1 1",
    ("mimic", "multiplier"): "1",
    ("mimic", "offset"): "0",
    ("visual", "name"): "",
    ("collision", "name"): "",
    ("robot", "version"): "",
}


def lost_from(before: bytes, after: bytes) -> Iterator[str]:
    """Every attribute of `before` that `after` does not say."""
    written = elements_of(after)
    for path, elements in elements_of(before).items():
        tag = path.rpartition("/")[2].partition("#")[0]
        for attributes, found in zip(elements, written.get(path, [{}]), strict=True):
            for name, value in attributes.items():
                default = DEFAULTS.get((tag, name), "" if not value.strip() else None)
                other = found.get(name, default)
                if other is None or not alike(value, other):
                    yield f"{path} {name}={value!r} became {other!r}"


def alike(one: str, other: str) -> bool:
    if one == other:
        return True
    try:
        return [float(word) for word in one.split()] == [float(word) for word in other.split()]
    except ValueError:
        return False


REAL = [
    path
    for path in readable_descriptions()
    if DATA not in path.parents and not is_xacro(path.read_bytes(), str(path))
]


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_real_files_lose_nothing(path: Path) -> None:
    text = path.read_bytes()
    robot = read_robot(path, diagnostics=Diagnostics())
    assert list(lost_from(text, write_robot_text(robot).encode())) == []
