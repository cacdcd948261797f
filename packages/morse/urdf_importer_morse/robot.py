# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots of builder scripts that come from a description.

`DescribedRobot` is a description's addition to a builder's Robot: MORSE's own if it can be
imported, else the stand-in's. It uses only public methods to make the structure that MORSE expects:
a root with the robot's tag, below it the armature, and the links' empties flat below that.
"""

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from urdf_importer import (
    BuildError,
    Diagnostic,
    Diagnostics,
    ImportOptions,
    ImportResult,
    KinematicsError,
    Robot,
    check_morse_profile,
    import_robot,
    write_builder_script,
)
from urdf_importer.core.arguments import options_of, texts_of
from urdf_importer.core.diagnostics import quote
from urdf_importer.core.kinematics.forward import Position

from .sensors import SensorSuggestion, suggest_sensors

logger = logging.getLogger(__name__)

SUFFIXES = (".urdf", ".xacro")

# Findings about sliding joints that an armature of their own resolves.
_MISREAD = ("morse-prismatic-misread", "morse-prismatic-runaway")


def is_description(filename: Any) -> bool:
    """Returns whether a robot's file is a description rather than one of Blender's files."""
    return isinstance(filename, str | PathLike) and str(filename).lower().endswith(SUFFIXES)


class DescribedRobot:
    """A robot of a builder script, made from a URDF or xacro file.

        robot = URDFRobot("arm.urdf", name="arm")
        arm = robot.armature()
        robot.append(VideoCamera(), link="hand")

    filename       the description; found like the builder's robots, from the working folder
    name           the robot's name; the variable's name if none
    package_paths  folders in which to look for packages; files in them may be read
    packages       package -> folder
    xacro_args     argument -> value, for xacro files
    options        an ImportOptions, for everything else; its rig profile is morse

    Raises RobotError, one sentence with file and line, if there is no robot; nothing is left behind
    then.
    """

    # Of the builder's Robot.
    _bpy_object: Any
    _blender_filename: Any
    _builder: ModuleType
    name: str

    _options: ImportOptions | None = None
    _result: ImportResult | None = None
    _sensors: tuple[SensorSuggestion, ...] | None = None
    _state: Any = None
    _end_effector: Any = None

    def __init__(
        self,
        filename: str | PathLike[str],
        name: str | None = None,
        *,
        package_paths: Sequence[str | PathLike[str]] = (),
        packages: Mapping[str, str | PathLike[str]] | None = None,
        xacro_args: Mapping[str, str] | None = None,
        options: ImportOptions | None = None,
    ) -> None:
        options = options_of(options, ImportOptions)
        self._options = replace(
            options,
            package_paths=(*options.package_paths, *texts_of(package_paths, "package_paths")),
            packages=(*options.packages, *((k, str(v)) for k, v in (packages or {}).items())),
            xacro_args=(*options.xacro_args, *(xacro_args or {}).items()),
        )
        if not is_description(filename):
            raise BuildError(f"{quote(str(filename))} is not a robot description (.urdf or .xacro)")
        try:
            super().__init__(str(filename), name)  # type: ignore[call-arg]
        except BaseException:
            forget(self)
            raise

    def append_meshes(
        self, objects: Any = None, component: Any = None, prefix: Any = None
    ) -> list[Any]:
        """Returns the robot's objects, the root first, when the builder's Robot asks for them. For
        files of Blender it does the same as the builder."""
        filename = component or self._blender_filename
        if not is_description(filename):
            found: list[Any] = super().append_meshes(objects, component, prefix)  # type: ignore[misc]
            return found
        from .game_engine.robots import build_root, set_physics

        options = replace(self._options or ImportOptions(), profile="morse")
        self._result = import_robot(_find_description(filename), options=options)
        self._actuators: dict[Any, Any] = {}
        self._targets: list[tuple[Any, Any, str]] = []
        root = build_root(self.rig, self._result.robot.name)
        self.rig.name = f"{self._result.robot.name}_armature"
        set_physics(root, self.rig)
        _report((*self.diagnostics, *self.check()))
        return [root, self.rig, *self.links.values()]

    @property
    def rig(self) -> Any:
        """The armature object of the whole robot; armatures split off it are parented to it."""
        return self._made.armature

    @property
    def description(self) -> Robot:
        """The robot as the file describes it."""
        return self._made.robot

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Substitutes and losses of the description."""
        return self._made.diagnostics

    @property
    def links(self) -> Mapping[str, Any]:
        """Link name -> its empty, in the frame that the description gives the link."""
        from .game_engine.robots import find_links

        return MappingProxyType(find_links(self.rig))

    @property
    def joints(self) -> Mapping[str, Any]:
        """Joint name -> pose bone, of the joints that MORSE can move, from the root outwards."""
        from .game_engine.robots import find_joints

        return MappingProxyType(find_joints(self.rig))

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """Group -> joints: arms, legs, hands, as the joints branch."""
        from urdf_importer.core.blender.standing.robot_table import read_table

        return MappingProxyType({c.title: c.joints for c in read_table(self.rig).chains})

    def check(self) -> tuple[Diagnostic, ...]:
        """Returns the joints that MORSE cannot drive, or drives differently."""
        from urdf_importer.core.blender.standing.armatures import armatures_of

        return tuple(item for each in armatures_of(self.rig) for item in check_morse_profile(each))

    def append(self, obj: Any, child: str | None = None, level: int = 1, *, link: str = "") -> None:
        """Appends a component to the robot's root, or to the frame of a link (`child`, MORSE's own
        word for it, may name a link too). Raises KinematicsError for an unknown link."""
        from urdf_importer.core.blender.standing.links import find_link

        where = link or (child if child in self.links else "")
        if not where:
            super().append(obj, child, level + 1)  # type: ignore[misc]
            return
        holder = find_link(self.rig, where)
        super().append(obj, None, level + 1)  # type: ignore[misc]
        obj._bpy_object.parent = holder

    def armature(self, group: str = "", joints: Sequence[str] = ()) -> Any:
        """Returns the actuator of the whole robot, MORSE's Armature, or the actuator of a group of
        joints, which get an armature of their own: one of `groups`, or these `joints` under a name
        of your own. The same group always gives the same actuator.

        MORSE reads a sliding joint correctly only if it begins an armature. Raises KinematicsError
        for an unknown group, and for joints that are not connected.
        """
        return self._actuate(self._find_armature(group, joints))

    def armatures(self) -> tuple[Any, ...]:
        """Returns the actuators of all joints. Sliding joints that MORSE would misread first get
        armatures of their own, and so do the joints beyond them."""
        for item in self.check():
            if item.code in _MISREAD:
                self._find_armature(item.subject, (item.subject,))
        return tuple(self._actuate(rig) for rig in self._driven_rigs())

    def joint_state(self) -> Any:
        """Returns the sensor of all joint positions: MORSE's ArmaturePose, or a CompoundSensor of
        them if the robot has several armatures."""
        if self._state is None:
            poses = [self._sense(self._actuate(rig)) for rig in self._driven_rigs()]
            if len(poses) == 1:
                self._state = poses[0]
            else:
                self._state = self._builder.CompoundSensor(poses, "joint_state")
                self.append(self._state)
        return self._state

    def set_joints(self, positions: Mapping[str, Position]) -> None:
        """Poses the robot; joints that mimic others follow. Radians and metres. Raises
        KinematicsError for an unknown joint. When a simulation starts, MORSE's actuator drives all
        joints to zero unless it is sent other positions."""
        from urdf_importer import set_joint_positions

        set_joint_positions(self.rig, positions)

    def create_ik_targets(self, ends: Sequence[str] = ()) -> list[Any]:
        """Makes targets at these links or joints, for the actuators' cartesian services; if none
        are named, at the ends of all rows of three joints or more. Returns their empties, which get
        their names when the environment is created. Raises KinematicsError for parts that no joint
        moves."""
        from .game_engine import robots

        for rig, bone in robots.find_ik_bones(self.rig, ends):
            actuator = self._actuate(rig)
            actuator.create_ik_targets([bone])
            target, _ = actuator.ik_targets[-1]
            robots.relax_ik(rig.pose.bones[bone])
            robots.place_ik_target(target, rig, bone)
            self._targets.append((target, rig, bone))
        return [target for target, _, _ in self._targets]

    def set_end_effector(self, link: str) -> None:
        """Makes a link the place where MORSE mounts additions to an actuator. Raises
        KinematicsError for an unknown link."""
        from urdf_importer.core.blender.standing.links import find_link

        from .game_engine.robots import mark_end_effector

        self._end_effector = find_link(self.rig, link)
        mark_end_effector(self.rig, self._end_effector)

    def set_physics_type(self, physics_type: str) -> None:
        """Sets NO_COLLISION (only actuators move the robot), STATIC, DYNAMIC, RIGID_BODY, CHARACTER
        or another physics type of the game engine. Bodies that move by themselves take the
        collision shapes of all links as theirs."""
        from .game_engine.robots import set_physics_type

        set_physics_type(self._bpy_object, physics_type)

    def suggest_sensors(self) -> tuple[SensorSuggestion, ...]:
        """Returns the description's own sensors, as components of MORSE."""
        if self._sensors is None:
            diagnostics = Diagnostics(self.description.source)
            self._sensors = suggest_sensors(self.description, diagnostics)
            _report(diagnostics)
        return self._sensors

    def append_suggested_sensors(self) -> dict[str, Any]:
        """Appends the description's own sensors to their links. Returns name -> component."""
        from .game_engine.robots import place_component

        made = {}
        for wanted in self.suggest_sensors():
            component = getattr(self._builder, wanted.component)(wanted.name)
            component.properties(**dict(wanted.properties))
            if wanted.frequency:
                component.frequency(wanted.frequency)
            self.append(component, link=wanted.link)
            place_component(component._bpy_object, wanted.frame)
            made[wanted.name] = component
        return made

    def after_renaming(self) -> None:
        """Puts the targets of the robot's IK in their places again when the environment is created:
        the robot is in its final place then. The builder calls this."""
        from .game_engine import robots

        for target, rig, bone in self._targets:
            robots.place_ik_target(target, rig, bone)
        if self._end_effector is not None:
            robots.mark_end_effector(self.rig, self._end_effector)
        above = getattr(super(), "after_renaming", None)
        if above is not None:
            above()

    def save_blend(self, path: str | PathLike[str]) -> None:
        """Saves the scene in its present state, with MORSE's data. Raises WriteError."""
        from urdf_importer import save_blend

        save_blend(path)

    def to_builder_script(self, path: str | PathLike[str]) -> None:
        """Writes a builder script that makes this robot in MORSE without the description, its
        meshes or this program. Raises WriteError."""
        write_builder_script(self.rig, path)

    @property
    def _made(self) -> ImportResult:
        if self._result is None:
            raise BuildError("this robot was not made from a description")
        return self._result

    def _find_armature(self, group: str, joints: Sequence[str]) -> Any:
        """Returns the armature of a group, split off if it has none yet."""
        from urdf_importer.core.blender.standing.armatures import armatures_by_name

        from .split.split import split_armature

        known = armatures_by_name(self.rig)
        if group in known:
            return known[group]
        wanted = joints or self.groups.get(group, ())
        if not wanted:
            raise KinematicsError(
                f"the robot has no group {quote(group)}; "
                f"it has {', '.join(map(quote, self.groups)) or 'none'}"
            )
        return split_armature(self.rig, group, wanted)

    def _driven_rigs(self) -> list[Any]:
        """Returns the armatures that hold any joint."""
        from urdf_importer.core.blender.standing.armatures import armatures_of

        return [rig for rig in armatures_of(self.rig) if rig.pose and rig.pose.bones]

    def _actuate(self, rig: Any) -> Any:
        """Returns the one actuator of an armature."""
        from urdf_importer.core.blender.standing.armatures import name_armature

        if rig not in self._actuators:
            name = name_armature(rig) or "armature"
            plain = "".join(c if c.isalnum() else "_" for c in name)
            actuator = self._builder.Armature(plain, armature_name=rig.name)
            self._adopt(actuator)
            self._actuators[rig] = actuator
        return self._actuators[rig]

    def _adopt(self, component: Any) -> None:
        """Makes an object of the rig a component of the robot, and leaves it where it is."""
        item = component._bpy_object
        parent = item.parent
        super().append(component)  # type: ignore[misc]
        item.parent = parent

    def _sense(self, actuator: Any) -> Any:
        from .game_engine.robots import mark_internal

        pose = self._builder.ArmaturePose("pose")
        actuator.append(pose)
        # Mounted on an end effector it would read another armature, the one above that.
        mark_internal(pose._bpy_object)
        return pose


def _report(findings: Iterable[Diagnostic]) -> None:
    for item in findings:
        logger.warning("%s", item)


def _find_description(filename: str | PathLike[str]) -> Path:
    """Finds a description as MORSE finds its files: from the working folder, then in its own
    folders."""
    path = Path(filename)
    places = os.environ.get("MORSE_RESOURCE_PATH", "").split(os.pathsep)
    for folder in (".", *filter(None, places)):
        if (found := Path(folder, path)).is_file():
            return found
    return path


def forget(robot: Any) -> None:
    """Takes back the builder's notes about a robot that could not be made."""
    noted = getattr(robot, "components", [])
    if robot in noted:
        noted.remove(robot)
