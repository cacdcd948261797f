# SPDX-License-Identifier: GPL-3.0-or-later
"""Game data of old .blend files, written here in every byte order, whole and damaged."""

import math
import os
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morse_support.blend_writer import COLLISION, BlendWriter, ends, single
from urdf_importer.core.diagnostics import ReadError
from urdf_importer_morse.blend_file import blocks
from urdf_importer_morse.blend_file.read import read_legacy_game

LAYOUTS = [(order, size, packed) for order in "<>" for size in (4, 8) for packed in (False, True)]
SENSOR = {
    "active": True,
    "use_pulse_true_level": False,
    "use_pulse_false_level": False,
    "tick_skip": 0,
    "use_level": False,
    "use_tap": False,
    "invert": False,
}


def read(tmp_path: Path, data: bytes) -> dict[str, Any]:
    path = tmp_path / "old.blend"
    path.write_bytes(data)
    return read_legacy_game(path)


def write_robot(writer: BlendWriter) -> None:
    """Two objects: one with a bit of everything, linked to a brick of the other."""
    text = writer.write_id("TX", "drive.py")
    properties, sensors = writer.reserve(6), writer.reserve(2)
    controllers, actuators, theirs = writer.reserve(2), writer.reserve(1), writer.reserve(1)
    writer.write_object(
        "Robot",
        prop=ends(properties),
        sensors=ends(sensors),
        controllers=ends(controllers),
        actuators=ends(actuators),
        gameflag=COLLISION | 1 | 4 | 1 << 10,
        gameflag2=1 << 4,
        mass=20.0,
    )
    real = struct.unpack("i", struct.pack("f", 0.1))[0]
    string = writer.new_address()
    writer.write_list(
        "bProperty",
        [
            {"name": "Robot_Tag", "type": 0, "data": 1},
            {"name": "Count", "type": 1, "data": -7},
            {"name": "Speed", "type": 2, "data": real},
            {"name": "Class", "type": 3, "poin": string},
            {"name": "Clock", "type": 5, "data": real},
            {"name": "Vector", "type": 4},
        ],
        properties,
    )
    writer.write_block("DATA", string, "ListBase", "grün".encode() + b"\0behind")
    links = writer.write_pointers([controllers[0], controllers[1], theirs[0], 0])
    radar = writer.write(
        "bRadarSensor", {"name": "Injured", "angle": 1.0, "range": 10.0, "axis": 5}
    )
    writer.write_list(
        "bSensor",
        [
            {"name": "Always", "pulse": 5, "freq": 3, "level": 1, "links": links, "totlinks": 4},
            {"name": "Radar", "type": 7, "data": radar, "tap": 1, "invert": 1, "flag": 64},
        ],
        sensors,
    )
    python = writer.write("bPythonCont", {"text": text, "module": "calling.act", "mode": 1})
    writer.write_list(
        "bController",
        [
            {
                "name": "Python",
                "type": 3,
                "data": python,
                "state_mask": 4,
                "flag": 16,
                "links": writer.write_pointers(actuators),
                "totlinks": 1,
            },
            {"name": "Or", "type": 1, "state_mask": 1, "flag": 32},
        ],
        controllers,
    )
    motion = writer.write("bObjectActuator", {"flag": 12, "dloc": [0.5, 0.0, -0.25]})
    writer.write_list("bActuator", [{"name": "Forward", "data": motion}], actuators)
    writer.write_object("Other", controllers=ends(theirs))
    writer.write_list("bController", [{"name": "And", "state_mask": 1}], theirs)


ROBOT: dict[str, Any] = {
    "Robot": {
        "properties": [
            {"name": "Robot_Tag", "type": "BOOL", "value": True},
            {"name": "Count", "type": "INT", "value": -7},
            {"name": "Speed", "type": "FLOAT", "value": single(0.1)},
            {"name": "Class", "type": "STRING", "value": "grün"},
            {"name": "Clock", "type": "TIMER", "value": single(0.1)},
        ],
        "sensors": [
            {
                "name": "Always",
                "type": "ALWAYS",
                "settings": {
                    **SENSOR,
                    "use_pulse_true_level": True,
                    "use_pulse_false_level": True,
                    "tick_skip": 3,
                    "use_level": True,
                },
                "controllers": ["Python", "Or"],
                "elsewhere": [{"object": "Other", "name": "And"}],
            },
            {
                "name": "Radar",
                "type": "RADAR",
                "settings": {
                    **SENSOR,
                    "active": False,
                    "use_tap": True,
                    "invert": True,
                    "property": "Injured",
                    "axis": "NEGZAXIS",
                    "angle": math.degrees(1.0),
                    "distance": 10.0,
                },
                "controllers": [],
            },
        ],
        "controllers": [
            {
                "name": "Python",
                "type": "PYTHON",
                "settings": {
                    "active": True,
                    "use_priority": True,
                    "states": 3,
                    "mode": "MODULE",
                    "text": "drive.py",
                    "module": "calling.act",
                    "use_debug": False,
                },
                "actuators": ["Forward"],
            },
            {
                "name": "Or",
                "type": "LOGIC_OR",
                "settings": {"active": False, "use_priority": False, "states": 1},
                "actuators": [],
            },
        ],
        "actuators": [
            {
                "name": "Forward",
                "type": "MOTION",
                "settings": {
                    "active": True,
                    "mode": "OBJECT_NORMAL",
                    "damping": 0,
                    "offset_location": [0.5, 0.0, -0.25],
                    "offset_rotation": [0.0, 0.0, 0.0],
                    "force": [0.0, 0.0, 0.0],
                    "torque": [0.0, 0.0, 0.0],
                    "linear_velocity": [0.0, 0.0, 0.0],
                    "angular_velocity": [0.0, 0.0, 0.0],
                    "use_local_location": True,
                    "use_local_rotation": True,
                    "use_local_force": False,
                    "use_local_torque": False,
                    "use_local_linear_velocity": False,
                    "use_local_angular_velocity": False,
                    "use_add_linear_velocity": False,
                    "use_add_character_location": False,
                    "use_character_jump": False,
                },
            }
        ],
        "settings": {
            "physics_type": "RIGID_BODY",
            "use_actor": True,
            "mass": 20.0,
            "lock_location_z": True,
        },
    },
    "Other": {
        "controllers": [
            {
                "name": "And",
                "type": "LOGIC_AND",
                "settings": {"active": True, "use_priority": False, "states": 1},
                "actuators": [],
            }
        ]
    },
}


@pytest.mark.parametrize(("order", "pointer_size", "packed"), LAYOUTS)
def test_a_whole_file_in_every_layout(
    tmp_path: Path, order: str, pointer_size: int, packed: bool
) -> None:
    writer = BlendWriter(order, pointer_size)
    write_robot(writer)
    assert read(tmp_path, writer.pack_file(packed=packed)) == ROBOT


@pytest.mark.parametrize(
    "data",
    [
        b"BLENDER-v280",
        b"BLENDER_V293RENH",
        b"BLENDER17-01v0500REND",
        b"\x28\xb5\x2f\xfd\x04\x00this is never unpacked",
    ],
)
def test_files_without_a_game_engine_are_not_looked_into(tmp_path: Path, data: bytes) -> None:
    assert read(tmp_path, data) == {}


def test_a_newer_packed_file_is_not_looked_into(tmp_path: Path) -> None:
    writer = BlendWriter(version=(280, 0))
    write_robot(writer)
    assert read(tmp_path, writer.pack_file(packed=True)[:-9]) == {}


@pytest.mark.parametrize("data", [b"", b"BLEND", b"BLENDER*v279", b"\x1f\x8b", b"solid cube\n"])
def test_what_is_no_blend_file_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(ReadError) as caught:
        read(tmp_path, data)
    assert caught.value.source == str(tmp_path / "old.blend")


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "none.blend", tmp_path, tmp_path / "fifo", "nul\0.blend"):
        with pytest.raises(ReadError) as caught:
            read_legacy_game(path)
        assert caught.value.source == str(path)


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, packed: bool) -> None:
    writer = BlendWriter()
    write_robot(writer)
    data = writer.pack_file(packed=packed)
    # The last block is 24 bytes, of which the first 4 say all; packed files end in 8 more.
    for length in range(0, len(data) - (8 if packed else 0), 31):
        with pytest.raises(ReadError):
            read(tmp_path, data[:length])


def test_a_list_without_end_is_refused(tmp_path: Path) -> None:
    writer = BlendWriter()
    first, second = writer.reserve(2)
    writer.write_object("Cube", prop=ends([first, second]))
    writer.write("bProperty", {"next": second}, first)
    writer.write("bProperty", {"next": first}, second)
    with pytest.raises(ReadError, match="no end"):
        read(tmp_path, writer.pack_file())


def test_a_list_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    writer = BlendWriter()
    (first,) = writer.reserve(1)
    writer.write_object("Cube", sensors=ends([first]))
    writer.write("bProperty", {}, first)
    with pytest.raises(ReadError, match="bSensor"):
        read(tmp_path, writer.pack_file())


def test_bounds_of_what_a_file_may_claim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = BlendWriter()
    writer.write_object("Cube", mass=2.0)
    for _ in range(40):
        writer.write_block("DATA", writer.new_address(), "ListBase", bytes(2**16))
    plain, packed = writer.pack_file(), writer.pack_file(packed=True)
    cube = {"Cube": {"settings": {"mass": 2.0}}}
    assert read(tmp_path, plain) == read(tmp_path, packed) == cube
    for name, bound in (("MOST_KEPT_BYTES", 2**20), ("MOST_BLOCKS", 30)):
        with monkeypatch.context() as patch:
            patch.setattr(blocks, name, bound)
            with pytest.raises(ReadError):
                read(tmp_path, plain)
    monkeypatch.setattr(blocks, "MOST_UNPACKED_BYTES", 2**20)
    # What is only passed over on the disk is no matter.
    assert read(tmp_path, plain) == cube
    with pytest.raises(ReadError, match="unpacks"):
        read(tmp_path, packed)


def test_big_blocks_are_passed_over(tmp_path: Path) -> None:
    writer = BlendWriter()
    string = writer.new_address()
    (first,) = writer.reserve(1)
    writer.write_object("Cube", prop=ends([first]))
    writer.write("bProperty", {"name": "Long", "type": 3, "poin": string}, first)
    size = blocks.MOST_BYTES_OF_A_BLOCK
    writer.write_block("DATA", string, "ListBase", b"a" * size + b"\0")
    found = read(tmp_path, writer.pack_file())["Cube"]["properties"]
    assert found == [{"name": "Long", "type": "STRING", "value": ""}]


@pytest.mark.parametrize("count", [-1, 2**31 - 1])
@pytest.mark.parametrize("tag", [b"NAME", b"TYPE", b"STRC"])
def test_absurd_counts_in_the_catalogue_are_refused(tmp_path: Path, tag: bytes, count: int) -> None:
    writer = BlendWriter()
    write_robot(writer)
    data = writer.pack_file()
    place = data.index(tag, data.index(b"SDNA")) + 4
    with pytest.raises(ReadError):
        read(tmp_path, data[:place] + struct.pack("<i", count) + data[place + 4 :])


def test_a_catalogue_that_contradicts_itself_is_refused(tmp_path: Path) -> None:
    writer = BlendWriter()
    write_robot(writer)
    data = writer.pack_file()
    place = data.index(b"TLEN") + 4 + 2 * 4
    with pytest.raises(ReadError):
        read(tmp_path, data[:place] + struct.pack("<H", 400) + data[place + 2 :])


def test_names_lose_bytes_that_are_not_utf_8(tmp_path: Path) -> None:
    writer = BlendWriter(version=(249, 0))
    writer.write_object("", id={"name": b"OBT\xfcr"}, mass=2.0)
    assert list(read(tmp_path, writer.pack_file())) == ["Tr"]


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged")


@settings(deadline=None, max_examples=150)
@given(
    changes=st.lists(
        st.tuples(st.integers(0, 10**6), st.sampled_from([0, 1, 127, 128, 255])),
        min_size=1,
        max_size=8,
    ),
    layout=st.sampled_from(LAYOUTS),
)
def test_damaged_files_are_read_or_refused(
    damaged: Path,
    changes: list[tuple[int, int]],
    layout: tuple[str, int, bool],
) -> None:
    order, pointer_size, packed = layout
    writer = BlendWriter(order, pointer_size)
    write_robot(writer)
    data = bytearray(writer.pack_file(packed=packed))
    for place, value in changes:
        data[place % len(data)] = value
    try:
        read(damaged, bytes(data))
    except ReadError as error:
        assert error.message and error.source
