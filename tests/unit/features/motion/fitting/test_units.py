# SPDX-License-Identifier: GPL-3.0-or-later
"""Units joint by joint, and tables of servos."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.paths import ROOT
from urdf_importer import (
    MotionOptions,
    ReadError,
    RobotError,
    WriteError,
    read_robot,
    read_trajectory,
)
from urdf_importer.core.model import Limit
from urdf_importer.features.motion.fitting.servos import (
    Servo,
    read_servos,
    read_servos_text,
    write_servos,
)
from urdf_importer.features.motion.fitting.units import counts_of

URDF = ROOT / "tests/data/turn_and_slide.urdf"
CALIBRATION = {
    "arm": {"id": 1, "drive_mode": 0, "homing_offset": 100, "range_min": 800, "range_max": 3200},
    "finger": {"id": 6, "drive_mode": 1, "homing_offset": 0, "range_min": 2000, "range_max": 3500},
}


@pytest.fixture(scope="module")
def robot():
    return read_robot(URDF)


def read(tmp_path, robot, row, *units, servos=""):
    path = tmp_path / "m.csv"
    path.write_text("time,arm,finger\n0,{},{}\n".format(*row))
    options = MotionOptions(units=tuple(each.split(":=") for each in units), servos=str(servos))
    return read_trajectory(path, robot=robot, options=options).positions[0]


def limits_of(robot, name):
    joint = next(each for each in robot.joints if each.name == name)
    assert isinstance(joint.limit, Limit)
    return joint.limit.lower, joint.limit.upper


@pytest.mark.parametrize(
    "units, found",
    [
        ([], [90.0, 10.0]),
        (["*:=deg"], [math.pi / 2, 10.0]),
        (["*:=turns"], [180 * math.pi, 10.0]),
        (["*:=mm"], [90.0, 0.01]),
        (["*:=deg", "finger:=cm"], [math.pi / 2, 0.1]),
        (["arm:=rad", "*:=deg"], [90.0, 10.0]),
    ],
)
def test_units_of_all_touch_only_joints_that_have_them(tmp_path, robot, units, found):
    assert read(tmp_path, robot, (90, 10), *units) == pytest.approx(found, abs=1e-12)


def test_percent_and_signed_are_of_the_limits(tmp_path, robot):
    lower, upper = limits_of(robot, "finger")
    middle = (lower + upper) / 2
    for unit, numbers in (("percent", (0, 50, 100)), ("signed", (-100, 0, 100))):
        for number, wanted in zip(numbers, (lower, middle, upper), strict=True):
            found = read(tmp_path, robot, (0, number), f"finger:={unit}")
            assert found[1] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    "units, message",
    [
        (["finger:=deg"], "joint 'finger' slides: its unit is m, cm, mm, percent"),
        (["arm:=mm"], "joint 'arm' turns: its unit is rad, deg, turns"),
        (["arm:=degrees"], "a unit is rad, deg, turns, m, cm, mm, percent, signed or counts"),
        (["nose:=deg"], "no joint of the motion is 'nose'"),
        (["arm:=counts"], "table of servos has no joint 'arm'"),
        (["arm:=deg", "arm:=rad"], "given twice"),
    ],
)
def test_units_that_make_no_sense_are_refused(tmp_path, robot, units, message):
    with pytest.raises(RobotError, match=message):
        read(tmp_path, robot, (0, 0), *units)


def normalize(value, motor, mode):
    """MotorsBus._normalize of LeRobot 0.6, in its three modes."""
    least, most = motor["range_min"], motor["range_max"]
    if mode == "range_m100_100":
        norm = ((min(most, max(least, value)) - least) / (most - least)) * 200 - 100
        return -norm if motor["drive_mode"] else norm
    if mode == "range_0_100":
        norm = ((min(most, max(least, value)) - least) / (most - least)) * 100
        return 100 - norm if motor["drive_mode"] else norm
    return (value - (least + most) / 2) * 360 / 4095


@settings(max_examples=60, deadline=None)
@given(counts=st.integers(800, 3200))
def test_lerobots_numbers_are_the_servos_positions(tmp_path_factory, robot, counts):
    folder = tmp_path_factory.mktemp("servos")
    path = folder / "c.json"
    path.write_text(json.dumps(CALIBRATION))
    motor = CALIBRATION["arm"]
    wanted = (counts - 2000) * math.tau / 4095
    for mode, unit in (("range_m100_100", "signed"), ("degrees", "deg")):
        number = normalize(counts, motor, mode)
        assert read(folder, robot, (repr(number), 0), f"arm:={unit}", servos=path)[0] == (
            pytest.approx(wanted, abs=1e-9)
        )
    assert read(folder, robot, (counts, 0), "arm:=counts", servos=path)[0] == (
        pytest.approx(wanted, abs=1e-12)
    )
    turned = read_servos(path)[1]
    place = normalize(turned.least + 100, CALIBRATION["finger"], "range_m100_100")
    found = read(folder, robot, (0, repr(place)), "finger:=signed", servos=path)[1]
    assert turned.zero + found * turned.scale == pytest.approx(turned.least + 100, abs=1e-9)


def test_tables_of_servos_are_read_and_written(tmp_path):
    text = (
        "preset: feetech\nservos:\n  pan: {id: 1}\n"
        "  elbow: {id: 3, zero: 1980, sign: -1, counts: [150, 3900], speed: 3000}\n"
        "  grip: {id: 4, counts: [0, 1000], range: 90}\n"
    )
    pan, elbow, grip = read_servos_text(text)
    assert pan == Servo(joint="pan", id=1)
    assert (elbow.zero, elbow.least, elbow.most, elbow.speed) == (1980, 150, 3900, 3000)
    assert elbow.scale == -4096 / math.tau
    assert grip.scale == pytest.approx(1000 / (math.pi / 2))
    for name in ("s.yaml", "s.json"):
        write_servos((pan, elbow, grip), tmp_path / name)
        for one, other in zip(read_servos(tmp_path / name), (pan, elbow, grip), strict=True):
            assert one.scale == pytest.approx(other.scale, rel=1e-12)
            assert (one.joint, one.id, one.zero, one.speed) == (
                other.joint, other.id, other.zero, other.speed,
            )  # fmt: skip
    with pytest.raises(WriteError, match="comes from a calibration"):
        write_servos(read_servos_text(json.dumps(CALIBRATION)), tmp_path / "x.yaml")


@given(position=st.floats(-4.0, 4.0), sign=st.sampled_from([1, -1]))
def test_counts_are_rounded_and_held(position, sign):
    servo = Servo(joint="a", scale=sign * 4096 / math.tau, least=100, most=4000)
    counts, beyond = counts_of(servo, np.array([position]))
    exact = 2048 + servo.scale * position
    assert counts[0] == min(max(round(exact), 100), 4000)
    assert (beyond[0] != 0) == (not 100 <= round(exact) <= 4000)


@pytest.mark.parametrize(
    "text, message",
    [
        ("preset: {a: 1}\nservos: {a: {id: 1}}", "preset is dynamixel, feetech, scs"),
        ("servos: {a: {id: 1, range: 1e-308}}", "no range above zero"),
        ("preset: hobby\nservos: {a: {id: 1}}", "preset is dynamixel, feetech, scs"),
        ("servos:\n  a: {id: 1}\n  a: {id: 2}", "'a' comes twice"),
        ('{"servos": {"a": {}, "a": {}}}', "'a' comes twice"),
        ("servos: {a: {ident: 1}}", "servo 'a' has 'ident'; known are id, zero"),
        ("servos: {a: {counts: [5, 5]}}", "servo 'a' has the counts 5 to 5"),
        ("servos: {a: {sign: 2}}", "sign 2, not 1 or -1"),
        ("servos: []", "one for each joint"),
        ("[1, 2]", "no `servos`"),
        ('{"a": {"range_min": 7, "range_max": 7}}', "empty range: 7 to 7"),
        ('{"a": {"range_min": 7, "range_max": 9, "drive_mode": "x"}}', "is not a number: 'x'"),
    ],
)
def test_tables_that_make_no_sense_are_refused(text, message):
    with pytest.raises(ReadError, match=message):
        read_servos_text(text)
