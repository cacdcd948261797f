# SPDX-License-Identifier: GPL-3.0-or-later
"""The environments that MORSE brings along, one after the other in one session of Blender."""

from pathlib import Path
from typing import Any

import pytest

from morse_support.builder_runs import run_script
from urdf_importer_morse.blend_file.read import read_legacy_game

SCRIPT = """
import time
from urdf_importer_morse import compat
compat.install()
from morse.builder import *
from morse.builder.data import MORSE_COMPONENTS
from urdf_importer_morse.game_engine.storage import read_game
import bpy

report = {}
for name in NAMES:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(f"{MORSE_COMPONENTS}/environments/{name}.blend") as (file, _):
        listed = [each for each in file.objects if not each.startswith("_")]
    began = time.perf_counter()
    robot = ATRV()
    camera = VideoCamera()
    robot.append(camera)
    env = Environment(name)
    env.create()
    report[name] = {
        "seconds": time.perf_counter() - began,
        "games": {item.name: read_game(item) for item in bpy.data.objects},
        "missing": [each for each in listed if each not in bpy.data.objects],
        "robot": robot.name,
        "texts": sorted(bpy.data.texts.keys()),
    }
"""

NAMES = (
    *("empty", "apartment", "sandbox", "outdoors"),
    *(
        "indoors-1/boxes",
        "indoors-1/indoor-1",
        "human_tut/tutorial_scene",
        "tum_kitchen/tum_kitchen",
    ),
    *("land-1/buildings_1", "land-1/buildings_2", "land-1/rosace_1", "land-1/trees"),
    *("laas/grande_salle", "water-1/deep_water", "water-1/water_scene"),
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, morse_root: Path) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("environments")
    text = SCRIPT.replace("NAMES", repr(NAMES))
    return run_script(folder, text, morse_root=morse_root).report


def test_all_environments_are_tried(morse_root: Path) -> None:
    folder = morse_root / "share/morse/data/environments"
    found = {str(path.relative_to(folder).with_suffix("")) for path in folder.rglob("*.blend")}
    assert found == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_environment(built: dict[str, Any], morse_root: Path, name: str) -> None:
    """All objects come in but those that begin with "_", each with what the engine knew of it."""
    path = morse_root / f"share/morse/data/environments/{name}.blend"
    assert built[name]["missing"] == []
    expected = {
        each: record for each, record in read_legacy_game(path).items() if not each.startswith("_")
    }
    games = built[name]["games"]
    assert expected.keys() <= games.keys()
    for each, record in expected.items():
        found = {key: value for key, value in games[each].items() if value}
        assert found.keys() == record.keys(), each
        assert found.get("settings") == record.get("settings"), each
        assert found.get("properties") == record.get("properties"), each
        for kind in ("sensors", "controllers", "actuators"):
            named = [(brick["name"], brick["type"]) for brick in record.get(kind, ())]
            assert [(brick["name"], brick["type"]) for brick in found.get(kind, ())] == named
    assert built[name]["robot"] == "robot"
    assert "component_config.py" in built[name]["texts"]
