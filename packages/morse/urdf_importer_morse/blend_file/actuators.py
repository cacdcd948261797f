# SPDX-License-Identifier: GPL-3.0-or-later
"""Actuators of the game engine: their numbers and where their settings are stored."""

from collections.abc import Mapping

from .fields import (
    Fields,
    Item,
    Kind,
    choice,
    data_block,
    flag,
    number,
    text,
    whole,
)
from .motions import CONSTRAINT, EDIT_OBJECT, MOTION, MOUSE, STEERING
from .sensors import angle

ACTUATOR_FIELDS: Fields = {"active": flag("flag", 64, inverted=True)}

_PLAYBACK = {0: "PLAY", 1: "PINGPONG", 2: "FLIPPER", 3: "LOOPSTOP", 4: "LOOPEND", 6: "PROPERTY"}
_CAMERA_AXES = {
    0: "POS_X",
    1: "POS_Y",
    3: "NEG_X",
    4: "NEG_Y",
    ord("x"): "POS_X",
    ord("y"): "POS_Y",
}
_SOUND_MODES = (
    "PLAYSTOP",
    "PLAYEND",
    "LOOPSTOP",
    "LOOPEND",
    "LOOPBIDIRECTIONAL",
    "LOOPBIDIRECTIONALSTOP",
)
_PROPERTY_MODES = ("ASSIGN", "ADD", "COPY", "TOGGLE", "LEVEL")
_SCENE_MODES = ("RESTART", "SET", "CAMERA", "ADDFRONT", "ADDBACK", "REMOVE", "SUSPEND", "RESUME")
_DISTRIBUTIONS = (
    "BOOL_CONSTANT",
    "BOOL_UNIFORM",
    "BOOL_BERNOUILLI",
    "INT_CONSTANT",
    "INT_UNIFORM",
    "INT_POISSON",
    "FLOAT_CONSTANT",
    "FLOAT_UNIFORM",
    "FLOAT_NORMAL",
    "FLOAT_NEGATIVE_EXPONENTIAL",
)
_GAME_MODES = {0: "START", 2: "RESTART", 3: "QUIT", 4: "SAVECFG", 5: "LOADCFG", 6: "SCREENSHOT"}
_FILTERS = {
    -2: "ENABLE",
    -1: "DISABLE",
    0: "REMOVE",
    1: "MOTIONBLUR",
    2: "BLUR",
    3: "SHARPEN",
    4: "DILATION",
    5: "EROSION",
    6: "LAPLACIAN",
    7: "SOBEL",
    8: "PREWITT",
    9: "GRAYSCALE",
    10: "SEPIA",
    11: "INVERT",
    12: "CUSTOMFILTER",
}
_ARMATURE_MODES = ("RUN", "ENABLE", "DISABLE", "SETTARGET", "SETWEIGHT", "SETINFLUENCE")


def _read_receiver(item: Item) -> str | None:
    """Reads the receiver's name, which had the prefix OB before 2.47."""
    name = item.view.read_text("toPropName")
    return name[2:] if name and item.version < (247, 10) else name


_ACTION: Fields = {
    "play_mode": choice("type", _PLAYBACK),
    "action": data_block("act"),
    "use_continue_last_frame": flag("end_reset", inverted=True),
    "property": text("name"),
    "frame_start": number("sta"),
    "frame_end": number("end"),
    "frame_blend_in": whole("blendin"),
    "priority": whole("priority"),
    "layer": whole("layer"),
    "layer_weight": number("layer_weight"),
    "frame_property": text("frameProp"),
    "use_additive": flag("flag", 32),
    "use_force": flag("flag", 1),
    "use_local": flag("flag", 4),
    "apply_to_children": flag("flag", 16),
    "blend_mode": choice("blend_mode", ("BLEND", "ADD")),
}

_SOUND: Fields = {
    "sound": data_block("sound"),
    "mode": choice("type", _SOUND_MODES),
    "volume": number("volume"),
    "pitch": number("pitch"),
    "use_sound_3d": flag("flag"),
    "gain_3d_min": number("sound3D.min_gain"),
    "gain_3d_max": number("sound3D.max_gain"),
    "distance_3d_reference": number("sound3D.reference_distance"),
    "distance_3d_max": number("sound3D.max_distance"),
    "rolloff_factor_3d": number("sound3D.rolloff_factor"),
    "cone_outer_gain_3d": number("sound3D.cone_outer_gain"),
    "cone_outer_angle_3d": angle("sound3D.cone_outer_angle"),
    "cone_inner_angle_3d": angle("sound3D.cone_inner_angle"),
}

_RANDOM: Fields = {
    "seed": whole("seed"),
    "property": text("propname"),
    "distribution": choice("distribution", _DISTRIBUTIONS),
    "use_always_true": flag("int_arg_1"),
    "chance": number("float_arg_1"),
    "int_value": whole("int_arg_1"),
    "int_min": whole("int_arg_1"),
    "int_max": whole("int_arg_2"),
    "int_mean": number("float_arg_1"),
    "float_value": number("float_arg_1"),
    "float_min": number("float_arg_1"),
    "float_max": number("float_arg_2"),
    "float_mean": number("float_arg_1"),
    "standard_derivation": number("float_arg_2"),
    "half_life_time": number("float_arg_1"),
}

# Blender 2.60 turned actuators of curves and of shape keys into actuators of actions.
ACTUATORS: Mapping[int, Kind] = {
    0: Kind("MOTION", MOTION),
    1: Kind("ACTION", _ACTION),
    3: Kind(
        "CAMERA",
        {
            "object": data_block("ob"),
            "height": number("height"),
            "min": number("min"),
            "max": number("max"),
            "axis": choice("axis", _CAMERA_AXES),
            "damping": number("damping"),
        },
    ),
    5: Kind("SOUND", _SOUND),
    6: Kind(
        "PROPERTY",
        {
            "mode": choice("type", _PROPERTY_MODES),
            "property": text("name"),
            "value": text("value"),
            "object": data_block("ob"),
            "object_property": text("value"),
        },
    ),
    9: Kind("CONSTRAINT", CONSTRAINT),
    10: Kind("EDIT_OBJECT", EDIT_OBJECT),
    11: Kind(
        "SCENE",
        {
            "mode": choice("type", _SCENE_MODES),
            "scene": data_block("scene"),
            "camera": data_block("camera"),
        },
    ),
    13: Kind("RANDOM", _RANDOM),
    14: Kind(
        "MESSAGE",
        {
            "to_property": _read_receiver,
            "subject": text("subject"),
            "body_type": choice("bodyType", ("TEXT", "PROPERTY")),
            "body_message": text("body"),
            "body_property": text("body"),
        },
    ),
    15: Kind("ACTION", _ACTION),
    17: Kind("GAME", {"mode": choice("type", _GAME_MODES), "filename": text("filename")}),
    18: Kind(
        "VISIBILITY",
        {
            "use_visible": flag("flag", 1, inverted=True),
            "use_occlusion": flag("flag", 4),
            "apply_to_children": flag("flag", 2),
        },
    ),
    19: Kind(
        "FILTER_2D",
        {
            "mode": choice("type", _FILTERS),
            "glsl_shader": data_block("text"),
            "filter_pass": whole("int_arg"),
            "motion_blur_factor": number("float_arg"),
            "use_motion_blur": flag("flag", 1, inverted=True),
        },
    ),
    20: Kind(
        "PARENT",
        {
            "mode": choice("type", ("SETPARENT", "REMOVEPARENT")),
            "object": data_block("ob"),
            "use_compound": flag("flag", 1, inverted=True),
            "use_ghost": flag("flag", 2, inverted=True),
        },
    ),
    21: Kind("ACTION", _ACTION),
    22: Kind("STATE", {"operation": choice("type", ("SET", "ADD", "REMOVE", "CHANGE"))}),
    23: Kind(
        "ARMATURE",
        {
            "mode": choice("type", _ARMATURE_MODES),
            "bone": text("posechannel"),
            "constraint": text("constraint"),
            "target": data_block("target"),
            "secondary_target": data_block("subtarget"),
            "weight": number("weight"),
            "influence": number("influence"),
        },
    ),
    24: Kind("STEERING", STEERING),
    25: Kind("MOUSE", MOUSE),
}
