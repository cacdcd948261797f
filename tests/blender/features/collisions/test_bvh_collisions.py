# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's trees of triangles see what coal sees; shapes of a rig count as the scene has them."""

from pathlib import Path

import bpy
import numpy as np
import pytest

from support.real_robots import ROOT
from urdf_importer import find_disabled_collisions, import_robot, read_robot
from urdf_importer.features.collisions import disabled_pairs

pytestmark = pytest.mark.usefixtures("scene")

PANDA = ROOT / "panda_description" / "urdf" / "panda.urdf"

BOXES = """<robot name="boxes">
  <link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="b"><collision><geometry><box size="0.5 0.5 0.5"/></geometry></collision></link>
  <link name="c"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1"/></joint>
  <joint name="k" type="revolute"><parent link="b"/><child link="c"/><origin xyz="1 0 0"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1"/></joint>
</robot>"""


def test_blender_finds_what_coal_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = read_robot(PANDA)
    wanted = find_disabled_collisions(robot, samples=300)
    monkeypatch.setattr(disabled_pairs, "find_coal", lambda: None)
    assert find_disabled_collisions(robot, samples=300) == wanted


@pytest.mark.parametrize("library", ["coal", "blender"])
def test_shapes_count_as_the_scene_has_them(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if library == "blender":
        monkeypatch.setattr(disabled_pairs, "find_coal", lambda: None)
    path = tmp_path / "boxes.urdf"
    path.write_text(BOXES)
    armature = import_robot(path).armature

    def find() -> dict[tuple[str, str], str]:
        return {
            (p.link1, p.link2): p.reason for p in find_disabled_collisions(armature, samples=50)
        }

    assert find() == {("a", "b"): "Adjacent", ("b", "c"): "Adjacent", ("a", "c"): "Never"}
    shape = next(item for item in bpy.data.objects if item.name.startswith("a_collision"))
    shape.scale = (8.0, 8.0, 1.0)
    bpy.context.view_layer.update()
    # The ball lies inside of the large box, and touches no side of it.
    assert find()["a", "c"] == "Default"
    assert np.allclose(shape.scale, (8.0, 8.0, 1.0))
