# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs and rotors of joints in both engines, against their equations; and kept in the .blend."""

from pathlib import Path

import bpy
import numpy as np
import pytest

from support.paths import TESTS
from urdf_importer import (
    Diagnostics,
    KinematicsError,
    SimulationOptions,
    extract_robot,
    import_robot,
    read_robot,
    set_frame_rate,
    set_joint_positions,
    simulate,
)

PATH = TESTS / "data" / "dynamics" / "springs_and_rotors.xml"
FORMS = """<mujoco><compiler angle="radian"/><worldbody><body name="post" pos="0 0 2">
<geom size="0.05" mass="1"/><body name="wheel" pos="0 0.2 0">
<joint name="turn" axis="0 0 1" {}/><inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>
<geom type="box" size="0.1 0.02 0.02"/></body></body></worldbody></mujoco>"""


def follow(robot, engine: str, seconds: float = 1.0, **options):
    wishes = SimulationOptions(engine=engine, floor=False, **options)
    return simulate(robot, seconds=seconds, options=wishes, diagnostics=Diagnostics())


@pytest.fixture
def load(scene, tmp_path: Path):
    set_frame_rate(60)

    def read(attributes: str):
        path = tmp_path / "robot.xml"
        path.write_text(FORMS.format(attributes))
        return import_robot(path, diagnostics=Diagnostics()).armature

    return read


@pytest.mark.parametrize("engine", ["mujoco", "bullet"])
@pytest.mark.parametrize(
    ("start", "rest", "rotor"), [(0.0, 0.5, 0.0), (0.4, 0.0, 0.03), (-0.3, 0.6, 0.09)]
)
def test_a_spring_swings_about_its_rest(
    load, engine: str, start: float, rest: float, rotor: float
) -> None:
    robot = load(f'stiffness="0.4" springref="{rest}" armature="{rotor}"')
    set_joint_positions(robot, {"turn": start})
    found = follow(robot, engine).positions["turn"]
    times = np.arange(len(found)) / 60
    right = rest + (start - rest) * np.cos(np.sqrt(0.4 / (0.01 + rotor)) * times)
    assert np.abs(found - right).max() < 0.01


@pytest.mark.parametrize("engine", ["mujoco", "bullet"])
def test_motors_hold_and_follow_against_springs(load, engine: str) -> None:
    robot = load('stiffness="5" springref="1" armature="0.02" actuatorfrcrange="-20 20"')
    held = follow(robot, engine, motors="hold").positions["turn"]
    # A servo that gives 20 N m at 0.02 rad gives 5 of them at 0.005.
    assert np.abs(held).max() < 0.006
    weak = load('stiffness="50" springref="1" actuatorfrcrange="-20 20"')
    assert follow(weak, engine, motors="hold").positions["turn"].max() > 0.3


def test_both_engines_agree(scene) -> None:
    set_frame_rate(60)
    robot = import_robot(PATH, diagnostics=Diagnostics()).armature
    found = [follow(robot, engine) for engine in ("mujoco", "bullet")]
    for joint in ("swing", "slide"):
        one, other = (each.positions[joint] for each in found)
        assert np.ptp(one) > 0.5 and np.abs(one - other).max() < 1e-3


def test_a_blend_keeps_them(scene, tmp_path: Path) -> None:
    import_robot(PATH, diagnostics=Diagnostics())
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "kept.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "kept.blend"))
    (armature,) = (each for each in bpy.data.objects if each.type == "ARMATURE")
    kept = {each.name: each.dynamics for each in extract_robot(armature).joints}
    assert kept == {each.name: each.dynamics for each in read_robot(PATH).joints}


@pytest.mark.parametrize(("stiffness", "words"), [(100.0, "; 4 substeps hold it"), (1e9, "finite")])
def test_only_a_remedy_that_helps_is_named(load, stiffness: float, words: str) -> None:
    """A spring of 100 rad/s needs steps below 20 ms, and one of 3e5 rad/s others."""
    set_frame_rate(24)
    robot = load(f'stiffness="{stiffness}" springref="0.2"')
    with pytest.raises(KinematicsError, match=f"numbers are not finite.*{words}$|{words}$") as told:
        follow(robot, "mujoco", seconds=2.0, substeps=1)
    assert ("substeps" in str(told.value)) == (stiffness == 100.0)
