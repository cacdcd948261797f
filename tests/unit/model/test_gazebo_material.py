# SPDX-License-Identifier: GPL-3.0-or-later
"""Gazebo's standard colours, by name."""

import time

import pytest

from urdf_importer.model import Extra
from urdf_importer.model.gazebo_material import find_gazebo_color, gazebo_materials


def gazebo(inner: str, start: str = '<gazebo reference="l">', line: int = 7) -> Extra:
    return Extra(tag="gazebo", xml=f"{start}{inner}</gazebo>", line=line)


@pytest.mark.parametrize(
    ("name", "color"),
    [
        ("Gazebo/Red", (1, 0, 0, 1)),
        ("red", (1, 0, 0, 1)),
        (" Gazebo/DarkGray ", (0.175, 0.175, 0.175, 1)),
        ("Gazebo/RedTransparent", (1, 0, 0, 0.5)),
        ("Gazebo/RedTransparentOverlay", (1, 0, 0, 0.5)),
        ("Gazebo/BlueGlow", (0, 0, 1, 1)),
        ("Gazebo/Wood", None),
        ("", None),
    ],
)
def test_colours_by_name(name: str, color) -> None:
    assert find_gazebo_color(name) == color


@pytest.mark.parametrize(
    "extra",
    [
        gazebo("<material>Gazebo/Red</material>"),
        gazebo("\n <mu1>1</mu1>\n <material>\n Gazebo/Red\n</material>"),
        gazebo("<material>Gazebo/Red</material>", "<gazebo\n  a='1'\n reference = 'l' >"),
        gazebo("<visual><material><script><name>Gazebo/Red</name></script></material></visual>"),
        gazebo("<!-- <material>Gazebo/Blue</material> --><material>Gazebo/Red</material>"),
    ],
)
def test_the_colour_of_a_link(extra: Extra) -> None:
    found = gazebo_materials([extra])
    assert (found["l"].color, found["l"].name, found["l"].line) == ((1, 0, 0, 1), "Gazebo/Red", 7)


@pytest.mark.parametrize(
    "extra",
    [
        gazebo("<material>Gazebo/Nothing</material>"),
        gazebo("<material>Red</material>"),
        gazebo("<material/>"),
        gazebo("<material>Gazebo/Red</material>", "<gazebo>"),
        Extra(tag="ros2_control", xml=gazebo("<material>Gazebo/Red</material>").xml),
    ],
)
def test_what_colours_no_link(extra: Extra) -> None:
    assert gazebo_materials([extra]) == {}


def test_the_first_counts() -> None:
    extras = [gazebo(f"<material>Gazebo/{name}</material>") for name in ("Red", "Blue")]
    assert gazebo_materials(extras)["l"].color == (1, 0, 0, 1)


@pytest.mark.parametrize(
    "piece", ["<!--", "<material", "<material ", "<gazebo ", " reference", "<"]
)
def test_odd_text_costs_no_time(piece: str) -> None:
    start = time.perf_counter()
    gazebo_materials([Extra(tag="gazebo", xml="<gazebo " + piece * 20_000)])
    assert time.perf_counter() - start < 1.0
