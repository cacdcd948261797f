# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds, judged by MuJoCo, by libsdformat and by the checker of Webots' files: all robots and
objects are where the scene has them."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import bpy
import mujoco
import numpy as np
import pytest

from support.blender.rigs import new_scene
from support.blender.world_scenes import LEG, Lab, make_lab
from support.drake_process import DRAKE_PYTHON, Drake
from support.paths import ROOT
from support.webots.proto_check import check
from urdf_importer import (
    Diagnostics,
    ImportOptions,
    KinematicsError,
    MjcfOptions,
    SdfOptions,
    WebotsOptions,
    WriteError,
    export_world,
    forward_kinematics,
    import_robot,
    import_world,
    list_models,
    read_robot,
)

CHECK_SDF = os.environ.get("CHECK_SDF", "")
EXACT = 2e-6
"""Blender keeps places in single precision."""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    yield make_lab()


def test_a_world_of_mujoco_has_all_where_the_scene_has_it(lab: Lab, tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    written = export_world(tmp_path / "lab.xml", diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["flat-collision"]
    model = mujoco.MjModel.from_xml_path(str(written.path))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)

    def frame(name: str) -> np.ndarray:
        body = data.body(name)
        return np.vstack([np.c_[body.xmat.reshape(3, 3), body.xpos], [0.0, 0.0, 0.0, 1.0]])

    for armature, name in written.facts["robots"].items():
        for link, expected in lab.frames(armature).items():
            assert np.abs(frame(f"{name}/{link}") - expected).max() < EXACT, link
    for name, expected in lab.places.items():
        assert np.abs(frame(name) - expected).max() < EXACT, name
    assert model.body("crate").mass == 2.0
    assert model.body("crate").jntnum == 1 and model.body("table").jntnum == 0
    assert (model.nlight, model.ncam) == (2, 1)
    assert len(list((tmp_path / "lab_assets").glob("thigh*"))) == 1


def test_a_world_of_sdf_has_all_where_the_scene_has_it(lab: Lab, tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    path = tmp_path / "lab.sdf"
    written = export_world(path, diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["sdf-start"]
    if CHECK_SDF:
        done = subprocess.run([CHECK_SDF, str(path)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert list_models(path) == (*written.facts["robots"].values(), *lab.places)
    for armature, name in written.facts["robots"].items():
        again = read_robot(path, options=ImportOptions(model=name))
        expected = lab.frames(armature, posed=False)
        place = np.array(lab.armatures[armature].matrix_world)
        for link, frame in forward_kinematics(again).items():
            assert np.abs(place @ frame - expected[link]).max() < EXACT, link
    assert len(list(tmp_path.rglob("thigh.stl"))) == 1
    text = path.read_text()
    assert text.count("<static>true</static>") == 3 and "<mu>0.75</mu>" in text
    assert text.count("<light ") == 2


def test_a_world_of_sdf_can_start_as_it_is_shown(lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "lab.world"
    diagnostics = Diagnostics()
    export_world(path, options=SdfOptions(poses="start"), diagnostics=diagnostics)
    assert not list(diagnostics)
    again = read_robot(path, options=ImportOptions(model="quadruped_leg"))
    expected = lab.frames("quadruped_leg")
    for link, frame in forward_kinematics(again).items():
        assert np.abs(frame - expected[link]).max() < EXACT, link


def test_a_world_of_webots_has_all_where_the_scene_has_it(lab: Lab, tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    written = export_world(tmp_path / "lab.wbt", diagnostics=diagnostics)
    assert {each.code for each in diagnostics} == {"webots-motor-default"}
    checked = check(written.path, initial=True)
    assert checked.problems == ()
    solids = [(each["name"], np.array(each["pose"])) for each in checked.tree["solids"]]
    expected = [(name, frame) for name, frame in lab.places.items()]
    for armature in lab.armatures:
        frames = lab.frames(armature)
        expected += [(link, frames[link]) for link in ("thigh", "shin", "foot") if link in frames]
    for name, frame in expected:
        misses = [np.abs(pose - frame).max() for other, pose in solids if other == name]
        assert min(misses) < 1e-5, name
    text = written.path.read_text()
    assert text.count("EXTERNPROTO") == 3 and "FLOOR" not in text
    assert text.count("physics Physics") == 1 and 'contactMaterial "friction 0.75"' in text
    assert "PointLight" in text and "SpotLight" in text


def test_options_may_name_parts_of_any_robot(lab: Lab, tmp_path: Path) -> None:
    options = WebotsOptions(positions=(("spin", "0.5"),))
    written = export_world(tmp_path / "a.wbt", options=options, diagnostics=Diagnostics())
    assert "position 0.5" in (tmp_path / "gate.proto").read_text()
    assert written.robot == "a"
    with pytest.raises(KinematicsError, match="no robot has a joint or link 'spinn'"):
        export_world(tmp_path / "b.wbt", options=WebotsOptions(positions=(("spinn", "0.5"),)))


def test_parts_of_a_scene_can_be_chosen(lab: Lab, tmp_path: Path) -> None:
    gate = lab.armatures["gate"]
    objects = ["table", bpy.data.objects["lamp"], gate]
    written = export_world(tmp_path / "few.xml", objects=objects, options=MjcfOptions())
    assert written.facts["robots"] == {"gate": "gate"}
    assert written.facts["objects"] == {"table": "table"}
    model = mujoco.MjModel.from_xml_path(str(written.path))
    assert model.nlight == 1
    assert model.body("gate/post").id > 0
    with pytest.raises(KinematicsError, match="no object 'tabel'"):
        export_world(tmp_path / "few.xml", objects=["tabel"])


@pytest.mark.slow
@pytest.mark.skipif(not DRAKE_PYTHON, reason="DRAKE_PYTHON has no Drake (tools/get-drake)")
def test_drake_has_all_of_a_world_where_the_scene_has_it(tmp_path: Path) -> None:
    lab = make_lab()
    # The gate has a gearbox, which Drake does not know.
    gate = lab.armatures.pop("gate")
    cart = import_robot(ROOT / "sample_urdfs/differential_drive.urdf").armature
    cart.location = (0.0, 2.0, 0.5)
    bpy.context.view_layer.update()
    lab.armatures[cart.name] = cart
    chosen = [*lab.armatures.values(), *lab.places, "lamp", "spot"]
    written = export_world(tmp_path / "lab.sdf", objects=chosen, diagnostics=Diagnostics())
    assert gate.name not in written.facts["robots"]
    drake = Drake()
    try:
        found = drake.read(written.path)
    finally:
        drake.close()
    for armature, name in written.facts["robots"].items():
        for link, expected in lab.frames(armature, posed=False).items():
            assert np.abs(np.array(found.frames[0][f"{name}::{link}"]) - expected).max() < EXACT
    for name, expected in lab.places.items():
        (body,) = [each for each in found.masses if each.startswith(f"{name}::")]
        assert np.abs(np.array(found.frames[0][body]) - expected).max() < EXACT, name
        assert (found.masses[body] == 2.0) == (name == "crate")


def test_equal_robots_share_their_files(tmp_path: Path) -> None:
    new_scene()
    for number in range(2):
        import_robot(LEG).armature.location.x = number
    bpy.context.view_layer.update()
    for name in ("two.wbt", "two.sdf", "two.xml"):
        written = export_world(tmp_path / name, diagnostics=Diagnostics())
        assert list(written.facts["robots"].values()) == ["quadruped_leg", "quadruped_leg.001"]
    assert len(list(tmp_path.glob("*.proto"))) == 1
    assert "FLOOR" in (tmp_path / "two.wbt").read_text()
    assert [each.name for each in (tmp_path / "two_models").iterdir()] == ["quadruped_leg"]
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "two.xml")).nbody == 17


def test_instances_count_and_hidden_objects_do_not(tmp_path: Path) -> None:
    new_scene()
    collection = bpy.data.collections.new("pair")
    mesh = bpy.data.meshes.new("crate")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [], [(0, 2, 1), (0, 1, 3)])
    collection.objects.link(bpy.data.objects.new("crate", mesh))
    for number in range(3):
        empty = bpy.data.objects.new("pair", None)
        empty.instance_type, empty.instance_collection = "COLLECTION", collection
        empty.location.x = number
        bpy.context.collection.objects.link(empty)
    hidden = bpy.data.objects.new("hidden", mesh)
    hidden.hide_render = True
    bpy.context.collection.objects.link(hidden)
    bpy.context.view_layer.update()
    written = export_world(tmp_path / "crates.xml", diagnostics=Diagnostics())
    model = mujoco.MjModel.from_xml_path(str(written.path))
    assert [model.body(number).name for number in range(1, model.nbody)] == [
        "crate",
        "crate_2",
        "crate_3",
    ]
    assert model.body("crate_3").pos.tolist() == [2.0, 0.0, 0.0]
    assert model.nmesh == 1


def test_hostile_scenes_lose_an_object_and_say_so(tmp_path: Path) -> None:
    new_scene()
    mesh = bpy.data.meshes.new("m")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [], [(0, 2, 1), (0, 1, 3)])
    for name in ('quo"ted <&>', "none", "bare", "nan"):
        item = bpy.data.objects.new(name, mesh if name != "bare" else bpy.data.meshes.new("e"))
        bpy.context.collection.objects.link(item)
    bpy.data.objects["none"].scale = (0.0, 0.0, 0.0)
    bpy.data.objects["nan"].location.x = float("nan")
    bpy.context.scene.unit_settings.scale_length = 0.01
    bpy.context.view_layer.update()
    for suffix in ("wbt", "sdf", "xml"):
        diagnostics = Diagnostics()
        written = export_world(tmp_path / f"odd.{suffix}", diagnostics=diagnostics)
        assert list(written.facts["objects"]) == ['quo"ted <&>']
        codes = [each.code for each in diagnostics]
        assert codes.count("world-lost-object") == 3 and codes.count("world-units") == 1
        with pytest.raises(WriteError, match="strict"):
            export_world(tmp_path / f"strict.{suffix}", strict=True)
        assert not list(tmp_path.glob("strict*"))
    mujoco.MjModel.from_xml_path(str(tmp_path / "odd.xml"))
    assert check(tmp_path / "odd.wbt").problems == ()


def test_nothing_to_write_and_no_format_are_sentences(tmp_path: Path) -> None:
    new_scene()
    with pytest.raises(WriteError, match="neither robots nor objects"):
        export_world(tmp_path / "empty.sdf")
    with pytest.raises(WriteError, match=r"must end in \.wbt, \.sdf"):
        export_world(tmp_path / "empty.usd")
    assert not list(tmp_path.iterdir())


ARM = (
    '<link name="base"><inertial><mass>2</mass></inertial>{shape}</link><link name="arm">'
    "<pose>0 0 0.8 0 0 0</pose><inertial><mass>1</mass></inertial>{shape}</link>"
    '<joint name="j" type="revolute"><parent>base</parent><child>arm</child><axis><xyz>0 1 0</xyz>'
    "<limit><lower>-1</lower><upper>1</upper></limit></axis></joint>"
).format(
    shape='<collision name="c"><geometry><sphere><radius>0.2</radius></sphere></geometry>'
    '</collision><visual name="v"><geometry><sphere><radius>0.2</radius></sphere></geometry>'
    "</visual>"
)


def test_models_of_sdf_are_as_free_in_mujoco_as_in_gazebo(tmp_path: Path) -> None:
    """A model falls, unless it is static, by itself or by its include, or a joint holds it."""
    (tmp_path / "shop").mkdir()
    shop = f'<sdf version="1.9"><model name="shop">{ARM}</model></sdf>'
    (tmp_path / "shop" / "model.sdf").write_text(shop)
    config = '<model><sdf version="1.9">model.sdf</sdf></model>'
    (tmp_path / "shop" / "model.config").write_text(config)
    held = '<joint name="h" type="fixed"><parent>world</parent><child>base</child></joint>'
    path = tmp_path / "lab.world"
    path.write_text(
        '<sdf version="1.9"><world name="lab"><include><uri>model://sun</uri></include>'
        f'<model name="falls"><pose>0 0 5 0 0 0</pose>{ARM}</model>'
        f'<model name="static"><static>true</static><pose>2 0 5 0 0 0</pose>{ARM}</model>'
        f'<model name="held"><pose>4 0 5 0 0 0</pose>{ARM}{held}</model>'
        "<include><uri>model://shop</uri><name>shown</name><static>true</static>"
        "<pose>6 0 5 0 0 0</pose></include></world></sdf>"
    )
    new_scene()
    import_world(path, diagnostics=Diagnostics())
    written = export_world(tmp_path / "lab.xml", diagnostics=Diagnostics())
    model = mujoco.MjModel.from_xml_path(str(written.path))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    heights = []
    for _ in range(2):
        mujoco.mj_forward(model, data)
        heights.append(
            {name: data.body(f"{name}/base").xpos[2] for name in written.facts["robots"].values()}
        )
        mujoco.mj_step(model, data, 100)
    assert heights[0] == pytest.approx(dict.fromkeys(("falls", "static", "held", "shown"), 5.0))
    assert heights[1].pop("falls") < 4.9
    assert heights[1] == pytest.approx(dict.fromkeys(("static", "held", "shown"), 5.0))
