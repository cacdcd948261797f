# SPDX-License-Identifier: GPL-3.0-or-later
"""The exported controller in Python, run against a stand-in for Webots' module.

The devices of the stand-in are those of the exported PROTO, by its own text: what the controller
asks for must be there.
"""

import json
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from support.webots import controller_double
from support.webots.controller_double import Motor, PositionSensor, TouchSensor, World
from support.webots.proto_check import check
from support.webots.webots_robots import BOX, joint, link
from urdf_importer import WebotsOptions, export_robot, read_robot

COLLISION = f"<collision>{BOX}</collision>"
MIMIC = '<mimic joint="elbow" multiplier="-0.5" offset="0.2"/>'


def devices_of(world: Path) -> list[controller_double.Device]:
    """One for each device in the files, as Webots would make them."""
    tree = check(world).tree
    devices: list[controller_double.Device] = []
    leaders: dict[str, Motor] = {}
    for axis in (axis for each in tree["joints"] for axis in each["dofs"]):
        motor = None
        if "motor" in axis:
            motor = Motor(axis["motor"], axis["min_position"], axis["max_position"])
            devices.append(motor)
            group = axis["motor"].partition("::")[0]
            leaders.setdefault(group, motor)
            if axis.get("multiplier") == 1:
                leaders[group] = motor
    for axis in (axis for each in tree["joints"] for axis in each["dofs"]):
        leader = leaders.get(axis.get("motor", "").partition("::")[0])
        devices.append(PositionSensor(axis["sensor"], leader, axis.get("multiplier") or 1.0))
    for solid in tree["solids"]:
        if "fields" not in solid:
            continue
        name = solid["name"]
        if solid["type"] == "TouchSensor":
            force = solid["fields"]["type"] == "force-3d"
            devices.append(TouchSensor(name, TouchSensor.FORCE3D if force else 0))
        else:
            devices.append(getattr(controller_double, solid["type"])(name))
    return devices


class Run:
    """The controller of a small arm with every kind of sensor, run for `seconds`."""

    def __init__(self, folder: Path, arguments: list[str], seconds: float = 3.0) -> None:
        source = folder / "arm.urdf"
        kinds = ("camera", "depth_camera", "rgbd_camera", "gpu_lidar", "sonar", "imu", "contact")
        kinds += ("gps", "magnetometer", "altimeter")
        sensors = "".join(
            f'<gazebo reference="hand"><sensor type="{kind}" name="{kind}"><ray><scan><horizontal>'
            "<samples>9</samples><min_angle>-1</min_angle><max_angle>1</max_angle></horizontal>"
            "</scan></ray></sensor></gazebo>"
            for kind in kinds
        )
        parts = (
            *(link(name, inside=COLLISION) for name in ("base", "arm", "hand", "tool", "cart")),
            joint("elbow", "revolute", "base", "arm", xyz="0 0 1"),
            joint("wrist", "revolute", "arm", "hand", MIMIC, limit='lower="-2" upper="2"'),
            joint("flange", "fixed", "hand", "tool"),
            joint("drift", "planar", "base", "cart"),
            '<gazebo reference="flange"><sensor type="force_torque" name="force"/></gazebo>',
        )
        source.write_text(f'<robot name="arm">{"".join(parts)}{sensors}</robot>')
        export_robot(read_robot(source), folder / "project", options=WebotsOptions())
        self.script = folder / "project" / "controllers" / "arm" / "arm.py"
        self.devices = devices_of(folder / "project" / "worlds" / "arm.wbt")
        self.world = World(self.devices, seconds)
        self.arguments = arguments

    def main(self, monkeypatch: pytest.MonkeyPatch) -> Any:
        monkeypatch.setitem(sys.modules, "controller", self.world.make_module())
        return runpy.run_path(str(self.script))["main"](self.arguments)

    def targets(self, motor: str) -> list[float]:
        (found,) = (d for d in self.devices if d.getName() == motor)
        assert isinstance(found, Motor)
        return found.targets

    def target_at(self, motor: str, time: float) -> float:
        """The command that followed the step to `time`."""
        return self.targets(motor)[round(time / 0.008) - 1]


def trajectory(folder: Path, **other: Any) -> str:
    path = folder / "path.json"
    points = [
        {"positions": [0.0, 0.5], "time_from_start": {"sec": 1, "nanosec": 0}},
        {"positions": [0.8, -0.5], "time_from_start": 2.0},
    ]
    content = {"joint_names": ["elbow", "drift_x"], "points": points} | other
    path.write_text(json.dumps(content))
    return str(path)


def test_it_follows_a_trajectory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(tmp_path, [trajectory(tmp_path), "--every", "0"])
    assert run.main(monkeypatch) == 0
    elbow, drift = "elbow::elbow", "drift_x"
    # Held before, interpolated between, held after.
    assert run.target_at(elbow, 0.4) == 0.0 and run.target_at(drift, 0.4) == 0.5
    assert run.target_at(elbow, 1.6) == pytest.approx(0.48)
    assert run.target_at(drift, 1.6) == pytest.approx(-0.1)
    assert run.target_at(elbow, 2.8) == 0.8
    # The follower is coupled: only its leader is commanded.
    assert run.targets("elbow::wrist") == []


def test_it_loops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(tmp_path, [trajectory(tmp_path), "--loop", "--every", "0"], seconds=4.0)
    assert run.main(monkeypatch) == 0
    assert run.target_at("drift_x", 3.6) == pytest.approx(-0.1)


def test_limits_hold_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The elbow goes to 1 at most; the stand-in refuses more, as Webots does."""
    points = [{"positions": [7.0], "time_from_start": 0}]
    path = trajectory(tmp_path, joint_names=["elbow"], points=points)
    run = Run(tmp_path, [path, "--every", "0"], seconds=0.1)
    assert run.main(monkeypatch) == 0
    assert set(run.targets("elbow::elbow")) == {1.0}


def test_csv_says_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "path.csv"
    path.write_text("time,elbow,drift_x\n1,0,0.5\n2,0.8,-0.5\n", encoding="utf-8-sig")
    run = Run(tmp_path, [str(path), "--every", "0"])
    assert run.main(monkeypatch) == 0
    assert run.target_at("elbow::elbow", 1.6) == pytest.approx(0.48)


def test_it_lists_every_device_and_reads_every_sensor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    points = [{"positions": [0.4], "time_from_start": 0}]
    path = trajectory(tmp_path, joint_names=["elbow"], points=points)
    run = Run(tmp_path, [path, "--every", "0.5"], seconds=1.2)
    assert run.main(monkeypatch) == 0
    shown = capsys.readouterr().out
    for device in run.devices:
        assert f"{type(device).__name__} {device.getName()!r}" in shown
        if isinstance(device, controller_double.Sensor):
            assert device.getSamplingPeriod() == 8
    for text in (
        "camera: 64 x 48 pixels",
        "depth_camera: 2.5",
        "gpu_lidar: 1.5",
        "sonar: 0.7",
        "imu_gyro: [1.0, 2.0, 3.0]",
        "imu_inertial_unit: [0.0, 0.0, 0.0, 1.0]",
        "contact: 1.0",
        "force: [4.0, 5.0, 6.0]",
        "gps: [1.0, 2.0, 3.0]",
        "altimeter: 0.7",
        "elbow: 0.4",
    ):
        assert f"  {text}\n" in shown
    # wrist = -0.5 elbow + 0.2, of which Webots counts only the first part.
    wrist = re.search(r"  wrist: (\S+)\n", shown)
    assert wrist is not None and float(wrist[1]) == pytest.approx(0.0, abs=1e-9)
    assert shown.count(" s\n") == 3


def test_without_a_trajectory_it_keeps_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path, [], seconds=0.1)
    assert run.main(monkeypatch) == 0
    assert all(not d.targets for d in run.devices if isinstance(d, Motor))


@pytest.mark.parametrize(
    "text, reason",
    [
        ('{"joint_names": ["tail"], "points": [{"positions": [1], "time_from_start": 0}]}', "tail"),
        (
            '{"joint_names": ["wrist"], "points": [{"positions": [1], "time_from_start": 0}]}',
            "no m",
        ),
        ('{"joint_names": ["elbow"], "points": []}', "no points"),
        ('{"joint_names": ["elbow"], "points": [{"positions": [], "time_from_start": 0}]}', "each"),
        ('{"points": []}', "JointTrajectory"),
        ("[]", "JointTrajectory"),
        ("{", "Expecting"),
        (
            '{"joint_names": ["elbow"], "points": [{"positions": [1], "time_from_start": 2},'
            '{"positions": [1], "time_from_start": 1}]}',
            "rise",
        ),
        (
            '{"joint_names": ["elbow"], "points": [{"positions": [NaN], "time_from_start": 0}]}',
            "fin",
        ),
    ],
)
def test_bad_trajectories_are_one_sentence(
    text: str,
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    run = Run(tmp_path, [str(path)], seconds=0.1)
    assert run.main(monkeypatch) == 1
    message = capsys.readouterr().err
    assert message.count("\n") == 1 and str(path) in message and reason in message
    assert run.world.times == []


def test_a_csv_without_head_and_a_file_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    headless = tmp_path / "headless.csv"
    headless.write_text("0,1\n1,2\n")
    for path in (headless, tmp_path / "missing.json"):
        assert Run(tmp_path, [str(path)], seconds=0.1).main(monkeypatch) == 1
        assert str(path) in capsys.readouterr().err
