# SPDX-License-Identifier: GPL-3.0-or-later
"""Real robots as glTF: how joints deform, where visuals are, how many triangles there are."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.blender.engine_robots import (
    animate,
    frames_at,
    frames_at_zero,
    into_engine,
    worst_error,
)
from support.gltf_truth import Gltf
from support.real_robots import descriptions, name_of
from urdf_importer import EngineOptions, export_robot, import_robot

FEW = ("panda", "simple_humanoid", "solo12", "tiago_dual")
ALL = [path for path in descriptions() if path.stem != "ur3"]  # which has no links
WITHIN = 2e-5

pytestmark = pytest.mark.usefixtures("scene")


def check(path: Path, file: Path) -> None:
    result = import_robot(path)
    animate(result.armature, frames=(1, 4, 7))
    written = export_robot(result.armature, file, options=EngineOptions())
    gltf = Gltf(file)
    rooted = any(joint.type in ("planar", "floating") for joint in result.robot.joints)
    if written.animations and not rooted:
        (clip,) = written.animations
        shown = {
            frame: frames_at(result.armature, result.robot, frame) for frame in (1.0, 2.5, 4.0, 7.0)
        }
        assert worst_error(gltf, written, result.robot, shown, clip=clip) < WITHIN
    assert_visuals(gltf, written, result)


def assert_visuals(gltf: Gltf, written: Any, result: Any) -> None:
    """The box and the triangles of what hangs on each bone are those of its links' visuals; of
    their collision shapes, where no link has a visual."""
    frames, wanted, count = frames_at_zero(result.robot), {}, 0
    shown = result.visuals if any(result.visuals.values()) else result.collisions
    for link, items in shown.items():
        for item in (each for each in items if each.type == "MESH" and len(each.data.vertices)):
            points = np.empty(3 * len(item.data.vertices), np.float32)
            item.data.vertices.foreach_get("co", points)
            place = frames[link] @ np.array(item.matrix_parent_inverse @ item.matrix_basis)
            moved = points.reshape(-1, 3) @ place[:3, :3].T + place[:3, 3]
            item.data.calc_loop_triangles()
            count += len(item.data.loop_triangles)
            bone = carrier(written, result, link)
            wanted.setdefault(bone, []).append([moved.min(axis=0), moved.max(axis=0)])
    if not wanted:
        assert not any("mesh" in node for node in gltf.nodes)
        return
    back, found = np.linalg.inv(into_engine("z"))[:3, :3], {}
    for vertices, triangles, bones in gltf.parts():
        count -= len(triangles)
        for bone in np.unique(bones):
            points = vertices[bones == bone] @ back.T
            found.setdefault(str(bone), []).append([points.min(axis=0), points.max(axis=0)])
    assert count == 0 and found.keys() == wanted.keys()
    for bone, boxes in wanted.items():
        low, high = np.min(boxes, axis=0)[0], np.max(boxes, axis=0)[1]
        mine = np.min(found[bone], axis=0)[0], np.max(found[bone], axis=0)[1]
        reach = 1.0 + max(np.abs(low).max(), np.abs(high).max())
        assert max(np.abs(mine[0] - low).max(), np.abs(mine[1] - high).max()) < 1e-5 * reach


def carrier(written: Any, result: Any, link: str) -> str:
    """The bone that carries a link's shapes: its own, or that of the next link above that moves."""
    above = {joint.child: joint for joint in result.robot.joints}
    while link in above and above[link].type == "fixed":
        link = above[link].parent
    return str(written.bones[link])


@pytest.mark.parametrize("stem", FEW)
def test_a_few(stem: str, tmp_path: Path) -> None:
    check(next(path for path in descriptions() if path.stem == stem), tmp_path / "robot.glb")


@pytest.mark.slow
@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_all(path: Path, tmp_path: Path) -> None:
    check(path, tmp_path / "robot.glb")
