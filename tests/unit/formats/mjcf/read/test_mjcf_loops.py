# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops of MuJoCo's models are closed where its solver has nothing left to do."""

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from support.mjcf_models import model
from support.mujoco_truth import Compiled
from urdf_importer import Diagnostics, read_robot
from urdf_importer.core.geometry.transforms import matrix_from_pose, rotation_from_quaternion
from urdf_importer.core.model import LoopJoint

TREE = """<worldbody><site name="u" pos="1 1 1" euler="1 2 3"/>
<body name="a" pos="0.1 0.2 0.3" euler="10 20 30"><geom size="0.1"/>
<joint name="j" ref="15" axis="1 2 3" pos="0.1 0 0"/><site name="s" pos="0.3 0.1 0" euler="5 6 7"/>
</body><body name="b" pos="1 0 0" euler="0 40 0"><freejoint name="f"/><geom size="0.1"/>
<site name="t" pos="0 0.3 0.1" euler="50 6 7"/></body></worldbody>"""
RELATIVE = 'relpose="0.1 0.2 0.3 1 0.2 0.3 0"'
CLOSED = [
    ('<connect body1="a" body2="b" anchor="0.1 0.2 0.3"/>', "ball"),
    ('<connect body1="b" anchor="0.1 0.2 0.3"/>', "ball"),
    ('<connect body1="world" body2="b" anchor="0.1 0.2 0.3"/>', "ball"),
    ('<connect site1="s" site2="t"/>', "ball"),
    ('<connect site1="t" site2="u"/>', "ball"),
    ('<weld body1="a" body2="b"/>', "fixed"),
    ('<weld body1="a" body2="b" anchor="0.4 0.1 0"/>', "fixed"),
    (f'<weld body1="a" body2="b" {RELATIVE}/>', "fixed"),
    (f'<weld body1="a" body2="b" {RELATIVE} anchor="0.5 0 0"/>', "fixed"),
    ('<weld body1="a" body2="b" relpose="0.1 0.2 0.3 0 0 0 0"/>', "fixed"),
    (f'<weld body1="b" {RELATIVE}/>', "fixed"),
    (f'<weld body1="world" body2="b" {RELATIVE} anchor="1 0 0"/>', "fixed"),
    ('<weld site1="s" site2="t" torquescale="0.1"/>', "fixed"),
    ('<weld body1="a" body2="b" torquescale="0"/>', "ball"),
    (f'<weld body1="a" body2="b" {RELATIVE} anchor="0.5 0 0" torquescale="0"/>', "ball"),
]


def violation(compiled: Compiled, loop: LoopJoint, position: float) -> float:
    """Puts the free body where a loop is closed, turned about its point where that is free;
    returns how far MuJoCo's constraint is from zero there."""
    frames = compiled.frames({"j": position})
    between = np.eye(4)
    if loop.type == "ball":
        between[:3, :3] = rotation_from_quaternion((0.5, -0.5, 0.1, 0.7))
    one, other = matrix_from_pose(loop.origin1), matrix_from_pose(loop.origin2)
    if loop.link2 == "b":
        place = frames[loop.link1] @ one @ between @ np.linalg.inv(other)
    else:
        place = frames[loop.link2] @ other @ between @ np.linalg.inv(one)
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, place[:3, :3].ravel())
    compiled.data.joint("f").qpos = [*place[:3, 3], *quat]
    mujoco.mj_forward(compiled.model, compiled.data)
    return float(np.abs(compiled.data.efc_pos[: compiled.data.ne]).max())


@pytest.mark.parametrize(("equality", "kind"), CLOSED)
def test_where_a_loop_is_closed_mujoco_has_nothing_to_do(
    equality: str, kind: str, tmp_path: Path
) -> None:
    path = model(f"{TREE}<equality>{equality}</equality>", tmp_path)
    diagnostics = Diagnostics()
    (loop,) = read_robot(path, diagnostics=diagnostics).loops
    compiled = Compiled(path)
    assert loop.type == kind and not diagnostics
    for position in (0.0, 0.7):
        assert violation(compiled, loop, position) < 1e-9
        assert compiled.data.ne in (3, 6)


def test_the_search_above_sees_what_is_wrong(tmp_path: Path) -> None:
    text = f"{TREE}<equality>{CLOSED[8][0]}</equality>"
    (loop,) = read_robot(model(text, tmp_path)).loops
    wrong = Compiled(model(text.replace("0.5 0 0", "0.5 0.1 0"), tmp_path, "wrong.xml"))
    assert violation(wrong, loop, 0.0) == pytest.approx(0.1, abs=0.05)


LEFT = [
    ('<joint joint1="j" joint2="k" polycoef="0 1 2 0 0"/>', "higher order"),
    ('<tendon tendon1="x" tendon2="y"/>', "keeps a tendon"),
    ('<tendon tendon1="x"/>', "keeps a tendon"),
    ('<flex flex="rope"/>', "has a kind"),
    ('<connect site1="s" site2="none"/>', "which does not exist"),
]


@pytest.mark.parametrize(("equality", "said"), LEFT)
def test_what_no_rig_can_hold_is_told_with_its_line(
    equality: str, said: str, tmp_path: Path
) -> None:
    body = '<body name="c"><joint name="k"/><geom size="0.1"/></body></worldbody>'
    text = TREE.replace("</worldbody>", body) + f"\n<equality>\n{equality}</equality>"
    diagnostics = Diagnostics()
    robot = read_robot(model(text, tmp_path), diagnostics=diagnostics)
    assert not robot.loops and not any(joint.mimic for joint in robot.joints)
    told: Any = list(diagnostics)
    assert [each.code for each in told] == ["mjcf-not-read"]
    assert said in told[0].message and told[0].line == len(text.splitlines())


def test_inactive_equalities_close_nothing(tmp_path: Path) -> None:
    text = "".join(each.replace("/>", ' active="false"/>') for each, _ in CLOSED)
    robot = read_robot(model(f"{TREE}<equality>{text}</equality>", tmp_path))
    assert not robot.loops
