# SPDX-License-Identifier: GPL-3.0-or-later
"""Cameras: sensors that look along X."""

import math

from ...blender.game.blender27.game_data import add_logic_brick
from .creators import SensorCreator
from .shapes import Camera

_EYE = "CameraRobot"


class VideoCamera(SensorCreator):
    """A camera that looks along the robot's X, with Z up; `camera` is Blender's, below it.

    Its own axes are those of Blender's cameras, which look along -Z. `rotate` turns about the axes
    of what it shows: x is the line of sight.
    """

    _classpath = "morse.sensors.video_camera.VideoCamera"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.camera = Camera(_EYE)
        self.camera.name = _EYE
        self.append(self.camera)
        self.properties(
            cam_width=256, cam_height=256, cam_focal=35.0, capturing=True, Vertical_Flip=True
        )
        self.frequency(20)
        self._toggle_by_key()
        SensorCreator.rotate(self, x=math.pi / 2, z=math.pi / 2)
        self.mesh = self.add_body("CameraMesh", (-0.025, -0.025, -0.085), (0.025, 0.025, 0.0))
        self.rotate(z=math.pi)

    def _toggle_by_key(self) -> None:
        """The space key turns it on and off while the simulation runs."""
        item = self._bpy_object
        add_logic_brick(item, "sensors", "KEYBOARD")
        key = self._game.sensors[-1]
        key.key = "SPACE"
        add_logic_brick(item, "controllers", "LOGIC_AND")
        add_logic_brick(item, "actuators", "PROPERTY")
        toggled = self._game.actuators[-1]
        toggled.mode = "TOGGLE"
        toggled.property = "capturing"
        self._game.controllers[-1].link(sensor=key, actuator=toggled)

    def rotate(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        """Turns it on about its line of sight x, in radians."""
        super().rotate(x=y, y=z, z=x)

    def hide_mesh(self, hide: bool = True) -> None:
        """Hides its body from other cameras."""
        self.mesh.hide_render = hide


class DepthCamera(VideoCamera):
    _classpath = "morse.sensors.depth_camera.DepthCamera"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.properties(cam_near=1.0, cam_far=20.0, retrieve_depth=True, Vertical_Flip=False)


class SemanticCamera(VideoCamera):
    _classpath = "morse.sensors.semantic_camera.SemanticCamera"

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.properties(cam_width=512, cam_height=512, Vertical_Flip=False)
