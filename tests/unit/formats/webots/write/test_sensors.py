# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors of all dialects as Webots devices: which, where, and with what numbers."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.gazebo_sensors import OPTICAL, POSE, sensor, turned
from support.webots.webots_robots import BOX, Small, joint, link
from urdf_importer import forward_kinematics

COLLISION = f"<collision>{BOX}</collision>"


def robot(folder: Path, *elements: str, **options: Any) -> Small:
    """A head that turns on a body."""
    return Small(
        folder,
        link("body", inside=COLLISION),
        link("head", inside=COLLISION),
        joint("neck", "revolute", "body", "head", xyz="0 0 1", rpy="0.1 0.2 0.3"),
        *elements,
        **options,
    )


def device(small: Small, name: str = "eye") -> dict[str, Any]:
    found: dict[str, Any] = small.check().solids[name]
    return found


def in_head(small: Small, name: str = "eye") -> Any:
    """The device's frame in the link head."""
    checked = small.check()
    return np.linalg.inv(checked.pose("head")) @ checked.pose(name)


# Every type, classic and new


@pytest.mark.parametrize(
    "kind, devices",
    [
        ("camera", {"eye": "Camera"}),
        ("wideanglecamera", {"eye": "Camera"}),
        ("wideangle_camera", {"eye": "Camera"}),
        ("depth", {"eye": "RangeFinder"}),
        ("depth_camera", {"eye": "RangeFinder"}),
        ("rgbd", {"eye_color": "Camera", "eye_depth": "RangeFinder"}),
        ("rgbd_camera", {"eye_color": "Camera", "eye_depth": "RangeFinder"}),
        ("ray", {"eye": "DistanceSensor"}),
        ("gpu_ray", {"eye": "DistanceSensor"}),
        ("lidar", {"eye": "DistanceSensor"}),
        ("gpu_lidar", {"eye": "DistanceSensor"}),
        ("sonar", {"eye": "DistanceSensor"}),
        (
            "imu",
            {
                "eye_accelerometer": "Accelerometer",
                "eye_gyro": "Gyro",
                "eye_inertial_unit": "InertialUnit",
            },
        ),
        ("contact", {"eye": "TouchSensor"}),
        ("gps", {"eye": "GPS"}),
        ("navsat", {"eye": "GPS"}),
        ("magnetometer", {"eye": "Compass"}),
        ("altimeter", {"eye": "Altimeter"}),
    ],
)
def test_every_type_has_its_devices(kind: str, devices: dict[str, str], tmp_path: Path) -> None:
    small = robot(tmp_path, sensor(kind, POSE))
    checked = small.check()
    found = {s["name"]: s["type"] for s in checked.tree["solids"]}
    assert {name: found[name] for name in found if name.startswith("eye")} == devices
    if kind == "contact":
        return  # feels with the collisions, wherever its pose is
    for name in devices:
        frame = in_head(small, name)
        assert frame[:3, 3] == pytest.approx([0.1, 0.2, 0.3], abs=1e-8)
        assert frame[:3, :3] == pytest.approx(turned(0.4, -0.5, 0.6), abs=1e-8)


@pytest.mark.parametrize("kind", ["thermal", "logical_camera", "wireless_receiver", "air_pressure"])
def test_what_webots_does_not_have_is_lost_with_its_line(kind: str, tmp_path: Path) -> None:
    small = robot(tmp_path, sensor(kind))
    small.check()
    assert small.lines == [("webots-sensor-dropped", 5)]
    (item,) = small.diagnostics
    assert item.severity.value == "error" and kind in item.message and item.subject == "eye"


@pytest.mark.parametrize(
    "text, reason",
    [
        (sensor("camera", reference="tail"), "not a link"),
        (sensor("camera", reference="neck"), "only force sensors"),
        ('<gazebo><sensor type="camera" name="eye"/></gazebo>', "names no link"),
        ('<gazebo reference="head"><sensor name="eye"/></gazebo>', "has no type"),
        (sensor("multicamera"), "has no camera"),
    ],
)
def test_sensors_that_are_nowhere_are_lost(text: str, reason: str, tmp_path: Path) -> None:
    small = robot(tmp_path, text)
    small.check()
    assert small.lines == [("webots-sensor-dropped", 5)]
    assert reason in next(iter(small.diagnostics)).message


def test_without_sensors_by_option(tmp_path: Path) -> None:
    small = robot(tmp_path, sensor("camera"), sensor("thermal"), sensors=False)
    assert "eye" not in small.check().solids and small.codes == []


# Cameras


def test_a_camera_with_all_numbers(tmp_path: Path) -> None:
    small = robot(
        tmp_path,
        sensor(
            "camera",
            "<camera><horizontal_fov>1.25</horizontal_fov>"
            "<image><width>320</width><height>200</height></image>"
            "<clip><near>0.02</near><far>55</far></clip>"
            "<noise><type>gaussian</type><mean>0</mean><stddev>0.007</stddev></noise>"
            "<distortion><k1>-0.25</k1><k2>0.12</k2><k3>0</k3><p1>-0.01</p1><p2>0.02</p2>"
            "<center>0.4 0.6</center></distortion></camera>",
        ),
    )
    assert device(small)["fields"] == {
        "name": "eye",
        "fieldOfView": 1.25,
        "width": 320,
        "height": 200,
        "near": 0.02,
        "far": 55,
        "noise": 0.007,
    }
    assert "radialCoefficients -0.25 0.12" in small.text
    assert "tangentialCoefficients -0.01 0.02" in small.text and "center 0.4 0.6" in small.text
    assert small.codes == []


@pytest.mark.parametrize(
    "angle, projection", [(3.0, None), (math.pi, "cylindrical"), (4.5, "cylindrical")]
)
def test_half_a_turn_is_no_plane(angle: float, projection: str | None, tmp_path: Path) -> None:
    inside = f"<camera><horizontal_fov>{angle}</horizontal_fov></camera>"
    for kind in ("camera", "depth_camera"):
        fields = device(robot(tmp_path, sensor(kind, inside)))["fields"]
        assert fields.get("projection") == projection
        assert fields["fieldOfView"] == pytest.approx(angle)
    wide = device(robot(tmp_path, sensor("wideangle_camera", inside)))["fields"]
    assert wide["projection"] == "spherical"


def test_what_a_camera_loses_is_said(tmp_path: Path) -> None:
    inside = (
        "<camera><image><width>64</width><height>48</height><format>L8</format></image>"
        "<noise><mean>0.1</mean><stddev>0.01</stddev></noise></camera>"
    )
    small = robot(tmp_path, sensor("camera", inside))
    small.check()
    assert small.lines == [("webots-sensor-changed", 5)]
    message = next(iter(small.diagnostics)).message
    assert "coloured" in message and "no mean" in message


def test_a_depth_camera_measures_between_its_planes(tmp_path: Path) -> None:
    inside = (
        "<camera><clip><near>0.4</near><far>8</far></clip><depth_camera><clip><far>5</far></clip>"
        "</depth_camera><noise><stddev>0.02</stddev></noise></camera>"
    )
    fields = device(robot(tmp_path, sensor("depth_camera", inside)))["fields"]
    assert (fields["near"], fields["minRange"], fields["maxRange"]) == (0.4, 0.4, 5)
    assert fields["noise"] == pytest.approx(0.02 / 5)


def test_a_classic_kinect_sees_colours_too(tmp_path: Path) -> None:
    inside = (
        "<camera><image><width>928</width><height>800</height></image></camera>"
        '<plugin name="k" filename="libgazebo_ros_openni_kinect.so">'
        "<cameraName>face</cameraName><imageTopicName>color/image_raw</imageTopicName></plugin>"
    )
    checked = robot(tmp_path, sensor("depth", inside)).check()
    color, depth = checked.solids["eye_color"], checked.solids["eye_depth"]
    assert color["type"] == "Camera" and depth["type"] == "RangeFinder"
    for word in ("width", "height", "fieldOfView"):
        assert color["fields"][word] == depth["fields"][word]
    assert np.array(color["pose"]) == pytest.approx(np.array(depth["pose"]))


def test_each_camera_of_several_has_its_own_pose(tmp_path: Path) -> None:
    inside = (
        "<pose>0 0 0.1 0 0 0</pose>"
        '<camera name="left"><pose>0 0.05 0 0 0 0.1</pose></camera>'
        '<camera name="right"><pose>0 -0.05 0 0 0 -0.1</pose></camera>'
    )
    small = robot(tmp_path, sensor("multicamera", inside))
    left, right = in_head(small, "eye_left"), in_head(small, "eye_right")
    assert left[:3, 3] == pytest.approx([0, 0.05, 0.1], abs=1e-8)
    assert right[:3, :3] == pytest.approx(turned(0, 0, -0.1), abs=1e-8)


def test_urdfs_own_camera_looks_along_z(tmp_path: Path) -> None:
    small = robot(
        tmp_path,
        '<sensor name="eye" update_rate="20"><parent link="head"/>'
        '<origin xyz="0.1 0 0" rpy="0 0 0.5"/><camera>'
        '<image width="640" height="480" hfov="1.5708" format="RGB8" near="0.01" far="50.0"/>'
        "</camera></sensor>",
    )
    frame = in_head(small)
    assert frame[:3, :3] == pytest.approx(turned(0, 0, 0.5) @ OPTICAL, abs=1e-8)
    fields = device(small)["fields"]
    assert (fields["width"], fields["height"], fields["fieldOfView"]) == (640, 480, 1.5708)
    assert (fields["near"], fields["far"]) == (0.01, 50)


def test_the_oldest_dialect_counts_in_degrees(tmp_path: Path) -> None:
    small = robot(
        tmp_path,
        '<gazebo reference="head"><sensor:camera name="eye"><imageSize>2448 2050</imageSize>'
        "<hfov>45</hfov><nearClip>0.2</nearClip><farClip>90</farClip></sensor:camera></gazebo>",
        '<gazebo reference="head"><sensor:ray name="laser"><rayCount>640</rayCount>'
        "<minAngle>-90</minAngle><maxAngle>30</maxAngle><minRange>0.05</minRange>"
        "<maxRange>10.0</maxRange><resRange>0.01</resRange>"
        '<controller:gazebo_ros_laser name="c" plugin="p.so"><gaussianNoise>0.005</gaussianNoise>'
        "</controller:gazebo_ros_laser></sensor:ray></gazebo>",
    )
    camera = device(small)["fields"]
    assert (camera["width"], camera["height"]) == (2448, 2050)
    assert camera["fieldOfView"] == pytest.approx(math.pi / 4)
    assert (camera["near"], camera["far"]) == (0.2, 90)
    laser = device(small, "laser")["fields"]
    assert laser["horizontalResolution"] == 640 and laser["resolution"] == 0.01
    assert laser["fieldOfView"] == pytest.approx(math.radians(120))
    assert laser["noise"] == pytest.approx(0.0005)
    frame = in_head(small, "laser")
    assert frame[:3, :3] == pytest.approx(turned(0, 0, math.radians(-30)), abs=1e-8)


# Rays


def scan(horizontal: tuple[int, float, float], vertical: tuple[int, float, float]) -> str:
    def part(word: str, fan: tuple[int, float, float]) -> str:
        return (
            f"<{word}><samples>{fan[0]}</samples><min_angle>{fan[1]}</min_angle>"
            f"<max_angle>{fan[2]}</max_angle></{word}>"
        )

    return f"<scan>{part('horizontal', horizontal)}{part('vertical', vertical)}</scan>"


RANGE = "<range><min>0.3</min><max>40</max></range>"


@pytest.mark.parametrize("box", ["ray", "lidar"])
def test_a_lidar_points_at_the_middle_of_its_scan(box: str, tmp_path: Path) -> None:
    inside = f"{POSE}<{box}>{scan((720, -0.5, 1.5), (16, -0.3, 0.1))}{RANGE}</{box}>"
    small = robot(tmp_path, sensor("gpu_lidar", inside))
    fields = device(small)["fields"]
    assert (fields["horizontalResolution"], fields["numberOfLayers"]) == (720, 16)
    assert fields["fieldOfView"] == pytest.approx(2.0)
    assert fields["verticalFieldOfView"] == pytest.approx(0.4)
    assert fields["tiltAngle"] == pytest.approx(-0.1)
    assert (fields["near"], fields["minRange"], fields["maxRange"]) == (0.3, 0.3, 40)
    expected = turned(0.4, -0.5, 0.6) @ turned(0, 0, 0.5)
    assert in_head(small)[:3, :3] == pytest.approx(expected, abs=1e-8)


def test_webots_can_hold_all_layers_of_a_flat_scan(tmp_path: Path) -> None:
    """layers < height * columns / width, as its manual wants."""
    for fan, up in (((640, -2.0, 2.0), (1, 0, 0)), ((100, -3.14, 3.14), (8, -0.01, 0.01))):
        inside = f"<ray>{scan(fan, up)}{RANGE}</ray>"
        f = device(robot(tmp_path, sensor("ray", inside)))["fields"]
        columns = f["verticalFieldOfView"] * f["horizontalResolution"] / f["fieldOfView"]
        assert f["numberOfLayers"] < columns


def test_a_full_turn_is_the_most(tmp_path: Path) -> None:
    inside = f"<ray>{scan((360, -3.2, 3.2), (1, 0, 0))}{RANGE}</ray>"
    fields = device(robot(tmp_path, sensor("ray", inside)))["fields"]
    assert fields["fieldOfView"] == pytest.approx(2 * math.pi)


def test_one_ray_is_a_distance_sensor_along_it(tmp_path: Path) -> None:
    inside = (
        f"<ray>{scan((1, 0.3, 0.3), (1, 0.2, 0.2))}<range><min>0.1</min><max>5</max></range>"
        "<noise><stddev>0.01</stddev></noise></ray>"
    )
    small = robot(tmp_path, sensor("ray", inside))
    fields = device(small)["fields"]
    assert fields["type"] == "laser"
    table = fields["lookupTable"]
    assert table[0][:2] == [0.1, 0.1] and table[-1][:2] == [5, 5]
    # Noise is a share of the distance, so that it is 0.01 m at each of the table's distances.
    assert [distance * share for distance, _, share in table] == pytest.approx([0.01] * len(table))
    assert [row[0] for row in table] == sorted({row[0] for row in table})
    ray = in_head(small)[:3, 0]
    up = math.sin(0.2)
    assert ray == pytest.approx(
        [math.cos(0.2) * math.cos(0.3), math.cos(0.2) * math.sin(0.3), up], abs=1e-8
    )


@pytest.mark.parametrize("radiation, kind", [("ultrasound", "sonar"), ("infrared", "generic")])
def test_a_range_plugin_makes_one_distance(radiation: str, kind: str, tmp_path: Path) -> None:
    inside = (
        f"<ray>{scan((5, -0.2, 0.2), (5, -0.1, 0.1))}<range><min>0.02</min><max>4</max></range>"
        '</ray><plugin name="p" filename="libgazebo_ros_range.so">'
        f"<radiation>{radiation}</radiation></plugin>"
    )
    small = robot(tmp_path, sensor("ray", inside))
    fields = device(small)["fields"]
    assert (fields["type"], fields["aperture"]) == (kind, pytest.approx(0.4))
    assert fields["lookupTable"] == [[0.02, 0.02, 0], [4, 4, 0]]
    assert small.codes == ([] if kind == "sonar" else ["webots-sensor-changed"])


def test_a_sonar_opens_as_its_cone(tmp_path: Path) -> None:
    inside = "<sonar><min>0.1</min><max>2</max><radius>0.5</radius></sonar>"
    fields = device(robot(tmp_path, sensor("sonar", inside)))["fields"]
    assert fields["type"] == "sonar"
    assert fields["aperture"] == pytest.approx(2 * math.atan2(0.5, 2))
    assert fields["lookupTable"][-1][:2] == [2, 2]


# Motion and place


def test_an_imu_says_what_noise_it_loses(tmp_path: Path) -> None:
    noise = "<imu><noise><rate><stddev>{}</stddev></rate></noise></imu>"
    assert robot(tmp_path, sensor("imu", noise.format("0.0"))).codes == []
    assert robot(tmp_path, sensor("imu", noise.format("2e-4"))).codes == ["webots-sensor-changed"]


def test_an_imu_without_orientation(tmp_path: Path) -> None:
    inside = "<imu><enable_orientation>0</enable_orientation></imu>"
    solids = robot(tmp_path, sensor("imu", inside)).check().solids
    assert "eye_gyro" in solids and "eye_inertial_unit" not in solids


def test_an_imu_on_a_fixed_base_measures_nothing(tmp_path: Path) -> None:
    small = robot(tmp_path, sensor("imu", reference="body"), base="fixed")
    small.check()
    assert small.lines == [("webots-sensor-dropped", 5)]


def test_noise_of_place_and_height(tmp_path: Path) -> None:
    def noise(words: str, deviation: float) -> str:
        opening, *inner = words.split()
        middle = "".join(f"<{w}>" for w in inner)
        closing = "".join(f"</{w}>" for w in reversed(inner))
        return (
            f"<{opening}>{middle}<noise><stddev>{deviation}</stddev></noise>{closing}</{opening}>"
        )

    navsat = (
        "<navsat>"
        + noise("position_sensing horizontal", 0.5)
        + noise("velocity_sensing vertical", 0.1)
        + "</navsat>"
    )
    small = robot(
        tmp_path,
        sensor("navsat", navsat),
        sensor("altimeter", f"<altimeter>{noise('vertical_position', 0.2)}</altimeter>", "height"),
    )
    checked = small.check()
    assert checked.solids["eye"]["fields"]["accuracy"] == 0.5
    assert checked.solids["eye"]["fields"]["speedNoise"] == 0.1
    assert checked.solids["height"]["fields"]["accuracy"] == 0.2
    assert small.lines == [("webots-sensor-changed", 5)]  # one noise in all directions


# Touch


def test_a_bumper_takes_the_collisions_it_names(tmp_path: Path) -> None:
    def ball(name: str, radius: float) -> str:
        shape = f'<geometry><sphere radius="{radius}"/></geometry>'
        return f'<collision name="{name}"><origin xyz="{radius} 0 0"/>{shape}</collision>'

    def bumper(name: str, collision: str) -> str:
        inside = f"<contact><collision>{collision}</collision></contact>"
        return sensor("contact", inside, name, "foot")

    small = Small(
        tmp_path,
        link("body"),
        link("foot", inside=ball("toe", 0.1) + ball("heel", 0.2) + ball("ankle", 0.3)),
        joint("leg", "revolute", "body", "foot"),
        '<gazebo reference="foot"><mu1>0.7</mu1><mu2>0.7</mu2></gazebo>',
        bumper("toe_bumper", "toe"),
        bumper("heel_bumper", "heel"),
        bumper("again", "heel"),
    )
    checked = small.check()

    def radii(name: str) -> list[float]:
        return [shape["radius"] for shape in checked.solids[name]["collisions"]]

    assert radii("toe_bumper") == [0.1] and radii("heel_bumper") == [0.2]
    assert radii("foot") == [0.3]
    assert small.text.count('contactMaterial "small friction 0.7"') == 3
    assert ("webots-sensor-dropped", 8) in small.lines
    assert checked.pose("toe_bumper") == pytest.approx(checked.pose("foot"))


def test_a_bumper_takes_all_where_it_names_none_that_is_there(tmp_path: Path) -> None:
    inside = "<contact><collision>head_collision_1</collision></contact>"
    checked = robot(tmp_path, sensor("contact", inside)).check()
    assert len(checked.solids["eye"]["collisions"]) == 1
    assert checked.solids["head"]["collisions"] == []


def test_a_bumper_on_nothing_is_lost(tmp_path: Path) -> None:
    small = Small(
        tmp_path,
        link("body"),
        link("head"),
        joint("neck", "revolute", "body", "head"),
        sensor("contact"),
    )
    small.check()
    assert small.lines == [("webots-sensor-dropped", 5)]


def force(reference: str, inside: str = "", name: str = "wrench") -> str:
    return sensor("force_torque", inside, name, reference)


def test_a_force_sensor_is_the_solid_on_its_joint(tmp_path: Path) -> None:
    small = Small(
        tmp_path,
        link("arm"),
        link("hand", inside=COLLISION),
        joint("wrist", "fixed", "arm", "hand", xyz="0 0 0.5"),
        force("wrist"),
    )
    checked = small.check()
    found = checked.solids["wrench"]
    assert found["type"] == "TouchSensor" and found["physics"]["mass"] == 1.0
    assert found["fields"]["type"] == "force-3d" and found["fields"]["lookupTable"] == []
    assert len(found["collisions"]) == 1
    assert small.result.links["hand"].solid == "wrench"
    assert small.lines == [("webots-sensor-changed", 5)]
    frames = forward_kinematics(small.robot, {})
    assert checked.pose("wrench") == pytest.approx(frames["hand"])


def test_a_force_sensor_whose_link_is_a_frame_measures_what_hangs_on_it(tmp_path: Path) -> None:
    small = Small(
        tmp_path,
        link("arm"),
        link("plate", None),
        link("hand"),
        joint("wrist", "fixed", "arm", "plate"),
        joint("bolts", "fixed", "plate", "hand", xyz="0 0 0.1"),
        force("wrist"),
    )
    found = small.check().solids["wrench"]
    assert found["type"] == "TouchSensor"
    # It has no collisions: a speck, so that Webots makes it a body.
    assert [shape["radius"] for shape in found["collisions"]] == [0.001]


@pytest.mark.parametrize(
    "kind, options",
    [("revolute", {}), ("fixed", {"fixed_joints": "merge"}), ("fixed", {"base": "fixed"})],
)
def test_force_sensors_that_webots_cannot_have_are_lost(
    kind: str, options: dict[str, Any], tmp_path: Path
) -> None:
    small = Small(
        tmp_path,
        link("arm"),
        link("hand"),
        joint("wrist", kind, "arm", "hand"),
        force("wrist"),
        **options,
    )
    small.check()
    assert ("webots-sensor-dropped", 5) in small.lines


def test_one_device_for_a_sensor_that_is_written_twice(tmp_path: Path) -> None:
    small = Small(
        tmp_path,
        link("arm"),
        link("hand"),
        joint("wrist", "fixed", "arm", "hand"),
        force("wrist"),
        '<sensor name="other" type="force_torque"><parent joint="wrist"/></sensor>',
    )
    checked = small.check()
    assert "other" not in checked.solids
    assert small.lines == [("webots-sensor-changed", 5), ("webots-sensor-changed", 6)]


# Names and structure


def test_names_are_free_of_joints_links_and_one_another(tmp_path: Path) -> None:
    small = robot(
        tmp_path, sensor("camera", name="neck"), sensor("camera", name="head"), *[sensor("gps")] * 2
    )
    checked = small.check()
    assert {name for name in checked.solids if checked.solids[name]["type"] == "Camera"} == {
        "neck_2",
        "head_2",
    }
    assert {"eye", "eye_2"} <= set(checked.solids)


def test_a_sensor_on_a_frame_of_a_solid(tmp_path: Path) -> None:
    """A massless link on a fixed joint is a Pose; the sensor stands in it."""
    small = Small(
        tmp_path,
        link("body"),
        link("mount", None),
        joint("screw", "fixed", "body", "mount", xyz="0.3 0 0.2", rpy="0 0.5 0"),
        sensor("camera", POSE, reference="mount"),
    )
    checked = small.check()
    expected = forward_kinematics(small.robot, {})["mount"].copy()
    expected[:3, 3] += expected[:3, :3] @ [0.1, 0.2, 0.3]
    expected[:3, :3] = expected[:3, :3] @ turned(0.4, -0.5, 0.6)
    assert checked.pose("eye") == pytest.approx(expected, abs=1e-8)


def test_a_massless_link_with_a_sensor_between_two_axes_stays(tmp_path: Path) -> None:
    """Two hinges would become one Hinge2Joint, and the link between them would be lost."""
    small = Small(
        tmp_path,
        link("body"),
        link("yoke", None),
        link("head"),
        joint("pan", "revolute", "body", "yoke"),
        joint("tilt", "revolute", "yoke", "head", axis="0 1 0"),
        sensor("camera", reference="yoke"),
    )
    assert "yoke" in small.result.links and "eye" in small.check().solids


def test_poses_in_degrees_and_as_quaternions(tmp_path: Path) -> None:
    half = math.sqrt(0.5)
    small = robot(
        tmp_path,
        sensor("gps", '<pose degrees="true">1 2 3 0 0 90</pose>', "one"),
        sensor("gps", f'<pose rotation_format="quat_xyzw">1 2 3 0 0 {half} {half}</pose>', "two"),
    )
    for name in ("one", "two"):
        assert in_head(small, name)[:3, :3] == pytest.approx(turned(0, 0, math.pi / 2), abs=1e-8)


def test_broken_numbers_and_xml_do_not_stop_an_export(tmp_path: Path) -> None:
    inside = (
        "<pose>a b c</pose><camera><horizontal_fov>wide</horizontal_fov>"
        "<image><width>-5</width><height>nan</height></image><clip><near>-1</near></clip></camera>"
    )
    fields = device(robot(tmp_path, sensor("camera", inside)))["fields"]
    assert fields["fieldOfView"] == 1.047 and fields["near"] == 0.001 and fields["width"] == 1
    for big in ("1e11", "1e300", "1e999", "inf"):
        picture = f"<image><width>{big}</width><height>{big}</height></image>"
        clip = f"<clip><near>{big}</near><far>{big}</far></clip>"
        for kind in ("camera", "depth_camera"):
            fields = device(robot(tmp_path, sensor(kind, f"<camera>{picture}{clip}</camera>")))
            assert fields["fields"]["width"] in (320, 16384)
        fan = f"<horizontal><samples>{big}</samples><max_angle>{big}</max_angle></horizontal>"
        limits = f"<range><min>{big}</min><max>{big}</max></range>"
        device(robot(tmp_path, sensor("ray", f"<ray><scan>{fan}</scan>{limits}</ray>")))
        device(robot(tmp_path, sensor("gps", f"<pose>{big} 0 0 0 0 0</pose>")))
    rays = f"<ray>{scan((0, 5.0, -5.0), (0, 0, 0))}<range><min>9</min><max>1</max></range></ray>"
    assert device(robot(tmp_path, sensor("ray", rays)))["type"] == "DistanceSensor"
