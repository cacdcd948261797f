# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials of SDF: colours, maps, scripts of OGRE, and what the exporters make of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.mesh_files import png
from urdf_importer import Diagnostics, EngineOptions, WebotsOptions, export_robot, read_robot
from urdf_importer.core.model import Surface
from urdf_importer.formats.sdf.read.materials import _parse

SCRIPT = """// what Gazebo classic reads
material Shop/Oak
{
  technique
  {
    pass
    {
      ambient 0.1 0.1 0.1 1
      diffuse 0.5 0.25 0.125 0.5
      texture_unit { texture oak.png }
    }
    pass { diffuse 1 1 1 1 }
  }
}
material "Shop/Dark Oak" : Shop/Oak { technique { pass { diffuse 0.2 0.1 0 } } }
material Shop/Lamp { technique { pass { ambient 0 1 0 /* bright */
    emissive 1 0.5 0 } } }
"""


def read(folder, material, codes=(), extra=""):
    text = f"""<sdf version="1.9"><model name="m"><link name="a"><visual name="v">
        <geometry><box/></geometry>{material}{extra}</visual></link></model></sdf>"""
    (folder / "m.sdf").write_text(text)
    diagnostics = Diagnostics()
    robot = read_robot(folder / "m.sdf", diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == list(codes)
    return robot, robot.links[0].visuals[0].material


@pytest.fixture
def shop(tmp_path):
    scripts = tmp_path / "materials" / "scripts"
    textures = tmp_path / "materials" / "textures"
    scripts.mkdir(parents=True)
    textures.mkdir()
    (scripts / "other.material").write_text("material Shop/Ash { }")
    (scripts / "shop.material").write_text(SCRIPT)
    (textures / "oak.png").write_bytes(png())
    return tmp_path


FOLDERS = "<uri>materials/scripts</uri><uri>materials/textures</uri>"


@pytest.mark.parametrize("uris", [FOLDERS, "<uri>materials/scripts/shop.material</uri>",
                                  "<uri>file://materials/scripts/</uri>"])  # fmt: skip
def test_a_script_gives_its_colour_and_its_texture(shop, uris):
    material = f"<material><script>{uris}<name>Shop/Oak</name></script></material>"
    _, found = read(shop, material, extra="<transparency>0.5</transparency>")
    assert found.color == (0.5, 0.25, 0.125, 0.25)
    assert found.texture.endswith("oak.png")
    diagnostics = Diagnostics()
    robot = read_robot(shop / "m.sdf", diagnostics=diagnostics)
    result = export_robot(robot, shop / "M.proto", options=WebotsOptions(), diagnostics=diagnostics)
    assert any(path.suffix == ".png" for path in result.files) and not list(diagnostics)


def test_materials_that_begin_as_others(shop):
    script = f"<material><script>{FOLDERS}<name>Shop/Dark Oak</name></script></material>"
    _, dark = read(shop, script)
    assert dark.color == (0.2, 0.1, 0.0, 1.0) and dark.texture.endswith("oak.png")
    _, lamp = read(shop, script.replace("Dark Oak", "Lamp"))
    assert lamp.color == (0.0, 1.0, 0.0, 1.0)
    assert lamp.surface == Surface(emission=(1.0, 0.5, 0.0))


def test_scripts_that_are_not_there(shop):
    script = f"<material><script>{FOLDERS}<name>Shop/Elm</name></script></material>"
    _, elm = read(shop, script, ["sdf-script"])
    assert elm.color[:3] == (0.7, 0.7, 0.7)
    outside = script.replace("materials/scripts", "../../../../etc")
    read(shop, outside, ["sdf-script"])
    _, grey = read(shop, script.replace("Shop/Elm", "Gazebo/Red"))
    assert grey.color == (1.0, 0.0, 0.0, 1.0)


PBR = """<material><diffuse>0.8 0.8 0.8 1</diffuse><emissive>0 0 1 1</emissive><pbr><metal>
    <metalness>0.75</metalness><albedo_map>a.png</albedo_map><normal_map>n.png</normal_map>
    <roughness_map>r.png</roughness_map><metalness_map>m.png</metalness_map></metal></pbr>
    </material>"""


def test_maps_and_numbers_reach_webots_and_usd(tmp_path):
    for name in "anrm":
        (tmp_path / f"{name}.png").write_bytes(png())
    robot, found = read(tmp_path, PBR)
    assert found.texture == "a.png"
    assert found.surface == Surface(
        metalness=0.75, roughness=0.5, emission=(0.0, 0.0, 1.0), normal_map="n.png",
        roughness_map="r.png", metalness_map="m.png",
    )  # fmt: skip
    diagnostics = Diagnostics()
    text = export_robot(
        robot, tmp_path / "M.proto", options=WebotsOptions(), diagnostics=diagnostics
    ).path.read_text()
    for field in ("baseColorMap", "normalMap", "roughnessMap", "metalnessMap"):
        assert field in text
    assert "emissiveColor 0 0 1" in text and not list(diagnostics)
    plain, _ = read(tmp_path, PBR.replace("_map>", "_mop>"))
    text = export_robot(
        plain, tmp_path / "P.proto", options=WebotsOptions(), diagnostics=Diagnostics()
    )
    assert "metalness 0.75" in text.path.read_text()
    usd = export_robot(
        plain, tmp_path / "p.usda", options=EngineOptions(usd="physics"), diagnostics=Diagnostics()
    )
    text = usd.path.read_text()
    assert "inputs:metallic = 0.75" in text and "inputs:roughness = 0.5" in text


def test_a_lost_map_is_said_once(tmp_path):
    (tmp_path / "a.png").write_bytes(png())
    robot, _ = read(tmp_path, PBR.replace("<metalness_map>m.png</metalness_map>", ""))
    diagnostics = Diagnostics()
    export_robot(robot, tmp_path / "M.proto", options=WebotsOptions(), diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["missing-texture"] * 2


def test_shininess_is_roughness_the_other_way_round(tmp_path):
    look = "<material><pbr><specular><glossiness>0.2</glossiness></specular></pbr></material>"
    assert read(tmp_path, look)[1].surface == Surface(roughness=0.8)


@given(st.text('material{}: \n"/*ambient1 .textureab', max_size=200))
def test_any_text_is_read_or_not(text):
    _parse(text, "a")
    _parse(text, "")
