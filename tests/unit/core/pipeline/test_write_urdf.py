# SPDX-License-Identifier: GPL-3.0-or-later
"""URDF as files: whose bytes they are, which files go along, and what strict readers take."""

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pinocchio as pin
import pytest

import urdf_importer
from support.pinocchio_truth import Truth
from support.readable_robots import DATA
from support.real_robots import ROOT as ROBOTS
from support.real_robots import descriptions, name_of
from urdf_importer import Diagnostics, FileOptions, Severity, UrdfOptions, WriteError, write_urdf
from urdf_importer.cli import main
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.geometry.transforms import matrix_from_pose, rpy_from_rotation
from urdf_importer.core.geometry.triangles import make_triangles
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.core.meshes import RobotFiles, load_mesh
from urdf_importer.core.model import Joint, Link, Material, Mesh, Pose, Robot, Visual
from urdf_importer.core.pipeline.files import find_files
from urdf_importer.core.writers.formats import count_tree

QUIRKS = DATA / "quirks" / "q_pkg" / "urdf"
BARE = Robot(name="arm", links=(Link(name="a"), Link(name="b")))
UNLIMITED = replace(BARE, joints=(Joint(name="j", type="revolute", parent="a", child="b"),))


@pytest.mark.parametrize("path", descriptions()[::9], ids=name_of)
@pytest.mark.parametrize("meshes", ["keep", "link"])
def test_an_unchanged_robot_is_its_own_bytes(path: Path, meshes: str, tmp_path: Path) -> None:
    try:
        robot = urdf_importer.read_robot(path)
    except urdf_importer.ReadError:
        return
    result = write_urdf(robot, tmp_path / "out.urdf", options=UrdfOptions(meshes=meshes))
    assert result.files == (tmp_path / "out.urdf",)
    assert result.path.read_bytes() == path.read_bytes()
    assert result.changes == ()


def write_box(folder: Path) -> str:
    folder.mkdir(parents=True)
    lines = [f"v {x} {y} {z}" for x in "01" for y in "01" for z in "01"]
    (folder / "box.obj").write_text("mtllib box.mtl\n" + "\n".join(lines) + "\nusemtl m\nf 1 2 3\n")
    (folder / "box.mtl").write_text("newmtl m\nKd 1 0 0\n")
    return f"{folder.name}/box.obj"


def write_source(folder: Path) -> Path:
    """A robot whose two shapes name one mesh, beside the file."""
    name = write_box(folder / "parts")
    shape = f'<geometry><mesh filename="{name}"/></geometry>'
    text = (
        f'<robot name="r"><link name="a"><visual>{shape}</visual><visual>{shape}</visual>'
        f"<collision>{shape}</collision></link></robot>"
    )
    path = folder / "r.urdf"
    path.write_text(text)
    return path


def mesh_names(robot: Robot) -> list[str]:
    shapes = [shape for link in robot.links for shape in (*link.visuals, *link.collisions)]
    return [shape.geometry.filename for shape in shapes if isinstance(shape.geometry, Mesh)]


def test_relative_paths_name_the_same_files_from_elsewhere(tmp_path: Path) -> None:
    source = write_source(tmp_path / "one")
    (tmp_path / "two" / "deep").mkdir(parents=True)
    result = write_urdf(urdf_importer.read_robot(source), tmp_path / "two" / "deep" / "r.urdf")
    assert mesh_names(result.robot) == ["../../one/parts/box.obj"] * 3
    for name in mesh_names(urdf_importer.read_robot(result.path)):
        assert (result.path.parent / name).resolve() == (tmp_path / "one" / "parts" / "box.obj")


def test_keep_leaves_names_alone(tmp_path: Path) -> None:
    source = write_source(tmp_path / "one")
    result = write_urdf(
        urdf_importer.read_robot(source), tmp_path / "r.urdf", options=UrdfOptions(meshes="keep")
    )
    assert result.path.read_bytes() == source.read_bytes()


def test_copies_lie_there_once_with_what_they_refer_to(tmp_path: Path) -> None:
    source = write_source(tmp_path / "one")
    out = tmp_path / "out"
    result = write_urdf(
        urdf_importer.read_robot(source), out / "r.urdf", options=UrdfOptions(meshes="copy")
    )
    assert [file.relative_to(out).as_posix() for file in result.files] == [
        "meshes/collision/box.mtl",
        "meshes/collision/box.obj",
        "meshes/visual/box.mtl",
        "meshes/visual/box.obj",
        "r.urdf",
    ]
    assert mesh_names(urdf_importer.read_robot(result.path)) == [
        "meshes/visual/box.obj",
        "meshes/visual/box.obj",
        "meshes/collision/box.obj",
    ]


def test_files_of_one_name_do_not_meet(tmp_path: Path) -> None:
    names = [write_box(tmp_path / folder) for folder in ("left", "right")]
    (tmp_path / "right" / "box.mtl").write_text("newmtl m\nKd 0 1 0\n")
    (tmp_path / "Box.OBJ").write_text((tmp_path / "left" / "box.obj").read_text()[15:] + "\n")
    visuals = tuple(Visual(geometry=Mesh(filename=name)) for name in (*names, "Box.OBJ"))
    robot = Robot(
        name="r", links=(Link(name="a", visuals=visuals),), source=str(tmp_path / "r.urdf")
    )
    result = write_urdf(robot, tmp_path / "out" / "r.urdf", options=UrdfOptions(meshes="copy"))
    placed = mesh_names(result.robot)
    assert len({name.lower() for name in placed}) == 3
    colors = []
    for name in placed[:2]:
        path = result.path.parent / name
        data = load_mesh(
            path, (1.0, 1.0, 1.0), lambda *_: None, lambda uri, kind, at=path: at.parent / uri
        )
        colors.append(data.materials[0].color[:3])
    assert colors == [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]


def test_a_package_names_its_meshes_by_its_name(tmp_path: Path) -> None:
    source = write_source(tmp_path / "one")
    out = tmp_path / "my_arm"
    result = write_urdf(
        urdf_importer.read_robot(source), out / "r.urdf", options=UrdfOptions(ros_package="my_arm")
    )
    assert ET.parse(out / "package.xml").findtext("name") == "my_arm"
    assert mesh_names(result.robot)[0] == "package://my_arm/meshes/visual/box.obj"
    found = urdf_importer.read_robot(result.path)
    again = write_urdf(found, tmp_path / "again" / "r.urdf", options=UrdfOptions(meshes="copy"))
    assert len(again.files) == 5


def test_a_mesh_that_is_missing_keeps_its_name(tmp_path: Path) -> None:
    visual = Visual(
        geometry=Mesh(filename="package://nowhere/a.stl"),
        material=Material(name="m", texture="lost.png"),
    )
    robot = replace(BARE, links=(Link(name="a", visuals=(visual,)),))
    result = write_urdf(robot, tmp_path / "r.urdf", options=UrdfOptions(meshes="copy"))
    assert mesh_names(result.robot) == ["package://nowhere/a.stl"]
    assert {item.code for item in result.diagnostics} >= {"missing-texture"}
    assert len(result.files) == 1


def test_nothing_is_copied_from_outside(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("key")
    inside = tmp_path / "robot" / "r.urdf"
    visual = Visual(geometry=Mesh(filename="../secret"))
    robot = replace(BARE, links=(Link(name="a", visuals=(visual,)),), source=str(inside))
    inside.parent.mkdir()
    result = write_urdf(robot, tmp_path / "out" / "r.urdf", options=UrdfOptions(meshes="copy"))
    assert [file.name for file in result.files] == ["r.urdf"]


@pytest.mark.parametrize(
    ("robot", "options", "match"),
    [
        (BARE, UrdfOptions(ros_package="../up"), "not a name that a ROS package"),
        (replace(BARE, links=()), UrdfOptions(), "no links"),
    ],
)
def test_what_cannot_be_written_leaves_no_file(
    robot: Robot, options: UrdfOptions, match: str, tmp_path: Path
) -> None:
    with pytest.raises(WriteError, match=match):
        write_urdf(robot, tmp_path / "r.urdf", options=options)
    assert list(tmp_path.iterdir()) == []


def test_strict_takes_a_diagnostic_for_a_failure(tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    with pytest.raises(WriteError, match="allows no diagnostics, not 1"):
        write_urdf(
            UNLIMITED, tmp_path / "r.urdf", options=None, diagnostics=diagnostics, strict=True
        )
    assert [item.code for item in diagnostics] == ["incomplete-for-others"]
    assert list(tmp_path.iterdir()) == []


def test_the_table_of_formats_writes_the_same(tmp_path: Path) -> None:
    source = write_source(tmp_path / "one")
    robot = urdf_importer.read_robot(source)
    written = urdf_importer.export_robot(robot, source.with_name("again.urdf"))
    assert written.path.read_bytes() == source.read_bytes()
    assert written.facts["changes"] == []


@pytest.mark.parametrize(
    ("file", "options"),
    [
        ("four_bar_with_ball.xml", UrdfOptions()),
        ("dynamics/springs_and_rotors.xml", UrdfOptions(complete="always")),
        ("drake_joints.urdf", UrdfOptions(style="plain")),
        ("turn_and_slide.urdf", UrdfOptions(complete="always")),
    ],
)
def test_facts_are_those_of_the_file(file: str, options: UrdfOptions, tmp_path: Path) -> None:
    """A ball joint of a description is three joints and two links there."""
    robot = urdf_importer.read_robot(DATA / file, diagnostics=Diagnostics())
    written = urdf_importer.export_robot(
        robot, tmp_path / "r.urdf", options=options, diagnostics=Diagnostics()
    )
    again = urdf_importer.read_robot(written.path, diagnostics=Diagnostics())
    wanted = count_tree(retrace_tree(again))
    assert {name: written.facts[name] for name in wanted} == pytest.approx(wanted)


def test_the_report_of_the_command_counts_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ball = tmp_path / "ball.xml"
    body = '<body><joint type="ball"/><geom size="0.1"/></body>'
    ball.write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    main(["export", str(ball), "-o", str(tmp_path / "ball.urdf"), "--json", "-"])
    said = json.loads(capsys.readouterr().out)
    assert (said["links"], said["joints"], said["degrees_of_freedom"]) == (4, 3, 3)


def test_a_mesh_that_no_scale_shows_is_converted(tmp_path: Path) -> None:
    source = QUIRKS / "scale_zero.urdf"
    robot = urdf_importer.read_robot(source, diagnostics=Diagnostics())
    options = UrdfOptions(meshes="export", mesh_format="obj")
    written = write_urdf(robot, tmp_path / "r.urdf", options=options, diagnostics=Diagnostics())
    assert mesh_names(written.robot) == ["meshes/visual/m.obj"]
    assert (tmp_path / "meshes/visual/m.obj").is_file()


def test_a_converted_mesh_takes_no_name_that_another_has(tmp_path: Path) -> None:
    name = write_box(tmp_path / "one")
    home = tmp_path / "meshes" / "visual"
    home.mkdir(parents=True)
    triangle = "solid s\nfacet normal 0 0 1\nouter loop\n"
    triangle += "vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n"
    (home / "box.stl").write_text(triangle)
    visuals = "".join(
        f'<visual><geometry><mesh filename="{each}"/></geometry></visual>'
        for each in (name, "meshes/visual/box.stl")
    )
    source = tmp_path / "r.urdf"
    source.write_text(f'<robot name="r"><link name="a">{visuals}</link></robot>')
    options = UrdfOptions(meshes="export", mesh_format="stl")
    robot = urdf_importer.read_robot(source)
    written = write_urdf(robot, tmp_path / "new.urdf", options=options)
    assert mesh_names(written.robot) == ["meshes/visual/box_2.stl", "meshes/visual/box.stl"]
    assert (home / "box.stl").read_text() == triangle


# What strict readers take


def test_complete_robots_are_read_by_urdfdom(tmp_path: Path) -> None:
    for path in sorted(QUIRKS.glob("*.urdf")):
        try:
            robot = urdf_importer.read_robot(path)
            frames = urdf_importer.forward_kinematics(robot)
        except urdf_importer.RobotError:
            continue
        kinds = {joint.type for joint in robot.joints}
        roots = {link.name for link in robot.links} - {joint.child for joint in robot.joints}
        known = kinds <= {"revolute", "continuous", "prismatic", "fixed", "planar", "floating"}
        if not known or len(roots) != 1 or len(frames) != len(robot.links):
            continue
        if any(joint.type == "planar" for joint in robot.joints):
            continue
        if len({joint.child for joint in robot.joints}) != len(robot.joints):
            continue  # loops: urdfdom asks for a tree
        result = write_urdf(
            robot,
            tmp_path / path.name,
            options=UrdfOptions(complete=True, style="plain", meshes="keep"),
        )
        text = result.path.read_bytes()
        if b"encoding" in text or b'name=""' in text:
            continue
        try:
            truth = Truth(pin.buildModelFromXML(text.decode("utf-8-sig", "replace")))
        except ValueError as problem:
            raise AssertionError(f"{path.name}: {problem}") from None
        for link, frame in truth.frames({}).items():
            assert frame == pytest.approx(frames[link], abs=1e-9), path.name


def test_what_is_complete_is_said_by_nothing_more() -> None:
    from urdf_importer.formats.urdf.write.complete import complete_robot

    for path in descriptions()[::7]:
        try:
            robot = complete_robot(urdf_importer.read_robot(path))
        except urdf_importer.ReadError:
            continue
        assert complete_robot(robot) == robot


@pytest.mark.parametrize("pitch", [0.3, np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-7, 1.5707963])
def test_angles_say_the_rotation(pitch: float) -> None:
    pose = Pose(rpy=(0.4, pitch, -1.1))
    rotation = matrix_from_pose(pose)[:3, :3]
    again = matrix_from_pose(Pose(rpy=rpy_from_rotation(rotation)))[:3, :3]
    assert np.abs(again - rotation).max() < 1e-15 * 8


def test_a_robot_without_a_name_keeps_the_one_of_its_file(tmp_path: Path) -> None:
    path = QUIRKS / "robot_no_name.urdf"
    robot = urdf_importer.read_robot(path)
    for name in ("robot_no_name.urdf", "other.urdf"):
        written = write_urdf(robot, tmp_path / name).path
        assert urdf_importer.read_robot(written) == robot
    assert (tmp_path / "robot_no_name.urdf").read_bytes() == path.read_bytes()
    lines = path.read_text().splitlines()
    changed = set(written.read_text().splitlines()) - set(lines)
    assert changed == {lines[1].replace("<robot>", '<robot name="robot_no_name">')}


# Meshes in another format


def load_shapes(robot: Robot) -> dict[tuple[str, str, int], MeshData]:
    """Loads every mesh of a robot with its scale, as an import does."""
    files = RobotFiles(find_files(robot.source, FileOptions()), Diagnostics(), robot=robot)
    return {
        (link.name, part, place): files.load(shape, link)
        for link in robot.links
        for part, shapes in (("visual", link.visuals), ("collision", link.collisions))
        for place, shape in enumerate(shapes)
        if isinstance(shape.geometry, Mesh)
    }


def assert_same_meshes(before: Robot, after: Robot) -> None:
    """The same triangles at the same corners, to 1e-6 of the diagonal."""
    wanted, found = load_shapes(before), load_shapes(after)
    assert wanted.keys() == found.keys() and wanted
    for key, mesh in wanted.items():
        corners, again = (corners_of(each) for each in (mesh, found[key]))
        diagonal = float(np.linalg.norm(np.ptp(corners.reshape(-1, 3), axis=0)))
        assert corners.shape == again.shape
        assert np.abs(corners - again).max() <= 1e-6 * diagonal


def corners_of(mesh: MeshData) -> np.ndarray:
    """Returns (n, 3, 3): the corners of all triangles, sorted: glTF keeps them by material."""
    triangles, _ = make_triangles(mesh)
    corners = np.asarray(triangles.vertices[triangles.faces], dtype=np.float64)
    return corners[np.lexsort(corners.reshape(-1, 9).T)]


@pytest.mark.parametrize("format", ["stl", "obj", "glb", "dae"])
def test_descriptions_get_their_meshes_in_another_format(format: str, tmp_path: Path) -> None:
    source = write_source(tmp_path / "from")
    text = source.read_text().replace("box.obj", 'box.obj" scale="1 2 -3', 1)
    source.write_text(text)
    robot = urdf_importer.read_robot(source)
    options = UrdfOptions(meshes="export", mesh_format=format)
    result = write_urdf(robot, tmp_path / "to" / "r.urdf", options=options)
    again = urdf_importer.read_robot(result.path)
    assert again == result.robot
    if format == "obj":  # It has this format already.
        assert result.files == (result.path,)
        assert mesh_names(again) == ["../from/parts/box.obj"] * 3
    else:
        names = [f"meshes/{part}/box.{format}" for part in ("visual", "visual", "collision")]
        assert mesh_names(again) == names
    assert_same_meshes(robot, again)
    assert "color-lost" not in {item.code for item in result.diagnostics}


@pytest.mark.parametrize("format", ["stl", "glb"])
def test_real_robots_get_their_meshes_in_another_format(format: str, tmp_path: Path) -> None:
    path = ROBOTS / "ur_description" / "urdf" / "ur5_robot.urdf"
    robot = urdf_importer.read_robot(path)
    options = UrdfOptions(meshes="export", mesh_format=format, ros_package="ur5")
    result = write_urdf(robot, tmp_path / "ur5" / "ur5.urdf", options=options)
    again = urdf_importer.read_robot(result.path)
    names = mesh_names(again)
    assert all(name.startswith("package://ur5/meshes/") for name in names)
    visuals = [name for name in names if "/visual/" in name]
    assert visuals and all(name.endswith(format) for name in visuals)
    assert_same_meshes(robot, again)


def test_meshes_that_cannot_be_read_keep_their_names(tmp_path: Path) -> None:
    source = write_source(tmp_path / "from")
    (tmp_path / "from" / "parts" / "box.obj").write_bytes(b"\x00 broken")
    result = write_urdf(
        urdf_importer.read_robot(source), tmp_path / "r.urdf", options=UrdfOptions(meshes="export")
    )
    assert mesh_names(result.robot) == ["from/parts/box.obj"] * 3
    assert {item.severity for item in result.diagnostics} == {Severity.ERROR}
    assert all("keeps its name" in item.message for item in result.diagnostics)
