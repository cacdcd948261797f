# SPDX-License-Identifier: GPL-3.0-or-later
"""Builder scripts without MORSE: they leave what they leave with it, object by object."""

import subprocess
import sys
from pathlib import Path

import pytest

from morse_support.builder_runs import ROOT, BuiltObject, Scene, run_script
from morse_support.standalone_scripts import (
    ABSENT,
    AGAIN,
    ERRORS,
    HEADER,
    LOST,
    SAME,
    SCENES,
    STRAY,
)

# What MORSE puts into each scene for itself.
FURNITURE = {
    *("CameraID_text", "Compass", "Ground", "HUD_plane", "Keys_text", "Point", "Screen"),
    *("Screen_frame", "Title_text", "__morse_dt_analyser"),
}
# Also there without MORSE, but not with all that MORSE keeps on them.
HOLDER = "Scene_Script_Holder"
WATCHER = "CameraFP"
# Float32 in Blender; both come to their numbers by the same steps.
CLOSE = 1e-6

SPEAKING = """
robot = FakeRobot()
robot.translate(x=1.0)
camera = VideoCamera()
camera.translate(x=0.3, z=0.5)
camera.properties(cam_width=640, cam_height=480)
camera.frequency(25)
robot.append(camera)
gps = GPS()
gps.alter("UTM")
robot.append(gps)
motion = MotionVW()
motion.add_interface("ros", topic="/cmd_vel")
robot.append(motion)
robot.add_default_interface("socket")
env = Environment("sandbox")
env.add_service("socket")
env.configure_stream_manager("socket", port=60000)
env.create()
"""


@pytest.mark.parametrize("name", SAME)
def test_leaves_the_same_as_with_morse(name: str, tmp_path: Path, morse_root: Path) -> None:
    text = HEADER + SAME[name]
    real = run_script(tmp_path / "morse", text, morse_root=morse_root)
    alone = run_script(tmp_path / "alone", text, morse_root=None)
    assert alone.texts == real.texts
    assert alone.configs == real.configs
    assert "component_config.py" in alone.configs
    assert alone.report == real.report
    compare_objects(alone, real)


def compare_objects(alone: Scene, real: Scene) -> None:
    """Of all that a scene shows."""
    seen = {name: item for name, item in real.objects.items() if item.scenes}
    left = {name: item for name, item in alone.objects.items() if item.scenes}
    assert set(left) == set(seen) - FURNITURE
    for name, item in left.items():
        if name == HOLDER:
            assert item.properties.items() <= seen[name].properties.items()
            continue
        if name == WATCHER:
            assert item.properties.items() <= seen[name].properties.items()
        else:
            assert item.game == seen[name].game, name
        assert (item.type, item.parent, item.parent_bone) == (
            seen[name].type,
            seen[name].parent,
            seen[name].parent_bone,
        ), name
        assert is_where(item, seen[name]), name


def is_where(one: BuiltObject, other: BuiltObject) -> bool:
    rows = zip(one.matrix_world, other.matrix_world, strict=True)
    return all(abs(a - b) <= CLOSE for row, there in rows for a, b in zip(row, there, strict=True))


def test_what_is_wrong_is_as_with_morse(tmp_path: Path, morse_root: Path) -> None:
    real = run_script(tmp_path / "morse", HEADER + ERRORS, morse_root=morse_root)
    alone = run_script(tmp_path / "alone", HEADER + ERRORS, morse_root=None)
    found = zip(real.report["errors"], alone.report["errors"], strict=True)
    for number, (theirs, ours) in enumerate(found):
        assert (theirs is None) == (ours is None), number
        if theirs is not None:
            assert OURS.get(theirs[0][0], theirs[0][0]) in ours[0], number
    assert alone.config == real.config
    assert alone.report["made"] == 0


# MORSE ends the program where something has no data to stream.
OURS = {"MorseBuilderError": "ScriptError", "SystemExit": "UnexportableError"}


def test_what_is_wrong_is_one_sentence(tmp_path: Path) -> None:
    alone = run_script(tmp_path, HEADER + ERRORS, morse_root=None)
    said = [error for error in alone.report["errors"] if error is not None]
    assert len(said) >= 35
    for kinds, sentence in said:
        assert sentence and "\n" not in sentence
        assert "RobotError" in kinds or kinds[0] in (
            "AttributeError",
            "KeyError",
            "TypeError",
            "ValueError",
        )
    builder_errors = [kinds for kinds, _ in said if "ScriptError" in kinds]
    assert len(builder_errors) >= 25


def test_records_the_configuration(tmp_path: Path) -> None:
    scene = run_script(tmp_path, HEADER + SPEAKING, morse_root=None)
    assert scene.config == {
        "component_datastream": {
            "robot.camera": [
                [
                    "morse.middleware.socket_datastream.SocketDatastreamManager",
                    "morse.middleware.sockets.video_camera.VideoCameraPublisher",
                    "OUT",
                    {},
                ]
            ],
            "robot.gps": [
                [
                    "morse.middleware.socket_datastream.SocketDatastreamManager",
                    "morse.middleware.socket_datastream.SocketPublisher",
                    "OUT",
                    {},
                ]
            ],
            "robot.motion": [
                [
                    "morse.middleware.ros_datastream.ROSDatastreamManager",
                    "morse.middleware.ros.motion_vw.TwistReader",
                    "IN",
                    {"topic": "/cmd_vel"},
                ],
                [
                    "morse.middleware.socket_datastream.SocketDatastreamManager",
                    "morse.middleware.socket_datastream.SocketReader",
                    "IN",
                    {},
                ],
            ],
        },
        "component_modifier": {
            "robot.gps": [["morse.modifiers.utm.CoordinatesToUTM", "OUT", {}]],
        },
        "component_service": {
            "robot.camera": ["morse.middleware.socket_request_manager.SocketRequestManager"],
            "robot.gps": ["morse.middleware.socket_request_manager.SocketRequestManager"],
            "robot.motion": [
                "morse.middleware.ros_request_manager.RosRequestManager",
                "morse.middleware.socket_request_manager.SocketRequestManager",
            ],
            "simulation": ["morse.middleware.socket_request_manager.SocketRequestManager"],
        },
        "overlays": {},
        "stream_manager": {
            "morse.middleware.socket_datastream.SocketDatastreamManager": {"port": 60000}
        },
    }


def test_records_the_objects(tmp_path: Path) -> None:
    scene = run_script(tmp_path, HEADER + SPEAKING, morse_root=None)
    robot, camera, eye = (
        scene.objects[name] for name in ("robot", "robot.camera", "robot.camera.CameraRobot")
    )
    assert (robot.type, robot.parent, camera.parent, eye.parent) == (
        "EMPTY",
        "",
        "robot",
        "robot.camera",
    )
    assert robot.properties == {
        "Robot_Tag": True,
        "classpath": "morse.robots.fakerobot.FakeRobot",
    }
    assert robot.game["settings"] == {"physics_type": "NO_COLLISION"}
    assert camera.properties == {
        "Component_Tag": True,
        "classpath": "morse.sensors.video_camera.VideoCamera",
        "frequency": 25,
        "cam_width": 640,
        "cam_height": 480,
        "cam_focal": 35.0,
        "capturing": True,
        "Vertical_Flip": True,
    }
    assert scene.objects["robot.gps"].properties["abstraction_level"] == "simple"
    # Blender's cameras look along -Z of their own, with Y up: here X of the robot, with Z up.
    columns = list(zip(*eye.matrix_world, strict=True))
    expected = [(0.0, -1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (-1.0, 0.0, 0.0, 0.0)]
    for column, wanted in zip(columns, [*expected, (1.3, 0.0, 0.5, 1.0)], strict=True):
        assert column == pytest.approx(wanted, abs=CLOSE)
    assert scene.objects["Scene_Script_Holder"].properties["environment_file"] == "sandbox"
    assert "'sandbox'" in scene.stderr


def test_models_of_morse_are_missed_by_name(tmp_path: Path) -> None:
    report = run_script(tmp_path, HEADER + ABSENT, morse_root=None).report
    assert {"ATRV", "KukaLWR", "Velodyne", "PTU", "Human", "BasePR2", "Mine"} == set(report)
    for name, (is_missing_file, sentence) in report.items():
        assert is_missing_file
        assert name in sentence


def test_takes_one_scene_of_a_file(tmp_path: Path) -> None:
    """MORSE adds the others too, as scenes of their own."""
    objects = run_script(tmp_path, HEADER + SCENES, morse_root=None).objects
    assert set(objects) == {HOLDER, WATCHER, "MORSE.Properties", "robot", "wall", "gate"}
    assert objects["gate"].parent == "wall"
    assert objects["gate"].matrix_world[2][3] == 3.0
    assert objects["wall"].scenes == objects["robot"].scenes


def test_scripts_follow_each_other_in_one_session(tmp_path: Path) -> None:
    """What one left, in its scene or after another file was opened, is not in the next one's."""
    report = run_script(tmp_path, HEADER + AGAIN, morse_root=None).report
    assert report == {
        "first": ["robot.pose"],
        "second": ["other.gps"],
        "opened": ["robot.imu"],
        "broken": ["robot.clock"],
    }


def test_components_whose_objects_are_gone_are_forgotten(tmp_path: Path) -> None:
    scene = run_script(tmp_path, HEADER + LOST, morse_root=None)
    assert set(scene.config["component_datastream"]) == {"robot.pose"}
    assert "robot.pose" in scene.objects


def test_streams_under_a_lost_name_are_said(tmp_path: Path, morse_root: Path) -> None:
    """MORSE records them so too, and says nothing."""
    scene = run_script(tmp_path / "alone", HEADER + STRAY, morse_root=None)
    real = run_script(tmp_path / "morse", HEADER + STRAY, morse_root=morse_root)
    assert scene.config == real.config
    lost = set(scene.config["component_datastream"]) - set(scene.objects)
    assert len(lost) == 2
    for name in lost:
        assert any(f"'{name[:40]}" in line for line in scene.stderr.splitlines())
    assert "'late'" in scene.stderr
    assert "robot.right" not in scene.stderr


def test_a_wrong_root_is_said_and_not_gone_around(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="BuildError: MORSE is not in"):
        run_script(tmp_path, HEADER, morse_root=tmp_path / "nothing")


def test_nothing_of_blender_is_loaded_before_a_name_is_taken() -> None:
    text = (
        "import sys, urdf_importer.morse.builder;"
        " print([name for name in ('bpy', 'mathutils', 'morse') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
