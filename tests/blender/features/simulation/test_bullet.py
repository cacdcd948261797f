# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots that Bullet simulates: by known pendulums, by the other engine, and what stays behind."""

import math
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from support.falling import find_lowest, write
from support.real_robots import descriptions
from urdf_importer import (
    Diagnostics,
    ImportResult,
    MotionOptions,
    SimulationOptions,
    Trajectory,
    apply_trajectory,
    import_robot,
    set_joint_positions,
    simulate,
)
from urdf_importer.features.simulation.blender import bullet
from urdf_importer.features.simulation.simulate import simulation_steps

pytestmark = pytest.mark.usefixtures("scene")
BODY = """<inertial><origin xyz="{at}"/><mass value="{mass}"/>
<inertia ixx="{i[0]}" iyy="{i[1]}" izz="{i[2]}" ixy="0" ixz="0" iyz="0"/></inertial>"""
ARM = BODY.format(at="0 0 -0.25", mass=1, i=(0.02, 0.0208, 0.001))
DOUBLE = f"""<robot name="double"><link name="base"/><link name="upper">{ARM}</link>
<link name="lower">{ARM}</link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
<origin xyz="0 0 2"/><axis xyz="0 1 0"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/>
<origin xyz="0 0 -0.5"/><axis xyz="0 1 0"/></joint></robot>"""
ONE = """<robot name="one"><link name="base"/><link name="part">{body}</link>
<joint name="joint" type="{kind}"><parent link="base"/><child link="part"/>
<origin xyz="0 0 2"/><axis xyz="{axis}"/>{rest}</joint></robot>"""
LOOSE = """<robot name="{name}"><link name="body">{body}
<collision><geometry>{shape}</geometry></collision></link></robot>"""
FOUR_BAR = """<robot name="bars"><link name="base"/>{links}
<joint name="a" type="continuous"><parent link="base"/><child link="left"/>
<origin xyz="0 0 1"/><axis xyz="0 1 0"/></joint>
<joint name="b" type="continuous"><parent link="left"/><child link="top"/>
<origin xyz="0 0 0.5"/><axis xyz="0 1 0"/></joint>
<joint name="c" type="continuous"><parent link="base"/><child link="right"/>
<origin xyz="0.4 0 1"/><axis xyz="0 1 0"/></joint>
<loop_joint name="d" type="revolute"><link1 link="top" xyz="0.4 0 0" rpy="0 0 0"/>
<link2 link="right" xyz="0 0 0.5" rpy="0 0 0"/><axis xyz="0 1 0"/></loop_joint></robot>"""

GRIPPER = """<robot name="gripper"><link name="palm">{palm}<collision><geometry>
<box size="0.2 0.2 0.1"/></geometry></collision></link>{fingers}
<joint name="left" type="revolute"><parent link="palm"/><child link="left_finger"/>
<origin xyz="0 0.1 0"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="5" velocity="9"/>
</joint><joint name="right" type="revolute"><parent link="palm"/><child link="right_finger"/>
<origin xyz="0 -0.1 0"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="5" velocity="9"/>
<mimic joint="left" multiplier="{multiplier}"/></joint></robot>"""


def robot(folder: Path, text: str, **positions: float) -> Any:
    bpy.context.scene.render.fps = 60
    path = folder / f"robot{len(list(folder.iterdir()))}.urdf"
    path.write_text(text)
    armature = import_robot(path).armature
    set_joint_positions(armature, positions)
    bpy.context.view_layer.update()
    return armature


def one(folder: Path, kind: str, axis: str = "0 1 0", rest: str = "", **positions: float) -> Any:
    body = BODY.format(at="0.3 0 0", mass=2, i=(0.02, 0.02, 0.01))
    return robot(folder, ONE.format(body=body, kind=kind, axis=axis, rest=rest), **positions)


def run(armature: Any, seconds: float, **options: Any) -> Any:
    return simulate(
        armature, seconds=seconds, options=SimulationOptions(**{"engine": "bullet", **options})
    )


def engine_states(simulation: Any, joint: str) -> Any:
    found = simulation.trajectory
    return found.positions[:, found.names.index(joint)]


def swing(state: Any) -> Any:
    """How the angles of the double pendulum, upper and lower from below, and their speeds change:
    Lagrange's equations."""
    one, two, speed1, speed2 = state
    length, centre, inertia, gravity = 0.5, 0.25, 0.0208, 9.81
    mixed = length * centre * math.cos(one - two)
    turning = length * centre * math.sin(one - two)
    mass = [[inertia + centre**2 + length**2, mixed], [mixed, inertia + centre**2]]
    force = [
        -turning * speed2**2 - (centre + length) * gravity * math.sin(one),
        turning * speed1**2 - centre * gravity * math.sin(two),
    ]
    return np.array([speed1, speed2, *np.linalg.solve(mass, force)])


def test_a_pendulum_has_its_period(tmp_path: Path) -> None:
    body = BODY.format(at="0 0 -0.5", mass=1, i=(0.003, 0.004, 0.002))
    text = ONE.format(body=body, kind="continuous", axis="0 1 0", rest="")
    found = engine_states(run(robot(tmp_path, text, joint=math.radians(5)), 6.0), "joint")
    falls = np.flatnonzero((found[:-1] > 0) & (found[1:] <= 0))
    times = (falls + found[falls] / (found[falls] - found[falls + 1])) / 60
    period = 2 * math.pi * math.sqrt((0.004 + 0.25) / (9.81 * 0.5))
    assert np.diff(times).mean() == pytest.approx(period * (1 + math.radians(5) ** 2 / 16), 2e-3)


def test_a_double_pendulum_follows_lagrange_and_the_other_engine(tmp_path: Path) -> None:
    armature = robot(tmp_path, DOUBLE, shoulder=1.2, elbow=0.3)
    found = run(armature, 1.0)
    state, step = np.array([1.2, 1.5, 0.0, 0.0]), 1 / 600
    for frame in range(1, 61):
        for _ in range(10):
            k1 = swing(state)
            k2 = swing(state + step / 2 * k1)
            k3 = swing(state + step / 2 * k2)
            state = state + step / 6 * (k1 + 2 * k2 + 2 * k3 + swing(state + step * k3))
        assert engine_states(found, "shoulder")[frame] == pytest.approx(state[0], abs=0.01)
        assert engine_states(found, "elbow")[frame] == pytest.approx(state[1] - state[0], abs=0.01)
    armature.animation_data.action = None
    set_joint_positions(armature, {"shoulder": 1.2, "elbow": 0.3})
    other = simulate(armature, seconds=1.0, options=SimulationOptions(engine="mujoco"))
    for joint in ("shoulder", "elbow"):
        assert np.abs(found.positions[joint] - other.positions[joint]).max() < 0.012


def test_robots_fall_together_and_rest_on_their_shapes(tmp_path: Path) -> None:
    shapes = {
        '<sphere radius="0.1"/>': 0.1,
        '<box size="0.3 0.2 0.2"/>': 0.1,
        '<cylinder radius="0.1" length="0.3"/>': 0.15,
        '<capsule radius="0.05" length="0.1"/>': 0.1,
    }
    body = BODY.format(at="0 0 0", mass=1, i=(0.01, 0.01, 0.01))
    armatures = []
    for number, shape in enumerate(shapes):
        text = LOOSE.format(name=f"r{number}", body=body, shape=shape)
        armatures.append(robot(tmp_path, text))
        armatures[-1].location.x = number
    bpy.context.view_layer.update()
    found = run(armatures, 1.5, base="free", height=0.2)
    for each, height in zip(found.robots, shapes.values(), strict=True):
        assert each.base[-1, 2, 3] == pytest.approx(height, abs=2e-3)
        assert each.armature.animation_data.action == each.action


@pytest.mark.parametrize("axis, rests", [("0 1 0", 0.9), ("0 -1 0", -0.8)])
def test_hinges_stop_at_their_limits_wherever_they_start(
    tmp_path: Path, axis: str, rests: float
) -> None:
    limit = '<limit lower="-0.8" upper="0.9" effort="1" velocity="1"/>'
    found = run(one(tmp_path, "revolute", axis, limit, joint=0.3), 2.0)
    assert engine_states(found, "joint")[-1] == pytest.approx(rests, abs=1e-3)


def test_limits_further_than_half_a_turn_from_the_start_hold(tmp_path: Path) -> None:
    limit = '<limit lower="-2.5" upper="2.2" effort="1" velocity="1"/>'
    found = engine_states(run(one(tmp_path, "revolute", "0 1 0", limit, joint=-2.0), 4.0), "joint")
    assert found.min() > -2.51 and found.max() < 2.21


@pytest.mark.parametrize("axis, rests", [("0 0 1", -0.3), ("0 0 -1", 0.5)])
def test_sliders_fall_to_their_limits(tmp_path: Path, axis: str, rests: float) -> None:
    limit = '<limit lower="-0.3" upper="0.5" effort="1" velocity="1"/>'
    found = engine_states(run(one(tmp_path, "prismatic", axis, limit), 1.0), "joint")
    assert found[10] == pytest.approx(math.copysign(0.5 * 9.81 / 36, rests), abs=1e-3)
    assert found[-1] == pytest.approx(rests, abs=1e-3)


def test_friction_of_a_joint_slows_it(tmp_path: Path) -> None:
    rest = '<limit lower="-9" upper="9" effort="1" velocity="1"/><dynamics friction="10"/>'
    found = engine_states(run(one(tmp_path, "prismatic", "0 0 1", rest), 1.0), "joint")
    assert found[30] == pytest.approx(-0.5 * (9.81 - 10 / 2) * 0.25, rel=0.02)


def test_joints_of_several_numbers_move(tmp_path: Path) -> None:
    planar = run(one(tmp_path, "planar", "1 0 0"), 0.5)
    track = next(each for each in planar.trajectory.frames if each.child == "joint")
    fallen = np.linalg.norm(track.translations[-1])
    assert fallen == pytest.approx(0.5 * 9.81 * 0.25, rel=0.02)


def test_motors_hold_what_they_can_and_report_what_they_cannot(tmp_path: Path) -> None:
    limit = '<limit lower="-2" upper="2" effort="{}" velocity="9"/>'
    strong = run(one(tmp_path, "revolute", "0 1 0", limit.format(8)), 1.0, motors="hold")
    assert np.abs(strong.positions["joint"]).max() < 5e-3 and not strong.overloads
    weak = run(one(tmp_path, "revolute", "0 1 0", limit.format(4)), 1.0, motors="hold")
    assert [each.joint for each in weak.overloads] == ["joint"]
    assert weak.positions["joint"][-1] > 0.5


def test_motors_follow_keys(tmp_path: Path) -> None:
    limit = '<limit lower="-2" upper="2" effort="60" velocity="9"/>'
    armature = one(tmp_path, "revolute", "0 1 0", limit)
    times = np.arange(61) / 60
    wanted = 0.3 * (1 - np.cos(3 * times))
    keys = Trajectory(names=("joint",), times=times, positions=wanted[:, None])
    apply_trajectory(armature, keys, options=MotionOptions(start_frame=1))
    bpy.context.scene.frame_set(1)
    found = run(armature, 1.0, motors="follow")
    assert np.abs(found.positions["joint"] - wanted).max() < 0.02


def test_loops_stay_closed(tmp_path: Path) -> None:
    bars = {"left": "0 0 0.25", "right": "0 0 0.25", "top": "0.2 0 0"}
    links = "".join(
        f'<link name="{name}">{BODY.format(at=at, mass=1, i=(0.02, 0.02, 0.01))}</link>'
        for name, at in bars.items()
    )
    armature = robot(tmp_path, FOUR_BAR.format(links=links), a=0.2)
    found = run(armature, 1.0)
    assert found.drift < 3e-3
    assert abs(found.positions["a"][-1] - 0.2) > 0.5


def test_obstacles_stop_and_push(tmp_path: Path) -> None:
    body = BODY.format(at="0 0 0", mass=1, i=(0.01, 0.01, 0.01))
    shape = '<box size="0.2 0.2 0.2"/>'
    armature = robot(tmp_path, LOOSE.format(name="box", body=body, shape=shape))
    bpy.ops.mesh.primitive_cube_add(size=0.4, location=(-1.0, 0.0, 0.2))
    wall = bpy.context.object
    for frame, x in ((1, -1.0), (60, 0.0)):
        wall.location.x = x
        wall.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    armature.location.z = 0.1
    bpy.context.view_layer.update()
    found = run(armature, 1.5, base="free", colliders=wall.name)
    assert found.base[-1, 0, 3] > 0.29
    assert found.base[-1, 2, 3] == pytest.approx(0.1, abs=2e-3)


@pytest.mark.parametrize("shape", ["plane", "cube", "grid"])
@pytest.mark.parametrize(("friction", "way"), [(0.3, 1.464), (0.6, 0.0)])
def test_a_box_slides_down_a_slope_as_far_as_friction_lets_it(
    tmp_path: Path, shape: str, friction: float, way: float
) -> None:
    angle = math.radians(24)
    up = np.array((math.sin(angle), 0.0, math.cos(angle)))
    body = BODY.format(at="0 0 0", mass=1, i=(0.01, 0.01, 0.01))
    box = '<box size="0.2 0.2 0.2"/>'
    armature = robot(tmp_path, LOOSE.format(name="box", body=body, shape=box))
    getattr(bpy.ops.mesh, f"primitive_{shape}_add")(size=20, rotation=(0, angle, 0))
    if shape == "cube":
        bpy.context.object.location = -10 * up
    armature.rotation_euler = (0, angle, 0)
    armature.location = 0.1 * up
    bpy.context.view_layer.update()
    found = run(
        armature,
        1.5,
        base="free",
        floor=False,
        friction=friction,
        colliders=bpy.context.object.name,
    )
    moved = found.base[-1, :3, 3] - found.base[0, :3, 3]
    assert np.linalg.norm(moved) == pytest.approx(way, abs=5e-3)


def census() -> dict[str, int]:
    kinds = ("scenes", "objects", "meshes", "collections", "actions", "worlds")
    return {kind: len(getattr(bpy.data, kind)) for kind in kinds}


def test_the_same_run_gives_the_same_bits_and_leaves_nothing(tmp_path: Path) -> None:
    armature = robot(tmp_path, DOUBLE, shoulder=0.5)
    before = census()
    runs = []
    for _ in range(2):
        runs.append(run(armature, 0.5))
        bpy.data.actions.remove(runs[-1].action)
        set_joint_positions(armature, {"shoulder": 0.5, "elbow": 0.0})
        bpy.context.view_layer.update()
    assert census() == before
    for joint in ("shoulder", "elbow"):
        assert (engine_states(runs[0], joint) == engine_states(runs[1], joint)).all()


def test_a_closed_run_and_the_scenes_own_bodies_stay_as_they_were(tmp_path: Path) -> None:
    armature = robot(tmp_path, DOUBLE, shoulder=0.5)
    scene = bpy.context.scene
    bpy.ops.mesh.primitive_cube_add(location=(5.0, 0.0, 9.0))
    cube = bpy.context.object
    bpy.ops.rigidbody.object_add()
    for frame in range(1, 6):
        scene.frame_set(frame)
    before = census(), cube.matrix_world.copy(), set(scene.rigidbody_world.collection.objects)
    steps = simulation_steps(armature, seconds=1.0, options=SimulationOptions(engine="bullet"))
    for _ in range(20):
        next(steps)
    assert len(bpy.data.scenes) == 2
    steps.close()
    assert (census(), cube.matrix_world, set(scene.rigidbody_world.collection.objects)) == before
    scene.frame_set(6)
    assert cube.matrix_world.translation.z < before[1].translation.z


def test_properties_without_room_are_told(tmp_path: Path) -> None:
    rest = '<limit lower="-2" upper="2" effort="1" velocity="9"/><dynamics damping="0.5"/>'
    armature = one(tmp_path, "revolute", "0 1 0", rest)
    diagnostics = Diagnostics()
    simulate(
        armature, seconds=0.2, options=SimulationOptions(engine="bullet"), diagnostics=diagnostics
    )
    assert [(each.code, each.subject) for each in diagnostics] == [("bullet-left-out", "joint")]


def test_joints_that_come_apart_are_told(tmp_path: Path) -> None:
    heavy = BODY.format(at="0 0 -0.25", mass=4000, i=(20, 20, 20))
    armature = robot(tmp_path, DOUBLE.replace(ARM, heavy).replace(heavy, ARM, 1), elbow=1.5)
    diagnostics = Diagnostics()
    wishes = SimulationOptions(engine="bullet", substeps=2)
    found = simulate(armature, seconds=1.0, options=wishes, diagnostics=diagnostics)
    assert found.drift > 3e-3
    assert [(each.code, each.subject) for each in diagnostics] == [("joints-apart", "double")]


@pytest.mark.parametrize("moment", [0.0, 1e-6])
def test_a_lever_without_inertia_holds_together(tmp_path: Path, moment: float) -> None:
    light = BODY.format(at="0 0 -0.25", mass=2, i=(moment, moment, moment))
    text = DOUBLE.replace(ARM, light, 1).replace(
        '<link name="base"/>', f'<link name="base">{ARM}</link>'
    )
    text = text.replace(
        "</link>", '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>'
    )
    found = run(robot(tmp_path, text, shoulder=0.5, elbow=1.0), 1.5, height=0.3)
    assert found.drift < 3e-3
    assert "joints-apart" not in {each.code for each in found.diagnostics}


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_a_push_gives_a_link_its_impulse_at_its_centre_of_mass(tmp_path: Path, engine: str) -> None:
    body = BODY.format(at="0 0 0", mass=3, i=(0.02, 0.02, 0.02))
    rest = '<limit lower="-9" upper="9" effort="1" velocity="9"/>'
    text = ONE.format(body=body, kind="fixed", axis="0 0 1", rest=rest)
    text = text.replace('<link name="base"/>', f'<link name="base">{body}</link>')
    wishes = SimulationOptions(
        engine=engine,
        base="free",
        floor=False,
        gravity=(0, 0, 0),
        pushes=[("part", (12, 0, 0), 0.105, 0.2), ("part", (0, 0, 0), 0, 1)],
    )
    found = simulate(robot(tmp_path, text), seconds=0.4, options=wishes)
    assert np.abs(found.base[:6, :3, 3]).max() < 1e-6
    turns = np.arctan2(found.base[:, 0, 2], found.base[:, 0, 0])
    moment = 2 * (0.02 + 3 * 1.0**2)
    # Both links are one body, and the push is a metre above its centre: the impulse is 2.4 N s.
    assert turns[-1] > 0.05
    assert (turns[-1] - turns[-2]) * 60 == pytest.approx(2.4 * 1.0 / moment, rel=0.02)


def test_a_push_of_a_fixed_base_moves_nothing(tmp_path: Path) -> None:
    found = run(robot(tmp_path, DOUBLE), 0.2, pushes=[("base", 50.0, 0.0, 0.0, 0.0, 0.1)])
    assert np.abs(found.positions["shoulder"]).max() < 1e-6


@pytest.mark.parametrize("name", ["solo12", "ur5_robot", "icub_reduced"])
def test_real_robots_land_on_the_floor(name: str) -> None:
    path = next(each for each in descriptions() if each.stem == name)
    bpy.context.scene.render.fps = 60
    found = run(import_robot(path).armature, 1.0, height=0.2)
    assert "joints-apart" not in {each.code for each in found.diagnostics}
    assert np.isfinite(found.base).all() and -0.01 < found.base[-1, 2, 3] < 1.0


def test_a_joint_of_one_turn_stops_where_the_rig_does(tmp_path: Path) -> None:
    limit = '<limit lower="-3.14159265" upper="3.14159265" effort="1" velocity="1"/>'
    found = run(one(tmp_path, "revolute", "0 1 0", limit, joint=-3.0), 1.5)
    assert np.abs(engine_states(found, "joint") - found.positions["joint"]).max() < 1e-4
    assert engine_states(found, "joint").min() > -3.1416


def gripper(folder: Path, multiplier: float, locked: float | None = None) -> ImportResult:
    finger = '<collision><origin xyz="0 {at} 0"/><geometry><box size="0.02 0.2 0.02"/></geometry>'
    links = "".join(
        f'<link name="{side}_finger">'
        + BODY.format(at=f"0 {at} 0", mass=0.02, i=(7e-5, 2e-6, 7e-5))
        + finger.format(at=at)
        + "</collision></link>"
        for side, at in (("left", 0.1), ("right", -0.1))
    )
    palm = BODY.format(at="0 0 0", mass=1, i=(0.01, 0.01, 0.01))
    bpy.context.scene.render.fps = 60
    text = GRIPPER.format(palm=palm, fingers=links, multiplier=multiplier)
    if locked is not None:
        text = text.replace('lower="-1" upper="1"', f'lower="{locked}" upper="{locked}"', 1)
    return import_robot(write(folder, text))


def test_followers_touch_the_floor_where_the_rig_shows_them(tmp_path: Path) -> None:
    imported = gripper(tmp_path, multiplier=-2)
    found = run(imported, 1.5, base="free", height=0.2)
    bpy.context.scene.frame_set(int(found.frames[-1]))
    for finger in ("left_finger", "right_finger"):
        assert -0.003 < find_lowest(imported.collisions[finger]) < 0.02


def test_a_follower_of_a_locked_joint_stays_where_it_is(tmp_path: Path) -> None:
    armature = gripper(tmp_path, multiplier=-1, locked=0.3).armature
    set_joint_positions(armature, {"left": 0.3})
    found = run(armature, 1.0, motors="hold", base="free", floor=False)
    assert np.abs(engine_states(found, "right") + 0.3).max() < 0.02


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_a_fixed_robot_whose_joints_are_all_locked_stays(engine: str, tmp_path: Path) -> None:
    limit = '<limit lower="0.2" upper="0.2" effort="1" velocity="1"/>'
    imported = one(tmp_path, "revolute", "0 1 0", limit, joint=0.2)
    found = run(imported, 0.5, engine=engine)
    assert np.abs(engine_states(found, "joint") - 0.2).max() < 1e-6


def test_followers_are_taken_along_by_a_motor_of_their_leader(tmp_path: Path) -> None:
    armature = gripper(tmp_path, multiplier=-1).armature
    times = np.arange(61) / 60
    keys = Trajectory(names=("left",), times=times, positions=0.3 * np.sin(2 * times)[:, None])
    apply_trajectory(armature, keys, options=MotionOptions(start_frame=1))
    bpy.context.scene.frame_set(1)
    found = run(armature, 1.0, motors="follow", floor=False)
    assert np.abs(engine_states(found, "right") + engine_states(found, "left")).max() < 0.02
    assert abs(engine_states(found, "left")[-1]) > 0.2


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_pr2_stands_on_its_wheels_that_have_visuals_alone(engine: str) -> None:
    path = next(each for each in descriptions() if each.stem == "pr2")
    imported = import_robot(path)
    bpy.context.scene.render.fps = 60
    found = simulate(
        imported, 0.4, options=SimulationOptions(engine=engine, base="free", height=0.02)
    )
    bpy.context.scene.frame_set(int(found.frames[-1]))
    wheels = [
        each for link in imported.visuals if "wheel" in link for each in imported.visuals[link]
    ]
    assert abs(find_lowest(wheels)) < 6e-3
    base = find_lowest(imported.collisions["base_link"])
    assert base == pytest.approx(0.05, abs=6e-3)


def test_a_link_without_joints_and_shapes_falls(tmp_path: Path) -> None:
    path = write(tmp_path, '<robot name="bare"><link name="bare"/></robot>')
    diagnostics = Diagnostics()
    wishes = SimulationOptions(engine="bullet", base="free", substeps=40)
    found = simulate(import_robot(path), 0.5, options=wishes, diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["nothing-collides", "mjcf-small-mass"]
    seconds = found.trajectory.times[-1]
    assert found.base[-1, 2, 3] == pytest.approx(-0.5 * 9.81 * seconds**2, rel=0.01)


@pytest.mark.parametrize(("finer", "holds"), [((1,), False), ((1, 2, 4), True)])
def test_a_run_that_comes_apart_begins_again_in_finer_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, finer: tuple[int, ...], holds: bool
) -> None:
    monkeypatch.setattr(bullet, "_FINER", finer)
    heavy = BODY.format(at="0 0 -0.25", mass=50, i=(1, 1, 1))
    armature = robot(tmp_path, DOUBLE.replace(ARM, heavy).replace(heavy, ARM, 1), elbow=1.5)
    found = run(armature, 1.0, substeps=2)
    assert (found.drift < 3e-3) == holds
    assert [each.code for each in found.diagnostics] == ([] if holds else ["joints-apart"])
