# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences of two robots in words."""

from dataclasses import replace

import pytest

from urdf_importer.core.model import (
    Box,
    Collision,
    Extra,
    Inertia,
    Inertial,
    Joint,
    Limit,
    Link,
    Material,
    Mesh,
    Mimic,
    Pose,
    Robot,
    Sphere,
    Visual,
)
from urdf_importer.core.options import ImportOptions
from urdf_importer.core.reshape.compare import compare_options, compare_robots, match_shapes

BOX, BALL = Box(size=(1.0, 2.0, 3.0)), Sphere(radius=0.5)
BASE = Link(name="base", visuals=(Visual(geometry=BOX), Visual(geometry=BALL, name="knob")))
HAND = Link(name="hand", inertial=Inertial(mass=2.0), collisions=(Collision(geometry=BOX),))
ELBOW = Joint(
    name="elbow",
    type="revolute",
    parent="base",
    child="hand",
    limit=Limit(lower=-1.0, upper=1.57),
)
ROBOT = Robot(name="arm", links=(BASE, HAND), joints=(ELBOW,))


def told(links: tuple[Link, ...] = ROBOT.links, joint: Joint = ELBOW) -> list[str]:
    return [
        str(item) for item in compare_robots(ROBOT, replace(ROBOT, links=links, joints=(joint,)))
    ]


@pytest.mark.parametrize(
    ("joint", "texts"),
    [
        (ELBOW, []),
        (replace(ELBOW, line=7), []),
        (replace(ELBOW, limit=Limit(lower=-1.0, upper=2.0)), ["upper limit 1.57 -> 2"]),
        (replace(ELBOW, limit=None), ["limit (lower -1, upper 1.57) -> none"]),
        (replace(ELBOW, type="fixed"), ["type 'revolute' -> 'fixed'"]),
        (replace(ELBOW, axis=(0.0, 0.0, 1.0)), ["axis none -> 0 0 1"]),
        (replace(ELBOW, origin=Pose(xyz=(0.0, 0.5, 0.0))), ["origin 0 0 0 -> 0 0.5 0"]),
        (replace(ELBOW, mimic=Mimic(joint="x")), ["mimic none -> (joint 'x', multiplier 1, "
                                                  "offset 0)"]),
        (replace(ELBOW, extras=(Extra(tag="a", xml="<a>\n</a>"),)), ["further XML changed"]),
        (
            replace(ELBOW, limit=Limit(lower=-1.0, upper=1.5700000001)),
            ["upper limit 1.57 -> 1.5700000001"],
        ),
    ],
)  # fmt: skip
def test_joints(joint: Joint, texts: list[str]) -> None:
    assert told(joint=joint) == [f"joint 'elbow': {text}" for text in texts]


@pytest.mark.parametrize(
    ("link", "texts"),
    [
        (replace(HAND, inertial=Inertial(mass=3.0)), ["mass 2 -> 3"]),
        (replace(HAND, inertial=Inertial(mass=2.0, inertia=Inertia(ixx=1.0))),
         ["inertia none -> (ixx 1, ixy 0, ixz 0, iyy 0, iyz 0, izz 0)"]),
        (replace(HAND, collisions=()), ["collision removed"]),
        (replace(HAND, collisions=(Collision(geometry=BALL),)),
         ["collision: geometry box (size 1 2 3) -> sphere (radius 0.5)"]),
        (replace(HAND, collisions=(*HAND.collisions, Collision(geometry=BALL))),
         ["collision 2 added"]),
    ],
)  # fmt: skip
def test_links(link: Link, texts: list[str]) -> None:
    assert told(links=(BASE, link)) == [f"link 'hand': {text}" for text in texts]


def test_shapes_are_told_by_name_or_number() -> None:
    box, knob = BASE.visuals
    red = Material(name="red", color=(1.0, 0.0, 0.0, 1.0))
    links = (replace(BASE, visuals=(replace(box, material=red), replace(knob, geometry=BOX))), HAND)
    assert told(links) == [
        "link 'base': visual 1: material none -> (name 'red', color 1 0 0 1)",
        "link 'base': visual 'knob': geometry sphere (radius 0.5) -> box (size 1 2 3)",
    ]
    assert told((replace(BASE, visuals=(knob, box)), HAND)) == ["link 'base': order of the visuals"]


def test_what_comes_and_goes_and_changes_places() -> None:
    camera = Link(name="camera")
    assert told((BASE, HAND, camera)) == ["link 'camera' added"]
    assert told((BASE,)) == ["link 'hand' removed"]
    assert told((HAND, BASE)) == ["robot: order of the links"]
    other = replace(ROBOT, name="leg", materials=(Material(name="red", texture="a.png"),))
    assert [str(item) for item in compare_robots(ROBOT, other)] == [
        "robot: name 'arm' -> 'leg'",
        "robot: materials none -> (name 'red', texture 'a.png')",
    ]


def test_shapes_that_go_on() -> None:
    mesh = Visual(geometry=Mesh(filename="a.stl"))
    big = Visual(geometry=Mesh(filename="a.stl", scale=(2.0, 2.0, 2.0)))
    box, knob = BASE.visuals
    assert match_shapes((box, knob, mesh), (mesh, box, knob)) == {0: 2, 1: 0, 2: 1}
    assert match_shapes((box, mesh), (big, box)) == {0: 1, 1: 0}
    moved = replace(box, origin=Pose(xyz=(1.0, 0.0, 0.0)))
    assert match_shapes((knob, box), (moved,)) == {0: 1}
    assert match_shapes((box,), (knob, mesh)) == {0: 0}
    assert match_shapes((), (knob,)) == {}


def test_options() -> None:
    after = ImportOptions(combine_joints=False, smooth_angle=40.0)
    assert [str(item) for item in compare_options(ImportOptions(), after)] == [
        "option 'Combine Joints': 'exact' -> 'never'",
        "option 'Smooth Angle (°)': 30 -> 40",
    ]
