# SPDX-License-Identifier: GPL-3.0-or-later
"""The .blend files that come with MORSE, made with Blender 2.60 to 2.74: against what Blender reads
of them today, against their bytes, and against what MORSE's own runtime asks of them."""

import ast
import gzip
import json
import math
import random
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from urdf_importer.core.diagnostics import ReadError
from urdf_importer_morse.blend_file.read import read_contents, read_legacy_game

Game = dict[str, dict[str, Any]]
LINKS = {"sensors": "controllers", "controllers": "actuators", "actuators": ""}
TYPES: dict[str, type] = {
    "BOOL": bool,
    "INT": int,
    "FLOAT": float,
    "STRING": str,
    "TIMER": float,
}
# One packed, one of 4-byte pointers, one of 8; the others take minutes when damaged.
VARIED = ("robots/morsy.blend", "actuators/gripper.blend", "props/basics.blend")


@pytest.fixture(scope="session")
def data(morse_root: Path) -> Path:
    return morse_root / "share/morse/data"


@pytest.fixture(scope="session")
def games(data: Path) -> dict[str, Game]:
    paths = sorted(data.rglob("*.blend"))
    return {path.relative_to(data).as_posix(): read_legacy_game(path) for path in paths}


def bricks_of(record: dict[str, Any], family: str) -> dict[str, dict[str, Any]]:
    return {brick["name"]: brick for brick in record.get(family, ())}


def test_every_file_reads(games: dict[str, Game]) -> None:
    """To plain data, in which every link leads somewhere."""
    assert len(games) == 50
    for name, game in games.items():
        assert json.loads(json.dumps(game)) == game
        for place, record in game.items():
            assert place and set(record) <= {"properties", "settings", *LINKS}, name
            assert all(record.values()), name
            for item in record.get("properties", ()):
                assert type(item["value"]) is TYPES[item["type"]], name
            for family, others in LINKS.items():
                bricks = record.get(family, [])
                assert len(bricks_of(record, family)) == len(bricks), name
                check_links(game, record, bricks, others)


def check_links(
    game: Game, record: dict[str, Any], bricks: list[dict[str, Any]], others: str
) -> None:
    for brick in bricks:
        assert brick["name"] and brick["type"]
        assert set(brick) - {"elsewhere"} == {"name", "type", "settings"} | ({others} - {""})
        for linked in brick.get(others, ()):
            assert linked in bricks_of(record, others)
        for linked in brick.get("elsewhere", ()):
            assert linked["name"] in bricks_of(game[linked["object"]], others)


def test_settings_say_more_than_zero(games: dict[str, Game]) -> None:
    """Numbers of physics in all files lie where Blender's own interface lets them."""
    records = [record for game in games.values() for record in game.values()]
    settings = [record["settings"] for record in records if "settings" in record]
    assert {item.get("physics_type", "STATIC") for item in settings} == {
        "STATIC",
        "NO_COLLISION",
        "DYNAMIC",
        "RIGID_BODY",
    }
    for item in settings:
        assert 0.01 <= item.get("mass", 1.0) <= 10000.0
        assert 0.0099 <= item.get("radius", 1.0) < 100.0
        for name in ("damping", "rotation_damping", "form_factor", "collision_margin"):
            assert 0.0 <= item.get(name, 0.0) <= 1.0


@pytest.mark.parametrize(
    "name", [*VARIED, pytest.param("", marks=pytest.mark.slow, id="every file")]
)
def test_blender_finds_the_same_objects(data: Path, name: str) -> None:
    """Their names, and in each what a wrong offset or a wrong address would change: its place, its
    parent and its mesh."""
    import bpy

    for path in [data / name] if name else sorted(data.rglob("*.blend")):
        contents = read_contents(path)
        assert contents is not None
        stored = {item.name: item.view for item in contents.objects}
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        with bpy.data.libraries.load(str(path), link=True) as (source, target):
            assert sorted(source.objects) == sorted(stored)
            target.objects = list(source.objects)
        for item in target.objects:
            view = stored[item.name]
            assert view.read_numbers("loc") == list(item.location)
            for member, block in (("parent", item.parent), ("data", item.data)):
                found = contents.names.get(view.read_pointer(member))
                assert found == (block and block.name), (path, item.name)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


@pytest.mark.parametrize("name", [*VARIED, "environments/human_tut/tutorial_scene.blend"])
def test_records_are_kept_as_they_are(games: dict[str, Game], name: str) -> None:
    """In the custom property that holds them in Blender, lists and numbers and all."""
    import bpy

    from urdf_importer_morse.game_engine.storage import read_game, write_game

    for record in games[name].values():
        item = bpy.data.objects.new("Kept", None)
        write_game(item, record)
        assert without_empty(read_game(item)) == without_empty(record)
        bpy.data.objects.remove(item)


def without_empty(record: dict[str, Any]) -> dict[str, Any]:
    """Without empty lists, which custom properties cannot hold."""
    return {
        key: [{name: value for name, value in item.items() if value != []} for item in found]
        if isinstance(found, list)
        else found
        for key, found in record.items()
        if found
    }


def test_the_gripper(games: dict[str, Game], data: Path) -> None:
    """What MORSE's gripper asks for by name, and the radar's numbers where they lie in the file."""
    record = games["actuators/gripper.blend"]["Gripper"]
    radar = bricks_of(record, "sensors")["Radar"]
    (controller,) = record["controllers"]
    assert radar["type"] == "RADAR" and radar["controllers"] == [controller["name"]]
    assert controller["settings"]["module"] == "calling.actuator_action"
    assert controller["actuators"] == ["Close_anim", "Open_anim"]
    animations = [item["settings"] for item in record["actuators"]]
    assert [(item["frame_start"], item["frame_end"]) for item in animations] == [(1, 21), (21, 1)]
    raw = (data / "actuators/gripper.blend").read_bytes()
    place = raw.index(b"Graspable".ljust(64, b"\0")) + 64
    angle, distance, flags, axis = struct.unpack_from("<ffhh", raw, place)
    assert (axis, flags) == (2, 0) and angle == 60.0
    found = radar["settings"]
    assert (found["property"], found["axis"]) == ("Graspable", "ZAXIS")
    assert (found["angle"], found["distance"]) == (angle, distance)


def test_the_basics_of_every_scene(games: dict[str, Game]) -> None:
    game = games["props/basics.blend"]
    camera = {item["name"]: item["value"] for item in game["CameraFP"]["properties"]}
    assert math.isclose(camera["Speed"], 0.1, rel_tol=1e-7)
    assert math.isclose(camera["Sensitivity"], 0.001, rel_tol=1e-7)
    scene = game["Scene_Script_Holder"]
    assert [(item["name"], item["type"], item["value"]) for item in scene["properties"]] == [
        ("UTMXOffset", "FLOAT", 0.0),
        ("UTMYOffset", "FLOAT", 0.0),
        ("UTMZOffset", "FLOAT", 0.0),
        ("Temperature", "STRING", "15.0"),
        ("paths_ok", "BOOL", True),
        ("environment_file", "STRING", ""),
    ]
    keys = {
        item["name"]: item["settings"]["key"]
        for item in scene["sensors"]
        if item["type"] == "KEYBOARD"
    }
    assert keys == {"ESC_KEY": "ESC", "F9_KEY": "F9", "F12_KEY": "F12", "F11_KEY": "F11"}
    modes = {item["name"]: item["settings"]["mode"] for item in scene["actuators"]}
    assert modes == {"Set_Camera": "CAMERA", "Quit_sim": "QUIT", "Restart_sim": "RESTART"}
    camera_actuator = bricks_of(scene, "actuators")["Set_Camera"]
    assert camera_actuator["settings"]["camera"] == "CameraFP"
    compass = bricks_of(game["Compass"], "sensors")["1"]["settings"]
    assert (compass["key"], compass["modifier_key_1"]) == ("ONE", "LEFT_SHIFT")


def test_bricks_of_other_files(games: dict[str, Game]) -> None:
    forward = bricks_of(games["robots/atrv.blend"]["ATRV"], "actuators")["Forward"]
    assert forward["type"] == "MOTION" and forward["settings"]["use_local_location"]
    assert forward["settings"]["offset_location"] == pytest.approx([0.06, 0.0, 0.0])
    assert games["robots/atrv.blend"]["ATRV"]["settings"]["physics_type"] == "RIGID_BODY"
    sound = next(
        brick
        for record in games["actuators/pa_10.blend"].values()
        for brick in record.get("actuators", ())
    )
    assert (sound["name"], sound["type"]) == ("Sound", "SOUND")
    tutorial = games["environments/human_tut/tutorial_scene.blend"]
    (collision,) = tutorial["Ground"]["sensors"]
    assert collision["elsewhere"] == [{"object": "TUT_Script_Holder", "name": "And5"}]
    doors = bricks_of(tutorial["Drawers_Door.L"], "actuators")
    assert doors["Open"]["settings"]["action"] == "Drawers_Door.LAction"
    assert not any("properties" in record for record in games["robots/pr2.blend"].values())


def asked_of_controllers(path: Path) -> Iterator[tuple[str, str, str]]:
    """(function, "sensors" or "actuators", name) of all contr.sensors["name"] in a script."""
    for function in ast.parse(path.read_text()).body:
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            if (
                isinstance(node, ast.Subscript)
                and isinstance(node.value, ast.Attribute)
                and isinstance(node.slice, ast.Constant)
                and isinstance(node.slice.value, str)
                and node.value.attr in ("sensors", "actuators")
            ):
                yield function.name, node.value.attr, node.slice.value


def test_the_runtime_finds_what_it_asks_for(games: dict[str, Game], morse_root: Path) -> None:
    """MORSE's scripts take sensors and actuators by name from the controller that runs them."""
    scripts = morse_root / "lib/python3/dist-packages/morse/blender"
    asked = {
        (f"{path.stem}.{function}", family, name)
        for path in scripts.glob("*.py")
        for function, family, name in asked_of_controllers(path)
    }
    scene = games["props/basics.blend"]
    offered = {
        (module, family, name)
        for record in scene.values()
        for controller in record.get("controllers", ())
        if (module := controller["settings"].get("module"))
        for family, name in linked_to(record, controller)
    }
    started = {module for module, _, _ in offered}
    scripts_offer = {(script_of(module), *rest) for module, *rest in offered}
    assert len(asked) >= 5
    for module, *rest in asked:
        if module in started:
            assert (module, *rest) in offered
        else:  # called by a function that a controller starts
            assert (script_of(module), *rest) in scripts_offer


def script_of(module: str) -> str:
    return module.partition(".")[0]


def linked_to(record: dict[str, Any], controller: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name in controller["actuators"]:
        yield "actuators", name
    for sensor in record.get("sensors", ()):
        if controller["name"] in sensor["controllers"]:
            yield "sensors", sensor["name"]


def test_names_stand_in_the_files(games: dict[str, Game], data: Path) -> None:
    """Every module and every name of a property or brick, letter by letter up to its NUL."""
    for name, game in games.items():
        raw = (data / name).read_bytes()
        raw = gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw
        for record in game.values():
            families = [record.get(family, ()) for family in ("properties", *LINKS)]
            named = {item["name"] for family in families for item in family}
            named |= {item["settings"].get("module", "") for item in record.get("controllers", ())}
            assert all(item.encode() + b"\0" in raw for item in named), name


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIED)
@pytest.mark.parametrize("unpack", [False, True])
def test_damaged_files_are_read_or_refused(
    data: Path, tmp_path: Path, name: str, unpack: bool
) -> None:
    chance = random.Random(name)
    raw = (data / name).read_bytes()
    if unpack and raw.startswith(b"\x1f\x8b"):
        raw = gzip.decompress(raw)
    path = tmp_path / "damaged.blend"
    for attempt in range(600):
        damaged = bytearray(raw[: chance.randrange(len(raw))] if attempt % 3 == 0 else raw)
        for _ in range(chance.randrange(1, 30) if attempt % 3 else 0):
            damaged[chance.randrange(len(damaged))] = chance.choice((0, 1, 127, 128, 255))
        path.write_bytes(damaged)
        try:
            read_legacy_game(path)
        except ReadError as error:
            assert error.message and error.source == str(path)
