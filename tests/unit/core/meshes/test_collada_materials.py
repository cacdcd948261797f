# SPDX-License-Identifier: GPL-3.0-or-later
"""COLLADA: materials, textures and their coordinates."""

from pathlib import Path

import numpy as np
import pytest

from support.collada_text import Loads, document, faces_text, geometry, source
from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.geometry.mesh_data import MeshData, MeshMaterial

RED = "<diffuse><color>1 0 0 1</color></diffuse>"
SAMPLER = (
    "<newparam sid='surface'><surface type='2D'><init_from>i</init_from></surface></newparam>"
    "<newparam sid='sampler'><sampler2D><source>surface</source></sampler2D></newparam>"
)
TEXTURE = "<diffuse><texture texture='{}' texcoord='UV'/></diffuse>"
GREY = (0.8, 0.8, 0.8, 1.0)


@pytest.fixture
def load(tmp_path: Path) -> Loads:
    return Loads(tmp_path)


def libraries(
    shading: str, *, parameters: str = "", shader: str = "phong", path: str = "i.png"
) -> str:
    return (
        f"<library_images><image id='i'><init_from>{path}</init_from></image></library_images>"
        f"<library_effects><effect id='e'><profile_COMMON>{parameters}<technique sid='common'>"
        f"<{shader}>{shading}</{shader}></technique></profile_COMMON></effect></library_effects>"
        "<library_materials><material id='m' name='Paint'><instance_effect url='#e'/></material>"
        "<material id='n'><instance_effect url='#e'/></material></library_materials>"
    )


def instance(*pairs: tuple[str, str], uv: str = "") -> str:
    bound = "".join(
        f"<instance_material symbol='{symbol}' target='#{target}'>{uv}</instance_material>"
        for symbol, target in pairs
    )
    return (
        "<node><instance_geometry url='#g'><bind_material><technique_common>"
        f"{bound}</technique_common></bind_material></instance_geometry></node>"
    )


def load_with(load: Loads, shading: str, **words: str) -> MeshMaterial:
    shape = geometry(faces_text("triangles", "0 1 2", material="a"))
    mesh = load(document(instance(("a", "m")), [shape], libraries=libraries(shading, **words)))
    assert mesh.slots is None
    (material,) = mesh.materials
    return material


@pytest.mark.parametrize("shader", ["phong", "lambert", "blinn", "constant"])
def test_a_colour_as_written(load: Loads, shader: str) -> None:
    shading = "<diffuse><color sid='d'>0.25 0.5 2 0.3</color></diffuse>"
    material = load_with(load, shading, shader=shader)
    assert material == MeshMaterial(name="Paint", color=(0.25, 0.5, 1.0, 1.0))
    assert load.notes == []


@pytest.mark.parametrize(
    ("shading", "color"),
    [
        ("<emission><color>0 1 0 1</color></emission>", (0, 1, 0, 1)),
        (f"<emission><color>0 1 0 1</color></emission>{RED}", (1, 1, 0, 1)),
        (
            "<emission><color>0.125 0.125 0.125 1</color></emission>"
            "<diffuse><color>0.5 0.75 1 1</color></diffuse>",
            (0.625, 0.875, 1, 1),
        ),
        (
            "<emission><color>0 1 0 1</color></emission><diffuse><color>0 0 0 1</color></diffuse>",
            (0, 1, 0, 1),
        ),
        ("<diffuse><color>0 0 0 1</color></diffuse>", (0, 0, 0, 1)),
        ("<diffuse><color>1 x 0</color></diffuse>", GREY),
        ("<diffuse><color>nan 0 0 1</color></diffuse>", GREY),
        ("<diffuse><color>1</color></diffuse>", GREY),
        ("<diffuse/>", GREY),
        ("", GREY),
        ("<diffuse><param ref='c'/></diffuse>", (0, 0, 1, 1)),
    ],
)
def test_which_colour_counts(load: Loads, shading: str, color: tuple[float, ...]) -> None:
    parameters = "<newparam sid='c'><float3>0 0 1</float3></newparam>"
    assert load_with(load, shading, parameters=parameters).color == color


@pytest.mark.parametrize(
    ("transparent", "transparency", "alpha"),
    [
        ("", "0", 1.0),
        ("", "1", 1.0),
        ("", "0.25", 0.25),
        ("<transparent><color>0 0 0 0.5</color></transparent>", "0.5", 0.25),
        ("<transparent opaque='A_ONE'><color>1 1 1 1</color></transparent>", "0", 1.0),
        ("<transparent opaque='A_ZERO'><color>1 1 1 0.25</color></transparent>", "1", 0.75),
        ("<transparent opaque='RGB_ZERO'><color>0 0 0 1</color></transparent>", "1", 1.0),
        ("<transparent opaque='RGB_ZERO'><color>1 1 1 1</color></transparent>", "0.25", 0.75),
        ("<transparent opaque='RGB_ZERO'><color>1 1 1 1</color></transparent>", "0", 1.0),
        ("<transparent opaque='RGB_ONE'><color>0.5 0.5 0.5 0</color></transparent>", "1", 0.5),
        ("<transparent><texture texture='sampler'/></transparent>", "0.5", 1.0),
        ("<transparent><color>1 1 1 1</color></transparent>", "7", 1.0),
        ("<transparent><color>1 1 1 1</color></transparent>", "nan", 1.0),
    ],
)
def test_opacity(load: Loads, transparent: str, transparency: str, alpha: float) -> None:
    shading = f"{RED}{transparent}<transparency><float>{transparency}</float></transparency>"
    red, green, blue, found = load_with(load, shading, parameters=SAMPLER).color
    assert (red, green, blue) == (1, 0, 0)
    assert found == pytest.approx(alpha, abs=1e-6)


@pytest.mark.parametrize("name", ["sampler", "surface", "i"])
def test_a_texture_and_its_ways(load: Loads, name: str) -> None:
    """Exporters name the sampler, as they should, or the surface or the image itself."""
    material = load_with(load, TEXTURE.format(name), parameters=SAMPLER, path=" a/b c.png ")
    assert material.texture == load.path.parent / "a/b c.png"
    assert not material.image_alpha


def test_a_texture_beside_a_broken_sampler(load: Loads) -> None:
    broken = SAMPLER.replace("<source>surface", "<source>surface_001")
    assert load_with(load, TEXTURE.format("i"), parameters=broken).texture is not None


def test_alpha_from_the_texture(load: Loads) -> None:
    transparent = "<transparent opaque='A_ONE'><texture texture='sampler'/></transparent>"
    shading = TEXTURE.format("sampler") + transparent
    assert load_with(load, shading, parameters=SAMPLER).image_alpha


def test_a_path_of_collada_1_5(load: Loads) -> None:
    path = "<ref>deep.png</ref>"
    material = load_with(load, TEXTURE.format("sampler"), parameters=SAMPLER, path=path)
    assert material.texture == load.path.parent / "deep.png"


@pytest.mark.parametrize("code", ["missing-texture", "outside-folder"])
def test_a_texture_that_is_missing_leaves_grey(
    load: Loads, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    def refuse(uri: str, kind: str) -> Path:
        raise MeshError("there is none", code=code)

    monkeypatch.setattr(load, "resolve", refuse)
    material = load_with(load, TEXTURE.format("sampler"), parameters=SAMPLER)
    assert (material.color, material.texture, load.notes) == (GREY, None, [code])


def load_two(load: Loads, bound: str, *, library: str | None = None) -> MeshData:
    primitives = faces_text("triangles", "0 1 2 0 2 3", material="a") + faces_text(
        "polylist", "0 1 2 3", vcount="4", material="b"
    )
    library = libraries(RED) if library is None else library
    return load(document(bound, [geometry(primitives)], libraries=library))


def test_two_materials(load: Loads) -> None:
    mesh = load_two(load, instance(("a", "m"), ("b", "n")))
    assert [each.name for each in mesh.materials] == ["Paint", "n"]
    assert mesh.slots is not None
    assert mesh.slots.dtype == np.int32
    assert mesh.slots.tolist() == [0, 0, 1]


def test_two_instances_with_materials_of_their_own(load: Loads) -> None:
    bound = instance(("a", "m"), ("b", "m")) + instance(("a", "n"), ("b", "m"))
    mesh = load_two(load, bound)
    assert mesh.slots is not None
    assert mesh.slots.tolist() == [0, 0, 0, 1, 1, 0]


def test_faces_without_a_material_are_grey_beside_others(load: Loads) -> None:
    mesh = load_two(load, instance(("a", "m")))
    assert [each.color for each in mesh.materials] == [(1, 0, 0, 1), GREY]
    assert load.notes == []


def test_no_materials_at_all(load: Loads) -> None:
    mesh = load_two(load, "<node><instance_geometry url='#g'/></node>")
    assert (mesh.materials, mesh.slots, load.notes) == ((), None, [])


def test_a_symbol_that_is_the_material_itself(load: Loads) -> None:
    shape = geometry(faces_text("triangles", "0 1 2", material="m"))
    bound = "<node><instance_geometry url='#g'/></node>"
    assert load(document(bound, [shape], libraries=libraries(RED))).materials[0].name == "Paint"


def test_materials_that_lead_nowhere(load: Loads) -> None:
    mesh = load_two(load, instance(("a", "x"), ("b", "x")))
    assert (mesh.materials, load.notes) == ((), ["broken-reference"])
    effects = libraries(RED).replace("url='#e'", "url='#f'")
    mesh = load_two(load, instance(("a", "m"), ("b", "m")), library=effects)
    assert [each.color for each in mesh.materials] == [GREY]
    assert load.notes == ["invalid-material"]


def test_the_coordinates_that_the_material_wants(load: Loads) -> None:
    inputs = (
        "<input semantic='TEXCOORD' source='#t' offset='1' set='1'/>"
        "<input semantic='TEXCOORD' source='#u' offset='1' set='2'/>"
    )
    sources = source("t", "0 0 1 0 1 1", 2) + source("u", "0 0 0.5 0 inf 0.5", 2)
    shape = geometry(
        faces_text("triangles", "0 0 1 1 2 2", inputs=inputs, material="a"), sources=sources
    )
    uv = "<bind_vertex_input semantic='UV' input_semantic='TEXCOORD' input_set='2'/>"
    library = libraries(TEXTURE.format("sampler"), parameters=SAMPLER)
    for bound, expected in (
        (instance(("a", "m"), uv=uv), [[0, 0], [0.5, 0], [0, 0.5]]),
        (instance(("a", "m")), [[0, 0], [1, 0], [1, 1]]),
    ):
        mesh = load(document(bound, [shape], libraries=library))
        assert mesh.uvs is not None
        assert mesh.uvs.dtype == np.float32
        assert mesh.uvs.tolist() == expected


def test_coordinates_turn_with_mirrored_faces(load: Loads) -> None:
    inputs = "<input semantic='TEXCOORD' source='#t' offset='1'/>"
    shape = geometry(
        faces_text("triangles", "0 0 1 1 2 2", inputs=inputs),
        sources=source("t", "0 0 0 1 0 0 1 1 0", 3).replace("XYZ", "STP"),
    )
    node = "<node><scale>1 -1 1</scale><instance_geometry url='#g'/></node>"
    mesh = load(document(node, [shape]))
    assert mesh.uvs is not None
    assert mesh.uvs.tolist() == [[1, 1], [1, 0], [0, 0]]
