# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of COCO, BOP and DREAM about all pictures, made of their labels."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ....core.geometry.transforms import Matrix, invert
from .picture import dump

Labels = Iterable[tuple[int, Mapping[str, Any]]]
_PER_FOLDER = 1000


def make_coco(facts: Mapping[str, Any], labels: Labels) -> dict[str, str]:
    """Returns the names and texts of the files of COCO. `facts` is dataset.json."""
    images: list[Any] = []
    masks: list[Any] = []
    polygons: list[Any] = []
    points: list[Any] = []
    for number, label in labels:
        image = label["image"]
        images.append({"id": number, "file_name": image["rgb"], **_size_of(image)})
        for part in label["masks"]:
            if part["area"]:
                kept = {name: part[name] for name in ("segmentation", "area", "bbox")}
                about = {"id": len(masks) + 1, "image_id": number, "category_id": part["link"]}
                masks.append({**about, **kept, "iscrowd": 0})
                if "polygons" in part:
                    polygons.append({**masks[-1], "segmentation": part["polygons"]})
        for each in label["robots"]:
            about = {"id": len(points) + 1, "image_id": number, "category_id": 1, "iscrowd": 0}
            points.append({**about, **_points_of(each, label)})
    pose = {"id": 1, "name": facts["robot"]}
    pose |= {name: facts[name] for name in ("keypoints", "skeleton")}
    files = {"instances": (masks, facts["links"]), "keypoints": (points, [pose])}
    if polygons:
        files["polygons"] = polygons, facts["links"]
    return {
        f"coco_{name}.json": dump({"images": images, "annotations": found, "categories": kinds})
        for name, (found, kinds) in files.items()
    }


def _points_of(robot: Mapping[str, Any], label: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the keypoints of a robot, and the box and area of all its visible pixels."""
    flat: list[float] = []
    for each in robot["keypoints"]:
        flat += [*each["uv"], each["visible"]] if each["visible"] else [0, 0, 0]
    parts = [part for part in label["masks"] if part["area"] and part["robot"] == robot["id"]]
    boxes = np.array([part["bbox"] for part in parts]).reshape(-1, 4)
    box = [0, 0, 0, 0]
    if len(boxes):
        low, high = boxes[:, :2].min(axis=0), (boxes[:, :2] + boxes[:, 2:]).max(axis=0)
        box = [*low.tolist(), *(high - low).tolist()]
    return {
        "keypoints": flat,
        "num_keypoints": sum(each["visible"] > 0 for each in robot["keypoints"]),
        "area": sum(part["area"] for part in parts),
        "bbox": box,
    }


def make_bop(facts: Mapping[str, Any], labels: Labels) -> dict[str, str]:
    """Returns the names and texts of BOP's scene files and of camera.json; millimetres."""
    names = {link["id"]: link["name"] for link in facts["links"]}
    scenes: dict[str, dict[str, dict[str, Any]]] = {}
    files: dict[str, str] = {}
    for number, label in labels:
        image, K = label["image"], label["camera"]["K"]
        scene = scenes.setdefault(f"{number // _PER_FOLDER:06}", {})
        inside = invert(np.array(label["camera"]["pose"]))
        key = str(number % _PER_FOLDER)
        found: dict[str, Any] = {
            "scene_camera": {
                "cam_K": [each for row in K for each in row],
                "depth_scale": image["depth_scale"],
                **_place_of(inside, "w2c"),
            },
            "scene_gt": [],
            "scene_gt_info": [],
        }
        for part in label["masks"]:
            seats = label["robots"][part["robot"] - 1]["links"]
            pose = inside @ np.array(seats[names[part["link"]]])
            found["scene_gt"].append({"obj_id": part["link"], **_place_of(pose, "m2c")})
            found["scene_gt_info"].append(_count_pixels(part))
        for name, content in found.items():
            scene.setdefault(name, {})[key] = content
        camera = {**_lens_of(K), "depth_scale": 0.1, **_size_of(image)}
        files.setdefault("bop/camera.json", dump(camera))
    for place, scene in scenes.items():
        for name, content in scene.items():
            files[f"bop/train_pbr/{place}/{name}.json"] = dump(content)
    return files


def _place_of(frame: Matrix, way: str) -> dict[str, list[float]]:
    turn, place = frame[:3, :3].ravel().tolist(), (1e3 * frame[:3, 3]).tolist()
    return {f"cam_R_{way}": turn, f"cam_t_{way}": place}


def _count_pixels(part: Mapping[str, Any]) -> dict[str, Any]:
    whole = part["whole"]["px_count"]
    return {
        "bbox_obj": part["whole"]["bbox"],
        "bbox_visib": part["bbox"],
        "px_count_all": whole,
        "px_count_valid": part["px_count_valid"],
        "px_count_visib": part["area"],
        "visib_fract": part["area"] / whole if whole else 0.0,
    }


def make_dream(_facts: Mapping[str, Any], labels: Labels) -> dict[str, str]:
    """Returns the names and texts of DREAM's settings: one camera for all pictures."""
    for _, label in labels:
        K, image = label["camera"]["K"], label["image"]
        size = _size_of(image)
        lens = {"resX": size["width"], "resY": size["height"], **_lens_of(K), "s": 0}
        camera = {"name": "camera", "intrinsic_settings": lens, "captured_image_size": size}
        names = [robot["name"] for robot in label["robots"]]
        classes = [{"class": name} for name in names]
        objects = {"exported_object_classes": names, "exported_objects": classes}
        return {
            "dream/_camera_settings.json": dump({"camera_settings": [camera]}),
            "dream/_object_settings.json": dump(objects),
        }
    return {}


def _size_of(image: Mapping[str, Any]) -> dict[str, int]:
    return {name: image[name] for name in ("width", "height")}


def _lens_of(K: Sequence[Sequence[float]]) -> dict[str, float]:
    return {"fx": K[0][0], "fy": K[1][1], "cx": K[0][2], "cy": K[1][2]}


def make_page(robot: str, strips: Sequence[Path]) -> str:
    """Returns a page of HTML with the strips of some pictures."""
    from html import escape

    rows = "\n".join(
        f'<p>{each.stem}<br><img src="page/{each.name}" alt="picture {each.stem}"></p>'
        for each in strips
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>{escape(robot)}</title>\n'
        "<style>body{font-family:sans-serif}img{max-width:100%}</style>\n"
        f"<h1>{escape(robot)}</h1>\n<p>Colours with keypoints, links, depth, normals.</p>\n"
        f"{rows}\n</html>\n"
    )
