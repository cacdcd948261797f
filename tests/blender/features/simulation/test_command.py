# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer simulate."""

import json
from pathlib import Path

import bpy
import pytest

from support.falling import box, write
from urdf_importer import read_trajectory
from urdf_importer.cli import main


def test_a_description_falls_into_a_blend_with_all_its_outputs(tmp_path, capfd):
    robot = str(write(tmp_path, box()))
    names = ("out.blend", "out.json", "out.png", "out.xml")
    blend, motion, picture, model = (str(tmp_path / name) for name in names)
    given = ["--seconds", "0.5", "--fps", "60", "--height", "0.1", "--push", "box,5,0,0,0.1,0.2"]
    outputs = ["-o", blend, "--trajectory", motion, "--preview", picture, "--model", model]
    assert main(["simulate", robot, *given, *outputs, "--engine", "mujoco"]) == 0
    assert "31 frames by mujoco" in capfd.readouterr().err
    assert all(Path(each).stat().st_size > 500 for each in (blend, motion, picture, model))
    assert len(read_trajectory(motion).frames[0].times) == 31
    bpy.ops.wm.open_mainfile(filepath=blend)
    assert bpy.context.scene.render.fps == 60 and bpy.context.scene.frame_current == 1
    again = str(tmp_path / "again.blend")
    assert main(["simulate", blend, "-o", again, "--seconds", "0.2", "--base", "free"]) == 0
    assert json.loads(Path(motion).read_text())


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        (["--seconds", "-1"], 1),
        (["--push", "box,1"], 1),
        (["--collider", "none"], 1),
        (["--substeps", "0"], 2),
        (["--fps", "0"], 2),
        (["--robot", "x"], 2),
    ],
)
def test_wrong_usage_writes_nothing(tmp_path, wrong, status):
    robot, output = str(write(tmp_path, box())), tmp_path / "out.blend"
    try:
        found = main(["simulate", robot, "-o", str(output), *wrong])
    except SystemExit as ended:
        found = int(ended.code or 0)
    assert found == status and not output.exists()
