# SPDX-License-Identifier: GPL-3.0-or-later
"""Models of MuJoCo that are read and written again: to MuJoCo's compiler they are the same."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings

from support.mjcf_models import body, close, model, models
from support.mujoco_truth import Compiled
from urdf_importer import Diagnostics, MjcfOptions, export_robot, read_robot

GEOM = '<geom size="0.1"/>'
_HINGE = 3


def compare(before: Compiled, after: Compiled, *, seed: int = 0) -> None:
    """Bodies, joints, frames at random positions, masses and ranges are the same."""
    assert set(filter(None, before.names("body"))) <= set(after.names("body"))
    joints = list(filter(None, before.names("joint")))
    assert set(joints) <= set(after.names("joint"))
    assert before.model.nv == after.model.nv
    random = np.random.default_rng(seed)
    given: dict[str, Any] = {}
    for name in joints:
        one, other = before.model.joint(name), after.model.joint(name)
        assert one.type == other.type
        if one.type[0] >= _HINGE - 1:
            given[name] = float(random.uniform(-1, 1))
            assert before.model.jnt_limited[one.id] == after.model.jnt_limited[other.id]
            if before.model.jnt_limited[one.id]:
                close(after.model.jnt_range[other.id], before.model.jnt_range[one.id])
    shown, found = before.frames(given), after.frames(given)
    for name in shown.keys() & found.keys():
        close(found[name], shown[name], 1e-9)
        if name != "world":
            for new, old in zip(after.inertia(name), before.inertia(name), strict=True):
                close(new, old)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=models())
def test_any_tree_is_the_same_again(tmp_path_factory: Any, text: str) -> None:
    folder = tmp_path_factory.mktemp("again")
    path = model(text, folder)
    try:
        before = Compiled(path)
    except ValueError:
        reject()  # fromto without a length
    if before.model.body_mass[1:].min() < 1e-9:
        reject()  # What moves must weigh something for the writer.
    diagnostics = Diagnostics()
    written = export_robot(
        read_robot(path), folder / "again.xml", options=MjcfOptions(), diagnostics=diagnostics
    )
    codes = {each.code for each in diagnostics}
    assert codes <= {"mjcf-inertia-repaired", "mjcf-start-contacts", "mjcf-world"}
    if "mjcf-inertia-repaired" not in codes:
        compare(before, Compiled(written.path))


CHAIN = (
    '<joint name="x" type="slide" axis="1 0 0" range="-1 2"/><joint name="y" pos="0 1 0"/>'
    f'<joint name="z" axis="0 1 0" pos="0.1 0 0.2" ref="30" range="-40 50"/>{GEOM}'
)


def test_joints_of_one_body_are_of_one_body_again(tmp_path: Path) -> None:
    text = body(CHAIN, 'pos="0 0 1" euler="10 20 30"')
    keys = '<keyframe><key name="k" qpos="0.1 0.2 0.3"/></keyframe>'
    path = model(text + keys, tmp_path)
    written = export_robot(read_robot(path), tmp_path / "again.xml")
    before, after = Compiled(path), Compiled(written.path)
    assert after.names("body") == ["world", "a"] and after.names("joint") == ["x", "y", "z"]
    compare(before, after)
    for each in (before, after):
        each.key("k")
    close(after.shown()["a"], before.shown()["a"], 1e-9)
    assert written.facts["bodies"] == 2


def test_links_that_something_names_stay(tmp_path: Path) -> None:
    """Each link that holds a loop keeps its body, also an empty one."""
    path = model(body(CHAIN), tmp_path)
    robot = read_robot(path)
    empty = next(link.name for link in robot.links if link.name == "a_x")
    urdf = tmp_path / "robot.urdf"
    loop = (
        f'<loop_joint name="l" type="fixed"><link1 link="{empty}"/><link2 link="a"/></loop_joint>'
    )
    links = "".join(f'<link name="{link.name}"/>' for link in robot.links if link.name != "a")
    mass = (
        '<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
        'ixz="0" iyz="0"/></inertial></link>'
    )
    joints = "".join(
        f'<joint name="{joint.name}" type="continuous"><parent link="{joint.parent}"/>'
        f'<child link="{joint.child}"/></joint>'
        for joint in robot.joints
    )
    for more, bodies in (("", ["world", "a"]), (loop, ["world", "a_x", "a"])):
        urdf.write_text(f'<robot name="r">{links}{mass}{joints}{more}</robot>')
        written = export_robot(read_robot(urdf), tmp_path / "again.xml")
        assert Compiled(written.path).names("body") == bodies


def test_what_is_not_written_anew_is_told(tmp_path: Path) -> None:
    sections = (
        '<sensor><jointpos joint="x"/></sensor><option timestep="0.1"/>'
        '<actuator><motor joint="x"/></actuator><contact><exclude body1="world" body2="a"/>'
        "</contact>"
    )
    diagnostics = Diagnostics()
    robot = read_robot(model(body(CHAIN) + sections, tmp_path))
    export_robot(robot, tmp_path / "again.xml", options=MjcfOptions(), diagnostics=diagnostics)
    told, world = diagnostics
    assert world.code == "mjcf-world"
    assert told.code == "mjcf-kept" and told.message.startswith("<option>, <sensor> of")


@pytest.mark.parametrize("kind", ["ball", "free"])
def test_other_joints_stand_as_before(tmp_path: Path, kind: str) -> None:
    below = f'<body name="b" pos="1 0 0"><joint name="k" pos="0 0.3 0"/>{GEOM}</body>'
    place = 'pos="0.1 0.2 0"' if kind == "ball" else ""
    joint = f'<joint name="j" type="{kind}" {place}/>'
    path = model(body(f"{joint}{GEOM}{below}", 'pos="1 2 3" euler="0 0 90"'), tmp_path)
    written = export_robot(read_robot(path), tmp_path / "again.xml")
    before, after = Compiled(path), Compiled(written.path)
    one, other = before.frames({"k": 0.4}), after.frames({"k": 0.4})
    close(np.linalg.inv(other["world"]) @ other["b"], one["b"], 1e-9)
