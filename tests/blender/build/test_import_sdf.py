# SPDX-License-Identifier: GPL-3.0-or-later
"""Models of SDF as rigs: their shapes, as Blender shows them and as they come back."""

from pathlib import Path

import bpy
import numpy as np
import pytest

from urdf_importer import (
    export_robot,
    extract_robot,
    import_robot,
    read_robot,
    write_urdf,
)
from urdf_importer.model import Cone, Ellipsoid, Extrusion, Mesh

pytestmark = pytest.mark.usefixtures("scene")

SHAPES = {
    "egg": "<ellipsoid><radii>0.2 0.5 0.9</radii></ellipsoid>",
    "tip": "<cone><radius>0.4</radius><length>0.9</length></cone>",
    "slab": """<polyline><height>0.3</height><point>0 0</point><point>2 0</point>
        <point>0 2</point></polyline>""",
    "lid": "<mesh><uri>two.obj</uri><submesh><name>lid</name><center>1</center></submesh></mesh>",
}
OBJ = """o body
v 0 0 0
v 1 0 0
v 0 1 0
f 1 2 3
o lid
v 5 0 0
v 7 0 0
v 5 4 0
f 4 5 6
"""


def write(folder: Path, inside: str) -> Path:
    path = folder / "m.sdf"
    path.write_text(f'<sdf version="1.11"><model name="m">{inside}</model></sdf>')
    return path


def shapes_of(armature: object) -> dict[str, bpy.types.Object]:
    return {item.name: item for item in bpy.data.objects if "urdf_shape" in item}


def test_shapes_that_urdf_has_no_word_for(tmp_path: Path) -> None:
    (tmp_path / "two.obj").write_text(OBJ)
    visuals = "".join(
        f'<visual name="{name}"><pose>{3 * at} 0 0 0 0 0</pose><geometry>{shape}</geometry>'
        "</visual>"
        for at, (name, shape) in enumerate(SHAPES.items())
    )
    path = write(tmp_path, f'<link name="a">{visuals}</link>')
    result = import_robot(path)
    assert not result.diagnostics
    sizes = {name: tuple(item.dimensions) for name, item in shapes_of(result.armature).items()}
    assert sizes["egg"] == pytest.approx((0.4, 1.0, 1.8))
    assert sizes["tip"] == pytest.approx((0.8, 0.8, 0.9))
    assert sizes["slab"] == pytest.approx((2.0, 2.0, 0.3))
    assert sizes["lid"] == pytest.approx((2.0, 4.0, 0.0))
    low = np.min([corner[:] for corner in bpy.data.objects["lid"].bound_box], axis=0)
    assert low == pytest.approx((-1.0, -2.0, 0.0))
    assert extract_robot(result.armature) == result.robot

    bpy.data.objects["egg"].scale = (2.0, 1.0, 1.0)
    bpy.data.objects["tip"].scale = (0.5, 0.5, 3.0)
    bpy.context.view_layer.update()
    geoms = Path(export_robot(result.armature, tmp_path / "m.xml").path).read_text()
    assert 'type="ellipsoid" size="0.4 0.5 0.9"' in geoms
    written = read_robot(write_urdf(result.armature, tmp_path / "out" / "m.urdf").path)
    kinds = [type(each.geometry) for each in written.links[0].visuals]
    assert kinds == [Mesh] * 4
    bpy.ops.wm.read_homefile(use_empty=True)
    import_robot(tmp_path / "out" / "m.urdf")
    again = [tuple(item.dimensions) for item in shapes_of(None).values()]
    wanted = [(0.8, 1.0, 1.8), (0.4, 0.4, 2.7), (2.0, 2.0, 0.3), (2.0, 4.0, 0.0)]
    assert np.array(sorted(again)) == pytest.approx(np.array(sorted(wanted)), abs=1e-5)


def test_the_shapes_keep_their_kinds(tmp_path: Path) -> None:
    visual = '<visual name="v{0}"><geometry>{1}</geometry></visual>'
    inside = "".join(visual.format(*pair) for pair in enumerate(list(SHAPES.values())[:3]))
    robot = import_robot(write(tmp_path, f'<link name="a">{inside}</link>')).robot
    kinds = [type(each.geometry) for each in robot.links[0].visuals]
    assert kinds == [Ellipsoid, Cone, Extrusion]
