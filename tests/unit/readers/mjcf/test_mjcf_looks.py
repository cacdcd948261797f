# SPDX-License-Identifier: GPL-3.0-or-later
"""How models of MuJoCo look: what their materials say beyond a colour."""

from pathlib import Path

import numpy as np
import pytest

from support.mjcf_models import body, close, model
from support.mujoco_truth import Compiled
from urdf_importer import Diagnostics, read_robot
from urdf_importer.images.png import encode_png
from urdf_importer.model import Surface

GEOM = '<geom size="0.1"/>'
MAPS = ("rgb", "normal", "roughness", "metallic", "emissive")


def test_materials_reflect_and_glow(tmp_path: Path) -> None:
    """Numbers of materials as MuJoCo compiles them; -1 there is what nobody has said."""
    for role in MAPS:
        (tmp_path / f"{role}.png").write_bytes(encode_png(np.zeros((2, 2, 4), np.float32)))
    images = "".join(f'<texture name="{each}" type="2d" file="{each}.png"/>' for each in MAPS)
    layers = "".join(f'<layer role="{each}" texture="{each}"/>' for each in MAPS)
    text = (
        f'<asset>{images}<material name="metal" metallic="0.9" roughness="0.2"/>'
        '<material name="lamp" emission="0.5" rgba="1 0.5 0 1"/>'
        '<material name="screen" emission="1" texture="rgb"/>'
        '<material name="shiny" shininess="0.25"/><material name="mat" specular="0"/>'
        f'<material name="all">{layers}</material></asset>'
    )
    diagnostics = Diagnostics()
    path = model(text + body(GEOM), tmp_path)
    robot, compiled = read_robot(path, diagnostics), Compiled(path).model
    by_name = {each.name: each.surface for each in robot.materials}
    for index in range(compiled.nmat):
        surface = by_name[compiled.mat(index).name] or Surface()
        if compiled.mat_metallic[index] >= 0:
            close(surface.metalness, compiled.mat_metallic[index])
            close(surface.roughness, compiled.mat_roughness[index])
        glow = compiled.mat_emission[index] * compiled.mat_rgba[index][:3]
        close(surface.emission or (0, 0, 0), glow if surface.emission_map is None else (0, 0, 0))
    assert by_name["mat"] is None and not diagnostics
    shiny, screen, every = by_name["shiny"], by_name["screen"], by_name["all"]
    assert shiny is not None and shiny.roughness is not None and screen is not None
    # A lobe of cos^n falls to half of its height at the angle of the Beckmann lobe that is as wide.
    alpha, exponent = shiny.roughness**2, 0.25 * 128
    angle = np.arccos(0.5 ** (1 / exponent))
    assert np.exp(-((np.tan(angle) / alpha) ** 2)) == pytest.approx(0.5, abs=0.03)
    assert screen.emission_map == "rgb.png" and every is not None
    assert every.maps == {
        "normal_map": "normal.png",
        "roughness_map": "roughness.png",
        "metalness_map": "metallic.png",
        "emission_map": "emissive.png",
    }
    assert next(each for each in robot.materials if each.name == "all").texture == "rgb.png"


def test_layers_without_a_place_are_told(tmp_path: Path) -> None:
    layers = '<layer role="orm" texture="t"/><layer role="opacity" texture="t"/>'
    text = f'<asset><material name="m">{layers}</material></asset>' + body(GEOM)
    diagnostics = Diagnostics()
    read_robot(model(text, tmp_path), diagnostics)
    (told,) = diagnostics
    assert told.code == "mjcf-layer-lost" and told.line
    assert told.message == "material 'm': the layers 'orm', 'opacity' are left out"
