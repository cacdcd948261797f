# SPDX-License-Identifier: GPL-3.0-or-later
"""MoveIt's joint_limits.yaml, also from strangers."""

import pytest

from support.paths import ROOT
from urdf_importer import (
    Diagnostics,
    ReadError,
    RetimeOptions,
    Trajectory,
    check_trajectory,
    retime_trajectory,
)
from urdf_importer.features.motion.limits_file import read_joint_limits

TABLE = """\
# a comment
default_velocity_scaling_factor: 0.5
default_acceleration_scaling_factor: 0.25
joint_limits:
  shoulder:
    has_velocity_limits: true
    max_velocity: 1.5
    has_acceleration_limits: yes
    max_acceleration: 3
    has_jerk_limits: false
    max_jerk: 0
  elbow:
    has_velocity_limits: false
    max_velocity: 0
    has_acceleration_limits: true
    max_acceleration: 2.5e0
    min_position: -0.5
    max_position: 0.5
"""


def read(tmp_path, text, diagnostics=None):
    path = tmp_path / "joint_limits.yaml"
    path.write_text(text, encoding="utf-8")
    return read_joint_limits(str(path), Diagnostics() if diagnostics is None else diagnostics)


def indent(text, *keys):
    for depth, key in enumerate(keys):
        text = f"{key}:\n" + "".join(f"  {line}\n" for line in text.splitlines())
        assert depth < 4
    return text


@pytest.mark.parametrize(
    "keys",
    [(), ("robot_description_planning",), ("robot_description_planning", "ros__parameters", "/**")],
)
def test_bounds_are_read_where_moveit_has_them(tmp_path, keys):
    table = read(tmp_path, indent(TABLE, *keys))
    assert table.joints == {
        "shoulder": {"velocity": 1.5, "acceleration": 3.0, "jerk": None},
        "elbow": {"velocity": None, "acceleration": 2.5, "lower": -0.5, "upper": 0.5},
    }
    assert (table.velocity_scale, table.acceleration_scale) == (0.5, 0.25)


def test_scales_hold_for_retiming_and_not_for_checks(tmp_path):
    path = tmp_path / "limits.yaml"
    path.write_text(TABLE, encoding="utf-8")
    motion = Trajectory(names=("shoulder",), times=[0, 1], positions=[[0.0], [1.4]])
    assert check_trajectory(None, motion, limits=path) == ()
    halved = retime_trajectory(motion, limits=path)
    assert halved.duration == pytest.approx(1.4 / 0.75 + 0.75 / 0.75, rel=1e-3)
    options = RetimeOptions(velocity_scale=1.0, acceleration_scale=1.0)
    full = retime_trajectory(motion, limits=path, options=options)
    assert full.duration == pytest.approx(1.4 / 1.5 + 1.5 / 3.0, rel=1e-3)


@pytest.mark.parametrize(
    ("text", "line", "match"),
    [
        ("joint_limits: 3\n", 1, "no joint_limits"),
        ("", 1, "no joint_limits"),
        ("- a\n", 1, "not a mapping"),
        ("joint_limits:\n  a: 3\n", 2, "not a mapping"),
        ("joint_limits:\n  a:\n    max_velocity: fast\n", 3, "a number"),
        ("joint_limits:\n  a:\n    max_velocity: .inf\n", 3, "a number"),
        ("joint_limits:\n  a:\n    max_velocity: -1\n", 3, "below zero"),
        ("joint_limits:\n  a:\n    has_jerk_limits: perhaps\n", 3, "true or false"),
        ("joint_limits: {}\ndefault_velocity_scaling_factor: 3\n", 2, "at most 1"),
        ("joint_limits:\n  a: !!python/object/apply:os.system [ls]\n", 2, "object"),
        ("joint_limits: [" * 200, 1, "100 levels"),
        ("\x00", 0, "YAML"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_line(tmp_path, text, line, match):
    with pytest.raises(ReadError, match=match) as caught:
        read(tmp_path, text)
    assert caught.value.line == line


def test_aliases_that_explode_and_big_files_are_refused(tmp_path):
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 9)
    )
    with pytest.raises(ReadError, match="aliases"):
        read(tmp_path, bomb)
    with pytest.raises(ReadError, match="bigger"):
        read(tmp_path, "#" * (1024 * 1024 + 1))
    with pytest.raises(ReadError):
        read_joint_limits(str(tmp_path / "none.yaml"), Diagnostics())
    with pytest.raises(ReadError):
        read_joint_limits(str(ROOT), Diagnostics())


def test_zero_means_not_stated_and_double_keys_are_told(tmp_path):
    diagnostics = Diagnostics()
    text = "joint_limits:\n  a:\n    has_velocity_limits: true\n    max_velocity: 0.0\n  a: {}\n"
    assert read(tmp_path, text, diagnostics).joints == {"a": {"velocity": None}}
    assert [(each.code, each.line) for each in diagnostics] == [
        ("bad-parameter", 5), ("velocity-not-stated", 4),
    ]  # fmt: skip
