# SPDX-License-Identifier: GPL-3.0-or-later
"""The methods of an environment about the scene and the simulation's time: MORSE's names for the
game engine's settings, which are kept in the scene (scene_setup.py)."""

import logging
import math
from collections.abc import Sequence
from typing import Any

from urdf_importer.core.diagnostics import quote

from ..game_engine.scene_setup import (
    game_settings,
    set_background,
    set_debug,
    set_engine,
    set_gravity,
    set_mist,
    set_viewport,
    set_world_color,
)
from ..game_engine.scene_views import GAME_ENGINE
from .component import AbstractComponent
from .errors import UnknownNameError
from .script import TimeStrategies

logger = logging.getLogger(__name__)

_MIST = {
    "falloff": "falloff",
    "intensity": "intensity",
    "start": "start",
    "depth": "depth",
    "enable": "use_mist",
}


class SceneWords(AbstractComponent):
    auto_tune_time: bool

    def show_debug_properties(self, value: bool = True) -> None:
        """Shows the game properties that are marked so while the simulation runs."""
        self._show("show_debug_properties", value)

    def show_framerate(self, value: bool = True) -> None:
        self._show("show_framerate_profile", value)

    def show_physics(self, value: bool = True) -> None:
        """Shows the bounds of bodies while the simulation runs."""
        self._show("show_physics_visualization", value)

    def _show(self, name: str, value: Any) -> None:
        if isinstance(value, bool):
            setattr(game_settings(), name, value)
        else:
            logger.warning("%s is neither True nor False, so nothing changes", quote(str(value)))

    def set_gravity(self, gravity: Any = 9.81) -> None:
        """Sets gravity downwards, in m/s^2. As in MORSE, only floats count."""
        if isinstance(gravity, float):
            set_gravity(gravity)
        else:
            logger.warning("%s is not a float, so gravity stays", quote(str(gravity)))

    def set_horizon_color(self, color: Sequence[float] = (0.05, 0.22, 0.4)) -> None:
        """Sets the colour (r, g, b) around everything."""
        set_world_color(color)

    def enable_mist(self, value: bool = True) -> None:
        if isinstance(value, bool):
            set_mist(use_mist=value)

    def set_mist_settings(self, **settings: Any) -> None:
        """Sets enable, intensity (0 to 1), start and depth (metres), falloff (QUADRATIC, LINEAR,
        INVERSE_QUADRATIC). Raises TypeError for other values."""
        set_mist(**{_MIST[name]: value for name, value in settings.items() if name in _MIST})

    def set_material_mode(self, material_mode: str = "GLSL") -> None:
        """Sets GLSL or MULTITEXTURE. Raises TypeError for others."""
        game_settings().material_mode = material_mode

    def set_viewport(self, viewport_shade: str = "WIREFRAME", clip_end: float = 1000.0) -> None:
        """Sets how Blender's own views show things: WIREFRAME, SOLID or TEXTURED, up to a distance
        in metres."""
        set_viewport(viewport_shade, clip_end)

    def set_auto_start(self, auto_start: bool = True) -> None:
        """Starts the simulation as soon as the file is opened."""
        set_engine(GAME_ENGINE)
        game_settings().use_auto_start = auto_start

    def set_time_strategy(self, strategy: int) -> None:
        """Sets the time strategy, in TimeStrategies. Raises ValueError for anything else."""
        if strategy not in (TimeStrategies.BestEffort, TimeStrategies.FixedSimulationStep):
            raise ValueError(f"{strategy!r} is not one of TimeStrategies")
        is_fixed = strategy == TimeStrategies.FixedSimulationStep
        game_settings().use_frame_rate = not is_fixed
        if is_fixed:
            self.auto_tune_time = False
        self.properties(time_management=strategy)

    def set_time_scale(
        self, slowdown_by: float | None = None, accelerate_by: float | None = None
    ) -> None:
        """Sets by how much slower, or faster, than real time the simulation runs: one of the
        two."""
        if slowdown_by and not accelerate_by:
            self.properties(time_scale=1.0 / slowdown_by)
        elif accelerate_by and not slowdown_by:
            self.properties(time_scale=accelerate_by)
        else:
            logger.error("set_time_scale needs one of slowdown_by and accelerate_by")

    def use_relative_time(self, relative_time: bool) -> None:
        """Counts time from the start of the simulation, or from 1970."""
        self.properties(use_relative_time=relative_time)

    def simulator_frequency(
        self, base_frequency: float = 60, logic_step_max: int = 20, physics_step_max: int = 20
    ) -> None:
        """Sets how often the simulation advances, in Hz (up to the next whole number), and how many
        steps of logic and physics it may catch up at once."""
        settings = game_settings()
        settings.fps = math.ceil(base_frequency)
        settings.logic_step_max = logic_step_max
        settings.physics_step_max = physics_step_max
        self.auto_tune_time = False

    def set_physics_step_sub(self, step_sub: int) -> None:
        """Sets into how many parts a step of physics is divided."""
        self._physics_step_sub = step_sub

    _physics_step_sub = 2

    def use_vsync(self, vsync: str) -> None:
        """Sets ON, OFF or ADAPTIVE. Raises TypeError for others."""
        game_settings().vsync = vsync

    def fullscreen(self, fullscreen: bool = True) -> None:
        """Shows the simulation in the size of the desktop."""
        settings = game_settings()
        settings.show_fullscreen = fullscreen
        settings.use_desktop = True

    def set_stereo(
        self, mode: str = "ANAGLYPH", eye_separation: float = 0.1, stereo: str = "STEREO"
    ) -> None:
        """Sets how the picture is shown to two eyes, and how far apart these are, in metres. Raises
        TypeError for unknown modes."""
        settings = game_settings()
        settings.stereo = stereo
        settings.stereo_mode = mode
        settings.stereo_eye_separation = eye_separation

    def set_animation_record(self, record: bool = True) -> None:
        """Records the simulation as an animation."""
        game_settings().use_animation_record = record

    def set_debug(self, debug: bool = True) -> None:
        """Sets Blender's own debug mode."""
        set_debug(debug)

    def set_background_scene(self, scene: str) -> None:
        """Sets the scene that is seen behind this one. Raises UnknownNameError."""
        if not set_background(scene):
            raise UnknownNameError(f"there is no scene {quote(scene)}")

    def set_log_level(self, component: str, level: str) -> None:
        """Sets the log level of a class of MORSE: debug, info, warning, error. Raises ValueError
        for others."""
        logging.getLogger(f"morse.{component}").setLevel(level.upper())
