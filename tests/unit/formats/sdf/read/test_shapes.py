# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes that URDF has no word for: read, weighed, and written in every format."""

import math
import re
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
import trimesh

from urdf_importer import (
    Diagnostics,
    EngineOptions,
    MjcfOptions,
    ReadError,
    WebotsOptions,
    export_robot,
    read_robot,
    write_urdf,
)
from urdf_importer.core.files.packages import PackageResolver
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.geometry.triangles import make_triangles
from urdf_importer.core.meshes import RobotFiles
from urdf_importer.core.model import Box, Cone, Ellipsoid, Extrusion, Mesh, MeshPart
from urdf_importer.core.reshape import resize

SHAPES = {
    "ellipsoid": "<ellipsoid><radii>0.2 0.5 0.9</radii></ellipsoid>",
    "cone": "<cone><radius>0.4</radius><length>0.9</length></cone>",
    "polyline": """<polyline><height>0.3</height><point>0 0</point><point>2 0</point>
        <point>2 2</point><point>0 2</point></polyline>
        <polyline><height>0.3</height><point>0.5 0.5</point><point>1.5 0.5</point>
        <point>1.5 1.5</point></polyline>""",
    "part": "<mesh><uri>two.obj</uri><submesh><name>lid</name><center>1</center></submesh></mesh>",
}
VOLUMES = {
    "ellipsoid": 4 / 3 * math.pi * 0.2 * 0.5 * 0.9,
    "cone": math.pi * 0.4**2 * 0.9 / 3,
    "polyline": 0.3 * 3.5,
    "part": 8.0,
}
KINDS = {"ellipsoid": Ellipsoid, "cone": Cone, "polyline": Extrusion, "part": Mesh}


def read(folder, links, codes=()):
    (folder / "m.sdf").write_text(f'<sdf version="1.11"><model name="m">{links}</model></sdf>')
    diagnostics = Diagnostics()
    robot = read_robot(folder / "m.sdf", diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == list(codes)
    return robot


def link(name, shape, extra=""):
    def holder(tag):
        return f'<{tag} name="{name}_{tag}">{extra}<geometry>{shape}</geometry></{tag}>'

    return f'<link name="{name}"><inertial auto="1"/>{holder("visual")}{holder("collision")}</link>'


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    """A link for each shape, all in a row; their masses are those of their shapes."""
    folder = tmp_path_factory.mktemp("shapes")
    box, lid = trimesh.creation.box((1, 1, 1)), trimesh.creation.box((2, 2, 2))
    lid.apply_translation((9.0, 0.0, 0.0))
    text, start = "", 1
    for name, mesh in (("body", box), ("lid", lid)):
        text += f"o {name}\n"
        text += "".join(f"v {x} {y} {z}\n" for x, y, z in mesh.vertices.tolist())
        text += "".join(f"f {a} {b} {c}\n" for a, b, c in (mesh.faces + start).tolist())
        start += len(mesh.vertices)
    (folder / "two.obj").write_text(text)
    links = [
        link(name, shape).replace("><inertial", f"><pose>{3 * at} 0 0 0 0 0</pose><inertial")
        for at, (name, shape) in enumerate(SHAPES.items())
    ]
    links += [
        f'<joint name="{name}_j" type="revolute"><parent>ellipsoid</parent><child>{name}</child>'
        "<axis><xyz>0 0 1</xyz></axis></joint>"
        for name in list(SHAPES)[1:]
    ]
    return read(folder, "".join(links))


def test_each_is_of_its_kind_and_weighs_what_it_holds(robot):
    for each in robot.links:
        (visual,), (collision,) = each.visuals, each.collisions
        assert type(visual.geometry) is KINDS[each.name] and visual.geometry == collision.geometry
        assert each.inertial.mass == pytest.approx(1000 * VOLUMES[each.name], rel=1e-6)
    centers = {each.name: each.inertial.origin.xyz for each in robot.links}
    assert centers["cone"] == pytest.approx((0.0, 0.0, -0.225))
    assert centers["part"] == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
    part = next(each for each in robot.links if each.name == "part").visuals[0].geometry
    assert part.part == MeshPart(name="lid", centered=True)


def drawn(robot):
    """Link -> volume and corners of its visual's box, as it is loaded."""
    files = RobotFiles(PackageResolver(robot.source), Diagnostics())
    found = {}
    for each in robot.links:
        for visual in each.visuals:
            data = files.load(visual, each)
            triangles, _ = make_triangles(data)
            points = triangles.vertices[triangles.corners].astype(float)
            place = matrix_from_pose(visual.origin)
            points = points @ place[:3, :3].T + place[:3, 3]
            a, b, c = (points[i::3] for i in range(3))
            volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
            found[each.name] = (volume, *points.min(axis=0), *points.max(axis=0))
    return found


def test_urdf_gets_meshes_in_their_place(robot, tmp_path):
    diagnostics = Diagnostics()
    result = write_urdf(robot, tmp_path / "m.urdf", diagnostics=diagnostics)
    assert not list(diagnostics) and len(result.files) == 9
    before, after = drawn(robot), drawn(read_robot(tmp_path / "m.urdf"))
    assert after.keys() == before.keys()
    for name, numbers in before.items():
        assert after[name] == pytest.approx(numbers, abs=2e-6)


def test_webots_gets_meshes_in_their_place(robot, tmp_path):
    diagnostics = Diagnostics()
    result = export_robot(
        robot, tmp_path / "M.proto", options=WebotsOptions(), diagnostics=diagnostics
    )
    assert not [each for each in diagnostics if each.severity.name == "ERROR"]
    text = result.path.read_text()
    meshes = {"solid_ellipsoid_1", "solid_cone_2", "solid_extrusion_3", "two"}
    assert {file.stem for file in result.files if file.parent.name == "M_meshes"} == meshes
    for name in meshes:
        assert re.search(rf'"M_meshes/{name}\.(?:stl|obj)"', text), name
    assert "solid:" not in text


def test_mujoco_gets_ellipsoids_and_meshes(robot, tmp_path):
    result = export_robot(
        robot, tmp_path / "m.xml", options=MjcfOptions(), diagnostics=Diagnostics()
    )
    root = ElementTree.parse(result.path).getroot()
    (size,) = {each.get("size") for each in root.iter("geom") if each.get("type") == "ellipsoid"}
    assert [float(number) for number in size.split()] == [0.2, 0.5, 0.9]
    model = mujoco.MjModel.from_xml_path(str(result.path))
    for each in robot.links:
        mass = model.body(each.name).mass[0]
        assert mass == pytest.approx(1000 * VOLUMES[each.name], rel=1e-4)


def test_usd_gets_cones_and_meshes(robot, tmp_path):
    options = EngineOptions(usd="physics")
    result = export_robot(robot, tmp_path / "m.usda", options=options, diagnostics=Diagnostics())
    text = result.path.read_text()
    assert text.count("def Cone ") == 2 and text.count("def Mesh ") >= 6


def test_they_grow_with_the_robot(robot):
    before = drawn(robot)
    after = drawn(resize(robot, scale=2.0))
    for name, (volume, *corners) in before.items():
        grown = (8 * volume, *(2 * number for number in corners))
        assert after[name] == pytest.approx(grown, rel=1e-5, abs=1e-5)


def test_planes_lie_across_their_normal(tmp_path):
    plane = "<plane><normal>0 3 4</normal><size>2 6</size></plane>"
    text = f'<link name="a"><visual name="v"><geometry>{plane}</geometry></visual></link>'
    robot = read(tmp_path, text, ["sdf-geometry"])
    (visual,) = robot.links[0].visuals
    assert isinstance(visual.geometry, Box) and visual.geometry.size[:2] == (2.0, 6.0)
    turned = matrix_from_pose(visual.origin)[:3, 2]
    assert turned == pytest.approx((0.0, 0.6, 0.8))


def test_a_terrain_is_a_bare_link_and_a_sentence(tmp_path):
    text = "<heightmap><uri>hills.png</uri><size>1 1 1</size></heightmap>"
    text = f'<link name="a"><visual name="v"><geometry>{text}</geometry></visual></link>'
    robot = read(tmp_path, text, ["sdf-heightmap"])
    assert [each.name for each in robot.links] == ["a"] and not robot.links[0].visuals


@pytest.mark.parametrize("point", ["1", "1 2 3", "nan 0", "1 x"])
def test_wrong_points_are_refused(tmp_path, point):
    shape = f"<polyline><point>{point}</point></polyline>"
    with pytest.raises(ReadError, match=r"is not a number|two finite numbers"):
        read(tmp_path, link("a", shape))
