# SPDX-License-Identifier: GPL-3.0-or-later
"""Small robots as SDF: each rule of the format by itself, and read again."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from support.paths import ROOT
from urdf_importer import (
    Diagnostics,
    ImportOptions,
    KinematicsError,
    Robot,
    SdfOptions,
    WriteError,
    export_robot,
    forward_kinematics,
    read_robot,
    write_urdf,
)
from urdf_importer.cli import main
from urdf_importer.core.model import Mimic, Pose
from urdf_importer.formats.sdf.write.export import SdfExport

GATE = ROOT / "sample_urdfs/gate.sdf"
HEAVY = (
    '<inertial><mass value="2"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
)
TURN = '<limit lower="-1" upper="1" effort="5" velocity="2"/>'


def read(tmp_path: Path, body: str) -> Robot:
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r">{body}</robot>')
    return read_robot(path)


def write(
    robot: Robot, tmp_path: Path, *codes: str, **options: object
) -> tuple[SdfExport, str, Robot]:
    """The export, its text, and the robot that it says; `codes` are the expected diagnostics."""
    diagnostics = Diagnostics()
    target = tmp_path / "out.sdf"
    chosen = SdfOptions(**{"meshes": "keep", **options})  # type: ignore[arg-type]
    written = export_robot(robot, target, options=chosen, diagnostics=diagnostics)
    assert isinstance(written, SdfExport)
    assert [each.code for each in diagnostics] == list(codes)
    again = read_robot(target, diagnostics=Diagnostics())
    return written, target.read_text(), again


def link(name: str, content: str = HEAVY) -> str:
    return f'<link name="{name}">{content}</link>'


def joint(name: str, parent: str, child: str, kind: str = "fixed", more: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>'
        f'<parent link="{parent}"/><child link="{child}"/>{more}</joint>'
    )


def assert_frames(robot: Robot, again: Robot, **positions: float) -> None:
    one, other = forward_kinematics(robot, positions), forward_kinematics(again, positions)
    for name in one.keys() - {"world"}:
        assert np.abs(one[name] - other[name]).max() < 1e-12, name


# Links without mass


def test_a_tool_is_a_frame_with_its_numbers_and_its_joint(tmp_path: Path) -> None:
    shape = '<visual><geometry><box size="1 2 3"/></geometry></visual>'
    robot = read(tmp_path, link("base") + link("tool", shape) + joint("mount", "base", "tool"))
    _, text, again = write(robot, tmp_path)
    assert '<frame name="tool" attached_to="base" urdf:joint="mount">' in text
    assert "<pose>0.1 0.2 0.3 0.4 0.5 0.6</pose>" in text
    assert '<pose relative_to="tool">0 0 0 0 0 0</pose>' in text
    assert [each.name for each in again.joints] == ["mount"]
    assert_frames(robot, again)


def test_a_bare_root_is_attached_to_the_first_heavy_link(tmp_path: Path) -> None:
    body = link("foot", "") + link("mid", "") + link("base") + link("arm")
    body += joint("a", "foot", "mid") + joint("b", "mid", "base")
    body += joint("c", "base", "arm", "revolute", TURN)
    robot = read(tmp_path, body)
    written, text, again = write(robot, tmp_path)
    assert '<frame name="foot" attached_to="base">' in text
    assert 'urdf:joint="b"' in text
    assert again.total_mass() == 4.0
    assert set(written.links) == {"foot", "mid", "base", "arm"}
    assert_frames(robot, again, c=0.3)


def test_a_bare_link_that_moves_is_carried_by_a_link_below(tmp_path: Path) -> None:
    body = link("base") + link("turn", "") + link("arm")
    body += joint("j", "base", "turn", "revolute", TURN) + joint("k", "turn", "arm")
    robot = read(tmp_path, body)
    _, text, again = write(robot, tmp_path)
    assert "<child>arm</child>" in text
    assert_frames(robot, again, j=0.7)


def test_a_link_that_moves_without_mass_gets_a_small_one(tmp_path: Path) -> None:
    body = link("base") + link("arm", "") + joint("j", "base", "arm", "revolute", TURN)
    robot = read(tmp_path, body)
    _, text, _ = write(robot, tmp_path, "sdf-small-mass", small_mass=0.25)
    assert ("<mass>0.25</mass>" in text and "<ixx>0.000001</ixx>" in text) or "1e-06" in text


def test_no_link_is_written_without_mass(tmp_path: Path) -> None:
    robot = read(tmp_path, link("only", ""))
    _, text, _ = write(robot, tmp_path, "sdf-small-mass")
    assert text.count("<link") == text.count("<inertial>") == 1


# The world, and roots


def test_world_is_no_link(tmp_path: Path) -> None:
    body = link("world", "") + link("base") + joint("anchor", "world", "base")
    robot = read(tmp_path, body)
    _, text, again = write(robot, tmp_path)
    assert "<parent>world</parent>" in text and '<link name="world"' not in text
    assert '<pose relative_to="__model__">0.1 0.2 0.3 0.4 0.5 0.6</pose>' in text
    assert_frames(robot, again)
    _, text, again = write(robot, tmp_path, "sdf-renamed", base="free")
    assert "<parent>world</parent>" not in text
    assert 'name="world_frame"' in text


def test_a_base_can_be_fixed(tmp_path: Path) -> None:
    _, text, again = write(read(tmp_path, link("base")), tmp_path, base="fixed")
    assert "<parent>world</parent>" in text
    assert [each.name for each in again.joints] == ["base_to_world"]


# Joints


def test_axes_and_limits_are_as_written(tmp_path: Path) -> None:
    body = link("a") + link("b") + link("c") + link("d")
    body += joint("j", "a", "b", "revolute", TURN)
    body += joint("k", "b", "c", "continuous", '<axis xyz="0 2 0"/>')
    body += joint("s", "c", "d", "prismatic", '<limit lower="0" upper="3e9"/>')
    _, text, again = write(read(tmp_path, body), tmp_path)
    assert text.count("<xyz>1 0 0</xyz>") == 2 and "<xyz>0 2 0</xyz>" in text
    assert text.count("<lower>") == 2 and text.count("<upper>") == 1
    kinds = {each.name: each.type for each in again.joints}
    assert kinds == {"j": "revolute", "k": "continuous", "s": "prismatic"}


def test_mimic_planar_floating_and_ball(tmp_path: Path) -> None:
    body = "".join(link(name) for name in "abcdef")
    body += joint("j", "a", "b", "revolute", TURN)
    body += joint("m", "a", "c", "revolute", TURN + '<mimic joint="j" multiplier="2" offset="1"/>')
    body += joint("p", "a", "d", "planar", '<axis xyz="0 0 1"/>')
    body += joint("f", "a", "e", "floating") + joint("s", "a", "f", "ball")
    robot = read(tmp_path, body)
    written, text, again = write(robot, tmp_path, "mimic-limits", "sdf-planar")
    assert '<mimic joint="j" axis="axis">' in text and '<sdf version="1.11"' in text
    assert {"p_x", "p_y", "p_yaw", "s"} <= {each.name for each in again.joints}
    assert "f" not in written.joints
    assert_frames(robot, again, j=0.2)


def test_a_joint_that_shares_a_name_is_renamed(tmp_path: Path) -> None:
    body = link("a") + link("hip") + joint("hip", "a", "hip", "revolute", TURN)
    written, text, _ = write(read(tmp_path, body), tmp_path, "sdf-renamed")
    assert written.joints == {"hip": "hip_joint"}
    assert written.facts["renamed"] == {"hip": "hip_joint"}
    assert '<pose relative_to="hip_joint">' in text


def test_loops_are_joints_more(tmp_path: Path) -> None:
    robot = read_robot(ROOT / "sample_urdfs/pumpjack.xml")
    _, _, again = write(robot, tmp_path, "sdf-small-mass")  # Its ground.
    assert [each.name for each in again.loops] == [each.name for each in robot.loops]
    for one, other in zip(robot.loops, again.loops, strict=True):
        assert (one.link1, one.link2) == (other.link1, other.link2)


DOUBLE = """<sdf version="1.11"><model name="m">
<link name="a"><inertial><mass>1</mass></inertial></link>
<link name="b"><inertial><mass>1</mass></inertial></link>
<link name="c"><inertial><mass>1</mass></inertial></link>
<link name="n::x"/>
<joint name="u" type="universal"><parent>a</parent><child>b</child>
 <axis><xyz>1 0 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis>
 <axis2><xyz>0 1 0</xyz></axis2></joint>
<joint name="w" type="screw"><parent>b</parent><child>c</child>
 <axis><xyz>0 0 1</xyz></axis><screw_thread_pitch>0.5</screw_thread_pitch></joint>
</model></sdf>"""


def test_joints_that_were_taken_apart_are_one_again(tmp_path: Path) -> None:
    path = tmp_path / "double.sdf"
    path.write_text(DOUBLE.replace('<link name="n::x"/>', ""))
    robot = read_robot(path)
    _, text, again = write(robot, tmp_path, style="plain")
    assert '<joint name="u" type="universal">' in text
    assert "<screw_thread_pitch>0.5</screw_thread_pitch>" in text
    assert {each.name for each in again.joints} == {each.name for each in robot.joints}
    changed = [
        replace(each, origin=Pose(xyz=(0.0, 0.0, 0.1))) if each.name == "u_axis2" else each
        for each in robot.joints
    ]
    apart = replace(robot, joints=tuple(changed))
    _, text, _ = write(apart, tmp_path, "sdf-small-mass", style="plain")
    assert 'type="universal"' not in text


@pytest.mark.parametrize("kind", ["universal", "revolute2", "screw"])
@pytest.mark.parametrize("leader", ["u", "r", "u_half"])
def test_followers_beside_joints_of_two_parts_follow(
    kind: str, leader: str, tmp_path: Path
) -> None:
    """Their leaders are a joint of one axis, the first half of such a joint, or its second."""
    second = {"universal": "0 1 0", "revolute2": "1 0 0"}.get(kind)
    pitch = "<screw_thread_pitch>0.02</screw_thread_pitch>"
    more = f"<axis2><xyz>{second}</xyz></axis2>" if second else pitch
    body = "".join(
        f'<link name="{name}"><pose>0 0 {z} 0 0 0</pose></link>' for z, name in enumerate("abcd")
    )
    for name, type_, parent, child, extra in (
        ("u", kind, "a", "b", more),
        ("r", "revolute", "b", "c", ""),
        ("m", "prismatic", "c", "d", ""),
    ):
        body += (
            f'<joint name="{name}" type="{type_}"><parent>{parent}</parent><child>{child}</child>'
            f"<axis><xyz>1 0 0</xyz></axis>{extra}</joint>"
        )
    path = tmp_path / "given.sdf"
    path.write_text(f'<sdf version="1.11"><model name="k">{body}</model></sdf>')
    robot = read_robot(path)
    half = "u_axis2" if second else "u_travel"
    mimic = Mimic(joint=half if leader == "u_half" else leader, multiplier=-2.0, offset=0.1)
    joints = (replace(each, mimic=mimic) if each.name == "m" else each for each in robot.joints)
    robot = replace(robot, joints=tuple(joints))
    _, text, again = write(robot, tmp_path, style="plain")
    assert f'<joint name="u" type="{kind}">' in text and text.count("<mimic") == 1
    positions = [
        forward_kinematics(each, {"u": 0.3, "r": 0.2, half: 0.0}) for each in (robot, again)
    ]
    np.testing.assert_allclose(positions[0]["d"], positions[1]["d"], atol=1e-12)


def test_nested_models_and_gearboxes_come_back(tmp_path: Path) -> None:
    robot = read_robot(GATE)
    _, text, again = write(robot, tmp_path, style="plain")
    assert '<model name="drive">' in text and '<joint name="gears" type="gearbox">' in text
    assert "<gearbox_ratio>0.05</gearbox_ratio>" in text
    assert {each.name for each in again.links} == {each.name for each in robot.links}
    assert_frames(robot, again, swing=0.4)
    mimics = {each.name: each.mimic for each in robot.joints if each.mimic}
    assert {each.name: each.mimic for each in again.joints if each.mimic} == mimics


# Gazebo's data, masses, looks


GAZEBO = """<gazebo reference="a"><mu1>0.9</mu1><kp>1000</kp><maxContacts>3</maxContacts>
<turnGravityOff>true</turnGravityOff><selfCollide>1</selfCollide><material>Gazebo/Wood</material>
<sensor name="s" type="imu"/><canonicalBody>x</canonicalBody></gazebo>
<gazebo reference="tool"><sensor name="s" type="camera"><pose>1 0 0 0 0 0</pose></sensor></gazebo>
<gazebo reference="j"><stopCfm>0.1</stopCfm><springStiffness>3</springStiffness>
<provideFeedback>true</provideFeedback></gazebo>
<gazebo><static>true</static><plugin name="p" filename="f"/></gazebo>"""


def test_gazebo_data_goes_where_gazebo_puts_it(tmp_path: Path) -> None:
    shapes = '<visual><geometry><sphere radius="1"/></geometry></visual>'
    shapes += '<collision><geometry><sphere radius="1"/></geometry></collision>'
    body = link("a", HEAVY + shapes) + link("b") + link("tool", "")
    body += joint("j", "a", "b", "revolute", TURN) + joint("t", "a", "tool") + GAZEBO
    _, text, _ = write(read(tmp_path, body), tmp_path)
    assert "<surface><friction><ode><mu>0.9</mu></ode></friction>" in text
    assert "<contact><ode><kp>1000</kp></ode></contact>" in text
    assert "<max_contacts>3</max_contacts>" in text
    assert "<gravity>false</gravity>" in text and "<self_collide>1</self_collide>" in text
    assert "<name>Gazebo/Wood</name>" in text
    assert "<urdf:canonicalBody>x</urdf:canonicalBody>" in text
    assert '<sensor name="s_1" type="camera"><pose relative_to="tool">1 0 0 0 0 0</pose>' in text
    assert "<spring_stiffness>3</spring_stiffness>" in text
    assert "<ode><limit><cfm>0.1</cfm></limit></ode>" in text
    assert "<provide_feedback>true</provide_feedback>" in text
    assert "<static>true</static>" in text and '<plugin name="p" filename="f"/>' in text


def test_impossible_inertias_are_repaired_unless_kept(tmp_path: Path) -> None:
    wrong = HEAVY.replace('ixx="1"', 'ixx="9"')
    robot = read(tmp_path, link("a", wrong))
    _, text, _ = write(robot, tmp_path, "sdf-inertia-repaired")
    assert "<iyy>4.5" in text
    _, text, _ = write(robot, tmp_path, inertia="keep")
    assert "<ixx>9</ixx>" in text and "<iyy>1</iyy>" in text


def test_colours_do_not_wander(tmp_path: Path) -> None:
    look = '<material name="m"><color rgba="0.1 0.2 0.3 0.4"/></material>'
    shape = f'<visual><geometry><sphere radius="1"/></geometry>{look}</visual>'
    robot = read(tmp_path, link("a", HEAVY + shape))
    _, text, again = write(robot, tmp_path)
    assert "<ambient>0.1 0.2 0.3 0.4</ambient>" in text
    material = again.links[0].visuals[0].material
    assert material is not None and material.color == (0.1, 0.2, 0.3, 0.4)
    assert material.extras == ()


# The text that was read


def test_an_unchanged_file_keeps_its_bytes(tmp_path: Path) -> None:
    _, text, _ = write(read_robot(GATE), tmp_path)
    assert text == GATE.read_text()


def test_a_changed_number_is_a_changed_line(tmp_path: Path) -> None:
    robot = read_robot(GATE)
    links = [
        replace(each, inertial=replace(each.inertial, mass=12.5))
        if each.name == "post" and each.inertial is not None
        else each
        for each in robot.links
    ]
    _, text, again = write(replace(robot, links=tuple(links)), tmp_path)
    assert text == GATE.read_text().replace("<mass>20<", "<mass>12.5<")
    assert again.total_mass() == robot.total_mass() - 7.5


def test_a_moved_joint_moves_its_link_and_keeps_comments(tmp_path: Path) -> None:
    robot = read_robot(GATE)
    joints = [
        replace(each, origin=replace(each.origin, xyz=(0.5, 0.25, 0.0)))
        if each.name == "swing"
        else each
        for each in robot.joints
    ]
    changed = replace(robot, joints=tuple(joints))
    _, text, again = write(changed, tmp_path)
    lines = set(GATE.read_text().splitlines()) ^ set(text.splitlines())
    assert "<!-- A gate" in text and len(lines) <= 5
    assert_frames(changed, again, swing=0.3)


def test_a_place_is_the_pose_of_the_model(tmp_path: Path) -> None:
    robot = read_robot(GATE)
    _, text, _ = write(robot, tmp_path, translation=(1.0, 2.0, 3.0))
    assert text == GATE.read_text().replace("<pose>1 0 0 0 0 0</pose>", "<pose>1 2 3 0 0 0</pose>")


def test_sdf_is_no_text_for_urdf(tmp_path: Path) -> None:
    written = write_urdf(read_robot(GATE), tmp_path / "gate.urdf")
    assert "<robot" in written.path.read_text()
    assert read_robot(written.path, diagnostics=Diagnostics()).text_format == "urdf"


# Files


def test_a_model_folder_loads_as_one(tmp_path: Path) -> None:
    robot = read_robot(ROOT / "sample_urdfs/quadruped_leg.urdf")
    folder = tmp_path / "leg"
    written = export_robot(robot, folder, options=SdfOptions())
    names = {path.relative_to(folder).as_posix() for path in written.files}
    assert {"model.config", "model.sdf", "meshes/visual/trunk.stl"} <= names
    assert "<uri>model://leg/meshes/visual/trunk.stl</uri>" in (folder / "model.sdf").read_text()
    again = read_robot(folder)
    assert_frames(robot, again, hip_yaw=0.3)


def test_packages_of_ros_are_models_of_gazebo(tmp_path: Path) -> None:
    mesh = '<visual><geometry><mesh filename="package://p/a.stl"/></geometry></visual>'
    robot = read(tmp_path, link("a", HEAVY + mesh))
    _, text, _ = write(robot, tmp_path)
    assert "<uri>model://p/a.stl</uri>" in text


# Bad input


def test_starts_are_reported(tmp_path: Path) -> None:
    write(read_robot(GATE), tmp_path, "sdf-start", positions=(("swing", "0.3"),))
    with pytest.raises(KinematicsError):
        write(read_robot(GATE), tmp_path, positions=(("swing", "x"),))


@pytest.mark.parametrize("strict", [True])
def test_strict_writes_nothing(tmp_path: Path, strict: bool) -> None:
    robot = read(tmp_path, link("a", ""))
    target = tmp_path / "strict.sdf"
    with pytest.raises(WriteError):
        export_robot(robot, target, options=SdfOptions(), strict=strict)
    assert not target.exists()


def test_names_that_no_model_can_have(tmp_path: Path) -> None:
    body = link("__a__") + link("b::c") + link("b") + link("::")
    body += joint("j", "__a__", "b::c") + joint("k", "b::c", "b") + joint("l", "b", "::")
    codes = ["sdf-renamed"] * 3
    written, _, _ = write(read(tmp_path, body), tmp_path, *codes)
    assert written.links == {"__a__": "a_link", "b::c": "b_c", "b": "b", "::": "_"}


def test_files_that_are_not_there_leave_the_name(tmp_path: Path) -> None:
    mesh = '<visual><geometry><mesh filename="lost.stl"/></geometry></visual>'
    robot = read(tmp_path, link("a", HEAVY + mesh))
    diagnostics = Diagnostics()
    export_robot(robot, tmp_path / "o.sdf", options=SdfOptions(), diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["missing-mesh"] * 2
    assert "<uri>lost.stl</uri>" in (tmp_path / "o.sdf").read_text()


BLOCK = (
    "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\n"
    "property float z\nelement face 6\nproperty list uchar int vertex_indices\nend_header\n"
    + "".join(f"{x} {y} {z}\n" for x in "02" for y in "01" for z in "01")
    + "4 0 1 3 2\n4 4 6 7 5\n4 0 4 5 1\n4 2 3 7 6\n4 0 2 6 4\n4 1 5 7 3\n"
)
"""A closed box of 2 by 1 by 1 metres."""


@pytest.mark.parametrize("fit", ["never", "hull", "box"])
def test_meshes_that_gazebo_cannot_read_become_obj_beside_other_new_ones(
    fit: str, tmp_path: Path
) -> None:
    (tmp_path / "block.ply").write_text(BLOCK)
    shape = '<geometry><mesh filename="block.ply"/></geometry>'
    body = f"{HEAVY}<visual>{shape}</visual><collision>{shape}</collision>"
    (tmp_path / "out").mkdir()
    robot = read(tmp_path, link("a", body))
    _, text, again = write(robot, tmp_path / "out", meshes="copy", fit_collisions=fit)
    names = [mesh.geometry.filename for mesh in again.links[-1].visuals]  # type: ignore[union-attr]
    assert names == ["meshes/visual/block.obj"] and ".ply" not in text
    assert (tmp_path / "out" / names[0]).is_file()


@pytest.mark.parametrize("meshes", ["copy", "link", "keep"])
def test_a_mass_without_inertia_gets_that_of_its_mesh(meshes: str, tmp_path: Path) -> None:
    """Wherever the file of the mesh goes."""
    (tmp_path / "block.ply").write_text(BLOCK)
    zero = '<inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/>'
    body = f'<inertial><mass value="12"/>{zero}</inertial><collision><geometry>'
    body += '<mesh filename="block.ply"/></geometry></collision>'
    (tmp_path / "out").mkdir()
    robot = read(tmp_path, link("a", body))
    codes = ["sdf-inertia-assumed"]
    _, _, again = write(robot, tmp_path / "out", *codes, meshes=meshes)
    inertia = next(each.inertial for each in again.links if each.inertial).inertia
    assert inertia is not None
    assert (inertia.ixx, inertia.iyy, inertia.izz) == pytest.approx((2.0, 5.0, 5.0))


def test_one_model_of_a_world_is_written_anew(tmp_path: Path) -> None:
    world = tmp_path / "w.world"
    inner = '<link name="l"><inertial><mass>1</mass></inertial></link>'
    models = "".join(f'<model name="{name}">{inner}</model>' for name in "ab")
    world.write_text(f'<sdf version="1.9"><world name="w">{models}</world></sdf>')
    robot = read_robot(world, options=ImportOptions(model="b"))
    _, text, _ = write(robot, tmp_path)
    assert "<world" not in text and '<model name="b">' in text


def test_a_model_folder_names_the_people_of_the_package(tmp_path: Path) -> None:
    package = tmp_path / "arms"
    package.mkdir()
    source = package / "arm.urdf"
    source.write_text('<robot name="arm"><link name="base"/></robot>')
    people = '<author email="a@b.c">Ada &amp; Co</author><maintainer email="d@e.f">Bo</maintainer>'
    (package / "package.xml").write_text(f'<?xml version="1.0"?>\n<package>{people}</package>')
    main(["export", str(source), "-o", f"{tmp_path}/arm_model/", "--format", "sdf", "--quiet"])
    config = ElementTree.parse(tmp_path / "arm_model" / "model.config")
    assert [each.text for each in config.iter("name")] == ["arm", "Ada & Co"]
    assert config.findtext("author/email") == "a@b.c"
    (package / "package.xml").write_text("<package><author")
    main(["export", str(source), "-o", f"{tmp_path}/other/", "--format", "sdf", "--quiet"])
    config = ElementTree.parse(tmp_path / "other" / "model.config")
    assert config.findtext("author/name") == "unknown"
    with pytest.raises(SystemExit):
        main(["export", str(source), "-o", f"{tmp_path}/a.sdf", "--format", "sdf"])


def test_words_of_sensors_that_sdf_lacks_get_a_prefix(tmp_path: Path) -> None:
    inside = (
        "<always_on>1</always_on><imuTransform>0 0 0</imuTransform><mystery a='1'/>"
        "<imu><imuTransform><x>1</x></imuTransform><angular_velocity/></imu>"
        '<plugin name="p" filename="q"><topicName>t</topicName></plugin>'
    )
    about = f'<gazebo reference="a"><sensor name="s" type="imu">{inside}</sensor></gazebo>'
    _, text, _ = write(read(tmp_path, link("a") + about), tmp_path)
    (sensor,) = ElementTree.fromstring(text).iter("sensor")
    prefix = "{" + text.partition('xmlns:urdf="')[2].partition('"')[0] + "}"
    assert [each.tag for each in sensor] == [
        "always_on", f"{prefix}imuTransform", f"{prefix}mystery", "imu", "plugin"
    ]  # fmt: skip
    assert [each.tag for each in sensor.iter() if each.tag.endswith("imuTransform")] == [
        f"{prefix}imuTransform"
    ] * 2
    assert sensor.findtext("plugin/topicName") == "t"


@pytest.mark.parametrize("version", ["1.6", "1.9", "1.11"])
def test_a_config_states_the_version_of_its_model(version: str, tmp_path: Path) -> None:
    inner = '<model name="m"><link name="a"><inertial><mass>1</mass></inertial></link></model>'
    path = tmp_path / "m.sdf"
    path.write_text(f'<?xml version="1.0"?><sdf version="{version}">{inner}</sdf>')
    for style in ("keep", "plain"):
        folder = tmp_path / f"m_{style}"
        export_robot(read_robot(path), folder, options=SdfOptions(style=style))
        stated = ElementTree.parse(folder / "model.config").find("sdf")
        written = ElementTree.parse(folder / "model.sdf").getroot()
        assert stated is not None and stated.get("version") == written.get("version")
        if style == "keep":
            assert written.get("version") == version


def test_names_that_other_parts_have_get_a_prefix(tmp_path: Path) -> None:
    """libsdformat demands that all names in a model differ, of foreign elements as well."""
    joints = '<joint name="elbow"><command_interface name="position"/></joint>'
    blocks = "".join(
        f'<ros2_control type="system" {name}><hardware note="a name=\'b\'"/>{joints}</ros2_control>'
        for name in ('name="base"', "name='twice'", "name='twice'", "")
    )
    gear = '<transmission name="elbow"><type>t</type><joint name="elbow"/></transmission>'
    body = f"{link('base')}{link('arm')}{joint('elbow', 'base', 'arm', 'revolute', TURN)}"
    _, text, again = write(read(tmp_path, body + gear + blocks), tmp_path)
    model = ElementTree.fromstring(text)[0]
    names = [each.get("name") for each in model if each.get("name") is not None]
    assert sorted(names) == ["arm", "base", "elbow", "twice"]
    renamed = [value for each in model for key, value in each.items() if key.endswith("}name")]
    assert renamed == ["elbow", "base", "twice"]
    assert text.count("<hardware note=\"a name='b'\"/>") == 4
    _, second, _ = write(again, tmp_path)
    assert second.count("urdf:name=") == 3
