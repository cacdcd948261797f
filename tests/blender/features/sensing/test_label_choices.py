# SPDX-License-Identifier: GPL-3.0-or-later
"""Several robots in labelled pictures, their own cameras, backgrounds, other colours."""

import bpy
import numpy as np
import pytest
import trimesh

from support.blender.rigs import new_scene
from support.paths import ROOT
from support.pinocchio_truth import Truth
from urdf_importer import (
    ArgumentError,
    BuildError,
    DatasetOptions,
    ImportOptions,
    KinematicsError,
    find_sensors,
    import_robot,
)
from urdf_importer.core.images import encode_png
from urdf_importer.features.sensing.pictures import open_stage

ARM = ROOT / "sample_urdfs/two_link_arm.urdf"
SMALL = {"width": 96, "height": 72, "samples": 1, "denoise": False, "avoid_collisions": False}
EYE = """<gazebo reference="tool"><sensor name="eye" type="camera"><pose>0.05 0 0.02 0 0.3 0</pose>
<camera><horizontal_fov>1.2</horizontal_fov><image><width>64</width><height>48</height></image>
<clip><near>0.01</near><far>50</far></clip></camera></sensor>
<sensor name="around" type="wideanglecamera"><camera><horizontal_fov>4</horizontal_fov>
<image><width>64</width><height>48</height></image></camera></sensor></gazebo>"""


def open_arm(path=ARM, **options):
    return open_stage(import_robot(path).armature, DatasetOptions(**{**SMALL, **options}))


def arm_with_eyes(folder):
    text = ARM.read_text()
    last = [line.split('"')[1] for line in text.splitlines() if "<link name=" in line][-1]
    path = folder / "arm.urdf"
    path.write_text(text.replace("</robot>", EYE.replace('"tool"', f'"{last}"') + "</robot>"))
    return path


def each_robots_points(stage):
    """Some points of the robots in the world, and the place of each one's robot."""
    points, owners = [], []
    for one, subject in enumerate(stage.subjects):
        for item in subject.armature.children_recursive:
            if item.type == "MESH" and not item.hide_render and "visual" in item.name:
                place = np.array(item.matrix_world)
                own = np.array([v.co for v in item.data.vertices][:40])
                points.append(own @ place[:3, :3].T + place[:3, 3])
                owners += [one] * len(own)
    bpy.context.view_layer.update()
    return np.concatenate(points), np.array(owners)


def test_robots_are_apart_and_each_has_its_own_labels(scene):
    stage = open_arm(robots=3, formats=("bop",), scene="plain")
    truth, seen = Truth.of_file(ARM), set()
    for number in range(4):
        taken = stage.take_picture(number)
        robots = taken.label["robots"]
        assert [each["id"] for each in robots] == [1, 2, 3]
        assert robots[0]["joints"] != robots[1]["joints"]
        for each in robots:
            frames = truth.frames(each["joints"])
            for name, seat in each["links"].items():
                np.testing.assert_allclose(seat, np.array(each["pose"]) @ frames[name], atol=1e-5)
        parts = taken.label["masks"]
        assert len(parts) == 3 * len({part["link"] for part in parts})
        for part in parts:
            own = (taken.robots == part["robot"]) & (taken.links == part["link"])
            assert own.sum() == part["area"]
            assert (taken.silhouettes[part["robot"], part["link"]] | ~own).all()
        assert ((taken.links > 0) == (taken.robots > 0)).all()
        seen |= set(np.unique(taken.robots).tolist())
    assert seen == {0, 1, 2, 3}
    mesh, owners = each_robots_points(stage)
    for one in range(3):
        inside, beside = mesh[owners == one], mesh[owners != one]
        apart = np.linalg.norm(inside[:, None] - beside[None], axis=2).min()
        assert 1e-3 < apart < 1.0, "they touch, or are far from each other"
    later, alone = stage.take_picture(1), stage.take_picture(1)
    assert later.label == alone.label
    np.testing.assert_array_equal(later.rgb, alone.rgb)


def test_copies_have_the_textures_of_a_saved_file(scene, tmp_path):
    (tmp_path / "wood.png").write_bytes(encode_png(np.full((4, 6, 3), 90, np.uint8)))
    armature = import_robot(ARM).armature
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "arm.blend"))
    image = bpy.data.images.load("//wood.png")
    material = next(
        slot.material
        for item in armature.children_recursive
        for slot in item.material_slots
        if slot.material and slot.material.node_tree
    )
    material.node_tree.nodes.new("ShaderNodeTexImage").image = image
    stage = open_stage(armature, DatasetOptions(robots=3, avoid_collisions=False))
    shown = {
        node.image
        for subject in stage.subjects
        for item in subject.armature.children_recursive
        for slot in item.material_slots
        if slot.material and slot.material.node_tree
        for node in slot.material.node_tree.nodes
        if node.type == "TEX_IMAGE"
    }
    assert len(stage.subjects) == 3 and shown == {image}
    assert image.filepath == "//wood.png" and tuple(image.size) == (6, 4)


def test_the_robots_own_camera_takes_the_pictures(scene, tmp_path):
    path = arm_with_eyes(tmp_path)
    stage = open_arm(path, camera="eye")
    armature = stage.subjects[0].armature
    (eye,) = (each for each in find_sensors(armature) if each.name == "eye")
    for number in range(2):
        taken = stage.take_picture(number)
        camera = taken.label["camera"]
        assert camera["name"] == "eye" and taken.rgb.shape == (48, 64, 3)
        np.testing.assert_allclose(camera["K"], eye.K)
        robot = taken.label["robots"][0]
        frames = Truth.of_file(path).frames(robot["joints"])
        true = np.array(robot["pose"]) @ frames[eye.link] @ eye.frame
        np.testing.assert_allclose(camera["pose"], true, atol=1e-5)
        assert (camera["near"], camera["far"]) == (0.01, 50.0)


def test_the_camera_of_a_large_robot_is_where_it_is_shown(scene, tmp_path):
    path = arm_with_eyes(tmp_path)
    armature = import_robot(path).armature
    armature.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    stage = open_stage(armature, DatasetOptions(**SMALL, camera="eye"))
    (eye,) = (each for each in find_sensors(armature) if each.name == "eye")
    camera, (robot,) = (stage.take_picture(0).label[each] for each in ("camera", "robots"))
    true = Truth.of_file(path).frames(robot["joints"])[eye.link] @ eye.frame
    true[:3, 3] *= 2.0
    np.testing.assert_allclose(camera["pose"], np.array(robot["pose"]) @ true, atol=1e-5)
    assert (camera["near"], camera["far"]) == (0.02, 100.0)


def test_a_camera_that_was_moved_takes_the_pictures(scene, tmp_path):
    armature = import_robot(arm_with_eyes(tmp_path), options=ImportOptions(sensors=True)).armature
    stage = open_stage(armature, DatasetOptions(**SMALL, camera="eye"))
    before = np.array(stage.take_picture(0).label["camera"]["pose"])
    eye = bpy.data.objects["eye"]
    eye.location.z += 0.25
    after = np.array(stage.take_picture(0).label["camera"]["pose"])
    assert np.linalg.norm(after - before) == pytest.approx(0.25, abs=1e-5)


def test_cameras_that_are_not_there(scene, tmp_path):
    path = arm_with_eyes(tmp_path)
    with pytest.raises(KinematicsError, match=r"no sensor 'ear'.*around"):
        open_arm(path, camera="ear")
    with pytest.raises(BuildError, match="'around' takes no plane pictures"):
        open_arm(path, camera="around")


def test_a_background_is_behind_all(scene, tmp_path):
    half = np.zeros((40, 60, 3), np.uint8)
    half[:, :30], half[:, 30:] = (250, 0, 0), (0, 0, 250)
    (tmp_path / "half.png").write_bytes(encode_png(half))
    (tmp_path / "notes.txt").write_text("no picture")
    stage = open_arm(backgrounds=str(tmp_path), distractors=(0, 0))
    taken = stage.take_picture(1)
    assert [each["name"] for each in taken.label["objects"]] == ["background"]
    own = taken.links > 0
    assert (taken.depth > 0).sum() == own.sum() > 100
    sky = ~own
    for axis in (0, 1):
        sky &= ~(np.roll(own, 1, axis) | np.roll(own, -1, axis))
    left, right = taken.rgb[:, :46][sky[:, :46]], taken.rgb[:, 50:][sky[:, 50:]]
    assert np.abs(left.astype(int) - (250, 0, 0)).max() <= 2
    assert np.abs(right.astype(int) - (0, 0, 250)).max() <= 2


def test_backgrounds_that_cannot_be(scene, tmp_path):
    with pytest.raises(BuildError, match="cannot read the folder"):
        open_arm(backgrounds=str(tmp_path / "none"))
    with pytest.raises(BuildError, match="there is no picture in"):
        open_arm(backgrounds=str(tmp_path))
    with pytest.raises(ArgumentError, match="backgrounds need the scene random"):
        open_arm(backgrounds=str(tmp_path), scene="plain")
    (tmp_path / "torn.png").write_bytes(b"\x89PNG\r\n\x1a\n torn")
    with pytest.raises(BuildError, match=r"torn\.png' cannot be read"):
        open_arm(backgrounds=str(tmp_path)).take_picture(0)


def test_meshes_of_a_folder_lie_about(scene, tmp_path):
    for name, shape in (
        ("torus.stl", trimesh.creation.torus(3.0, 1.0)),
        ("wedge.ply", trimesh.creation.cone(20.0, 50.0)),
    ):
        shape.apply_translation((9.0, 0.0, 0.0)).export(tmp_path / name)
    (tmp_path / "notes.txt").write_text("no mesh")
    stage = open_arm(distractor_meshes=str(tmp_path), distractors=(4, 4), formats=("bop",))
    seen = []
    for number in range(4):
        taken = stage.take_picture(number)
        things = taken.label["objects"][1:]
        seen += [each["name"] for each in things]
        robot = np.linalg.norm(np.ptp(each_robots_points(stage)[0], axis=0))
        for each in things:
            size = np.diff(each["box"], axis=0)
            assert 0.0 < size.max() < robot, "as large as other things are"
        for silhouette in taken.silhouettes.values():
            assert taken.depth[silhouette].all()
    assert {"torus", "wedge"} == set(seen) and len(seen) > 8
    assert {each.name for each in bpy.data.meshes} & {"torus", "wedge"} == set()


def test_meshes_that_cannot_be(scene, tmp_path):
    with pytest.raises(BuildError, match="cannot read the folder"):
        open_arm(distractor_meshes=str(tmp_path / "none"))
    with pytest.raises(BuildError, match="there is no mesh in"):
        open_arm(distractor_meshes=str(tmp_path))
    with pytest.raises(ArgumentError, match="distractor meshes need the scene random"):
        open_arm(distractor_meshes=str(tmp_path), scene="plain")
    (tmp_path / "torn.stl").write_bytes(b"solid torn\nfacet")
    with pytest.raises(BuildError, match=r"torn\.stl' cannot be read"):
        open_arm(distractor_meshes=str(tmp_path), distractors=(2, 2)).take_picture(0)


def test_other_colors_and_the_same_labels(scene):
    colors = []
    for recolor in (False, True):
        new_scene()
        stage = open_arm(recolor=recolor, scene="plain")
        for number in (0, 1, 0):
            taken = stage.take_picture(number)
        colors.append((taken.rgb[taken.links > 0].astype(int), taken.links))
    (plain, same), (painted, links) = colors
    np.testing.assert_array_equal(same, links)
    assert np.abs(plain - painted).mean() > 10
    np.testing.assert_array_equal(stage.take_picture(0).rgb, taken.rgb)
