# SPDX-License-Identifier: GPL-3.0-or-later
"""The reference of a rig's properties says exactly what rigs carry; its example poses a robot."""

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

import urdf_importer
from support.blender.rigs import new_scene
from support.mesh_files import png
from support.paths import ROOT
from urdf_importer.core.blender.standing.armatures import armatures_of
from urdf_importer.core.blender.standing.renamed import BLENDER_MENDS, mend_drivers
from urdf_importer.features.sensing.blender.looking import look_through
from urdf_importer.features.sensing.blender.shown import show_reading
from urdf_importer_morse.split.split import split_armature

REFERENCE = ROOT / "docs" / "reference"
PAGES = [REFERENCE / f"rig_{name}.md" for name in ("properties", "groups", "shape_groups")]
HOW_TO = (ROOT / "docs" / "how-to" / "rig_without_extension.md").read_text("utf-8")
SAMPLES = sorted((ROOT / "sample_urdfs").glob("*.urdf"))
DATA = [
    ROOT / "tests" / "data" / name
    for name in (
        "attributes_at_every_level.urdf",
        "complete_urdf_1_2.urdf",
        "extras_at_every_level.urdf",
    )
]
ROBOT = """
<robot name="rest">
  <link name="b"/><link name="c"/>
  <link name="a"><visual><geometry><box size="1 1 1"/></geometry>
    <material name="skin"><texture filename="skin.png"/></material></visual></link>
  <joint name="ball" type="spherical"><parent link="a"/><child link="b"/></joint>
  <joint name="loop" type="fixed"><parent link="a"/><child link="b"/></joint>
  <joint name="loose" type="fixed"><parent link="b"/><child link="nowhere"/></joint>
  <loop_joint name="closed" type="revolute"><link1 link="a" xyz="1 0 0"/><link2 link="c"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1"/><dynamics damping="1"/><odd/></loop_joint>
  <gazebo><joint name="held" type="ball"><parent>a</parent><child>nowhere</child></joint></gazebo>
</robot>
"""

SHAPES = """
<sdf version="1.9"><model name="shapes"><link name="a">
  <visual name="egg"><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry>
    <material><emissive>0 0 1</emissive><pbr><metal><normal_map>skin.png</normal_map>
    <roughness_map>skin.png</roughness_map><metalness_map>skin.png</metalness_map>
    <emissive_map>skin.png</emissive_map></metal></pbr></material></visual>
  <visual name="tip"><geometry><cone/></geometry></visual>
  <visual name="slab"><geometry><polyline><point>0 0</point><point>1 0</point><point>0 1</point>
    <height>2</height></polyline></geometry></visual>
  <visual name="lid"><geometry><mesh><uri>two.obj</uri><submesh><name>lid</name></submesh></mesh>
    </geometry></visual>
</link></model></sdf>
"""

SPRUNG = """
<mujoco><worldbody><body name="a"><geom size="1"/><body name="b">
  <joint name="j" armature="0.1" stiffness="2" springref="20"/><geom size="1"/></body></body>
</worldbody></mujoco>
"""

SENSORS = """
<robot name="sensors"><link name="head"/><gazebo reference="head">
  <sensor name="eye" type="camera"><camera><horizontal_fov>1</horizontal_fov></camera></sensor>
  <sensor name="scan" type="ray"/>
  <sensor name="imu" type="imu"/>
</gazebo></robot>
"""

AXIS = urdf_importer.FittedAxis(kind="face", point=(0.0, 0.0, 1.0), direction=(0.0, 0.0, 1.0))

WORLD = """
<sdf version="1.9"><world name="lab"><model name="ball"><link name="ball">
  <inertial><mass>2</mass></inertial>
  <visual name="v"><geometry><sphere><radius>0.1</radius></sphere></geometry></visual>
  <collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry>
    <surface><friction><ode><mu>0.5</mu></ode></friction></surface></collision>
</link></model><wind><linear_velocity>1 0 0</linear_velocity></wind></world></sdf>
"""

SRDF = """
<robot name="two_link_arm">
  <virtual_joint name="world" type="floating" parent_frame="map" child_link="base"/>
  <group name="arm"><chain base_link="base" tip_link="tool"/></group>
  <group_state name="home" group="arm"><joint name="elbow" value="0.5"/></group_state>
  <end_effector name="grip" group="arm" parent_link="tool"/>
  <passive_joint name="elbow"/>
  <joint_property joint_name="elbow" property_name="angular_distance_weight" value="2"/>
</robot>
"""


def read_sections() -> dict[str, dict[str, str]]:
    """Section -> key -> type, of all tables that begin with a key."""
    sections: dict[str, dict[str, str]] = {}
    text = "".join(page.read_text("utf-8") for page in PAGES)
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", part, re.MULTILINE)
        column = 1 if part.startswith("The properties") else 0
        cells = {key: rest.split("|")[column].strip() for key, rest in rows}
        sections[part.splitlines()[0]] = cells
    return sections


SECTIONS = read_sections()
PROPERTIES = SECTIONS["The properties"]
LINK = SECTIONS["link"]


def carriers(armature: Any) -> Iterator[Any]:
    for each in armatures_of(armature):
        yield each
        yield from each.data.bones
        yield from each.data.collections_all
    yield from armature.children_recursive
    yield from (item for item in bpy.data.objects if not item.users_scene)
    yield from bpy.context.scene.collection.children_recursive
    yield from bpy.data.meshes
    yield from bpy.data.materials
    yield from bpy.data.images
    yield from bpy.data.actions
    if armature.parent is not None:
        yield armature.parent


def mount_component(armature: Any) -> None:
    """Puts on a link what a builder script would."""
    camera = bpy.data.objects.new("camera", None)
    bpy.context.collection.objects.link(camera)
    camera.parent = next(item for item in armature.children_recursive if "urdf_link" in item)
    camera["urdf_mounted"] = True


def look_and_measure(armature: Any) -> list[Any]:
    """Returns what shows that a sensor is looked through, and what it measured."""
    look_through(bpy.context.scene, urdf_importer.find_sensors(armature)[0])
    reading = urdf_importer.Reading(frame_id="eye", depth=np.ones((2, 2), np.float32))
    return [bpy.context.scene, *show_reading("sensors", "eye", reading, np.eye(4))]


def record_waypoints(armature: Any) -> None:
    """Two waypoints, the second at the end of an arc, with all the numbers that they can have; and
    the markers of a plan."""
    ends = ({"shoulder": 0.0, "elbow": 0.0}, {"shoulder": 0.3, "elbow": -0.3})
    points = [urdf_importer.Waypoint(positions=each) for each in ends]
    assert urdf_importer.bake_waypoints(armature, points).trajectory is not None
    urdf_importer.record_waypoint(armature)
    urdf_importer.set_joint_positions(armature, {"elbow": 0.4})
    urdf_importer.record_waypoint(armature, move="circular")
    recorded = urdf_importer.get_waypoints(armature)
    numbers = {"blend": 0.01, "speed": 0.5, "tool_speed": 0.2, "pause": 1.0, "swivel": 0.1}
    urdf_importer.set_waypoints(armature, [replace(each, **numbers) for each in recorded])


def move_by_counts(armature: Any, folder: Path) -> None:
    """Applies a motion in the counts of a servo, whose table the robot keeps."""
    name = next(iter(urdf_importer.get_joint_positions(armature)))
    table = folder / "servos.yaml"
    table.write_text(f"servos:\n  {name}: {{id: 1}}\n")
    motion = folder / "counts.csv"
    motion.write_text(f"time,{name}\n0,2048\n")
    options = urdf_importer.MotionOptions(units=(("*", "counts"),), servos=str(table))
    urdf_importer.apply_trajectory(armature, motion, options=options)


def check(value: Any, wanted: str, place: str, seen: set[tuple[str, str]]) -> None:
    """The value is of the type that the page gives it, down to the last key."""
    group = re.fullmatch(r"(list of )?\[[\w ]+\]\((?:rig_\w+\.md)?#([\w-]+)\)", wanted)
    if group is None:
        assert is_of(value, wanted), f"{place} is {value!r}, not {wanted}"
        return
    for item in value if group[1] else [value]:
        name = group[2].replace("-", " ")
        for key, part in item.items():
            assert key in SECTIONS[name], f"{place}.{key} is not documented"
            seen.add((name, key))
            check(part, SECTIONS[name][key], f"{place}.{key}", seen)


def check_properties(items: Iterable[Any], seen: set[tuple[str, str]]) -> None:
    """Every property of the items is documented, and as it is documented."""
    for item in items:
        for key, value in item.items():
            assert key in PROPERTIES, f"{item.name}[{key}] is not documented"
            seen.add(("The properties", key))
            check(value, PROPERTIES[key], key, seen)


def is_of(value: Any, wanted: str) -> bool:
    count = re.fullmatch(r"(\d) numbers", wanted)
    if count is not None:
        return len(value) == int(count[1]) and all(isinstance(item, float) for item in value)
    if wanted == "integers":
        return all(isinstance(item, int) for item in value)
    if wanted == "list of numbers":
        return all(isinstance(item, float) for item in value)
    if wanted == "list of text":
        return all(isinstance(item, str) for item in value)
    if wanted == "group":
        return hasattr(value, "to_dict")
    kinds = {"text": str, "number": float, "integer": int, "boolean": bool}
    kinds["object"] = bpy.types.Object
    return isinstance(value, kinds[wanted])


def test_rigs_carry_what_is_documented_and_nothing_else(tmp_path):
    written = {"rest.urdf": ROBOT, "shapes.sdf": SHAPES, "s.urdf": SENSORS, "s.xml": SPRUNG}
    rest, shapes, measuring, sprung = (tmp_path / name for name in written)
    for name, text in written.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "skin.png").write_bytes(png())
    (tmp_path / "two.obj").write_text("o lid\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    seen: set[tuple[str, str]] = set()
    for path in [*SAMPLES, *DATA, rest, shapes, measuring, sprung]:
        new_scene()
        profile = "morse" if path.stem == "two_link_arm" else "native"
        options = urdf_importer.ImportOptions(
            limit_arcs=True,
            profile=profile,
            sensors=path == measuring,
            most_triangles=20 if path.stem == "quadruped_leg" else 0,
        )
        if path == rest:  # Twice, as only meshes that robots share have a digest.
            urdf_importer.import_robot(path, options=options)
        armature = urdf_importer.import_robot(path, options=options).armature
        if profile == "morse":
            split_armature(armature, "upper", [armature.data.bones[0].name])
            mount_component(armature)
        if path.stem == "two_link_arm":
            semantics = tmp_path / "arm.srdf"
            semantics.write_text(SRDF)
            urdf_importer.apply_srdf(armature, semantics)
            record_waypoints(armature)
        if path.stem == "gripper":
            armature.data.bones["jaw_left"].name = "Jaw"
            assert bool(mend_drivers(armature)) != BLENDER_MENDS
            move_by_counts(armature, tmp_path)
        if path == sprung:
            urdf_importer.make_link(armature, name="made", parent="a", place=AXIS)
        shown = look_and_measure(armature) if path == measuring else []
        check_properties([*carriers(armature), *shown], seen)
    new_scene()
    world = tmp_path / "lab.sdf"
    world.write_text(WORLD)
    made = urdf_importer.import_world(world)
    check_properties([made.collection, *made.collection.all_objects], seen)
    (ball,) = made.objects.values()
    assert set(ball["urdf_thing"]) == {"collisions", "friction", "inertial"}
    check(ball["urdf_thing"]["inertial"], LINK["inertial"], "urdf_thing.inertial", seen)
    documented = {(name, key) for name, section in SECTIONS.items() for key in section}
    assert documented - seen == set()


def test_example_poses_the_robot(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", HOW_TO, re.DOTALL)
    new_scene()
    result = urdf_importer.import_robot(ROOT / "sample_urdfs" / "two_link_arm.urdf")
    exec(compile(example, "example", "exec"), {"__name__": "example"})
    wanted = urdf_importer.forward_kinematics(result.robot, {"shoulder": 0.5, "elbow": -0.3})
    shown = urdf_importer.link_pose(result.armature, "tool")
    assert shown == pytest.approx(wanted["tool"], abs=1e-6)
    assert "Matrix" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["planar_base", "humanoid_arm", "quadruped_leg", "gripper"])
def test_function_of_the_example_poses_every_kind_of_bone(name):
    (example,) = re.findall(r"```python\n(.*?\n)robot = ", HOW_TO, re.DOTALL)
    scope: dict[str, Any] = {}
    exec(compile(example, "example", "exec"), scope)
    new_scene()
    result = urdf_importer.import_robot(ROOT / "sample_urdfs" / f"{name}.urdf")
    generator = np.random.default_rng(5)
    positions: dict[str, Any] = {"drive": (0.5, -0.25, 1.0)} if name == "planar_base" else {}
    for bone in result.armature.data.bones:
        for joint in bone.get("urdf_joints", ()):
            if joint["kind"] != "planar" and not joint.get("mimics"):
                low, high = joint.get("lower", -3.0), joint.get("upper", 3.0)
                positions[joint["name"]] = float(generator.uniform(low, high))
    scope["pose"](result.armature, positions)
    wanted = urdf_importer.forward_kinematics(result.robot, positions)
    for link, frame in wanted.items():
        assert urdf_importer.link_pose(result.armature, link) == pytest.approx(frame, abs=2e-5)


def test_armatures_of_a_robot_are_found_as_documented():
    (example,) = re.findall(r"((?:^    (?:main|split|own) = .*\n){3})", HOW_TO, re.MULTILINE)
    new_scene()
    options = urdf_importer.ImportOptions(profile="morse")
    other = urdf_importer.import_robot(
        ROOT / "sample_urdfs" / "gantry.urdf", options=options
    ).armature
    path = ROOT / "sample_urdfs" / "two_link_arm.urdf"
    armature = urdf_importer.import_robot(path, options=options).armature
    for robot in (other, armature):
        split_armature(robot, "part", [robot.data.bones[1].name])
    other.name = "z"
    scope: dict[str, Any] = {"bpy": bpy}
    exec(textwrap.dedent(example), scope)
    assert scope["main"] == armature
    assert set(scope["own"]) == set(armatures_of(armature))
