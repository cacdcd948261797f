# SPDX-License-Identifier: GPL-3.0-or-later
"""Text in panels is never wider than its panel, and never loses a letter."""

from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytestmark = pytest.mark.usefixtures("extension")

TEXTS = [
    "/home/someone/robots/a_very_long_folder_name/sample_urdfs/humanoid_arm.urdf",
    "mesh 'package://example-robot-data/robots/panda_description/meshes/visual/link0.dae': "
    "there is no package 'example-robot-data'",
    "x" * 200,
    "",
]


def context_of(width: int, scale: float) -> Any:
    preferences = SimpleNamespace(
        system=SimpleNamespace(ui_scale=scale), ui_styles=bpy.context.preferences.ui_styles
    )
    return SimpleNamespace(preferences=preferences, region=SimpleNamespace(width=width))


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("width", [150, 260, 420])
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_lines_fit_as_blender_draws_them(
    extension: ModuleType, text: str, width: int, scale: float
) -> None:
    import blf  # There only once bpy is.

    module = extension.operators.wrapped_text
    lines = module.wrap(context_of(int(width * scale), scale), text)
    for line in lines:
        assert blf.dimensions(0, line)[0] <= width * scale - 84 * scale
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


@given(st.text(), st.integers(1, 30))
def test_no_letter_is_lost(extension: ModuleType, text: str, width: int) -> None:
    lines = extension.operators.wrapped_text.wrap_to(text, width, len)
    assert all(len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_a_path_is_broken_at_its_slashes(extension: ModuleType) -> None:
    wrap_to = extension.operators.wrapped_text.wrap_to
    assert wrap_to("/robots/sample_urdfs/humanoid_arm.urdf", 22, len) == [
        "/robots/sample_urdfs/",
        "humanoid_arm.urdf",
    ]


def test_a_unit_stays_whole(extension: ModuleType) -> None:
    wrap_to = extension.operators.wrapped_text.wrap_to
    assert wrap_to("jaw: 2 of 1 m/s²", 14, len) == ["jaw: 2 of 1", "m/s²"]
