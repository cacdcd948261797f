# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of rigs that a person edited: read, or one sentence that names object and property."""

from pathlib import Path
from typing import Any

import bpy
import pytest

from support.paths import ROOT
from urdf_importer import BuildError, export_robot, extract_robot, import_robot, set_joint_positions
from urdf_importer.core.blender.standing.record import find_record
from urdf_importer.core.blender.standing.robot_table import read_table

ARM = ROOT / "sample_urdfs" / "two_link_arm.urdf"


def put(item: Any, key: str, inner: str, value: object) -> None:
    """Puts a value into a kept group; None takes it out, without `inner` the group is replaced."""
    if not inner:
        item[key] = value
    elif value is None:
        del item[key][inner]
    else:
        item[key][inner] = value


@pytest.fixture
def rig() -> Any:
    bpy.ops.wm.read_homefile(use_empty=True)
    return import_robot(ARM).armature


@pytest.mark.parametrize(
    ("key", "inner", "value"),
    [
        ("urdf_robot", "", "text"), ("urdf_robot", "", [1.0]), ("urdf_robot", "links", None),
        ("urdf_robot", "links", "text"), ("urdf_robot", "joints", 5), ("urdf_robot", "name", 5),
        ("urdf_robot", "materials", ["a"]), ("urdf_link", "", 5), ("urdf_link", "name", None),
        ("urdf_link", "name", 5), ("urdf_link", "inertial", "heavy"), ("urdf_joint", "", "text"),
        ("urdf_joint", "parent", None), ("urdf_joint", "axis", "z"), ("urdf_joint", "type", 5),
        ("urdf_joint", "origin", [1.0]), ("urdf_joint", "limit", {"lower": "a"}),
        ("urdf_shape", "", 5), ("urdf_shape", "geometry", None), ("urdf_shape", "geometry", "box"),
        ("urdf_shape", "geometry", {"type": "cone"}), ("urdf_shape", "origin", {"xyz": "here"}),
        ("urdf_import", "", "text"), ("urdf_import", "path", None), ("urdf_import", "options", "["),
        ("urdf_import", "diagnostics", [1, 2]), ("urdf_joints", "", "text"),
        ("urdf_joints", "", [{"name": "a"}]),
    ],
)  # fmt: skip
def test_edited_groups_are_read_or_named(
    rig: Any, tmp_path: Path, key: str, inner: str, value: object
) -> None:
    owners = [rig, *rig.children_recursive, *rig.data.bones]
    owner = next(each for each in owners if key in each)
    name = owner.name
    put(owner, key, inner, value)
    said = []
    for work in (
        lambda: extract_robot(rig),
        lambda: export_robot(rig, tmp_path / "out.urdf"),
        lambda: export_robot(rig, tmp_path / "out.sdf"),
        lambda: find_record(rig),
        lambda: read_table(rig),
        lambda: set_joint_positions(rig, {}),
        lambda: import_robot(ARM),
    ):
        try:
            work()
        except BuildError as error:
            said.append(error.message)
    assert said and all("was edited by hand" in each and repr(name) in each for each in said), said
