# SPDX-License-Identifier: GPL-3.0-or-later
"""A library of assets that a batch makes: Blender reads it, and its robots pose in a session that
has neither the extension nor the library."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from support.paths import ROOT
from urdf_importer import BatchOptions, ImportOptions, batch, forward_kinematics, read_robot

SAMPLES = ROOT / "sample_urdfs"
ROBOTS: dict[str, tuple[str, dict[str, float], dict[str, float]]] = {
    "gripper.urdf": ("Hands and Grippers", {"jaw_left": 0.01}, {"jaw_left": 5.0}),
    "humanoid_arm.urdf": ("Arms", {"shoulder_pitch": 0.4, "elbow": -0.5}, {"elbow": 0.6}),
    "hexapod.xml": ("Other", {"leg_1": 0.03, "leg_4": -0.02}, {"leg_2": 1.0}),
}
"""The kind of each, positions within its limits, and beyond."""

# The function of docs/how-to/rig_without_extension.md, in a file of Blender's own.
APPEND = """
import json, sys
import bpy
blend, positions = sys.argv[1], json.loads(sys.argv[2])
bpy.context.preferences.filepaths.use_scripts_auto_execute = False
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
with bpy.data.libraries.load(blend, link=False, assets_only=True) as (have, wanted):
    assert len(have.collections) == 1, have.collections
    wanted.collections = have.collections
(collection,) = wanted.collections
bpy.context.scene.collection.children.link(collection)
robot = next(item for item in collection.all_objects if "urdf_schema" in item)
for bone in robot.pose.bones:
    for joint in bone.bone.get("urdf_joints", ()):
        position = positions.get(joint["name"])
        if position is not None and not joint.get("mimics"):
            channel = getattr(bone, joint["properties"][0])
            channel[joint["indices"][0]] = joint["sign"] * position
bpy.context.view_layer.update()
drivers = [curve.driver for curve in robot.animation_data.drivers] if robot.animation_data else []
said = {
    "links": {
        item["urdf_link"]["name"]: [list(row) for row in robot.matrix_world.inverted()
                                    @ item.matrix_world]
        for item in collection.all_objects if "urdf_link" in item
    },
    "drivers": [len(drivers), sum(each.type == "SCRIPTED" and not each.is_simple_expression
                                  for each in drivers)],
    "catalog": collection.asset_data.catalog_id,
    "method": getattr(collection.asset_data, "preferred_import_method", "APPEND"),
    "preview": list(collection.preview.image_size),
    "images": [image.filepath for image in bpy.data.images
               if image.source == "FILE" and image.packed_file is None],
    "ours": [name for name in sys.modules if "urdf_importer" in name],
}
print("SAID", json.dumps(said), flush=True)
"""

MANIFEST = """schema_version = "1.0.0"
id = "my_robots"
version = "1.0.0"
name = "My Robots"
tagline = "Robots that pose within their limits"
maintainer = "Me <me@example.org>"
type = "asset-library"
blender_version_min = "5.3.0"
license = ["SPDX:GPL-3.0-or-later"]

[asset_library]
remote_url = "https://example.org/robots/"

[build]
paths_exclude_pattern = ["/batch*.jsonl", "/index.html"]
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("library")
    options = BatchOptions(jobs=2, picture_samples=1, imports=ImportOptions(pack_textures=False))
    done = batch([SAMPLES / name for name in ROBOTS], output, to=("asset",), options=options)
    assert done.ok, [each.error for each in done.records]
    assert [each.facts["kind"] for each in done.records] == [each[0] for each in ROBOTS.values()]
    for record in done.records:
        assert {Path(file).suffix for file in record.files} == {".blend", ""}
        assert (output / record.place / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    return output


def append(library: Path, name: str, positions: dict[str, float]) -> dict[str, Any]:
    """A robot of the library in a new file, posed by Blender alone."""
    (blend,) = library.glob(f"{Path(name).stem}*/*.blend")
    command = [sys.executable, "-c", APPEND, str(blend)]
    done = subprocess.run([*command, json.dumps(positions)], capture_output=True, text=True)
    assert "SAID" in done.stdout, done.stdout + done.stderr
    said: dict[str, Any] = json.loads(done.stdout.partition("SAID")[2].splitlines()[0])
    return said


def assert_posed(said: dict[str, Any], name: str, positions: dict[str, float]) -> None:
    wanted = forward_kinematics(read_robot(SAMPLES / name), positions)
    assert said["links"]
    for link, shown in said["links"].items():
        assert np.allclose(np.array(shown), wanted[link], atol=2e-5), link


@pytest.mark.parametrize("name", ROBOTS)
def test_an_appended_robot_poses_without_the_extension(name: str, library: Path) -> None:
    _, positions, _ = ROBOTS[name]
    said = append(library, name, positions)
    assert (
        said["method"] == "APPEND"
        and said["ours"] == []
        and said["images"] == []
        and min(said["preview"]) > 0
    )
    # No driver needs Python, which Blender does not run for files of strangers.
    assert said["drivers"][0] > 0 and said["drivers"][1] == 0
    assert_posed(said, name, positions)


@pytest.mark.parametrize("name", ROBOTS)
def test_its_limits_hold_there(name: str, library: Path) -> None:
    _, _, beyond = ROBOTS[name]
    ends = {each.name: each.limit for each in read_robot(SAMPLES / name).joints if each.limit}
    held = {joint: float(ends[joint].upper) for joint in beyond}
    assert all(beyond[joint] > end for joint, end in held.items())
    assert_posed(append(library, name, beyond), name, held)


def test_each_robot_is_in_a_catalogue_of_the_library(library: Path) -> None:
    lines = (library / "blender_assets.cats.txt").read_text().splitlines()
    assert lines[0] == "VERSION 1"
    catalogs = dict(line.split(":")[:2] for line in lines[2:])
    for name, (kind, _, _) in ROBOTS.items():
        assert catalogs[append(library, name, {})["catalog"]] == f"Robots/{kind}"


@pytest.mark.skipif(bpy.app.version < (5, 3), reason="Blender knows no extensions of assets")
def test_blender_takes_it_as_an_extension_once_a_manifest_is_added(
    library: Path, tmp_path: Path
) -> None:
    tool = Path(bpy.utils.system_resource("SCRIPTS"), "addons_core/bl_pkg/cli/blender_ext.py")
    manifest = library / "blender_manifest.toml"
    manifest.write_text(MANIFEST)
    try:
        for words in (
            ["validate", str(library)],
            ["build", "--source-dir", str(library), "--output-dir", str(tmp_path)],
            ["validate", str(tmp_path / "my_robots-1.0.0.zip")],
        ):
            done = subprocess.run(
                [sys.executable, str(tool), *words], capture_output=True, text=True
            )
            assert done.returncode == 0, done.stdout + done.stderr
    finally:
        manifest.unlink()
