# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots with closed loops start closed, in the pose that is shown: in files for MuJoCo and in both
engines."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from support.mechanisms import delta
from support.paths import ROOT, TESTS
from urdf_importer import (
    Diagnostics,
    SimulationOptions,
    export_robot,
    get_joint_positions,
    import_robot,
    set_joint_positions,
    simulate,
)

PUMP = ROOT / "sample_urdfs" / "pumpjack.xml"
HEXAPOD = ROOT / "sample_urdfs" / "hexapod.xml"
BARS = TESTS / "data" / "four_bar_with_ball.xml"
LEG = TESTS / "data" / "sprung_leg.xml"
POSED = {
    "pumpjack": (PUMP, {"STAND--CRANK1": 1.0}),
    "hexapod": (HEXAPOD, {"leg_1": 0.02, "leg_2": -0.01}),
    "ball": (BARS, {"crank_pin": 0.4}),
    "leg": (LEG, {"knee": -1.0}),
    "leg as it is": (LEG, {}),
}


def measure_start(path: Path) -> tuple[float, dict[str, float]]:
    """Returns the worst residual of the equalities in a keyframe, and its joints of one axis."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("start").id)
    mujoco.mj_forward(model, data)
    worst = np.abs(data.efc_pos[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]).max()
    single = [model.joint(each) for each in range(model.njnt)]
    return worst, {each.name: data.joint(each.name).qpos[0] for each in single if each.type[0] >= 2}


@pytest.mark.parametrize("name", POSED)
def test_a_posed_robot_starts_closed_in_its_file(name: str, scene, tmp_path: Path) -> None:
    path, pose = POSED[name]
    armature = import_robot(path, diagnostics=Diagnostics()).armature
    set_joint_positions(armature, pose)
    shown = get_joint_positions(armature)
    export_robot(armature, tmp_path / "robot.xml", diagnostics=Diagnostics())
    residual, joints = measure_start(tmp_path / "robot.xml")
    assert residual < 1e-4
    assert joints == pytest.approx({each: shown[each] for each in joints}, abs=1e-5)


@pytest.mark.parametrize("engine", ["mujoco", "bullet"])
@pytest.mark.parametrize("name", ["pumpjack", "hexapod", "ball"])
def test_a_posed_robot_is_simulated_closed(name: str, engine: str, scene) -> None:
    path, pose = POSED[name]
    armature = import_robot(path, diagnostics=Diagnostics()).armature
    set_joint_positions(armature, pose)
    shown, diagnostics = get_joint_positions(armature), Diagnostics()
    wishes = SimulationOptions(engine=engine)
    found = simulate(armature, seconds=0.5, options=wishes, diagnostics=diagnostics)
    for joint, position in pose.items():
        assert found.positions[joint][0] == pytest.approx(shown[joint], abs=1e-5)
        assert found.positions[joint][0] == pytest.approx(position, abs=1e-5)
    assert found.drift < 0.003
    codes = {each.code for each in diagnostics}
    assert not codes & {"simulation-drift", "joints-apart", "loop-starts-open"}


def test_a_delta_starts_closed(scene, tmp_path: Path) -> None:
    path = delta(np.random.default_rng(5)).write(tmp_path / "delta.sdf")
    armature = import_robot(path, diagnostics=Diagnostics()).armature
    set_joint_positions(armature, {"motor_0": 0.3, "motor_1": -0.2})
    export_robot(armature, tmp_path / "robot.xml", diagnostics=Diagnostics())
    residual, joints = measure_start(tmp_path / "robot.xml")
    assert residual < 1e-4 and joints["motor_0"] == pytest.approx(0.3, abs=1e-5)
