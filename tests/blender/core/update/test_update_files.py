# SPDX-License-Identifier: GPL-3.0-or-later
"""An update reads each mesh file once, for comparing and for building."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from support.real_robots import descriptions
from urdf_importer import ImportOptions, import_robot, update_robot
from urdf_importer.core.meshes import file_cache
from urdf_importer.core.model import Mesh

pytestmark = pytest.mark.usefixtures("scene")

PART = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n"
ROBOT = """
<robot name="arm"><link name="arm">
  <visual><geometry><mesh filename="plain.obj"/></geometry></visual>
  <visual><geometry><mesh filename="plain.obj" scale="1 -1 1"/></geometry></visual>
  <visual><geometry><mesh filename="odd.obj"/></geometry></visual>
  <collision><geometry><mesh filename="odd.obj" scale="2 2 2"/></geometry></collision>
  <collision><geometry><mesh filename="broken.obj"/></geometry></collision>
</link></robot>
"""


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[Path]:
    """How often each mesh file was parsed."""
    counted: Counter[Path] = Counter()
    load = file_cache.load_mesh

    def count(path: Path, *others: Any, **more: Any) -> Any:
        counted[path] += 1
        return load(path, *others, **more)

    file_cache.forget_files()
    monkeypatch.setattr(file_cache, "load_mesh", count)
    return counted


def test_every_file_once_and_what_is_odd_is_still_said(
    tmp_path: Path, reads: Counter[Path]
) -> None:
    """Also files with something to report, with other files of theirs, and broken ones."""
    path = tmp_path / "arm.urdf"
    path.write_text(ROBOT)
    (tmp_path / "plain.obj").write_text(PART)
    (tmp_path / "odd.obj").write_text(f"mtllib gone.mtl\n{PART}f 1 2 9\n")
    (tmp_path / "broken.obj").write_text("f 1 2 3\n")
    files = {tmp_path / f"{name}.obj" for name in ("plain", "odd", "broken")}
    made = import_robot(path)
    assert reads == dict.fromkeys(files, 1)
    reads.clear()
    file_cache.forget_files()
    (tmp_path / "plain.obj").write_text(f"{PART}f 2 3 4\n")
    done = update_robot(made.armature)
    assert reads == dict.fromkeys(files, 1)
    assert [(change.subject, change.name) for change in done.changes] == [("mesh", "plain.obj")]
    assert done.diagnostics == made.diagnostics


def test_all_files_of_a_real_robot(reads: Counter[Path]) -> None:
    path = next(each for each in descriptions() if each.stem == "panda")
    made = import_robot(path)
    named = {
        shape.geometry.filename
        for link in made.robot.links
        for shape in (*link.visuals, *link.collisions)
        if isinstance(shape.geometry, Mesh)
    }
    reads.clear()
    file_cache.forget_files()
    done = update_robot(made.armature, options=ImportOptions(most_triangles=100))
    assert done.changes
    assert len(reads) == len(named) > 10 and set(reads.values()) == {1}
