# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender 2.79's data on its game engine: names, choices, and the settings of new things.

A name that is missing here can be set too, and is then kept unchecked: a gap in a table must not
stop a script that ran. Choices are checked, since scripts rely on the TypeError.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..blend_file.object_settings import DEFAULTS

Default = bool | int | float | str | tuple[Any, ...]


class GameSetting(NamedTuple):
    """A setting of the game engine. `default` also gives the type. `choices` are the values of an
    enumeration. `collection` is the list of bpy.data with the thing whose name is kept."""

    default: Default
    choices: tuple[str, ...] = ()
    collection: str = ""


Settings = Mapping[str, GameSetting]


def _settings(**defaults: Default) -> dict[str, GameSetting]:
    return {name: GameSetting(default) for name, default in defaults.items()}


def _choice(*choices: str) -> GameSetting:
    """Makes a setting whose first choice is the default."""
    return GameSetting(choices[0], choices)


def _of(collection: str) -> GameSetting:
    return GameSetting("", (), collection)


OBJECT: Settings = {
    **_settings(**DEFAULTS),
    "physics_type": GameSetting(
        "STATIC",
        (
            *("NO_COLLISION", "STATIC", "DYNAMIC", "RIGID_BODY", "SOFT_BODY", "OCCLUDE"),
            *("SENSOR", "NAVMESH", "CHARACTER"),
        ),
    ),
    "collision_bounds_type": _choice(
        "BOX", "SPHERE", "CYLINDER", "CONE", "CONVEX_HULL", "TRIANGLE_MESH", "CAPSULE"
    ),
    **_settings(
        collision_group=(True, *(False,) * 15),
        collision_mask=(True,) * 16,
        friction_coefficients=(1.0, 1.0, 1.0),
        show_actuators=False,
        show_controllers=False,
        show_debug_state=False,
        show_sensors=False,
        show_state_panel=False,
        use_all_states=False,
        use_physics_fh=False,
    ),
}

SCENE: Settings = {
    "physics_engine": _choice("BULLET", "NONE"),
    # 2.69 was the last with SINGLETEXTURE: that it fails tells MORSE to take MULTITEXTURE.
    "material_mode": _choice("MULTITEXTURE", "GLSL"),
    "frame_type": _choice("LETTERBOX", "EXTEND", "SCALE"),
    "vsync": GameSetting("ON", ("OFF", "ON", "ADAPTIVE")),
    "stereo": _choice("NONE", "STEREO", "DOME"),
    "stereo_mode": GameSetting(
        "ANAGLYPH",
        (
            *("QUADBUFFERED", "ABOVEBELOW", "INTERLACED", "ANAGLYPH", "SIDEBYSIDE"),
            *("VINTERLACE", "3DTVTOPBOTTOM"),
        ),
    ),
    "obstacle_simulation": _choice("NONE", "RVO_SAMPLES", "RVO_RAYS"),
    **_settings(
        activity_culling_box_radius=1000.0,
        angular_deactivation_threshold=1.0,
        deactivation_time=0.0,
        depth=32,
        fps=60,
        frame_color=(0.0, 0.0, 0.0),
        frequency=60,
        level_height=2.0,
        linear_deactivation_threshold=0.8,
        logic_step_max=5,
        occlusion_culling_resolution=128,
        physics_gravity=9.8,
        physics_step_max=5,
        physics_step_sub=1,
        resolution_x=640,
        resolution_y=480,
        show_bounding_box=False,
        show_debug_properties=False,
        show_framerate_profile=False,
        show_fullscreen=False,
        show_mouse=False,
        show_obstacle_simulation=False,
        show_physics_visualization=False,
        stereo_eye_separation=0.1,
        use_activity_culling=False,
        use_animation_record=False,
        use_auto_start=False,
        use_desktop=False,
        use_display_lists=False,
        use_frame_rate=True,
        use_occlusion_culling=True,
        use_restrict_animation_updates=False,
    ),
}

PHYSICS: Settings = _settings(
    elasticity=0.0,
    fh_damping=0.0,
    fh_distance=0.0,
    fh_force=0.0,
    friction=0.5,
    use_fh_normal=False,
)
"""Of a material, as all tables below."""

GAME_MATERIAL: Settings = {
    "alpha_blend": _choice("OPAQUE", "ADD", "CLIP", "ALPHA", "ALPHA_SORT", "ALPHA_ANTIALIASING"),
    "face_orientation": _choice("NORMAL", "HALO", "BILLBOARD", "SHADOW"),
    **_settings(invisible=False, physics=True, text=False, use_backface_culling=True),
}

MATERIAL: Settings = {
    "transparency_method": _choice("MASK", "Z_TRANSPARENCY", "RAYTRACE"),
    **_settings(
        alpha=1.0,
        ambient=1.0,
        diffuse_intensity=0.8,
        emit=0.0,
        specular_hardness=50,
        translucency=0.0,
        use_cast_approximate=True,
        use_cast_buffer_shadows=True,
        use_cast_shadows=True,
        use_face_texture=False,
        use_face_texture_alpha=False,
        use_mist=True,
        use_object_color=False,
        use_raytrace=True,
        use_shadeless=False,
        use_shadows=True,
        use_transparency=False,
        use_vertex_color_paint=False,
    ),
}

_ANY_BRICK = _settings(active=True, pin=False, show_expanded=True)
_ANY_SENSOR = _settings(
    frequency=0,
    invert=False,
    tick_skip=0,
    use_level=False,
    use_pulse_false_level=False,
    use_pulse_true_level=False,
    use_tap=False,
)
_AXES = _choice("XAXIS", "YAXIS", "ZAXIS", "NEGXAXIS", "NEGYAXIS", "NEGZAXIS")

_SENSORS: Mapping[str, Settings] = {
    "ACTUATOR": _settings(actuator=""),
    "ALWAYS": {},
    "ARMATURE": {
        "test_type": _choice("STATECHG", "LINERRORBELOW", "LINERRORABOVE"),
        **_settings(bone="", constraint="", value=0.0),
    },
    "COLLISION": _settings(material="", property="", use_material=False, use_pulse=False),
    "DELAY": _settings(delay=0, duration=0, use_repeat=False),
    "JOYSTICK": {
        "event_type": _choice("BUTTON", "AXIS", "HAT", "AXIS_SINGLE"),
        "axis_direction": _choice("RIGHTAXIS", "UPAXIS", "LEFTAXIS", "DOWNAXIS"),
        "hat_direction": _choice("UP", "DOWN", "LEFT", "RIGHT"),
        **_settings(
            axis_number=1,
            axis_threshold=0,
            button_number=0,
            hat_number=1,
            joystick_index=0,
            single_axis_number=1,
            use_all_events=False,
        ),
    },
    "KEYBOARD": _settings(
        key="NONE",
        log="",
        modifier_key_1="NONE",
        modifier_key_2="NONE",
        target="",
        use_all_keys=False,
    ),
    "MESSAGE": _settings(subject=""),
    "MOUSE": {
        "mouse_event": _choice(
            *("LEFTCLICK", "MIDDLECLICK", "RIGHTCLICK", "WHEELUP", "WHEELDOWN"),
            *("MOVEMENT", "MOUSEOVER", "MOUSEOVERANY"),
        ),
        **_settings(use_pulse=False, use_x_ray=False),
    },
    "NEAR": _settings(distance=1.0, property="", reset_distance=2.0),
    "PROPERTY": {
        "evaluation_type": _choice(
            *("PROPEQUAL", "PROPNEQUAL", "PROPINTERVAL", "PROPCHANGED", "PROPEXPRESSION"),
            *("PROPLESSTHAN", "PROPGREATERTHAN"),
        ),
        **_settings(property="", value="", value_max="", value_min=""),
    },
    "RADAR": {"axis": _AXES, **_settings(angle=0.0, distance=0.0, property="")},
    "RANDOM": _settings(seed=0),
    "RAY": {
        "axis": _AXES,
        "ray_type": _choice("PROPERTY", "MATERIAL"),
        **_settings(material="", property="", range=0.01, use_x_ray=False),
    },
}
_CONTROLLERS: Mapping[str, Settings] = {
    **{
        f"LOGIC_{name}": _settings(states=1, use_priority=False)
        for name in ("AND", "OR", "NAND", "NOR", "XOR", "XNOR")
    },
    "EXPRESSION": _settings(expression="", states=1, use_priority=False),
    "PYTHON": {
        "mode": _choice("SCRIPT", "MODULE"),
        "text": _of("texts"),
        **_settings(module="", states=1, use_debug=False, use_priority=False),
    },
}
_ACTUATORS: Mapping[str, Settings] = {
    **{
        name: {}
        for name in (
            *("ACTION", "ARMATURE", "CAMERA", "CONSTRAINT", "EDIT_OBJECT", "FILTER_2D", "GAME"),
            *("MESSAGE", "MOTION", "MOUSE", "PARENT", "RANDOM", "SCENE", "STATE", "STEERING"),
        )
    },
    "PROPERTY": {
        "mode": _choice("ASSIGN", "ADD", "COPY", "TOGGLE", "LEVEL"),
        "object": _of("objects"),
        **_settings(object_property="", property="", value=""),
    },
    "SOUND": {
        "mode": _choice(
            *("PLAYSTOP", "PLAYEND", "LOOPSTOP", "LOOPEND"),
            *("LOOPBIDIRECTIONAL", "LOOPBIDIRECTIONALSTOP"),
        ),
        "sound": _of("sounds"),
        **_settings(
            cone_inner_angle_3d=6.2831853,
            cone_outer_angle_3d=6.2831853,
            cone_outer_gain_3d=0.0,
            distance_3d_max=3.4028235e38,
            distance_3d_reference=1.0,
            gain_3d_max=1.0,
            gain_3d_min=0.0,
            pitch=0.0,
            rolloff_factor_3d=1.0,
            use_sound_3d=False,
            volume=1.0,
        ),
    },
    "VISIBILITY": _settings(apply_to_children=False, use_occlusion=False, use_visible=True),
}

BRICKS: Mapping[str, Mapping[str, Settings]] = {
    "sensors": {name: {**_ANY_BRICK, **_ANY_SENSOR, **own} for name, own in _SENSORS.items()},
    "controllers": {name: {**_ANY_BRICK, **own} for name, own in _CONTROLLERS.items()},
    "actuators": {name: {**_ANY_BRICK, **own} for name, own in _ACTUATORS.items()},
}
"""Kind -> type -> its settings."""

PROPERTY_TYPES: Mapping[str, Default] = {
    "BOOL": False,
    "INT": 0,
    "FLOAT": 0.0,
    "STRING": "",
    "TIMER": 0.0,
}
"""Type of a game property -> its first value."""

_SPOKEN = {"FILTER_2D": "Filter 2D"}


def brick_name(brick_type: str) -> str:
    """Returns Blender's name for a new brick: LOGIC_AND is "And"."""
    plain = brick_type.removeprefix("LOGIC_").replace("_", " ").title()
    return _SPOKEN.get(brick_type, plain)


CAMERA = {
    "lens": 35.0,
    "sensor_width": 32.0,
    "sensor_height": 18.0,
    "clip_start": 0.1,
    "clip_end": 100.0,
    "display_size": 0.5,
}
"""The settings of a new camera in 2.7, in millimetres and metres. MORSE's scanners read its
angle."""
