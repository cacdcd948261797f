# SPDX-License-Identifier: GPL-3.0-or-later
"""USD with physics of rigs: as the description, with the shapes of the scene, whatever the pose."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from support.blender.engine_robots import animate
from support.blender.whole_file import describe_file
from support.paths import ROOT
from support.usd_machines import read_files
from urdf_importer import EngineOptions, export_robot, import_robot, read_robot

LEG = ROOT / "sample_urdfs" / "quadruped_leg.urdf"
ISAAC = EngineOptions(engine="isaac")

pytestmark = pytest.mark.usefixtures("scene")


def test_a_rig_is_the_machine_that_its_description_is(tmp_path: Path) -> None:
    """Also where it is animated, posed and somewhere else; an edited shape is in it."""
    result = import_robot(LEG)
    animate(result.armature)
    bpy.context.scene.frame_set(7)
    result.armature.location = (1.0, 2.0, 3.0)
    files = [tmp_path / f"{name}.usda" for name in ("described", "rigged", "edited")]
    export_robot(read_robot(LEG), files[0], options=ISAAC)
    before = describe_file()
    written = export_robot(result.armature, files[1], options=ISAAC)
    assert describe_file() == before
    assert written.animations == () and written.files == (files[1],)
    shape = next(item for item in result.visuals["shin"] if len(item.data.vertices) > 8)
    shape.data.transform(Matrix.Translation((5.0, 0.0, 0.0)))
    export_robot(result.armature, files[2], options=ISAAC)
    described, rigged, edited = read_files(files, tmp_path / "said.json")
    assert not any(each["faults"] for each in (described, rigged, edited))
    for part in ("bodies", "joints", "colliders"):
        assert described[part].keys() == rigged[part].keys() and described[part]
        for path, prim in described[part].items():
            assert_close(prim, rigged[part][path], path)
    boxes = [_box_of(each) for each in (described, rigged, edited)]
    assert np.abs(boxes[0] - boxes[1]).max() < 1e-5
    assert boxes[2][1, 0] > boxes[1][1, 0] + 4.0


def assert_close(one: Any, other: Any, path: str) -> None:
    assert one.keys() == other.keys(), path
    for name, value in one.items():
        if _is_numbers(value):
            assert np.allclose(value, other[name], atol=1e-6), (path, name)
        else:
            assert value == other[name], (path, name)


def _is_numbers(value: Any) -> bool:
    return np.asarray(value).dtype.kind == "f"


def _box_of(said: Any) -> Any:
    boxes = np.array([mesh["box"] for mesh in said["meshes"].values()])
    return np.array([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])
