# SPDX-License-Identifier: GPL-3.0-or-later
"""URDF changed in place: equal robots, and nothing touched that did not have to be."""

import difflib
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from support.readable_robots import DATA, readable_descriptions
from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.model import (
    IDENTITY,
    Box,
    Inertia,
    Inertial,
    Joint,
    Limit,
    Link,
    Robot,
    Visual,
)
from urdf_importer.formats.urdf.read.located import read_located
from urdf_importer.formats.urdf.read.robot import read_robot_text
from urdf_importer.formats.urdf.write.patch import patch_text
from urdf_importer.formats.urdf.xacro.expand import is_xacro

Edit = Callable[[Robot, random.Random], Robot]


def read(text: bytes) -> Robot:
    return read_robot_text(text, "some.urdf", Diagnostics())


def patch(text: bytes, robot: Robot) -> bytes | None:
    return patch_text(text, robot, lambda data: read_located(data, "some.urdf"))


def lines_changed(before: bytes, after: bytes) -> tuple[list[str], list[str]]:
    """Lines that went and lines that came."""
    texts = [text.decode("utf-8", "replace").split("\n") for text in (before, after)]
    found = list(difflib.ndiff(*texts))
    return (
        [line[2:] for line in found if line.startswith("- ")],
        [line[2:] for line in found if line.startswith("+ ")],
    )


SMALL = b"""<?xml version="1.0"?>
<!-- by hand -->
<robot name='arm' >
\t<link name="base"/>  <!-- the foot -->
\t<joint type="revolute" name="turn">
\t\t<axis xyz="0 0 1.00"/>
\t\t<parent link="base"/><child link="tool"/>
\t\t<origin xyz="1.0  2.50\t0" rpy="0 0 0"/>
\t\t<limit upper="+1" lower="-1" velocity="1" effort="1"/>
\t</joint>

\t<link name="tool">
\t\t<visual><geometry><box size="1 1 1"/></geometry></visual>
\t</link>
</robot>
"""


def with_joint(**parts: object) -> Robot:
    robot = read(SMALL)
    return replace(robot, joints=(replace(robot.joints[0], **parts),))


def pose(*xyz: float) -> object:
    return replace(IDENTITY, xyz=xyz)


@pytest.mark.parametrize(
    ("robot", "gone", "come"),
    [
        (
            with_joint(origin=pose(1.0, 2.5, 0.75)),
            ['\t\t<origin xyz="1.0  2.50\t0" rpy="0 0 0"/>'],
            ['\t\t<origin xyz="1.0  2.50\t0.75" rpy="0 0 0"/>'],
        ),
        (
            with_joint(origin=IDENTITY),
            ['\t\t<origin xyz="1.0  2.50\t0" rpy="0 0 0"/>'],
            ['\t\t<origin xyz="0  0\t0" rpy="0 0 0"/>'],
        ),
        (
            with_joint(limit=Limit(lower=-1.0, upper=1.0, effort=2.0)),
            ['\t\t<limit upper="+1" lower="-1" velocity="1" effort="1"/>'],
            ['\t\t<limit upper="+1" lower="-1" effort="2"/>'],
        ),
        (
            with_joint(limit=None),
            ['\t\t<limit upper="+1" lower="-1" velocity="1" effort="1"/>'],
            [],
        ),
        (
            with_joint(child="a & \"b\""),
            ['\t\t<parent link="base"/><child link="tool"/>'],
            ['\t\t<parent link="base"/><child link="a &amp; &quot;b&quot;"/>'],
        ),
        (
            replace(read(SMALL), name="it's"),
            ["<robot name='arm' >"],
            ["<robot name='it&apos;s' >"],
        ),
        (
            replace(read(SMALL), links=(Link(name="base"), Link(name="tool"))),
            ["\t\t<visual><geometry><box size=\"1 1 1\"/></geometry></visual>"],
            [],
        ),
        (
            replace(read(SMALL), links=(*read(SMALL).links, Link(name="end"))),
            [],
            ['\t<link name="end"/>'],
        ),
        (
            replace(read(SMALL), links=(Link(name="top"), *read(SMALL).links)),
            [],
            ['\t<link name="top"/>'],
        ),
        (
            replace(read(SMALL), joints=()),
            SMALL.decode().split("\n")[4:10],
            [],
        ),
    ],
)  # fmt: skip
def test_only_what_differs_is_edited(robot: Robot, gone: list[str], come: list[str]) -> None:
    patched = patch(SMALL, robot)
    assert patched is not None
    assert read(patched) == robot
    assert lines_changed(SMALL, patched) == (gone, come)


def test_a_link_that_had_nothing_gets_an_end_tag() -> None:
    robot = read(SMALL)
    full = replace(robot.links[0], inertial=Inertial(mass=2.0))
    patched = patch(SMALL, replace(robot, links=(full, robot.links[1])))
    assert patched is not None
    gone, come = lines_changed(SMALL, patched)
    assert gone == ['\t<link name="base"/>  <!-- the foot -->']
    assert come == [
        '\t<link name="base">',
        "\t  <inertial>",
        '\t    <mass value="2"/>',
        "\t  </inertial>",
        "\t</link>  <!-- the foot -->",
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "iso-8859-1"])
def test_the_encoding_stays(encoding: str) -> None:
    head = '<?xml version="1.0" encoding="ISO-8859-1"?>\r\n' if encoding == "iso-8859-1" else ""
    text = f'{head}<robot name="ä">\r\n  <link name="ö"/> <!-- ü -->\r\n</robot>\r\n'
    raw = text.encode(encoding)
    robot = read(raw)
    patched = patch(raw, replace(robot, links=(*robot.links, Link(name="ß\u0142"))))
    assert patched is not None
    lines = patched.decode(encoding).split("\r\n")
    new = lines.pop(3 if head else 2)
    assert lines == text.split("\r\n")
    assert new in ('  <link name="ß\u0142"/>', '  <link name="ß&#322;"/>')


def test_what_cannot_be_edited_is_not_handed_out() -> None:
    raw = SMALL.replace(b'<axis xyz="0 0 1.00"/>', b"<axis><xyz>0 0 1</xyz></axis>")
    robot = read(raw)
    joint = replace(robot.joints[0], axis=(0.0, 1.0, 0.0))
    patched = patch(raw, replace(robot, joints=(joint,)))
    assert patched is None or read(patched).joints == (joint,)


# Real robots, and what people do to them.


def change_number(robot: Robot, chance: random.Random) -> Robot:
    index = chance.randrange(len(robot.joints))
    joint = robot.joints[index]
    x, y, z = joint.origin.xyz
    moved = replace(joint, origin=replace(joint.origin, xyz=(x, y, z + 0.125)))
    return replace(robot, joints=(*robot.joints[:index], moved, *robot.joints[index + 1 :]))


def remove_link(robot: Robot, chance: random.Random) -> Robot:
    index = chance.randrange(len(robot.links))
    return replace(robot, links=robot.links[:index] + robot.links[index + 1 :])


def add_link(robot: Robot, chance: random.Random) -> Robot:
    visual = Visual(geometry=Box(size=(1.0, 2.0, 3.0)))
    joint = Joint(name="new_joint", type="fixed", parent=robot.links[0].name, child="new_link")
    links = (*robot.links, Link(name="new_link", visuals=(visual,)))
    return replace(robot, links=links, joints=(*robot.joints, joint))


def rename_link(robot: Robot, chance: random.Random) -> Robot:
    index = chance.randrange(len(robot.links))
    renamed = replace(robot.links[index], name="renamed")
    return replace(robot, links=(*robot.links[:index], renamed, *robot.links[index + 1 :]))


def strip_parts(robot: Robot, chance: random.Random) -> Robot:
    links = tuple(replace(link, collisions=()) for link in robot.links)
    return replace(robot, extras=(), transmissions=(), links=links)


def weigh(robot: Robot, chance: random.Random) -> Robot:
    inertial = Inertial(mass=1.5, inertia=Inertia(ixx=1.0, iyy=1.0, izz=1.0))
    return replace(robot, links=tuple(replace(link, inertial=inertial) for link in robot.links))


def shuffle_links(robot: Robot, chance: random.Random) -> Robot:
    links = list(robot.links)
    chance.shuffle(links)
    return replace(robot, links=tuple(links))


EDITS = (change_number, remove_link, add_link, rename_link, strip_parts, weigh, shuffle_links)
REAL = [
    path
    for path in readable_descriptions()
    if DATA not in path.parents and not is_xacro(path.read_bytes(), str(path))
]


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_real_robots_are_edited(path: Path) -> None:
    raw = path.read_bytes()
    robot = read(raw)
    chance = random.Random(path.name)
    assert patch(raw, robot) is raw
    for edit in EDITS:
        if len(robot.joints) < 2:
            continue
        wanted = edit(robot, chance)
        patched = patch(raw, wanted)
        assert patched is not None, edit.__name__
        assert read(patched) == wanted, edit.__name__
        if edit is change_number:
            gone, come = lines_changed(raw, patched)
            assert len(come) == 1
            assert len(gone) <= 1  # none where the origin was not written
