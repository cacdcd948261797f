# SPDX-License-Identifier: GPL-3.0-or-later
"""Where simulations start and what is free in them; how far bodies fall; what motors give."""

import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from support.falling import box, chain, write
from urdf_importer import Diagnostics, SimulationOptions, import_robot, set_frame_rate, simulate
from urdf_importer.cli import main

ENGINES = pytest.mark.parametrize("engine", ["mujoco", "bullet"])
FREE = """<mujoco><worldbody><body name="box" pos="0 0 2"><freejoint name="free"/>
<geom type="box" size="0.1 0.1 0.1" mass="1"/><body name="arm" pos="0.2 0 0">
<joint name="swing" axis="0 1 0"/><geom type="capsule" size="0.02" mass="0.2"
fromto="0 0 0 0.3 0 0"/>
</body></body></worldbody></mujoco>"""
MASSLESS = """<robot name="r"><link name="a"><inertial><mass value="2"/><inertia ixx="1" iyy="1"
izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="b"/><joint name="j"
type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint></robot>"""


@pytest.fixture
def load(scene, tmp_path: Path):
    def read(text: str):
        if text.startswith("<robot"):
            return import_robot(write(tmp_path, text, "robot"), diagnostics=Diagnostics()).armature
        (tmp_path / "robot.xml").write_text(text)
        return import_robot(tmp_path / "robot.xml", diagnostics=Diagnostics()).armature

    return read


def run(robot, seconds: float, **options):
    wishes = SimulationOptions(**options)
    return simulate(robot, seconds=seconds, options=wishes, diagnostics=Diagnostics())


@ENGINES
@pytest.mark.parametrize(("fps", "substeps"), [(24, 20), (24, 10), (60, 20)])
def test_a_body_falls_as_far_as_the_book_says(load, engine: str, fps: int, substeps: int) -> None:
    robot = load(box())
    set_frame_rate(fps)
    found = run(robot, 1.0, engine=engine, height=10.0, substeps=substeps)
    heights, times = found.base[:, 2, 3], np.arange(len(found.frames)) / fps
    missed = np.abs(heights - heights[0] + 0.5 * 9.81 * times**2).max()
    # Bullet takes the speed at the end of a step for all of it: half a step of gravity too much.
    assert missed < (1e-6 if engine == "mujoco" else 9.81 / (2 * fps * substeps) + 5e-4)


@ENGINES
def test_an_object_moved_by_python_starts_where_it_was_moved_to(load, engine: str) -> None:
    robot = load(box())
    robot.location = 3.0, -1.0, 2.0
    found = run(robot, 0.5, engine=engine, base="free")
    assert found.base[0, :3, 3] == pytest.approx([3.0, -1.0, 2.0], abs=1e-6)
    assert found.base[-1, :2, 3] == pytest.approx([3.0, -1.0], abs=1e-3)


@ENGINES
def test_a_base_that_is_fixed_holds_a_free_joint(load, engine: str) -> None:
    robot = load(FREE)
    held = run(robot, 0.5, engine=engine, base="fixed")
    assert "free" not in held.trajectory.names and np.ptp(held.positions["free"], axis=0).max() == 0
    assert held.positions["swing"][-1] > 0.5
    bpy.context.scene.frame_set(1)
    falls = run(load(FREE), 0.5, engine=engine)
    assert falls.positions["free"][-1, 2] - falls.positions["free"][0, 2] < -1.0


@ENGINES
def test_assumed_masses_are_told_by_both_engines(load, engine: str) -> None:
    robot, diagnostics = load(MASSLESS), Diagnostics()
    simulate(robot, 0.2, options=SimulationOptions(engine=engine), diagnostics=diagnostics)
    told = [each for each in diagnostics if each.code == "mjcf-small-mass"]
    assert [each.subject for each in told] == ["b"] and "gets" in told[0].message


def test_motors_tell_their_efforts(load) -> None:
    robot = load(chain(2))
    found = run(robot, 1.0, engine="mujoco", motors="hold")
    torque = found.trajectory.efforts
    names = [each.joint for each in found.efforts]
    assert torque.shape == found.trajectory.positions.shape and set(names) <= {"hinge0", "hinge1"}
    for each in found.efforts:
        curve = torque[:, found.trajectory.names.index(each.joint)]
        assert each.peak >= np.abs(curve).max() - 1e-9
        assert each.mean == pytest.approx(np.abs(curve).mean())
        assert each.share == pytest.approx(each.peak / each.limit)
    kept = robot.animation_data.action["urdf_motion"]["efforts"].to_dict()
    assert list(kept) == names and len(kept[names[0]]) == 3 + 24
    bpy.context.scene.frame_set(1)
    loose = run(robot, 0.2, engine="mujoco")
    assert not loose.efforts and loose.trajectory.efforts is None
    assert "efforts" not in robot.animation_data.action["urdf_motion"].to_dict()


def test_a_motor_gives_the_weight_that_it_holds(load) -> None:
    arm = """<robot name="arm"><link name="base"/><link name="part"><inertial>
    <origin xyz="0.3 0 0"/><mass value="2"/><inertia ixx="0.02" iyy="0.02" izz="0.01"
    ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="joint" type="revolute">
    <parent link="base"/><child link="part"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="40" velocity="9"/></joint></robot>"""
    found = run(load(arm), 1.0, engine="mujoco", motors="hold")
    weight = 2 * 9.81 * 0.3
    assert found.trajectory.efforts[-1, 0] == pytest.approx(-weight, rel=1e-3)
    assert found.efforts[0].share == pytest.approx(found.efforts[0].peak / 40)


def test_the_command_reports_efforts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, report = write(tmp_path, chain(2), "chain"), tmp_path / "report.json"
    words = ["simulate", str(source), "-o", str(tmp_path / "out.blend"), "--seconds", "0.2"]
    assert main([*words, "--engine", "mujoco", "--motors", "hold", "--json", str(report)]) == 0
    told = json.loads(report.read_text())
    assert told["engine"] == "mujoco" and told["ok"]
    assert set(told["efforts"]["hinge0"]) == {"joint", "peak", "mean", "limit", "share"}


@ENGINES
def test_a_base_follows_its_keys_while_joints_follow_by_motors(load, engine: str) -> None:
    robot = load(box())
    set_frame_rate(60)
    for frame, place in ((1, 0.0), (31, 0.0), (61, 0.5)):
        robot.location = place, 0.0, 1.0
        robot.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    found = run(robot, 1.0, engine=engine, base="keyed")
    assert found.base[:31, 2, 3] == pytest.approx(1.0, abs=1e-6)
    assert found.base[-1, 0, 3] == pytest.approx(0.5, abs=1e-6)
    assert found.drift < 2e-3


@ENGINES
def test_a_pendulum_hangs_back_from_a_base_that_its_keys_accelerate(load, engine: str) -> None:
    """At 2 m/s^2, as a pendulum does that starts at rest below its pivot."""
    from_rest = """<robot name="swing"><link name="cart"><collision><geometry>
    <box size="0.1 0.1 0.1"/></geometry></collision></link><link name="bob"><inertial>
    <origin xyz="0 0 -0.5"/><mass value="1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0"
    ixz="0" iyz="0"/></inertial></link><joint name="hinge" type="continuous"><parent link="cart"/>
    <child link="bob"/><axis xyz="0 1 0"/></joint></robot>"""
    robot = load(from_rest)
    set_frame_rate(60)
    for frame in range(1, 62):
        robot.location = ((frame - 1) / 60) ** 2, 0.0, 2.0
        robot.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    found = run(robot, 1.0, engine=engine, base="keyed")
    angle, speed, inertia = 0.0, 0.0, 0.2501
    swung = [0.0]
    for step in range(60_000):
        speed -= -0.5 * (2.0 * np.cos(angle) - 9.81 * np.sin(angle)) / inertia / 60_000
        angle += speed / 60_000
        if step % 1000 == 999:
            swung.append(angle)
    assert np.abs(np.abs(found.positions["hinge"]) - np.abs(swung)).max() < 0.03
    assert np.ptp(found.positions["hinge"]) > 0.3
