# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of files that would lie about what is in them, and frames that are none, are refused."""

from pathlib import Path
from typing import Any

import pytest

from support.paths import ROOT
from urdf_importer import (
    ArgumentError,
    WebotsOptions,
    WriteError,
    add_ik,
    bake_ik,
    export_robot,
    import_robot,
    read_robot,
    render_preview,
    save_blend,
    trace_path,
)

ROBOT = ROOT / "sample_urdfs" / "two_link_arm.urdf"


def test_scenes_and_pictures_have_their_suffix(scene: Any, tmp_path: Path) -> None:
    result = import_robot(ROBOT)
    with pytest.raises(WriteError, match=r"a scene must end in \.blend, not '.*x'"):
        save_blend(tmp_path / "x")
    with pytest.raises(WriteError, match=r"a picture must end in \.png, not '.*x\.jpg'"):
        render_preview(result, tmp_path / "x.jpg")
    assert not list(tmp_path.iterdir())


def test_a_name_without_suffix_makes_no_project(tmp_path: Path) -> None:
    robot = read_robot(ROBOT)
    for name in ("arm", "arm.blend", "arm.zip"):
        with pytest.raises(WriteError, match=r"must end in \.proto.* \(with / at its end\)"):
            export_robot(robot, tmp_path / name)
    with pytest.raises(WriteError, match=r"a .blend is made by import_robot and save_blend"):
        export_robot(robot, "arm.blend")
    assert not list(tmp_path.iterdir())
    export_robot(robot, f"{tmp_path}/slash/")
    (tmp_path / "there").mkdir()
    export_robot(robot, tmp_path / "there")
    export_robot(robot, tmp_path / "told", options=WebotsOptions())
    assert all((tmp_path / name / "package.xml").exists() for name in ("slash", "there", "told"))


@pytest.mark.parametrize(("frames", "step"), [((10, 1), 1), ((1, 10), 0), ((1, 10), -1)])
def test_frames_that_are_none_are_named(scene: Any, frames: tuple[int, int], step: int) -> None:
    result = import_robot(ROBOT)
    target = add_ik(result, "tool")
    for bake in (
        lambda: trace_path(result, "tool", frame_range=frames, step=step),
        lambda: bake_ik(result, target, frame_range=frames, step=step),
    ):
        with pytest.raises(ArgumentError, match=f"frames {frames[0]} to {frames[1]} in steps of"):
            bake()
    assert len(trace_path(result, "tool", frame_range=(3, 3))) == 1
