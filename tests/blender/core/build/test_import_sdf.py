# SPDX-License-Identifier: GPL-3.0-or-later
"""Models of SDF as rigs: their shapes, as Blender shows them and as they come back."""

from pathlib import Path

import bpy
import numpy as np
import pytest

from support.mesh_files import png
from urdf_importer import (
    export_robot,
    extract_robot,
    get_joint_positions,
    import_robot,
    link_pose,
    read_robot,
    set_joint_positions,
    update_robot,
    write_urdf,
)
from urdf_importer.core.model import Cone, Ellipsoid, Extrusion, Mesh

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


def test_heightmaps_are_meshes_as_high_as_their_images_are_bright(tmp_path: Path) -> None:
    """An orange image of 3 x 2 pixels is level, and as high as can be."""
    (tmp_path / "hills.png").write_bytes(png(3, 2))
    shape = """<heightmap><uri>hills.png</uri><size>4 2 3</size><pos>0 0 1</pos></heightmap>"""
    visual = f'<visual name="hills"><geometry>{shape}</geometry></visual>'
    result = import_robot(write(tmp_path, f'<link name="a">{visual}</link>'))
    assert not result.diagnostics
    hills = bpy.data.objects["hills"]
    bpy.context.view_layer.update()
    assert tuple(hills.dimensions) == pytest.approx((4.0, 2.0, 0.0)) and len(hills.data.loops) == 12
    assert (hills.matrix_world @ hills.data.vertices[0].co)[:] == pytest.approx((-2.0, 1.0, 4.0))
    assert extract_robot(result.armature) == result.robot
    written = write_urdf(result.armature, tmp_path / "out" / "m.urdf")
    (mesh,) = (each.geometry for each in read_robot(written.path).links[0].visuals)
    assert Path(mesh.filename).suffix == ".stl"


URDF = """<robot name="hand"><link name="palm"><visual><geometry><box size="0.2 0.4 0.6"/>
    </geometry>
    </visual></link><link name="tip"/><link name="thumb"/>
    <joint name="bend" type="revolute"><parent link="palm"/><child link="tip"/>
    <origin xyz="0 0 0.5"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
    </joint><joint name="grip" type="revolute"><parent link="palm"/><child link="thumb"/>
    <origin xyz="0.1 0 0"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
    <mimic joint="bend" multiplier="0.5"/></joint></robot>"""


def test_an_included_urdf_is_a_part_of_the_rig(tmp_path: Path) -> None:
    """It is posed, follows itself and is updated where its own file changes."""
    (tmp_path / "hand.urdf").write_text(URDF)
    include = """<include><uri>hand.urdf</uri><name>left</name><pose>0 0 1 0 0 0</pose></include>"""
    turn = """<joint name="turn" type="revolute"><parent>base</parent><child>left::palm</child>
        <axis><xyz>0 0 1</xyz></axis></joint>"""
    path = write(tmp_path, f'<link name="base"/>{include}{turn}')
    result = import_robot(path)
    armature = result.armature
    assert [each.code for each in result.diagnostics] == ["mimic-limits"]
    assert link_pose(armature, "left::tip")[:3, 3] == pytest.approx((0.0, 0.0, 1.5), abs=1e-6)
    set_joint_positions(armature, {"turn": np.pi / 2, "left::bend": 0.8})
    assert get_joint_positions(armature)["left::grip"] == pytest.approx(0.4, abs=1e-6)
    wanted = (0.0, 0.1, 1.0)
    assert link_pose(armature, "left::thumb")[:3, 3] == pytest.approx(wanted, abs=1e-6)
    assert models_of(armature) == {"/left": ["left::bend", "left::grip", "turn"]}
    (tmp_path / "hand.urdf").write_text(URDF.replace("0.1 0 0", "0.3 0 0"))
    assert update_robot(armature).changes
    wanted = (0.0, 0.3, 1.0)
    assert link_pose(armature, "left::thumb")[:3, 3] == pytest.approx(wanted, abs=1e-6)


def test_the_shapes_keep_their_kinds(tmp_path: Path) -> None:
    visual = '<visual name="v{0}"><geometry>{1}</geometry></visual>'
    inside = "".join(visual.format(*pair) for pair in enumerate(list(SHAPES.values())[:3]))
    robot = import_robot(write(tmp_path, f'<link name="a">{inside}</link>')).robot
    kinds = [type(each.geometry) for each in robot.links[0].visuals]
    assert kinds == [Ellipsoid, Cone, Extrusion]


PBR = """<material><diffuse>1 0.5 0.25 1</diffuse><emissive>0 0 1 1</emissive><pbr><metal>
    <metalness>0.75</metalness><roughness>0.25</roughness><albedo_map>a.png</albedo_map>
    <normal_map>n.png</normal_map><roughness_map>r.png</roughness_map></metal></pbr></material>"""


def shader_of(name: str) -> bpy.types.Node:
    material = bpy.data.objects[name].material_slots[0].material
    return next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")


def image_of(socket: bpy.types.NodeSocket) -> bpy.types.Image:
    node = socket.links[0].from_node
    return (node.inputs["Color"].links[0].from_node if node.type == "NORMAL_MAP" else node).image


def test_maps_and_numbers_reach_the_shader_and_come_back(tmp_path: Path) -> None:
    for name in "anr":
        (tmp_path / f"{name}.png").write_bytes(png())
    (tmp_path / "uv.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n"
    )
    mesh = "<mesh><uri>uv.obj</uri></mesh>"
    plain = PBR.replace("_map>", "_mop>")
    visual = '<visual name="{0}"><geometry>{1}</geometry>{2}</visual>'
    inside = visual.format("mapped", mesh, PBR) + visual.format("plain", "<box/>", plain)
    inside += visual.format("box", "<box/>", PBR)
    path = write(tmp_path, f'<link name="a">{inside}</link>')
    result = import_robot(path)
    assert not result.diagnostics
    shader = shader_of("plain")
    assert shader.inputs["Metallic"].default_value == pytest.approx(0.75)
    assert shader.inputs["Roughness"].default_value == pytest.approx(0.25)
    assert tuple(shader.inputs["Emission Color"].default_value) == (0.0, 0.0, 1.0, 1.0)
    assert shader.inputs["Emission Strength"].default_value == 1.0
    mapped = shader_of("mapped")
    images = {name: image_of(mapped.inputs[name]) for name in ("Base Color", "Normal", "Roughness")}
    assert [Path(each.filepath).name for each in images.values()] == ["a.png", "n.png", "r.png"]
    spaces = [each.colorspace_settings.name for each in images.values()]
    assert spaces == ["sRGB", "Non-Color", "Non-Color"]
    assert not shader_of("box").inputs["Normal"].links  # which only texture coordinates say
    assert extract_robot(result.armature) == result.robot

    text = Path(export_robot(result.armature, tmp_path / "out" / "M.proto").path).read_text()
    for wanted in ("metalness 0.75", "roughness 0.25", "emissiveColor 0 0 1", "normalMap"):
        assert wanted in text
    before = len(bpy.data.materials)
    import_robot(path)
    assert len(bpy.data.materials) == before  # equal ones are shared


def test_an_update_changes_what_is_as_it_was_made(tmp_path: Path) -> None:
    visual = '<visual name="v"><geometry><box/></geometry>{0}</visual>'
    plain = PBR.replace("_map>", "_mop>")
    path = write(tmp_path, f'<link name="a">{visual.format(plain)}</link>')
    armature = import_robot(path).armature
    assert not update_robot(armature).changes
    rougher = plain.replace("0.25</rough", "0.5</rough")
    write(tmp_path, f'<link name="a">{visual.format(rougher)}</link>')
    update_robot(armature)
    assert shader_of("v").inputs["Roughness"].default_value == pytest.approx(0.5)
    shader_of("v").inputs["Roughness"].default_value = 0.125
    write(tmp_path, f'<link name="a">{visual.format(plain)}</link>')
    update_robot(armature)
    assert shader_of("v").inputs["Roughness"].default_value == pytest.approx(0.125)


def nested(hand: str) -> str:
    joint = """<joint name="{0}" type="revolute"><parent>{1}</parent><child>{2}</child>
        <axis><xyz>0 0 1</xyz></axis></joint>"""
    return f"""<link name="base"/><model name="arm"><link name="a"/>
        <link name="b"><pose>0 0 1 0 0 0</pose></link>
        {joint.format("ab", "a", "b")}<model name="hand"><pose>0 0 2 0 0 0</pose>{hand}</model>
        {joint.format("bh", "b", "hand::palm")}</model>{joint.format("up", "base", "arm::a")}
        {joint.format("side", "base", "stick")}<link name="stick"><pose>1 0 0 0 0 0</pose></link>"""


def models_of(armature: bpy.types.Object) -> dict[str, list[str]]:
    """Model -> its bones, by the paths of the collections."""
    found: dict[str, list[str]] = {}
    for above in armature.data.collections:
        waiting = [("", above)] if above.name == "Models" else []
        while waiting:
            path, each = waiting.pop()
            if path:
                found[path] = sorted(bone.name for bone in each.bones)
            waiting += [(f"{path}/{child.name}", child) for child in each.children]
    return found


FINGER = """<link name="palm"/><link name="tip"><pose>0 0 0.5 0 0 0</pose></link>
    <joint name="bend" type="revolute"><parent>palm</parent><child>tip</child>
    <axis><xyz>1 0 0</xyz></axis></joint>"""


def test_nested_models_are_bone_collections_also_after_updates(tmp_path: Path) -> None:
    path = write(tmp_path, nested(FINGER))
    armature = import_robot(path).armature
    hand = ["arm::bh", "arm::hand::bend"]
    assert models_of(armature) == {"/arm": ["arm::ab", "up"], "/arm/hand": hand}
    (above,) = (each for each in armature.data.collections if each.name == "Models")
    above.children[0].is_visible = False
    own = armature.data.collections.new("mine", parent=above)
    own.assign(armature.data.bones["side"])
    write(tmp_path, nested('<link name="palm"/>'))
    assert update_robot(armature).changes
    after = {"/arm": ["arm::ab", "up"], "/arm/hand": ["arm::bh"], "/mine": ["side"]}
    assert models_of(armature) == after and not above.children[0].is_visible
    write(tmp_path, '<link name="base"/>')
    update_robot(armature)
    assert set(models_of(armature)) <= {"/mine"}
    plain = import_robot(write(tmp_path, '<link name="base"/>')).armature
    assert not models_of(plain)
