# SPDX-License-Identifier: GPL-3.0-or-later
"""Actuators that need no .blend of MORSE, with MORSE's settings."""

import re
from os import PathLike
from pathlib import Path
from typing import Any

from urdf_importer.core.diagnostics import quote

from ..game_engine.game_data import GameData, add_logic_brick
from ..game_engine.scene_objects import add_empty, load_sound
from ..game_engine.storage import set_property
from .creators import ActuatorCreator, make_creators
from .errors import MissingModelError
from .shapes import Spot

_NUMBER = re.compile(r"[0-9]+")
_SIDES = {"L": 1.0, "R": -1.0}


class Drag(ActuatorCreator):
    _classpath = "morse.actuators.drag.Drag"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.mark_unexportable()


class Joystick(ActuatorCreator):
    """Moves the robot by a joystick: `index` says which, from 0."""

    _classpath = "morse.actuators.joystick.Joystick"

    def __init__(self, name: str | None = None, index: int = 0) -> None:
        super().__init__(name)
        self.mark_unexportable()
        moved = self._game.sensors[-1]
        moved.type = "JOYSTICK"
        moved.use_pulse_true_level = True
        moved.joystick_index = index
        moved.event_type = "AXIS"
        moved.use_all_events = True


class Keyboard(ActuatorCreator):
    """Moves the robot by the arrow keys."""

    _classpath = "morse.actuators.keyboard.Keyboard"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.mark_unexportable()


class Light(ActuatorCreator):
    """A spot that can be turned on and off. Its properties size (radians), distance (metres) and
    color ("(255, 127, 0)") also apply to the light."""

    _classpath = "morse.actuators.light.Light"

    def __init__(self, name: str | None = None) -> None:
        self.light: Spot | None = None
        super().__init__(name)
        self.light = Spot("LightSpot")
        self.append(self.light)
        self.properties(Emit=True)

    def properties(self, **kwargs: Any) -> None:
        super().properties(**kwargs)
        if self.light is not None:
            color = kwargs.get("color")
            self.light.shine(
                size=kwargs.get("size"),
                distance=kwargs.get("distance"),
                color=None if color is None else [int(part) for part in _NUMBER.findall(color)],
            )


class Sound(ActuatorCreator):
    """Plays a sound."""

    _classpath = "morse.actuators.sound.Sound"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.properties(mode="play")
        add_logic_brick(self._bpy_object, "actuators", "SOUND", "MORSE_SOUND")
        self._game.controllers[-1].link(actuator=self._game.actuators[-1])

    def open(self, filepath: str | PathLike[str]) -> None:
        """Takes the sound from a file. Raises MissingModelError where there is none."""
        if not Path(filepath).is_file():
            raise MissingModelError(f"there is no sound {quote(str(filepath))}")
        player = self._game.actuators[-1]
        player.sound = load_sound(str(filepath))
        player.use_sound_3d = True
        player.distance_3d_max = 10000.0


class Waypoint(ActuatorCreator):
    """Drives the robot to a place; two radars in front of it see obstacles in the way."""

    _classpath = "morse.actuators.waypoint.Waypoint"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.properties(Target="")
        for side in _SIDES:
            self._add_radar(side)

    def _add_radar(self, side: str) -> None:
        seen = f"{side}collision"
        item = add_empty(f"Radar.{side}", "PLAIN_AXES")
        item.location = (0.7, _SIDES[side] * 0.4, 0.8)
        item.parent = self._bpy_object
        set_property(item, seen, False)
        add_logic_brick(item, "sensors", "RADAR")
        radar = GameData(item).sensors[-1]
        radar.angle = 5.0
        radar.distance = 3.0
        radar.axis = "XAXIS"
        radar.use_pulse_true_level = True
        radar.tick_skip = 20
        _assign(item, radar, "LOGIC_AND", seen, "True")
        _assign(item, radar, "LOGIC_NAND", seen, "False")


def _assign(item: Any, radar: Any, controller_type: str, name: str, value: str) -> None:
    """Lets a radar set a game property: when it sees something, or (NAND) when it does not."""
    game = GameData(item)
    add_logic_brick(item, "controllers", controller_type)
    add_logic_brick(item, "actuators", "PROPERTY")
    actuator = game.actuators[-1]
    actuator.property = name
    actuator.mode = "ASSIGN"
    actuator.value = value
    game.controllers[-1].link(sensor=radar, actuator=actuator)


ACTUATORS = make_creators(
    ActuatorCreator,
    {
        "Destination": "destination.Destination",
        "ExternalForce": "external_force.ExternalForce",
        "ForceTorque": "force_torque.ForceTorque",
        "MocapControl": "mocap_control.MocapControl",
        "MotionVW": "v_omega.MotionVW",
        "MotionVWDiff": "v_omega_diff_drive.MotionVWDiff",
        "MotionXYW": "xy_omega.MotionXYW",
        "Orientation": "orientation.Orientation",
        "QuadrotorDynamicControl": "quadrotor_dynamic_control.QuadrotorDynamicControl",
        "RotorcraftAttitude": "rotorcraft_attitude.RotorcraftAttitude",
        "RotorcraftVelocity": "rotorcraft_velocity.RotorcraftVelocity",
        "RotorcraftWaypoint": "rotorcraft_waypoint.RotorcraftWaypoint",
        "StabilizedQuadrotor": "stabilized_quadrotor.StabilizedQuadrotor",
        "SteerForce": "steer_force.SteerForce",
        "Teleport": "teleport.Teleport",
    },
    "morse.actuators",
)
"""Actuators without settings, by name."""
