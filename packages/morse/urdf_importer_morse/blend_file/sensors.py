# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors and controllers of the game engine, and the keys of a keyboard: their numbers and where
their settings are stored."""

import math
from collections.abc import Mapping

from .fields import (
    Field,
    Fields,
    Item,
    Kind,
    by_version,
    choice,
    constant,
    data_block,
    flag,
    number,
    scaled,
    text,
    whole,
)

_DIGITS = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")

_OTHERS = {
    137: "LEFT_ARROW",
    138: "DOWN_ARROW",
    139: "RIGHT_ARROW",
    140: "UP_ARROW",
    160: "NUMPAD_ASTERIX",
    161: "NUMPAD_SLASH",
    162: "NUMPAD_MINUS",
    163: "NUMPAD_ENTER",
    164: "NUMPAD_PLUS",
    165: "PAUSE",
    166: "INSERT",
    167: "HOME",
    168: "PAGE_UP",
    169: "PAGE_DOWN",
    170: "END",
    172: "OSKEY",
    173: "GRLESS",
    174: "MEDIA_PLAY",
    175: "MEDIA_STOP",
    176: "MEDIA_FIRST",
    177: "MEDIA_LAST",
    199: "NUMPAD_PERIOD",
    212: "LEFT_CTRL",
    213: "LEFT_ALT",
    214: "RIGHT_ALT",
    215: "RIGHT_CTRL",
    216: "RIGHT_SHIFT",
    217: "LEFT_SHIFT",
    218: "ESC",
    219: "TAB",
    220: "RET",
    221: "SPACE",
    222: "LINE_FEED",
    223: "BACK_SPACE",
    224: "DEL",
    225: "SEMI_COLON",
    226: "PERIOD",
    227: "COMMA",
    228: "QUOTE",
    229: "ACCENT_GRAVE",
    230: "MINUS",
    232: "SLASH",
    233: "BACK_SLASH",
    234: "EQUAL",
    235: "LEFT_BRACKET",
    236: "RIGHT_BRACKET",
}

KEYS: dict[int, str] = {
    0: "NONE",
    **{ord(letter): letter.upper() for letter in "abcdefghijklmnopqrstuvwxyz"},
    **{ord("0") + digit: name for digit, name in enumerate(_DIGITS)},
    **{150 + digit: f"NUMPAD_{digit}" for digit in range(10)},
    **{300 + index: f"F{index + 1}" for index in range(19)},
    **_OTHERS,
}


_RADIANS_SINCE = (269, 4)

_AXES = ("XAXIS", "YAXIS", "ZAXIS", "NEGXAXIS", "NEGYAXIS", "NEGZAXIS")
# A ray's first axis is Y.
_RAY_AXES = ("YAXIS", "XAXIS", *_AXES[2:])
_TARGETS = ("PROPERTY", "MATERIAL")
_MOUSE_EVENTS = {
    1: "LEFTCLICK",
    2: "MIDDLECLICK",
    4: "RIGHTCLICK",
    5: "WHEELUP",
    6: "WHEELDOWN",
    8: "MOVEMENT",
    16: "MOUSEOVER",
    32: "MOUSEOVERANY",
}
_COMPARISONS = {0: "PROPEQUAL", 1: "PROPNEQUAL", 2: "PROPINTERVAL", 3: "PROPCHANGED"}
_COMPARISONS |= {5: "PROPLESSTHAN", 6: "PROPGREATERTHAN"}
_ARMATURE_TESTS = ("STATECHG", "LINERRORBELOW", "LINERRORABOVE", "ROTERRORBELOW", "ROTERRORABOVE")
_JOYSTICK_EVENTS = ("BUTTON", "AXIS", "HAT", "AXIS_SINGLE")
_JOYSTICK_AXES = ("RIGHTAXIS", "UPAXIS", "LEFTAXIS", "DOWNAXIS")
_HATS = {
    1: "UP",
    2: "RIGHT",
    3: "UPRIGHT",
    4: "DOWN",
    6: "DOWNRIGHT",
    8: "LEFT",
    9: "UPLEFT",
    12: "DOWNLEFT",
}

SENSOR_FIELDS: Fields = {
    "active": flag("flag", 64, inverted=True),
    "use_pulse_true_level": flag("pulse", 1),
    "use_pulse_false_level": flag("pulse", 4),
    "tick_skip": whole("freq"),
    "use_level": flag("level"),
    "use_tap": flag("tap"),
    "invert": flag("invert"),
}

_TOUCHED = data_block("ma")


def _read_touched(item: Item) -> str:
    name = _TOUCHED(item)
    return name if isinstance(name, str) else ""


def angle(path: str) -> Field:
    """Makes a field in radians, as Blender stores it since 2.70; before, it stored degrees."""
    stored = number(path)
    return by_version(_RADIANS_SINCE, scaled(stored, math.pi / 180.0), stored)


# The only angle in degrees, since MORSE's scripts give degrees.
_RADAR_ANGLE = by_version(_RADIANS_SINCE, number("angle"), scaled(number("angle"), 180.0 / math.pi))

SENSORS: Mapping[int, Kind] = {
    0: Kind("ALWAYS", {}),
    # Blender 2.69 made touch sensors into collision sensors.
    1: Kind(
        "COLLISION",
        {
            "use_pulse": constant(False),
            "use_material": constant(True),
            "property": constant(""),
            "material": _read_touched,
        },
    ),
    2: Kind(
        "NEAR",
        {
            "property": text("name"),
            "distance": number("dist"),
            "reset_distance": number("resetdist"),
        },
    ),
    3: Kind(
        "KEYBOARD",
        {
            "key": choice("key", KEYS),
            "modifier_key_1": choice("qual", KEYS),
            "modifier_key_2": choice("qual2", KEYS),
            "target": text("targetName"),
            "log": text("toggleName"),
            "use_all_keys": flag("type"),
        },
    ),
    4: Kind(
        "PROPERTY",
        {
            "evaluation_type": choice("type", _COMPARISONS),
            "property": text("name"),
            "value": text("value"),
            "value_min": text("value"),
            "value_max": text("maxvalue"),
        },
    ),
    5: Kind(
        "MOUSE",
        {
            "mouse_event": choice("type", _MOUSE_EVENTS),
            "use_pulse": flag("flag"),
            "use_material": choice("mode", _TARGETS, 1),
            "use_x_ray": flag("mode", 2),
            "property": text("propname"),
            "material": text("matname"),
        },
    ),
    6: Kind(
        "COLLISION",
        {
            "use_pulse": flag("mode", 2),
            "use_material": flag("mode", 1),
            "property": text("name"),
            "material": text("materialName"),
        },
    ),
    7: Kind(
        "RADAR",
        {
            "property": text("name"),
            "axis": choice("axis", _AXES),
            "angle": _RADAR_ANGLE,
            "distance": number("range"),
        },
    ),
    8: Kind("RANDOM", {"seed": whole("seed")}),
    9: Kind(
        "RAY",
        {
            "ray_type": choice("mode", _TARGETS, 1),
            "use_x_ray": flag("mode", 2),
            "property": text("propname"),
            "material": text("matname"),
            "range": number("range"),
            "axis": choice("axisflag", _RAY_AXES),
        },
    ),
    10: Kind("MESSAGE", {"subject": text("subject")}),
    11: Kind(
        "JOYSTICK",
        {
            "joystick_index": whole("joyindex"),
            "event_type": choice("type", _JOYSTICK_EVENTS),
            "use_all_events": flag("flag"),
            "button_number": whole("button"),
            "axis_number": whole("axis"),
            "axis_threshold": whole("precision"),
            "axis_direction": choice("axisf", _JOYSTICK_AXES),
            "single_axis_number": whole("axis_single"),
            "hat_number": whole("hat"),
            "hat_direction": choice("hatf", _HATS),
        },
    ),
    12: Kind("ACTUATOR", {"actuator": text("name")}),
    13: Kind(
        "DELAY",
        {"delay": whole("delay"), "duration": whole("duration"), "use_repeat": flag("flag")},
    ),
    14: Kind(
        "ARMATURE",
        {
            "test_type": choice("type", _ARMATURE_TESTS),
            "bone": text("posechannel"),
            "constraint": text("constraint"),
            "value": number("value"),
        },
    ),
}


def _read_state(item: Item) -> int | None:
    """Reads the number, from 1 on, of the lowest state; 0 for none. In Blender 2.7 there is only
    one."""
    mask = item.view.read_whole("state_mask")
    return None if mask is None else (mask & -mask & 0xFFFFFFFF).bit_length()


CONTROLLER_FIELDS: Fields = {
    "active": flag("flag", 32, inverted=True),
    "use_priority": flag("flag", 16),
    "states": _read_state,
}

CONTROLLERS: Mapping[int, Kind] = {
    0: Kind("LOGIC_AND", {}),
    1: Kind("LOGIC_OR", {}),
    2: Kind("EXPRESSION", {"expression": text("str")}),
    3: Kind(
        "PYTHON",
        {
            "mode": choice("mode", ("SCRIPT", "MODULE")),
            "text": data_block("text"),
            "module": text("module"),
            "use_debug": flag("flag"),
        },
    ),
    4: Kind("LOGIC_NAND", {}),
    5: Kind("LOGIC_NOR", {}),
    6: Kind("LOGIC_XOR", {}),
    7: Kind("LOGIC_XNOR", {}),
}
