# SPDX-License-Identifier: GPL-3.0-or-later
"""All robots of example-robot-data, against what ElementTree finds in the same files."""

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from urdf_importer import read_robot
from urdf_importer.core.diagnostics import Diagnostics, ReadError
from urdf_importer.core.model import Collision, Extra, Joint, Link, Pose, Robot, Vector3, Visual

EMPTY = "ur_description/urdf/ur3.urdf"  # what is left of a xacro file of macros: no links
KNOWN = {"link", "joint", "material", "transmission"}


@pytest.fixture(scope="module")
def robots(real_robots: dict[str, Path]) -> dict[Path, Robot]:
    return {
        path: read_robot(path, diagnostics=Diagnostics())
        for name, path in real_robots.items()
        if name != EMPTY
    }


def test_there_are_many(real_robots: dict[str, Path]) -> None:
    assert len(real_robots) >= 69
    assert EMPTY in real_robots


def test_a_robot_without_links_is_refused(real_robots: dict[str, Path]) -> None:
    with pytest.raises(ReadError, match="no links") as caught:
        read_robot(real_robots[EMPTY], diagnostics=Diagnostics())
    assert caught.value.line == 6


def test_nothing_is_lost(robots: dict[Path, Robot]) -> None:
    for path, robot in robots.items():
        root = ET.parse(path).getroot()
        assert [link.name for link in robot.links] == [e.get("name") for e in root.findall("link")]
        assert [joint.name for joint in robot.joints] == [
            e.get("name") for e in root.findall("joint")
        ]
        assert len(robot.transmissions) == len(root.findall("transmission"))
        assert len(robot.materials) == len(root.findall("material"))
        assert [extra.tag for extra in robot.extras] == [
            child.tag for child in root if child.tag not in KNOWN
        ]


def test_links_are_the_same(robots: dict[Path, Robot]) -> None:
    for path, robot in robots.items():
        for link, element in zip(
            robot.links, ET.parse(path).getroot().findall("link"), strict=True
        ):
            check_link(link, element)


def check_link(link: Link, element: ET.Element) -> None:
    inertial = element.find("inertial")
    assert (link.inertial is None) == (inertial is None)
    if link.inertial is not None and inertial is not None:
        assert link.inertial.origin == pose_of(inertial)
        assert link.inertial.mass == number(inertial, "mass", "value")
        for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"):
            assert getattr(link.inertial.inertia, name) == number(inertial, "inertia", name)
    check_shapes(link.visuals, element.findall("visual"))
    check_shapes(link.collisions, element.findall("collision"))


def check_shapes(shapes: Sequence[Visual | Collision], written: list[ET.Element]) -> None:
    assert [shape.origin for shape in shapes] == [pose_of(element) for element in written]
    for shape, element in zip(shapes, written, strict=True):
        geometry = required(element, "geometry")[0]
        assert type(shape.geometry).__name__.lower() == geometry.tag
        assert getattr(shape.geometry, "filename", None) == geometry.get("filename")


def test_joints_are_the_same(robots: dict[Path, Robot]) -> None:
    for path, robot in robots.items():
        written = ET.parse(path).getroot().findall("joint")
        for joint, element in zip(robot.joints, written, strict=True):
            check_joint(joint, element)


def check_joint(joint: Joint, element: ET.Element) -> None:
    assert joint.type == element.get("type")
    assert joint.parent == required(element, "parent").get("link")
    assert joint.child == required(element, "child").get("link")
    assert joint.origin == pose_of(element)
    axis = element.find("axis")
    assert joint.axis == (None if axis is None else vector(axis.get("xyz", "")))
    limit = element.find("limit")
    assert (joint.limit is None) == (limit is None)
    if limit is not None:
        for name in ("lower", "upper", "effort", "velocity"):
            text = limit.get(name)
            assert getattr(joint.limit, name) == (None if text is None else float(text))
    mimic = element.find("mimic")
    assert (joint.mimic and joint.mimic.joint) == (None if mimic is None else mimic.get("joint"))


def required(element: ET.Element, tag: str) -> ET.Element:
    found = element.find(tag)
    assert found is not None
    return found


def number(element: ET.Element, tag: str, name: str) -> float:
    return float(required(element, tag).get(name, ""))


def vector(text: str) -> Vector3:
    x, y, z = map(float, text.split())
    return x, y, z


def pose_of(element: ET.Element) -> Pose:
    origin = element.find("origin")
    if origin is None:
        return Pose()
    return Pose(xyz=vector(origin.get("xyz", "0 0 0")), rpy=vector(origin.get("rpy", "0 0 0")))


def test_lines_are_those_of_the_start_tags(robots: dict[Path, Robot]) -> None:
    checked = 0
    for path, robot in robots.items():
        lines = path.read_text("utf-8").split("\n")
        for tag, line in placed(robot):
            assert re.search(rf"<{re.escape(tag)}\b", lines[line - 1]), f"{path}:{line}: <{tag}>"
            checked += 1
    assert checked > 10_000


def placed(robot: Robot) -> list[tuple[str, int]]:
    found = [("material", item.line) for item in robot.materials]
    found += [("transmission", item.line) for item in robot.transmissions]
    found += [("joint", item.line) for item in robot.joints]
    for link in robot.links:
        found.append(("link", link.line))
        if link.inertial is not None:
            found.append(("inertial", link.inertial.line))
        found += [("visual", item.line) for item in link.visuals]
        found += [("collision", item.line) for item in link.collisions]
        found += [
            ("material", item.material.line) for item in link.visuals if item.material is not None
        ]
    return found + [(extra.tag, extra.line) for extra in extras_of(robot)]


def extras_of(robot: Robot) -> list[Extra]:
    found = list(robot.extras)
    for link in robot.links:
        found += link.extras
        found += link.inertial.extras if link.inertial is not None else ()
        for visual in link.visuals:
            found += visual.extras
        for collision in link.collisions:
            found += collision.extras
    for joint in robot.joints:
        found += joint.extras
    return found


def test_extras_and_transmissions_are_verbatim(robots: dict[Path, Robot]) -> None:
    """Each stands in its file at its line, and is one whole element."""
    checked = 0
    for path, robot in robots.items():
        lines = path.read_bytes().decode("utf-8").split("\n")
        items = [(extra.line, extra.tag, extra.xml) for extra in extras_of(robot)]
        items += [(item.line, "transmission", item.xml) for item in robot.transmissions]
        for line, tag, xml in items:
            following = "\n".join(lines[line - 1 : line + xml.count("\n")])
            assert xml in following
            # Some use prefixes that they do not declare.
            prefixes = {f"xmlns:{prefix}='p'" for prefix in re.findall(r"<(\w+):", xml)}
            (element,) = ET.fromstring(f"<all {' '.join(prefixes)}>{xml}</all>")
            assert element.tag.rpartition("}")[2] == tag.rpartition(":")[2]
            checked += 1
    assert checked > 1500


def test_only_what_is_odd_is_mentioned(real_robots: dict[str, Path]) -> None:
    said = set()
    for name, path in real_robots.items():
        diagnostics = Diagnostics()
        if name != EMPTY:
            read_robot(path, diagnostics=diagnostics)
        said |= {item.code for item in diagnostics}
    assert said == {
        "empty-texture",
        "inertia-not-positive",
        "inertia-triangle",
        "mass-not-positive",
        "material-redefined",
        "undefined-material",
    }
