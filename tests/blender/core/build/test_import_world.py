# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds in: what export_world wrote comes back with all in its place, things of other worlds keep
their masses and collision shapes on the way, and a world is there as a whole or not at all."""

from pathlib import Path
from typing import Any

import bpy
import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from support.blender.rigs import new_scene
from support.blender.world_scenes import make_lab
from urdf_importer import (
    Diagnostics,
    ImportOptions,
    ReadError,
    RobotError,
    WriteError,
    compare_with_source,
    export_world,
    extract_robot,
    extract_semantics,
    find_robots,
    forward_kinematics,
    get_joint_positions,
    import_robot,
    import_world,
    import_world_steps,
    read_robot,
    set_joint_positions,
)

EXACT = 1e-6

THINGS = """<sdf version="1.9"><world name="yard"><gravity>0 0 -1.5</gravity>
<scene><background>0.25 0.5 0.75 1</background></scene>
<model name="bench"><pose>1 2 0 0 0 0.5</pose>
  <link name="seat"><pose>0 0 0.5 0 0 0</pose>
    <inertial><pose>0 0 0.1 0 0 0</pose><mass>8</mass>
      <inertia><ixx>1</ixx><iyy>2</iyy><izz>3</izz></inertia></inertial>
    <visual name="top"><geometry><box><size>2 0.5 0.1</size></box></geometry></visual>
    <visual name="bolt"><pose>0.5 0 0.1 0 0 0</pose>
      <geometry><sphere><radius>0.05</radius></sphere></geometry></visual>
    <collision name="hull"><pose>0 0 -0.2 0 0 0</pose>
      <geometry><cylinder><radius>0.5</radius><length>0.75</length></cylinder></geometry>
      <surface><friction><ode><mu>0.75</mu></ode></friction></surface></collision>
  </link>
  <link name="leg"><pose>1 0 0.25 0 0 0</pose><inertial><mass>2</mass></inertial></link>
  <joint name="glue" type="fixed"><parent>seat</parent><child>leg</child></joint>
</model>
<model name="wall"><static>true</static><link name="l">
  <collision name="c"><geometry><box><size>1 1 3</size></box></geometry></collision></link></model>
<model name="door"><pose>0 5 0 0 0 0</pose>
  <link name="frame"/><link name="wing"/>
  <joint name="hinge" type="revolute"><parent>frame</parent><child>wing</child>
    <axis><xyz>0 0 1</xyz></axis></joint></model>
</world></sdf>"""


@pytest.fixture
def yard(tmp_path: Path) -> Path:
    path = tmp_path / "yard.world"
    path.write_text(THINGS)
    new_scene()
    return path


def gap(one: Any, other: Any) -> float:
    return float(np.abs(np.array(one) - np.array(other)).max())


@pytest.mark.parametrize("name", ["lab.sdf", "lab.xml"])
def test_a_world_comes_back_with_all_in_its_place(tmp_path: Path, name: str) -> None:
    lab = make_lab()
    scene = bpy.context.scene
    scene.gravity = (0.0, 0.0, -1.5)
    scene.world = bpy.data.worlds.new("blue")
    posed = name.endswith(".xml")  # SDF has no start of joints.
    frames = {each: lab.frames(each, posed=posed) for each in lab.armatures}
    positions = {
        each: get_joint_positions(armature) if posed else {}
        for each, armature in lab.armatures.items()
    }
    shown = {each: np.array(bpy.data.objects[each].matrix_world) for each in ("lamp", "spot")}
    camera = np.array(scene.camera.matrix_world)
    export_world(tmp_path / name, diagnostics=Diagnostics())
    new_scene()
    diagnostics = Diagnostics()
    world = import_world(tmp_path / name, diagnostics=diagnostics)
    assert {each.code for each in diagnostics} <= {"world-not-read", "mimic-limits"}
    assert set(find_robots().values()) == {each.armature for each in world.robots}
    assert [each.armature.name for each in world.robots] == list(frames)
    for result in world.robots:
        place = np.array(result.armature.matrix_world)
        pose = get_joint_positions(result.armature)
        for joint, value in positions[result.armature.name].items():
            assert gap(pose[joint], value) < EXACT, joint
        found = forward_kinematics(extract_robot(result.armature), pose)
        assert found.keys() == frames[result.armature.name].keys()
        for link, frame in found.items():
            assert gap(place @ frame, frames[result.armature.name][link]) < EXACT, link
        assert compare_with_source(result.armature) == ()
    assert world.objects.keys() == lab.places.keys()
    for thing, place in lab.places.items():
        assert gap(world.objects[thing].matrix_world, place) < EXACT, thing
    assert world.lights.keys() == shown.keys()
    for lamp, place in shown.items():
        assert gap(world.lights[lamp].matrix_world, place) < EXACT, lamp
    scene = bpy.context.scene
    assert scene.camera is world.camera
    assert gap(world.camera.matrix_world, camera) < EXACT
    assert gap(scene.gravity, (0.0, 0.0, -1.5)) < EXACT
    assert world.collection.name in scene.collection.children
    assert {each.armature.name for each in world.robots} <= {
        each.name for each in world.collection.all_objects
    }
    again = export_world(tmp_path / f"again_{name}", diagnostics=Diagnostics())
    assert list(again.facts["robots"]) == list(frames)
    assert list(again.facts["objects"]) == list(lab.places)


def test_the_view_of_a_world_looks_as_the_camera_does(tmp_path: Path) -> None:
    make_lab()
    turn = np.array(bpy.context.scene.camera.matrix_world.to_3x3())
    export_world(tmp_path / "lab.sdf", diagnostics=Diagnostics())
    text = (tmp_path / "lab.sdf").read_text()
    pose = text[text.index("<pose>", text.index("<camera")) + 6 :].split("</pose>")[0].split()
    written = Rotation.from_euler("xyz", [float(part) for part in pose[3:]]).as_matrix()
    assert gap(written[:, 0], -turn[:, 2]) < EXACT and gap(written[:, 2], turn[:, 1]) < EXACT


def test_things_keep_masses_frictions_and_collision_shapes(yard: Path, tmp_path: Path) -> None:
    world = import_world(yard)
    assert [each.robot.name for each in world.robots] == ["door"]
    assert list(world.objects) == ["bench", "wall"]
    bench = world.objects["bench"]
    assert bench.type == "EMPTY" and bench["urdf_thing"]["friction"] == 0.75
    hidden = [each for each in bench.children if not each.visible_get()]
    assert len(bench.children) == 3 and len(hidden) == 1
    assert gap(bpy.context.scene.gravity, (0.0, 0.0, -1.5)) < EXACT
    path = tmp_path / "again.sdf"
    export_world(path, diagnostics=Diagnostics())
    before = read_robot(yard, options=ImportOptions(model="bench"))
    after = read_robot(path, options=ImportOptions(model="bench"))
    (link,) = after.links
    assert [type(each.geometry).__name__ for each in link.visuals] == ["Box", "Sphere"]
    assert [type(each.geometry).__name__ for each in link.collisions] == ["Cylinder"]
    assert gap(link.collisions[0].origin.xyz, (0.0, 0.0, 0.3)) < EXACT
    assert gap(link.visuals[1].origin.xyz, (0.5, 0.0, 0.6)) < EXACT
    assert link.inertial is not None and link.inertial.mass == before.total_mass() == 10.0
    assert "<mu>0.75</mu>" in path.read_text()
    assert "<background>0.25 0.5 0.75 1</background>" in path.read_text()
    wall = read_robot(path, options=ImportOptions(model="wall")).links[0]
    assert not wall.visuals and len(wall.collisions) == 1


def test_a_rigid_body_of_blender_counts_more_than_the_file(yard: Path, tmp_path: Path) -> None:
    world = import_world(yard)
    top = next(each for each in world.objects["bench"].children if each.name.startswith("top"))
    bpy.context.view_layer.objects.active = top
    bpy.ops.rigidbody.object_add()
    top.rigid_body.mass = 3.0
    export_world(tmp_path / "again.sdf", diagnostics=Diagnostics())
    after = read_robot(tmp_path / "again.sdf", options=ImportOptions(model="bench"))
    assert after.total_mass() == 3.0


def count_data() -> dict[str, int]:
    kinds = ("objects", "meshes", "armatures", "collections", "materials", "lights", "cameras")
    return {kind: len(getattr(bpy.data, kind)) for kind in (*kinds, "worlds")}


def test_a_world_is_there_as_a_whole_or_not_at_all(yard: Path) -> None:
    second = THINGS.replace("</world>", '<model name="long">{}</model></world>').format(
        "".join(f'<link name="l{n}"/>' for n in range(9))
        + "".join(
            f'<joint name="j{n}" type="revolute"><parent>l{n}</parent><child>l{n + 1}</child>'
            "<axis><xyz>0 0 1</xyz></axis></joint>"
            for n in range(8)
        )
    )
    long = yard.with_name("long.world")
    long.write_text(second)
    before = count_data()
    with pytest.raises(RobotError, match="long"):
        import_world(long, options=ImportOptions(max_links=8))
    assert count_data() == before
    number = sum(1 for _ in import_world_steps(long))
    new_scene()
    before, gravity = count_data(), tuple(bpy.context.scene.gravity)
    for stop in (number // 2, number - 1, number):
        steps = import_world_steps(long)
        for _ in range(stop):
            progress = next(steps)
        steps.close()
        assert count_data() == before, stop
    assert progress.share == 1.0 and tuple(bpy.context.scene.gravity) == gravity
    assert len(import_world(long).robots) == 2


def test_worlds_without_anything_are_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "empty.sdf"
    path.write_text('<sdf version="1.9"><world name="w"/></sdf>')
    with pytest.raises(ReadError, match="neither models nor lights"):
        import_world(path)


def test_a_model_on_a_link_of_another_goes_with_it(yard: Path) -> None:
    joint = '<joint name="{}" type="fixed"><parent>{}</parent><child>{}</child></joint>'
    ties = joint.format("grip", "door::wing", "bench::seat") + joint.format("on", "bench", "wall")
    # A ring, and a model that is not there.
    ties += joint.format("ring", "wall", "door") + joint.format("off", "door::wing", "gone")
    yard.write_text(THINGS.replace("</world>", f"{ties}</world>"))
    diagnostics = Diagnostics()
    world = import_world(yard, diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["sdf-world-joint"] * 2
    (door,) = world.robots
    places = {name: np.array(each.matrix_world) for name, each in world.objects.items()}
    wing = np.array(door.links["wing"].matrix_world)
    set_joint_positions(door.armature, {"hinge": 0.5})
    bpy.context.view_layer.update()
    moved = np.array(door.links["wing"].matrix_world) @ np.linalg.inv(wing)
    assert gap(moved, np.eye(4)) > 0.1
    for name in ("bench", "wall"):
        assert gap(world.objects[name].matrix_world, moved @ places[name]) < EXACT
    assert not door.armature.constraints


JOINED = """<mujoco model="hall">
<default><default class="v"><light diffuse="0.5 0.5 0.5"/></default></default>
<asset><texture type="skybox" builtin="flat" rgb1="0.25 0.5 0.75" width="8" height="48"/></asset>
<worldbody><light name="top" class="v" pos="0 0 3" dir="1 0 0" type="directional"/>
<geom name="wall" type="box" size="3 0.1 1" pos="0 4 1"/>
<body name="table" pos="1 0 0.5"><geom type="box" size="0.5 0.5 0.5"/></body>
<body name="ball" pos="0 0 2"><freejoint/><geom size="0.1" mass="2"/></body>
<body name="A/base" pos="0 1 0" euler="0 0 90"><geom size="0.1"/>
  <body name="A/arm" pos="0.2 0 0"><joint name="A/turn" axis="0 0 1"/><geom size="0.1"/></body>
</body>
<body name="pendulum" pos="0 0 1"><joint name="swing" pos="0 0 0.5" axis="1 0 0"/>
  <geom size="0.1"/></body>
</worldbody><actuator><motor joint="A/turn"/></actuator></mujoco>"""


def test_a_keyframe_called_start_is_where_all_begin(tmp_path: Path) -> None:
    path = tmp_path / "hall.xml"
    key = '<keyframe><key name="up" qpos="0 0 9 1 0 0 0 1 1"/><key name="start" qpos="{}"/>'
    path.write_text(
        JOINED.replace(
            "</mujoco>", key.format("0.5 0 2 0 0 0 1 0.25 -0.5") + "</keyframe></mujoco>"
        )
    )
    new_scene()
    world = import_world(path)
    arm, pendulum = world.robots
    assert gap(get_joint_positions(arm.armature)["turn"], 0.25) < EXACT
    assert gap(get_joint_positions(pendulum.armature)["swing"], -0.5) < EXACT
    ball = [[-1, 0, 0, 0.5], [0, -1, 0, 0], [0, 0, 1, 2], [0, 0, 0, 1]]
    assert gap(world.objects["ball"].matrix_world, ball) < EXACT


KEPT = """<physics name="fast" type="ode"><real_time_factor>2</real_time_factor></physics>
<plugin name="sensors" filename="gz-sim-sensors-system"/>
<actor name="walker"><pose>1 0 0 0 0 0</pose></actor>"""


def test_text_of_a_world_goes_from_sdf_to_sdf(yard: Path, tmp_path: Path) -> None:
    yard.write_text(THINGS.replace("<model", f'{KEPT}<state world_name="yard"/><model', 1))
    diagnostics = Diagnostics()
    world = import_world(yard, diagnostics=diagnostics)
    assert [each.message for each in diagnostics] == [
        "<actor>, <plugin> of the world: not shown",
        "<state> of the world: left out",
    ]
    path = tmp_path / "again.sdf"
    export_world(path, diagnostics=Diagnostics())
    text = path.read_text()
    assert "".join(KEPT.split("\n")) in text and "<state" not in text
    world.collection["urdf_world"] = "<plugin>"
    before = sorted(tmp_path.iterdir())
    with pytest.raises(WriteError, match="urdf_world of the world's collection is not XML"):
        export_world(tmp_path / "more.sdf", diagnostics=Diagnostics())
    assert sorted(tmp_path.iterdir()) == before


def test_text_with_files_of_the_worlds_folder_is_left_out(yard: Path) -> None:
    """In a world written elsewhere they would be missing."""
    actors = "".join(
        f'<actor name="{name}"><skin><filename>{file}</filename></skin></actor>'
        for name, file in (("near", "meshes/walk.dae"), ("far", "model://walk.dae"))
    )
    yard.write_text(THINGS.replace("<model", f"{actors}<model", 1))
    diagnostics = Diagnostics()
    world = import_world(yard, diagnostics=diagnostics)
    assert [each.message for each in diagnostics] == [
        "<actor> of the world: not shown",
        "<actor> of the world: left out",
    ]
    text = world.collection["urdf_world"]
    assert "far" in text and "near" not in text


def test_static_models_may_be_rigs(yard: Path) -> None:
    world = import_world(yard, options=ImportOptions(static_models="rigs"))
    assert [each.robot.name for each in world.robots] == ["bench", "wall", "door"]
    assert not world.objects and {"seat", "leg"} < world.robots[0].links.keys()


def test_models_of_mujoco_keep_their_own_keyframes_sensors_and_pairs(tmp_path: Path) -> None:
    """MuJoCo itself says where the bodies are in the keyframe."""
    path = tmp_path / "hall.xml"
    drone = (
        '<body name="drone" pos="5 0 1" euler="0 0 90"><freejoint name="fly"/><geom size="0.1"/>'
        '<body name="fan" pos="0 0 1"><joint name="turn" axis="0 0 1"/><geom size="0.1"/></body>'
        '</body><body name="A/hook" pos="0 2 0"><geom size="0.1"/></body></worldbody>'
    )
    more = (
        '<contact><exclude body1="A/base" body2="A/arm"/><exclude body1="A/arm" body2="ball"/>'
        '</contact><sensor><rangefinder site="A/eye"/><touch site="A/eye"/></sensor><keyframe>'
        '<key name="up" qpos="0 0 9 1 0 0 0 0.5 -0.25 1 2 3 0.6 0 0.8 0 0.75"/></keyframe></mujoco>'
    )
    eye = '<body name="A/arm" pos="0.2 0 0">'
    text = JOINED.replace("</worldbody>", drone).replace("</mujoco>", more)
    path.write_text(text.replace(eye, f'{eye}<site name="A/eye"/>'))
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_kinematics(model, data)
    new_scene()
    diagnostics = Diagnostics()
    world = import_world(path, diagnostics=diagnostics)
    assert [each.message for each in diagnostics] == [
        "left out, since they belong to no single model: excluded contacts (1)",
        "<sensor> of the world: left out but for cameras, range finders and inertial sensors on "
        "its models",
    ]
    assert [result.robot.name for result in world.robots] == ["A", "pendulum", "drone"]
    arm = world.robots[0]
    assert [(each.reference, each.word) for each in arm.robot.sensors] == [("arm", "ray")]
    said = extract_semantics(arm.armature)
    assert [(each.link1, each.link2) for each in said.disabled_collisions] == [("base", "arm")]
    names = (("base", "arm"), ("pendulum",), ("drone", "fan"))
    for result, bodies in zip(world.robots, names, strict=True):
        (state,) = extract_semantics(result.armature).group_states
        assert state.name == "up"
        place = np.array(result.armature.matrix_world)
        frames = forward_kinematics(result.robot, dict(state.positions))
        for link in bodies:
            body = data.body(link if result is not arm else f"A/{link}")
            found = place @ frames[link]
            assert gap(found[:3, 3], body.xpos) < EXACT, link
            assert gap(found[:3, :3], body.xmat.reshape(3, 3)) < EXACT, link


def test_bodies_of_a_model_of_mujoco_become_robots_and_things(tmp_path: Path) -> None:
    path = tmp_path / "hall.xml"
    path.write_text(JOINED)
    new_scene()
    world = import_world(path)
    assert [each.robot.name for each in world.robots] == ["A", "pendulum"]
    arm, pendulum = world.robots
    assert [link.name for link in arm.robot.links] == ["base", "arm"]
    assert gap(arm.armature.location, (0.0, 1.0, 0.0)) < EXACT
    assert abs(arm.armature.rotation_euler.z - np.pi / 2) < EXACT
    assert len(arm.robot.transmissions) == 1
    body = pendulum.links["pendulum"].matrix_world
    assert gap(body, [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]]) < EXACT
    assert list(world.objects) == ["hall_world", "table", "ball"]
    assert world.objects["ball"]["urdf_thing"]["inertial"]["mass"] == 2.0
    assert "inertial" not in world.objects["table"]["urdf_thing"]
    assert gap(-np.array(world.lights["top"].matrix_world)[:3, 2], (1, 0, 0)) < EXACT
    assert import_robot(path, options=ImportOptions(model="A")).robot.name == "A"
    with pytest.raises(RobotError, match="no model 'B'"):
        read_robot(path, options=ImportOptions(model="B"))
