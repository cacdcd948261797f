# SPDX-License-Identifier: GPL-3.0-or-later
"""What drives the joints of MuJoCo's models, their keyframes and the contacts that they exclude:
in the robot, and in what is written of it again."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.mjcf_models import body, close, model
from support.mujoco_truth import Compiled
from urdf_importer import (
    Diagnostics,
    ImportOptions,
    ReadError,
    Robot,
    Semantics,
    export_robot,
    forward_kinematics,
    read_robot,
)
from urdf_importer.formats.srdf.files import read_own_srdf

GEOM = '<geom size="0.1"/>'
TREE = f"""<compiler angle="degree"/><default><motor gear="3"/><general forcerange="-2 2"/>
<default class="strong"><motor gear="5 0 0 0 0 0"/></default></default>
<worldbody>{GEOM}<body name="a" pos="1 2 3" euler="10 20 30"><freejoint name="f"/>{GEOM}
<body name="b" pos="0 0 1"><joint name="h" range="-90 90" ref="20"/>{GEOM}
<body name="c" pos="0 1 0"><joint name="s" type="slide" axis="1 0 0"/>{GEOM}
<body name="d" pos="0 1 0"><joint name="t" type="ball"/>{GEOM}
<body name="e" pos="0 1 0"><joint name="u" actuatorfrcrange="-4 4"/>{GEOM}</body>
</body></body></body></body></worldbody>"""
KEY = "0.1 0.2 0.3 0.5 0.5 -0.5 0.5 0.7 -0.4 2 0 1 0 0.9"
MORE = f"""<actuator><motor joint="h" class="strong" ctrlrange="-1 7"/>
<position name="push" joint="s" kp="10"/><velocity joint="u" ctrlrange="-6 6" gear="2"/>
<motor joint="t"/><general site="nothing"/></actuator>
<contact><exclude body1="a" body2="c"/><exclude body1="world" body2="b"/></contact>
<keyframe><key name="home" qpos="{KEY}"/><key name="none" ctrl="0 0 0"/><key qpos="{KEY}"/>
</keyframe>"""


def semantics_of(robot: Robot, diagnostics: Diagnostics) -> Semantics | None:
    return read_own_srdf(robot.source, robot, ImportOptions(), diagnostics)


def without_unsupported(text: str) -> str:
    return text.replace('<general site="nothing"/>', "")


def test_motors_are_transmissions_and_limit_joints(tmp_path: Path) -> None:
    robot = read_robot(model(TREE + MORE, tmp_path))
    driven = {each.joints[0].name: each for each in robot.transmissions}
    assert list(driven) == ["h", "s", "u"]
    assert driven["s"].name == "push" and driven["h"].actuators[0].mechanical_reduction == 5
    words = [each.joints[0].hardware_interfaces[0] for each in driven.values()]
    assert ["Effort" in words[0], "Position" in words[1], "Velocity" in words[2]] == [True] * 3
    limits = {joint.name: joint.limit for joint in robot.joints}
    assert limits["h"] is not None and limits["u"] is not None and limits["s"] is not None
    # The class gives a force range, which is less than that of the control; the gear multiplies it.
    assert limits["h"].effort == 10 and limits["s"].effort == 2 * 1
    assert (limits["u"].effort, limits["u"].velocity) == (4, 3)


def check_state(robot: Robot, compiled: Compiled, name: str, semantics: Semantics) -> None:
    state = next(each for each in semantics.group_states if each.name == name)
    positions: dict[str, Any] = {
        joint: numbers[0] if len(numbers) == 1 else numbers for joint, numbers in state.positions
    }
    compiled.key(name)
    shown, found = compiled.shown(), forward_kinematics(robot, positions)
    for link in shown.keys() & found.keys():
        close(found[link], shown[link], 1e-9)


def test_keyframes_are_states_where_mujoco_stands(tmp_path: Path) -> None:
    path = model(without_unsupported(TREE + MORE), tmp_path)
    robot, diagnostics = read_robot(path), Diagnostics()
    semantics = semantics_of(robot, diagnostics)
    assert semantics is not None and not diagnostics
    assert [each.name for each in semantics.group_states] == ["home", "key2"]
    assert semantics.groups[0].joints == ("f", "h", "s", "t", "u")
    check_state(robot, Compiled(path), "home", semantics)
    pairs = [(each.link1, each.link2) for each in semantics.disabled_collisions]
    assert pairs == [("a", "c"), ("world", "b")]


def test_what_is_written_again_has_them(tmp_path: Path) -> None:
    path = model(without_unsupported(TREE + MORE), tmp_path)
    robot = read_robot(path)
    written = export_robot(robot, tmp_path / "again.xml")
    before, after = Compiled(path), Compiled(written.path)
    assert after.model.nexclude == before.model.nexclude
    assert after.names("actuator") == ["h", "s", "u"]
    for each in (before, after):
        each.key("home")
    shown, found = before.shown(), after.shown()
    for name in ("a", "b", "c", "d", "e"):
        close(np.linalg.inv(found["a"]) @ found[name], np.linalg.inv(shown["a"]) @ shown[name])
    again = read_robot(written.path)
    assert {joint.name for joint in again.joints} >= {"f", "h", "s", "t", "u"}


def test_keyframes_of_another_length_are_told(tmp_path: Path) -> None:
    keys = '<keyframe><key name="k" qpos="1 2 3"/></keyframe>'
    robot, diagnostics = read_robot(model(TREE + keys, tmp_path)), Diagnostics()
    assert semantics_of(robot, diagnostics) is None
    assert [(each.code, bool(each.line)) for each in diagnostics] == [("mjcf-not-read", True)]


def test_other_robots_have_none() -> None:
    robot = Robot(name="r", links=())
    assert semantics_of(robot, Diagnostics()) is None


@pytest.mark.parametrize(
    "more",
    [
        '<keyframe><key qpos="nan"/></keyframe>',
        '<keyframe><key qpos="much"/></keyframe>',
        '<actuator><motor joint="h" gear="inf"/></actuator>',
        '<actuator><motor joint="h" ctrlrange="1"/></actuator>',
    ],
)
def test_what_is_not_a_number_is_refused_in_a_sentence(more: str, tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"not numbers|needs 2") as caught:
        semantics_of(read_robot(model(TREE + more, tmp_path)), Diagnostics())
    assert "\n" not in caught.value.message and caught.value.line


def test_zero_turns_are_none(tmp_path: Path) -> None:
    text = body(f'<joint name="t" type="ball"/>{GEOM}')
    keys = '<keyframe><key name="k" qpos="0 0 0 0"/></keyframe>'
    robot = read_robot(model(text + keys, tmp_path))
    semantics = semantics_of(robot, Diagnostics())
    assert semantics is not None
    assert semantics.group_states[0].positions == (("t", (0.0, 0.0, 0.0, 1.0)),)


def test_a_fixed_joint_of_other_readers_holds_its_body(tmp_path: Path) -> None:
    inner = '<geom size="0.1"/><body name="b" pos="1 0 0"><geom size="0.1"/>{}</body>'
    plain = read_robot(model(body(inner.format("")), tmp_path))
    joint = '<joint name="weld" type="fixed" pos="1 2 3" range="0 1"/>'
    robot = read_robot(model(body(inner.format(joint)), tmp_path))
    (weld,) = robot.joints
    assert (weld.name, weld.type, weld.limit) == ("weld", "fixed", None)
    assert weld.origin == plain.joints[0].origin
    close(forward_kinematics(robot)["b"], forward_kinematics(plain)["b"])
