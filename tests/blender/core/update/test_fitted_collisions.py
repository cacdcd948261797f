# SPDX-License-Identifier: GPL-3.0-or-later
"""Fitted collision shapes in the scene, and from there in files."""

import json
from pathlib import Path

import mujoco
import numpy as np
import pytest

from support.surfaces import make_l, make_ring
from urdf_importer import (
    BatchOptions,
    CollisionOptions,
    EngineOptions,
    ExportOptions,
    ImportOptions,
    UrdfOptions,
    WebotsOptions,
    batch,
    compare_with_source,
    export_robot,
    export_world,
    extract_robot,
    fit_collisions,
    import_robot,
    read_robot,
    update_robot,
)
from urdf_importer.core.geometry.triangles import Triangles
from urdf_importer.core.meshes.write import write_stl
from urdf_importer.core.model import Box, Mesh

INERTIAL = """<inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"""
URDF = f"""<robot name="parts"><link name="base"/>
<link name="angle">{INERTIAL}
<visual><geometry><mesh filename="angle.stl"/></geometry></visual></link>
<link name="ring">{INERTIAL}
<visual><geometry><mesh filename="ring.stl"/></geometry></visual></link>
<joint name="a" type="continuous"><parent link="base"/><child link="angle"/></joint>
<joint name="b" type="continuous"><parent link="base"/><child link="ring"/></joint></robot>"""


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


def test_an_import_fits_shapes_and_updates_know_them(path: Path) -> None:
    options = ImportOptions(fit_collisions="auto")
    result = import_robot(path, options=options)
    assert len(result.collisions["angle"]) == 2
    assert result.robot == fit_collisions(read_robot(path)).robot
    assert compare_with_source(result.armature) == ()
    ring = len(result.collisions["ring"])
    assert ring > 2
    vertices, faces = make_l()
    triangles = Triangles(vertices.astype(np.float32), faces.ravel().astype(np.int32))
    (path.parent / "ring.stl").write_bytes(write_stl(triangles))
    updated = update_robot(result.armature)
    assert len(updated.collisions["ring"]) == 2
    assert len(update_robot(result.armature, options=ImportOptions()).collisions["ring"]) == 0


@pytest.mark.parametrize("suffix", [".urdf", ".xml", ".sdf", ".usda", ".proto"])
def test_exports_fit_the_shapes_of_the_scene(path: Path, tmp_path: Path, suffix: str) -> None:
    result = import_robot(path)
    for vertex in result.visuals["angle"][0].data.vertices:
        vertex.co.z *= 2.0
    out = tmp_path / f"Out{suffix}"
    options = (
        EngineOptions(engine="isaac", fit_collisions="box")
        if suffix == ".usda"
        else ExportOptions(fit_collisions="box")
    )
    text = export_robot(result.armature, out, options=options).path.read_text()
    if suffix in (".usda", ".proto"):
        assert text.count("PhysicsCollisionAPI" if suffix == ".usda" else "boundingObject") == 2
        return
    links = {link.name: link for link in read_robot(out).links}
    (box,) = (each.geometry for each in links["angle"].collisions)
    assert isinstance(box, Box)
    height = float(np.ptp(make_l()[0][:, 2]))
    assert min(abs(side - 2.0 * height) for side in box.size) < 1e-4
    assert not (tmp_path / "meshes" / "collision").exists()


@pytest.mark.parametrize("options", [None, WebotsOptions(fit_collisions="decomposed")])
def test_worlds_have_the_fitted_shapes(
    path: Path, tmp_path: Path, options: WebotsOptions | None
) -> None:
    """Those of the scene, or those that the export fits."""
    wanted = ImportOptions(fit_collisions="never" if options else "decomposed")
    robot = import_robot(path, options=wanted)
    if options is None:
        count = sum(len(shapes) for shapes in robot.collisions.values())
        assert count > 4
        world = export_world(tmp_path / "lab.xml", objects=[robot]).path
        model = mujoco.MjModel.from_xml_path(str(world))
        assert int((model.geom_contype != 0).sum()) == count
    world = export_world(tmp_path / "lab.wbt", objects=[robot], options=options).path
    (proto,) = (each for each in world.parent.rglob("*.proto"))
    assert proto.read_text().count("boundingObject") == 2


def test_batches_have_the_fitted_shapes(path: Path, tmp_path: Path) -> None:
    """As the export of the one robot has them."""
    out = tmp_path / "out"
    to = ("urdf", "glb", "usda")
    exports = (
        UrdfOptions(fit_collisions="decomposed"),
        EngineOptions(engine="isaac", fit_collisions="decomposed"),
    )
    result = batch([path], out, to=to, options=BatchOptions(jobs=1, exports=exports))
    assert [each.status for each in result.records] == ["ok"]
    parts = fit_collisions(read_robot(path), options=CollisionOptions(shape="decomposed")).robot
    wanted = [len(each.collisions) for each in parts.links]
    made = {each.suffix: each for each in (out / "parts").iterdir()}
    assert [len(link.collisions) for link in read_robot(made[".urdf"]).links] == wanted
    physics = json.loads(next((out / "parts").glob("*.physics.json")).read_text())
    assert [len(body["shapes"]) for body in physics["bodies"]] == wanted
    assert {each["type"] for body in physics["bodies"] for each in body["shapes"]} == {"hull"}
    assert made[".usda"].read_text().count("PhysicsCollisionAPI") == sum(wanted)
