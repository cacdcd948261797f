# SPDX-License-Identifier: GPL-3.0-or-later
"""Models of MuJoCo become robots as MuJoCo's own compiler understands them: frames at zero and at
random positions, masses, inertias, ranges."""

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings

from support.mjcf_models import body, check_frames, close, judge, model, models
from support.mujoco_truth import Compiled
from support.paths import ROOT
from support.real_robots import descriptions, name_of
from support.samples import sampled
from urdf_importer import (
    Diagnostics,
    MjcfOptions,
    ReadError,
    export_robot,
    forward_kinematics,
    read_robot,
)
from urdf_importer.core.geometry.primitives import make_box, make_capsule
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.core.meshes.write_files import write_mesh_files
from urdf_importer.core.model import Box, Capsule, Ellipsoid, Mesh, Sphere

OWN = Path(mujoco.__file__).parent / "testdata" / "model.xml"
SAMPLES = sorted((ROOT / "sample_urdfs").glob("*.urdf"))
FEW = ("double_pendulum", "panda_collision", "simple_humanoid")
_READABLE = [path for path in descriptions() if path.stem != "ur3"]  # It has no links.
BACK = [
    *(pytest.param(path, id=name_of(path)) for path in _READABLE if path.stem in FEW),
    *(
        pytest.param(path, id=name_of(path), marks=pytest.mark.slow)
        for path in sampled([path for path in _READABLE if path.stem not in FEW], 4)
    ),
]


GEOM = '<geom size="0.1"/>'


# What others wrote


def test_mujocos_own_model(tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    robot, compiled = read_robot(OWN, diagnostics=diagnostics), Compiled(OWN)
    check_frames(robot, compiled, np.random.default_rng(0).uniform(-1, 1, 50))
    assert {each.code for each in diagnostics} == {"mjcf-plane"}
    kept = [extra.xml for extra in robot.extras if extra.tag == "mujoco"]
    assert len(kept) == 1 and "<actuator>" in kept[0]
    assert {sensor.word for sensor in robot.sensors} == {"ray", "imu"}


@pytest.mark.parametrize("path", [*SAMPLES, *BACK], ids=lambda each: each.stem)
def test_what_is_written_is_read_again(path: Path, tmp_path: Path) -> None:
    robot, diagnostics = read_robot(path), Diagnostics()
    export_robot(
        robot, tmp_path / "robot.xml", options=MjcfOptions(base="fixed"), diagnostics=diagnostics
    )
    again, random = read_robot(tmp_path / "robot.xml"), np.random.default_rng(1)
    given = {
        motion.joint.name: float(random.uniform(-1, 1))
        for motion in retrace_tree(robot).joint_motions
        if motion.is_scalar and motion.mimic is None
    }
    before, after = forward_kinematics(robot, given), forward_kinematics(again, given)
    assert len(before.keys() - after.keys()) <= 1
    for name in before.keys() & after.keys():
        close(after[name], before[name], 1e-9)
    if path.stem != "messy":
        added = sum(each.code == "mjcf-small-mass" for each in diagnostics) * 0.001
        assert again.total_mass() == pytest.approx(robot.total_mass() + added)
    followers = [{each.name for each in one.joints if each.mimic} for one in (robot, again)]
    assert path.stem == "messy" or followers[0] >= followers[1]


# Against the compiler, on models of all kinds


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=models())
def test_any_tree_is_what_mujoco_makes_of_it(tmp_path_factory: Any, text: str) -> None:
    path = model(text, tmp_path_factory.mktemp("any"))
    try:
        Compiled(path)
    except ValueError:
        reject()  # fromto without a length
    judge(path)


def test_the_search_above_tries_models_that_compile(tmp_path: Path) -> None:
    text = body(f'<joint name="j" pos="0.1 0.2 0.3" axis="1 2 3" ref="40"/>{GEOM}', 'euler="1 2 3"')
    robot = judge(model(text, tmp_path))
    assert robot.joints[0].child_origin.xyz == (-0.1, -0.2, -0.3)


# Joints


def test_several_joints_become_a_chain_with_empty_links(tmp_path: Path) -> None:
    text = body(
        f'<joint name="x" type="slide" axis="1 0 0"/><joint name="y" pos="0 1 0"/>{GEOM}',
        'pos="0 0 1"',
    )
    robot = judge(model(text, tmp_path))
    assert [link.name for link in robot.links] == ["world", "a_x", "a"]
    assert [joint.type for joint in robot.joints] == ["prismatic", "continuous"]


def test_ranges_are_in_radians_and_counted_from_ref(tmp_path: Path) -> None:
    text = body(
        f'<joint name="h" range="-90 45" ref="30" damping="2" frictionloss="3"/>{GEOM}'
        f'<body><joint name="s" type="slide" range="-1 2" limited="true" '
        f'actuatorfrcrange="-5 7"/>{GEOM}</body>'
        f'<body><joint name="off" range="-1 2" limited="false"/>{GEOM}</body>'
    )
    robot = judge(model(text, tmp_path))
    hinge, slide, off = robot.joints
    assert hinge.limit is not None and slide.limit is not None and hinge.dynamics is not None
    close((hinge.limit.lower, hinge.limit.upper), (-np.pi / 2, np.pi / 4))
    assert (hinge.dynamics.damping, hinge.dynamics.friction) == (2, 3)
    assert (slide.limit.lower, slide.limit.upper, slide.limit.effort) == (-1, 2, 7)
    assert off.type == "continuous" and off.limit is None


def test_a_free_body_floats_in_the_world(tmp_path: Path) -> None:
    robot = judge(model(body(f'<freejoint name="f"/>{GEOM}', 'pos="1 2 3"'), tmp_path))
    assert robot.joints[0].type == "floating" and robot.joints[0].parent == "world"


def test_one_body_alone_is_the_root(tmp_path: Path) -> None:
    assert [link.name for link in judge(model(body(GEOM), tmp_path)).links] == ["a"]


# Defaults and files


def test_classes_inherit_and_bodies_pass_them_on(tmp_path: Path) -> None:
    text = (
        '<default><geom rgba="1 0 0 1"/><default class="big"><geom type="box" size="1 2 3"/>'
        '<default class="blue"><geom rgba="0 0 1 1"/></default></default></default>'
        '<worldbody><body name="a" childclass="blue"><geom/><geom size="0.5"/><geom class="big"/>'
        '<body name="b"><geom class="main" size="1"/></body></body></worldbody>'
    )
    robot = judge(model(text, tmp_path))
    geometries = [each.geometry for each in robot.links[0].visuals]
    assert geometries == [Box(size=(2, 4, 6)), Box(size=(1, 4, 6)), Box(size=(2, 4, 6))]
    colors = [each.material.color for each in robot.links[0].visuals if each.material]
    assert colors == [(0, 0, 1, 1), (0, 0, 1, 1), (1, 0, 0, 1)]
    assert robot.links[1].visuals[0].geometry == Sphere(radius=1)


def test_includes_stand_where_they_are_named(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "arm.xml").write_text(
        '<mujocoinclude><body name="b"><geom size="0.1" rgba="2 0 0 1"/></body></mujocoinclude>'
    )
    text = body(f'{GEOM}<include file="parts/arm.xml"/>')
    robot = judge(model(text, tmp_path))
    assert [link.name for link in robot.links] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('<include file="model.xml"/>', "has no bodies|second time"),
        ('<include file="gone.xml"/>', "there is no file"),
        ('<include file="/etc/passwd"/>', "outside|not XML|no file"),
        ('<compiler eulerseq="abc"/>', "eulerseq"),
        ('<compiler coordinate="global"/>', "global coordinates"),
        ("<worldbody/>", "no bodies"),
        (body('<geom size="big"/>'), "not numbers"),
        (body('<geom class="none"/>'), "not defined"),
        (body('<joint axis="0 0 0"/>'), "length zero"),
        (body('<joint type="screw"/>'), "unknown type"),
        (body('<geom size="1"/>', 'quat="1 0"'), "needs 4 numbers"),
        (body('<geom size="1"/>', 'zaxis="0 0 0"'), "no direction"),
    ],
)
def test_what_is_no_robot_is_refused_in_a_sentence(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=said) as caught:
        read_robot(model(text, tmp_path))
    assert "\n" not in caught.value.message and caught.value.source


# Shapes


def write_mesh(folder: Path, name: str, data: Any) -> None:
    for file, content in write_mesh_files(data, name, "stl").files.items():
        (folder / file).write_bytes(content)


@pytest.mark.parametrize("way", ["legacy", "exact", "convex", "shell"])
def test_meshes_weigh_what_mujoco_says(way: str, tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    write_mesh(tmp_path / "m", "pill", make_capsule(0.3, 0.5))
    write_mesh(tmp_path / "m", "box", make_box((1.0, 2.0, 3.0)))
    text = (
        f'<compiler meshdir="m"/><default><mesh inertia="{way}"/></default><asset>'
        '<mesh file="pill.stl" scale="1 2 0.5" refpos="0.1 0.2 0.3"/>'
        '<mesh name="turned" file="box.stl" refpos="0.3 0 0.1" refquat="1 2 3 4"/></asset>'
        + body(
            '<geom type="mesh" mesh="pill" pos="1 2 3" euler="10 20 30"/>'
            '<geom type="mesh" mesh="turned" mass="3"/>'
        )
    )
    robot = judge(model(text, tmp_path))
    first = robot.links[0].visuals[0]
    assert isinstance(first.geometry, Mesh) and first.geometry.filename == "m/pill.stl"


def test_meshes_stand_where_mujoco_puts_them(tmp_path: Path) -> None:
    write_mesh(tmp_path, "box", make_box((1.0, 2.0, 3.0)))
    turned = '<mesh name="b" file="box.stl" scale="2 -2 2" refpos="1 2 3" refquat="1 2 3 4"/>'
    shown = body('<geom type="mesh" mesh="b"/>')
    path = model(f"<asset>{turned}</asset>{shown}", tmp_path)
    robot, compiled = read_robot(path), Compiled(path).model
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, compiled.geom_quat[0])
    theirs = compiled.mesh_vert @ rotation.reshape(3, 3).T + compiled.geom_pos[0]
    place = matrix_from_pose(robot.links[0].visuals[0].origin)
    corners = make_box((1.0, 2.0, 3.0)).vertices * (2, -2, 2)
    ours = corners @ place[:3, :3].T + place[:3, 3]
    distances = np.linalg.norm(ours[:, None] - theirs[None], axis=2)
    assert distances.min(axis=0).max() < 1e-5 and distances.min(axis=1).max() < 1e-5


def test_groups_say_what_is_seen_and_contacts_what_collides(tmp_path: Path) -> None:
    text = body(
        '<geom size="1"/><geom size="2" group="3"/><geom size="3" contype="0" conaffinity="0"/>'
    )
    (link,) = judge(model(text, tmp_path)).links
    assert [each.geometry for each in link.visuals] == [Sphere(radius=1), Sphere(radius=3)]
    assert [each.geometry for each in link.collisions] == [Sphere(radius=1), Sphere(radius=2)]


def test_what_the_model_cannot_hold_is_told(tmp_path: Path) -> None:
    text = body(
        '<geom type="plane" size="1 1 1"/><geom type="ellipsoid" size="1 2 3"/>'
        '<geom type="mesh" mesh="none"/><composite type="cable"><geom size="1"/>'
        '</composite><geom type="capsule" size="0.1" fromto="0 0 0 0 0 1"/>'
    )
    diagnostics = Diagnostics()
    robot = read_robot(model(text, tmp_path), diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == [
        "mjcf-plane", "mjcf-shape-lost", "mjcf-not-read",
    ]  # fmt: skip
    assert all(each.line for each in diagnostics)
    assert robot.links[0].visuals[0].geometry == Ellipsoid(radii=(1, 2, 3))
    assert robot.links[0].visuals[-1].geometry == Capsule(radius=0.1, length=1.0)


ALIGNED = [
    ("", '<freejoint align="true"/>', "", True),
    ('<compiler alignfree="true"/>', '<joint type="free"/>', "", True),
    ("", "<freejoint/>", "", False),
    ('<compiler alignfree="true"/>', "<freejoint/>", "", True),
    ('<compiler alignfree="true"/>', '<freejoint align="false"/>', "", False),
    ("", '<freejoint align="true"/>', f'<body pos="0 0 1">{GEOM}</body>', False),
]


@pytest.mark.parametrize(("compiler", "joint", "inside", "moves"), ALIGNED)
def test_bodies_that_mujoco_aligns_are_told(
    compiler: str, joint: str, inside: str, moves: bool, tmp_path: Path
) -> None:
    """Told where MuJoCo moves the frame; the shapes stand where it has them all the same."""
    held = f'{joint}<geom size="0.1 0.2 0.3" type="box" pos="1 0 0" euler="10 20 30"/>{inside}'
    path = model(compiler + body(held, 'pos="1 2 3"'), tmp_path)
    diagnostics = Diagnostics()
    robot = read_robot(path, diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["mjcf-free-aligned"] * moves
    compiled = mujoco.MjModel.from_xml_path(str(path))
    assert (tuple(compiled.body_pos[1]) != (1.0, 2.0, 3.0)) == moves
    data = mujoco.MjData(compiled)
    mujoco.mj_forward(compiled, data)
    link = next(each for each in robot.links if each.visuals)
    frame = forward_kinematics(robot)[link.name]
    shape = frame @ matrix_from_pose(link.visuals[0].origin)
    assert shape[:3, 3] == pytest.approx(data.geom_xpos[0], abs=1e-9)


def test_materials_have_colours_and_images(tmp_path: Path) -> None:
    text = (
        '<compiler texturedir="img"/><asset><texture name="t" type="2d" file="wood.png"/>'
        '<material name="wood" texture="t" rgba="0.5 0.5 1 1"/></asset>'
        + body('<geom size="1" material="wood"/><geom size="1" material="wood" rgba="1 0 0 1"/>')
    )
    robot = read_robot(model(text, tmp_path))
    first, second = (each.material for each in robot.links[0].visuals)
    assert first is not None and second is not None
    assert (first.name, first.color, first.texture) == ("wood", (0.5, 0.5, 1, 1), "img/wood.png")
    assert second.color == (1, 0, 0, 1) and not second.texture


# Masses


def test_the_compiler_bounds_balances_and_scales_masses(tmp_path: Path) -> None:
    bodies = (
        '<worldbody><body name="a"><joint/><geom size="0.1"/></body>'
        '<body name="b" pos="1 0 0"><inertial mass="1e-3" pos="0 0 0" diaginertia="1 1 3"/></body>'
        '<body name="c"><inertial mass="2" pos="1 2 3" fullinertia="3 4 5 0.1 0.2 0.3"/>'
        '<geom size="1"/></body><body name="d"><geom size="0.2" group="4"/></body></worldbody>'
    )
    for compiler in (
        'balanceinertia="true" boundmass="0.5" boundinertia="0.01"',
        'balanceinertia="true" inertiafromgeom="true"',
        'balanceinertia="true" inertiagrouprange="0 3"',
    ):
        judge(model(f"<compiler {compiler}/>{bodies}", tmp_path))


# Equalities

CHAIN = (
    '<worldbody><body name="a"><joint name="j" range="-90 90"/><geom size="0.1"/>'
    '<body name="b" pos="1 0 0"><joint name="k" ref="20"/><geom size="0.1"/>'
    '<site name="s" pos="0 1 0"/></body></body>'
    '<body name="c" pos="2 0 0" euler="0 0 30"><joint name="l"/><geom size="0.1"/>'
    '<site name="t" pos="0 2 0"/></body></worldbody>'
)


def test_joints_follow_and_are_held(tmp_path: Path) -> None:
    equalities = (
        '<equality><joint joint1="k" joint2="j" polycoef="0.1 2 0 0 0"/><joint joint1="l" '
        'polycoef="0.3 0 0 0 0"/><joint joint1="j" joint2="k" active="false"/></equality>'
    )
    path = model(CHAIN + equalities, tmp_path)
    robot = read_robot(path)
    by_name = {joint.name: joint for joint in robot.joints}
    mimic, limit = by_name["k"].mimic, by_name["l"].limit
    assert mimic is not None and limit is not None and by_name["j"].mimic is None
    assert mimic.multiplier == 2
    close(mimic.offset, np.radians(20) + 0.1)
    assert limit.lower == limit.upper == 0.3
    compiled = Compiled(path)
    compiled.data.joint("j").qpos = 0.4
    compiled.relax(2000)
    at = float(compiled.data.joint("j").qpos[0])
    close(compiled.data.joint("k").qpos[0], mimic.multiplier * at + mimic.offset, 2e-3)


@pytest.mark.parametrize("polycoef", ["", 'polycoef="0.2 0 0 0 0"'])
def test_joints_of_a_tendon_follow(tmp_path: Path, polycoef: str) -> None:
    tendons = (
        '<tendon><fixed name="x"><joint joint="j" coef="0.5"/><joint joint="k" coef="-0.25"/>'
        '</fixed><fixed name="y"><joint joint="l" coef="2"/></fixed></tendon>'
        f'<equality><tendon tendon1="x" {polycoef}/><tendon tendon1="y"/></equality>'
    )
    path = model(CHAIN + tendons, tmp_path)
    robot, compiled = read_robot(path), Compiled(path)
    by_name = {joint.name: joint for joint in robot.joints}
    mimic, held = by_name["k"].mimic, by_name["l"].limit
    assert mimic is not None and mimic.joint == "j" and held is not None
    assert held.lower == held.upper == 0.0
    compiled.data.joint("j").qpos = 0.3
    compiled.relax(3000)
    at = float(compiled.data.joint("j").qpos[0])
    close(compiled.data.joint("k").qpos[0], mimic.multiplier * at + mimic.offset, 5e-3)


def test_loops_are_closed_where_mujoco_closes_them(tmp_path: Path) -> None:
    equalities = (
        '<equality><connect name="p" body1="b" body2="c" anchor="0.1 0.2 0.3"/>'
        '<weld name="w" body1="b" body2="c"/><connect name="q" site1="s" site2="t"/>'
        '<weld name="v" body1="a"/><tendon tendon1="x"/></equality>'
    )
    diagnostics = Diagnostics()
    path = model(CHAIN + equalities, tmp_path)
    robot = read_robot(path, diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["mjcf-not-read"]
    assert [(each.name, each.type, each.link1, each.link2) for each in robot.loops] == [
        ("p", "ball", "b", "c"),
        ("w", "fixed", "b", "c"),
        ("q", "ball", "b", "c"),
        ("v", "fixed", "a", "world"),
    ]
    frames = forward_kinematics(robot, {"k": np.radians(20)}, close_loops=False)
    for loop in robot.loops:
        one = frames[loop.link1] @ matrix_from_pose(loop.origin1)
        other = frames[loop.link2] @ matrix_from_pose(loop.origin2)
        if loop.name == "q":
            close(matrix_from_pose(loop.origin2)[:3, 3], (0, 2, 0))
        elif loop.type == "fixed":
            close(one, other)
        else:
            close(one[:3, 3], other[:3, 3])


# Hostile files


def test_deep_models_need_no_stack(tmp_path: Path) -> None:
    deep = 3000
    text = "<worldbody>" + f"<frame><body>{GEOM}" * deep + "</body></frame>" * deep
    assert len(read_robot(model(text + "</worldbody>", tmp_path)).links) == deep
