# SPDX-License-Identifier: GPL-3.0-or-later
"""Gazebo's materials of whole links."""

import pytest

from support.seconds import within
from urdf_importer.core.gazebo import interpret_extras
from urdf_importer.core.model import Extra, Link, Material, Robot


def gazebo(inner: str, start: str = '<gazebo reference="l">', line: int = 7) -> Extra:
    return Extra(tag="gazebo", xml=f"{start}{inner}</gazebo>", line=line)


def materials_of(*extras: Extra) -> dict[str, Material]:
    robot = interpret_extras(Robot(name="r", links=(Link(name="l"),), extras=extras))
    found: dict[str, Material] = {}
    for said in robot.settings:
        if said.material is not None:
            found.setdefault(said.reference, said.material)
    return found


@pytest.mark.parametrize(
    "extra",
    [
        gazebo("<material>Gazebo/Red</material>"),
        gazebo("\n <mu1>1</mu1>\n <material>\n Gazebo/Red\n</material>"),
        gazebo("<material>Gazebo/Red</material>", "<gazebo\n  a='1'\n reference = 'l' >"),
        gazebo("<visual><material><script><name>Gazebo/Red</name></script></material></visual>"),
        gazebo("<material><script><uri>x</uri><name>Gazebo/Red</name></script></material>"),
        gazebo("<material><ambient>1 0 0 1</ambient></material><material>Gazebo/Red</material>"),
        gazebo("<!-- <material>Gazebo/Blue</material> --><material>Gazebo/Red</material>"),
    ],
)
def test_the_colour_of_a_link(extra: Extra) -> None:
    found = materials_of(extra)
    assert (found["l"].color, found["l"].name, found["l"].line) == ((1, 0, 0, 1), "Gazebo/Red", 7)


@pytest.mark.parametrize(
    "extra",
    [
        gazebo("<material>Gazebo/Nothing</material>"),
        gazebo("<material>Red</material>"),
        gazebo("<material/>"),
        Extra(tag="ros2_control", xml=gazebo("<material>Gazebo/Red</material>").xml),
    ],
)
def test_what_colours_no_link(extra: Extra) -> None:
    assert materials_of(extra) == {}


def test_the_first_counts() -> None:
    extras = [gazebo(f"<material>Gazebo/{name}</material>") for name in ("Red", "Blue")]
    assert materials_of(*extras)["l"].color == (1, 0, 0, 1)


@pytest.mark.parametrize(
    "piece", ["<!--", "<material", "<material ", "<gazebo ", " reference", "<"]
)
def test_odd_text_costs_no_time(piece: str) -> None:
    for _ in within(1.0):
        materials_of(Extra(tag="gazebo", xml="<gazebo " + piece * 20_000))
