# SPDX-License-Identifier: GPL-3.0-or-later
"""What each quirk means: the values that the model holds in the end."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from urdf_importer.core.model import (
    IDENTITY,
    Box,
    Capsule,
    Cylinder,
    Dynamics,
    Inertia,
    Joint,
    Limit,
    Material,
    Mesh,
    Mimic,
    Pose,
    Robot,
    SafetyController,
    Sphere,
    Visual,
    resolve_material,
)

SMALL_BOX = Box(size=(0.1, 0.1, 0.1))
METRE_BOX = Box(size=(1.0, 1.0, 1.0))
NO_BOX = Box(size=(0.0, 0.0, 0.0))
RED, GREEN, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)


@pytest.fixture
def robot_of(read_quirk: Callable[[str], Any]) -> Callable[[str], Robot]:
    return lambda name: read_quirk(name).robot


@pytest.fixture
def joint_of(robot_of: Callable[[str], Robot]) -> Callable[..., Joint]:
    """The joint of a quirk, j1 if it is not named."""

    def find(quirk: str, name: str = "j1") -> Joint:
        (joint,) = (joint for joint in robot_of(quirk).joints if joint.name == name)
        return joint

    return find


@pytest.fixture
def visuals_of(robot_of: Callable[[str], Robot]) -> Callable[..., tuple[Visual, ...]]:
    def find(quirk: str, name: str = "link1") -> tuple[Visual, ...]:
        (link,) = (link for link in robot_of(quirk).links if link.name == name)
        return link.visuals

    return find


def names(robot: Robot) -> list[str]:
    return [link.name for link in robot.links]


PLAIN = ["bom_utf8", "crlf_tabs", "default_namespace", "double_dash_comment", "nul_tail"]
PLAIN += ["space_before_decl", "trailing_garbage", "two_robots", "undeclared_prefix", "utf16"]
PLAIN += ["version_0_0"]


@pytest.mark.parametrize("quirk", [f"xml_{name}" for name in PLAIN])
def test_odd_xml_is_the_same_robot(quirk: str, robot_of: Callable[[str], Robot]) -> None:
    robot = robot_of(quirk)
    plain = robot_of("robot_version_1_0")
    assert robot.links == plain.links
    assert robot.joints == plain.joints
    assert robot.name == "q"


def test_latin_1_is_decoded(robot_of: Callable[[str], Robot]) -> None:
    assert "gelenk_ä" in str(robot_of("xml_latin1"))


def test_undeclared_prefixes_are_kept(robot_of: Callable[[str], Robot]) -> None:
    camera, argument = robot_of("xml_undeclared_prefix").extras
    assert camera.tag == "sensor:camera"
    assert camera.xml == (
        '<sensor:camera name="c"><sensor:update>30</sensor:update></sensor:camera>'
    )
    assert argument.xml == '<xacro:arg name="x" default="1"/>'
    assert (camera.line, argument.line) == (5, 5)


def test_a_nameless_robot_has_its_files_name(robot_of: Callable[[str], Robot]) -> None:
    assert robot_of("robot_no_name").name == "robot_no_name"


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2", "1", "2.0"])
def test_version_is_kept(version: str, robot_of: Callable[[str], Robot]) -> None:
    assert robot_of(f"robot_version_{version.replace('.', '_')}").version == version


def test_what_the_graph_means_is_not_judged(robot_of: Callable[[str], Robot]) -> None:
    def ends(quirk: str) -> list[tuple[str, str]]:
        return [(joint.parent, joint.child) for joint in robot_of(quirk).joints]

    assert ends("struct_missing_parent") == [("world", "link1")]
    assert ends("struct_missing_child") == [("base_link", "ghost")]
    assert ("link1", "link1") in ends("struct_self_parent")
    assert ends("struct_loop_two_parents")[1:] == [("base_link", "link2"), ("link1", "link2")]
    assert names(robot_of("struct_two_roots")) == ["base_link", "link1", "island", "island2"]
    assert names(robot_of("struct_lonely_link"))[-1] == "lonely"
    assert len(robot_of("struct_cycle_no_root").joints) == 2


def test_first_of_one_name_wins(robot_of: Callable[[str], Robot]) -> None:
    assert names(robot_of("struct_dup_link")) == ["base_link", "link1"]
    (joint,) = robot_of("struct_dup_joint").joints
    assert (joint.parent, joint.child) == ("base_link", "link1")


def test_names_are_as_written(robot_of: Callable[[str], Robot]) -> None:
    assert names(robot_of("struct_link_joint_same_name")) == ["base_link", "j1"]
    assert names(robot_of("struct_case_clash")) == ["base_link", "Arm", "arm"]
    assert names(robot_of("name_64chars")) == ["b" * 80, "b" * 79 + "X"]
    assert names(robot_of("name_unicode")) == ["Base ロボット", "стрела 🤖"]
    assert names(robot_of("name_special")) == ["a/b.c|d", 'x"y']
    assert robot_of("name_special").joints[0].name == "j'[0]"
    assert names(robot_of("name_spaces")) == [" base ", "link 1"]
    assert robot_of("name_spaces").joints[0].parent == " base "


def test_losses(robot_of: Callable[[str], Robot]) -> None:
    assert robot_of("struct_joint_no_parent").joints == ()
    assert names(robot_of("struct_link_no_name")) == ["base_link", "link1"]


def test_ends_as_text(joint_of: Callable[..., Joint]) -> None:
    joint = joint_of("struct_parent_as_text")
    assert (joint.parent, joint.child) == ("base_link", "link1")


def test_joints_of_transmissions_are_not_joints(robot_of: Callable[[str], Robot]) -> None:
    robot = robot_of("struct_joint_in_transmission")
    assert len(robot.joints) == 1
    (transmission,) = robot.transmissions
    assert (transmission.name, transmission.type) == ("t", "x")
    (joint,) = transmission.joints
    assert (joint.name, joint.hardware_interfaces) == ("j1", ("y",))
    assert [actuator.name for actuator in transmission.actuators] == ["m"]


def test_order_does_not_matter(robot_of: Callable[[str], Robot]) -> None:
    robot = robot_of("struct_joints_first")
    plain = robot_of("robot_version_1_0")
    assert robot.joints == plain.joints
    assert set(robot.links) == set(plain.links)


def test_origin_of_a_link_is_an_extra(robot_of: Callable[[str], Robot]) -> None:
    (extra,) = robot_of("struct_link_origin").links[0].extras
    assert (extra.tag, extra.xml) == ("origin", '<origin xyz="1 2 3"/>')


@pytest.mark.parametrize(
    ("quirk", "expected"),
    [
        ("struct_type_ball", "ball"),
        ("struct_type_upper", "revolute"),
        ("struct_type_missing", "fixed"),
        ("struct_planar", "planar"),
        ("struct_floating", "floating"),
    ],
)
def test_types(quirk: str, expected: str, joint_of: Callable[..., Joint]) -> None:
    assert joint_of(quirk).type == expected


@pytest.mark.parametrize(
    ("quirk", "origin"),
    [
        ("joint_origin_no_xyz", Pose(rpy=(0.0, 0.0, 1.5707963))),
        ("joint_origin_no_rpy", Pose(xyz=(0.0, 0.0, 0.5))),
        ("joint_no_origin", IDENTITY),
        ("joint_origin_three_numbers_short", Pose(xyz=(0.5, 0.0, 0.0))),
        ("joint_origin_four_numbers", Pose(xyz=(0.0, 0.0, 0.5))),
        ("joint_two_origins", Pose(xyz=(0.0, 0.0, 0.5))),
        ("joint_quat", Pose(xyz=(0.0, 0.0, 0.5), quat_xyzw=(0.0, 0.0, 0.7071068, 0.7071068))),
        ("num_comma_sep", Pose(xyz=(0.0, 0.0, 0.5))),
        ("num_trailing_dot", Pose(xyz=(0.0, 0.0, 0.5))),
        ("num_plus", Pose(xyz=(0.0, 0.0, 0.5))),
        ("num_exp", Pose(xyz=(0.0, 0.0, 0.5))),
        ("num_denormal", Pose(xyz=(0.0, 0.0, 1e-320))),
        ("xml_crlf_tabs", Pose(xyz=(0.0, 0.0, 0.5))),
    ],
)
def test_origins(quirk: str, origin: Pose, joint_of: Callable[..., Joint]) -> None:
    assert joint_of(quirk).origin == origin


@pytest.mark.parametrize(
    ("quirk", "axis"),
    [
        ("axis_missing", None),
        ("axis_no_xyz", None),
        ("axis_zero", (0.0, 0.0, 0.0)),
        ("axis_not_unit", (0.0, 0.0, 2.0)),
        ("axis_not_unit_prismatic", (0.0, 0.0, 2.0)),
        ("axis_oblique", (1.0, 1.0, 0.0)),
        ("axis_on_fixed", (0.0, 0.0, 1.0)),
    ],
)
def test_axes_are_as_written(
    quirk: str, axis: tuple[float, float, float] | None, joint_of: Callable[..., Joint]
) -> None:
    assert joint_of(quirk).axis == axis


@pytest.mark.parametrize(
    ("quirk", "limit"),
    [
        ("limit_missing_revolute", None),
        ("limit_missing_prismatic", None),
        ("limit_no_effort", Limit(lower=-1.0, upper=1.0, velocity=1.0)),
        ("limit_no_velocity", Limit(lower=-1.0, upper=1.0, effort=1.0)),
        ("limit_only_effort", Limit(effort=1.0, velocity=1.0)),
        ("limit_lower_gt_upper", Limit(lower=1.0, upper=-1.0, effort=1.0, velocity=1.0)),
        ("limit_equal", Limit(lower=0.3, upper=0.3, effort=1.0, velocity=1.0)),
        ("limit_huge", Limit(lower=-1e16, upper=1e16, effort=1.0, velocity=1.0)),
        ("limit_inf", Limit(lower=-1e16, upper=1e16, effort=1e16, velocity=1e16)),
        ("limit_continuous", Limit(lower=-1.0, upper=1.0, effort=10.0, velocity=1.0)),
        ("limit_negative_effort", Limit(lower=-1.0, upper=1.0, effort=-1.0, velocity=-1.0)),
    ],
)
def test_limits(quirk: str, limit: Limit | None, joint_of: Callable[..., Joint]) -> None:
    assert joint_of(quirk).limit == limit


@pytest.mark.parametrize(
    ("quirk", "joint", "mimic"),
    [
        ("mimic_unknown", "j1", Mimic(joint="ghost", multiplier=2.0)),
        ("mimic_self", "j1", Mimic(joint="j1", multiplier=2.0)),
        ("mimic_cycle", "j1", Mimic(joint="j2")),
        ("mimic_cycle", "j2", Mimic(joint="j1")),
        ("mimic_chain", "j3", Mimic(joint="j2", multiplier=-0.5, offset=0.1)),
        ("mimic_no_multiplier", "j2", Mimic(joint="j1", multiplier=1.0, offset=0.0)),
        ("mimic_no_joint", "j1", None),
        ("mimic_revolute_of_prismatic", "j2", Mimic(joint="j1", multiplier=10.0)),
        ("mimic_on_fixed", "j2", Mimic(joint="j1")),
    ],
)
def test_mimics(
    quirk: str, joint: str, mimic: Mimic | None, joint_of: Callable[..., Joint]
) -> None:
    assert joint_of(quirk, joint).mimic == mimic


def test_empty_dynamics_and_partial_safety(joint_of: Callable[..., Joint]) -> None:
    assert joint_of("dynamics_empty").dynamics == Dynamics()
    expected = SafetyController(soft_lower_limit=-1.0)
    assert joint_of("safety_no_kvel").safety_controller == expected


@pytest.mark.parametrize(
    ("quirk", "mass", "inertia"),
    [
        ("inertial_no_mass", None, Inertia(ixx=1.0, iyy=1.0, izz=1.0)),
        ("inertial_no_inertia", 1.0, None),
        ("inertial_partial", 1.0, Inertia(ixx=1.0, iyy=1.0, izz=1.0)),
        ("inertial_negative_mass", -1.0, Inertia(ixx=1.0, iyy=1.0, izz=1.0)),
        ("inertial_zero_mass", 0.0, Inertia()),
        ("inertial_not_psd", 1.0, Inertia(ixx=1.0, ixy=5.0, iyy=1.0, izz=1.0)),
        ("inertial_triangle", 1.0, Inertia(ixx=1.0, iyy=1.0, izz=9.0)),
        ("inertial_twice", 1.0, Inertia(ixx=0.01, iyy=0.01, izz=0.01)),
    ],
)
def test_inertials(
    quirk: str, mass: float | None, inertia: Inertia | None, robot_of: Callable[[str], Robot]
) -> None:
    link = robot_of(quirk).links[1]
    assert link.inertial is not None
    assert (link.inertial.mass, link.inertial.inertia) == (mass, inertia)
    assert len(link.visuals) == 1


@pytest.mark.parametrize(
    ("quirk", "shapes"),
    [
        ("vis_several", (METRE_BOX, Sphere(radius=1.0), Cylinder(radius=1.0, length=2.0))),
        ("vis_same_names", (METRE_BOX, Sphere(radius=1.0))),
        ("vis_empty_geometry", (SMALL_BOX,)),
        ("vis_no_geometry", (SMALL_BOX,)),
        ("vis_two_shapes", (METRE_BOX,)),
        ("vis_capsule", (Capsule(radius=0.1, length=1.0),)),
        ("vis_unknown_shape", (SMALL_BOX,)),
        ("vis_zero_size", (NO_BOX, Sphere(radius=0.0), Cylinder(radius=0.0, length=0.0))),
        ("vis_negative_size", (METRE_BOX, Sphere(radius=1.0))),
    ],
)
def test_shapes(
    quirk: str, shapes: tuple[object, ...], visuals_of: Callable[..., tuple[Visual, ...]]
) -> None:
    assert tuple(visual.geometry for visual in visuals_of(quirk)) == shapes


@pytest.mark.parametrize(
    ("quirk", "scale"),
    [
        ("scale_mm", (0.001, 0.001, 0.001)),
        ("scale_one_number", (0.5, 0.5, 0.5)),
        ("scale_negative", (1.0, -1.0, 1.0)),
        ("scale_zero", (1.0, 0.0, 1.0)),
        ("scale_nonuniform", (1.0, 2.0, 3.0)),
        ("scale_empty", (1.0, 1.0, 1.0)),
    ],
)
def test_scales(
    quirk: str,
    scale: tuple[float, float, float],
    visuals_of: Callable[..., tuple[Visual, ...]],
) -> None:
    (visual,) = visuals_of(quirk)
    assert visual.geometry == Mesh(filename="package://q_pkg/meshes/m.stl", scale=scale)


@pytest.mark.parametrize(
    ("quirk", "filename"),
    [
        ("uri_backslash", "..\\meshes\\m.stl"),
        ("uri_outer_space", " package://q_pkg/meshes/m.stl "),
        ("uri_find", "$(find q_pkg)/meshes/m.stl"),
        ("uri_empty", " "),
        ("uri_unicode", "package://q_pkg/meshes/über.stl"),
    ],
)
def test_filenames_are_as_written(
    quirk: str, filename: str, visuals_of: Callable[..., tuple[Visual, ...]]
) -> None:
    (visual,) = visuals_of(quirk)
    assert visual.geometry == Mesh(filename=filename)


@pytest.mark.parametrize(
    ("quirk", "colors"),
    [
        ("mat_empty_names", [RED, GREEN]),
        ("mat_no_name", [RED, None]),
        ("mat_later", [BLUE, None]),
        ("mat_later_in_other_link", [BLUE, BLUE]),
        ("mat_undefined", [None, None]),
        ("mat_redefined", [RED, RED]),
        ("mat_top_twice", [RED, None]),
        ("mat_rgb_only", [RED, None]),
        ("mat_255", [(1.0, 128.0 / 255.0, 0.0, 1.0), None]),
        ("mat_gazebo_name", [None, None]),
    ],
)
def test_colors(quirk: str, colors: list[object], robot_of: Callable[[str], Robot]) -> None:
    robot = robot_of(quirk)
    definitions = robot.material_definitions()
    found = [resolve_material(link.visuals[0].material, definitions) for link in robot.links]
    assert [material and material.color for material in found] == colors


def test_textures_and_gazebo_materials(robot_of: Callable[[str], Robot]) -> None:
    (visual,) = robot_of("mat_texture_missing").links[0].visuals
    assert visual.material == Material(name="c", texture="package://q_pkg/nope.png")
    (visual,) = robot_of("mat_texture_empty").links[0].visuals
    assert visual.material == Material(name="c")
    (extra,) = robot_of("mat_gazebo_name").extras
    assert "Gazebo/Orange" in extra.xml
    (collision,) = robot_of("mat_in_collision").links[0].collisions
    assert [extra.tag for extra in collision.extras] == ["material"]


def test_one_mesh_many_times(robot_of: Callable[[str], Robot]) -> None:
    robot = robot_of("mesh_reused_100")
    meshes = [visual.geometry for link in robot.links for visual in link.visuals]
    assert meshes.count(Mesh(filename="package://q_pkg/meshes/m.stl")) == 100


def test_a_limit_over_two_pi_is_kept(joint_of: Callable[..., Joint]) -> None:
    limit = joint_of("limit_over_2pi").limit
    assert limit is not None
    assert limit.upper is not None and limit.upper > 2.0 * math.pi
    zero_outside = joint_of("limit_zero_outside").limit
    assert zero_outside is not None and zero_outside.lower is not None
    assert zero_outside.lower > 0.0
