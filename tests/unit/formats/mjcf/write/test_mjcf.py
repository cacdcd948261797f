# SPDX-License-Identifier: GPL-3.0-or-later
"""MJCF is what MuJoCo's compiler takes, and says what Pinocchio reads in the URDF."""

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from support.mujoco_truth import Compiled
from support.paths import ROOT
from support.pinocchio_truth import Truth
from support.real_robots import descriptions, name_of
from support.samples import sampled
from support.seconds import within
from urdf_importer import (
    Diagnostics,
    MjcfOptions,
    Robot,
    WriteError,
    export_robot,
    forward_kinematics,
    read_robot,
)
from urdf_importer.core.geometry.triangles import Triangles
from urdf_importer.core.kinematics.forward import complete_positions
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.core.meshes.write import write_stl
from urdf_importer.formats.mjcf.write.export import MjcfExport

SAMPLES = sorted((ROOT / "sample_urdfs").glob("*.urdf"))
FEW = ("a1", "double_pendulum", "panda", "quadruped", "so100", "tiago_no_hand", "icub_reduced")
_READABLE = [path for path in descriptions() if path.stem != "ur3"]  # It has no links.
REAL = [
    *(pytest.param(path, id=name_of(path)) for path in _READABLE if path.stem in FEW),
    *(
        pytest.param(path, id=name_of(path), marks=pytest.mark.slow)
        for path in sampled([path for path in _READABLE if path.stem not in FEW], 4)
    ),
]
BODY = (
    '<inertial><mass value="2"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def export(
    robot: Robot, folder: Path, diagnostics: Diagnostics | None = None, **options: Any
) -> tuple[MjcfExport, Compiled]:
    written = export_robot(
        robot, folder / "robot.xml", options=MjcfOptions(**options), diagnostics=diagnostics
    )
    assert isinstance(written, MjcfExport)
    return written, Compiled(written.path)


def read(text: str, folder: Path) -> Robot:
    path = folder / "robot.urdf"
    path.write_text(f'<robot name="r">{text}</robot>')
    return read_robot(path)


def links(*names: str, content: str = BODY) -> str:
    return "".join(f'<link name="{name}">{content}</link>' for name in names)


def joint(name: str, kind: str, parent: str, child: str, more: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>'
        f'<parent link="{parent}"/><child link="{child}"/>{more}</joint>'
    )


def close(one: Any, other: Any, tolerance: float = 1e-6) -> None:
    np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


# Against Pinocchio


@pytest.mark.parametrize("path", [*SAMPLES, *REAL], ids=lambda each: each.stem)
def test_frames_masses_and_limits_are_those_of_pinocchio(path: Path, tmp_path: Path) -> None:
    robot, diagnostics = read_robot(path), Diagnostics()
    written, compiled = export(robot, tmp_path, diagnostics, base="fixed")
    changed = {each.subject for each in diagnostics if each.code.startswith("mjcf-")}
    tree = retrace_tree(robot)
    followers = {each.joint.name for each in tree.joint_motions if each.mimic}
    scalar = [each for each in tree.joint_motions if each.is_scalar]
    random = np.random.default_rng(3)
    for reach in (0.0, 1.0):
        free = {
            each.joint.name: float(random.uniform(-1, 1)) * reach
            for each in scalar
            if each.joint.name not in followers
        }
        full = complete_positions(tree.joint_motions, free)
        shown = compiled.frames({written.joints[name][0]: full[name] for name in full})
        expected = forward_kinematics(robot, free)
        assert expected.keys() == written.bodies.keys()
        for link, frame in expected.items():
            close(shown[written.bodies[link]], frame)
        if path.stem != "messy":
            known = Truth.of_file(path)
            for link, frame in known.frames(full).items():
                close(shown[written.bodies[link]], frame)
    if path.stem != "messy":
        check_numbers(Truth.of_file(path), written, compiled, robot, changed)


def check_numbers(
    known: Truth, written: MjcfExport, compiled: Compiled, robot: Robot, changed: set[str]
) -> None:
    """Masses, inertias and limits, but for what a diagnostic says is changed."""
    for link, (mass, center, tensor) in known.body_inertias().items():
        if link in written.bodies and written.bodies[link] != "world":
            found = compiled.inertia(written.bodies[link])
            close(found[0], mass)
            close(found[1], center)
            if link not in changed and float(np.abs(tensor).max()) > 1e-12:
                assert np.abs(found[2] - tensor).max() <= 1e-6 * np.abs(tensor).max()
    for each in robot.joints:
        limit, name = each.limit, written.joints.get(each.name, ("",))[0]
        if each.type not in ("revolute", "prismatic") or limit is None or not name:
            continue
        place = known.model.joints[known.model.getJointId(each.name)].idx_q
        low, high = known.model.lowerPositionLimit[place], known.model.upperPositionLimit[place]
        if low < high < 1e5:
            assert compiled.model.joint(name).limited[0] == 1
            close(compiled.model.joint(name).range, (low, high))


@pytest.mark.parametrize("name", ["two_link_arm", "gantry"])
def test_it_says_what_mujoco_reads_in_urdf_itself(name: str, tmp_path: Path) -> None:
    source = ROOT / "sample_urdfs" / f"{name}.urdf"
    text = source.read_text().replace(
        "</robot>", '<mujoco><compiler fusestatic="false" discardvisual="false"/></mujoco></robot>'
    )
    (tmp_path / "own.urdf").write_text(text)
    own = Compiled(tmp_path / "own.urdf")
    _, ours = export(read_robot(source), tmp_path)
    assert ours.names("joint") == own.names("joint")
    for part in ("jnt_range", "jnt_type", "jnt_limited", "jnt_actfrcrange", "dof_damping"):
        close(getattr(ours.model, part), getattr(own.model, part))
    close(ours.model.dof_frictionloss, own.model.dof_frictionloss)
    positions = {name: 0.3 for name in own.names("joint")}
    theirs = own.frames(positions)
    frames = ours.frames(positions)
    shared = theirs.keys() & frames.keys()
    assert shared
    for body in shared:
        close(frames[body], theirs[body])
        close(ours.inertia(body)[2], own.inertia(body)[2])


# Joints


def test_planar_joints_are_two_slides_and_a_hinge(tmp_path: Path) -> None:
    axis = '<axis xyz="0.3 -0.5 0.8"/>'
    robot = read(links("a", "b") + joint("flat", "planar", "a", "b", axis), tmp_path)
    written, compiled = export(robot, tmp_path)
    assert written.joints["flat"] == ("flat_x", "flat_y", "flat_yaw")
    position = (0.4, -0.7, 1.1)
    shown = compiled.frames(dict(zip(written.joints["flat"], position, strict=True)))
    close(shown["b"], forward_kinematics(robot, {"flat": position})["b"], 1e-12)


TURN = (0.4, 0.1, -0.2, 0.884)


def test_floating_joints_are_free_where_nothing_moves_above(tmp_path: Path) -> None:
    text = links("a", "b", "c") + joint("stand", "fixed", "a", "b")
    robot = read(text + joint("fly", "floating", "b", "c"), tmp_path)
    written, compiled = export(robot, tmp_path, translation=(1, 2, 3), rotation=(0.1, 0.2, 0.3))
    kinds = [compiled.model.joint(name).type[0] for name in written.joints["fly"]]
    assert kinds == [mujoco.mjtJoint.mjJNT_FREE]
    base = compiled.frames({})["a"]
    close(compiled.frames({})["c"], base @ forward_kinematics(robot)["c"], 1e-12)
    start = ("fly", "1,2,3,0.4,0.1,-0.2,0.884")
    written, compiled = export(robot, tmp_path, positions=(start,), translation=(1, 2, 3))
    compiled.key("start")
    moved = forward_kinematics(robot, {"fly": (1.0, 2.0, 3.0, *TURN)})["c"]
    close(compiled.shown()["c"], compiled.shown()["a"] @ moved, 1e-9)


def test_floating_joints_elsewhere_are_slides_and_a_ball(tmp_path: Path) -> None:
    text = links("a", "b", "c") + joint("turn", "continuous", "a", "b")
    robot = read(text + joint("fly", "floating", "b", "c"), tmp_path)
    start = (("fly", "1,2,3,0.4,0.1,-0.2,0.884"), ("turn", "0.5"))
    written, compiled = export(robot, tmp_path, positions=start)
    assert written.joints["fly"] == ("fly_x", "fly_y", "fly_z", "fly")
    compiled.key("start")
    moved = forward_kinematics(robot, {"fly": (1.0, 2.0, 3.0, *TURN), "turn": 0.5})
    for link, frame in moved.items():
        close(compiled.shown()[link], frame, 1e-9)


def test_balls_are_balls(tmp_path: Path) -> None:
    robot = read(links("a", "b") + joint("hip", "ball", "a", "b"), tmp_path)
    written, compiled = export(robot, tmp_path, positions=(("hip", "0.4,0.1,-0.2,0.884"),))
    assert compiled.model.joint("hip").type[0] == mujoco.mjtJoint.mjJNT_BALL
    compiled.key("start")
    close(compiled.shown()["b"], forward_kinematics(robot, {"hip": TURN})["b"], 1e-9)
    assert written.facts["actuators"] == []


def test_joints_without_a_way_are_held(tmp_path: Path) -> None:
    limit = '<limit lower="0.2" upper="0.2" effort="1" velocity="1"/>'
    robot = read(links("a", "b") + joint("still", "revolute", "a", "b", limit), tmp_path)
    _, compiled = export(robot, tmp_path)
    assert compiled.model.joint("still").limited[0] == 0
    compiled.data.joint("still").qpos = 0.2
    compiled.data.joint("still").qvel = 3.0
    compiled.relax()
    assert abs(compiled.data.joint("still").qpos[0] - 0.2) < 1e-3


def test_followers_follow(tmp_path: Path) -> None:
    limit = '<limit lower="-2" upper="2" effort="1" velocity="1"/>'
    text = links("a", "b", "c") + joint("lead", "revolute", "a", "b", limit)
    mimic = f'{limit}<mimic joint="lead" multiplier="-0.5" offset="0.1"/>'
    robot = read(text + joint("follow", "revolute", "b", "c", mimic), tmp_path)
    written, compiled = export(robot, tmp_path, positions=(("lead", "0.6"),))
    compiled.key("start")
    assert compiled.data.joint("follow").qpos[0] == pytest.approx(-0.5 * 0.6 + 0.1)
    compiled.data.joint("lead").qvel = 1.0
    compiled.relax()
    lead = compiled.data.joint("lead").qpos[0]
    assert abs(lead - 0.6) > 0.1
    assert compiled.data.joint("follow").qpos[0] == pytest.approx(-0.5 * lead + 0.1, abs=1e-3)
    assert written.facts["actuators"] == ["lead"] and written.facts["degrees_of_freedom"] == 1


def test_the_root_is_fixed_or_free(tmp_path: Path) -> None:
    robot = read(links("a", "b") + joint("turn", "continuous", "a", "b"), tmp_path)
    for root, moves in (("auto", 0), ("fixed", 0), ("free", 1)):
        _, compiled = export(robot, tmp_path, base=root, translation=(0, 0, 2))
        assert compiled.model.njnt == 1 + moves
        close(compiled.frames({})["a"][:3, 3], (0, 0, 2))
    virtual = '<virtual_joint name="v" type="floating" parent_frame="w" child_link="a"/>'
    (tmp_path / "robot.srdf").write_text(f'<robot name="r">{virtual}</robot>')
    _, compiled = export(robot, tmp_path, srdf="auto")
    assert compiled.names("joint")[0] == "floating_base"


def test_a_root_called_world_is_the_world(tmp_path: Path) -> None:
    box = '<visual><origin xyz="0 0 1"/><geometry><box size="1 1 1"/></geometry></visual>'
    text = f'<link name="world">{box}</link>' + links("a") + joint("j", "fixed", "world", "a")
    robot = read(text, tmp_path)
    told = Diagnostics()
    written, compiled = export(robot, tmp_path, told, translation=(1, 0, 0))
    assert written.bodies == {"world": "world", "a": "a"} and compiled.model.nbody == 2
    assert [each.code for each in told] == ["mjcf-world"] and not told.count_faults()
    close(compiled.model.geom_pos[0], (1, 0, 1))
    close(compiled.frames({})["a"][:3, 3], (1.1, 0.2, 0.3))
    heavy = read(text.replace('<link name="world">', f'<link name="world">{BODY}'), tmp_path)
    diagnostics = Diagnostics()
    written, _ = export(heavy, tmp_path, diagnostics)
    assert written.bodies["world"] == "world_2"
    assert [each.code for each in diagnostics] == ["mjcf-renamed"]


# Masses


def test_masses_that_mujoco_refuses_are_repaired_and_told(tmp_path: Path) -> None:
    def inertial(mass: float, x: float, y: float, z: float) -> str:
        inertia = f'<inertia ixx="{x}" iyy="{y}" izz="{z}" ixy="0" ixz="0" iyz="0"/>'
        return f'<inertial><mass value="{mass}"/>{inertia}</inertial>'

    text = links("a", content="")
    for name, content in (
        ("light", ""),
        ("bare", inertial(1, 0, 0, 0)),
        ("flat", inertial(1, 1, 1, 2)),
        ("broken", inertial(1, 1, 1, 9)),
        ("odd", inertial(1, -1, -1, -1)),
        ("tiny", inertial(1e-9, 1e-17, 1e-17, 1e-17)),
    ):
        text += links(name, content=content) + joint(f"j_{name}", "continuous", "a", name)
    diagnostics = Diagnostics()
    _, compiled = export(read(text, tmp_path), tmp_path, diagnostics, small_mass=0.5)
    told = [(each.subject, each.code) for each in diagnostics]
    assert told == [
        ("broken", "mjcf-inertia-repaired"),
        ("odd", "mjcf-inertia-repaired"),
        ("light", "mjcf-small-mass"),
        ("bare", "mjcf-inertia-assumed"),
        ("tiny", "mjcf-inertia-assumed"),
    ]
    assert compiled.inertia("light")[0] == 0.5
    close(np.sort(np.linalg.eigvalsh(compiled.inertia("flat")[2])), (1, 1, 2))


def test_what_is_fixed_to_a_mover_weighs_for_it(tmp_path: Path) -> None:
    text = links("a", "c") + links("b", content="") + joint("j", "continuous", "a", "b")
    diagnostics = Diagnostics()
    _, compiled = export(
        read(text + joint("k", "fixed", "b", "c"), tmp_path), tmp_path, diagnostics
    )
    assert not diagnostics and compiled.inertia("b")[0] == 0.0


# What holds besides


FOUR_BAR = (
    links("ground", "crank", "rod", "rocker")
    + '<joint name="a" type="continuous"><parent link="ground"/><child link="crank"/>'
    '<axis xyz="0 1 0"/></joint>'
    '<joint name="b" type="continuous"><origin xyz="0 0 0.3"/><parent link="crank"/>'
    '<child link="rod"/><axis xyz="0 1 0"/></joint>'
    '<joint name="c" type="continuous"><origin xyz="1 0 0"/><parent link="ground"/>'
    '<child link="rocker"/><axis xyz="0 1 0"/></joint>'
)


@pytest.mark.parametrize("kind", ["revolute", "ball", "fixed", "prismatic"])
def test_loops_are_closed(kind: str, tmp_path: Path) -> None:
    loop = (
        f'<loop_joint name="d" type="{kind}"><link1 link="rod" xyz="1 0 0" rpy="0 0 0"/>'
        '<link2 link="rocker" xyz="0 0 0.3" rpy="0 0 0"/><axis xyz="0 1 0"/></loop_joint>'
    )
    diagnostics = Diagnostics()
    robot = read(FOUR_BAR + loop, tmp_path)
    _, compiled = export(robot, tmp_path, diagnostics, collisions=False)
    if kind == "prismatic":
        assert [each.code for each in diagnostics] == ["mjcf-loop-open"]
        assert compiled.model.neq == 0
        return
    assert not diagnostics and compiled.model.neq == {"revolute": 2, "ball": 1, "fixed": 1}[kind]
    compiled.data.joint("a").qvel = 1.0
    compiled.relax(300)
    moved = abs(compiled.data.joint("a").qpos[0])
    assert moved < 1e-3 if kind == "fixed" else moved > 0.05
    shown = compiled.shown()
    ends = shown["rod"] @ [1, 0, 0, 1], shown["rocker"] @ [0, 0, 0.3, 1]
    assert np.abs(ends[0] - ends[1]).max() < 1e-3


def loop_at(height: float) -> str:
    return (
        '<loop_joint name="d" type="revolute"><link1 link="rod" xyz="1 0 0" rpy="0 0 0"/>'
        f'<link2 link="rocker" xyz="0 0 {height}" rpy="0 0 0"/><axis xyz="0 1 0"/></loop_joint>'
    )


@pytest.mark.parametrize("crank", [0.0, 1.0, -2.5])
def test_loops_start_closed(crank: float, tmp_path: Path) -> None:
    robot = read(FOUR_BAR + loop_at(0.5), tmp_path)
    _, compiled = export(robot, tmp_path, collisions=False, positions=(("a", str(crank)),))
    compiled.key("start")
    assert compiled.data.joint("a").qpos[0] == crank
    mujoco.mj_forward(compiled.model, compiled.data)
    assert np.abs(compiled.data.efc_pos).max() < 1e-9


def test_named_poses_are_closed_from_the_start(tmp_path: Path) -> None:
    robot = read(FOUR_BAR + loop_at(0.3), tmp_path)
    (tmp_path / "robot.srdf").write_text(
        '<robot name="r"><group name="all"><joint name="a"/></group>'
        '<group_state name="up" group="all"><joint name="a" value="0.7"/></group_state></robot>'
    )
    srdf = str(tmp_path / "robot.srdf")
    _, compiled = export(robot, tmp_path, collisions=False, srdf=srdf)
    compiled.key("up")
    assert compiled.data.joint("c").qpos[0] == pytest.approx(0.7)
    mujoco.mj_forward(compiled.model, compiled.data)
    assert np.abs(compiled.data.efc_pos).max() < 1e-9


def test_a_loop_that_cannot_close_is_told(tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    robot = read(FOUR_BAR + loop_at(5.0), tmp_path)
    export(robot, tmp_path, diagnostics, collisions=False)
    assert [(each.code, each.subject) for each in diagnostics] == [("loop-starts-open", "d")]


SRDF = """<robot name="r">
  <group name="all"><chain base_link="a" tip_link="c"/></group>
  <group_state name="up" group="all"><joint name="j" value="0.5"/></group_state>
  <passive_joint name="k"/>
  <disable_collisions link1="a" link2="c" reason="Never"/>
  <disable_collisions link1="c" link2="a" reason="Never"/>
</robot>"""


def test_an_srdf_says_what_touches_what_is_driven_and_how_it_stands(tmp_path: Path) -> None:
    text = links("a", "b", "c") + joint("j", "continuous", "a", "b")
    robot = read(text + joint("k", "continuous", "b", "c"), tmp_path)
    (tmp_path / "robot.srdf").write_text(SRDF)
    written, compiled = export(robot, tmp_path, srdf=str(tmp_path / "robot.srdf"))
    assert compiled.model.nexclude == 1 and written.facts["actuators"] == ["j"]
    compiled.key("up")
    assert compiled.data.joint("j").qpos[0] == 0.5


# Motors


LIMIT = '<limit lower="-1" upper="2" effort="30" velocity="4"/>'


def drive(folder: Path, more: str = "", **options: Any) -> Any:
    text = links("a", "b", "c") + joint("j", "revolute", "a", "b", LIMIT)
    robot = read(text + joint("k", "prismatic", "b", "c", LIMIT) + more, folder)
    return export(robot, folder, **options)[1].model


def test_motors_give_the_efforts_of_their_joints(tmp_path: Path) -> None:
    model = drive(tmp_path)
    assert model.nu == 2
    close(model.actuator_ctrlrange, [(-30, 30)] * 2)
    close(model.jnt_actfrcrange, [(-30, 30)] * 2)
    assert drive(tmp_path, actuators="none").nu == 0


def test_servos_have_gains_by_the_rule(tmp_path: Path) -> None:
    model = drive(tmp_path, actuators="position", position_error=0.2)
    close(model.actuator_gainprm[:, 0], (30 / 0.2, 30 / 0.02))
    close(model.actuator_ctrlrange, [(-1, 2)] * 2)
    close(model.actuator_forcerange, [(-30, 30)] * 2)
    model = drive(tmp_path, actuators="velocity")
    close(model.actuator_gainprm[:, 0], (30 / 4, 30 / 4))
    close(model.actuator_ctrlrange, [(-4, 4)] * 2)


def test_ros2_control_and_transmissions_say_what_is_driven(tmp_path: Path) -> None:
    control = (
        '<ros2_control name="x" type="system"><joint name="k"><command_interface name="position"/>'
        "</joint></ros2_control>"
    )
    model = drive(tmp_path, control)
    assert [model.actuator(index).name for index in range(model.nu)] == ["k"]
    close(model.actuator_gainprm[:, 0], [30 / 0.01])
    transmission = (
        '<transmission name="t"><type>x</type><joint name="j"><hardwareInterface>'
        "hardware_interface/VelocityJointInterface</hardwareInterface></joint>"
        '<actuator name="m"/></transmission>'
    )
    model = drive(tmp_path, transmission)
    assert [model.actuator(index).name for index in range(model.nu)] == ["j"]
    close(model.actuator_gainprm[:, 0], [30 / 4])


# Files


def test_all_files_or_none(tmp_path: Path) -> None:
    robot = read(links("a") + links("b", content="") + joint("j", "continuous", "a", "b"), tmp_path)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(WriteError, match="strict mode"):
        export_robot(robot, tmp_path / "strict.xml", options=MjcfOptions(), strict=True)
    bad = read(links("a"), tmp_path)
    object.__setattr__(bad.links[0], "name", "a\x01")
    with pytest.raises(WriteError, match="character that no XML file can hold"):
        export_robot(bad, tmp_path / "bad.mjcf")
    assert sorted(tmp_path.iterdir()) == before


def test_a_scene_is_a_floor_under_the_robot(tmp_path: Path) -> None:
    box = '<collision><geometry><box size="1 1 3"/></geometry></collision>'
    robot = read(links("a", content=BODY + box), tmp_path)
    written, _ = export(robot, tmp_path, scene=True, base="free")
    scene = next(file for file in written.files if file.name == "robot_scene.xml")
    compiled = Compiled(scene)
    assert compiled.model.geom("scene_floor").pos[2] == -1.5
    for _ in range(500):
        mujoco.mj_step(compiled.model, compiled.data)
    assert abs(compiled.data.body("a").xpos[2]) < 0.01


def test_a_mesh_is_written_once_for_all_its_scales(tmp_path: Path) -> None:
    from urdf_importer.core.geometry.primitives import make_box
    from urdf_importer.core.meshes.write_files import write_mesh_files

    files = write_mesh_files(make_box((1.0, 2.0, 3.0)), "body", "dae").files
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    shapes = "".join(
        f'<{tag}><geometry><mesh filename="body.dae" scale="{scale}"/></geometry></{tag}>'
        for tag, scale in (("visual", "1 1 1"), ("visual", "1 -1 0.5"), ("collision", "1 1 1"))
    )
    robot = read(links("a", content=BODY + shapes), tmp_path)
    written, compiled = export(robot, tmp_path)
    assert sorted(file.name for file in written.files if "assets" in str(file.parent)) == [
        "body.obj", "body.stl",
    ]  # fmt: skip
    assert compiled.model.nmesh == 3
    close(np.sort(compiled.model.geom_aabb[:, 3:], axis=1)[1], (0.5, 0.75, 1.0), 1e-5)


def test_flat_meshes_collide_as_boxes(tmp_path: Path) -> None:
    (tmp_path / "sheet.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
    mesh = '<geometry><mesh filename="sheet.obj" scale="2 1 1"/></geometry>'
    shapes = f"<visual>{mesh}</visual><collision>{mesh}</collision>"
    diagnostics = Diagnostics()
    robot = read(links("a", content=BODY + shapes), tmp_path)
    _, compiled = export(robot, tmp_path, diagnostics)
    assert [each.code for each in diagnostics] == ["flat-collision"]
    box = compiled.model.geom_type == mujoco.mjtGeom.mjGEOM_BOX
    close(np.sort(compiled.model.geom_size[box][0])[1:], (0.5, 1.0), 1e-5)


def test_one_triangle_can_be_looked_at(tmp_path: Path) -> None:
    (tmp_path / "one.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n")
    shape = '<visual><geometry><mesh filename="one.obj"/></geometry></visual>'
    _, compiled = export(read(links("a", content=BODY + shape), tmp_path), tmp_path)
    assert compiled.model.nmesh == 1


def test_dense_meshes_take_a_moment(tmp_path: Path) -> None:
    """Whether a mesh is flat does not take its hull, which takes seconds."""
    turns, heights = np.meshgrid(np.linspace(0, 6, 100), np.linspace(-1, 1, 100))
    across = np.sqrt(1.0 - heights**2)
    points = np.stack([across * np.cos(turns), across * np.sin(turns), heights], axis=-1)
    corners = np.arange(10_000).reshape(100, 100)[:-1, :-1].ravel()
    faces = np.vstack([corners, corners + 1, corners + 100]).T
    triangles = Triangles(points.reshape(-1, 3).astype(np.float32), faces.ravel().astype(np.int32))
    (tmp_path / "ball.stl").write_bytes(write_stl(triangles))
    shape = '<collision><geometry><mesh filename="ball.stl"/></geometry></collision>'
    robot = read(links("a", content=shape), tmp_path)
    for _ in within(1.0):
        export_robot(robot, tmp_path / "robot.xml")
    assert Compiled(tmp_path / "robot.xml").model.nmesh == 1


# Sensors


def test_sensors_are_sites_and_cameras(tmp_path: Path) -> None:
    sensors = (
        '<gazebo reference="b"><sensor name="imu" type="imu"><pose>0.1 0 0 0 0 0</pose></sensor>'
        '<sensor name="eye" type="camera"><camera><horizontal_fov>1.2</horizontal_fov><image>'
        "<width>640</width><height>480</height></image></camera></sensor>"
        '<sensor name="scan" type="ray"><ray><scan><horizontal><samples>5</samples>'
        "</horizontal></scan></ray></sensor></gazebo>"
        '<gazebo reference="j"><sensor name="wrist" type="force_torque"/></gazebo>'
    )
    text = links("a", "b") + joint("j", "continuous", "a", "b")
    diagnostics = Diagnostics()
    robot = read(text + sensors, tmp_path)
    _, compiled = export(robot, tmp_path, diagnostics)
    assert [(each.subject, each.code) for each in diagnostics] == [("scan", "mjcf-sensor-dropped")]
    assert compiled.names("sensor") == [
        "imu_accelerometer", "imu_gyro", "imu_framequat", "wrist_force", "wrist_torque",
    ]  # fmt: skip
    compiled.frames({})
    mujoco.mj_forward(compiled.model, compiled.data)
    body = compiled.shown()["b"]
    close(compiled.data.site("imu").xpos, (body @ [0.1, 0, 0, 1])[:3])
    looks = -compiled.data.cam("eye").xmat.reshape(3, 3)[:, 2]
    up = compiled.data.cam("eye").xmat.reshape(3, 3)[:, 1]
    close(looks, body[:3, 0])
    close(up, body[:3, 2])
    wide = 2 * np.degrees(np.arctan(np.tan(0.6) * 480 / 640))
    close(compiled.model.cam("eye").fovy, [wide])


def test_viewers_show_the_colours_of_materials(tmp_path: Path) -> None:
    """MuJoCo takes a colour that a class gives to its geoms in place of their materials'."""
    robot = read_robot(ROOT / "sample_urdfs" / "quadruped_leg.urdf")
    export_robot(robot, tmp_path / "leg.xml", options=MjcfOptions())
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "leg.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    scene = mujoco.MjvScene(model, 1_000)
    every = mujoco.mjtCatBit.mjCAT_ALL
    camera = mujoco.MjvCamera()
    mujoco.mjv_updateScene(model, data, mujoco.MjvOption(), None, camera, every, scene)
    shown = {
        tuple(round(float(part), 2) for part in scene.geoms[n].rgba) for n in range(scene.ngeom)
    }
    wanted = {tuple(round(part, 2) for part in each.color or ()) for each in robot.materials}
    assert len(wanted) > 3 and wanted <= shown
