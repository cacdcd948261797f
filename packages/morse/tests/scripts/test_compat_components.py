# SPDX-License-Identifier: GPL-3.0-or-later
"""Every component of MORSE's own builder, unmodified, in this Blender, held against its source."""

from pathlib import Path
from typing import Any

import pytest

from morse_support.builder_runs import Scene, run_script
from morse_support.builder_sources import Sources

BEGIN = """\
from urdf_importer_morse import compat
compat.install()
from morse.builder import *
"""

SENSORS = """
import inspect
import morse.builder.sensors as sensors

ABSTRACT = ("LaserSensorWithArc",)
report = {"properties": {}}
robot = FakeRobot("robot")
for name, kind in vars(sensors).items():
    if inspect.isclass(kind) and kind.__module__ == sensors.__name__ and name not in ABSTRACT:
        component = kind([]) if name == "CompoundSensor" else kind()
        component.name = name
        robot.append(component)
        report["properties"][name] = bpymorse.get_properties(component._bpy_object)
        component.add_interface("socket")
env = Environment("empty")
env.create()
"""

ACTUATORS = """
import inspect
import morse.builder.actuators as actuators

report = {"properties": {}}
robot = FakeRobot("robot")
for name, kind in vars(actuators).items():
    if inspect.isclass(kind) and kind.__module__ == actuators.__name__ and name != "Armature":
        component = kind()
        component.name = name
        robot.append(component)
        report["properties"][name] = bpymorse.get_properties(component._bpy_object)
        if component.is_exportable():
            component.add_interface("socket")
env = Environment("empty")
env.create()
"""

ROBOTS = """
import inspect
import morse.builder.robots.human as human
import morse.builder.robots.morserobots as plain
import morse.builder.robots.pr2 as pr2

report = {"properties": {}, "physics": {}}
made = []
for module in (plain, human, pr2):
    for name, kind in vars(module).items():
        if inspect.isclass(kind) and kind.__module__ == module.__name__:
            if name in ("BarePR2", "BasePR2", "LocalizedPR2"):
                continue
            robot = kind(name=name)
            made.append(robot)
            report["properties"][name] = bpymorse.get_properties(robot._bpy_object)
            report["physics"][name] = robot._bpy_object.game.physics_type
            robot.add_default_interface("socket")
env = Environment("empty")
env.create()
"""


@pytest.fixture(scope="module")
def sources(morse_root: Path) -> Sources:
    return Sources(morse_root)


def run(folder: pytest.TempPathFactory, text: str, root: Path) -> Scene:
    return run_script(folder.mktemp("script"), BEGIN + text, morse_root=root)


@pytest.fixture(scope="module")
def sensors(tmp_path_factory: pytest.TempPathFactory, morse_root: Path) -> Scene:
    return run(tmp_path_factory, SENSORS, morse_root)


@pytest.fixture(scope="module")
def actuators(tmp_path_factory: pytest.TempPathFactory, morse_root: Path) -> Scene:
    return run(tmp_path_factory, ACTUATORS, morse_root)


@pytest.fixture(scope="module")
def robots(tmp_path_factory: pytest.TempPathFactory, morse_root: Path) -> Scene:
    return run(tmp_path_factory, ROBOTS, morse_root)


def differences(sources: Sources, name: str, found: dict[str, Any]) -> dict[str, Any]:
    """What the source says and Blender has otherwise."""
    expected = sources.properties(name)
    return {key: value for key, value in expected.items() if found.get(key, "none") != value}


def test_sensors_have_the_properties_of_their_source(sensors: Scene, sources: Sources) -> None:
    made = sensors.report["properties"]
    # A Kinect is two cameras, whose frequencies are set instead of its own.
    wrong = {name: differences(sources, name, found) for name, found in made.items()}
    assert wrong.pop("Kinect") == {"frequency": 60}
    assert not any(wrong.values()), wrong
    known = {component.name for component in sources.components("sensors")}
    assert known - {"LaserSensorWithArc"} <= set(made)
    assert len(made) > 30


def test_actuators_have_the_properties_of_their_source(actuators: Scene, sources: Sources) -> None:
    made = actuators.report["properties"]
    wrong = {name: differences(sources, name, found) for name, found in made.items()}
    assert not any(wrong.values()), wrong
    known = {component.name for component in sources.components("actuators")}
    assert known - {"Armature"} <= set(made)
    assert len(made) > 25


def test_robots_have_the_properties_of_their_source(robots: Scene, sources: Sources) -> None:
    made = robots.report["properties"]
    wrong = {name: differences(sources, name, found) for name, found in made.items()}
    assert not any(wrong.values()), wrong
    assert len(made) > 14
    for name, physics in robots.report["physics"].items():
        assert physics == (sources.physics(name) or physics), name


def test_components_are_called_by_morse(sensors: Scene, actuators: Scene) -> None:
    """The logic that runs a component: a sensor of the engine that always wakes Python."""
    for scene, module in (
        (sensors, "calling.sensor_action"),
        (actuators, "calling.actuator_action"),
    ):
        tagged = [item for item in scene.objects.values() if "Component_Tag" in item.properties]
        assert len(tagged) > 25
        # MORSE gives this one no logic of its own, and its model has none either.
        silent = {item.name for item in tagged if module not in list(modules_called(item.game))}
        assert silent <= {"robot.Light.LightSpot"}, silent


def modules_called(game: dict[str, Any]) -> Any:
    controllers = {each["name"]: each for each in game["controllers"]}
    for sensor in game["sensors"]:
        for name in sensor.get("controllers", ()):
            yield controllers[name].get("settings", {}).get("module")


def test_every_stream_is_configured(sensors: Scene, actuators: Scene, sources: Sources) -> None:
    for scene, direction in ((sensors, "OUT"), (actuators, "IN")):
        streams = scene.config["component_datastream"]
        for name in scene.report["properties"]:
            if name in STREAMLESS:
                continue
            ((manager, _, way, options),) = streams[f"robot.{name}"][:1]
            assert manager == "morse.middleware.socket_datastream.SocketDatastreamManager"
            assert (way, options) == (direction, {}), name


# Not for other programs; MORSE has nothing that sends them, or lacks their module altogether; what
# a Kinect sees its cameras send.
STREAMLESS = {
    *("Keyboard", "Joystick", "Drag"),
    *("StereoUnit", "Velodyne", "VelodyneZB", "MocapControl"),
    "Kinect",
}


def test_modules_of_components_load(sensors: Scene, actuators: Scene) -> None:
    assert "Module not found" not in sensors.stderr
    missing = [line for line in actuators.stderr.splitlines() if "Module not found" in line]
    assert missing == ["Module not found: No module named 'morse.actuators.mocap_control'"]


def test_scanners_draw_their_rays(sensors: Scene) -> None:
    arcs = {item.parent: item for item in sensors.objects.values() if item.name.startswith("Arc_")}
    named = ("Hokuyo", "Sick", "SickLDMRS", "Infrared", "VelodyneRayCast")
    assert set(arcs) == {f"robot.{name}" for name in named}
    for arc in arcs.values():
        assert arc.game["settings"]["physics_type"] == "NO_COLLISION"


def test_a_rotating_scanner_turns_by_the_angle_of_a_camera_of_its_day(sensors: Scene) -> None:
    """A lens of 35 mm before a sensor of 32 mm: a Blender of today has 50 and 36."""
    rotation = sensors.report["properties"]["Velodyne"]["rotation"]
    assert rotation == pytest.approx(0.8575560450553894, abs=1e-6)


def test_models_keep_what_the_engine_knew_of_them(actuators: Scene, robots: Scene) -> None:
    gripper = actuators.objects["robot.Gripper"].game
    assert [sensor["name"] for sensor in gripper["sensors"]] == ["Always", "Radar"]
    radar = gripper["sensors"][1]["settings"]
    assert (radar["property"], radar["angle"], radar["distance"]) == ("Graspable", 60.0, 0.5)
    kuka = actuators.objects["kuka_7"].properties
    assert kuka == {"internal": True, "end_effector": True}
    assert robots.objects["CameraFP"].properties["Speed"] == 2.0


def test_components_may_have_bricks_of_their_own(sensors: Scene, actuators: Scene) -> None:
    bumper = sensors.objects["robot.Collision"].game
    assert bumper["settings"] == {"physics_type": "SENSOR", "use_collision_bounds": True}
    assert [(each["type"], each["settings"]) for each in bumper["sensors"]] == [
        ("COLLISION", {"use_pulse_true_level": True, "use_material": False})
    ]
    assert bumper["sensors"][0]["controllers"] == [bumper["controllers"][0]["name"]]
    (stick,) = actuators.objects["robot.Joystick"].game["sensors"]
    assert (stick["type"], stick["settings"]) == (
        "JOYSTICK",
        {
            "use_pulse_true_level": True,
            "joystick_index": 0,
            "event_type": "AXIS",
            "use_all_events": True,
        },
    )
    rescue = sensors.objects["robot.SearchAndRescue"].game["sensors"]
    assert [each["name"] for each in rescue] == ["MORSE_LOGIC", "Radar"]
    assert rescue[1]["settings"] == {
        "angle": 60.0,
        "distance": 10.0,
        "use_pulse_true_level": True,
        "tick_skip": 20,
        "property": "Injured",
    }
    assert rescue[0]["controllers"] == rescue[1]["controllers"] != []


def test_a_camera_is_switched_by_a_key(sensors: Scene) -> None:
    game = sensors.objects["robot.VideoCamera"].game
    key, switch, toggle = game["sensors"][1], game["controllers"][1], game["actuators"][0]
    assert (key["type"], key["settings"]) == ("KEYBOARD", {"key": "SPACE"})
    assert key["controllers"] == [switch["name"]] and switch["type"] == "LOGIC_AND"
    assert switch["actuators"] == [toggle["name"]]
    assert toggle["settings"] == {"mode": "TOGGLE", "property": "capturing"}


def test_radars_of_a_waypoint_hang_on_it(actuators: Scene) -> None:
    sides = [item for item in actuators.objects.values() if item.name.startswith("Radar.")]
    assert [item.parent for item in sides] == ["robot.Waypoint"] * 2
    for item, name in zip(sides, ("Lcollision", "Rcollision"), strict=True):
        assert item.properties == {name: False}
        both = [each["type"] for each in item.game["controllers"]]
        assert both == ["LOGIC_AND", "LOGIC_NAND"]
        values = [each["settings"]["value"] for each in item.game["actuators"]]
        assert values == ["True", "False"]
        assert len(item.game["sensors"][0]["controllers"]) == 2


def test_a_wheeled_robot_lets_its_wheels_go(robots: Scene) -> None:
    """MORSE unhangs wheels, where they stand, and notes their names."""
    robot = robots.objects["Pioneer3DX"]
    for key in ("WheelFLName", "WheelFRName", "CasterWheelName"):
        wheel = robots.objects[robot.properties[key]]
        assert wheel.parent == "" and abs(wheel.matrix_world[2][3]) < 0.5
    assert robot.properties["WheelRLName"] == "None"


def test_a_pr2_is_driven_by_its_armatures(robots: Scene) -> None:
    armatures = {
        name: item
        for name, item in robots.objects.items()
        if item.properties.get("classpath") == "morse.actuators.armature.Armature"
        and name.startswith("NavPR2")
    }
    assert set(armatures) == {f"NavPR2.torso{tail}" for tail in ("", ".head", ".l_arm", ".r_arm")}
    assert all(item.type == "ARMATURE" for item in armatures.values())
    services = robots.config["component_service"]
    assert set(armatures) <= set(services)
