# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors of all dialects as components of MORSE: which, where, and with what numbers."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.gazebo_sensors import OPTICAL, POSE, sensor, turned
from support.webots.webots_robots import BOX, joint, link
from urdf_importer import Diagnostics, read_robot
from urdf_importer.core.gazebo.parts import KINDS
from urdf_importer_morse.sensors import SensorSuggestion, suggest_sensors

COLLISION = f'<collision><origin xyz="0.3 0 0" rpy="0 0 0.5"/>{BOX}</collision>'


class Suggested:
    """What is suggested for a head that turns on a body, and what is said about it. The first of
    `elements` stands in line 5."""

    def __init__(self, folder: Path, *elements: str) -> None:
        source = folder / "small.urdf"
        lines = (
            link("body", inside=COLLISION),
            link("head", inside=COLLISION),
            joint("neck", "revolute", "body", "head", xyz="0 0 1"),
            *elements,
        )
        text = "\n".join(lines)
        source.write_text(f'<robot name="small">\n{text}\n</robot>', encoding="utf-8")
        self.diagnostics = Diagnostics()
        robot = read_robot(source, diagnostics=Diagnostics())
        self.sensors = suggest_sensors(robot, self.diagnostics)

    @property
    def components(self) -> dict[str, str]:
        return {s.name: s.component for s in self.sensors}

    @property
    def lines(self) -> list[tuple[str, int]]:
        return [(item.code, item.line) for item in self.diagnostics]

    @property
    def message(self) -> str:
        (item,) = self.diagnostics
        return item.message

    def one(self, name: str = "eye") -> SensorSuggestion:
        (found,) = (s for s in self.sensors if s.name == name)
        return found

    def properties(self, name: str = "eye") -> dict[str, Any]:
        return dict(self.one(name).properties)


def cast(found: SensorSuggestion) -> Any:
    """(N, 3) unit vectors in the frame of the link: the rays that MORSE makes of the properties.

    Layers from the top; in each, degrees are counted up from half the window on the right while
    they are within half of it on the left. Numbers are kept in single precision.
    """
    p = {name: float(np.float32(value)) for name, value in found.properties}
    layers = int(p.get("layers", 1))
    rays = []
    for index in range(layers):
        slope = math.sin(math.radians(p.get("layer_separation", 0) * ((layers - 1) / 2 - index)))
        shift = 0.0 if index % 2 else p.get("layer_offset", 0.125 if layers > 1 else 0.0)
        angle = shift - p["scan_window"] / 2
        while angle <= shift + p["scan_window"] / 2:
            rays.append([math.cos(math.radians(angle)), math.sin(math.radians(angle)), slope])
            angle += p["resolution"]
    directions = np.array(rays) @ found.frame[:3, :3].T
    return directions / np.linalg.norm(directions, axis=1)[:, None]


def described(across: tuple[int, float, float], up: tuple[int, float, float]) -> Any:
    """(N, 3) unit vectors as Gazebo has them, from the top."""
    rays = [
        [math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)]
        for e in np.linspace(*up[1:], up[0])[::-1]
        for a in np.linspace(*across[1:], across[0])
    ]
    return np.array(rays)


def farthest(found: SensorSuggestion, expected: Any) -> float:
    """Radians from a described ray to the nearest that MORSE makes."""
    nearest = [np.min(np.linalg.norm(cast(found) - ray, axis=1)) for ray in expected]
    return 2 * math.asin(max(nearest) / 2)


# Every type


@pytest.mark.parametrize(
    ("kind", "components"),
    [
        ("camera", {"eye": "VideoCamera"}),
        ("wideanglecamera", {"eye": "VideoCamera"}),
        ("wideangle_camera", {"eye": "VideoCamera"}),
        ("depth", {"eye": "DepthCamera"}),
        ("depth_camera", {"eye": "DepthCamera"}),
        ("rgbd", {"eye_color": "VideoCamera", "eye_depth": "DepthCamera"}),
        ("rgbd_camera", {"eye_color": "VideoCamera", "eye_depth": "DepthCamera"}),
        ("logical_camera", {"eye": "SemanticCamera"}),
        ("ray", {"eye": "Infrared"}),
        ("gpu_ray", {"eye": "Infrared"}),
        ("lidar", {"eye": "Infrared"}),
        ("gpu_lidar", {"eye": "Infrared"}),
        ("sonar", {"eye": "Infrared"}),
        ("imu", {"eye": "IMU"}),
        ("contact", {"eye": "Collision"}),
        ("gps", {"eye": "GPS"}),
        ("navsat", {"eye": "GPS"}),
        ("magnetometer", {"eye": "Magnetometer"}),
        ("altimeter", {"eye": "Pose"}),
        ("air_pressure", {"eye": "Barometer"}),
    ],
)
def test_every_type_has_its_components(
    kind: str, components: dict[str, str], tmp_path: Path
) -> None:
    found = Suggested(tmp_path, sensor(kind, POSE))
    assert found.components == components
    for each in found.sensors:
        assert (each.link, each.line, each.frequency, each.topic) == ("head", 5, 0, "")
        if kind != "contact":
            assert each.frame[:3, 3] == pytest.approx([0.1, 0.2, 0.3], abs=1e-12)
            assert each.frame[:3, :3] == pytest.approx(turned(0.4, -0.5, 0.6), abs=1e-12)
        assert each.frame[3].tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (sensor("force_torque"), "'force_torque', which MORSE does not have"),
        (sensor("force_torque", reference="neck"), "'force_torque', which MORSE does not have"),
        (sensor("thermal"), "'thermal', which MORSE does not have"),
        (sensor("wide"), "'wide', which MORSE does not have"),
        (sensor("camera", reference="tail"), "not a link"),
        (sensor("camera", reference="neck"), "joint 'neck'"),
        ('<gazebo><sensor type="camera" name="eye"/></gazebo>', "names no link"),
        ('<gazebo reference="head"><sensor name="eye"/></gazebo>', "has no type"),
        (sensor("multicamera"), "has no camera"),
        (sensor("contact", reference="bare"), "no collisions"),
    ],
)
def test_what_morse_cannot_have_is_lost_with_its_line(
    text: str, reason: str, tmp_path: Path
) -> None:
    found = Suggested(tmp_path, text, link("bare"))
    assert found.sensors == () and found.lines == [("morse-sensor-dropped", 5)]
    (item,) = found.diagnostics
    assert item.severity.value == "error" and item.subject == "eye" and reason in item.message


def test_a_link_on_a_fixed_joint_carries_its_sensors(tmp_path: Path) -> None:
    found = Suggested(
        tmp_path,
        sensor("camera", reference="mount"),
        link("mount", None),
        joint("screw", "fixed", "head", "mount", xyz="0.3 0 0.2"),
    )
    assert found.one().link == "mount" and found.one().frame == pytest.approx(np.eye(4))


# Cameras


def test_a_camera_with_all_numbers(tmp_path: Path) -> None:
    inside = (
        "<update_rate>30</update_rate><topic>front/image_raw</topic>"
        "<camera><pose>0.01 0 0 0 0 0.2</pose><horizontal_fov>1.25</horizontal_fov>"
        "<image><width>320</width><height>200</height></image>"
        "<clip><near>0.02</near><far>55</far></clip></camera>"
    )
    found = Suggested(tmp_path, sensor("camera", inside))
    one = found.one()
    assert (one.frequency, one.topic, one.notes) == (30, "/front/image_raw", ())
    assert found.lines == []
    properties = found.properties()
    focal = properties.pop("cam_focal")
    assert properties == {"cam_width": 320, "cam_height": 200, "cam_near": 0.02, "cam_far": 55}
    # 32 mm wide, seen at the focal length.
    assert 2 * math.atan(16 / focal) == pytest.approx(1.25, abs=1e-12)
    assert one.frame[:3, 3] == pytest.approx([0.01, 0, 0])
    assert one.frame[:3, :3] == pytest.approx(turned(0, 0, 0.2))


def test_a_high_picture_is_fitted_along_its_height(tmp_path: Path) -> None:
    inside = (
        "<camera><horizontal_fov>0.8</horizontal_fov>"
        "<image><width>300</width><height>600</height></image></camera>"
    )
    found = Suggested(tmp_path, sensor("camera", inside))
    focal = found.properties()["cam_focal"]
    assert 2 * math.atan(16 * 300 / 600 / focal) == pytest.approx(0.8, abs=1e-12)
    assert found.lines == [("morse-sensor-changed", 5)] and "intrinsic" in found.message


@pytest.mark.parametrize("angle", [3.1, math.pi, 4.5])
def test_no_lens_sees_half_a_turn(angle: float, tmp_path: Path) -> None:
    inside = f"<camera><horizontal_fov>{angle}</horizontal_fov></camera>"
    found = Suggested(tmp_path, sensor("camera", inside))
    assert found.properties()["cam_focal"] == 1.0
    assert f"173 degrees across, not {math.degrees(angle):.3g}" in found.message
    wide = Suggested(tmp_path, sensor("wideanglecamera", inside))
    assert wide.lines == [("morse-sensor-changed", 5)] and "plane" in wide.message


def test_what_a_camera_loses_is_said_once(tmp_path: Path) -> None:
    inside = (
        "<camera><image><width>64</width><height>48</height><format>L8</format></image>"
        "<noise><stddev>0.01</stddev></noise><distortion><k1>0.1</k1></distortion></camera>"
    )
    found = Suggested(tmp_path, sensor("rgbd_camera", inside))
    assert found.lines == [("morse-sensor-changed", 5)]
    notes = found.one("eye_color").notes
    assert len(notes) == 4 and all(note in found.message for note in notes)
    assert found.one("eye_depth").notes == notes


def test_depths_are_measured_between_their_planes(tmp_path: Path) -> None:
    inside = (
        "<topic>kinect</topic><camera><clip><near>0.4</near><far>8</far></clip><depth_camera>"
        "<clip><far>5</far></clip></depth_camera></camera>"
    )
    found = Suggested(tmp_path, sensor("rgbd_camera", inside))
    color, depth = found.properties("eye_color"), found.properties("eye_depth")
    assert (color.pop("cam_near"), color.pop("cam_far")) == (0.4, 8)
    assert (depth.pop("cam_near"), depth.pop("cam_far")) == (0.4, 5)
    assert color == depth
    assert found.one("eye_color").topic == "/kinect"
    assert found.one("eye_depth").topic == "/kinect/points"


def test_a_classic_kinect_sees_colours_too(tmp_path: Path) -> None:
    inside = (
        '<plugin name="k" filename="libgazebo_ros_openni_kinect.so"><updateRate>10</updateRate>'
        "<cameraName>face</cameraName><imageTopicName>color/image_raw</imageTopicName>"
        "<pointCloudTopicName>face/points</pointCloudTopicName></plugin>"
    )
    found = Suggested(tmp_path, sensor("depth", inside))
    assert found.components == {"eye_color": "VideoCamera", "eye_depth": "DepthCamera"}
    assert {s.topic for s in found.sensors} == {"/face/color/image_raw", "/face/points"}
    assert {s.frequency for s in found.sensors} == {10}


def test_each_camera_of_several_has_its_own_pose(tmp_path: Path) -> None:
    inside = (
        "<pose>0 0 0.1 0 0 0</pose><topic>stereo</topic>"
        '<camera name="left"><pose>0 0.05 0 0 0 0.1</pose></camera>'
        '<camera name="right"><pose>0 -0.05 0 0 0 -0.1</pose></camera>'
    )
    found = Suggested(tmp_path, sensor("multicamera", inside))
    assert found.components == {"eye_left": "VideoCamera", "eye_right": "VideoCamera"}
    assert found.one("eye_left").frame[:3, 3] == pytest.approx([0, 0.05, 0.1])
    assert found.one("eye_right").frame[:3, :3] == pytest.approx(turned(0, 0, -0.1))
    assert found.one("eye_right").topic == "/stereo/right"


def test_urdfs_own_camera_looks_along_z(tmp_path: Path) -> None:
    found = Suggested(
        tmp_path,
        '<sensor name="eye" update_rate="20"><parent link="head"/>'
        '<origin xyz="0.1 0 0" rpy="0 0 0.5"/><camera>'
        '<image width="640" height="480" hfov="1.5708" format="RGB8" near="0.01" far="50.0"/>'
        "</camera></sensor>",
    )
    assert found.one().frame[:3, :3] == pytest.approx(turned(0, 0, 0.5) @ OPTICAL)
    assert found.properties() == {
        "cam_width": 640,
        "cam_height": 480,
        "cam_focal": pytest.approx(16, rel=1e-5),
        "cam_near": 0.01,
        "cam_far": 50,
    }
    assert found.one().frequency == 20 and found.lines == []


def test_the_oldest_dialect_counts_in_degrees(tmp_path: Path) -> None:
    found = Suggested(
        tmp_path,
        '<gazebo reference="head"><sensor:camera name="eye"><imageSize>2448 2050</imageSize>'
        "<hfov>45</hfov><nearClip>0.2</nearClip><farClip>90</farClip></sensor:camera></gazebo>",
        '<gazebo reference="head"><sensor:ray name="laser"><rayCount>640</rayCount>'
        "<minAngle>-90</minAngle><maxAngle>30</maxAngle><minRange>0.05</minRange>"
        "<maxRange>10.0</maxRange></sensor:ray></gazebo>",
    )
    assert found.properties()["cam_focal"] == pytest.approx(16 / math.tan(math.pi / 8))
    assert found.properties("laser")["scan_window"] == pytest.approx(120)
    assert found.one("laser").frame[:3, :3] == pytest.approx(turned(0, 0, math.radians(-30)))


def test_a_logical_camera_sees_objects(tmp_path: Path) -> None:
    inside = (
        "<logical_camera><near>0.5</near><far>2.5</far><horizontal_fov>1.0</horizontal_fov>"
        "<aspect_ratio>2</aspect_ratio></logical_camera>"
    )
    found = Suggested(tmp_path, sensor("logical_camera", inside))
    p = found.properties()
    assert p["cam_width"] == 2 * p["cam_height"] and p["relative"] is True
    assert (p["cam_near"], p["cam_far"]) == (0.5, 2.5)
    assert 2 * math.atan(16 / p["cam_focal"]) == pytest.approx(1.0)


# Rays


def scan(horizontal: tuple[int, float, float], vertical: tuple[int, float, float]) -> str:
    def part(word: str, fan: tuple[int, float, float]) -> str:
        return (
            f"<{word}><samples>{fan[0]}</samples><min_angle>{fan[1]}</min_angle>"
            f"<max_angle>{fan[2]}</max_angle></{word}>"
        )

    return f"<scan>{part('horizontal', horizontal)}{part('vertical', vertical)}</scan>"


FLAT = (1, 0.0, 0.0)
RANGE = "<range><max>40</max></range>"


@pytest.mark.parametrize(
    "fan",
    [
        (720, -0.5, 1.5),
        (2, -1.0, 1.0),
        (3, 0.2, 0.3),
        (640, -1.5708, 1.5708),
        (1081, -2.356194, 2.356194),
        (361, -math.pi, math.pi),
        (100_000, -3.1, 3.1),
    ],
)
def test_a_hokuyo_has_the_rays_of_a_flat_scan(
    fan: tuple[int, float, float], tmp_path: Path
) -> None:
    found = Suggested(tmp_path, sensor("gpu_lidar", f"<ray>{scan(fan, FLAT)}{RANGE}</ray>"))
    one = found.one()
    assert one.component == "Hokuyo" and found.properties()["laser_range"] == 40
    assert found.lines == []
    assert np.abs(cast(one) - described(fan, FLAT)).max() < 1e-5
    assert one.frame[:3, 0] == pytest.approx(turned(0, 0, (fan[1] + fan[2]) / 2)[:, 0])


def test_layers_are_as_described_where_they_lie_evenly(tmp_path: Path) -> None:
    fans = (91, -1.0, 2.0), (16, -math.radians(15), math.radians(15))
    found = Suggested(tmp_path, sensor("ray", f"{POSE}<ray>{scan(*fans)}{RANGE}</ray>"))
    one = found.one()
    assert one.component == "SickLDMRS" and found.properties()["layers"] == 16
    expected = described(*fans) @ turned(0.4, -0.5, 0.6).T
    made = cast(one)
    assert made.shape == expected.shape
    error = 2 * math.asin(np.linalg.norm(made - expected, axis=1).max() / 2)
    # MORSE's layers are even in another angle; the outermost are exact.
    outermost = np.linalg.norm((made - expected)[[0, 90, -91, -1]], axis=1)
    assert outermost.max() < 1e-5
    assert f"off by up to {math.degrees(error):.2g} degrees" in found.message
    assert math.degrees(error) < 0.3


def test_layers_of_one_side_get_the_others_too(tmp_path: Path) -> None:
    """All round, a scanner cannot be tilted."""
    fans = (36, -3.0, 3.0), (32, -0.5, 0.12)
    found = Suggested(tmp_path, sensor("lidar", f"<lidar>{scan(*fans)}{RANGE}</lidar>"))
    assert (
        found.properties()["layers"] == 51 and "51 layers of 36 rays, not 32 of 36" in found.message
    )
    assert found.one().frame == pytest.approx(np.eye(4))
    error = farthest(found.one(), described(*fans))
    assert f"off by up to {math.degrees(error):.2g} degrees" in found.message
    assert math.degrees(error) < 0.9


def test_layers_far_above_the_level_are_tilted(tmp_path: Path) -> None:
    fans = (21, -0.1, 0.1), (5, 0.5, 0.52)
    found = Suggested(tmp_path, sensor("ray", f"<ray>{scan(*fans)}{RANGE}</ray>"))
    assert found.properties()["layers"] == 5
    assert found.one().frame[:3, :3] == pytest.approx(turned(0, -0.51, 0))
    made, expected = cast(found.one()), described(*fans)
    assert made[52] == pytest.approx(expected[52], abs=1e-4)
    error = 2 * math.asin(np.linalg.norm(made - expected, axis=1).max() / 2)
    assert f"off by up to {math.degrees(error):.2g} degrees" in found.message


def test_a_single_layer_is_tilted(tmp_path: Path) -> None:
    fans = (21, -0.2, 0.2), (1, 0.3, 0.3)
    found = Suggested(tmp_path, sensor("ray", f"<ray>{scan(*fans)}{RANGE}</ray>"))
    made, expected = cast(found.one()), described(*fans)
    assert made[10] == pytest.approx(expected[10], abs=1e-5)
    # On the same great circle, not on the same cone.
    error = math.acos((made[0] @ expected[0]).clip(-1, 1))
    assert f"off by up to {math.degrees(error):.2g} degrees" in found.message


def test_steep_layers_end_where_morse_ends(tmp_path: Path) -> None:
    fans = (8, -1.0, 1.0), (3, -1.2, 1.2)
    found = Suggested(tmp_path, sensor("ray", f"<ray>{scan(*fans)}{RANGE}</ray>"))
    assert cast(found.one())[0, 2] == pytest.approx(math.sin(math.pi / 4), abs=1e-5)
    assert f"{math.degrees(1.2) - 45:.2g} degrees" in found.message


def test_rays_one_above_the_other_are_a_row_on_its_side(tmp_path: Path) -> None:
    fans = (1, 0.4, 0.4), (9, -0.2, 0.6)
    found = Suggested(tmp_path, sensor("ray", f"<ray>{scan(*fans)}{RANGE}</ray>"))
    assert found.one().component == "Hokuyo" and found.lines == []
    # MORSE begins on the right, which is below now.
    assert np.abs(cast(found.one()) - described(*fans)[::-1]).max() < 1e-5


def test_one_ray_looks_along_it(tmp_path: Path) -> None:
    fans = (1, 0.3, 0.3), (1, 0.2, 0.2)
    found = Suggested(tmp_path, sensor("ray", f"<ray>{scan(*fans)}{RANGE}</ray>"))
    assert found.one().component == "Infrared" and found.lines == []
    made = cast(found.one())
    assert made.shape == (1, 3) and np.abs(made - described(*fans)).max() < 1e-5
    assert found.properties()["scan_window"] > 0


def test_a_range_plugin_keeps_its_rays(tmp_path: Path) -> None:
    fans = (5, -0.2, 0.2), (3, -0.1, 0.1)
    inside = f'<ray>{scan(*fans)}{RANGE}</ray><plugin name="p" filename="libgazebo_ros_range.so"/>'
    found = Suggested(tmp_path, sensor("ray", inside))
    assert found.one().component == "Infrared"
    assert np.abs(cast(found.one()) - described(*fans)).max() < 1e-3
    assert "not one" in found.message


@pytest.mark.parametrize(("radius", "rays"), [(0.5, 81), (1e-300, 1)])
def test_a_sonar_fills_its_cone(radius: float, rays: int, tmp_path: Path) -> None:
    inside = f"<sonar><min>0.1</min><max>2</max><radius>{radius}</radius></sonar>"
    found = Suggested(tmp_path, sensor("sonar", inside))
    made = cast(found.one())
    assert found.one().component == "Infrared" and found.properties()["laser_range"] == 2
    half = math.atan2(radius, 2)
    assert len(made) == rays
    assert np.arctan2(made[:, 1], made[:, 0]).max() == pytest.approx(half, abs=1e-5)
    assert np.arctan2(made[:, 2], np.hypot(made[:, 0], made[:, 1])).max() == pytest.approx(
        half, abs=1e-5
    )


def test_what_a_scanner_loses_is_said(tmp_path: Path) -> None:
    inside = (
        f"<ray>{scan((5, -1, 1), FLAT)}<range><min>0.3</min><max>4</max><resolution>0.01"
        "</resolution></range><noise><stddev>0.1</stddev></noise></ray>"
    )
    found = Suggested(tmp_path, sensor("ray", inside))
    assert found.lines == [("morse-sensor-changed", 5)]
    for words in ("no noise", "not rounded", "nearer than 0.3 m"):
        assert words in found.message


def test_there_are_never_more_rays_than_can_be_made(tmp_path: Path) -> None:
    fans = (50_000, -1.0, 1.0), (3_000, -0.5, 0.5)
    found = Suggested(tmp_path, sensor("ray", f"<ray>{scan(*fans)}{RANGE}</ray>"))
    assert 50_000 < len(cast(found.one())) <= 100_000
    assert "1024 layers of 97 rays, not 3000 of 50000" in found.message
    fans = (9_000, -1.0, 1.0), (9, 0.1, 0.5)
    added = Suggested(tmp_path, sensor("ray", f"<ray>{scan(*fans)}{RANGE}</ray>"))
    assert added.properties()["layers"] == 21 and len(cast(added.one())) <= 100_000


# Motion, place and touch


def test_an_imu_that_joints_move_says_so(tmp_path: Path) -> None:
    inside = "<imu><enable_orientation>0</enable_orientation></imu>"
    found = Suggested(
        tmp_path,
        sensor("imu", inside, reference="body"),
        sensor("imu", inside, "bolted", "mount"),
        sensor("imu", inside, "nodding", "head"),
        sensor("imu", "", "turning", "body"),
        sensor("imu", "<imu><noise><rate><stddev>2e-4</stddev></rate></noise></imu>", "noisy"),
        sensor("imu", inside.replace("0", "1"), "asked", "body"),
        link("mount", None),
        joint("screw", "fixed", "body", "mount"),
    )
    changed = "morse-sensor-changed"
    assert found.lines == [(changed, 7), (changed, 8), (changed, 9), (changed, 10)]
    assert "joints" in found.one("nodding").notes[0]
    assert [len(s.notes) for s in found.sensors] == [0, 0, 1, 1, 3, 1]


def test_a_bumper_stands_where_it_is_touched(tmp_path: Path) -> None:
    def ball(name: str, x: float) -> str:
        shape = '<geometry><sphere radius="0.1"/></geometry>'
        return f'<collision name="{name}"><origin xyz="{x} 0 0" rpy="0 0 {x}"/>{shape}</collision>'

    inside = "<contact><collision>heel</collision></contact>"
    found = Suggested(
        tmp_path,
        sensor("contact", inside, "one", "foot"),
        sensor("contact", POSE, "any", "foot"),
        link("foot", inside=ball("toe", 0.1) + ball("heel", 0.2)),
        joint("leg", "fixed", "body", "foot"),
    )
    assert found.one("one").frame[:3, 3] == pytest.approx([0.2, 0, 0])
    assert found.one("one").frame[:3, :3] == pytest.approx(turned(0, 0, 0.2))
    assert found.one("any").frame[:3, 3] == pytest.approx([0.1, 0, 0])


@pytest.mark.parametrize(("altitude", "pressure"), [(0, 101325.0), (1000, 89874.6), (1e9, 22632.1)])
def test_a_barometer_starts_at_its_altitude(
    altitude: float, pressure: float, tmp_path: Path
) -> None:
    """The standard atmosphere's tables."""
    inside = f"<air_pressure><reference_altitude>{altitude}</reference_altitude></air_pressure>"
    found = Suggested(tmp_path, sensor("air_pressure", inside))
    assert found.properties() == {"ReferencePressure": pytest.approx(pressure, rel=1e-4)}


@pytest.mark.parametrize(
    ("rate", "frequency", "said"),
    [
        ("0", 0, False),
        ("-3", 0, False),
        ("nan", 0, False),
        ("20", 20, False),
        ("19.9999", 20, False),
        ("12.6", 13, True),
        ("0.1", 1, True),
        ("1000", 200, True),
        ("1e300", 0, False),
    ],
)
def test_frequencies_are_whole_and_can_be_kept_up_with(
    rate: str, frequency: int, said: bool, tmp_path: Path
) -> None:
    found = Suggested(tmp_path, sensor("camera", f"<update_rate>{rate}</update_rate>"))
    assert found.one().frequency == frequency and type(found.one().frequency) is int
    assert bool(found.lines) is said


def test_names_are_identifiers_each_once(tmp_path: Path) -> None:
    names = [
        "eye",
        "eye",
        "cam.left",
        "cam/left",
        "2d",
        "class",
        "",
        "...",
        "\u00e9t\u00e9",
        "eye_2",
    ]
    found = Suggested(tmp_path, *(sensor("gps", name=name) for name in names))
    assert [s.name for s in found.sensors] == [
        "eye",
        "eye_2",
        "cam_left",
        "cam_left_2",
        "_2d",
        "_class",
        "head_gps",
        "sensor",
        "_t_",
        "eye_2_2",
    ]


# Whatever stands there

WORDS = "0 1 -1 1e300 -1e300 1e-300 nan inf 1e12 -1e11 3.2 7 100000 x"
NUMBERS = st.sampled_from(WORDS.split())
TEMPLATES = (
    "<pose>{} {} {} {} {} {}</pose><update_rate>{}</update_rate>",
    "<camera><pose>{} 0 0 0 0 {}</pose><horizontal_fov>{}</horizontal_fov><image><width>{}</width>"
    "<height>{}</height></image><clip><near>{}</near><far>{}</far></clip><noise><stddev>{}</stddev>"
    "</noise><depth_camera><clip><far>{}</far></clip></depth_camera></camera>",
    "<logical_camera><near>{}</near><far>{}</far><horizontal_fov>{}</horizontal_fov>"
    "<aspect_ratio>{}</aspect_ratio></logical_camera>",
    "<ray><scan><horizontal><samples>{}</samples><resolution>{}</resolution><min_angle>{}"
    "</min_angle><max_angle>{}</max_angle></horizontal><vertical><samples>{}</samples><min_angle>{}"
    "</min_angle><max_angle>{}</max_angle></vertical></scan><range><min>{}</min><max>{}</max>"
    "</range><noise><stddev>{}</stddev></noise></ray>",
    "<sonar><min>{}</min><max>{}</max><radius>{}</radius></sonar>",
    "<air_pressure><reference_altitude>{}</reference_altitude></air_pressure>",
    "<contact><collision>{}</collision></contact><imu/><plugin/>",
)


@st.composite
def hostile(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from([*sorted(KINDS), "new"]))
    parts = draw(st.lists(st.sampled_from(TEMPLATES), max_size=4))
    inside = "".join(p.format(*(draw(NUMBERS) for _ in range(p.count("{}")))) for p in parts)
    return sensor(kind, inside, draw(st.sampled_from(("a", "b", ""))))


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(found=st.lists(hostile(), min_size=1, max_size=3))
def test_any_sensor_gives_what_morse_can_take(found: list[str], tmp_path: Path) -> None:
    suggested = Suggested(tmp_path, *found)
    names = [each.name for each in suggested.sensors]
    assert len(set(names)) == len(names) and all(name.isidentifier() for name in names)
    for each in suggested.sensors:
        assert each.frame.shape == (4, 4) and np.isfinite(each.frame).all()
        assert 0 <= each.frequency <= 200
        rays = 1.0
        for name, value in each.properties:
            # The kinds that the game engine's properties have, and no others.
            assert type(value) in (bool, int, float), name
            assert math.isfinite(value)
            assert value > 0 or name in ("layer_offset", "layer_separation"), name
        p = dict(each.properties)
        if "resolution" in p:
            rays = (p["scan_window"] / p["resolution"] + 1) * p.get("layers", 1)
        assert rays <= 101_100
        if "cam_near" in p:
            assert p["cam_near"] < p["cam_far"] and p["cam_focal"] >= 1.0
