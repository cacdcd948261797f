# SPDX-License-Identifier: GPL-3.0-or-later
"""Fitted collision shapes in the scene, and from there in files."""

from pathlib import Path

import numpy as np
import pytest

from support.surfaces import make_l, make_ring
from urdf_importer import (
    CollisionOptions,
    export_robot,
    extract_robot,
    fit_collisions,
    import_robot,
    read_robot,
    update_robot,
)
from urdf_importer.geometry.triangles import Triangles
from urdf_importer.meshes.write import write_stl
from urdf_importer.model import Mesh

URDF = """<robot name="parts"><link name="base"/>
<link name="angle"><visual><geometry><mesh filename="angle.stl"/></geometry></visual></link>
<link name="ring"><visual><geometry><mesh filename="ring.stl"/></geometry></visual></link>
<joint name="a" type="fixed"><parent link="base"/><child link="angle"/></joint>
<joint name="b" type="fixed"><parent link="base"/><child link="ring"/></joint></robot>"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    for name, (vertices, faces) in {"angle": make_l(), "ring": make_ring()}.items():
        triangles = Triangles(vertices.astype(np.float32), faces.ravel().astype(np.int32))
        (tmp_path / f"{name}.stl").write_bytes(write_stl(triangles))
    (tmp_path / "parts.urdf").write_text(URDF)
    return tmp_path / "parts.urdf"


def test_fitted_shapes_come_into_the_scene_and_out_of_it(path: Path, tmp_path: Path) -> None:
    result = import_robot(path)
    fitted = fit_collisions(result, options=CollisionOptions(links=("angle",)))
    updated = update_robot(result.armature, robot=fitted.robot)
    shapes = updated.collisions["angle"]
    assert len(shapes) == 2
    assert not updated.collisions["ring"]
    for shape in shapes:
        assert shape.parent == updated.links["angle"]
        assert shape.display_type == "WIRE" and shape.hide_render
        assert any(key.startswith("urdf_") for key in dict(shape.items()))
    assert len(extract_robot(result.armature).links[1].collisions) == 2
    shapes[0].location.x += 0.5
    export_robot(result.armature, tmp_path / "out.urdf")
    written = read_robot(tmp_path / "out.urdf").links[1].collisions
    assert [type(each.geometry) for each in written] == [Mesh, Mesh]
    assert sorted(each.origin.xyz[0] for each in written) == pytest.approx([0.0, 0.5])
