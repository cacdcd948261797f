# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of links: bases, fixed joints, masses, names. Nothing is lost on the way."""

from pathlib import Path

import numpy as np
import pytest

from support.webots.proto_check import Matrix, check
from support.webots.webots_robots import BOX, INERTIA, Small, joint, link
from urdf_importer import Diagnostics, KinematicsError, WebotsOptions, export_robot

VISUAL = f"<visual>{BOX}</visual>"
COLLISION = f"<collision>{BOX}</collision>"


# Bases


def test_a_base_footprint_and_its_link_make_one_body(tmp_path: Path) -> None:
    small = Small(
        tmp_path,
        link("base_footprint", None),
        link("base_link", 3.0),
        joint("standing", "fixed", "base_footprint", "base_link", xyz="0 0 0.5"),
    )
    checked = small.check()
    assert list(checked.solids) == ["small"]
    physics = checked.solids["small"]["physics"]
    assert physics["mass"] == 3.0 and physics["centerOfMass"] == [[0, 0, 0.5]]
    assert small.result.links["base_link"].def_name == "base_link"
    assert small.codes == []


def test_a_root_without_inertia_does_not_pin_the_robot(tmp_path: Path) -> None:
    small = Small(tmp_path, link("root", None), link("arm"), joint("j", "revolute", "root", "arm"))
    physics = small.check().solids["small"]["physics"]
    assert physics["mass"] == 0.001
    assert small.lines == [("webots-small-mass", 2)]


@pytest.mark.parametrize("base, static", [("auto", True), ("free", False), ("fixed", True)])
def test_a_robot_that_is_fixed_to_the_world(base: str, static: bool, tmp_path: Path) -> None:
    small = Small(
        tmp_path,
        link("world", None),
        link("base"),
        link("plate"),
        link("arm"),
        joint("standing", "fixed", "world", "base", xyz="0 0 1"),
        joint("bolted", "fixed", "base", "plate"),
        joint("turning", "revolute", "plate", "arm"),
        base=base,
    )
    checked = small.check()
    still = {solid["name"] for solid in checked.solids.values() if solid["physics"] is None}
    assert still == ({"small", "base", "plate"} if static else set())
    assert checked.solids["arm"]["physics"]["mass"] == 1.0
    small.assert_frames({"turning": 0.4}, {"turning": 0.4})


def test_a_floating_root_joint_is_a_free_robot(tmp_path: Path) -> None:
    small = Small(
        tmp_path,
        link("world", None),
        link("body"),
        link("arm"),
        joint("free", "floating", "world", "body", xyz="1 2 3"),
        joint("turning", "revolute", "body", "arm"),
        translation=(10.0, 0.0, 0.0),
    )
    checked = small.check()
    assert list(checked.solids) == ["small", "arm"] and len(checked.joints) == 1
    assert checked.solids["small"]["physics"]["mass"] == 1.0
    assert checked.pose("small")[:3, 3].tolist() == [11.0, 2.0, 3.0]
    assert set(small.result.links) == {"body", "arm"}


def test_where_and_how_the_robot_stands(tmp_path: Path) -> None:
    small = Small(tmp_path, link("body"), translation=(1.0, 2.0, 3.0), rotation=(0.1, -0.2, 0.3))
    pose = small.check().pose("small")
    truth = rotation(0.1, -0.2, 0.3)
    assert pose[:3, 3].tolist() == [1.0, 2.0, 3.0]
    assert np.abs(pose[:3, :3] - truth).max() < 1e-8


def rotation(roll: float, pitch: float, yaw: float) -> Matrix:
    def turn(axis: int, angle: float) -> Matrix:
        matrix = np.eye(3)
        i, j = (axis + 1) % 3, (axis + 2) % 3
        matrix[i, i] = matrix[j, j] = np.cos(angle)
        matrix[j, i], matrix[i, j] = np.sin(angle), -np.sin(angle)
        return matrix

    return turn(2, yaw) @ turn(1, pitch) @ turn(0, roll)


def test_several_roots_are_one_robot(tmp_path: Path) -> None:
    small = Small(tmp_path, link("one"), link("two"))
    assert set(small.check().solids) == {"small", "two"}
    assert small.lines == [("several-roots", 3), ("webots-joined-root", 3)]


# Fixed joints


def frames_and_arms() -> tuple[str, ...]:
    """A frame without mass that carries two arms, a tip with a shape, and a weight."""
    return (
        link("base"),
        link("frame", None),
        link("left"),
        link("right"),
        link("tip", None, VISUAL + COLLISION),
        link("weight", 2.0),
        joint("mount", "fixed", "base", "frame", xyz="0 0 1", rpy="0.3 0.2 0.1"),
        joint("to_left", "revolute", "frame", "left", xyz="0 1 0", rpy="0.5 0 0", axis="1 0 1"),
        joint("to_right", "revolute", "frame", "right", xyz="0 -1 0", axis="0 1 0"),
        joint("to_tip", "fixed", "left", "tip", xyz="0.1 0.2 0.3", rpy="1 1 1"),
        joint("to_weight", "fixed", "left", "weight", xyz="1 0 0", rpy="0 0 1.5"),
    )


@pytest.mark.parametrize("fixed", ["keep", "merge"])
def test_a_massless_link_with_several_children_loses_none(fixed: str, tmp_path: Path) -> None:
    small = Small(tmp_path, *frames_and_arms(), fixed_joints=fixed)
    checked = small.check()
    weight = {"weight"} if fixed == "keep" else set()
    assert set(checked.solids) == {"small", "left", "right"} | weight
    assert "DEF frame Pose" in small.text and "DEF tip Pose" in small.text
    small.assert_frames({"to_left": 0.7, "to_right": -0.4}, {"to_left": 0.7, "to_right": -0.4})
    left = checked.solids["left"]
    assert len(left["visuals"]) == len(left["collisions"]) == 1
    assert small.codes == []


def test_merged_masses_add_up_about_their_common_centre(tmp_path: Path) -> None:
    """Two points of 1 kg and 3 kg, four metres apart along the turned axis of the second."""
    small = Small(
        tmp_path,
        link("base", 1.0),
        link("far", 3.0),
        joint("arm", "fixed", "base", "far", xyz="0 4 0", rpy="0 0 1.5707963267948966"),
        fixed_joints="merge",
    )
    physics = small.check().solids["small"]["physics"]
    assert physics["mass"] == 4.0
    assert physics["centerOfMass"][0] == pytest.approx([0, 3, 0])
    (ixx, iyy, izz), products = physics["inertiaMatrix"]
    assert (ixx, iyy, izz) == pytest.approx((12.02, 0.02, 12.02))
    assert products == pytest.approx([0, 0, 0])


def test_no_solid_without_physics_between_two_with_physics(tmp_path: Path) -> None:
    """The checker refuses that; a chain of massless frames on fixed and moving joints."""
    small = Small(
        tmp_path,
        link("base"),
        link("a", None),
        link("b", None, VISUAL),
        link("c", None),
        link("d"),
        joint("ja", "fixed", "base", "a"),
        joint("jb", "revolute", "a", "b", xyz="1 0 0"),
        joint("jc", "fixed", "b", "c", xyz="1 0 0"),
        joint("jd", "prismatic", "c", "d", xyz="1 0 0"),
    )
    checked = small.check()
    assert set(checked.solids) == {"small", "b", "d"}
    assert small.lines == [("webots-small-mass", 4)]
    small.assert_frames({"jb": 0.3, "jd": -0.2}, {"jb": 0.3, "jd": -0.2})


def test_links_that_are_only_seen_stay(tmp_path: Path) -> None:
    small = Small(
        tmp_path,
        link("base"),
        link("cover", None, VISUAL),
        link("wing", None, VISUAL),
        joint("screwed", "fixed", "base", "cover"),
        joint("hinged", "continuous", "base", "wing"),
    )
    checked = small.check()
    assert len(checked.solids["small"]["visuals"]) == 1
    assert len(checked.solids["wing"]["visuals"]) == 1


# Masses


def test_a_turned_inertia_is_turned_the_right_way(tmp_path: Path) -> None:
    inertial = (
        '<inertial><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><mass value="2"/>'
        '<inertia ixx="0.2" ixy="0.01" ixz="0.02" iyy="0.3" iyz="-0.03" izz="0.4"/></inertial>'
    )
    small = Small(tmp_path, link("body", None, inertial))
    physics = small.check().solids["small"]["physics"]
    turn = rotation(0.4, 0.5, 0.6)
    tensor = np.array([[0.2, 0.01, 0.02], [0.01, 0.3, -0.03], [0.02, -0.03, 0.4]])
    (a, b, c), (d, e, f) = physics["inertiaMatrix"]
    written = np.array([[a, d, e], [d, b, f], [e, f, c]])
    assert np.abs(written - turn @ tensor @ turn.T).max() < 1e-9
    assert physics["centerOfMass"] == [[0.1, 0.2, 0.3]]


@pytest.mark.parametrize("mass", ["0", "-2"])
def test_a_mass_that_is_none_is_never_written(mass: str, tmp_path: Path) -> None:
    body = f'<inertial><mass value="{mass}"/>{INERTIA}</inertial>'
    small = Small(tmp_path, link("body", None, body))
    assert small.check().solids["small"]["physics"]["mass"] == 0.001
    assert small.lines == [("webots-small-mass", 2)]


def with_inertia(xx: float, yy: float, zz: float, inside: str = "") -> str:
    tensor = f'<inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/>'
    return link("body", None, f'<inertial><mass value="2"/>{tensor}</inertial>{inside}')


@pytest.mark.parametrize("repair, moments", [
    ("keep", (1.0, 1.0, 5.0)),
    ("clamp", (2.5, 2.5, 5.0)),
    ("volume", (2 * (0.2**2 + 0.3**2) / 12, 2 * (0.1**2 + 0.3**2) / 12, 2 * 0.05 / 12)),
])  # fmt: skip
def test_inertias_that_no_body_has(repair: str, moments: tuple[float, ...], tmp_path: Path) -> None:
    small = Small(tmp_path, with_inertia(1.0, 1.0, 5.0, COLLISION), inertia=repair)
    written = written_moments(small)
    assert written == pytest.approx(moments, rel=1e-5)
    assert small.lines == ([] if repair == "keep" else [("webots-inertia-repaired", 2)])


def written_moments(small: Small) -> list[float]:
    checked = check(small.proto)
    assert checked.errors == ()
    moments: list[float] = checked.solids["small"]["physics"]["inertiaMatrix"][0]
    return moments


@pytest.mark.parametrize("repair", ["keep", "clamp", "volume"])
@pytest.mark.parametrize(
    "moments", [(1.0, 2.0, -0.1), (0.0, 0.0, 0.0), (-1.0, -1.0, -1.0), (0, 1, 1)]
)
def test_what_webots_refuses_is_repaired_always(
    repair: str, moments: tuple[float, float, float], tmp_path: Path
) -> None:
    small = Small(tmp_path, with_inertia(*moments), inertia=repair)
    assert min(written_moments(small)) > 0.0
    assert small.lines == [("webots-inertia-repaired", 2)]


def test_a_mass_without_inertia_gets_that_of_its_collisions(tmp_path: Path) -> None:
    body = '<inertial><mass value="12"/></inertial>' + COLLISION
    small = Small(tmp_path, link("body", None, body))
    assert written_moments(small) == pytest.approx([0.13, 0.1, 0.05])
    assert small.lines == [("webots-inertia-assumed", 2)]


def test_a_massless_link_can_weigh_what_its_collisions_do(tmp_path: Path) -> None:
    small = Small(tmp_path, link("body", None, COLLISION), inertia="volume")
    assert small.check().solids["small"]["physics"]["mass"] == pytest.approx(6.0)


# Names


def test_names_that_webots_can_not_take(tmp_path: Path) -> None:
    small = Small(
        tmp_path,
        link("2dof base"),
        link("DEF 3d_printed"),
        link("a:b"),
        link("a_b"),
        link("say &quot;hi&quot; \\ there"),
        joint("j 1", "revolute", "2dof base", "DEF 3d_printed"),
        joint("j:2", "revolute", "DEF 3d_printed", "a:b"),
        joint("a_b", "revolute", "a:b", "a_b"),
        joint("[x]{y}", "revolute", "a_b", "say &quot;hi&quot; \\ there"),
        name="my &quot;robot&quot;: 1",
    )
    checked = small.check()
    assert set(checked.solids) == {
        'my "robot"_ 1', "DEF 3d_printed", "a_b", "a_b_2", 'say "hi" \\ there',
    }  # fmt: skip
    assert small.result.links["a:b"].solid == "a_b"
    assert small.result.links["a_b"].solid == "a_b_2"
    assert [axis.motor for axis in small.result.axes] == ["j 1", "j_2", "a_b", "[x]{y}"]
    assert '# "a:b" is called "a_b" here.' in small.text
    assert '# the motor of "j:2" is called "j_2" here.' in small.text
    # What keeps its name is not told, nor that the root link is the Robot.
    assert small.text.count(" here.\n") == 3


def test_device_names_are_unique(tmp_path: Path) -> None:
    small = Small(
        tmp_path,
        link("a"),
        link("b"),
        link("c"),
        joint("arm", "revolute", "a", "b"),
        joint("arm_sensor", "revolute", "b", "c"),
    )
    small.check()
    names = [name for axis in small.result.axes for name in (axis.motor, axis.sensor)]
    assert len(set(names)) == 4


def test_paths_keep_their_letters(tmp_path: Path) -> None:
    folder = tmp_path / "my_package_of_packages"
    folder.mkdir()
    small = Small(folder, link("body"))
    assert small.result.files == (small.folder / "Small.proto",)


# Tool slot


def test_a_world_can_hang_tools_on_a_link(tmp_path: Path) -> None:
    elements = (
        link("base"),
        link("flange", None),
        joint("mount", "fixed", "base", "flange", xyz="0 0 1"),
    )
    small = Small(tmp_path, *elements, tool_slot="flange")
    small.check()
    world = small.folder / "world.wbt"
    world.write_text(
        '#VRML_SIM R2025a utf8\nEXTERNPROTO "Small.proto"\nWorldInfo { }\nViewpoint { }\n'
        'Small { toolSlot [ Solid { name "tool" translation 0 0 1 } ] }\n',
        encoding="utf-8",
    )
    checked = check(world)
    assert checked.errors == () and checked.pose("tool")[2, 3] == 2.0
    robot = small.robot
    with pytest.raises(KinematicsError, match="no link 'hand'"):
        export_robot(
            robot,
            tmp_path / "No.proto",
            options=WebotsOptions(tool_slot="hand"),
            diagnostics=Diagnostics(),
        )
    assert not (tmp_path / "No.proto").exists()


# Size


def test_a_chain_of_many_links(tmp_path: Path) -> None:
    """The checker recurses, so it is not asked; the export must neither recurse nor indent away."""
    count = 5000
    links = [link(f"l{i}") for i in range(count)]
    joints = [joint(f"j{i}", "revolute", f"l{i}", f"l{i + 1}") for i in range(count - 1)]
    small = Small(tmp_path, *links, *joints)
    assert len(small.result.axes) == count - 1 and small.text.count("HingeJoint {") == count - 1
    assert small.text.count("{") == small.text.count("}")
    assert len(small.text) < 2600 * count


def test_bodies_can_lose_speed_as_in_thick_air(tmp_path: Path) -> None:
    small = Small(tmp_path, link("body"), linear_damping=0.25, angular_damping=0.5)
    small.check()
    assert "damping Damping {\n        linear 0.25\n        angular 0.5\n" in small.text
    assert "Damping" not in Small(tmp_path, link("body")).text


def test_the_bodies_between_the_axes_of_a_planar_joint_are_told(tmp_path: Path) -> None:
    small = Small(tmp_path, link("a"), link("b"), joint("j", "planar", "a", "b"))
    assert small.lines == [("webots-small-mass", 4), ("webots-motor-default", 4)]
    masses = sorted(solid["physics"]["mass"] for solid in small.check().solids.values())
    assert masses == [0.001, 0.001, 1.0, 1.0]
