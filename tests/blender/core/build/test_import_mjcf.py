# SPDX-License-Identifier: GPL-3.0-or-later
"""Models of MuJoCo as rigs: links where MuJoCo puts them, also in a re-opened file."""

from pathlib import Path

import bpy
import numpy as np
import pytest

from support.mujoco_truth import Compiled
from urdf_importer import (
    export_robot,
    extract_robot,
    extract_semantics,
    find_robots,
    get_joint_positions,
    import_robot,
    link_pose,
    open_blend,
    save_blend,
    set_joint_positions,
    update_robot,
)
from urdf_importer.core.blender.semantics.apply import show_state

MODEL = """<mujoco model="crane">
  <compiler angle="degree"/>
  <default><geom type="capsule" size="0.05" rgba="0.2 0.4 0.8 1"/></default>
  <worldbody>
    <geom type="box" size="0.3 0.3 0.05"/>
    <body name="mast" pos="0 0 0.1">
      <joint name="turn" axis="0 0 1" range="-120 120"/>
      <geom fromto="0 0 0 0 0 1"/>
      <body name="boom" pos="0 0 1" euler="0 20 0">
        <joint name="slide" type="slide" axis="1 0 0" range="0 0.5"/>
        <joint name="tilt" axis="0 1 0" pos="-0.2 0 0.1" range="-40 60" ref="10"/>
        <geom fromto="0 0 0 0.8 0 0"/>
        <body name="hook" pos="0.8 0 0">
          <joint name="swing" type="ball"/><geom size="0.1" type="sphere"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="turn" ctrlrange="-3 3"/><position joint="tilt"/></actuator>
  <contact><exclude body1="mast" body2="hook"/></contact>
  <keyframe><key name="up" qpos="0.7 0.3 -0.4 0.5 0.5 -0.5 0.5"/></keyframe>
</mujoco>"""
POSE = {"turn": 0.7, "slide": 0.3, "tilt": -0.4}
TOLERANCE = 2e-5

pytestmark = pytest.mark.usefixtures("scene")


def check(armature: object, compiled: Compiled) -> None:
    for name, frame in compiled.frames(POSE).items():
        np.testing.assert_allclose(link_pose(armature, name), frame, atol=TOLERANCE)


def test_a_rig_stands_and_moves_as_mujoco_says(tmp_path: Path) -> None:
    path = tmp_path / "crane.xml"
    path.write_text(MODEL)
    compiled = Compiled(path)
    result = import_robot(path)
    set_joint_positions(result.armature, POSE)
    check(result.armature, compiled)
    assert extract_robot(result.armature) == result.robot
    assert [each.joints[0].name for each in result.robot.transmissions] == ["turn", "tilt"]
    (state,) = extract_semantics(result.armature).group_states
    assert (state.name, len(state.positions)) == ("up", 4)
    show_state(result.armature, state.group, "up")
    compiled.key("up")
    for name, frame in compiled.shown().items():
        np.testing.assert_allclose(link_pose(result.armature, name), frame, atol=TOLERANCE)
    set_joint_positions(result.armature, POSE | {"swing": (0.0, 0.0, 0.0, 1.0)})
    written = export_robot(result.armature, tmp_path / "again.xml")
    again = Compiled(written.path)
    assert again.names("joint") == compiled.names("joint")
    assert again.names("actuator") == ["turn", "tilt"]
    assert again.model.nexclude == 1 and "up" in again.names("key")
    save_blend(tmp_path / "crane.blend")
    open_blend(tmp_path / "crane.blend")
    check(find_robots()["crane"], compiled)


@pytest.mark.usefixtures("extension")
def test_the_menu_reads_it_too(tmp_path: Path) -> None:
    for suffix, name in ((".mjcf", "mjcf"), (".xml", "mjcf"), (".xml", "urdf")):
        path = (tmp_path / "crane").with_suffix(suffix)
        path.write_text(MODEL)
        run = getattr(bpy.ops.import_scene, name)
        assert run(filepath=str(path)) == {"FINISHED"}
    armatures = [each for each in bpy.data.objects if each.type == "ARMATURE"]
    assert [each["urdf_robot"]["name"] for each in armatures] == ["crane"] * 3


def test_an_update_reads_the_model_again(tmp_path: Path) -> None:
    path = tmp_path / "crane.xml"
    path.write_text(MODEL)
    armature = import_robot(path).armature
    path.write_text(MODEL.replace('pos="0.8 0 0"', 'pos="1.2 0 0"'))
    update_robot(armature)
    set_joint_positions(armature, POSE)
    check(armature, Compiled(path))


def test_the_legs_of_the_sample_hexapod_meet_its_plate_as_mujoco_has_it():
    """Its constraints are from anchors on one body to the same ones on another."""
    path = Path(__file__).parents[4] / "sample_urdfs" / "hexapod.xml"
    result = import_robot(path)
    assert list(result.diagnostics) == []
    judge = Compiled(path)
    anchors = judge.model.eq_data[:, :6].reshape(-1, 2, 3)
    random = np.random.default_rng(5)
    for _ in range(6):
        legs = {f"leg_{number}": random.uniform(-0.07, 0.07) for number in range(1, 7)}
        set_joint_positions(result.armature, legs)
        bpy.context.view_layer.update()
        shown = get_joint_positions(result.armature)
        assert {name: shown[name] for name in legs} == pytest.approx(legs, abs=1e-6)
        x, y, z, w = shown["plate_ball"]
        frames = judge.frames({**shown, "plate_ball": (w, x, y, z)})
        for number, (one, other) in enumerate(anchors, start=2):
            pins = frames[f"rod_{number}"] @ [*one, 1.0], frames["plate"] @ [*other, 1.0]
            assert pins[0] == pytest.approx(pins[1], abs=5e-6)
