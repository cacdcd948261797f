# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels of pictures, against Pinocchio and an independent caster of rays."""

import numpy as np
import pytest
import trimesh

from support.paths import ROOT
from support.pinocchio_truth import Truth
from support.real_robots import ROOT as ROBOTS
from urdf_importer import (
    BuildError,
    DatasetOptions,
    ImportOptions,
    KinematicsError,
    extract_robot,
    import_robot,
)
from urdf_importer.core.images.exr import encode_exr
from urdf_importer.core.sensors.intrinsics import pixel_rays
from urdf_importer.features.sensing.dataset import chance_of, draw_shot

ARM = ROOT / "sample_urdfs/two_link_arm.urdf"
SMALL = {"width": 160, "height": 120, "samples": 1, "denoise": False}


def open_stage(path, **options):
    from urdf_importer.features.sensing.blender.labels import LabelStage

    folders = ImportOptions(package_paths=(str(ROBOTS), str(ROBOTS.parent)), collisions=False)
    armature = import_robot(path, options=folders).armature
    return LabelStage([armature], extract_robot(armature), DatasetOptions(**{**SMALL, **options}))


def link_meshes(label):
    """The shapes of the links where the label says that the links are, in the order of their ids:
    read from the objects in Blender, each in its own link's frame."""
    import bpy

    seats = label["robots"][0]["links"]
    parts, owners = [], []
    for number, (name, seat) in enumerate(seats.items(), start=1):
        for item in bpy.data.objects[name].children:
            if item.type != "MESH" or item.hide_render or item.users_collection[0].hide_render:
                continue
            item.data.calc_loop_triangles()
            inside = np.array(item.matrix_parent_inverse @ item.matrix_basis)
            frame = np.array(seat) @ inside
            points = np.array([v.co for v in item.data.vertices])
            faces = [tuple(t.vertices) for t in item.data.loop_triangles]
            parts.append(trimesh.Trimesh(points, faces, process=False).apply_transform(frame))
            owners += [number] * len(faces)
    return trimesh.util.concatenate(parts), np.array(owners)


def test_labels_are_those_of_an_independent_caster(scene):
    taken = open_stage(ARM, scene="plain").take_picture(3)
    mesh, owners = link_meshes(taken.label)
    camera = taken.label["camera"]
    pose, K = np.array(camera["pose"]), np.array(camera["K"])
    rays = pixel_rays(K, 160, 120).reshape(-1, 3)
    lengths = np.linalg.norm(rays, axis=1)
    ways = rays / lengths[:, None] @ pose[:3, :3].T
    points, ray, face = mesh.ray.intersects_location(
        np.tile(pose[:3, 3], (len(ways), 1)), ways, multiple_hits=True
    )
    far = np.linalg.norm(points - pose[:3, 3], axis=1)
    order = np.argsort(far)[::-1]
    depth, links = np.zeros(len(ways)), np.zeros(len(ways), int)
    normals = np.zeros((len(ways), 3))
    for row in order.tolist():
        depth[ray[row]] = far[row] / lengths[ray[row]]
        links[ray[row]] = owners[face[row]]
        normals[ray[row]] = mesh.face_normals[face[row]]
    found = taken.links.ravel()
    assert (links > 0).sum() > 500
    # Coplanar faces of two links, and rays along an edge, may go either way.
    assert (found != links).sum() <= 2
    same = (found == links) & (links > 0)
    assert np.abs(taken.depth.ravel() - depth)[same].max() < 1e-5
    turned = normals @ pose[:3, :3]
    turned *= -np.sign(np.einsum("ij,ij->i", turned, rays))[:, None]
    away = np.abs(taken.normals.reshape(-1, 3) - turned)[same].max(axis=1)
    assert (away > 1e-3).mean() < 0.01


@pytest.mark.parametrize("path", [ARM, ROBOTS / "panda_description/urdf/panda.urdf"])
def test_keypoints_are_where_pinocchio_says(scene, path):
    stage = open_stage(path)
    truth = Truth.of_file(path)
    for number in range(3):
        label = stage.take_picture(number).label
        (robot,), camera = label["robots"], label["camera"]
        frames = truth.frames(robot["joints"])
        inside = np.linalg.inv(camera["pose"])
        for name, seat in robot["links"].items():
            np.testing.assert_allclose(seat, np.array(robot["pose"]) @ frames[name], atol=1e-5)
        for point in robot["keypoints"]:
            place = inside @ np.array(robot["pose"]) @ frames[point["link"]][:, 3]
            u, v, w = np.array(camera["K"]) @ place[:3]
            np.testing.assert_allclose(point["uv"], (u / w, v / w), atol=1e-3)


def test_the_picture_is_of_the_labels(scene):
    """In a plain scene the sky has one colour: it begins beside the masks, and not in them."""
    taken = open_stage(ARM, scene="plain").take_picture(5)
    own = taken.links > 0
    near = own.copy()
    for axis in (0, 1):
        near |= np.roll(near, 1, axis) | np.roll(near, -1, axis)
    sky = taken.rgb[~near]
    assert len(sky) > 5000 and (sky == sky[0]).all()
    assert (taken.rgb[own] != sky[0]).any(axis=1).mean() > 0.95


def test_a_picture_depends_on_no_other(scene):
    stage = open_stage(ARM, formats=("coco", "bop"))
    later = [stage.take_picture(number) for number in (0, 1, 2)][2]
    alone = stage.take_picture(2)
    assert later.label == alone.label
    for name in ("rgb", "depth", "normals", "links"):
        np.testing.assert_array_equal(getattr(later, name), getattr(alone, name))


def test_whole_silhouettes_hold_the_visible_parts(scene):
    taken = open_stage(ARM, formats=("bop",)).take_picture(1)
    for part in taken.label["masks"]:
        whole = taken.silhouettes[1, part["link"]]
        assert (whole | ~(taken.links == part["link"])).all()
        assert part["whole"]["px_count"] >= whole.sum() >= part["area"]


def test_whole_silhouettes_are_those_of_an_independent_caster(scene):
    """On a canvas of three times the picture's width and height, as BOP counts them."""
    stage = open_stage(ARM, width=32, height=24, formats=("bop",), scene="plain", fov=(20, 20))
    beyond = 0
    for number in range(3):
        taken = stage.take_picture(number)
        mesh, owners = link_meshes(taken.label)
        camera = taken.label["camera"]
        pose, K = np.array(camera["pose"]), np.array(camera["K"])
        K[:2, 2] += (32, 24)
        rays = pixel_rays(K, 96, 72).reshape(-1, 3)
        ways = rays / np.linalg.norm(rays, axis=1)[:, None] @ pose[:3, :3].T
        for part in taken.label["masks"]:
            alone = mesh.submesh([np.flatnonzero(owners == part["link"])], append=True)
            starts = np.tile(pose[:3, 3], (len(ways), 1))
            found = alone.ray.intersects_any(starts, ways).reshape(72, 96)
            inside = found[24:48, 32:64]
            beyond += int(found.sum() - inside.sum())
            assert abs(part["whole"]["px_count"] - found.sum()) <= 1
            assert (taken.silhouettes[1, part["link"]] != inside).sum() <= 1
            if found.any():
                x, y, w, h = part["whole"]["bbox"]
                rows, columns = np.nonzero(found)
                true = (columns.min() - 32, rows.min() - 24, np.ptp(columns) + 1, np.ptp(rows) + 1)
                np.testing.assert_allclose((x, y, w, h), true, atol=1)
    assert beyond > 5


def test_a_hidden_keypoint_is_not_visible(scene, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(
        '<robot name="r"><link name="a"><visual><geometry><box size="2 2 2"/></geometry></visual>'
        '</link><link name="b"><visual><geometry><sphere radius="0.1"/></geometry></visual></link>'
        '<link name="c"><visual><geometry><sphere radius="0.1"/></geometry></visual></link>'
        '<joint name="one" type="continuous"><parent link="a"/><child link="b"/></joint>'
        '<joint name="two" type="continuous"><parent link="b"/><child link="c"/></joint></robot>'
    )
    (robot,) = open_stage(path, scene="plain").take_picture(0).label["robots"]
    visible = {point["name"]: point["visible"] for point in robot["keypoints"]}
    # The box hides the end of the chain; to its own parts and across its joint it is the body.
    assert visible == {"a": 2, "b": 2, "c": 1}


def test_robots_that_cannot_be_labelled(scene, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text('<robot name="r"><link name="a"/></robot>')
    with pytest.raises(BuildError, match="robot 'r' has nothing to see"):
        open_stage(path)
    with pytest.raises(KinematicsError, match="no link 'hnd'"):
        open_stage(ARM, keypoints=("hnd",))


def test_exr_holds_what_was_written(scene, tmp_path):
    import bpy

    chance = np.random.default_rng(1)
    written = chance.uniform(-3.0, 9.0, (37, 21, 3)).astype(np.float32)
    written[5:30] = 2.5
    path = tmp_path / "a.exr"
    path.write_bytes(encode_exr({axis: written[..., n] for n, axis in enumerate("RGB")}))
    image = bpy.data.images.load(str(path))
    image.colorspace_settings.name = "Non-Color"
    found = np.array(image.pixels[:], np.float32).reshape(37, 21, 4)[::-1, :, :3]
    np.testing.assert_array_equal(found, written)


def test_cameras_look_at_the_robot():
    options = DatasetOptions(**SMALL, distance=(2.0, 3.0), elevation=(10.0, 20.0), fov=(50.0, 50.0))
    for number in range(50):
        shot = draw_shot(chance_of(1, number), options, np.array([1.0, 2.0, 0.5]), 0.5)
        away = np.array([1.0, 2.0, 0.5]) - shot.world[:3, 3]
        assert 2.0 <= np.linalg.norm(away) <= 3.0
        assert 10.0 <= np.degrees(np.arcsin(-away[2] / np.linalg.norm(away))) <= 20.0
        u, v, w = shot.K @ shot.world[:3, :3].T @ away
        assert -0.5 < u / w < 159.5 and -0.5 < v / w < 119.5
