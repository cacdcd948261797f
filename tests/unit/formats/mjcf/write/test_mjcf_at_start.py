# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots rest and move in MuJoCo as they are written: neighbours pass, servos are stable."""

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from support.real_robots import descriptions
from urdf_importer import Diagnostics, MjcfOptions, Robot, export_robot, read_robot
from urdf_importer.core.diagnostics import Severity
from urdf_importer.formats.mjcf.write.penetration import (
    Support,
    measure_depth,
    move_support,
    support_of,
)

MASS = '<mass value="{0}"/><inertia ixx="{1}" iyy="{1}" izz="{1}" ixy="0" ixz="0" iyz="0"/>'
BOX = '<collision><origin xyz="{0}"/><geometry><box size="{1}"/></geometry></collision>'
LIMIT = '<limit lower="-2" upper="2" effort="10" velocity="5"/>'


def link(name: str, size: str = "", at: str = "0 0 0", mass: float = 1.0, inertia: float = 0.01):
    shape = BOX.format(at, size) if size else ""
    return f'<link name="{name}"><inertial>{MASS.format(mass, inertia)}</inertial>{shape}</link>'


def joint(parent: str, child: str, kind: str = "revolute", at: str = "0 0 0.1") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="{at}"/>'
    return f'<joint name="to_{child}" type="{kind}">{ends}<axis xyz="0 1 0"/>{LIMIT}</joint>'


def read(text: str, folder: Path) -> Robot:
    (folder / "robot.urdf").write_text(f'<robot name="r">{text}</robot>')
    return read_robot(folder / "robot.urdf")


def export(robot: Robot, folder: Path, **options: Any) -> tuple[Any, Any, Diagnostics]:
    found = Diagnostics()
    chosen = MjcfOptions(**options)
    path = export_robot(robot, folder / "robot.xml", options=chosen, diagnostics=found).path
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    return model, data, found


def touching(model: Any, data: Any) -> set[frozenset[str]]:
    names = [model.body(body).name for body in model.geom_bodyid]
    return {
        frozenset((names[each.geom1], names[each.geom2]))
        for each in data.contact
        if each.dist < -1e-6
    }


def excluded(model: Any) -> set[frozenset[str]]:
    pairs = [(signature & 0xFFFF, signature >> 16) for signature in model.exclude_signature]
    return {frozenset(model.body(each).name for each in pair) for pair in pairs}


def test_an_arm_passes_its_fixed_base_and_what_is_fixed_to_both(tmp_path: Path) -> None:
    text = link("base", "0.2 0.2 0.2") + link("foot", "0.2 0.2 0.2") + link("frame")
    text += link("arm", "0.1 0.1 0.5", "0 0 0.2") + link("cap", "0.1 0.1 0.1")
    text += link("hand", "0.1 0.1 0.1") + joint("base", "foot", "fixed", "0 0 0.05")
    text += joint("base", "frame", "fixed") + joint("base", "arm") + joint("arm", "cap", "fixed")
    model, data, found = export(read(text + joint("arm", "hand", at="0 0 0"), tmp_path), tmp_path)
    pairs = {frozenset(pair) for pair in (("base", "arm"), ("foot", "arm"))}
    pairs |= {frozenset(pair) for pair in (("base", "cap"), ("foot", "cap"))}
    assert excluded(model) == pairs
    # The hand is no neighbour of the base.
    assert touching(model, data) == {frozenset(("base", "hand")), frozenset(("foot", "hand"))}
    (told,) = [each for each in found if each.code == "mjcf-start-contacts"]
    assert told.severity is Severity.WARNING and "'base' and 'hand' (50 mm)" in told.message


def test_bases_that_move_and_the_world_exclude_nothing(tmp_path: Path) -> None:
    arm = link("base", "0.2 0.2 0.2") + link("arm", "0.1 0.1 0.5", "0 0 0.2") + joint("base", "arm")
    model, data, _ = export(read(arm, tmp_path), tmp_path, base="free")
    assert model.nexclude == 0 and data.ncon == 0
    floor = '<link name="world">' + BOX.format("0 0 -1", "9 9 1") + "</link>"
    cart = floor + arm + joint("world", "base", "prismatic", "0 0 -0.41")
    model, data, found = export(read(cart, tmp_path), tmp_path)
    assert model.nexclude == 0
    # The cart stands in the floor.
    assert touching(model, data) == {frozenset(("world", "base"))}
    assert [each.code for each in found] == ["mjcf-world", "mjcf-start-contacts"]


def test_an_srdf_may_want_a_neighbour_looked_at(tmp_path: Path) -> None:
    arm = link("base", "0.2 0.2 0.2") + link("arm", "0.1 0.1 0.5", "0 0 0.2") + joint("base", "arm")
    wanted = '<robot name="r"><enable_collisions link1="arm" link2="base"/></robot>'
    (tmp_path / "r.srdf").write_text(wanted)
    model, data, found = export(read(arm, tmp_path), tmp_path, srdf=str(tmp_path / "r.srdf"))
    assert model.nexclude == 0 and touching(model, data) == {frozenset(("base", "arm"))}
    assert {each.code for each in found} == {"mjcf-start-contacts"}


def test_contacts_at_the_start_are_excluded_on_demand(tmp_path: Path) -> None:
    text = "".join(link(name, "0.1 0.1 0.3", "0 0 0.1") for name in "abcd")
    text += "".join(joint(*pair, at="0 0 0.14") for pair in ("ab", "bc", "cd"))
    robot = read(text, tmp_path)
    across = {frozenset("ac"), frozenset("bd")}
    model, data, _ = export(robot, tmp_path)
    assert touching(model, data) == across and excluded(model) == {frozenset("ab")}
    model, data, found = export(robot, tmp_path, start_contacts="exclude")
    assert not touching(model, data) and excluded(model) == across | {frozenset("ab")}
    (told,) = [each for each in found if each.code == "mjcf-start-contacts"]
    assert told.severity is Severity.NOTE and found.count_faults() == 0
    bent = {"start_contacts": "exclude", "positions": (("to_b", "1.6"),)}
    model, _, found = export(robot, tmp_path, **bent)
    assert excluded(model) == {frozenset("ab"), frozenset("bd")}
    assert {each.code for each in found} == {"mjcf-start-contacts"}


FEW = ("panda", "so100", "z1", "hyq_no_sensors", "bolt")


@pytest.mark.parametrize("name", FEW)
def test_contacts_of_real_robots_are_those_of_mujoco(name: str, tmp_path: Path) -> None:
    (path,) = [each for each in descriptions() if each.stem == name]
    robot = read_robot(path)
    model, data, found = export(robot, tmp_path, visuals=False)
    pairs = touching(model, data)
    told = [each.message for each in found if each.code == "mjcf-start-contacts"]
    assert len(told) == bool(pairs)
    if pairs:
        assert told[0].startswith(f"{len(pairs)} pairs" if len(pairs) > 1 else "one pair")
    options = {"actuators": "position", "start_contacts": "exclude"}
    model, data, _ = export(robot, tmp_path, visuals=False, **options)
    assert not touching(model, data)
    servos = model.actuator_trnid[:, 0]
    data.ctrl[:] = data.qpos[model.jnt_qposadr[servos]]
    fastest = 0.0
    for _ in range(1500):
        mujoco.mj_step(model, data)
        fastest = max(fastest, float(np.abs(data.qvel).max()))
    assert np.abs(data.qvel).max() < 1e-3 and fastest < 1.0


@pytest.mark.parametrize("kind", ["position", "velocity"])
def test_servos_on_light_links_settle(kind: str, tmp_path: Path) -> None:
    text = link("base") + link("jaw", mass=0.012, inertia=6e-6) + joint("base", "jaw")
    model, data, found = export(read(text, tmp_path), tmp_path, actuators=kind)
    least = 4 * 100 * 0.002**2 if kind == "position" else 2 * 0.002
    assert model.dof_armature[0] == pytest.approx(least)
    (told,) = [each for each in found if each.code == "mjcf-servo-armature"]
    assert told.severity is Severity.NOTE and "'to_jaw'" in told.message
    data.qpos[0] = 0.3
    for _ in range(4000):
        mujoco.mj_step(model, data)
        assert abs(data.qvel[0]) < 100.0
    assert abs(data.qvel[0]) < 1e-6 and (kind == "velocity" or abs(data.qpos[0]) < 0.01)


def test_more_armature_stays_and_motors_get_none(tmp_path: Path) -> None:
    robot = read(link("base") + link("jaw") + joint("base", "jaw"), tmp_path)
    model, _, found = export(robot, tmp_path, actuators="position", rotor_inertia=0.5)
    assert model.dof_armature[0] == 0.5 and not found
    model, _, found = export(robot, tmp_path, actuators="motor")
    assert model.dof_armature[0] == 0.0 and not found


def turned(support: Support, angle: float, at: tuple[float, float, float]) -> Support:
    frame = np.eye(4)
    cosine, sine = np.cos(angle), np.sin(angle)
    frame[:2, :2], frame[:3, 3] = [[cosine, -sine], [sine, cosine]], at
    return move_support(support, frame)


def test_depths_of_simple_bodies_are_exact() -> None:
    box = support_of("box", np.array([0.1, 0.2, 0.3]))
    ball = support_of("sphere", np.array([0.1]))
    tube = support_of("cylinder", np.array([0.1, 0.5]))
    points = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.3, 0.3)])
    hull = support_of("mesh", np.zeros(0), points)
    for one in (box, hull):
        assert measure_depth(one, turned(ball, 0.0, (0.15, 0.0, 0.1))) == pytest.approx(0.05, 0.02)
        assert measure_depth(one, turned(tube, 1.0, (0.0, 0.25, 0.7))) == pytest.approx(0.05, 0.02)
        corner = turned(one, np.pi / 4, (0.1 + 0.3 / np.sqrt(2.0) - 0.01, 0.0, 0.0))
        assert measure_depth(box, corner) == pytest.approx(0.01, 0.02)
        assert measure_depth(box, turned(one, 0.0, (0.0, 0.0, 0.6001))) == 0.0
        assert measure_depth(box, turned(ball, 0.0, (0.172, 0.272, 0.0))) == 0.0
