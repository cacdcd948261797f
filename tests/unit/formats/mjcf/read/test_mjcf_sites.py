# SPDX-License-Identifier: GPL-3.0-or-later
"""Sites of MuJoCo's models are frames: links without mass, and sites again where they are written
as MJCF."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from support.mjcf_models import body, check_frames, close, judge, model, places
from support.mujoco_truth import Compiled
from urdf_importer import Robot, export_robot, forward_kinematics, read_robot
from urdf_importer.core.reshape.rename import rename

GEOM = '<geom size="0.1"/>'
SITES = (
    '<site name="tool" pos="0.1 0.2 0.3" euler="10 20 30" class="red"/><site name="a"/><site/>'
    '<site name="rod" type="capsule" size="0.1" fromto="0 0 0 1 1 1"/>'
    '<replicate count="2" offset="1 0 0" euler="0 0 20"><site name="c" pos="0 1 0"/></replicate>'
)
DEFAULTS = (
    '<default><site type="box" size="0.1 0.2 0.3"/>'
    '<default class="red"><site rgba="1 0 0 1" size="0.5" group="3"/></default></default>'
)
TREE = DEFAULTS + body(f'<joint name="j"/>{GEOM}{SITES}', 'pos="1 2 3" euler="0 0 40"')
MUSCLES = (
    "<tendon><spatial><site site='tool'/><site site='rod'/></spatial></tendon>"
    "<sensor><touch site='a'/>{}</sensor>"
)


def check_sites(robot: Robot, compiled: Compiled, names: dict[str, str]) -> None:
    """Links stand where MuJoCo has the sites: `names` says link -> site."""
    for position in (0.0, 0.7):
        compiled.frames({"j": position} if "j" in compiled.names("joint") else {})
        found = forward_kinematics(robot, {"j": position} if "j" in compiled.names("joint") else {})
        for link, name in names.items():
            site = compiled.data.site(name)
            close(found[link][:3, 3], site.xpos, 1e-9)
            close(found[link][:3, :3], site.xmat.reshape(3, 3), 1e-9)


def test_sites_are_links_where_mujoco_has_them(tmp_path: Path) -> None:
    path = model(TREE, tmp_path)
    robot, names = judge(path), {each: each for each in ("tool", "rod", "c0", "c1")} | {"a_2": "a"}
    assert [link.name for link in robot.links] == ["world", "a", "tool", "a_2", "rod", "c0", "c1"]
    assert all(link.inertial is None and not link.visuals for link in robot.links[2:])
    check_sites(robot, Compiled(path), names)


def test_sites_are_sites_again(tmp_path: Path) -> None:
    path = model(TREE.replace("<worldbody>", '<worldbody><site name="w" pos="3 0 0"/>'), tmp_path)
    robot = read_robot(path)
    written = export_robot(robot, tmp_path / "again.xml")
    before, after = Compiled(path), Compiled(written.path)
    assert after.names("body") == before.names("body") and written.facts["bodies"] == 2
    named = set(filter(None, before.names("site")))
    assert set(after.names("site")) == named and "w" in named
    after.frames({})
    before.frames({})
    for name in named:
        one, other = before.model.site(name), after.model.site(name)
        assert (one.type[0], one.group[0]) == (other.type[0], other.group[0])
        sizes = 2 if name == "rod" else 3
        close(other.size[:sizes], one.size[:sizes])
        close(other.rgba, one.rgba)
        close(after.data.site(name).xpos, before.data.site(name).xpos, 1e-9)
        close(after.data.site(name).xmat, before.data.site(name).xmat, 1e-9)
    again = read_robot(written.path)
    assert {link.name for link in again.links} == {link.name for link in robot.links}


def test_links_that_became_more_than_sites_are_bodies(tmp_path: Path) -> None:
    robot = rename(read_robot(model(TREE, tmp_path)), links={"rod": "gripper"})
    shaped = [
        replace(link, visuals=robot.links[1].visuals) if link.name == "tool" else link
        for link in robot.links
    ]
    written = export_robot(replace(robot, links=tuple(shaped)), tmp_path / "again.xml")
    assert Compiled(written.path).names("body") == ["world", "a", "tool"]
    assert set(Compiled(written.path).names("site")) == {"gripper", "a", "c0", "c1"}


@pytest.mark.parametrize(
    ("more", "frames"),
    [
        ("", ["tool", "a_2", "rod", "c0", "c1"]),
        (MUSCLES.format(""), ["c0", "c1"]),
        (MUSCLES.format('<gyro site="tool"/>'), ["tool", "c0", "c1"]),
        (MUSCLES.format('<framepos objtype="site" objname="rod"/>'), ["rod", "c0", "c1"]),
        (MUSCLES.format("") + '<actuator><general site="a"/></actuator>', ["a_2", "c0", "c1"]),
        ('<equality><weld site1="tool" site2="c0"/></equality>', ["a_2", "rod", "c0", "c1"]),
    ],
)
def test_what_only_muscles_and_loops_need_is_no_frame(
    more: str, frames: list[str], tmp_path: Path
) -> None:
    """It is kept in the text of its body; the others are in that of their own links."""
    robot = read_robot(model(TREE + more, tmp_path))
    assert [link.name for link in robot.links[2:]] == frames
    kept = [each.xml for each in robot.links[1].extras]
    own = [link.extras[0].xml for link in robot.links[2:]]
    # The copies are written once, the site without a name never becomes a link.
    assert len(kept) == 1 + 3 - sum(name in ("tool", "a_2", "rod") for name in frames)
    assert len(own) == len(frames) and all(each.tag == "site" for each in robot.links[1].extras)


def test_a_lone_body_holds_the_sites_of_the_world(tmp_path: Path) -> None:
    text = body(GEOM).replace("<worldbody>", '<worldbody><site name="w" pos="1 2 3"/>')
    robot = judge(path := model(text, tmp_path))
    assert [link.name for link in robot.links] == ["a", "w"] and robot.joints[0].parent == "a"
    check_sites(robot, Compiled(path), {"w": "w"})


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(outer=places(), inner=places(), site=places())
def test_any_site_stands_as_in_mujoco(
    tmp_path_factory: Any, outer: str, inner: str, site: str
) -> None:
    held = f'<frame {inner}><site name="s" {site}/></frame><joint name="j" axis="1 2 3"/>{GEOM}'
    path = model(body(held, outer), tmp_path_factory.mktemp("sites"))
    robot, compiled = read_robot(path), Compiled(path)
    check_frames(robot, compiled, np.zeros(1))
    check_sites(robot, compiled, {"s": "s"})
