# SPDX-License-Identifier: GPL-3.0-or-later
"""One labelled picture of a robot in Blender -> its files; and all labels -> indexes."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...core.diagnostics import BuildError, Diagnostics, quote
from ...core.files.outputs import refuse_failure, write_text
from ...core.pipeline.extracting import extract_robot
from ..collisions.check import avoid_collisions
from ..collisions.testers import find_coal
from .dataset import DatasetOptions
from .datasets.indexes import make_bop, make_coco, make_dream, make_page
from .datasets.picture import (
    DEPTH_STEP,
    draw_strip,
    dump,
    write_bop,
    write_dream,
    write_models,
    write_picture,
)
from .sense import choose_sensors

LABELS, PAGE, STRIPS = "labels", "index.html", "page"
_CHANNELS = ("rgb", "depth", "normals", "links", "robots")
MOST_STRIPS = 48
"""Pictures on the page."""


def open_stage(armature: Any, options: DatasetOptions) -> Any:
    """Returns a robot in Blender as the stage of labelled pictures. Raises BuildError and
    KinematicsError."""
    from ...core.blender.standing.whole import duplicate_robot
    from .blender.labels import LabelStage
    from .blender.surroundings import list_scenery

    list_scenery(options.backgrounds, "picture")
    list_scenery(options.distractor_meshes, "mesh")
    camera = None
    if options.camera:
        (camera,) = choose_sensors(armature, [options.camera], Diagnostics())
        if camera.K is None:
            raise BuildError(f"sensor {quote(camera.name)} takes no plane pictures")
    refuse = avoid_collisions(armature) if options.avoid_collisions else None
    robots = [armature, *(duplicate_robot(armature) for _ in range(options.robots - 1))]
    return LabelStage(robots, extract_robot(armature), options, refuse, camera)


def describe_stage(stage: Any) -> dict[str, Any]:
    """Returns the robot as dataset.json has it."""
    tested = "no"
    if stage.options.avoid_collisions:
        tested = "triangles that cross" if find_coal() is None else "coal"
    return {
        "robot": stage.robot.name,
        "links": [{"id": number, "name": name} for name, number in stage.ids.items()],
        "joints": [joint.name for joint in stage.robot.joints],
        "keypoints": list(stage.keypoints),
        "skeleton": stage.list_bones(),
        "depth_scale": DEPTH_STEP,
        "self_collision": tested,
    }


def write_labelled(stage: Any, number: int, output: Path, work: Path) -> None:
    """Takes a picture and puts its files below `output`, its label last: that says that the
    picture is complete. `work` is an empty folder on the same disk. Raises WriteError; a label is
    never left without its files."""
    options, taken = stage.options, stage.take_picture(number)
    channels = {name: getattr(taken, name) for name in _CHANNELS}
    with refuse_failure(output, "write into"):
        label = write_picture(work, number, channels, taken.label, options.depth)
        if "bop" in options.formats:
            masks = {}
            for part in label["masks"]:
                key = part["robot"], part["link"]
                whole = taken.silhouettes[key]
                part["px_count_valid"] = int((whole & (taken.depth > 0)).sum())
                visible = (taken.robots == key[0]) & (taken.links == key[1])
                masks[key] = {"mask": whole, "mask_visib": visible}
            write_bop(work, number, label, taken.depth, masks)
            if not (output / "bop/models/models_info.json").exists():
                info = write_models(work / "bop/models", stage.shapes)
                (work / "bop/models/models_info.json").write_text(dump(info), encoding="utf-8")
        if "dream" in options.formats:
            write_dream(work, number, label)
        if number < MOST_STRIPS:
            (work / STRIPS).mkdir()
            (work / STRIPS / f"{number:06}.png").write_bytes(draw_strip(channels, label))
        _move(work, output)
        (work / LABELS).mkdir()
        (work / LABELS / f"{number:06}.json").write_text(dump(label), encoding="utf-8")
        _move(work, output)


def _move(work: Path, output: Path) -> None:
    for path in sorted(work.rglob("*")):
        place = output / path.relative_to(work)
        if path.is_dir():
            place.mkdir(exist_ok=True)
        else:
            os.replace(path, place)
    for each in work.iterdir():
        shutil.rmtree(each)


def list_labels(output: Path, count: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the numbers and labels of the pictures that are there, in order."""
    for number in range(count):
        path = output / LABELS / f"{number:06}.json"
        if path.exists():
            yield number, json.loads(path.read_text(encoding="utf-8"))


def write_indexes(output: Path, facts: dict[str, Any], options: DatasetOptions) -> None:
    """Writes the files about all pictures, and the page. Raises WriteError."""
    files: dict[str, str] = {}
    for name, make in (("coco", make_coco), ("bop", make_bop), ("dream", make_dream)):
        if name in options.formats:
            files |= make(facts, list_labels(output, options.count))
    strips = [
        path for path in sorted((output / STRIPS).glob("*.png")) if int(path.stem) < options.count
    ]
    files[PAGE] = make_page(facts["robot"], strips)
    for name, text in files.items():
        write_text(output / name, text)
