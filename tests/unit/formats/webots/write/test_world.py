# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds: the robot in sight, on a floor, with its friction; nothing is fetched from a network."""

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.real_robots import descriptions, name_of
from support.webots.proto_check import Checked, check
from support.webots.webots_robots import joint, link
from urdf_importer import Diagnostics, WebotsOptions, export_robot, read_robot

BALL = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
BALL += '<visual><geometry><sphere radius="0.1"/></geometry></visual>'


class World:
    def __init__(self, folder: Path, *elements: str, name: str = "rover", **options: Any) -> None:
        source = folder / "rover.urdf"
        lines = "\n".join(elements)
        source.write_text(f'<robot name="{name}">\n{lines}\n</robot>', encoding="utf-8")
        self.diagnostics = Diagnostics(str(source))
        self.path = folder / "arena.wbt"
        export_robot(
            read_robot(source),
            self.path,
            options=WebotsOptions(**options),
            diagnostics=self.diagnostics,
        )
        self.text = self.path.read_text("utf-8")

    def check(self) -> Checked:
        checked = check(self.path)
        assert checked.problems == ()
        return checked

    def field(self, word: str) -> list[float]:
        found = re.search(rf"^ *{word} (.+)$", self.text, re.MULTILINE)
        assert found is not None, word
        return [float(number) for number in found[1].split()]


def legs(**options: Any) -> tuple[str, ...]:
    return (
        link("body", inside=BALL),
        link("leg", inside=BALL),
        joint("hip", "revolute", "body", "leg", xyz="0 0 -0.7"),
    )


def test_a_free_robot_stands_on_the_floor(tmp_path: Path) -> None:
    checked = World(tmp_path, *legs()).check()
    lowest = checked.pose("leg")[2, 3] - 0.1
    assert 0.0 < lowest < 2e-3
    assert checked.pose("floor")[2, 3] == 0.0


def test_the_floor_lies_below_a_fixed_robot(tmp_path: Path) -> None:
    checked = World(tmp_path, *legs(), base="fixed").check()
    assert checked.pose("rover")[2, 3] == 0.0
    assert checked.pose("floor")[2, 3] == pytest.approx(-0.8)


def test_the_chosen_place_is_kept_but_for_the_height(tmp_path: Path) -> None:
    checked = World(tmp_path, *legs(), translation=(3.0, 4.0, 5.0), rotation=(0, 0, 1.0)).check()
    pose = checked.pose("rover")
    assert pose[:2, 3] == pytest.approx([3.0, 4.0])
    assert pose[0, 0] == pytest.approx(math.cos(1.0))


@pytest.mark.parametrize("scale", [0.01, 1.0, 50.0])
def test_all_of_the_robot_is_in_sight(scale: float, tmp_path: Path) -> None:
    box = f'<visual><geometry><box size="{scale} {2 * scale} {scale}"/></geometry></visual>'
    world = World(tmp_path, link("body", inside=box))
    world.check()
    eye, (*axis, angle) = np.array(world.field("position")), world.field("orientation")
    view = rotation(np.array(axis), angle)
    corners = np.array(
        [
            [x, y, z]
            for x in (-scale / 2, scale / 2)
            for y in (-scale, scale)
            for z in (0.001, scale + 0.001)
        ]
    )
    seen = (corners - eye) @ view
    half = math.tan(world.field("fieldOfView")[0] / 2)
    assert (seen[:, 0] > world.field("near")[0]).all()
    assert (np.abs(seen[:, 1:]) < half * seen[:, :1]).all()
    # Not from afar either, and the sky is up.
    assert np.abs(seen[:, 1:]).max() > 0.3 * half * seen[:, 0].min()
    assert view[2, 2] > 0.0 and abs(view[2, 1]) < 1e-9


def rotation(axis: Any, angle: float) -> Any:
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross


def test_nothing_is_fetched(tmp_path: Path) -> None:
    world = World(tmp_path, *legs())
    proto = (tmp_path / "rover.proto").read_text("utf-8")
    for text in (world.text, proto):
        assert "://" not in text
    assert world.text.count("EXTERNPROTO") == 1
    # These sounds are files of Webots' site unless they are said to be none.
    assert world.text.count("ContactProperties {") == world.text.count('slideSound ""')


def test_the_time_step_is_an_option(tmp_path: Path) -> None:
    assert World(tmp_path, *legs(), time_step=2.0).field("basicTimeStep") == [2.0]


def test_a_satellite_receiver_gives_latitudes(tmp_path: Path) -> None:
    gps = '<gazebo reference="leg"><sensor type="navsat" name="gps"/></gazebo>'
    assert 'gpsCoordinateSystem "WGS84"' in World(tmp_path, *legs(), gps).text
    assert "gpsCoordinateSystem" not in World(tmp_path, *legs()).text


# Friction


def friction(link_name: str, inside: str) -> str:
    return f'<gazebo reference="{link_name}">{inside}</gazebo>'


def pairs(world: World) -> dict[tuple[str, str], float]:
    found = re.findall(
        r'material1 "([^"]*)"\s+material2 "([^"]*)"\s+coulombFriction \[\s+(\S+)\s+\]', world.text
    )
    return {(one, other): float(number) for one, other, number in found}


def test_friction_becomes_contact_properties(tmp_path: Path) -> None:
    world = World(
        tmp_path,
        *legs(),
        friction("body", "<mu1>0.4</mu1><mu2>0.4</mu2>"),
        friction("leg", '<mu1 value="1.5"/><mu2>1.5</mu2>'),
        self_collision=True,
    )
    world.check()
    low, high = "rover friction 0.4", "rover friction 1.5"
    # Of two, the smaller friction counts; the floor has 1.
    assert pairs(world) == {
        ("default", "default"): 1.0,
        (low, "default"): 0.4,
        (high, "default"): 1.0,
        (low, low): 0.4,
        (low, high): 0.4,
        (high, high): 1.5,
    }
    assert world.text.count("bounce 0") == 6
    proto = (tmp_path / "rover.proto").read_text("utf-8")
    assert f'contactMaterial "{low}"' in proto and f'contactMaterial "{high}"' in proto
    assert list(world.diagnostics) == []


def test_links_of_one_friction_share_a_material(tmp_path: Path) -> None:
    mu = "<mu1>0.4</mu1><mu2>0.4</mu2>"
    world = World(tmp_path, *legs(), friction("body", mu), friction("leg", mu))
    assert len(pairs(world)) == 2


def test_what_of_contacts_is_lost_or_changed_is_said(tmp_path: Path) -> None:
    world = World(
        tmp_path,
        *legs(),
        friction("body", "<mu1>0.4</mu1>\n<mu2>0.9</mu2>\n<kp>1e6</kp><maxVel>1</maxVel>"),
        friction("leg", "<kp>1e6</kp>"),
        '<gazebo>\n<plugin name="drive" filename="lib.so"/></gazebo>',
    )
    lines = [(d.code, d.line) for d in world.diagnostics]
    assert lines == [
        ("webots-friction-changed", 5),
        ("webots-gazebo-setting", 7),
        ("webots-gazebo-setting", 7),
        ("webots-plugin-dropped", 10),
    ]
    messages = [item.message for item in world.diagnostics]
    assert "<kp> (2 times" in messages[1] and "<maxVel> (once)" in messages[2]
    assert "'drive'" in messages[3]
    assert pairs(world)[("rover friction 0.4", "default")] == 0.4


@pytest.mark.parametrize(
    "path", [p for p in descriptions() if p.stem in ("go1", "pr2", "talos_full_v2")], ids=name_of
)
def test_worlds_of_real_robots(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "world.wbt"
    export_robot(read_robot(path), target, options=WebotsOptions(inertia="clamp"))
    assert check(target).problems == ()
