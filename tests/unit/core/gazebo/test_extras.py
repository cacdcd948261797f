# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands in extras becomes data of the model: sensors, physics, controls."""

import math
import pickle
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.real_robots import descriptions
from support.source_tree import sources_of
from urdf_importer import Diagnostics, ReadError, export_robot, read_robot
from urdf_importer.core.gazebo import interpret_extras
from urdf_importer.core.gazebo.parts import KINDS
from urdf_importer.core.model import (
    Altimeter,
    Barometer,
    Camera,
    CameraSensor,
    ContactSensor,
    Extra,
    Fan,
    ForceSensor,
    Gps,
    Imu,
    Joint,
    JointControl,
    Lens,
    Lidar,
    Link,
    LogicalCamera,
    Magnetometer,
    Noise,
    Plugin,
    Pose,
    Robot,
    Sensor,
    Setting,
    SimulationSettings,
    Sonar,
    Stream,
)
from urdf_importer.core.writers.masses import find_friction
from urdf_importer.formats.urdf.read.robot import read_robot_text

NOISE = "<noise><mean>0.1</mean><stddev>-0.2</stddev></noise>"


def interpret(*texts: str) -> Robot:
    """Of elements at the end of a robot of one link and one joint."""
    tags = [re.match(r"<([\w:]+)", text) for text in texts]
    extras = tuple(
        Extra(tag=tag[1], xml=text, line=10 * number)
        for number, (tag, text) in enumerate(zip(tags, texts, strict=True), start=1)
        if tag is not None
    )
    joint = Joint(name="neck", type="revolute", parent="base", child="head")
    links = (Link(name="base"), Link(name="head"))
    return interpret_extras(Robot(name="r", links=links, joints=(joint,), extras=extras))


def read_one(kind: str, inside: str = "") -> Sensor:
    (sensor,) = interpret(
        f'<gazebo reference="head">\n<sensor type="{kind}" name="s">{inside}</sensor></gazebo>'
    ).sensors
    return sensor


CAMERA = Camera(width=320, height=240, field_of_view=1.047, near=0.1, far=100.0, depth=(0.1, 100.0))


@pytest.mark.parametrize(
    ("kind", "inside", "wanted"),
    [
        ("camera", "", CameraSensor(name="s", kind="camera", cameras=(CAMERA,))),
        (
            "wideanglecamera",
            "<camera><pose>1 2 3 0 0 0.5</pose><horizontal_fov>3</horizontal_fov>"
            "<image><width>64</width><height>48</height><format>L8</format></image>"
            "<clip><near>0.5</near><far>9</far></clip>"
            f"<distortion><k1>1</k1><p2>2</p2><center>0.4 0.6</center></distortion>{NOISE}"
            "</camera><update_rate>30</update_rate><topic>~/eye</topic>",
            CameraSensor(
                name="s",
                kind="wide",
                stream=Stream(topic="/eye", rate=30.0),
                cameras=(
                    Camera(
                        origin=Pose(xyz=(1.0, 2.0, 3.0), rpy=(0.0, 0.0, 0.5)),
                        width=64,
                        height=48,
                        field_of_view=3.0,
                        near=0.5,
                        far=9.0,
                        depth=(0.5, 9.0),
                        noise=Noise(0.2, 0.1),
                        lens=Lens(radial=(1.0, 0.0), tangential=(0.0, 2.0), center=(0.4, 0.6)),
                        is_color=False,
                        stream=Stream(topic="/eye", rate=30.0),
                    ),
                ),
            ),
        ),
        ("multicamera", "", CameraSensor(name="s", kind="multicamera", cameras=())),
        (
            "depth",
            '<plugin filename="libgazebo_ros_openni_kinect.so">'
            "<depthImageTopicName>depth</depthImageTopicName></plugin>",
            CameraSensor(name="s", kind="rgbd", cameras=(CAMERA,), depth_topic="/depth"),
        ),
        (
            "logical_camera",
            "<logical_camera><near>0.2</near><far>5</far><aspect_ratio>2</aspect_ratio>"
            "</logical_camera>",
            LogicalCamera(name="s", field_of_view=1.047, aspect=2.0, near=0.2, far=5.0),
        ),
        (
            "gpu_ray",
            "<ray><scan><horizontal><samples>10</samples><min_angle>-1</min_angle>"
            "<max_angle>2</max_angle></horizontal></scan><range><min>0.3</min><max>4</max>"
            f"<resolution>0.01</resolution></range>{NOISE}</ray>",
            Lidar(
                name="s",
                across=Fan(10, -1.0, 2.0),
                up=Fan(1, 0.0, 0.0),
                near=0.3,
                far=4.0,
                resolution=0.01,
                noise=Noise(0.2, 0.1),
            ),
        ),
        (
            "sonar",
            "<sonar><min>0.1</min><max>2</max><radius>2</radius></sonar>",
            Sonar(name="s", near=0.1, far=2.0, aperture=0.5 * math.pi),
        ),
        ("imu", "", Imu(name="s")),
        (
            "imu",
            "<imu><enable_orientation>0</enable_orientation><orientation_reference_frame/>"
            f"<linear_acceleration><x>{NOISE}</x></linear_acceleration></imu>",
            Imu(name="s", has_orientation=False, has_own_reference=True, is_noisy=True),
        ),
        (
            "navsat",
            f"<navsat><position_sensing><vertical>{NOISE}</vertical></position_sensing></navsat>",
            Gps(name="s", position=(Noise(), Noise(0.2, 0.1)), is_noisy=True),
        ),
        (
            "magnetometer",
            f"<magnetometer><x>{NOISE}</x></magnetometer>",
            Magnetometer(name="s", is_noisy=True),
        ),
        (
            "altimeter",
            f"<altimeter><vertical_velocity>{NOISE}</vertical_velocity></altimeter>",
            Altimeter(name="s", speed=Noise(0.2, 0.1), is_noisy=True),
        ),
        (
            "air_pressure",
            "<air_pressure><reference_altitude>300</reference_altitude></air_pressure>",
            Barometer(name="s", altitude=300.0),
        ),
        (
            "contact",
            "<contact><collision>shell</collision><collision>sole</collision></contact>",
            ContactSensor(name="s", collisions=("shell", "sole")),
        ),
        (
            "force_torque",
            "<force_torque><frame>sensor</frame><measure_direction>parent_to_child"
            "</measure_direction><force/></force_torque>",
            ForceSensor(name="s", frame="sensor", direction="parent_to_child", is_noisy=True),
        ),
        ("rfid", "", Sensor(name="s")),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Sensor) else None,
)
def test_sensors_of_every_class(kind: str, inside: str, wanted: Sensor) -> None:
    found = read_one(kind, inside)
    assert found == replace(wanted, word=kind, reference="head")
    assert found.line == 11


def test_every_kind_has_a_class() -> None:
    found = {type(read_one(kind)).__name__ for kind in KINDS}
    assert found == {each.__name__ for each in Sensor.__subclasses__()}


def test_sensors_within_links_and_joints_come_first() -> None:
    def extra(name: str) -> Extra:
        return Extra(tag="sensor", xml=f'<sensor type="imu" name="{name}"/>')

    robot = Robot(
        name="r",
        links=(Link(name="base"), Link(name="head", extras=(extra("in link"),))),
        joints=(
            Joint(
                name="neck", type="fixed", parent="base", child="head", extras=(extra("in joint"),)
            ),
        ),
        extras=(extra("at the end"),),
    )
    found = interpret_extras(robot).sensors
    assert [(each.name, each.reference) for each in found] == [
        ("in link", "head"),
        ("in joint", "neck"),
        ("at the end", ""),
    ]


def test_a_sensor_in_both_spellings_is_one() -> None:
    """Exporters of CAD assemblies write each sensor for Gazebo and in URDF's own words."""
    gazebo = '<gazebo reference="a"><sensor name="s" type="imu"><update_rate>9</update_rate>'
    other = '<sensor name="{}" type="imu"><parent link="{}"/></sensor>'
    texts = [other.format(*each) for each in (("s", "a"), ("t", "a"), ("s", "b"), ("s", "b"))]
    said = "".join(['<robot name="r"><link name="a"/><link name="b"/>', *texts])
    text = f"{said}{gazebo}</sensor></gazebo></robot>"
    robot = read_robot_text(text.encode(), "r.urdf", Diagnostics())
    found = [(each.name, each.reference, each.stream.rate) for each in robot.sensors]
    assert found == [("t", "a", 0.0), ("s", "b", 0.0), ("s", "b", 0.0), ("s", "a", 9.0)]


def test_sensors_of_urdf_are_optical() -> None:
    (sensor,) = interpret(
        '<sensor name="s"><parent link="head"/><origin xyz="1 2 3" rpy="0 0 1"/><camera/></sensor>'
    ).sensors
    assert (sensor.reference, sensor.is_optical) == ("head", True)
    assert sensor.origin == Pose(xyz=(1.0, 2.0, 3.0), rpy=(0.0, 0.0, 1.0))
    assert not read_one("camera").is_optical


@pytest.mark.parametrize(
    ("tags", "frictions"),
    [
        ("", {"a": 0.3}),
        ("<gazebo reference='a'><mu1>0.5</mu1><mu2>0.6</mu2></gazebo>", {"a": 0.5}),
        ("<gazebo reference='b'><mu1>0.5</mu1></gazebo>", {"a": 0.3, "b": 0.5}),
    ],
)
def test_bullets_friction_reaches_simulators(tags, frictions, tmp_path) -> None:
    contact = "<contact><lateral_friction value='0.3'/><spinning_friction value='9'/></contact>"
    shape = "<collision><geometry><box size='1 1 1'/></geometry></collision>"
    path = tmp_path / "r.urdf"
    joint = "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
    links = f"<link name='a'>{contact}{shape}</link><link name='b'><contact/>{shape}</link>"
    path.write_text(f"<robot name='r'>{links}{joint}{tags}</robot>")
    robot = read_robot(path)
    assert find_friction(robot) == frictions
    text = export_robot(robot, tmp_path / "r.sdf", diagnostics=Diagnostics()).path.read_text()
    assert [float(mu) for mu in re.findall("<mu>(.*?)</mu>", text)] == list(frictions.values())
    text = export_robot(robot, tmp_path / "r.xml", diagnostics=Diagnostics()).path.read_text()
    assert [float(mu) for mu in re.findall('friction="(.*?)"', text)] == list(frictions.values())


def test_physics_plugins_and_friction_of_links() -> None:
    robot = interpret(
        '<gazebo reference="head">\n<mu1>0.5</mu1><mu2 value="-0.7"/><Kp>1e5</Kp>\n'
        "<selfCollide>1</selfCollide></gazebo>",
        '<gazebo><plugin name="p" filename="x"/>\n<plugin/></gazebo>',
    )
    assert robot.settings == (
        SimulationSettings(
            reference="head",
            friction=(0.5, 0.7),
            settings=(
                Setting(name="kp", written="Kp", text="1e5"),
                Setting(name="selfcollide", written="selfCollide", text="1"),
            ),
        ),
        SimulationSettings(plugins=(Plugin(name="p"), Plugin(name="plugin"))),
    )
    lines = [setting.line for said in robot.settings for setting in said.settings]
    assert lines == [11, 12]
    assert [plugin.line for plugin in robot.settings[1].plugins] == [20, 21]


def test_what_drives_a_joint() -> None:
    robot = interpret(
        '<ros2_control name="x"><hardware/><joint name=" neck ">'
        '<command_interface name="velocity"/><command_interface name="effort"/>'
        '<state_interface name="position"/></joint></ros2_control>'
    )
    assert robot.controls == (
        JointControl(
            joint="neck",
            command_interfaces=("velocity", "effort"),
            state_interfaces=("position",),
        ),
    )


def test_extras_decide_equality_and_not_what_they_mean() -> None:
    """So that two robots that say the same are equal, whoever made them."""
    read = interpret('<gazebo reference="head"><sensor type="imu" name="s"/></gazebo>')
    assert read == replace(read, sensors=(), settings=(), controls=())
    assert interpret_extras(read).sensors == read.sensors
    assert pickle.loads(pickle.dumps(read)).sensors == read.sensors
    plain = Robot(name="r", links=(Link(name="l"),), extras=(Extra(tag="vendor", xml="<vendor/>"),))
    assert interpret_extras(plain) is plain


TEXTS = st.text(st.sampled_from("<>/= \"'ab1.-&;:"), max_size=30)
TAGS = st.sampled_from(("gazebo", "sensor", "ros2_control", "vendor"))


@settings(max_examples=200, deadline=None)
@given(tag=TAGS, text=TEXTS, start=st.sampled_from(("", "<gazebo><sensor ", "<sensor>", "<")))
def test_text_that_is_no_xml_says_nothing(tag: str, text: str, start: str) -> None:
    extra = Extra(tag=tag, xml=start + text)
    robot = interpret_extras(Robot(name="r", links=(Link(name="l"),), extras=(extra,)))
    assert all(isinstance(each, Sensor) for each in robot.sensors)


def test_real_robots_have_what_their_extras_say() -> None:
    count = 0
    for path in descriptions():
        try:
            robot = read_robot(path, diagnostics=Diagnostics())
        except ReadError:
            continue
        again = interpret_extras(replace(robot, sensors=(), settings=(), controls=()))
        assert (again.sensors, again.settings) == (robot.sensors, robot.settings)
        within = (extra.xml for link in robot.links for extra in link.extras)
        bullets = sum("<lateral_friction" in xml for xml in within)
        gazebos = sum(extra.tag == "gazebo" for extra in robot.extras)
        assert len(robot.settings) == bullets + gazebos
        count += len(robot.sensors)
    assert count > 100


def test_extras_are_read_in_one_place() -> None:
    """A reader of another format need not fake the text of Gazebo's elements."""
    for word in ("parse_extra", "markup.elements"):
        users = {source.name for source in sources_of("urdf_importer") if word in source.text}
        rooms = {name.rpartition("/")[0] for name in users} - {"urdf_importer/core/markup"}
        assert rooms == {"urdf_importer/core/gazebo"}
    texts = re.compile(r"\.extras\b.*\.xml|\bfor extra in robot\.extras")
    readers = {s.name for s in sources_of("urdf_importer") if texts.search(s.text)}
    # What moves links asks only whether an element keeps one as it is, and moves its poses.
    moving = {f"urdf_importer/core/reshape/{name}.py" for name in ("merge", "seat")}
    # What MuJoCo says of itself has words of its own, and no reader of URDF or SDF makes them.
    own = {
        "urdf_importer/formats/mjcf/read/semantics.py",
        "urdf_importer/formats/mjcf/write/export.py",
    }
    # SDF has Gazebo's elements as they are.
    own.add("urdf_importer/formats/sdf/write/extras.py")
    gazebo = {f"urdf_importer/core/gazebo/{name}.py" for name in ("devices", "extras")}
    assert readers == {*gazebo, *moving, *own}
