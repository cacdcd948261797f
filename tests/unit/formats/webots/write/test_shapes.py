# SPDX-License-Identifier: GPL-3.0-or-later
"""Visuals and collisions of small descriptions as nodes and files."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.mesh_files import png
from support.webots.webots_shapes import (
    Written,
    points_described,
    points_of_file,
    points_written,
    reach,
    write_shapes,
)
from urdf_importer import WebotsOptions
from urdf_importer.core.diagnostics import Diagnostics, KinematicsError
from urdf_importer.core.files.packages import PackageResolver
from urdf_importer.core.geometry.primitives import make_box, make_sphere
from urdf_importer.core.geometry.transforms import matrix_from_pose, rotations_about
from urdf_importer.core.geometry.triangles import make_triangles
from urdf_importer.core.meshes import RobotFiles, ShownShape
from urdf_importer.core.meshes.write import write_obj, write_stl
from urdf_importer.core.model import Collision, Cylinder, Link, Pose, Robot
from urdf_importer.core.writers.formats import OpenExport
from urdf_importer.formats.webots.write.shapes.shapes import ShapeNodeWriter, join_bounding
from urdf_importer.formats.webots.write.structure.frames import (
    place_nodes,
    pose_fields,
    rotation_of,
)
from urdf_importer.formats.webots.write.structure.sharing import share_repeats
from urdf_importer.formats.webots.write.vrml import Node, Use, write_node

BOX = write_stl(make_triangles(make_box((0.1, 0.2, 0.3)))[0])
BALL = write_stl(make_triangles(make_sphere(0.1))[0])
FLAT = write_stl(make_triangles(make_box((1.0, 1.0, 1.0)))[0].keep(np.arange(12) < 2))
MESH = '<geometry><mesh filename="{}.stl"/></geometry>'
POSE = '<origin xyz="0.1 -0.2 0.3" rpy="0.4 0.5 -0.6"/>'


def write(folder: Path, links: str, more: str = "", **options: Any) -> Written:
    """A robot of these links, all fixed to the first one."""
    for name, content in (("box", BOX), ("ball", BALL), ("flat", FLAT)):
        (folder / f"{name}.stl").write_bytes(content)
    names = [part.split('"')[0] for part in links.split('<link name="')[1:]]
    joints = "".join(
        f'<joint name="j_{name}" type="fixed"><parent link="{names[0]}"/><child link="{name}"/>'
        "</joint>"
        for name in names[1:]
    )
    path = folder / "robot.urdf"
    path.write_text(f'<robot name="r">{more}{links}{joints}</robot>', encoding="utf-8")
    out = folder / "out"
    out.mkdir()
    written = write_shapes(path, out, **options)
    written.check()
    return written


def visual(geometry: str, more: str = "") -> str:
    return f"<visual>{more}{geometry}</visual>"


def collision(geometry: str, more: str = "") -> str:
    return f"<collision>{more}{geometry}</collision>"


def link(content: str, name: str = "base") -> str:
    return f'<link name="{name}">{content}</link>'


PRIMITIVES = {
    "Box": '<geometry><box size="0.1 0.2 0.3"/></geometry>',
    "Cylinder": '<geometry><cylinder radius="0.1" length="0.4"/></geometry>',
    "Sphere": '<geometry><sphere radius="0.2"/></geometry>',
    "Capsule": '<geometry><capsule radius="0.1" length="0.4"/></geometry>',
}


@pytest.mark.parametrize("kind", PRIMITIVES)
@pytest.mark.parametrize("origin", ["", POSE], ids=["in place", "placed"])
def test_every_simple_shape(kind: str, origin: str, tmp_path: Path) -> None:
    shape = PRIMITIVES[kind]
    written = write(tmp_path, link(visual(shape, origin) + collision(shape, origin)))
    (solid,) = written.solids()
    for found, described in (
        (solid["visuals"], written.robot.links[0].visuals),
        (solid["collisions"], written.robot.links[0].collisions),
    ):
        assert [shape["geometry"] for shape in found] == [kind]
        truth = points_described(described[0], written.robot.links[0], written)
        assert np.allclose(reach(points_written(found[0], written.folder)), reach(truth), atol=1e-9)
    assert ("Pose" in written.text) == bool(origin)
    assert not written.files


def test_capsule_without_a_length_is_a_sphere(tmp_path: Path) -> None:
    flat = '<geometry><capsule radius="0.1" length="0"/></geometry>'
    (solid,) = write(tmp_path, link(visual(flat) + collision(flat))).solids()
    assert solid["visuals"][0]["geometry"] == solid["collisions"][0]["geometry"] == "Sphere"


def test_mirrored_mesh_is_baked_the_right_way_out(tmp_path: Path) -> None:
    mesh = '<geometry><mesh filename="box.stl" scale="1 -2 1"/></geometry>'
    written = write(tmp_path, link(visual(mesh) + collision(mesh)))
    assert list(written.files) == ["box.stl"]
    a, b, c = (
        points_of_file(written.folder / "Sample_meshes/box.stl")
        .reshape(-1, 3, 3)
        .transpose(1, 0, 2)
    )
    volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
    assert volume == pytest.approx(2 * 0.1 * 0.2 * 0.3, rel=1e-6)
    assert "scale" not in written.text and "ccw" not in written.text


def test_one_file_serves_all_that_is_equal(tmp_path: Path) -> None:
    mesh = MESH.format("box")
    content = visual(mesh) + visual(mesh, POSE) + collision(mesh) + collision(mesh, POSE)
    written = write(tmp_path, link(content) + link(visual(mesh), "arm"))
    assert list(written.files) == ["box.stl"]
    # Once for what is seen and once for what collides; the other three use them.
    assert written.text.count("Mesh {") == 2
    assert written.text.count("USE Mesh_1") == 2 and written.text.count("USE Mesh_2") == 1
    assert written.text.count("PBRAppearance {") == 1


def test_self_contained_style_uses_one_face_set(tmp_path: Path) -> None:
    mesh = MESH.format("box")
    content = visual(mesh) + visual(mesh, POSE) + collision(mesh)
    written = write(tmp_path, link(content), geometry="vrml")
    assert written.text.count("IndexedFaceSet {") == 2
    assert not written.files


def test_equal_names_of_different_meshes_stay_apart(tmp_path: Path) -> None:
    for folder, content in (("left", BOX), ("right", BALL)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "arm.stl").write_bytes(content)
    links = visual(MESH.format("left/arm")) + visual(MESH.format("right/arm"))
    written = write(tmp_path, link(links))
    assert written.files == {"arm.stl": BOX, "arm_2.stl": BALL}


def test_robot_level_material_and_gazebo_colour(tmp_path: Path) -> None:
    red = '<material name="red"><color rgba="1 0 0 0.25"/></material>'
    gazebo = '<gazebo reference="arm"><material>Gazebo/Blue</material></gazebo>'
    links = link(visual(MESH.format("box"), '<material name="red"/>'))
    links += link(visual(MESH.format("box")), "arm") + link(visual(MESH.format("box")), "hand")
    solids = write(tmp_path, links, red + gazebo).solids()
    shapes = [solid["visuals"][0] for solid in solids]
    assert [shape["baseColor"] for shape in shapes] == [[1, 0, 0], [0, 0, 1], [0.8, 0.8, 0.8]]
    assert [shape["transparency"] for shape in shapes] == [0.75, 0, 0]


def test_materials_of_a_mesh_file_win_and_split_it(tmp_path: Path) -> None:
    (tmp_path / "two.mtl").write_text("newmtl a\nKd 1 0 0\nnewmtl b\nKd 0 1 0\n")
    (tmp_path / "two.obj").write_text(
        "mtllib two.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl a\nf 1 2 3\nusemtl b\nf 1 2 4\n"
    )
    mesh = '<geometry><mesh filename="two.obj"/></geometry>'
    blue = '<material name="blue"><color rgba="0 0 1 1"/></material>'
    written = write(tmp_path, link(visual(mesh, blue) + collision(mesh)))
    (solid,) = written.solids()
    assert [shape["baseColor"] for shape in solid["visuals"]] == [[1, 0, 0], [0, 1, 0]]
    assert sorted(written.files) == ["two.stl", "two_a.stl", "two_b.stl"]
    assert len(solid["collisions"]) == 1


def test_texture_of_the_description_covers_a_mesh_without_coordinates(tmp_path: Path) -> None:
    (tmp_path / "skin.png").write_bytes(png())
    skin = '<material name="skin"><texture filename="skin.png"/></material>'
    mesh = MESH.format("box")
    plain = '<material name="red"><color rgba="1 0 0 1"/></material>'
    written = write(tmp_path, link(visual(mesh, skin) + visual(mesh, plain) + visual(mesh, skin)))
    assert sorted(written.files) == ["box.obj", "box.stl", "skin.png"]
    assert b"\nvt " in written.files["box.obj"]
    assert written.text.count('"Sample_meshes/skin.png"') == 1


def test_missing_texture_is_said_once(tmp_path: Path) -> None:
    skin = '<material name="skin"><color rgba="1 0 0 1"/><texture filename="no.png"/></material>'
    written = write(tmp_path, link(visual(MESH.format("box"), skin)))
    assert written.codes == ["missing-texture"]
    assert written.solids()[0]["visuals"][0]["baseColor"] == [1, 0, 0]


def test_what_cannot_be_loaded_is_an_error_with_its_line(tmp_path: Path) -> None:
    lost = MESH.format("lost")
    good = MESH.format("box")
    written = write(tmp_path, link("\n" + visual(lost) + "\n" + collision(lost) + collision(good)))
    assert [(found.code, found.line, found.subject) for found in written.diagnostics] == [
        ("missing-mesh", 2, "base"),
        ("missing-mesh", 3, "base"),
    ]
    (solid,) = written.solids()
    assert (len(solid["visuals"]), len(solid["collisions"])) == (0, 1)
    # Asking again does not report again.
    assert written.writer.collision_volume(written.robot.links[0]) is not None
    assert len(written.codes) == 2


def test_bounding_object_has_no_nesting(tmp_path: Path) -> None:
    """No Group in a Group, no Pose in a Pose, one child in a Pose, no scale."""
    shapes = [*PRIMITIVES.values(), MESH.format("box"), MESH.format("ball")]
    content = "".join(collision(shape, POSE) for shape in shapes)
    content += "".join(collision(shape) for shape in shapes)
    for kind in ("exact", "hull", "oriented_box", "cylinder"):
        folder = tmp_path / kind
        folder.mkdir()
        written = write(folder, link(content), collision=kind)
        bounding = written.writer.bounding_object(written.robot.links[0])
        assert bounding is not None and bounding.kind == "Group"
        children = bounding.fields["children"]
        assert isinstance(children, list) and len(children) == len(shapes) * 2
        for child in children:
            assert isinstance(child, Node) and child.kind not in ("Group", "Transform")
            if child.kind == "Pose":
                (only,) = child.fields["children"]  # type: ignore[misc]
                assert isinstance(only, Node) and only.kind not in ("Group", "Pose")


def test_one_collision_needs_no_group(tmp_path: Path) -> None:
    written = write(tmp_path, link(collision(PRIMITIVES["Box"])) + link("", "arm"))
    bounding = written.writer.bounding_object(written.robot.links[0])
    assert bounding is not None and bounding.kind == "Box"
    assert written.writer.bounding_object(written.robot.links[1]) is None
    assert join_bounding([]) is None


def test_parts_of_a_merged_link_stand_in_one_pose(tmp_path: Path) -> None:
    """The frame of the link and that of the shape are multiplied: no Pose in a Pose."""
    written = write(tmp_path, link(collision(PRIMITIVES["Cylinder"], POSE)))
    held = matrix_from_pose(Pose(xyz=(1.0, 2.0, 3.0), rpy=(0.3, -1.0, 2.0)))
    (part,) = written.writer.bounding_parts(written.robot.links[0], held)
    origin = matrix_from_pose(written.robot.links[0].collisions[0].origin)
    assert part.kind == "Pose"
    assert np.allclose(matrix_of(part), held @ origin, atol=1e-12)


def matrix_of(node: Node) -> np.ndarray:
    matrix = np.eye(4)
    translation, rotation = node.fields.get("translation"), node.fields.get("rotation")
    if isinstance(translation, tuple):
        matrix[:3, 3] = translation
    if isinstance(rotation, tuple):
        matrix[:3, :3] = rotations_about(np.array(rotation[:3]), np.array(rotation[3]))
    return matrix


@given(st.tuples(*[st.floats(-7.0, 7.0)] * 3), st.tuples(*[st.floats(-4.0, 4.0)] * 3))
def test_frames_become_fields_and_back(
    xyz: tuple[float, float, float], rpy: tuple[float, float, float]
) -> None:
    frame = matrix_from_pose(Pose(xyz=xyz, rpy=rpy))
    fields = pose_fields(frame)
    assert np.allclose(matrix_of(Node("Pose", fields)), frame, atol=2e-9)
    if "rotation" in fields:
        *axis, angle = fields["rotation"]  # type: ignore[misc]
        assert math.hypot(*axis) == pytest.approx(1.0, abs=1e-12)  # type: ignore[arg-type]
        assert 0.0 < angle <= math.pi  # type: ignore[operator]


def test_a_frame_that_does_nothing_leaves_no_trace() -> None:
    nodes = [Node("Shape")]
    assert place_nodes(np.eye(4), nodes) is nodes
    assert rotation_of(np.eye(3)) is None


def test_half_a_turn_has_an_axis() -> None:
    rotation = rotation_of(np.diag([-1.0, -1.0, 1.0]))
    assert rotation == pytest.approx((0.0, 0.0, 1.0, math.pi))


@pytest.mark.parametrize(
    ("kind", "geometry"),
    [
        ("box", "Box"),
        ("cylinder", "Cylinder"),
        ("sphere", "Sphere"),
        ("hull", "Mesh"),
        ("auto", "Box"),
    ],
)
def test_option_replaces_meshes_and_leaves_simple_shapes(
    kind: str, geometry: str, tmp_path: Path
) -> None:
    content = collision(MESH.format("box"), POSE) + collision(PRIMITIVES["Capsule"])
    (solid,) = write(tmp_path, link(content), collision=kind).solids()
    assert [shape["geometry"] for shape in solid["collisions"]] == [geometry, "Capsule"]


def test_override_of_one_link(tmp_path: Path) -> None:
    mesh = collision(MESH.format("ball"))
    links = link(mesh) + link(mesh, "wheel")
    written = write(tmp_path, links, collision="box", collision_overrides=(("wheel", "cylinder"),))
    kinds = [solid["collisions"][0]["geometry"] for solid in written.solids()]
    assert kinds == ["Box", "Cylinder"]
    assert {
        name: [body.kind for body in bodies] for name, bodies in written.writer.bodies.fits.items()
    } == {
        "base": ["box"],
        "wheel": ["cylinder"],
    }


@pytest.mark.parametrize(
    ("override", "message"),
    [(("gone", "box"), "no link 'gone'"), (("base", "cone"), "'cone' is no")],
)
def test_override_of_nothing_is_refused(
    override: tuple[str, str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(KinematicsError, match=message):
        write(tmp_path, link(""), collision_overrides=(override,))


def test_flat_mesh_gets_a_thin_box_and_a_word(tmp_path: Path) -> None:
    written = write(tmp_path, link("\n" + collision(MESH.format("flat"))), collision="hull")
    assert [(found.code, found.line) for found in written.diagnostics] == [("flat-collision", 2)]
    assert written.solids()[0]["collisions"][0]["geometry"] == "Box"


def test_budget_holds_for_meshes_and_hulls(tmp_path: Path) -> None:
    for kind, name in (("exact", "ball_exact.stl"), ("hull", "ball_hull.stl")):
        folder = tmp_path / kind
        folder.mkdir()
        written = write(
            folder, link(collision(MESH.format("ball"))), collision=kind, collision_triangles=100
        )
        assert list(written.files) == [name]
        assert 40 < (len(written.files[name]) - 84) // 50 <= 100


def test_volume_of_collisions(tmp_path: Path) -> None:
    """A box by its mesh and a cylinder beside it, whatever they are exported as."""
    content = collision(MESH.format("box"), '<origin xyz="1 0 0"/>')
    content += collision(PRIMITIVES["Cylinder"], '<origin xyz="-1 0 0" rpy="1.5707963267949 0 0"/>')
    written = write(tmp_path, link(content) + link("", "arm"), collision="sphere")
    mass = written.writer.collision_volume(written.robot.links[0])
    assert mass is not None
    box, rod = 0.1 * 0.2 * 0.3, math.pi * 0.01 * 0.4
    assert mass.volume == pytest.approx(box + rod, rel=1e-6)
    assert mass.centre == pytest.approx([(box - rod) / (box + rod), 0, 0], abs=1e-6)
    # About x the rod lies along y: its thin side does not count.
    rod_x = rod * (3 * 0.01 + 0.16) / 12
    assert mass.inertia[0, 0] == pytest.approx(box * (0.04 + 0.09) / 12 + rod_x, rel=1e-5)
    assert written.writer.collision_volume(written.robot.links[1]) is None


def test_repeats_are_shared_in_the_order_of_the_text() -> None:
    """What stands deeper but earlier gets the DEF."""
    mesh = Node("Mesh", {"url": ["a.stl"]})
    inner = Node("Solid", {"children": [Node("Shape", {"geometry": mesh})]}, name="Mesh_1")
    root = Node("Solid", {"children": [inner], "boundingObject": mesh})
    share_repeats(root, taken={"Mesh_2"})
    text = write_node(root)
    assert text.index("DEF Mesh_3 Mesh") < text.index("USE Mesh_3")
    assert text.count("Mesh_3") == 2
    assert root.fields["boundingObject"] == Use("Mesh_3")


def test_deep_trees_are_shared_too() -> None:
    look = Node("PBRAppearance")
    root = Node("Shape", {"appearance": look})
    for _ in range(5000):
        root = Node("Pose", {"children": [Node("Shape", {"appearance": look}), root]})
    share_repeats(root)
    assert write_node(root).count("USE PBRAppearance_1") == 5000


def test_a_shape_may_come_from_anywhere(tmp_path: Path) -> None:
    """The writer asks its source and never the file system: what a scene holds serves as well."""

    shape = Collision(geometry=Cylinder(radius=1.0, length=1.0))
    only = Link(name="a", collisions=(shape,))
    shown = [ShownShape(shape=shape, data=make_sphere(0.5))]
    diagnostics = Diagnostics()
    found = OpenExport(
        robot=Robot(name="r", links=(only,)),
        files=RobotFiles(PackageResolver(""), diagnostics, shown=shown),
        options=WebotsOptions(),
        diagnostics=diagnostics,
    )
    writer = ShapeNodeWriter(found, tmp_path / "out", "out/")
    node = writer.bounding_object(only)
    assert node is not None and node.kind == "Cylinder"
    assert not (tmp_path / "out").exists()


def test_obj_of_a_smooth_mesh_has_a_normal_for_each_corner() -> None:
    ball, _ = make_triangles(make_sphere(1.0))
    text = write_obj(ball).decode()
    assert text.count("\nvn ") > 400 and text.count("//") == 3 * ball.count
