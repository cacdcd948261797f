# SPDX-License-Identifier: GPL-3.0-or-later
"""Datasets of labelled pictures: files, the same bytes, resumed, refused."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from pycocotools import mask as masks
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
from scipy.ndimage import binary_fill_holes

from support.dask_cluster import start_cluster
from support.paths import ROOT
from urdf_importer import (
    ArgumentError,
    BuildError,
    DatasetOptions,
    KinematicsError,
    ReadError,
    WriteError,
    import_robot,
    make_dataset,
)
from urdf_importer.cli import main
from urdf_importer.core.images.decode import decode_image
from urdf_importer.core.images.png import decode_wide_png

# Of pycocotools itself, with numpy 2.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
ARM = ROOT / "sample_urdfs/two_link_arm.urdf"
SMALL = {"width": 64, "height": 48, "samples": 1, "denoise": False, "avoid_collisions": False}


def options(**given):
    return DatasetOptions(
        **{"count": 3, "seed": 4, "formats": ("coco", "bop", "dream"), **SMALL, **given}
    )


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dataset") / "out"
    result = make_dataset(ARM, folder, options=options(jobs=2))
    assert (result.count, result.made) == (3, 3)
    return folder


def test_coco_is_the_masks(made):
    """As pycocotools, the library of COCO itself, reads them."""
    coco = COCO(str(made / "coco_instances.json"))
    names = {each["id"]: each["name"] for each in coco.loadCats(coco.getCatIds())}
    assert list(names.values()) == ["base", "upper_arm", "forearm", "tool", "tool_centre_point"]
    for number, image in coco.imgs.items():
        seen = np.zeros((48, 64), int)
        for each in coco.loadAnns(coco.getAnnIds(imgIds=[number])):
            mask = coco.annToMask(each).astype(bool)
            run = coco.annToRLE(each)
            assert masks.area(run) == each["area"] == mask.sum()
            np.testing.assert_array_equal(masks.toBbox(run), each["bbox"])
            assert not seen[mask].any()
            seen[mask] = each["category_id"]
        links = decode_wide_png((made / f"links/{number:06}.png").read_bytes())
        assert links is not None
        np.testing.assert_array_equal(seen, links.reshape(48, 64, -1)[..., 0])
        assert decode_image((made / image["file_name"]).read_bytes()).shape[:2] == (48, 64)


def test_polygons_are_the_masks_without_holes(tmp_path):
    """As pycocotools fills them."""
    given = {"count": 2, "coco_polygons": True, "jobs": 1, "width": 160, "height": 120}
    make_dataset(ARM, tmp_path / "out", options=options(**given))
    runs, polygons = (COCO(str(tmp_path / f"out/coco_{n}.json")) for n in ("instances", "polygons"))
    assert runs.anns.keys() == polygons.anns.keys() and len(runs.anns) > 4
    for key, each in polygons.anns.items():
        assert isinstance(each["segmentation"], list)
        filled = binary_fill_holes(runs.annToMask(runs.anns[key]), np.ones((3, 3)))
        np.testing.assert_array_equal(polygons.annToMask(each), filled)
        assert {**each, "segmentation": None} == {**runs.anns[key], "segmentation": None}


def test_coco_gives_full_marks_to_its_own_labels(made):
    for kind, name in (("segm", "instances"), ("bbox", "instances"), ("keypoints", "keypoints")):
        truth = COCO(str(made / f"coco_{name}.json"))
        found = truth.loadRes([{**each, "score": 1.0} for each in truth.anns.values()])
        judge = COCOeval(truth, found, kind)
        if kind == "keypoints":
            judge.params.kpt_oks_sigmas = np.full(3, 0.1)
        judge.evaluate()
        judge.accumulate()
        judge.summarize()
        assert judge.stats[0] == pytest.approx(1.0), kind


def test_coco_keypoints_are_the_labels(made):
    coco = COCO(str(made / "coco_keypoints.json"))
    (category,) = coco.loadCats(coco.getCatIds())
    assert category["keypoints"] == ["base", "upper_arm", "forearm"]
    assert category["skeleton"] == [[1, 2], [2, 3]]
    for number in coco.imgs:
        label = json.loads((made / f"labels/{number:06}.json").read_text())
        (each,) = coco.loadAnns(coco.getAnnIds(imgIds=[number]))
        points = label["robots"][0]["keypoints"]
        for (u, v, visible), true in zip(
            np.reshape(each["keypoints"], (-1, 3)), points, strict=True
        ):
            assert visible == true["visible"]
            assert (u, v) == (tuple(true["uv"]) if visible else (0, 0))


def test_two_robots_are_two_instances(tmp_path):
    make_dataset(ARM, tmp_path / "out", options=options(count=2, robots=2, jobs=1))
    coco = COCO(str(tmp_path / "out/coco_keypoints.json"))
    instances = COCO(str(tmp_path / "out/coco_instances.json"))
    for number in coco.imgs:
        assert len(coco.getAnnIds(imgIds=[number])) == 2
        parts = instances.loadAnns(instances.getAnnIds(imgIds=[number]))
        wholes = coco.loadAnns(coco.getAnnIds(imgIds=[number]))
        assert sum(each["area"] for each in parts) == sum(each["area"] for each in wholes)
        assert max(parts, key=lambda each: each["category_id"])["category_id"] <= 5
    truth = json.loads((tmp_path / "out/bop/train_pbr/000000/scene_gt.json").read_text())["0"]
    places = [each["cam_t_m2c"] for each in truth if each["obj_id"] == 1]
    assert len(places) == 2 and places[0] != places[1]
    dream = json.loads((tmp_path / "out/dream/000000.json").read_text())
    assert len(dream["objects"]) == 2


def test_the_head_says_how_it_was_made(made):
    head = json.loads((made / "dataset.json").read_text())
    assert head["seed"] == 4 and head["depth_scale"] == 0.1
    assert head["self_collision"] == "no" and head["robot"] == "two_link_arm"
    assert head["skeleton"] == [[1, 2], [2, 3]]


def test_words_of_the_command(tmp_path):
    (tmp_path / "points.txt").write_text("forearm\n\nbase\n")
    words = ["dataset", str(ARM), "-o", str(tmp_path / "out"), "--count", "1", "--size", "48x36"]
    words += ["--samples", "1", "--no-denoise", "--no-avoid-collisions", "--jobs", "1", "--quiet"]
    assert main([*words, "--keypoints", f"@{tmp_path / 'points.txt'}"]) == 0
    head = json.loads((tmp_path / "out/dataset.json").read_text())
    assert head["keypoints"] == ["forearm", "base"]
    assert (head["options"]["width"], head["options"]["height"]) == (48, 36)
    assert main([*words, "--again", "--keypoints", f"@{tmp_path / 'none.txt'}"]) == 1
    with pytest.raises(SystemExit):
        main([*words, "--size", "48"])


def test_bop_and_dream_hold_the_same_poses(made):
    label = json.loads((made / "labels/000001.json").read_text())
    scene = made / "bop/train_pbr/000000"
    truth = json.loads((scene / "scene_gt.json").read_text())["1"]
    camera = json.loads((scene / "scene_camera.json").read_text())["1"]
    info = json.loads((scene / "scene_gt_info.json").read_text())["1"]
    inside = np.linalg.inv(label["camera"]["pose"])
    links = json.loads((made / "dataset.json").read_text())["links"]
    names = {each["id"]: each["name"] for each in links}
    for row, (each, about) in enumerate(zip(truth, info, strict=True)):
        pose = inside @ np.array(label["robots"][0]["links"][names[each["obj_id"]]])
        np.testing.assert_allclose(each["cam_t_m2c"], 1e3 * pose[:3, 3], atol=1e-6)
        mask = decode_image((scene / f"mask_visib/000001_{row:06}.png").read_bytes())
        assert (mask[..., 0] == 255).sum() == about["px_count_visib"]
        assert about["px_count_all"] >= about["px_count_visib"]
    steps = decode_wide_png((scene / "depth/000001.png").read_bytes()).reshape(48, 64, -1)[..., 0]
    assert steps.max() <= 65_535 and camera["depth_scale"] >= 0.1
    dream = json.loads((made / "dream/000001.json").read_text())
    points = dream["objects"][0]["keypoints"]
    assert [each["projected_location"] for each in points] == [
        each["uv"] for each in label["robots"][0]["keypoints"]
    ]
    cameras = json.loads((made / "dream/_camera_settings.json").read_text())["camera_settings"]
    assert cameras[0]["intrinsic_settings"]["fx"] == label["camera"]["K"][0][0]


def test_any_number_of_jobs_gives_the_same_bytes(made, tmp_path):
    make_dataset(ARM, tmp_path / "out", options=options(jobs=1))
    assert contents(tmp_path / "out") == contents(made)


def test_a_cluster_gives_the_same_bytes(made, tmp_path):
    with start_cluster(tmp_path) as (address, _):
        make_dataset(ARM, tmp_path / "out", options=options(scheduler=address))
    assert contents(tmp_path / "out") == contents(made)


def test_killed_and_resumed(made, tmp_path):
    out = tmp_path / "out"
    words = ["dataset", str(ARM), "-o", str(out), "--count", "3", "--seed", "4", "--jobs", "1"]
    words += ["--width", "64", "--height", "48", "--samples", "1", "--no-denoise"]
    words += ["--no-avoid-collisions", "--formats", "coco,bop,dream"]
    command = [sys.executable, "-m", "urdf_importer", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, env=environment, cwd=ROOT, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not list(out.glob("labels/*.json")) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with pytest.raises(WriteError, match="--resume continues it"):
        make_dataset(ARM, out, options=options())
    with pytest.raises(WriteError, match="has seed 4, not 5: --again starts over"):
        make_dataset(ARM, out, options=options(resume=True, seed=5))
    result = make_dataset(ARM, out, options=options(resume=True))
    assert result.made < 3
    assert contents(out) == contents(made)


def test_a_head_without_the_robot_is_completed(made, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(made, out)
    head = json.loads((out / "dataset.json").read_text())
    kept = {name: head[name] for name in ("options", "seed", "version")}
    (out / "dataset.json").write_text(json.dumps(kept))
    assert make_dataset(ARM, out, options=options(resume=True)).made == 1
    assert contents(out) == contents(made)


def test_a_robot_in_blender_stays_as_it_is(scene, tmp_path):
    import bpy

    armature = import_robot(ARM).armature
    bpy.context.view_layer.update()
    before = {item.name: item.matrix_world.copy() for item in bpy.data.objects}
    make_dataset(armature, tmp_path / "out", options=options(count=1, jobs=1))
    assert {item.name: item.matrix_world.copy() for item in bpy.data.objects} == before
    label = json.loads((tmp_path / "out/labels/000000.json").read_text())
    assert label["robots"][0]["joints"].keys() == {"shoulder", "elbow"}


def test_refusals_leave_nothing(tmp_path):
    out = tmp_path / "out"
    with pytest.raises(KinematicsError, match="no link 'hand'"):
        make_dataset(ARM, out, options=options(keypoints=("hand",)))
    with pytest.raises(ReadError):
        make_dataset(tmp_path / "none.urdf", out)
    with pytest.raises(ReadError):
        make_dataset(tmp_path / "none.blend", out)
    empty = tmp_path / "empty.urdf"
    empty.write_text('<robot name="r"><link name="a"/></robot>')
    with pytest.raises(BuildError, match="nothing to see"):
        make_dataset(empty, out)
    assert not out.exists()
    for given in (
        {"count": 0},
        {"seed": -1},
        {"samples": 0},
        {"width": 0},
        {"width": 60_000, "height": 60_000},
        {"fov": (70.0, 40.0)},
        {"fov": (0.0, 40.0)},
        {"distance": (-1.0, 2.0)},
    ):
        with pytest.raises(ArgumentError):
            options(**given)
    with pytest.raises(ArgumentError, match="polygons need the format coco"):
        options(coco_polygons=True, formats=("bop",))
    with pytest.raises(
        ArgumentError, match=r"unknown format 'yolo'; choose from coco, bop or dream"
    ):
        make_dataset(ARM, out, options=options(formats=("yolo",)))
    assert not out.exists()
    out.write_text("a file")
    with pytest.raises(WriteError):
        make_dataset(ARM, out, options=options())
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("kept")
    with pytest.raises(WriteError, match="belong to no dataset"):
        make_dataset(ARM, other, options=options(again=True))
    assert [path.name for path in other.iterdir()] == ["mine.txt"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a small disk")
def test_a_folder_without_rights_is_one_sentence(tmp_path, monkeypatch):
    import pathlib

    def refuse(*_given, **_named):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pathlib.Path, "write_text", refuse)
    with pytest.raises(WriteError, match="No space left on device"):
        make_dataset(ARM, tmp_path / "out", options=options())
    assert not (tmp_path / "out").exists()
