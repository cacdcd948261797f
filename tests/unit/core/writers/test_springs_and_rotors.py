# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs and rotors of joints: MJCF and SDF have them, other formats say once that they do not."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from support.paths import TESTS
from urdf_importer import Diagnostics, EngineOptions, Robot, SdfOptions, export_robot, read_robot
from urdf_importer.core.model import Dynamics
from urdf_importer.core.reshape import merge_fixed, move_zero, resize

ALL = TESTS / "data" / "dynamics" / "springs_and_rotors.xml"
SDF = """<sdf version="1.9" xmlns:drake="http://drake.mit.edu"><model name="s"><link name="a">
<inertial><mass>1</mass></inertial></link><link name="b"><inertial><mass>1</mass></inertial></link>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz><dynamics>
<spring_reference>0.3</spring_reference><spring_stiffness>5</spring_stiffness></dynamics></axis>
<drake:rotor_inertia>0.001</drake:rotor_inertia><drake:gear_ratio>20</drake:gear_ratio></joint>
</model></sdf>"""


def dynamics_of(robot: Robot) -> dict[str, Dynamics]:
    return {each.name: each.dynamics for each in robot.joints if each.dynamics is not None}


def compile_numbers(path: Path) -> dict[str, list[float]]:
    model = mujoco.MjModel.from_xml_path(str(path))
    names = ("jnt_stiffness", "qpos_spring", "dof_armature")
    return {name: getattr(model, name).tolist() for name in names}


@pytest.fixture
def robot() -> Robot:
    return read_robot(ALL)


def test_mjcf_is_read_with_classes_and_degrees(robot: Robot) -> None:
    found = dynamics_of(robot)
    assert found["swing"] == Dynamics(stiffness=6.0, reference=np.radians(30.0), armature=0.02)
    assert found["slide"] == Dynamics(stiffness=40.0, reference=0.1)
    assert found["spin"] == Dynamics(armature=0.3)
    assert found["ball"] == Dynamics(stiffness=2.0, armature=0.01)


def test_mjcf_is_written_as_the_compiler_had_it(robot: Robot, tmp_path: Path) -> None:
    export_robot(robot, tmp_path / "out.xml")
    assert compile_numbers(tmp_path / "out.xml") == compile_numbers(ALL)


def test_sdf_is_read_and_written(tmp_path: Path) -> None:
    (tmp_path / "in.sdf").write_text(SDF)
    robot = read_robot(tmp_path / "in.sdf")
    wanted = Dynamics(stiffness=5.0, reference=0.3, armature=pytest.approx(0.4))
    assert dynamics_of(robot) == {"j": wanted}
    diagnostics = Diagnostics()
    export_robot(
        robot, tmp_path / "out.sdf", options=SdfOptions(style="plain"), diagnostics=diagnostics
    )
    export_robot(read_robot(tmp_path / "out.sdf"), tmp_path / "out.xml", diagnostics=Diagnostics())
    assert not diagnostics and compile_numbers(tmp_path / "out.xml") == {
        "jnt_stiffness": [5.0],
        "qpos_spring": [0.3],
        "dof_armature": [pytest.approx(0.4)],
    }


def test_sdf_has_all_but_springs_of_balls(robot: Robot, tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    export_robot(robot, tmp_path / "out.sdf", diagnostics=diagnostics)
    assert [(each.code, each.subject) for each in diagnostics] == [("spring-left-out", "ball")]
    found = dynamics_of(robot)
    del found["ball"]
    assert dynamics_of(read_robot(tmp_path / "out.sdf")) == found


@pytest.mark.parametrize("suffix", [".urdf", ".proto", ".usda"])
def test_formats_without_a_place_say_so_once(robot: Robot, suffix: str, tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    wishes = EngineOptions(usd="physics") if suffix == ".usda" else None
    export_robot(robot, tmp_path / f"out{suffix}", options=wishes, diagnostics=diagnostics)
    assert [each.code for each in diagnostics].count("spring-left-out") == 1


def test_reshaping_keeps_them(robot: Robot) -> None:
    before = dynamics_of(robot)
    assert dynamics_of(merge_fixed(robot)) == before
    moved = dynamics_of(move_zero(robot, {"swing": 0.2, "slide": 0.05}))
    assert moved["swing"].reference == pytest.approx(np.radians(30.0) - 0.2)
    assert moved["slide"].reference == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("masses", "inertia"), [("density", 2.0**5), ("mass", 2.0**2), ("keep", 1.0)]
)
def test_a_larger_robot_has_larger_rotors(robot: Robot, masses: str, inertia: float) -> None:
    larger = dynamics_of(resize(robot, scale=2.0, masses=masses))
    assert larger["spin"].armature == pytest.approx(0.3 * inertia)
    assert larger["swing"].reference == pytest.approx(np.radians(30.0))
    assert larger["swing"].stiffness == 6.0
    assert (larger["slide"].stiffness, larger["slide"].reference) == (20.0, 0.2)
