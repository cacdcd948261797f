# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots as glTF, judged by a reader of the specification that shares nothing with the writer."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from support.blender.engine_robots import (
    FPS,
    animate,
    frames_at,
    frames_at_zero,
    into_engine,
    worst_error,
)
from support.gltf_truth import Gltf
from support.paths import ROOT
from urdf_importer import (
    EngineOptions,
    WebotsOptions,
    WriteError,
    export_robot,
    forward_kinematics,
    import_robot,
    set_joint_positions,
)
from urdf_importer.core.images.colors import linear_from_srgb

SAMPLES = ROOT / "sample_urdfs"
WITHIN = 2e-5

pytestmark = pytest.mark.usefixtures("scene")


def load(name: str) -> Any:
    return import_robot(SAMPLES / f"{name}.urdf")


def corners(result: Any) -> dict[str, np.ndarray[Any, Any]]:
    """Link -> the lowest and highest corner of its visuals in the robot's frame at zero, from the
    objects that the import made."""
    frames, found = frames_at_zero(result.robot), {}
    for link, items in result.visuals.items():
        points = [
            np.array(item.matrix_parent_inverse @ item.matrix_basis @ vertex.co)
            for item in items
            for vertex in item.data.vertices
        ]
        if points:
            moved = np.array(points) @ frames[link][:3, :3].T + frames[link][:3, 3]
            found[link] = np.array([moved.min(axis=0), moved.max(axis=0)])
    return found


@pytest.mark.parametrize("name", ["quadruped_leg", "gripper", "gantry", "planar_base"])
def test_every_joint_deforms_as_its_link_moves(name: str, tmp_path: Path) -> None:
    """At frames and between them: turns and slides between frames are straight in both."""
    result = load(name)
    animate(result.armature)
    file = tmp_path / "robot.glb"
    written = export_robot(result.armature, file, options=EngineOptions())
    gltf = Gltf(file)
    (clip,) = written.animations
    assert list(gltf.clips) == [clip]
    assert np.allclose(gltf.times(clip) * FPS, np.arange(21), atol=1e-4)
    frames = (*range(1, 22, 4), 6.25, 17.5)
    shown = {frame: frames_at(result.armature, result.robot, frame) for frame in frames}
    assert worst_error(gltf, written, result.robot, shown, clip=clip) < WITHIN


def test_a_base_that_goes_anywhere_moves_the_root_bone(tmp_path: Path) -> None:
    result = load("drone")
    animate(result.armature)
    file = tmp_path / "robot.glb"
    written = export_robot(result.armature, file, options=EngineOptions())
    gltf = Gltf(file)
    (clip,) = written.animations
    joint = next(each for each in result.robot.joints if each.type in ("planar", "floating"))
    root, base = written.bones[joint.parent], written.bones[joint.child]
    assert root != base and gltf.parents[gltf.joints[base]] == gltf.joints[root]
    rest, engine = frames_at_zero(result.robot), into_engine("z")
    for frame in (1, 9, 21):
        shown = frames_at(result.armature, result.robot, frame)
        moved = gltf.deformations(clip, (frame - 1) / FPS)
        for link, bone in written.bones.items():
            carried = joint.child if link == joint.parent else link
            wanted = shown[carried] @ np.linalg.inv(rest[carried])
            found = np.linalg.inv(engine) @ moved[bone] @ engine
            reach = 1 + np.linalg.norm(shown[carried][:3, 3])
            assert np.abs(found - wanted).max() < WITHIN * reach


@pytest.mark.parametrize("forward", ["z", "x"])
def test_the_robot_stands_upright_at_its_size(forward: Any, tmp_path: Path) -> None:
    """Boxes of all visuals at zero, the number of triangles, and what each link's are."""
    result = load("quadruped_leg")
    file = tmp_path / "robot.glb"
    written = export_robot(result.armature, file, options=EngineOptions(forward=forward, scale=2.0))
    gltf, engine = Gltf(file), into_engine(forward, 2.0)
    assert written.animations == () and gltf.clips == {}
    points: dict[str, list[Any]] = {}
    count = 0
    for vertices, triangles, bones in gltf.parts():
        count += len(triangles)
        back = vertices @ np.linalg.inv(engine)[:3, :3].T
        for bone in set(bones):
            points.setdefault(str(bone), []).append(back[bones == bone])
    wanted = corners(result)
    assert {written.bones[link] for link in wanted} == set(points)
    for link, box in wanted.items():
        mine = np.concatenate(points[written.bones[link]])
        assert np.abs(np.array([mine.min(axis=0), mine.max(axis=0)]) - box).max() < 1e-5
    shown = 0
    for items in result.visuals.values():
        for item in items:
            item.data.calc_loop_triangles()
            shown += len(item.data.loop_triangles)
    assert count == shown


def test_bones_are_links_and_nothing_else(tmp_path: Path) -> None:
    result = load("quadruped_leg")
    file = tmp_path / "robot.glb"
    written = export_robot(result.armature, file, options=EngineOptions())
    gltf = Gltf(file)
    names = {link.name for link in result.robot.links}
    assert set(gltf.joints) == set(written.bones.values()) == names
    others = [node for node in gltf.nodes if node.get("name") not in gltf.joints]
    assert {node["name"] for node in others} == {"Armature", "quadruped_leg_mesh"}
    # The rest frame is the link's frame at zero.
    rest, engine = frames_at_zero(result.robot), into_engine("z")
    for link, bone in written.bones.items():
        frame = np.linalg.inv(gltf.inverse_binds[bone])
        assert np.abs(frame - engine @ rest[link]).max() < 1e-6, link
    extras = {name: gltf.nodes[index].get("extras", {}) for name, index in gltf.joints.items()}
    for joint in result.robot.joints:
        kept = extras[written.bones[joint.child]]
        assert kept["urdf_joint"]["name"] == joint.name
        assert kept["urdf_joint"]["type"] == joint.type
        assert kept["urdf_link"]["name"] == joint.child


def test_a_pose_is_a_clip_over_a_rest_at_zero(tmp_path: Path) -> None:
    """Engines take nodes for the rest, from which joints are turned by hand."""
    result = load("quadruped_leg")
    set_joint_positions(result.armature, {"knee": 0.7, "hip_yaw": -0.2})
    bpy.context.view_layer.update()
    file = tmp_path / "robot.gltf"
    written = export_robot(result.armature, file, options=EngineOptions())
    gltf = Gltf(file)
    assert written.animations == ("pose",) and list(gltf.clips) == ["pose"]
    assert len(gltf.times("pose")) == 2
    shown = {1.0: frames_at(result.armature, result.robot, 1.0)}
    assert worst_error(gltf, written, result.robot, shown, clip="pose") < WITHIN
    rest = {1.0: frames_at_zero(result.robot)}
    assert worst_error(gltf, written, result.robot, rest) < WITHIN
    assert {path.name for path in written.files} == {
        "robot.gltf", "robot.bin", "robot.physics.json"
    }  # fmt: skip


def test_followers_with_an_offset_are_at_zero_at_rest(tmp_path: Path) -> None:
    result = load("gripper")
    file = tmp_path / "robot.glb"
    written = export_robot(result.armature, file, options=EngineOptions())
    assert written.animations == ("pose",)
    rest = {1.0: frames_at_zero(result.robot)}
    assert worst_error(Gltf(file), written, result.robot, rest) < WITHIN


def test_bones_alone_move_the_mesh(tmp_path: Path) -> None:
    """Its node is a root: that of the armature says nothing of a skinned mesh."""
    file = tmp_path / "robot.glb"
    export_robot(load("two_link_arm").armature, file, options=EngineOptions(lods=(1.0, 0.5)))
    for path in (file, tmp_path / "robot_LOD1.glb"):
        gltf = Gltf(path)
        (scene,) = gltf.json["scenes"]
        roots = [gltf.nodes[index] for index in scene["nodes"]]
        assert len([node for node in roots if "mesh" in node and "skin" in node]) == 1
        assert len([node for node in gltf.nodes if "mesh" in node]) == 1


@pytest.mark.parametrize("suffix", ["glb", "gltf"])
def test_weights_are_one_run_of_bytes(suffix: str, tmp_path: Path) -> None:
    """Each vertex goes with one bone; what is in the file is used, without gaps."""
    file = tmp_path / f"robot.{suffix}"
    export_robot(load("quadruped_leg").armature, file, options=EngineOptions(extras=False))
    gltf = Gltf(file)
    views = {gltf.json["accessors"][part["attributes"]["WEIGHTS_0"]]["bufferView"]
             for part in gltf.primitives}  # fmt: skip
    assert len(gltf.primitives) > 1 and len(views) == 1
    for part in gltf.primitives:
        weights = gltf.read(part["attributes"]["WEIGHTS_0"])
        assert len(weights) == len(gltf.read(part["attributes"]["POSITION"]))
        assert np.array_equal(weights, np.eye(4)[[0] * len(weights)])
    spans = [(view["byteOffset"], view["byteLength"]) for view in gltf.json["bufferViews"]]
    assert all(start % 4 == 0 for start, _ in spans)
    ends = [start + size for start, size in spans]
    assert all(0 <= later[0] - end < 4 for end, later in zip(ends, spans[1:], strict=False))
    assert gltf.json["buffers"][0]["byteLength"] == ends[-1]


def test_colours_are_those_of_the_description(tmp_path: Path) -> None:
    """Materials are called after the robot, and the scene keeps its own."""
    result = load("gripper")
    before = {material.name for material in bpy.data.materials}
    bpy.data.materials.new("gripper_shell")
    file = tmp_path / "robot.glb"
    export_robot(result.armature, file, options=EngineOptions())
    assert {material.name for material in bpy.data.materials} == before | {"gripper_shell"}
    gltf = Gltf(file)
    shown = {
        f"gripper_{slot.material.name}": tuple(
            slot.material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value
        )
        for items in result.visuals.values()
        for item in items
        for slot in item.material_slots
    }
    names = {each["name"]: index for index, each in enumerate(gltf.json["materials"])}
    assert set(names) == set(shown)
    for part in gltf.primitives:
        name = gltf.json["materials"][part["material"]]["name"]
        assert np.allclose(gltf.color(part)[:3], shown[name][:3], atol=1e-5)


def test_what_has_no_material_is_grey(tmp_path: Path) -> None:
    """And not of polished metal, which glTF makes of it."""
    result = load("two_link_arm")
    for items in result.visuals.values():
        for item in items:
            item.data.materials.clear()
    file = tmp_path / "robot.glb"
    export_robot(result.armature, file, options=EngineOptions())
    gltf = Gltf(file)
    (material,) = gltf.json["materials"]
    assert material["name"] == "two_link_arm_grey"
    surface = material["pbrMetallicRoughness"]
    assert surface["metallicFactor"] == 0 and surface["roughnessFactor"] >= 0.5
    assert np.allclose(surface["baseColorFactor"][:3], linear_from_srgb(0.6), atol=1e-6)
    assert all(part["material"] == 0 for part in gltf.primitives)


def test_a_description_is_built_for_the_moment(tmp_path: Path) -> None:
    from urdf_importer import read_robot

    before = {kind: len(getattr(bpy.data, kind)) for kind in ("objects", "meshes", "scenes")}
    robot = read_robot(SAMPLES / "two_link_arm.urdf")
    written = export_robot(robot, tmp_path / "arm.glb", options=EngineOptions(extras=False))
    assert {kind: len(getattr(bpy.data, kind)) for kind in before} == before
    assert written.files == (tmp_path / "arm.glb",)
    assert (
        worst_error(Gltf(tmp_path / "arm.glb"), written, robot, {1.0: forward_kinematics(robot)})
        < WITHIN
    )


def test_options_of_another_kind_are_refused(tmp_path: Path) -> None:
    result = load("two_link_arm")
    with pytest.raises(TypeError, match="EngineOptions, not WebotsOptions"):
        export_robot(result.armature, tmp_path / "a.glb", options=WebotsOptions())
    for options, message in (
        (EngineOptions(lods=(1.0, 2.0)), "shares of the triangles"),
        (EngineOptions(frames=(5.0, 1.0)), "a last one not before it"),
        (EngineOptions(frames=(1.0, 1e9)), "more than the 100000"),
    ):
        with pytest.raises(WriteError, match=message):
            export_robot(result.armature, tmp_path / "a.glb", options=options)
    assert list(tmp_path.iterdir()) == []
