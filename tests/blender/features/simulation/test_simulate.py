# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots that fall, are pushed and follow: against closed forms, Pinocchio, and runs by hand."""

import sys
from collections.abc import Generator
from itertools import pairwise
from pathlib import Path

import bpy
import mujoco
import numpy as np
import pytest

from support.falling import box, chain, find_lowest, swing, write
from support.paths import ROOT
from support.real_robots import descriptions, name_of
from urdf_importer import (
    ArgumentError,
    BuildError,
    Diagnostics,
    ImportResult,
    KinematicsError,
    Progress,
    Push,
    RobotError,
    Simulation,
    SimulationOptions,
    add_ik,
    get_joint_positions,
    import_robot,
    set_frame_rate,
    set_joint_positions,
    simulate,
    simulation_steps,
)
from urdf_importer.core.blender.standing.keys import find_curves
from urdf_importer.features.ik.blender.native import constraints_of
from urdf_importer.features.simulation.blender import keying

EXACT = {"engine": "mujoco"}


@pytest.fixture
def load(scene, tmp_path):
    """Imports a text, in a scene of 60 frames a second."""
    set_frame_rate(60)

    def read(text: str, name: str = "robot") -> ImportResult:
        return import_robot(write(tmp_path, text, name))

    return read


def run(robot, seconds: float = 1.0, **options) -> Simulation:
    diagnostics = Diagnostics()
    found = simulate(
        robot,
        seconds=seconds,
        options=SimulationOptions(**{**EXACT, **options}),
        diagnostics=diagnostics,
    )
    assert {each.code for each in diagnostics} <= {"visuals-collide"}
    return found


def check_replay(found: Simulation, most: float = 1e-5) -> None:
    """The keys show what the result says, in some frames."""
    for robot in found.robots:
        for row in {0, 1, len(found.frames) // 3, len(found.frames) // 2, len(found.frames) - 1}:
            bpy.context.scene.frame_set(int(found.frames[row]))
            for name, position in get_joint_positions(robot.armature).items():
                assert robot.positions[name][row] == pytest.approx(position, abs=most)
            assert np.abs(np.array(robot.armature.matrix_world) - robot.base[row]).max() < most


POST = """<robot name="swing"><link name="post"><collision><origin xyz="0 0 0.5"/><geometry>
<box size="0.2 0.2 1"/></geometry></collision></link>
<link name="beam"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0"
iyz="0"/></inertial><collision><origin xyz="0.25 0 0.1"/><geometry><box size="0.5 0.05 0.05"/>
</geometry></collision></link>
<link name="bob"><inertial><origin xyz="0.3 0 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.04"
izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial><collision><origin xyz="0.3 0 0"/><geometry>
<box size="0.56 0.06 0.06"/></geometry></collision></link>
<joint name="stiff" type="revolute"><parent link="post"/><child link="beam"/>
<origin xyz="0 0 1.2"/><axis xyz="0 1 0"/><limit lower="-0.001" upper="0.001" effort="1"
velocity="1"/></joint>
<joint name="swing" type="continuous"><parent link="beam"/><child link="bob"/>
<origin xyz="0.5 0 -0.3"/><axis xyz="0 1 0"/></joint></robot>"""
"""A bob that swings against the post that carries it, at some 130 degrees."""


@pytest.mark.parametrize("engine", ["mujoco", "bullet"])
def test_a_robot_of_a_world_stays_above_the_floor_without_self_collision(load, engine):
    link = box().split(">", 1)[1].removesuffix("</robot>")
    fall = """<joint name="fall" type="prismatic"><parent link="world"/><child link="box"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 0 1"/><limit lower="-9" upper="9" effort="0" velocity="9"/>
    </joint>"""
    robot = load(f'<robot name="faller"><link name="world"/>{link}{fall}</robot>')
    found = run(robot, 1.0, engine=engine, self_collision="none")
    assert found.positions["fall"][-1] == pytest.approx(-0.4, abs=2e-3)


@pytest.mark.parametrize("engine", ["mujoco", "bullet"])
def test_links_hit_each_other_unless_self_collision_is_none(load, engine):
    robot = load(POST)
    most = {
        chosen: run(robot, 0.9, engine=engine, self_collision=chosen).positions["swing"].max()
        for chosen in ("auto", "none")
    }
    assert most["auto"] < 2.4
    assert most["none"] > 2.9


def test_motors_are_as_soft_as_position_error_and_slow_by_rotor_inertia(load):
    robot = load(POST)
    set_joint_positions(robot, {"swing": 0.0})
    stiff, soft = (
        run(robot, 1.0, motors="hold", position_error=error).positions["swing"][-1]
        for error in (0.02, 2.0)
    )
    # The weight at rest against an effort of 100 N m at the error: 0.3 m * 9.81 N.
    assert soft == pytest.approx(2.943 / 50.0, rel=0.02)
    assert stiff == pytest.approx(2.943 / 5000.0, rel=0.05)
    free, heavy = (
        run(robot, 0.1, rotor_inertia=inertia, self_collision="none").positions["swing"][-1]
        for inertia in (0.0, 0.26)
    )
    # 0.13 kg m^2 about the joint, three times as much with the rotor.
    assert free == pytest.approx(3.0 * heavy, rel=0.02)


def test_a_box_comes_to_rest_on_the_floor_as_a_run_by_hand_of_its_model(load, tmp_path):
    model = tmp_path / "run.xml"
    found = run(load(box()), 1.5, height=0.3, model=str(model))
    assert found.base[0][2, 3] == pytest.approx(0.4, abs=1e-12)
    assert found.base[-1][2, 3] == pytest.approx(0.1, abs=2e-4)
    hand = mujoco.MjModel.from_xml_path(str(model))
    data = mujoco.MjData(hand)
    mujoco.mj_resetDataKeyframe(hand, data, 0)
    for before, after in pairwise(range(len(found.frames))):
        for _ in range(20):
            mujoco.mj_step(hand, data)
        assert np.abs(data.qpos[:3] - found.base[after][:3, 3]).max() < 1e-9, before
    track = found.trajectory.frames[0]
    assert np.abs(track.translations - found.base[:, :3, 3]).max() < 1e-12
    check_replay(found)


def test_joints_and_base_are_those_of_a_run_by_hand(scene, tmp_path):
    set_frame_rate(60)
    robot = import_robot(Path(ROOT, "sample_urdfs", "quadruped_leg.urdf"))
    set_joint_positions(robot, dict.fromkeys(get_joint_positions(robot), 0.1))
    model = tmp_path / "run.xml"
    wishes = SimulationOptions(**EXACT, height=0.3, motors="hold", model=str(model))
    found = simulate(robot, seconds=1.0, options=wishes)
    hand = mujoco.MjModel.from_xml_path(str(model))
    data = mujoco.MjData(hand)
    mujoco.mj_resetDataKeyframe(hand, data, 0)
    track = found.trajectory.frames[0]
    for row, positions in enumerate(found.trajectory.positions):
        for _ in range(20 if row else 0):
            mujoco.mj_step(hand, data)
        for name, position in zip(found.trajectory.names, positions, strict=True):
            assert abs(data.joint(name).qpos[0] - position) < 1e-9
        mujoco.mj_kinematics(hand, data)
        place = data.body(track.child).xpos if row else found.base[0][:3, 3]
        assert np.abs(place - track.translations[row]).max() < 1e-9
    assert len(found.trajectory.names) > 1
    check_replay(found)


def test_bodies_that_are_free_of_the_world_fall_by_their_own_joints(scene, tmp_path):
    path, shape = tmp_path / "cubes.xml", '<geom type="box" size="0.1 0.1 0.1"/>'
    cubes = "".join(
        f'<body name="{name}" pos="{x} 0 0.5"><freejoint name="{name}_free"/>{shape}</body>'
        for x, name in enumerate("ab")
    )
    path.write_text(f"<mujoco><worldbody>{cubes}</worldbody></mujoco>")
    found = run(import_robot(path), 1.0)
    for name in ("a_free", "b_free"):
        assert found.positions[name][-1, 2] == pytest.approx(-0.4, abs=2e-4)
    assert (found.base == found.base[0]).all() and found.drift < 1e-6
    check_replay(found)


def test_the_same_run_gives_the_same_bits(load):
    robot = load(chain(2))
    set_joint_positions(robot, {"hinge0": 1.0})
    first = run(robot)
    bpy.context.scene.frame_set(1)
    second = run(robot)
    assert np.array_equal(first.trajectory.positions, second.trajectory.positions)
    assert first.action != second.action and robot.armature.animation_data.action == second.action


def test_a_pendulum_has_the_period_of_the_book(load):
    robot, start = load(chain(1)), 0.05
    set_joint_positions(robot, {"hinge0": start})
    found = run(robot, 5.0, substeps=40)
    angles, times = found.trajectory.positions[:, 0], found.trajectory.times
    down = np.flatnonzero((angles[:-1] > 0) & (angles[1:] <= 0))
    zeros = times[down] + angles[down] / (angles[down] - angles[down + 1]) / 60
    period = 2 * np.pi * np.sqrt((0.021 + 0.25**2) / (9.81 * 0.25)) * (1 + start**2 / 16)
    assert np.diff(zeros).mean() == pytest.approx(period, rel=5e-4)
    assert found.drift < 1e-6
    check_replay(found)


def test_a_double_pendulum_goes_as_its_equations_say(load):
    robot, text = load(chain(2)), chain(2)
    set_joint_positions(robot, {"hinge0": 0.5, "hinge1": -0.2})
    found = run(robot, 3.0, substeps=40)
    wanted = swing(text, found.trajectory.positions[0], 3.0)
    assert np.abs(found.trajectory.positions[-1] - wanted).max() < 2e-3


def test_damping_takes_the_energy_that_it_should(load):
    robot = load(chain(1, damping=0.05))
    set_joint_positions(robot, {"hinge0": 0.05})
    found = run(robot, 5.0, substeps=40)
    angles = found.trajectory.positions[:, 0]
    peaks = angles[1:-1][(angles[1:-1] > angles[:-2]) & (angles[1:-1] >= angles[2:])]
    inertia = 0.021 + 0.25**2
    period = 2 * np.pi * np.sqrt(inertia / (9.81 * 0.25))
    wanted = 0.05 / (2 * inertia)
    assert -np.log(peaks[-1] / peaks[0]) / ((len(peaks) - 1) * period) == pytest.approx(
        wanted, rel=0.01
    )


def test_limits_hold_and_what_the_rig_shows_is_the_result(load):
    robot = load(chain(2, limits=0.3))
    set_joint_positions(robot, {"hinge0": 0.3, "hinge1": -0.3})
    found = run(robot, 2.0)
    assert max(np.abs(each).max() for each in found.positions.values()) <= 0.3 + 1e-6
    assert np.abs(found.trajectory.positions).max() < 0.31
    check_replay(found)


def test_a_push_gives_its_impulse(load):
    found = run(
        load(box(1.0)),
        base="free",
        floor=False,
        gravity=(0, 0, 0),
        pushes=[("box", (0, 10, 0), 0.25, 0.2)],
    )
    moved = found.base[:, 1, 3]
    assert np.abs(moved[:15]).max() < 1e-12
    assert (moved[-1] - moved[-2]) * 60 == pytest.approx(2.0, rel=0.01)


def slope(angle: float) -> bpy.types.Object:
    """A ramp through the origin that falls along X."""
    bpy.ops.mesh.primitive_plane_add(size=20, rotation=(0, angle, 0))
    return bpy.context.object


@pytest.mark.parametrize(("friction", "way"), [(0.3, 1.464), (0.6, 0.0)])
def test_a_box_slides_as_far_as_friction_lets_it(load, friction, way):
    angle = np.radians(24)
    robot, ramp = load(box()), slope(angle)
    robot.armature.rotation_euler = (0, angle, 0)
    robot.armature.location = 0.1 * np.array((np.sin(angle), 0, np.cos(angle)))
    bpy.context.view_layer.update()
    names = {ramp.name}
    found = run(robot, 1.5, base="free", floor=False, friction=friction, colliders=names)
    moved = found.base[-1][:3, 3] - found.base[0][:3, 3]
    assert np.linalg.norm(moved) == pytest.approx(way, abs=5e-3)


def test_a_box_rides_on_an_object_that_is_keyed(load):
    robot = load(box())
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, -0.5))
    lift = bpy.context.object
    lift.keyframe_insert("location", frame=1)
    lift.location.z = 0.0
    lift.keyframe_insert("location", frame=61)
    bpy.context.scene.frame_set(1)
    found = run(robot, 2.0, height=0.0, floor=False, colliders=["visible"])
    assert found.base[-1][2, 3] == pytest.approx(0.6, abs=1e-3)


def test_a_box_falls_through_a_ring_and_lies_on_a_bowl(load):
    robot = load(box(side=0.1))
    bpy.ops.mesh.primitive_torus_add(major_radius=0.5, minor_radius=0.1, location=(0, 0, 0.5))
    ring = bpy.context.object
    diagnostics = Diagnostics()
    wishes = SimulationOptions(**EXACT, height=1.0, colliders=(ring.name,))
    found = simulate(robot, seconds=1.5, options=wishes, diagnostics=diagnostics)
    assert found.base[-1][2, 3] == pytest.approx(0.05, abs=1e-3)


def test_several_robots_fall_onto_each_other(load):
    robots = [load(box(), "one"), load(box(), "two")]
    robots[0].armature.location.z = 0.1
    robots[1].armature.location = (0.02, 0, 0.5)
    bpy.context.view_layer.update()
    found = run(robots, 2.0, base="free")
    heights = [each.base[-1][2, 3] for each in found.robots]
    assert heights == pytest.approx([0.1, 0.3], abs=1e-3)
    assert found.base is found.robots[0].base and found.action != found.robots[1].action
    check_replay(found)


@pytest.mark.parametrize(("restitution", "top"), [(0, 0), (0.3, 0.09), (0.5, 0.25), (0.8, 0.64)])
def test_a_box_bounces_as_high_as_restitution_says(load, restitution, top):
    """By the part of a step in which it lands, 3.7 mm, some centimetres more or less."""
    robot, tops = load(box()), []
    for more in np.arange(6) * 0.0037 / 6:
        bpy.context.scene.frame_set(1)
        found = run(robot, 1.5, height=1.0 + more, restitution=restitution)
        tops.append(found.base[34:, 2, 3].max() - 0.1)
    assert np.mean(tops) == pytest.approx(top, abs=0.02) and np.ptp(tops) < 0.06


@pytest.mark.parametrize(("effort", "holds"), [(6.0, True), (1.0, False)])
def test_a_motor_holds_as_much_as_its_effort(load, effort, holds):
    robot = load(chain(1, effort))
    set_joint_positions(robot, {"hinge0": np.pi / 2})
    found = run(robot, 1.0, motors="hold")
    held = abs(found.positions["hinge0"][-1] - np.pi / 2) < 0.05
    assert held == holds
    assert [each.joint for each in found.overloads] == ([] if holds else ["hinge0"])
    if not holds:
        kept = robot.armature.animation_data.action["urdf_motion"]["overloads"]["hinge0"]
        assert kept.to_list()[1:] == [found.overloads[0].frame, effort]
        assert found.overloads[0].share > 0.9


def test_motors_follow_the_keyed_motion(load):
    robot = load(chain(2))
    scene = bpy.context.scene
    for frame in range(1, 122, 5):
        angle = 0.4 * np.sin(np.pi * (frame - 1) / 60)
        set_joint_positions(robot, {"hinge0": angle, "hinge1": -angle})
        for name in ("hinge0", "hinge1"):
            bone = robot.armature.pose.bones[robot.bones[name]]
            bone.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(1)
    before = robot.armature.animation_data.action
    found = run(robot, 2.0, motors="follow")
    wanted = 0.4 * np.sin(np.pi * (found.frames - 1) / 60)
    # It starts at rest, and the motion does not.
    assert np.abs(found.positions["hinge0"] - wanted)[20:].max() < 0.02
    assert not found.overloads and found.action != before and before.name in bpy.data.actions


@pytest.mark.parametrize("name", ["gripper", "planar_base", "drone", "gantry", "quadruped_leg"])
def test_samples_of_all_kinds_of_joints_replay(scene, name):
    robot = import_robot(Path(ROOT, "sample_urdfs", f"{name}.urdf"))
    wishes = SimulationOptions(**EXACT, base="free", height=0.1)
    found = simulate(robot, seconds=1.0, options=wishes)
    assert all(np.isfinite(each).all() for each in found.positions.values())
    assert found.drift < 0.01
    check_replay(found)


def test_a_scaled_robot_lies_on_the_same_floor(load):
    robot = load(box())
    robot.armature.scale = (0.5, 0.5, 0.5)
    bpy.context.view_layer.update()
    diagnostics = Diagnostics()
    wishes = SimulationOptions(**EXACT, height=0.2)
    found = simulate(robot, seconds=1.0, options=wishes, diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["scaled-rig"]
    assert found.base[-1][2, 3] == pytest.approx(0.05, abs=2e-4)
    check_replay(found)


def test_a_robot_in_the_floor_is_lifted_onto_it(load):
    diagnostics = Diagnostics()
    wishes = SimulationOptions(**EXACT, base="free")
    found = simulate(load(box()), seconds=0.5, options=wishes, diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["starts-below-floor"]
    assert found.base[:, 2, 3] == pytest.approx(0.1, abs=2e-4)


@pytest.mark.parametrize("engine", ["mujoco", "bullet"])
def test_links_of_a_fixed_robot_that_are_in_the_floor_pass_through_it(load, engine):
    robot, diagnostics = load(chain(2)), Diagnostics()
    robot.armature.location.z = -1.0
    bpy.context.view_layer.update()
    set_joint_positions(robot, {"hinge0": 0.2})
    wishes = SimulationOptions(engine=engine)
    found = simulate(robot, seconds=1.0, options=wishes, diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["visuals-collide", "starts-below-floor"]
    assert np.abs(found.trajectory.positions).max() < 0.6


def state_of_file() -> list[object]:
    """All that a simulation could leave behind."""
    kinds = ("objects", "meshes", "scenes", "collections", "actions", "armatures", "materials")
    scene = bpy.context.scene
    posed = [
        (each.name, [list(map(tuple, bone.matrix_basis)) for bone in each.pose.bones])
        for each in bpy.data.objects
        if each.pose
    ]
    return [
        *([each.name for each in getattr(bpy.data, kind)] for kind in kinds),
        *(scene.frame_current, scene.frame_start, scene.frame_end, scene.rigidbody_world),
        [(each.name, tuple(each.location), each.rotation_mode) for each in bpy.data.objects],
        [each.animation_data and each.animation_data.action for each in bpy.data.objects],
        [each.name for each in bpy.context.selected_objects],
        posed,
    ]


def test_closing_takes_everything_back_at_every_step(load):
    robot = load(chain(1))
    set_joint_positions(robot, {"hinge0": 1.0})
    before = state_of_file()
    wishes = SimulationOptions(**EXACT, height=0.2)
    for share in (0.0, 0.5, 0.9, 1.0):
        steps = simulation_steps(robot, seconds=0.2, options=wishes)
        while next(steps).share < share:
            pass
        steps.close()
        assert state_of_file() == before
    simulate(robot, seconds=0.2, options=wishes)
    assert len(bpy.data.actions) == 1 and robot.armature.animation_data.action is not None


@pytest.mark.usefixtures("no_watch")
@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_robots_show_how_far_they_are_and_esc_leaves_them_as_they_were(load, monkeypatch, engine):
    monkeypatch.setattr(keying, "LIVE_PAUSE", 0.0)
    robots = [load(chain(2), "one"), load(box(), "two")]
    for each in robots:
        each.armature.scale = (0.5, 0.5, 0.5)
    robots[0].armature.location.y = 3.0
    set_joint_positions(robots[0], {"hinge0": 1.0})
    bpy.context.view_layer.update()
    before = state_of_file()
    wishes = SimulationOptions(engine=engine, height=0.5)

    def start() -> Generator[Progress, None, Simulation]:
        return simulation_steps(
            [each.armature for each in robots],
            seconds=0.5,
            options=wishes,
            diagnostics=Diagnostics(),
            live=True,
        )

    steps = start()
    while next(steps).share < 0.5:
        pass
    bpy.context.view_layer.update()
    assert robots[1].armature.matrix_world.translation.z < 0.5
    steps.close()
    assert state_of_file() == before
    steps, shown = start(), []
    while (step := next(steps)).share < 1.0:
        if " by " in step.text:
            bpy.context.view_layer.update()
            place = np.array(robots[1].armature.matrix_world)
            shown.append((get_joint_positions(robots[0])["hinge0"], place))
    with pytest.raises(StopIteration) as done:
        next(steps)
    found = done.value.value.robots
    for row, (angle, place) in enumerate(shown):
        assert angle == pytest.approx(found[0].positions["hinge0"][row], abs=1e-5)
        assert np.abs(place - found[1].base[row]).max() < 1e-5
    assert len(shown) == 31


def test_native_ik_rests_once_its_robot_falls(load):
    robot = load(chain(3))
    set_joint_positions(robot, dict.fromkeys(("hinge0", "hinge1", "hinge2"), 0.3))
    add_ik(robot, "rod2")
    (pull,) = constraints_of(robot.armature)
    steps = simulation_steps(robot, seconds=0.2, options=SimulationOptions(**EXACT))
    while next(steps).share < 1.0:
        pass
    assert pull.influence == 0.0
    steps.close()
    assert pull.influence == 1.0
    found = run(robot, 0.2)
    assert pull.influence == 0.0
    check_replay(found)


NAN, INF = float("nan"), float("inf")
SHELL = [(x, y, z) for z in (-0.4, 0) for x, y in ((-1, -1), (1.5, -1), (1.5, 1.5), (-1, 1.5))]
FACES = [(3, 2, 1, 0), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
HIGHER = [tuple(corner + 8 for corner in face) for face in FACES]
CUBE = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
MESHES = {
    "Bare": ([], []),
    "Lost": ([(0, 0, NAN), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)]),
    "Line": ([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)]),
    "Far": ([(0, 0, 0), (1e8, 0, 0), (0, 1, 0)], [(0, 1, 2)]),
    "Full": (CUBE, [(0, 1, 2)] * 1_000_001),
}


@pytest.mark.parametrize(
    ("seconds", "options", "words"),
    [
        (0, {}, "seconds"),
        (-1, {}, "seconds"),
        (NAN, {}, "seconds"),
        (3601, {}, "hour"),
        (1e-9, {}, "frames"),
        (1, {"engine": "havok"}, "'auto', 'mujoco' or 'bullet'"),
        (1, {"base": "loose"}, "'auto', 'fixed', 'free' or 'keyed'"),
        (1, {"motors": "strong"}, "'off', 'hold' or 'follow'"),
        (1, {"substeps": 0}, "from 1 to 1000"),
        (1, {"substeps": 1001}, "from 1 to 1000"),
        (1, {"gravity": (0, 0)}, "3 numbers"),
        (1, {"gravity": (0, 0, NAN)}, "3 numbers"),
        (1, {"friction": -1}, "from 0 to 100"),
        (1, {"friction": INF}, "from 0 to 100"),
        (1, {"restitution": 2}, "from 0 to 1"),
        (1, {"height": NAN}, "from 0 to 10000"),
        (1, {"pushes": [("box", (1, 0), 0, 1)]}, "3 numbers"),
        (1, {"pushes": [("box", (1, 0, NAN), 0, 1)]}, "the force of a push"),
        (1, {"pushes": [("box", (1, 0, -INF), 0, 1)]}, "3 numbers"),
        (1, {"pushes": [("box", (1, 0, 0), 0, INF)]}, "3 numbers"),
        (1, {"pushes": [("box", "123", 0, 1)]}, "3 numbers"),
        (1, {"pushes": "box,1,2"}, "3 numbers"),
        (
            1,
            {"pushes": [{"link": "box", "force": (1, 0, 0), "start": 0, "seconds": 1}]},
            "3 numbers",
        ),
        (1, {"pushes": [Push(link="box", force=5, start=0, seconds=1)]}, "3 numbers"),
        (1, {"pushes": [("box", 10**400, 0, 0, 0, 1)]}, "3 numbers"),
        (1, {"pushes": [("box", (1, 0, 0), -1, 1)]}, "at least 0"),
        (1, {"pushes": [("no_link", (1, 0, 0), 0, 1)]}, "no_link"),
        (1, {"colliders": "nothing"}, "nothing"),
        (1, {"colliders": "Empty"}, "not a mesh"),
        (1, {"colliders": "Bare"}, "no faces"),
        (1, {"colliders": "Lost"}, "not finite"),
        (1, {"colliders": "Line"}, "no area"),
        (1, {"colliders": "Far"}, "larger than"),
        (1, {"colliders": "Full"}, "1000000 are the most"),
        (1, {"model": "/no_such_folder/model.xml"}, "model"),
        (1, {"model": "model.txt"}, "model"),
        (1, {"base": "fixed"}, "nothing can move"),
        (1, {"engine": "bullet", "model": "model.xml"}, "MuJoCo"),
    ],
)
@pytest.mark.parametrize("engine", ["mujoco", "bullet"])
def test_bad_input_is_one_sentence_and_changes_nothing(load, engine, seconds, options, words):
    robot = load(box())
    bpy.ops.object.empty_add()
    for name in MESHES.keys() & {options.get("colliders")}:
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(MESHES[name][0], [], MESHES[name][1])
        bpy.context.collection.objects.link(bpy.data.objects.new(name, mesh))
    bpy.context.view_layer.update()
    before = state_of_file()
    with pytest.raises(RobotError) as refused:
        wishes = SimulationOptions(**{"engine": engine, "base": "free", **options})
        simulate(robot, seconds=seconds, options=wishes)
    assert words in str(refused.value) and "\n" not in str(refused.value)
    assert state_of_file() == before


@pytest.mark.parametrize(
    ("engine", "words"), [("mujoco", "not finite"), ("bullet", "no finite place")]
)
def test_a_run_that_breaks_names_second_and_link_and_keeps_nothing(load, engine, words):
    robot = load(box())
    bpy.context.view_layer.update()
    before = state_of_file()
    wishes = SimulationOptions(engine=engine, gravity=(0, 0, -1e38), height=1.0, floor=False)
    with pytest.raises(KinematicsError, match=r"0\.\d+ s.*link 'box'") as refused:
        simulate(robot, seconds=1.0, options=wishes)
    assert words in str(refused.value) and state_of_file() == before


def test_without_mujoco_the_engine_is_bullet_or_the_extra_is_named(load, monkeypatch):
    robot = load(box())
    monkeypatch.setitem(sys.modules, "mujoco", None)
    before = state_of_file()
    with pytest.raises(BuildError, match=r"urdf-importer\[simulation\]"):
        simulate(robot, options=SimulationOptions(**EXACT))
    assert state_of_file() == before
    assert simulate(robot, seconds=0.1, options=SimulationOptions(height=0.1)).engine == "bullet"


def test_a_robot_that_is_linked_from_another_file_is_refused(load, tmp_path):
    load(box())
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "robot.blend"))
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "robot.blend"), link=True) as (theirs, ours):
        ours.objects = [name for name in theirs.objects if name == "box"]
    (robot,) = ours.objects
    bpy.context.scene.collection.objects.link(robot)
    before = state_of_file()
    with pytest.raises(BuildError, match="library override"):
        simulate(robot, options=SimulationOptions(height=0.1))
    assert state_of_file() == before


@pytest.mark.parametrize("engine", ["mujoco", "bullet"])
@pytest.mark.parametrize(
    "corners, faces, rests",
    [
        ([(-1, -1, 0), (1, -1, 0), (0, 1, 0)], [(0, 1, 2)], 0.6),
        ([(-1, -1, 0), (1, -1, 0), (0, 1, 0)], [(2, 1, 0)], 0.6),
        ([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [(0, 1, 2), (0, 2, 3)], 0.6),
        ([(x, y, z + 9 * n) for n in (0, 1) for x, y, z in SHELL], [*FACES, *HIGHER], 0.6),
        ([(x + n, y + n, z) for n in (0, 1) for x, y, z in SHELL], [*FACES, *HIGHER], 0.6),
    ],
    ids=["triangle", "downwards", "flat", "two shells", "crossing"],
)
def test_odd_meshes_hold_a_box(load, engine, corners, faces, rests):
    mesh = bpy.data.meshes.new("odd")
    mesh.from_pydata(corners, [], faces)
    item = bpy.data.objects.new("odd", mesh)
    item.location.z = 0.5
    bpy.context.collection.objects.link(item)
    wishes = SimulationOptions(engine=engine, height=0.7, colliders="odd", friction=1)
    found = simulate(load(box()), seconds=1.0, options=wishes)
    assert found.base[-1, 2, 3] == pytest.approx(rests, abs=2e-3)


def test_only_robots_are_simulated(load):
    bpy.ops.object.armature_add()
    for wrong in (bpy.context.object, [], [load(box()), "robot"]):
        with pytest.raises(RobotError):
            simulate(wrong)
    with pytest.raises(ArgumentError):
        simulate(load(box()), options={"height": 1})


def test_no_log_is_left_in_the_folder_of_the_user(load, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RobotError):
        run(load(box()), gravity=(0, 0, -1e12), height=1.0, floor=False)
    assert not Path("MUJOCO_LOG.TXT").exists()


@pytest.mark.slow
@pytest.mark.parametrize("path", descriptions(), ids=name_of)
def test_real_robots_drop_onto_the_floor(scene, path):
    try:
        robot = import_robot(path)
    except RobotError:
        return
    set_frame_rate(60)
    wishes = SimulationOptions(**EXACT, base="free", height=0.3)
    diagnostics = Diagnostics()
    found = simulate(robot, seconds=2.0, options=wishes, diagnostics=diagnostics)
    assert all(np.isfinite(each).all() for each in (*found.positions.values(), found.base))
    assert found.drift < 0.005
    check_replay(found, 2e-5)
    if "nothing-collides" not in {each.code for each in diagnostics}:
        bpy.context.scene.frame_set(int(found.frames[-1]))
        colliding = [shape for shapes in robot.collisions.values() for shape in shapes]
        assert find_lowest(colliding) > -0.002


@pytest.mark.parametrize("mode", ["XYZ", "ZXY", "QUATERNION", "AXIS_ANGLE"])
def test_the_armature_turns_in_the_mode_that_it_had(load, mode: str) -> None:
    """A box that is pushed and tumbles; the keys show what the result says."""
    robot = load(box()).armature
    robot.rotation_mode = mode
    push = Push(link="box", force=(30.0, 12.0, 0.0), start=0.1, seconds=0.2)
    found = run(robot, 1.0, height=0.4, pushes=(push,))
    assert robot.rotation_mode == mode
    paths = {curve.data_path for curve in find_curves(robot)}
    prop = {"QUATERNION": "quaternion", "AXIS_ANGLE": "axis_angle"}.get(mode, "euler")
    assert paths == {"location", f"rotation_{prop}"}
    check_replay(found)
