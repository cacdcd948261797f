# SPDX-License-Identifier: GPL-3.0-or-later
"""Suggested sensors in the real builder: their classes exist, read the properties that are set, and
look where the description says."""

import json
import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from morse_support.builder_runs import run_script
from support.real_robots import descriptions
from support.webots.webots_robots import BOX, joint, link
from urdf_importer import Diagnostics, read_robot
from urdf_importer.core.model import CameraSensor, ContactSensor, ForceSensor, Imu, Lidar
from urdf_importer_morse.sensors import SensorSuggestion, suggest_sensors

LINK = np.array(
    [[0.36, 0.48, -0.8, 1.0], [-0.8, 0.6, 0.0, 2.0], [0.48, 0.64, 0.6, 3.0], [0, 0, 0, 1]]
)
"""Where the link stands in the world."""

SCRIPT = """
import json, sys
import bpy
from mathutils import Matrix
import urdf_importer.morse
urdf_importer.morse.enable()
import morse.builder
from morse.builder import bpymorse
from morse.helpers.loading import get_class
from urdf_importer_morse.game_engine.robots import place_component

given = json.loads({text!r})
robot = morse.builder.FakeRobot("robot")
link = bpy.data.objects.new("link", None)
bpy.context.collection.objects.link(link)
link.parent = robot._bpy_object
link.matrix_local = Matrix({frame!r})
made = {{}}
for each in given:
    component = getattr(morse.builder, each["component"])(each["name"])
    item = component._bpy_object
    own = sorted(bpymorse.get_properties(item))
    runtime = get_class(bpymorse.get_properties(item)["classpath"])
    component.properties(**dict(each["properties"]))
    if each["frequency"]:
        component.frequency(each["frequency"])
    robot.append(component, "link")
    place_component(item, __import__("numpy").array(each["frame"]))
    made[each["name"]] = component, own, runtime
env = morse.builder.Environment("empty", fastmode=True)
env.create()
bpy.context.view_layer.update()

def rows(matrix):
    return [list(row) for row in matrix]

report = {{}}
for name, (component, own, runtime) in made.items():
    item = component._bpy_object
    cameras = [child for child in item.children if child.type == "CAMERA"]
    arcs = [child for child in item.children if child.name.startswith("Arc_")]
    report[name] = {{
        "object": item.name,
        "own": own,
        "read": sorted(n for kind in runtime.__mro__ for n in getattr(kind, "_properties", ())),
        "properties": bpymorse.get_properties(item),
        "world": rows(item.matrix_world),
        "cameras": [rows(camera.matrix_world) for camera in cameras],
        "rays": [
            [list(arc.matrix_world @ vertex.co) for vertex in arc.data.vertices] for arc in arcs
        ],
        "fps": bpy.data.scenes["S.MORSE_LOGIC"].game_settings.fps,
    }}
"""


@dataclass(frozen=True, slots=True)
class Built:
    """A suggestion, and what became of it."""

    suggestion: SensorSuggestion
    report: dict[str, Any]

    @property
    def frame(self) -> Any:
        """Where it shall look along +x, in the world."""
        return LINK @ self.suggestion.frame

    def assert_is_right(self) -> None:
        report, suggestion = self.report, self.suggestion
        assert report["object"] == f"robot.{suggestion.name}"
        for name, value in suggestion.properties:
            assert name in report["own"] + report["read"], f"{suggestion.component} has no {name}"
            found = report["properties"][name]
            assert type(found) is type(value) and found == pytest.approx(value, rel=1e-6)
        if suggestion.frequency:
            assert report["properties"]["frequency"] == suggestion.frequency
            assert suggestion.frequency <= report["fps"]
        world = np.array(report["world"])
        assert world[:3, 3] == pytest.approx(self.frame[:3, 3], abs=1e-5)
        if not report["cameras"]:
            turn = world[:3, :3] / np.linalg.norm(world[:3, :3], axis=0)
            assert turn == pytest.approx(self.frame[:3, :3], abs=1e-5)
        for camera in report["cameras"]:
            # Blender's cameras look along -z with y up.
            x, _, z = self.frame[:3, :3].T
            assert -np.array(camera)[:3, 2] == pytest.approx(x, abs=1e-5)
            assert np.array(camera)[:3, 1] == pytest.approx(z, abs=1e-5)
            assert np.array(camera)[:3, 3] == pytest.approx(self.frame[:3, 3], abs=1e-5)

    def rays(self) -> Any:
        """(N, 3) directions in the frame of the link."""
        (vertices,) = self.report["rays"]
        rays = np.array(vertices[1:]) - vertices[0]
        return (rays / np.linalg.norm(rays, axis=1)[:, None]) @ LINK[:3, :3]


def build(folder: Path, suggestions: tuple[SensorSuggestion, ...], root: Path) -> dict[str, Built]:
    given = [
        {
            "name": each.name,
            "component": each.component,
            "properties": each.properties,
            "frequency": each.frequency,
            "frame": each.frame.tolist(),
        }
        for each in suggestions
    ]
    text = SCRIPT.format(text=json.dumps(given), frame=LINK.tolist())
    report = run_script(folder, text, morse_root=root).report
    return {each.name: Built(each, report[each.name]) for each in suggestions}


def sensor(kind: str, name: str, inside: str = "") -> str:
    pose = "<pose>0.1 0.2 0.3 0.4 -0.5 0.6</pose>"
    return (
        f'<gazebo reference="head"><sensor type="{kind}" name="{name}">{pose}'
        f"<update_rate>75</update_rate>{inside}</sensor></gazebo>"
    )


def rays(across: tuple[int, float, float], up: tuple[int, float, float]) -> str:
    parts = "".join(
        f"<{word}><samples>{count}</samples><min_angle>{low}</min_angle>"
        f"<max_angle>{high}</max_angle></{word}>"
        for word, (count, low, high) in (("horizontal", across), ("vertical", up))
    )
    return f"<ray><scan>{parts}</scan><range><min>0.01</min><max>12.5</max></range></ray>"


def described(across: tuple[int, float, float], up: tuple[int, float, float], turn: Any) -> Any:
    """(N, 3) directions in the frame of the link, from the top."""
    directions = [
        [math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)]
        for e in np.linspace(*up[1:], up[0])[::-1]
        for a in np.linspace(*across[1:], across[0])
    ]
    return np.array(directions) @ turn.T


FLAT = (1, 0.0, 0.0)
SCANS = {
    "row": ((181, -0.5, 1.5), FLAT),
    "one": ((1, 0.3, 0.3), (1, 0.2, 0.2)),
    "layers": ((41, -1.0, 2.0), (4, -0.03, 0.03)),
    "column": ((1, 0.4, 0.4), (9, -0.2, 0.6)),
}
KINDS = (
    "camera wideanglecamera depth_camera rgbd_camera logical_camera sonar imu contact gps "
    "magnetometer altimeter air_pressure"
)


def test_every_kind_of_sensor_in_the_builder(morse_root: Path, tmp_path: Path) -> None:
    stereo = '<camera name="left"/><camera name="right"><pose>0 -0.1 0 0 0 -0.2</pose></camera>'
    lines = (
        link("body"),
        link("head", inside=f"<collision>{BOX}</collision>"),
        joint("neck", "revolute", "body", "head"),
        *(sensor(kind, kind) for kind in KINDS.split()),
        sensor("multicamera", "stereo", stereo),
        *(sensor("ray", name, rays(*scan)) for name, scan in SCANS.items()),
    )
    source = tmp_path / "all.urdf"
    source.write_text(f'<robot name="all">{"".join(lines)}</robot>', encoding="utf-8")
    suggestions = suggest_sensors(read_robot(source), Diagnostics())
    built = build(tmp_path / "run", suggestions, morse_root)
    assert {s.component for s in suggestions} == {
        *("VideoCamera", "DepthCamera", "SemanticCamera", "Hokuyo", "SickLDMRS", "Infrared"),
        *("IMU", "Collision", "GPS", "Magnetometer", "Pose", "Barometer"),
    }
    for each in built.values():
        each.assert_is_right()
    assert sum(len(each.report["cameras"]) for each in built.values()) == 8
    turn = built["imu"].suggestion.frame[:3, :3]
    for name, scan in SCANS.items():
        expected = described(*scan, turn)
        if name == "column":
            expected = expected[::-1]
        assert np.abs(built[name].rays() - expected).max() < 2e-5, name
    assert len(built["sonar"].rays()) == 81


def test_sensors_of_real_robots_in_the_builder(morse_root: Path, tmp_path: Path) -> None:
    """All of example-robot-data's; what is lost are forces, and bumpers of links that touch
    nothing."""
    suggestions: list[SensorSuggestion] = []
    components: Counter[str] = Counter()
    written: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for path in descriptions():
        if "<sensor" not in path.read_text(encoding="utf-8"):
            continue
        robot = read_robot(path, diagnostics=Diagnostics())
        diagnostics = Diagnostics()
        found = suggest_sensors(robot, diagnostics)
        components.update(each.component for each in found)
        written.update(type(each) for each in robot.sensors)
        lost.update(item.code for item in diagnostics if item.severity.value == "error")
        if path.stem in ("pr2", "talos_reduced", "tiago", "go1"):
            suggestions += [
                each for each in found if each.name not in {other.name for other in suggestions}
            ]
    assert written == {Imu: 49, ContactSensor: 34, ForceSensor: 24, CameraSensor: 29, Lidar: 4}
    assert lost == {"morse-sensor-dropped": 26}
    assert dict(components) == dict(IMU=49, Collision=32, VideoCamera=28, DepthCamera=17, Hokuyo=4)
    built = build(tmp_path, tuple(suggestions), morse_root)
    assert len(built) > 40
    for each in built.values():
        each.assert_is_right()
