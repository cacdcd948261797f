# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults that an exporter to Webots was known for, each as a test of this one.

Those that are not here stand beside what they are about:

a massless link swallows a degree of freedom     test_joints, no_degree_of_freedom_is_lost...
a massless link keeps one of several children    test_structure, a_massless_link_with_several...
links that are only seen are deleted             test_structure, links_that_are_only_seen_stay
inertia turned by the inverse rotation           test_structure, a_turned_inertia_is_turned...
slides that start along x whatever their axis    test_joints, slides_without_zero_start_along...
materials of the robot turn grey                 test_shapes, robot_level_material_and_gazebo...
meshes of one name share one geometry            test_shapes, equal_names_of_different_meshes...
a mass of zero is written                        test_structure, a_mass_that_is_none_is_never...
names that Webots refuses                        test_structure, names_that_webots_can_not_take
one conversion changes the next                  test_joints, two_exports_share_no_state
a root without inertia pins the robot            test_structure, a_root_without_inertia_does...
the colours of OBJ files are lost                test_shapes, materials_of_a_mesh_file_win...
"""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.collada_text import INSTANCE, document, faces_text, geometry
from support.webots.proto_check import Checked, check
from support.webots.webots_robots import Small, joint, link
from support.webots.webots_shapes import points_of_file
from urdf_importer import (
    Diagnostics,
    ReadError,
    WebotsOptions,
    export_robot,
    forward_kinematics,
    read_robot,
)
from urdf_importer.core.geometry.primitives import make_box
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.geometry.triangles import make_triangles
from urdf_importer.core.images import decode_image
from urdf_importer.core.meshes.write import write_stl

SIZE = (0.1, 0.2, 0.3)
BOX = write_stl(make_triangles(make_box(SIZE))[0])
MESH = '<geometry><mesh filename="{}"{}/></geometry>'
PLACE = '<origin xyz="0.1 -0.2 0.3" rpy="0.4 0.5 -0.6"/>'
# A pixel of the colour (200, 100, 50).
TIFF = (
    struct.pack("<2sHI", b"II", 42, 12)
    + bytes([200, 100, 50, 0])
    + struct.pack("<H", 10)
    + b"".join(
        struct.pack("<HHII", tag, kind, 1, value)
        for tag, kind, value in (
            (256, 3, 1), (257, 3, 1), (258, 3, 8), (259, 3, 1), (262, 3, 2), (273, 4, 8),
            (277, 3, 3), (278, 3, 1), (279, 4, 3), (284, 3, 1),
        )
    )
    + struct.pack("<I", 0)
)  # fmt: skip


class Exported:
    """`folder`/robot.urdf of these elements as `folder`/out/Made.proto."""

    def __init__(self, folder: Path, *elements: str, **options: Any) -> None:
        source = folder / "robot.urdf"
        lines = "\n".join(elements)
        source.write_text(f'<robot name="robot">\n{lines}\n</robot>', encoding="utf-8")
        self.folder = folder / "out"
        self.folder.mkdir()
        self.diagnostics = Diagnostics(str(source))
        self.robot = read_robot(source, diagnostics=self.diagnostics)
        proto = self.folder / "Made.proto"
        chosen = WebotsOptions(**options)
        self.result = export_robot(self.robot, proto, options=chosen, diagnostics=self.diagnostics)
        self.checked: Checked = check(proto)
        assert self.checked.problems == ()

    def shapes(self, kind: str) -> list[dict[str, Any]]:
        """The "visuals" or "collisions" of the Robot node."""
        found: list[dict[str, Any]] = self.checked.solids["robot"][kind]
        return found


@pytest.mark.parametrize("fixed", ["keep", "merge"])
@pytest.mark.parametrize("mass", [1.0, None])
def test_rotations_of_fixed_joints_are_joined_in_their_order(
    fixed: str, mass: float | None, tmp_path: Path
) -> None:
    """Three turns about different axes, of which no two may be exchanged."""
    small = Small(
        tmp_path,
        link("base"),
        link("one", mass),
        link("two", mass),
        link("end"),
        joint("first", "fixed", "base", "one", xyz="1 0 0", rpy="1.1 0 0"),
        joint("second", "fixed", "one", "two", xyz="0 1 0", rpy="0 0.7 0.2"),
        joint("third", "revolute", "two", "end", xyz="0 0 1", rpy="0.3 0 -0.9", axis="0 1 0"),
        fixed_joints=fixed,
    )
    small.assert_frames({"third": 0.6}, {"third": 0.6})


def test_packages_are_found_under_paths_that_say_package(tmp_path: Path) -> None:
    package = tmp_path / "package_of_packages" / "my_package"
    (package / "meshes").mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>my_package</name></package>")
    (package / "meshes" / "box.stl").write_bytes(BOX)
    mesh = MESH.format("package://my_package/meshes/box.stl", "")
    exported = Exported(package, link("body", inside=f"<visual>{mesh}</visual>"))
    assert list(exported.diagnostics) == []
    assert [file.name for file in exported.result.files] == ["Made.proto", "box.stl"]
    assert exported.result.files[1].read_bytes() == BOX


def test_boxes_for_collisions_are_boxes_in_their_places(tmp_path: Path) -> None:
    (tmp_path / "box.stl").write_bytes(BOX)
    body = f"<collision>{PLACE}{MESH.format('box.stl', '')}</collision>"
    exported = Exported(tmp_path, link("body", inside=body), collision="box")
    (shape,) = exported.shapes("collisions")
    assert shape["geometry"] == "Box" and shape["size"] == pytest.approx(SIZE)
    origin = exported.robot.links[0].collisions[0].origin
    assert np.array(shape["matrix"]) == pytest.approx(matrix_from_pose(origin), abs=1e-8)


def test_a_joint_to_a_link_that_is_not_described(tmp_path: Path) -> None:
    """The link is there, empty, and told of with its line: no subtree is lost, nothing fails."""
    exported = Exported(
        tmp_path,
        link("base"),
        joint("neck", "revolute", "base", "head"),
        joint("nose", "revolute", "head", "tip"),
        link("tip"),
    )
    assert {"head", "tip"} <= set(exported.result.links)
    assert [axis.joint for axis in exported.result.axes] == ["neck", "nose"]
    assert ("undefined-link", 3) in [(item.code, item.line) for item in exported.diagnostics]


def test_a_robot_of_joints_alone_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="has no links"):
        Exported(tmp_path, joint("neck", "revolute", "base", "head"))
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("limit", [
    'lower="-1" upper="1"', 'lower="-1" upper="1" velocity="2"', 'effort="5" velocity="2"', "",
])  # fmt: skip
def test_limits_may_say_less_than_all(limit: str, tmp_path: Path) -> None:
    exported = Exported(
        tmp_path, link("base"), link("arm"), joint("j", "revolute", "base", "arm", limit=limit)
    )
    axis = exported.checked.axes["j"]
    assert axis["max_torque"] == (5.0 if "effort" in limit else 1000.0)
    assert axis["max_velocity"] == (2.0 if "velocity" in limit else 10.0)
    assert len(exported.diagnostics) > 0


@pytest.mark.parametrize("inside", ["<ray/>", "<ray><scan><horizontal/></scan></ray>", ""])
@pytest.mark.parametrize("kind", ["ray", "gpu_lidar", "depth", "camera", "sonar"])
def test_sensors_without_ranges(kind: str, inside: str, tmp_path: Path) -> None:
    sensor = f'<gazebo reference="eye"><sensor type="{kind}" name="seen">{inside}</sensor></gazebo>'
    exported = Exported(
        tmp_path, link("base"), link("eye"), joint("j", "revolute", "base", "eye"), sensor
    )
    assert any("seen" in name for name in exported.checked.solids)


@pytest.mark.parametrize("name", ["2dofPlanar", "Robot", "two words", "3d", "DEF", "Ünï 7"])
@pytest.mark.parametrize("target", ["world.wbt", "project/"])
def test_robots_of_any_name_get_a_proto(name: str, target: str, tmp_path: Path) -> None:
    source = tmp_path / "robot.urdf"
    source.write_text(f'<robot name="{name}">{link("body")}</robot>', encoding="utf-8")
    result = export_robot(read_robot(source), f"{tmp_path}/{target}")
    assert check(result.proto).problems == ()
    (world,) = (file for file in result.files if file.suffix == ".wbt")
    checked = check(world)
    assert checked.problems == () and name in checked.solids


def test_materials_may_begin_with_a_digit(tmp_path: Path) -> None:
    (tmp_path / "box.stl").write_bytes(BOX)
    printed = '<material name="3d printed"><color rgba="1 0.5 0 1"/></material>'
    seen = f"<visual>{MESH.format('box.stl', '')}{printed}</visual>"
    exported = Exported(tmp_path, link("body", inside=seen + seen))
    assert [shape["baseColor"] for shape in exported.shapes("visuals")] == [[1, 0.5, 0]] * 2


@pytest.mark.parametrize("link_name", ["eye", "eye_link", "camera_optical"])
def test_cameras_of_gazebo_look_along_x_whatever_the_link_is_called(
    link_name: str, tmp_path: Path
) -> None:
    camera = f'<gazebo reference="{link_name}"><sensor type="camera" name="seen"/></gazebo>'
    exported = Exported(
        tmp_path,
        link("base"),
        link(link_name),
        joint("j", "revolute", "base", link_name, xyz="1 2 3", rpy="0.4 0.5 -0.6"),
        camera,
    )
    expected = forward_kinematics(exported.robot)[link_name]
    assert exported.checked.pose("seen") == pytest.approx(expected, abs=1e-9)


def test_every_material_of_a_collada_file(tmp_path: Path) -> None:
    effects = "".join(
        f"<effect id='e{name}'><profile_COMMON><technique sid='t'><lambert><diffuse>"
        f"<color>{color} 1</color></diffuse></lambert></technique></profile_COMMON></effect>"
        for name, color in (("red", "1 0 0"), ("green", "0 1 0"))
    )
    materials = "".join(
        f"<material id='{name}' name='{name}'><instance_effect url='#e{name}'/></material>"
        for name in ("red", "green")
    )
    faces = faces_text("triangles", "0 2 1 0 3 2", material="one")
    faces += faces_text("triangles", "0 1 4 1 2 4", material="two")
    bound = "".join(
        f"<instance_material symbol='{symbol}' target='#{name}'/>"
        for symbol, name in (("one", "red"), ("two", "green"))
    )
    instance = INSTANCE.replace(
        "/>",
        "><bind_material><technique_common>" + bound + "</technique_common></bind_material>"
        "</instance_geometry>",
    )
    text = document(
        f"<node>{instance}</node>",
        [geometry(faces)],
        libraries=f"<library_effects>{effects}</library_effects>"
        f"<library_materials>{materials}</library_materials>",
    )
    (tmp_path / "two.dae").write_text(text)
    seen = f"<visual>{MESH.format('two.dae', '')}</visual>"
    exported = Exported(tmp_path, link("body", inside=seen))
    assert [shape["baseColor"] for shape in exported.shapes("visuals")] == [[1, 0, 0], [0, 1, 0]]


def test_tiff_textures_are_looked_for_beside_what_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    (tmp_path / "skins").mkdir()
    (tmp_path / "skins" / "skin.tif").write_bytes(TIFF)
    (tmp_path / "box.stl").write_bytes(BOX)
    skin = '<material name="skin"><texture filename="skins/skin.tif"/></material>'
    seen = f"<visual>{MESH.format('box.stl', '')}{skin}</visual>"
    exported = Exported(tmp_path, link("body", inside=seen))
    assert list(exported.diagnostics) == []
    (image,) = (file for file in exported.result.files if file.suffix == ".png")
    found = decode_image(image.read_bytes())
    assert found is not None and found.tolist() == [[[200, 100, 50]]]


@pytest.mark.parametrize("options", [{}, {"collision": "box"}, {"collision": "hull"}], ids=str)
def test_meshes_that_collide_keep_their_scale(options: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "box.stl").write_bytes(BOX)
    scaled = MESH.format("box.stl", ' scale="2 3 0.5"')
    exported = Exported(
        tmp_path, link("body", inside=f"<collision>{scaled}</collision>"), **options
    )
    (shape,) = exported.shapes("collisions")
    if shape["geometry"] == "Box":
        size = np.array(shape["size"])
    else:
        size = np.ptp(points_of_file(exported.folder / shape["url"]), axis=0)
    assert size == pytest.approx([0.2, 0.6, 0.15], rel=1e-5)
