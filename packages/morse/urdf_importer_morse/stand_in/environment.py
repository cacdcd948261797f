# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a builder script: its Environment, which names all components, writes the
configuration for MORSE and notes how the simulation should run."""

import logging
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pprint import pformat
from typing import Any

from urdf_importer.core.diagnostics import quote

from ..game_engine.game_data import GameData
from ..game_engine.scene_objects import add_empty, find_object, find_with_property
from ..game_engine.scene_setup import (
    game_settings,
    place_camera,
    save_file,
    use_metric_units,
    write_text,
)
from ..game_engine.storage import (
    get_properties,
    get_property,
    set_property,
    set_setting,
)
from .component import AbstractComponent
from .errors import MissingModelError
from .interfaces import STREAM_MANAGERS
from .models import append_model, find_model
from .naming import name_free_components, rename_trees, report_lost_names
from .robots import Robot
from .scene_words import SceneWords
from .script import SCRIPT, SIMULATION, TimeStrategies, drop_lost_components, find_script_frame

logger = logging.getLogger(__name__)

_PROPERTIES = "MORSE.Properties"
_HOLDER = "Scene_Script_Holder"
_CONFIG = "component_config.py"
_NODE_CONFIG = "multinode_config.py"
_TAG = "Robot_Tag"
_FASTEST = 1000.0


class Environment(SceneWords):
    """Where the robots are, and how the simulation runs. Made last, when all components are there:
    it names them after their variables.

    filename            a .blend of your own, whose objects are added; MORSE's own need MORSE
    main_scene          only the objects of this scene of it
    fastmode            without textures and lights
    component_renaming  names components after their variables
    auto_tune_time      runs the simulation as often as its fastest component asks for

    create() ends the script; it is called at the latest when the script's variables go. Raises
    MissingModelError for a .blend that is missing.
    """

    # Nothing to create until it is complete itself.
    _created = True

    def __init__(
        self,
        filename: str | PathLike[str],
        main_scene: str | None = None,
        fastmode: bool = False,
        component_renaming: bool = True,
        auto_tune_time: bool = True,
    ) -> None:
        super().__init__(filename=filename, category="environments")
        SCRIPT.components.remove(self)
        drop_lost_components()
        append_surroundings(filename, main_scene or "")
        add_default_interfaces()
        if component_renaming:
            name_free_components(find_script_frame(sys._getframe()).f_locals)
            rename_trees()
        self.fastmode = fastmode
        self.auto_tune_time = auto_tune_time
        self.is_material_mode_custom = False
        self._camera_location: Sequence[float] = (5.0, -5.0, 5.0)
        self._camera_rotation: Sequence[float] = (0.7854, 0.0, 0.7854)
        self._focal_length = 20.0
        self._multinode: Multinode | None = None
        self._display_camera: AbstractComponent | None = None
        item = add_empty()
        item.name = _PROPERTIES
        self.set_blender_object(item)
        self.set_camera_speed()
        self.set_camera_clip()
        self.set_gravity()
        self._created = False

    def set_camera_location(self, location: Sequence[float]) -> None:
        """Moves the viewer's camera to a place, in metres."""
        self._camera_location = location

    def set_camera_rotation(self, rotation: Sequence[float]) -> None:
        """Turns the viewer's camera: Euler angles, in radians."""
        self._camera_rotation = rotation

    def place_camera(self, location: Sequence[float]) -> None:
        """Moves the camera: the old name of set_camera_location."""
        self.set_camera_location(location)

    def aim_camera(self, rotation: Sequence[float]) -> None:
        """Turns the camera: the old name of set_camera_rotation."""
        self.set_camera_rotation(rotation)

    def set_camera_clip(self, clip_start: float = 0.1, clip_end: float = 100.0) -> None:
        """Sets the nearest and the farthest that the camera sees, in metres."""
        self._camera_clip = (clip_start, clip_end)

    def set_camera_speed(self, speed: float = 2.0) -> None:
        """Sets how fast keys move the camera, in m/s."""
        self._camera_speed = speed

    def set_camera_focal_length(self, focal_length: float = 20.0) -> None:
        """Sets the camera's focal length in millimetres."""
        self._focal_length = focal_length

    def set_material_mode(self, material_mode: str = "GLSL") -> None:
        super().set_material_mode(material_mode)
        self.is_material_mode_custom = True

    def select_display_camera(self, robot_camera: AbstractComponent) -> None:
        """Selects the camera whose picture is shown to the viewer too."""
        self._display_camera = robot_camera

    def configure_multinode(
        self,
        protocol: str = "socket",
        server_address: str = "localhost",
        server_port: str = "65000",
        distribution: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Spreads the simulation over several programs: node -> names of the robots that it
        runs."""
        before = self._multinode.distribution if self._multinode else {}
        self._multinode = Multinode(
            protocol=protocol,
            server_address=server_address,
            server_port=server_port,
            distribution=before if distribution is None else distribution,
        )

    def configure_stream_manager(self, stream_manager: str, **kwargs: Any) -> None:
        """Configures all streams of an interface."""
        manager = STREAM_MANAGERS.get(stream_manager, stream_manager)
        SCRIPT.configuration.stream_manager.setdefault(manager, {}).update(kwargs)

    def use_internal_syncer(self) -> None:
        """Lets an outside program decide when the simulation advances."""
        self.auto_tune_time = False
        self.properties(use_internal_syncer=True)
        self.configure_stream_manager("socket", time_sync=True)

    def add_service(  # type: ignore[override]  # as in MORSE, it has no components
        self, datastream: str
    ) -> None:
        """Answers requests to the simulator itself over an interface. Raises UnknownNameError."""
        super().add_service(datastream, SIMULATION)

    def configure_service(self, datastream: str) -> None:
        """Adds a service: the old name of add_service."""
        self.add_service(datastream)

    def create(self, name: str | None = None) -> None:
        """Ends the script: writes component_config.py and the settings of the simulation. `name` is
        this node of a simulation that runs on several; if none, the variable MORSE_NODE or the
        computer's name."""
        # Once: a failure is not tried again when the script's variables go.
        self._created = True
        for component in list(SCRIPT.components):
            finish = getattr(component, "after_renaming", None)
            if finish is not None:
                finish()
        report_lost_names()
        self._tune_time()
        self._note_properties()
        node = name or os.environ.get("MORSE_NODE") or socket.gethostname()
        robots = self._multinode.choose_robots(node) if self._multinode else None
        write_text(_CONFIG, SCRIPT.configuration.write_text(robots))
        if self._multinode:
            self._multinode.write(node)
        self._set_scene()
        SCRIPT.is_finished = True

    def save(
        self,
        filepath: str | PathLike[str] | None = None,
        check_existing: bool = False,
        compress: bool = True,
    ) -> None:
        """Saves the open file, under another name if given. Raises WriteError."""
        save_file(str(filepath or ""), check_existing=check_existing, compress=compress)

    def _tune_time(self) -> None:
        wanted = SCRIPT.configuration.find_highest_frequency()
        base = game_settings().fps
        if self.auto_tune_time:
            self.use_vsync("OFF")
            if wanted > base:
                self.simulator_frequency(wanted)
            return
        if wanted > base:
            logger.warning(
                "a component should act at %g Hz, but the simulation runs at %g Hz: set"
                " simulator_frequency",
                wanted,
                base,
            )
        scale = self.property_value("time_scale")
        if scale and wanted * scale > _FASTEST:
            logger.warning("%g Hz, %g times as fast, is too fast for MORSE", wanted, scale)

    def _note_properties(self) -> None:
        """Notes the properties where MORSE looks for them when the simulation starts."""
        noted = find_object(_PROPERTIES)
        kept = get_properties(self._bpy_object if noted is None else noted)
        holder = find_object(_HOLDER)
        if holder is None:
            holder = add_empty()
            holder.name = _HOLDER
        self.set_blender_object(holder)
        self.properties(**kept)
        self.properties(environment_file=str(self._blender_filename))
        if get_property(holder, "time_management") is None:
            self.properties(time_management=TimeStrategies.BestEffort)
        if self._display_camera is not None:
            set_setting(holder, "display_camera", self._display_camera.name)

    def _set_scene(self) -> None:
        settings = game_settings()
        settings.physics_engine = "BULLET"
        settings.physics_step_sub = self._physics_step_sub
        settings.frame_type = "EXTEND"
        settings.show_mouse = True
        if self.fastmode:
            self.set_material_mode("MULTITEXTURE")
        elif not self.is_material_mode_custom:
            self.set_material_mode("GLSL")
        use_metric_units()
        near, far = self._camera_clip
        camera = place_camera(
            self._camera_location,
            self._camera_rotation,
            lens=self._focal_length,
            near=near,
            far=far,
        )
        set_property(camera, "Speed", float(self._camera_speed))

    def __del__(self) -> None:
        """Creates the environment where the script did not."""
        if not self._created and not sys.is_finalizing() and self.is_alive():
            self.create()


def append_surroundings(filename: str | PathLike[str], scene: str = "") -> None:
    """Adds the objects of a .blend. Names of MORSE's own are only logged. Raises MissingModelError
    for a missing .blend."""
    try:
        path = find_model(filename)
    except MissingModelError:
        if str(filename).endswith(".blend"):
            raise
        logger.warning(
            "the environment %s comes with MORSE, which is not here: the scene stays unchanged",
            quote(str(filename)),
        )
        return
    append_model(path, scene=scene)


def add_default_interfaces() -> None:
    """Gives the components of robots with a default interface their missing streams and services
    over it. As in MORSE, the children of a component that MORSE does not call are left out, and
    services are added in any case."""
    for robot in list(SCRIPT.components):
        if not isinstance(robot, Robot) or not robot.default_interface:
            continue
        interface = robot.default_interface
        waiting = list(reversed(robot.children))
        while waiting:
            component = waiting.pop()
            if component.is_morseable():
                _add_default_interface(component, interface)
                waiting.extend(reversed(component.children))


def _add_default_interface(component: AbstractComponent, interface: str) -> None:
    manager = STREAM_MANAGERS.get(interface)
    has_stream = manager and SCRIPT.configuration.has_stream(component.name, manager)
    if not has_stream and component.is_exportable():
        component.add_stream(interface)
    component.add_service(interface)


@dataclass(frozen=True, slots=True, kw_only=True)
class Multinode:
    """`distribution` is node -> names of the robots that it runs."""

    protocol: str = "socket"
    server_address: str = "localhost"
    server_port: str = "65000"
    distribution: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def choose_robots(self, node: str) -> list[str] | None:
        """Returns the robots of a node; None, meaning all, if nothing was distributed."""
        if not self.distribution:
            return None
        found = self.distribution.get(node, ())
        return [found] if isinstance(found, str) else list(found)

    def write(self, node: str) -> None:
        """Makes all robots except this node's external ones, which do not move, and writes the
        node's configuration."""
        if node not in self.distribution:
            logger.warning("no robots were given to node %s", quote(node))
        own = set(self.distribution.get(node, ()))
        for name in own:
            item = find_object(name)
            if item is not None and _TAG not in GameData(item).properties:
                logger.warning("%s is not a robot, so node %s cannot run it", name, quote(node))
        for item in find_with_property(_TAG):
            if item.name not in own:
                game = GameData(item)
                game.properties[_TAG].name = f"External_{_TAG}"
                game.physics_type = "STATIC"
        settings = {
            "protocol": self.protocol,
            "node_name": node,
            "server_address": self.server_address,
            "server_port": self.server_port,
        }
        write_text(_NODE_CONFIG, f"node_config = {pformat(settings)}\n")
