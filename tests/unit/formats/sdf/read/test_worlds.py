# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds of SDF: models by frames of the world and of each other, lights, the camera, the scene;
and worlds that are made to harm."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from support.seconds import within
from urdf_importer import Diagnostics, ImportOptions, ReadError, RobotError, list_models, read_robot
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.model.world import DescribedWorld, Tie
from urdf_importer.core.pipeline.files import find_files
from urdf_importer.core.pipeline.formats import read_world

BOX = (
    '<link name="l"><visual name="v"><geometry><box><size>1 1 1</size></box></geometry></visual>'
    "</link>"
)


def read(folder: Path, text: str, codes: tuple[str, ...] = ()) -> DescribedWorld:
    path = folder / "lab.world"
    path.write_text(f'<sdf version="1.9"><world name="lab">{text}</world></sdf>', encoding="utf-8")
    diagnostics = Diagnostics()
    world = read_world(find_files(path, ImportOptions()), ImportOptions(), diagnostics)
    assert tuple(each.code for each in diagnostics) == codes
    return world


def places(world: DescribedWorld) -> dict[str, np.ndarray]:
    return {each.robot.name: matrix_from_pose(each.place) for each in world.models}


def frame(x: float, y: float, z: float, *rpy: float) -> np.ndarray:
    made = np.eye(4)
    made[:3, 3] = x, y, z
    if rpy:
        made[:3, :3] = Rotation.from_euler("xyz", rpy).as_matrix()
    return made


def model(name: str, pose: str = "", more: str = "") -> str:
    return f'<model name="{name}">{pose}{BOX}{more}</model>'


def test_models_are_placed_by_frames_of_the_world_and_of_each_other(tmp_path: Path) -> None:
    folder = tmp_path / "crate"
    folder.mkdir()
    inner = model("crate", "<pose>9 9 9 0 0 0</pose>")
    (folder / "model.sdf").write_text(f'<sdf version="1.9">{inner}</sdf>')
    (folder / "model.config").write_text('<model><sdf version="1.9">model.sdf</sdf></model>')
    tool = '<frame name="tool" attached_to="l"><pose>0 0 1 0 0 0</pose></frame>'
    world = read(
        tmp_path,
        '<frame name="corner"><pose>1 2 0 0 0 1.5</pose></frame>'
        '<frame name="top" attached_to="corner"><pose>0 0 1 0 0 0</pose></frame>'
        + model("a", '<pose relative_to="top">1 0 0 0 0 0</pose>', tool)
        + model("b", '<pose relative_to="a::tool">0 0 0 0.5 0 0</pose>')
        + model("c", '<placement_frame>tool</placement_frame><pose relative_to="world"/>', tool)
        + "<include><uri>crate</uri><name>d</name><static>true</static>"
        '<pose relative_to="b">1 0 0 0 0 0</pose></include>'
        "<include><uri>crate</uri></include>",
    )
    a = frame(1, 2, 0, 0, 0, 1.5) @ frame(0, 0, 1) @ frame(1, 0, 0)
    b = a @ frame(0, 0, 1, 0.5, 0, 0)
    expected = {"a": a, "b": b, "c": frame(0, 0, -1), "d": b @ frame(1, 0, 0)}
    found = places(world)
    assert list(found) == [*"abcd", "crate"]
    for name, place in expected.items():
        assert np.abs(found[name] - place).max() < 1e-12, name
    assert np.array_equal(found["crate"], frame(9, 9, 9))
    assert [each.robot.name for each in world.models if each.is_static] == ["d"]


def test_lights_camera_and_scene_are_read(tmp_path: Path) -> None:
    world = read(
        tmp_path,
        "<gravity>0 0 -1.6</gravity><scene><background>0.1 0.2 0.3 1</background></scene>"
        '<gui><camera name="eye"><pose>4 -4 3 0 0 0</pose></camera></gui>'
        '<light name="lamp" type="point"><pose>1 2 3 0 0 0</pose><diffuse>0.5 0.25 0 1</diffuse>'
        "<intensity>2</intensity><cast_shadows>false</cast_shadows></light>"
        '<light name="sun" type="directional"><direction>0 2 0</direction></light>'
        '<light name="spot" type="spot"><spot><outer_angle>0.5</outer_angle></spot></light>'
        '<light name="odd" type="glow"/><actor name="a"/>' + model("a"),
        codes=("world-not-read", "world-light"),
    )
    around = world.around
    assert around.text == '<actor name="a"/>'
    assert (around.gravity, around.background) == ((0.0, 0.0, -1.6), (0.1, 0.2, 0.3))
    lamp, sun, spot = around.lights
    assert (lamp.color, lamp.strength, lamp.shadows) == ((1.0, 0.5, 0.0), 1.0, False)
    shine = -matrix_from_pose(sun.place)[:3, 2]
    assert sun.kind == "sun" and np.allclose(shine, (0.0, 1.0, 0.0), atol=1e-12)
    assert spot.angle == 0.5
    assert around.view is not None
    # Gazebo's camera looks along x; a camera along -z, with y up.
    turn = matrix_from_pose(around.view.place)[:3, :3]
    assert np.allclose(-turn[:, 2], (1, 0, 0)) and np.allclose(turn[:, 1], (0, 0, 1))


STOCK = "<include><uri>model://{}</uri></include>"
FUEL = "<include><uri>https://fuel.gazebosim.org/1.0/OpenRobotics/models/{}</uri></include>"


@pytest.mark.parametrize(
    ("sun", "floor"),
    [
        (STOCK.format("sun"), STOCK.format("ground_plane")),
        (FUEL.format("Sun"), FUEL.format("Ground Plane")),
        (FUEL.format("Sun/3"), FUEL.format("Ground%20Plane/tip")),
    ],
)
def test_gazebos_sun_and_floor_are_built_in(sun: str, floor: str, tmp_path: Path) -> None:
    world = read(tmp_path, sun + floor)
    (light,) = world.around.lights
    assert (light.name, light.kind) == ("sun", "sun")
    assert np.allclose(matrix_from_pose(light.place)[:3, 3], (0.0, 0.0, 10.0))
    shines = -matrix_from_pose(light.place)[:3, 2]
    assert np.allclose(shines, np.array([-0.5, 0.1, -0.9]) / np.linalg.norm([0.5, 0.1, 0.9]))
    (plane,) = world.models
    assert (plane.robot.name, plane.is_static) == ("ground_plane", True)


def test_a_sun_is_placed_and_named_by_its_include(tmp_path: Path) -> None:
    placed = "<include><name>noon</name><pose>1 2 30 0 0 0</pose><uri>model://sun</uri></include>"
    world = read(tmp_path, STOCK.format("sun") + placed)
    assert [each.name for each in world.around.lights] == ["sun", "noon"]
    assert world.around.lights[1].place.xyz == (1.0, 2.0, 30.0)


def test_lights_of_the_models_beside_a_world_count(tmp_path: Path) -> None:
    for name, content in (
        ("sun", '<light name="own" type="point"><pose>0 0 3 0 0 0</pose></light>'),
        ("ground_plane", model("ground_plane")),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.sdf").write_text(f'<sdf version="1.9">{content}</sdf>')
        config = '<model><sdf version="1.9">model.sdf</sdf></model>'
        (tmp_path / name / "model.config").write_text(config)
    world = read(tmp_path, STOCK.format("sun") + STOCK.format("ground_plane"))
    assert [(each.name, each.kind) for each in world.around.lights] == [("own", "point")]
    assert not world.models[0].is_static


def test_a_robot_on_the_built_in_floor_is_the_only_model(tmp_path: Path) -> None:
    path = tmp_path / "lab.world"
    inner = STOCK.format("sun") + STOCK.format("ground_plane") + model("robot")
    path.write_text(f'<sdf version="1.9"><world name="lab">{inner}</world></sdf>')
    assert list_models(path) == ("robot",)
    assert read_robot(path).name == "robot"
    other = STOCK.format("moon")
    path.write_text(f'<sdf version="1.9"><world name="lab">{other}</world></sdf>')
    with pytest.raises(ReadError, match="moon"):
        read_robot(path)


def test_models_without_links_or_place_are_left_out(tmp_path: Path) -> None:
    text = '<model name="bare"/>' + model("a") + model("a")
    text += model("lost", '<pose relative_to="nowhere"/>')
    codes = ("sdf-duplicate-name", "world-no-links", "sdf-unknown-frame")
    assert list(places(read(tmp_path, text, codes))) == ["a"]


@pytest.mark.parametrize(
    ("kind", "codes"), [("fixed", ()), ("revolute", ("sdf-world-joint",))], ids=["held", "moving"]
)
def test_joints_between_models_hang_one_on_the_other(
    kind: str, codes: tuple[str, ...], tmp_path: Path
) -> None:
    joint = f'<joint name="j" type="{kind}"><parent>a::l</parent><child>b</child></joint>'
    world = read(tmp_path, model("a") + model("b") + joint, codes=codes)
    assert list(places(world)) == ["a", "b"]
    assert world.ties == (Tie(model="b", parent="a", link="l"),)


def test_rings_of_thousands_of_joints_between_models_are_found_soon(tmp_path: Path) -> None:
    count = 2_000
    joint = '<joint name="j" type="fixed"><parent>m{}</parent><child>m{}</child></joint>'
    joints = [joint.format(number, number + 1) for number in range(count - 1)]
    joints += [joint.format(count - 1, 0)] * count
    text = "".join(model(f"m{number}") for number in range(count)) + "".join(joints)
    for _ in within(3.0):
        world = read(tmp_path, text, codes=("sdf-world-joint",) * count)
    assert len(world.ties) == count - 1


@pytest.mark.parametrize("where", ["{}", "{}::l"])
def test_models_may_be_placed_by_each_other_in_a_long_row_or_in_a_ring(
    tmp_path: Path, where: str
) -> None:
    count = 2_000
    base = [where.format(f"m{number + 1}") for number in range(count)]
    row = [
        model(f"m{number}", f'<pose relative_to="{name}">1 0 0 0 0 0</pose>')
        for number, name in enumerate(base)
    ]
    found = places(read(tmp_path, "".join(row) + model(f"m{count}")))
    assert found["m0"][0, 3] == count
    ring = "".join(row) + row[0].replace("m0", f"m{count}").replace(where.format("m1"), "m0")
    assert not read(tmp_path, ring, codes=("sdf-frame-ring",) * (count + 1)).models


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (model("a", "<pose>nan 0 0 0 0 0</pose>"), "'nan' in <pose> is not a number"),
        ('<light type="point"><pose>0 0 inf 0 0 0</pose></light>', "six finite numbers"),
        ("<gravity>0 0 1e40</gravity>", "three finite numbers"),
        ("".join(f'<model name="{n}"/>' for n in range(20_001)), "more than 20000 links and mod"),
    ],
)
def test_hostile_worlds_are_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(ReadError, match=sentence):
        read(tmp_path, text)


def test_a_world_that_includes_itself_goes_on_without(tmp_path: Path) -> None:
    text = "<include><uri>lab.world</uri><name>me</name></include>" + model("a")
    assert list(places(read(tmp_path, text, codes=("sdf-include",)))) == ["a"]


def test_a_robot_of_urdf_is_no_world(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text('<robot name="arm"><link name="a"/></robot>')
    with pytest.raises(RobotError, match="describes one robot; worlds are SDF or MuJoCo"):
        read_world(find_files(path, ImportOptions()), ImportOptions(), Diagnostics())
