# SPDX-License-Identifier: GPL-3.0-or-later
"""What is in the files beside motion: sockets, levels of detail, textures, physics; and when no
file is there at all."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pinocchio
import pytest

from support.gltf_truth import Gltf
from support.paths import ROOT
from support.real_robots import descriptions, without_elsewhere
from urdf_importer import EngineOptions, export_robot, import_robot, read_robot
from urdf_importer.cli import main

SAMPLES = ROOT / "sample_urdfs"
ARM = SAMPLES / "two_link_arm.urdf"

pytestmark = pytest.mark.usefixtures("scene")

NAMES = """
<robot name="a robot"><link name="base link"><visual><geometry><box size="1 1 1"/></geometry>
</visual></link><link name="base_link"/><link name="Löffel/1"/><link name="deep"/><link name="tip"/>
<joint name="a" type="revolute"><parent link="base link"/><child link="base_link"/>
<limit lower="-1" upper="1" effort="3" velocity="2"/></joint>
<joint name="b" type="continuous"><parent link="base_link"/><child link="Löffel/1"/></joint>
<joint name="c" type="fixed"><parent link="Löffel/1"/><child link="deep"/>
<origin xyz="1 0 0"/></joint>
<joint name="d" type="fixed"><parent link="deep"/><child link="tip"/><origin xyz="1 0 0"/></joint>
</robot>
"""


def test_names_are_clean_and_ends_are_sockets(tmp_path: Path) -> None:
    source = tmp_path / "names.urdf"
    source.write_text(NAMES, encoding="utf-8")
    robot = read_robot(source)
    written = export_robot(robot, tmp_path / "with.glb", options=EngineOptions())
    assert written.bones == {
        "base link": "base_link", "base_link": "base_link_2", "Löffel/1": "L_ffel_1",
        "deep": "L_ffel_1", "tip": "tip",
    }  # fmt: skip
    gltf = Gltf(tmp_path / "with.glb")
    assert set(gltf.joints) == set(written.bones.values())
    extras = gltf.nodes[gltf.joints["L_ffel_1"]]["extras"]
    assert extras["urdf_link"]["name"] == "Löffel/1" and extras["urdf_joint"]["name"] == "b"
    assert gltf.frames()["tip"][:3, 3] == pytest.approx([0.0, 0.0, 2.0], abs=1e-6)
    bare = export_robot(
        robot, tmp_path / "without.glb", options=EngineOptions(sockets=False, extras=False)
    )
    assert bare.bones["tip"] == "L_ffel_1" and len(bare.files) == 1
    gltf = Gltf(tmp_path / "without.glb")
    assert "tip" not in gltf.joints
    assert all("extras" not in node for node in gltf.nodes)


def test_levels_of_detail_are_files_of_their_own(tmp_path: Path) -> None:
    result = import_robot(SAMPLES / "quadruped_leg.urdf")
    options = EngineOptions(lods=(1.0, 0.5, 0.1), extras=False)
    written = export_robot(result.armature, tmp_path / "leg.glb", options=options)
    assert [path.name for path in written.files] == ["leg.glb", "leg_LOD1.glb", "leg_LOD2.glb"]
    counts = [sum(len(part[1]) for part in Gltf(path).parts()) for path in written.files]
    assert counts[0] > 1.7 * counts[1] and counts[1] > 3 * counts[2]
    boxes = []
    for path in written.files:
        points = np.concatenate([part[0] for part in Gltf(path).parts()])
        boxes.append([points.min(axis=0), points.max(axis=0)])
    assert np.abs(np.array(boxes) - boxes[0]).max() < 0.02


@pytest.mark.parametrize("suffix", ["glb", "gltf", "fbx", "usda"])
def test_textures_go_where_they_are_asked_for(suffix: str, tmp_path: Path) -> None:
    """The image is packed in the .blend alone: there is no file of it."""
    result = import_robot(SAMPLES / "quadruped_leg.urdf")
    paint(result.visuals["shin"][0])
    for textures in ("embed", "beside", "none"):
        folder = tmp_path / textures
        folder.mkdir()
        options = EngineOptions(textures=textures, extras=False)
        written = export_robot(result.armature, folder / f"leg.{suffix}", options=options)
        images = [path for path in written.files if path.suffix == ".png"]
        assert {path for path in folder.rglob("*") if path.is_file()} == set(written.files)
        apart = textures == "beside" and suffix != "glb"
        always = suffix in ("gltf", "usda") and textures == "embed"
        assert len(images) == (1 if apart or always else 0), textures
        content = written.path.read_bytes()
        if suffix in ("glb", "fbx"):
            assert (b"\x89PNG" in content) == (textures == "embed" or (suffix == "glb"
                                                and textures == "beside"))  # fmt: skip


def paint(item: Any) -> None:
    """Gives an object a texture that is packed."""
    image = bpy.data.images.new("skin", 8, 8)
    image.pixels = [0.25, 0.5, 0.75, 1.0] * 64
    image.pack()
    material = bpy.data.materials.new("painted")
    if bpy.app.version < (5, 0, 0):
        material.use_nodes = True
    tree = material.node_tree
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    tree.links.new(node.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])
    mesh = item.data
    if not mesh.uv_layers:
        mesh.uv_layers.new(name="Anything")
    mesh.materials.clear()
    mesh.materials.append(material)
    for slot in item.material_slots:
        slot.material = material


def test_physics_is_that_of_the_description(tmp_path: Path) -> None:
    """Masses, centres and inertias of bodies against Pinocchio, joints against kinematics."""
    path = SAMPLES / "quadruped_leg.urdf"
    robot = read_robot(path)
    written = export_robot(
        robot, tmp_path / "leg.glb", options=EngineOptions(scale=3.0, forward="x")
    )
    data = json.loads((tmp_path / "leg.physics.json").read_text())
    assert data["robot"] == "quadruped_leg" and data["scale"] == 3.0
    assert sum(body.get("mass", 0.0) for body in data["bodies"]) == pytest.approx(
        robot.total_mass()
    )
    assert {link for body in data["bodies"] for link in body["links"]} == set(written.bones)
    truth = pinocchio.buildModelFromUrdf(str(path))
    for joint in data["joints"]:
        body = next(each for each in data["bodies"] if each["bone"] == joint["child"])
        wanted = truth.inertias[truth.getJointId(joint["name"])]
        assert body["mass"] == pytest.approx(wanted.mass)
        assert body["center_of_mass"] == pytest.approx(list(wanted.lever), abs=1e-9)
        xx, xy, xz, yy, yz, zz = body["inertia"]
        found = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        assert np.abs(found - wanted.inertia).max() < 1e-9
        described = next(each for each in robot.joints if each.name == joint["name"])
        assert described.limit is not None
        assert (joint["lower"], joint["upper"]) == (described.limit.lower, described.limit.upper)
        assert joint["effort"] == described.limit.effort
        shapes = body["shapes"]
        assert all(each["type"] in ("box", "cylinder", "sphere", "hull") for each in shapes)


def test_the_command_writes_from_a_description_and_a_blend(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--engine", "unreal", "--no-extras", "--quiet"]
    assert main(["export", str(ARM), "-o", str(tmp_path / "a.glb"), *options]) == 0
    blend = tmp_path / "a.blend"
    assert main(["import", str(ARM), "-o", str(blend), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["export", str(blend), "-o", str(tmp_path / "b.glb"), *options]) == 0
    said = capsys.readouterr()
    assert said.out == said.err == ""
    one, other = Gltf(tmp_path / "a.glb"), Gltf(tmp_path / "b.glb")
    assert one.joints.keys() == other.joints.keys()
    parts = [[(len(part[0]), len(part[1])) for part in each.parts()] for each in (one, other)]
    assert parts[0] == parts[1]


def test_the_command_names_all_files_and_their_size(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, beside in (
        ("a.glb", "with a.physics.json"),
        ("b.gltf", "with b.bin and b.physics.json"),
        ("c.proto", ""),
        ("d/", "in 12 files"),
    ):
        folder = tmp_path / name[0] / "out"
        folder.mkdir(parents=True)
        assert main(["export", str(ARM), "-o", f"{folder}/{name}"]) == 0
        made = [file for file in folder.rglob("*") if file.is_file()]
        size = sum(file.stat().st_size for file in made)
        said = capsys.readouterr().err.splitlines()[-1]
        assert f" s, {size / 1000:.3g} kB" in said and beside in said, said


FULL = """
import resource, signal, sys
from urdf_importer import EngineOptions, RobotError, export_robot, read_robot
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
robot = read_robot(sys.argv[1])
for name in sys.argv[2:]:
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
    try:
        export_robot(robot, name, options=EngineOptions(extras=False))
    except RobotError as error:
        print("refused", name, error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows bounds no files")
def test_a_full_disk_leaves_no_file(tmp_path: Path) -> None:
    """A bound on the size of files stands for the disk: writing fails in the midst of a file."""
    targets = [str(tmp_path / f"leg.{suffix}") for suffix in ("glb", "gltf", "fbx", "usdc")]
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(SAMPLES / "quadruped_leg.urdf"), *targets],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    refused = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("refused")]
    assert refused == targets, done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes while Blender's exporter works, ends the export and takes all back."""
    from urdf_importer.formats.engines.blender import files

    result = import_robot(ARM)
    before = len(bpy.data.objects), len(bpy.data.scenes)
    real = files._quiet

    def interrupted() -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return real()

    monkeypatch.setattr(files, "_quiet", interrupted)
    with pytest.raises(KeyboardInterrupt):
        export_robot(result.armature, tmp_path / "arm.glb", options=EngineOptions())
    assert list(tmp_path.iterdir()) == []
    assert (len(bpy.data.objects), len(bpy.data.scenes)) == before


@pytest.mark.parametrize("name", ["panda", "ur5_robot", "tiago_no_hand", "double_pendulum"])
def test_nodes_name_all_links_their_masses_and_frames(name: str, tmp_path: Path) -> None:
    """Bodies are the bones' links as one, by the same frames."""
    (source,) = [each for each in descriptions() if each.stem == name]
    robot = without_elsewhere(read_robot(source))
    export_robot(robot, tmp_path / "with.glb", options=EngineOptions())
    written = [each for _, said in described(tmp_path / "with.glb") for each in said]
    assert sorted(written) == sorted(link.name for link in robot.links)
    export_robot(robot, tmp_path / "robot.glb", options=EngineOptions(sockets=False))
    bodies = json.loads((tmp_path / "robot.physics.json").read_text())["bodies"]
    found = dict(described(tmp_path / "robot.glb"))
    assert len(bodies) == len(found)
    for body in bodies:
        said = found[body["bone"]]
        assert set(said) == set(body["links"])
        masses = [each.get("mass", 0.0) for each in said.values()]
        assert sum(masses) == pytest.approx(body.get("mass", 0.0))
        if any(masses):
            centers = [place_center(each) for each in said.values()]
            center = np.average(centers, axis=0, weights=masses)
            assert center == pytest.approx(np.array(body["center_of_mass"]), abs=1e-9)


def described(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The links on each node, by name."""
    gltf = Gltf(path)
    for bone, node in gltf.joints.items():
        own = gltf.nodes[node].get("extras", {}).get("urdf_link")
        if own is not None:
            yield bone, {each["name"]: each for each in (own, *own.get("carries", ()))}


def place_center(link: dict[str, Any]) -> np.ndarray:
    """The centre of mass in the node's frame."""
    x, y, z, w = link.get("rotation", (0.0, 0.0, 0.0, 1.0))
    axis, center = np.array((x, y, z)), np.array(link.get("center_of_mass", (0.0, 0.0, 0.0)))
    turned = center + 2.0 * np.cross(axis, np.cross(axis, center) + w * center)
    return np.array(link.get("position", (0.0, 0.0, 0.0))) + turned
