# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of logic brick in old .blend files, with all its settings."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from morse_support.blend_writer import BlendWriter, ends
from urdf_importer_morse.blend_file.read import read_legacy_game

Values = Mapping[str, Any]

SENSOR = {
    "active": True,
    "use_pulse_true_level": False,
    "use_pulse_false_level": False,
    "tick_skip": 0,
    "use_level": False,
    "use_tap": False,
    "invert": False,
}
CONTROLLER = {"active": True, "use_priority": False, "states": 0}
ACTUATOR = {"active": True}


def read(tmp_path: Path, data: bytes) -> dict[str, Any]:
    path = tmp_path / "old.blend"
    path.write_bytes(data)
    return read_legacy_game(path)


def read_brick(
    tmp_path: Path,
    family: str,
    number: int,
    structure: str = "",
    values: Values | None = None,
    *,
    version: tuple[int, int] = (279, 0),
) -> tuple[str, dict[str, Any]]:
    """Type and settings of a brick whose data is one structure."""
    writer = BlendWriter(version=version)
    for code, name, address in (("AC", "Wave", 0x11), ("MA", "Red", 0x22), ("TX", "Blur", 0x33)):
        writer.write_id(code, name, address)
    (brick,) = writer.reserve(1)
    writer.write_object("Cube", **{f"{family}s": ends([brick])})
    data = writer.write(structure, values or {}) if structure else 0
    element = {"name": "Brick", "type": number, "data": data}
    writer.write_list(f"b{family.title()}", [element], [brick])
    (record,) = read(tmp_path, writer.pack_file())["Cube"][f"{family}s"]
    return record["type"], record["settings"]


SENSORS: list[tuple[int, str, Values, str, Values]] = [
    (
        2,
        "bNearSensor",
        {"name": "Arm", "dist": 0.5, "resetdist": 0.75},
        "NEAR",
        {"property": "Arm", "distance": 0.5, "reset_distance": 0.75},
    ),
    (
        3,
        "bKeyboardSensor",
        {"key": 221, "qual": 217, "targetName": "log", "toggleName": "on", "type": 1},
        "KEYBOARD",
        {
            "key": "SPACE",
            "modifier_key_1": "LEFT_SHIFT",
            "modifier_key_2": "NONE",
            "target": "log",
            "log": "on",
            "use_all_keys": True,
        },
    ),
    (
        4,
        "bPropertySensor",
        {"type": 2, "name": "Speed", "value": "1", "maxvalue": "2"},
        "PROPERTY",
        {
            "evaluation_type": "PROPINTERVAL",
            "property": "Speed",
            "value": "1",
            "value_min": "1",
            "value_max": "2",
        },
    ),
    (
        5,
        "bMouseSensor",
        {"type": 16, "flag": 1, "mode": 3, "propname": "Arm", "matname": "Red"},
        "MOUSE",
        {
            "mouse_event": "MOUSEOVER",
            "use_pulse": True,
            "use_material": "MATERIAL",
            "use_x_ray": True,
            "property": "Arm",
            "material": "Red",
        },
    ),
    (
        6,
        "bCollisionSensor",
        {"name": "Arm", "materialName": "Red", "mode": 3},
        "COLLISION",
        {"use_pulse": True, "use_material": True, "property": "Arm", "material": "Red"},
    ),
    (
        1,
        "bTouchSensor",
        {"ma": 0x22},
        "COLLISION",
        {"use_pulse": False, "use_material": True, "property": "", "material": "Red"},
    ),
    (
        9,
        "bRaySensor",
        {"propname": "Arm", "matname": "Red", "range": 2.0, "mode": 2},
        "RAY",
        {
            "ray_type": "PROPERTY",
            "use_x_ray": True,
            "property": "Arm",
            "material": "Red",
            "range": 2.0,
            "axis": "YAXIS",
        },
    ),
    (8, "bRandomSensor", {"seed": 12}, "RANDOM", {"seed": 12}),
    (10, "bMessageSensor", {"subject": "go"}, "MESSAGE", {"subject": "go"}),
    (
        11,
        "bJoystickSensor",
        {"type": 2, "joyindex": 1, "flag": 1, "axis": 2, "axis_single": 3, "axisf": 3}
        | {"button": 4, "hat": 1, "hatf": 12, "precision": 500},
        "JOYSTICK",
        {
            "joystick_index": 1,
            "event_type": "HAT",
            "use_all_events": True,
            "button_number": 4,
            "axis_number": 2,
            "axis_threshold": 500,
            "axis_direction": "DOWNAXIS",
            "single_axis_number": 3,
            "hat_number": 1,
            "hat_direction": "DOWNLEFT",
        },
    ),
    (12, "bActuatorSensor", {"name": "Forward"}, "ACTUATOR", {"actuator": "Forward"}),
    (
        13,
        "bDelaySensor",
        {"delay": 30, "duration": 2, "flag": 1},
        "DELAY",
        {"delay": 30, "duration": 2, "use_repeat": True},
    ),
    (
        14,
        "bArmatureSensor",
        {"posechannel": "elbow", "constraint": "IK", "type": 3, "value": 0.5},
        "ARMATURE",
        {"test_type": "ROTERRORBELOW", "bone": "elbow", "constraint": "IK", "value": 0.5},
    ),
]


@pytest.mark.parametrize(("number", "structure", "values", "kind", "expected"), SENSORS)
def test_sensors(
    tmp_path: Path, number: int, structure: str, values: Values, kind: str, expected: Values
) -> None:
    found = read_brick(tmp_path, "sensor", number, structure, values)
    assert found == (kind, {**SENSOR, **expected})


@pytest.mark.parametrize(
    ("number", "kind"),
    {0: "AND", 1: "OR", 4: "NAND", 5: "NOR", 6: "XOR", 7: "XNOR"}.items(),
)
def test_logic_controllers(tmp_path: Path, number: int, kind: str) -> None:
    assert read_brick(tmp_path, "controller", number) == (f"LOGIC_{kind}", CONTROLLER)


def test_other_controllers(tmp_path: Path) -> None:
    kind, found = read_brick(tmp_path, "controller", 2, "bExpressionCont", {"str": "a AND b"})
    assert (kind, found["expression"]) == ("EXPRESSION", "a AND b")
    kind, found = read_brick(tmp_path, "controller", 3, "bPythonCont", {"text": 0x33, "flag": 1})
    assert kind == "PYTHON"
    assert found == {
        **CONTROLLER,
        "mode": "SCRIPT",
        "text": "Blur",
        "module": "",
        "use_debug": True,
    }


ACTUATORS: list[tuple[int, str, Values, str, Values]] = [
    (
        15,
        "bActionActuator",
        {"act": 0x11, "type": 4, "flag": 16 | 4, "sta": 1.5, "end": 20.0, "name": "t"}
        | {"blendin": 3, "priority": 2, "layer": 1, "end_reset": 1, "layer_weight": 0.5}
        | {"blend_mode": 1, "frameProp": "f"},
        "ACTION",
        {
            "play_mode": "LOOPEND",
            "action": "Wave",
            "use_continue_last_frame": False,
            "property": "t",
            "frame_start": 1.5,
            "frame_end": 20.0,
            "frame_blend_in": 3,
            "priority": 2,
            "layer": 1,
            "layer_weight": 0.5,
            "frame_property": "f",
            "use_additive": False,
            "use_force": False,
            "use_local": True,
            "apply_to_children": True,
            "blend_mode": "ADD",
        },
    ),
    # That of a curve, which Blender 2.60 made into that of an action.
    (
        1,
        "bIpoActuator",
        {"flag": 1, "type": 6, "sta": 1.0, "end": 9.0, "name": "t"},
        "ACTION",
        {
            "play_mode": "PROPERTY",
            "property": "t",
            "frame_start": 1.0,
            "frame_end": 9.0,
            "frame_property": "",
            "use_additive": False,
            "use_force": True,
            "use_local": False,
            "apply_to_children": False,
        },
    ),
    (
        3,
        "bCameraActuator",
        {"height": 1.0, "min": 2.0, "max": 3.0, "damping": 0.5, "axis": ord("y")},
        "CAMERA",
        {"height": 1.0, "min": 2.0, "max": 3.0, "damping": 0.5, "axis": "POS_Y"},
    ),
    (
        5,
        "bSoundActuator",
        {"flag": 1, "type": 5, "volume": 0.5, "pitch": 2.0}
        | {"sound3D": {"min_gain": 0.25, "max_gain": 1.0, "cone_inner_angle": 1.5}},
        "SOUND",
        {
            "mode": "LOOPBIDIRECTIONALSTOP",
            "volume": 0.5,
            "pitch": 2.0,
            "use_sound_3d": True,
            "gain_3d_min": 0.25,
            "gain_3d_max": 1.0,
            "cone_outer_angle_3d": 0.0,
            "cone_inner_angle_3d": 1.5,
        },
    ),
    (
        6,
        "bPropertyActuator",
        {"type": 3, "name": "capturing", "value": "x"},
        "PROPERTY",
        {"mode": "TOGGLE", "property": "capturing", "value": "x", "object_property": "x"},
    ),
    (
        11,
        "bSceneActuator",
        {"type": 3},
        "SCENE",
        {"mode": "ADDFRONT"},
    ),
    (
        14,
        "bMessageActuator",
        {"toPropName": "Robot", "subject": "go", "bodyType": 1, "body": "fast"},
        "MESSAGE",
        {
            "to_property": "Robot",
            "subject": "go",
            "body_type": "PROPERTY",
            "body_message": "fast",
            "body_property": "fast",
        },
    ),
    (
        17,
        "bGameActuator",
        {"type": 3, "filename": "//next.blend"},
        "GAME",
        {"mode": "QUIT", "filename": "//next.blend"},
    ),
    (
        18,
        "bVisibilityActuator",
        {"flag": 3},
        "VISIBILITY",
        {"use_visible": False, "use_occlusion": False, "apply_to_children": True},
    ),
    (
        19,
        "bTwoDFilterActuator",
        {"type": -1, "flag": 1, "int_arg": 2, "float_arg": 0.5, "text": 0x33},
        "FILTER_2D",
        {
            "mode": "DISABLE",
            "glsl_shader": "Blur",
            "filter_pass": 2,
            "motion_blur_factor": 0.5,
            "use_motion_blur": False,
        },
    ),
    (
        20,
        "bParentActuator",
        {"flag": 2, "type": 1},
        "PARENT",
        {"mode": "REMOVEPARENT", "use_compound": True, "use_ghost": False},
    ),
    (22, "bStateActuator", {"type": 1}, "STATE", {"operation": "ADD"}),
    (
        23,
        "bArmatureActuator",
        {"posechannel": "elbow", "constraint": "IK", "type": 4, "weight": 0.5, "influence": 1.0},
        "ARMATURE",
        {
            "mode": "SETWEIGHT",
            "bone": "elbow",
            "constraint": "IK",
            "weight": 0.5,
            "influence": 1.0,
        },
    ),
]


@pytest.mark.parametrize(("number", "structure", "values", "kind", "expected"), ACTUATORS)
def test_actuators(
    tmp_path: Path, number: int, structure: str, values: Values, kind: str, expected: Values
) -> None:
    found = read_brick(tmp_path, "actuator", number, structure, values)
    assert found == (kind, {**ACTUATOR, **expected})


def test_actuators_that_move_objects(tmp_path: Path) -> None:
    """What the mode and the flags of these select."""
    kind, found = read_brick(
        tmp_path,
        "actuator",
        9,
        "bConstraintActuator",
        {"type": 1, "mode": 16, "flag": 2 | 1024, "minloc": [1.0, 2.0, 3.0]}
        | {"maxloc": [4.0, 5.0, 6.0], "maxrot": [7.0, 0.0, 0.0], "matprop": "Floor"},
    )
    assert kind == "CONSTRAINT"
    assert (
        found
        | {
            "mode": "DIST",
            "limit": "LOCY",
            "limit_min": 2.0,
            "limit_max": 5.0,
            "direction": "DIRNY",
            "range": 5.0,
            "distance": 2.0,
            "property": "Floor",
            "fh_damping": 7.0,
            "use_local": True,
            "use_normal": False,
        }
        == found
    )
    kind, found = read_brick(tmp_path, "actuator", 9, "bConstraintActuator", {"mode": 4})
    assert "limit_min" not in found and found["limit"] == "NONE"
    kind, found = read_brick(
        tmp_path,
        "actuator",
        10,
        "bEditObjectActuator",
        {"type": 3, "flag": 2, "upflag": 2, "trackflag": 4, "localflag": 2},
    )
    assert kind == "EDIT_OBJECT"
    assert found["mode"] == "TRACKTO" and found["track_axis"] == "TRACKAXISNEGY"
    assert found["up_axis"] == "UPAXISZ" and not found["use_replace_display_mesh"]
    assert found["use_local_linear_velocity"] and not found["use_local_angular_velocity"]
    kind, found = read_brick(
        tmp_path, "actuator", 24, "bSteeringActuator", {"flag": 20, "facingaxis": 4, "type": 2}
    )
    assert (kind, found["mode"], found["facing_axis"]) == ("STEERING", "PATHFOLLOWING", "NEG_X")
    assert found["facing"] and found["lock_z_velocity"] and not found["normal_up"]
    kind, found = read_brick(
        tmp_path, "actuator", 25, "bMouseActuator", {"type": 1, "flag": 2, "limit_y": [-1.5, 1.5]}
    )
    assert (kind, found["mode"], found["min_y"], found["max_y"]) == ("MOUSE", "LOOK", -1.5, 1.5)
    kind, found = read_brick(
        tmp_path, "actuator", 13, "bRandomActuator", {"distribution": 8, "float_arg_2": 0.5}
    )
    assert (kind, found["distribution"]) == ("RANDOM", "FLOAT_NORMAL")
    assert found["standard_derivation"] == 0.5


@pytest.mark.parametrize(
    ("family", "number"), [("sensor", 99), ("controller", 99), ("actuator", 7), ("actuator", -1)]
)
def test_kinds_that_blender_2_7_has_no_more_are_left_out(
    tmp_path: Path, family: str, number: int
) -> None:
    writer = BlendWriter()
    (brick,) = writer.reserve(1)
    writer.write_object("Cube", mass=2.0, **{f"{family}s": ends([brick])})
    writer.write_list(f"b{family.title()}", [{"name": "Brick", "type": number}], [brick])
    assert read(tmp_path, writer.pack_file()) == {"Cube": {"settings": {"mass": 2.0}}}


def test_settings_that_are_not_stored_are_left_out(tmp_path: Path) -> None:
    """A brick without its data, and structures of a Blender that did not have a member yet."""
    assert read_brick(tmp_path, "sensor", 7) == ("RADAR", SENSOR)
    writer = BlendWriter(version=(249, 0))
    writer.structures["bSensor"] = (
        "bSensor *next; bSensor *prev; short type; short flag; short pulse; short freq;"
        "char name[32]; void *data; short invert; short pad"
    )
    (brick,) = writer.reserve(1)
    writer.write_object("Cube", sensors=ends([brick]))
    writer.write_list("bSensor", [{"name": "Sensor", "freq": 7}], [brick])
    (sensor,) = read(tmp_path, writer.pack_file())["Cube"]["sensors"]
    assert sensor["settings"] == {
        "active": True,
        "use_pulse_true_level": False,
        "use_pulse_false_level": False,
        "tick_skip": 7,
        "invert": False,
    }


def test_what_older_versions_meant(tmp_path: Path) -> None:
    """Blender changes old files so when it opens them."""
    radar = {"angle": 60.0}
    for version, angle in (((269, 3), 60.0), ((269, 4), math.degrees(60.0))):
        _, found = read_brick(tmp_path, "sensor", 7, "bRadarSensor", radar, version=version)
        assert found["angle"] == pytest.approx(angle, rel=1e-12)
    limits = {"minloc": [90.0, 0.0, 0.0]}
    for version, angle in (((269, 3), math.pi / 2), ((269, 4), 90.0)):
        _, found = read_brick(
            tmp_path, "actuator", 9, "bConstraintActuator", limits, version=version
        )
        assert found["angle_min"] == pytest.approx(angle, rel=1e-12)
    turn = {"drot": [1.0, 0.0, 0.0]}
    for version, scale in (((245, 0), -1), ((246, 0), 1), ((255, 0), 1)):
        _, found = read_brick(tmp_path, "actuator", 0, "bObjectActuator", turn, version=version)
        assert found["offset_rotation"] == pytest.approx([scale * 0.8726646, 0.0, 0.0])
    _, found = read_brick(tmp_path, "actuator", 0, "bObjectActuator", turn, version=(255, 1))
    assert found["offset_rotation"] == [1.0, 0.0, 0.0]
    for version, name in (((247, 9), "Robot"), ((247, 10), "OBRobot")):
        values = {"toPropName": "OBRobot"}
        _, found = read_brick(tmp_path, "actuator", 14, "bMessageActuator", values, version=version)
        assert found["to_property"] == name
