# SPDX-License-Identifier: GPL-3.0-or-later
"""Export to MuJoCo from a rig: what the description says, as the scene shows it."""

from pathlib import Path

import bpy
import numpy as np
import pytest

from support.mujoco_truth import Compiled
from support.paths import ROOT
from urdf_importer import (
    MjcfOptions,
    apply_srdf,
    export_robot,
    extract_robot,
    import_robot,
    link_pose,
    set_joint_positions,
    update_robot,
)
from urdf_importer.formats.mjcf.write.export import MjcfExport

LEG = ROOT / "sample_urdfs" / "quadruped_leg.urdf"
TOLERANCE = 2e-5

pytestmark = pytest.mark.usefixtures("scene")


def test_a_rig_is_written_as_it_stands(tmp_path: Path) -> None:
    robot = import_robot(LEG).armature
    robot.location = (1.0, 2.0, 3.0)
    robot.rotation_euler = (0.1, 0.2, 0.3)
    set_joint_positions(robot, {"hip_pitch": 0.4, "knee": -0.9})
    written = export_robot(robot, tmp_path / "leg.xml", options=MjcfOptions(base="free"))
    assert isinstance(written, MjcfExport)
    compiled = Compiled(written.path)
    compiled.key("start")
    shown = compiled.shown()
    place = np.array(robot.matrix_world)
    for link, body in written.bodies.items():
        expected = place @ np.array(link_pose(robot, link))
        np.testing.assert_allclose(shown[body], expected, atol=TOLERANCE)


def test_the_scene_and_its_srdf_are_in_it(tmp_path: Path) -> None:
    result = import_robot(LEG)
    robot, joints = result.armature, [each.name for each in result.robot.joints]
    moving = next(each for each in result.robot.joints if each.type == "revolute")
    (tmp_path / "leg.srdf").write_text(
        f'<robot name="{result.robot.name}"><group name="leg"><joint name="{moving.name}"/></group>'
        f'<group_state name="bent" group="leg"><joint name="{moving.name}" value="0.25"/>'
        f'</group_state><passive_joint name="{moving.name}"/></robot>'
    )
    apply_srdf(robot, tmp_path / "leg.srdf")
    written = export_robot(robot, tmp_path / "leg.xml")
    compiled = Compiled(written.path)
    compiled.key("bent")
    assert compiled.data.joint(moving.name).qpos[0] == pytest.approx(0.25, abs=1e-6)
    assert moving.name in joints and moving.name not in written.facts["actuators"]
    before = compiled.model.ngeom
    visual = next(each for each in robot.children_recursive if each.type == "MESH")
    bpy.data.objects.remove(visual)
    export_robot(robot, tmp_path / "less.xml")
    assert Compiled(tmp_path / "less.xml").model.ngeom < before


def test_links_of_a_rig_stand_away_from_their_joints(tmp_path: Path) -> None:
    robot = import_robot(ROOT / "sample_urdfs" / "gate.sdf").armature
    set_joint_positions(robot, {"spin": -16.0})
    written = export_robot(robot, tmp_path / "gate.xml")
    assert isinstance(written, MjcfExport)
    compiled = Compiled(written.path)
    compiled.key("start")
    shown = compiled.shown()
    for link, body in written.bodies.items():
        np.testing.assert_allclose(shown[body], np.array(link_pose(robot, link)), atol=TOLERANCE)
    model = compiled.model
    for index in range(model.ngeom):
        owner = model.body(model.geom_bodyid[index]).name
        if owner == "wing":
            np.testing.assert_allclose(model.geom_pos[index], np.zeros(3), atol=TOLERANCE)


def test_surfaces_of_the_text_are_shown_kept_and_written(tmp_path: Path) -> None:
    (tmp_path / "part.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n")
    path = tmp_path / "model.xml"
    path.write_text(
        '<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>'
        '<hfield name="h" nrow="2" ncol="3" elevation="0 1 2 3 4 5" size="1 2 0.5 0.1"/>'
        '<mesh name="f" file="part.obj"/></asset><worldbody><body name="a"><joint name="j"/>'
        '<geom type="mesh" mesh="m"/><geom type="hfield" hfield="h"/><geom type="mesh" mesh="f"/>'
        "</body></worldbody></mujoco>"
    )
    result = import_robot(path)
    shapes = next(link for link in result.robot.links if link.name == "a").visuals
    shown = [each for each in result.visuals["a"] if each.type == "MESH"]
    assert not result.diagnostics and len(shapes) == len(shown) == 3
    assert [len(each.data.polygons) for each in shown] == [4, 4, 2]
    assert extract_robot(result.armature) == result.robot
    assert not update_robot(result.armature).changes
    export_robot(result.armature, tmp_path / "again.xml")
    assert Compiled(tmp_path / "again.xml").model.ngeom == 6
