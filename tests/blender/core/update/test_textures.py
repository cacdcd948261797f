# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures are in the .blend, and follow their files."""

import shutil
from pathlib import Path
from typing import Any

import bpy
import pytest

from support.blender.snapshots import describe_scene, list_data
from support.mesh_files import png
from support.real_robots import ROOT as REAL
from urdf_importer import (
    ImportOptions,
    compare_with_source,
    import_robot,
    open_blend,
    save_blend,
    update_robot,
)
from urdf_importer.core.blender.build import materials

pytestmark = pytest.mark.usefixtures("scene")

ROBOT = """<robot name="r"><link name="a"><visual><geometry><box size="1 1 1"/></geometry>
<material name="skin"><texture filename="skin.png"/></material></visual></link></robot>"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "robot"
    folder.mkdir()
    (folder / "skin.png").write_bytes(png(2, 2))
    (folder / "r.urdf").write_text(ROBOT)
    return folder / "r.urdf"


def image() -> Any:
    (found,) = (each for each in bpy.data.images if each.name.startswith("skin"))
    return found


def test_the_blend_needs_no_other_file(path: Path, tmp_path: Path) -> None:
    import_robot(path)
    save_blend(tmp_path / "r.blend")
    shutil.rmtree(path.parent)
    open_blend(tmp_path / "r.blend")
    assert tuple(image().size) == (2, 2)


@pytest.mark.parametrize("packs", [True, False])
def test_the_option_decides_and_an_update_follows_it(packs: bool, path: Path) -> None:
    armature = import_robot(path, options=ImportOptions(pack_textures=packs)).armature
    assert (image().packed_file is not None) is packs
    assert compare_with_source(armature) == ()
    update_robot(armature, options=ImportOptions(pack_textures=not packs))
    assert (image().packed_file is not None) is not packs
    assert compare_with_source(armature) == ()


def test_an_update_is_what_an_import_of_the_new_file_makes(path: Path) -> None:
    armature = import_robot(path).armature
    (path.parent / "skin.png").write_bytes(png(3, 2))
    assert [str(each) for each in compare_with_source(armature)] == [
        "texture 'skin.png': the file changed"
    ]
    update_robot(armature)
    assert tuple(image().size) == (3, 2) and compare_with_source(armature) == ()
    shown, data = describe_scene(), list_data()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    import_robot(path)
    assert (describe_scene(), list_data()) == (shown, data)


def test_what_the_user_painted_stays(path: Path) -> None:
    armature = import_robot(path).armature
    painted = png(4, 4)
    image().pack(data=painted, data_len=len(painted))
    (path.parent / "skin.png").write_bytes(png(3, 2))
    assert compare_with_source(armature) == ()
    update_robot(armature, options=ImportOptions(limit_arcs=True))
    assert image().packed_file.data == painted


def test_a_texture_that_was_missing_is_found_by_an_update(path: Path) -> None:
    skin = path.parent / "skin.png"
    content = skin.read_bytes()
    skin.unlink()
    armature = import_robot(path).armature
    assert compare_with_source(armature) == ()
    skin.write_bytes(content)
    result = update_robot(armature)
    assert [each.subject for each in result.changes] == ["texture"] and result.diagnostics == ()
    assert image().packed_file is not None and compare_with_source(armature) == ()


def test_beyond_a_bound_textures_stay_in_their_files(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(materials, "MOST_PACKED", 10)
    result = import_robot(path)
    assert [item.code for item in result.diagnostics] == ["textures-not-packed"]
    assert image().packed_file is None


def test_a_real_robot_of_many_textures(tmp_path: Path) -> None:
    shutil.copytree(REAL / "go1_description", tmp_path / "go1_description")
    result = import_robot(next((tmp_path / "go1_description").rglob("go1.urdf")))
    shown = [each for each in bpy.data.images if each.source == "FILE"]
    assert all(each.packed_file is not None for each in shown)
    assert compare_with_source(result.armature) == ()
