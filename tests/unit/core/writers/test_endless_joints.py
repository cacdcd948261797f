# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints without bound stay so in each format, whatever their limits say beyond the range."""

from pathlib import Path

import pytest

from urdf_importer import (
    Diagnostics,
    EngineOptions,
    FileOptions,
    Robot,
    UrdfOptions,
    export_robot,
    plan_rig,
    read_robot,
)

BODY = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
LIMIT = "<limit effort='80' velocity='7.5'/>"


@pytest.fixture(params=["revolute", "prismatic"])
def robot(request: pytest.FixtureRequest, tmp_path: Path) -> Robot:
    links = "".join(f"<link name='{name}'>{BODY}</inertial></link>" for name in ("base", "wheel"))
    joint = f"<joint name='j' type='{request.param}'><parent link='base'/><child link='wheel'/>"
    path = tmp_path / "no_range.urdf"
    path.write_text(f"<robot name='r'>{links}{joint}<axis xyz='0 0 1'/>{LIMIT}</joint></robot>")
    return read_robot(path)


OPTIONS: dict[str, FileOptions | None] = {
    ".urdf": UrdfOptions(complete=True, style="plain"),
    ".sdf": None,
    ".xml": None,
    ".usda": EngineOptions(usd="physics"),
}
FARTHEST = 1e5  # Metres, where a format wants a number.


@pytest.mark.parametrize("suffix", OPTIONS)
def test_a_limit_without_range_bounds_nothing_in_any_format(
    suffix: str, robot: Robot, tmp_path: Path
) -> None:
    diagnostics = Diagnostics()
    written = export_robot(
        robot, tmp_path / f"written{suffix}", options=OPTIONS[suffix], diagnostics=diagnostics
    )
    assert {item.code for item in diagnostics} <= {"limit-without-range"}
    again = Diagnostics()
    (joint,) = plan_rig(read_robot(written.path), diagnostics=again).joints
    assert (joint.lower, joint.upper) in ((None, None), (-FARTHEST, FARTHEST))
    assert {item.code for item in again} <= {"limit-without-range"}
    limit = joint.joint.limit
    assert limit is not None and limit.effort == pytest.approx(80.0)


def test_the_text_of_a_limit_without_range_stays(robot: Robot, tmp_path: Path) -> None:
    written = export_robot(robot, tmp_path / "kept.urdf", diagnostics=Diagnostics())
    assert LIMIT in written.path.read_text()
