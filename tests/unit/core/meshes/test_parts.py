# SPDX-License-Identifier: GPL-3.0-or-later
"""One part of a file that has several, by the names that the formats give them."""

import numpy as np
import pytest
import trimesh

from urdf_importer.core.diagnostics import Diagnostics, MeshError
from urdf_importer.core.files.packages import PackageResolver
from urdf_importer.core.meshes import RobotFiles, load_mesh
from urdf_importer.core.model import Link, Mesh, MeshPart, Visual

ONE = (1.0, 1.0, 1.0)

OBJ = """o first
v 0 0 0
v 1 0 0
v 0 1 0
f 1 2 3
o second
g inner
v 5 0 0
v 7 0 0
v 5 4 0
f 4 5 6
g outer
f 4 6 5
"""

GEOMETRY = """<geometry id="{0}-mesh" name="{0}"><mesh>
<source id="{0}-p"><float_array id="{0}-a" count="9">{1}</float_array><technique_common>
<accessor source="#{0}-a" count="3" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="{0}-v"><input semantic="POSITION" source="#{0}-p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#{0}-v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry>"""

DAE = f"""<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<library_geometries>{GEOMETRY.format("tri", "0 0 0 1 0 0 0 1 0")}
{GEOMETRY.format("big", "0 0 0 2 0 0 0 4 0")}</library_geometries>
<library_visual_scenes><visual_scene id="s">
<node name="first"><instance_geometry url="#tri-mesh"/></node>
<node name="second"><translate>5 0 0</translate><instance_geometry url="#big-mesh"/></node>
</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    (folder / "two.obj").write_text(OBJ)
    (folder / "two.dae").write_text(DAE)
    scene = trimesh.Scene()
    faces = [[0, 1, 2]]
    one = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], faces, process=False)
    two = trimesh.Trimesh([[0, 0, 0], [2, 0, 0], [0, 4, 0]], faces, process=False)
    scene.add_geometry(one, node_name="first", geom_name="tri")
    place = np.eye(4)
    place[0, 3] = 5.0
    scene.add_geometry(two, node_name="second", geom_name="big", transform=place)
    scene.export(folder / "two.glb")
    return folder


NAMES = [("two.obj", "inner"), ("two.dae", "second"), ("two.dae", "big"), ("two.dae", "big-mesh"),
         ("two.glb", "second"), ("two.glb", "big")]  # fmt: skip


@pytest.mark.parametrize(("file", "name"), NAMES)
def test_a_part_is_that_node_alone_in_its_place(files, notes, file, name):
    whole = load_mesh(files / file, ONE, notes)
    part = load_mesh(files / file, ONE, notes, part=MeshPart(name=name))
    assert whole.face_count > part.face_count == 1
    assert part.vertices[part.corners].min(axis=0).tolist() == [5.0, 0.0, 0.0]
    centered = MeshPart(name=name, centered=True)
    middle = load_mesh(files / file, (1.0, 2.0, 1.0), notes, part=centered)
    points = middle.vertices[middle.corners]
    assert points.min(axis=0).tolist() == [-1.0, -4.0, 0.0]
    assert points.max(axis=0).tolist() == [1.0, 4.0, 0.0]


def test_an_object_of_several_groups(files, notes):
    part = load_mesh(files / "two.obj", ONE, notes, part=MeshPart(name="second"))
    assert part.face_count == 2


@pytest.mark.parametrize("file", ["two.obj", "two.dae", "two.glb"])
def test_a_part_that_is_not_there_is_refused_with_those_that_are(files, notes, file):
    with pytest.raises(MeshError, match="'first'") as caught:
        load_mesh(files / file, ONE, notes, part=MeshPart(name="third"))
    assert caught.value.code == "missing-part"


def test_files_without_parts_say_so(tmp_path, notes):
    trimesh.creation.box().export(tmp_path / "box.stl")
    with pytest.raises(MeshError, match="no parts with names") as caught:
        load_mesh(tmp_path / "box.stl", ONE, notes, part=MeshPart(name="lid"))
    assert caught.value.code == "missing-part"


def test_parts_of_one_file_are_loaded_each_for_itself(files):
    found = RobotFiles(PackageResolver(str(files / "robot.sdf")), Diagnostics())
    link = Link(name="a")
    counts = []
    for part in (None, MeshPart(name="inner"), MeshPart(name="second"), None):
        shape = Visual(geometry=Mesh(filename="two.obj", part=part))
        counts.append(found.load(shape, link).face_count)
        assert (found.file_of(shape) is None) == (part is not None)
    assert counts == [3, 1, 2, 3]
