# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots and other objects of a .blend, and the actuator that moves the bones of an armature."""

import math
from collections.abc import Sequence
from os import PathLike
from typing import Any

from urdf_importer.core.diagnostics import quote

from ..game_engine.functions import is_alive
from ..game_engine.game_data import GameData, add_logic_brick
from ..game_engine.paint import fade_below, set_friction
from ..game_engine.scene_objects import add_empty, find_object, select_only
from ..game_engine.scene_setup import update_scene
from ..game_engine.storage import get_properties, get_property
from .component import AbstractComponent
from .creators import ActuatorCreator, ComponentCreator
from .errors import ComponentTypeError, ScriptError, UnknownNameError


class Armature(ActuatorCreator):
    """Moves the armature object `armature_name`, from the .blend `model_name` if given.

    Bones whose IK has no target get one. Raises ScriptError without either name, UnknownNameError
    without the object, ComponentTypeError for an object that is not an armature.
    """

    _classpath = "morse.actuators.armature.Armature"

    def __init__(
        self,
        name: str | None = None,
        armature_name: str | None = None,
        model_name: str | None = None,
    ) -> None:
        if not armature_name and not model_name:
            raise ScriptError("an armature actuator needs the name of an armature or of a model")
        action = ComponentCreator.USE_BLEND if model_name else ComponentCreator.LINK_EXISTING_OBJECT
        super().__init__(name, action, model_name, armature_name)
        self.ik_targets: list[tuple[Any, str]] = []
        for bone in self._bpy_object.pose.bones:
            for constraint in bone.constraints:
                if (
                    constraint.type == "IK"
                    and constraint.ik_type == "DISTANCE"
                    and constraint.target is None
                ):
                    self.create_ik_targets([bone.name])

    def create_ik_targets(self, bones: Sequence[str]) -> None:
        """Makes an Empty for each of these bones, at which its IK aims; it is at the bone's tail as
        if the armature were at the origin. Raises ScriptError for an unknown bone, and for one with
        several IK constraints."""
        for name in bones:
            bone = self._find_bone(name)
            constraints = [each for each in bone.constraints if each.type == "IK"]
            if len(constraints) > 1:
                raise ScriptError(f"bone {quote(name)} has several IK constraints")
            target = add_empty()
            target.matrix_local = bone.bone.matrix_local
            target.location = bone.bone.tail_local
            aim = constraints[0] if constraints else bone.constraints.new("IK")
            aim.ik_type = "DISTANCE"
            aim.use_rotation = True
            aim.use_tail = True
            aim.target = target
            self.ik_targets.append((target, name))

    def after_renaming(self) -> None:
        """Gives the targets the names of the armature and their bones, as MORSE expects."""
        for target, bone in self.ik_targets:
            if is_alive(target):
                target.name = f"ik_target.{self.name}.{bone}"

    def _find_object(self, action: int, wanted: str | None) -> Any:
        item = super()._find_object(action, wanted)
        if item.type != "ARMATURE":
            raise ComponentTypeError(f"{quote(item.name)} is not an armature")
        return item

    def _find_bone(self, name: str) -> Any:
        bones = self._bpy_object.pose.bones
        if name not in bones:
            raise ScriptError(f"{quote(self.name)} has no bone {quote(name)}")
        return bones[name]


_COLLISION = "Collision"
_MOVED = ("robots", "sensors", "actuators")
_WHEELS = ("WheelFLName", "WheelFRName", "WheelRLName", "WheelRRName", "CasterWheelName")
_NO_WHEEL = "None"
_LEFT_AT = 0.075


class Component(AbstractComponent):
    """The objects of a .blend; the first is the component; an Empty without a file. Robots, sensors
    and actuators are made such that MORSE calls them, if they are not."""

    def __init__(
        self,
        category: str = "",
        filename: str | PathLike[str] | None = "",
        make_morseable: bool = True,
    ) -> None:
        super().__init__(filename=filename, category=category)
        made = self.append_meshes()
        if not made:
            raise ScriptError(f"{quote(str(filename))} has no objects")
        self.set_blender_object(made[0])
        if make_morseable and category in _MOVED and not self.is_morseable():
            self.morseable()


class Robot(Component):
    """A robot; components are appended to it. Without a file it is an Empty."""

    def __init__(self, filename: str | PathLike[str] = "", name: str | None = None) -> None:
        super().__init__("robots", filename)
        self.properties(Robot_Tag=True)
        self.default_interface: str | None = None
        if name:
            self.name = name

    def add_default_interface(self, stream: str) -> None:
        """Adds services and streams over an interface, when the environment is made, to all of its
        components that have none over it."""
        self.default_interface = stream

    def set_friction(self, friction: float = 0.0) -> None:
        """Sets the friction of its own object's materials, 0 to 100."""
        set_friction(self._bpy_object, friction)

    def set_mass(self, mass: float) -> None:
        """Sets the mass in kilograms."""
        self._game.mass = mass

    def set_physics_type(self, physics_type: str) -> None:
        """Sets NO_COLLISION, STATIC, DYNAMIC, RIGID_BODY or another physics type of the game
        engine. Raises TypeError for others."""
        self._game.physics_type = physics_type

    def set_rigid_body(self) -> None:
        """Lets forces move and turn it."""
        self._game.use_actor = True
        self._game.physics_type = "RIGID_BODY"
        self._game.use_sleep = True

    def set_dynamic(self) -> None:
        """Lets forces move it."""
        self._game.physics_type = "DYNAMIC"
        self._game.use_actor = True
        self._game.use_sleep = True

    def set_no_collision(self) -> None:
        """Lets only MORSE move it, through everything."""
        self._game.physics_type = "NO_COLLISION"

    def set_collision_bounds(self) -> None:
        """Makes its body the hull of all its shapes."""
        self._game.use_collision_bounds = True
        self._game.collision_bounds_type = "CONVEX_HULL"
        self._game.use_collision_compound = True

    def make_external(self) -> None:
        """Leaves it to another simulator. Raises UnknownNameError if it was external already."""
        tag = self._game.properties.get("Robot_Tag")
        if tag is None:
            raise UnknownNameError(f"{quote(self.name)} has no Robot_Tag")
        tag.name = "External_Robot_Tag"

    def make_ghost(self, alpha: float = 0.3) -> None:
        """Makes it visible to cameras, transparent, and untouchable. `alpha` is 0 for invisible and
        1 for opaque."""
        fade_below(self._bpy_object, alpha)

    def make_grasper(self, obj_name: str) -> None:
        """Lets one of its objects sense graspable objects near it. Raises UnknownNameError."""
        item = find_object(obj_name)
        if item is None:
            raise UnknownNameError(f"there is no object {quote(obj_name)}")
        select_only(item)
        near = _feel_near(item, "Near", 5.0)
        near.property = "Graspable"


class GroundRobot(Robot):
    """A robot that stands on the ground."""

    def __init__(self, filename: str | PathLike[str], name: str | None) -> None:
        super().__init__(filename, name)
        self.properties(GroundRobot=True)


class WheeledRobot(GroundRobot):
    """A robot on wheels, whose file looks along Y. Its wheels have no parent: the game engine turns
    them."""

    def __init__(self, filename: str | PathLike[str], name: str | None) -> None:
        Robot.__init__(self, filename, name)

    def unparent_wheels(self) -> None:
        """Unparents all objects on it that are called wheels, and notes which is which."""
        update_scene()
        wheels = [item for item in self._bpy_object.children if "wheel" in item.name.lower()]
        expected = get_properties(self._bpy_object)
        names = {key: _NO_WHEEL for key in _WHEELS}
        for key in _WHEELS:
            if beginning := expected.get(key):
                for wheel in wheels:
                    if wheel.name.startswith(str(beginning)):
                        names[key] = wheel.name
        self.properties(**names)
        for wheel in wheels:
            place = wheel.matrix_world.copy()
            wheel.parent = None
            wheel.matrix_world = place

    def after_renaming(self) -> None:
        """Turns its components from X ahead, as all robots have it, to Y ahead, as its file has
        it."""
        self.unparent_wheels()
        for component in self.children:
            item = component._bpy_object
            x, y, z = item.rotation_euler
            item.rotation_euler = (x, y, z + math.pi / 2)
            x, y, z = item.location
            item.location = (-y, x, z)


class FakeRobot(Robot):
    """An invisible robot: an Empty that carries components."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name=name)
        self.properties(classpath="morse.robots.fakerobot.FakeRobot")
        self.set_no_collision()


class PassiveObject(AbstractComponent):
    """Objects of a .blend without behaviour. MORSE's own need MORSE.

    prefix     only objects whose names begin so
    keep_pose  where the file has the first of them, not at the origin
    """

    def __init__(
        self,
        filename: str | PathLike[str] = "props/objects",
        prefix: str | None = None,
        keep_pose: bool = False,
    ) -> None:
        super().__init__(filename=filename)
        made = self.append_meshes(prefix=prefix)
        if not made:
            raise ScriptError(f"{quote(str(filename))} has no objects {quote(f'{prefix}...')}")
        self.set_blender_object(made[0])
        if not keep_pose:
            self.location = (0.0, 0.0, 0.0)
            self.rotation_euler = (0.0, 0.0, 0.0)

    def setgraspable(self) -> None:
        """Lets robots grasp it."""
        item = self._bpy_object
        label = {} if get_property(item, "Label") is not None else {"Label": item.name}
        self.properties(Object=True, Graspable=True, **label)
        if _COLLISION not in self._game.sensors:
            _feel_near(item, _COLLISION, 0.05)


def _feel_near(item: Any, name: str, distance: float) -> Any:
    """Adds a sensor of objects near an object, in metres, that wakes a controller of its own."""
    add_logic_brick(item, "sensors", "NEAR")
    game = GameData(item)
    sensor = game.sensors[-1]
    sensor.name = name
    sensor.distance = distance
    sensor.reset_distance = _LEFT_AT
    add_logic_brick(item, "controllers", "LOGIC_AND")
    game.controllers[-1].link(sensor=sensor)
    return sensor
