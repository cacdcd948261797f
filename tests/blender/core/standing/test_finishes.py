# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of materials: what they set, and what they leave."""

from typing import Any

import bpy
import pytest

from support.blender.sidebars import activate, load
from urdf_importer import compare_with_description, set_material_preset
from urdf_importer.core.blender.standing.finishes import FINISHES, guess_finish

pytestmark = pytest.mark.usefixtures("extension", "scene")


def materials_of(robot: Any) -> dict[str, Any]:
    return {
        slot.material.name: slot.material
        for item in robot.children_recursive
        for slot in item.material_slots
        if item.get("urdf_part") == "Visuals"
    }


def felt(material: Any) -> tuple[float, float]:
    (shader,) = (node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    return shader.inputs["Metallic"].default_value, shader.inputs["Roughness"].default_value


@pytest.mark.parametrize("preset", FINISHES)
def test_a_preset_is_for_all_materials_and_no_edit_of_the_robot(preset: Any) -> None:
    robot = load("quadruped_leg")
    made = materials_of(robot)
    assert set_material_preset(robot, preset=preset) == len(made) > 1
    wanted = FINISHES[preset]
    for material in made.values():
        assert felt(material) == pytest.approx((wanted.metallic, wanted.roughness))
    assert not compare_with_description(robot)


@pytest.mark.parametrize(
    ("name", "color", "finish"),
    [
        ("Rubber", (0.9, 0.9, 0.9), "rubber"),
        ("wheel_tire", (0.5, 0.1, 0.1), "rubber"),
        ("brushed steel", (0.9, 0.9, 0.9), "aluminium"),
        ("value", (0.9, 0.9, 0.9), "plastic"),
        ("material_0", (0.01, 0.01, 0.01), "rubber"),
        ("material_0", (0.4, 0.4, 0.42), "aluminium"),
        ("material_0", (0.9, 0.9, 0.9), "plastic"),
        ("material_0", (0.8, 0.2, 0.0), "plastic"),
        ("", (0.0, 0.0, 0.0), "rubber"),
    ],
)
def test_names_count_before_colours(name: str, color: Any, finish: str) -> None:
    assert guess_finish(name, color) == finish


def test_another_robot_that_shares_the_materials_stays_as_it_is() -> None:
    first, second = load("quadruped_leg"), load("quadruped_leg")
    before = {name: felt(each) for name, each in materials_of(first).items()}
    assert set(before) == set(materials_of(second)), "they are shared"
    set_material_preset(second, preset="aluminium")
    assert {name: felt(each) for name, each in materials_of(first).items()} == before
    assert all(felt(each)[0] == 1.0 for each in materials_of(second).values())
    assert not compare_with_description(first) and not compare_with_description(second)


def test_the_operator_sets_those_of_selected_bodies_alone() -> None:
    robot = load("quadruped_leg")
    activate(robot)
    bodies = [item for item in robot.children_recursive if item.get("urdf_part") == "Visuals"]
    for item in bpy.context.selected_objects:
        item.select_set(False)
    bodies[0].select_set(True)
    assert bpy.ops.urdf.material_preset(preset="rubber", selected=True) == {"FINISHED"}
    chosen = {slot.material for slot in bodies[0].material_slots}
    others = {slot.material for body in bodies[1:] for slot in body.material_slots} - chosen
    assert all(felt(each)[1] > 0.8 for each in chosen)
    assert others and all(felt(each)[1] == 0.5 for each in others)
