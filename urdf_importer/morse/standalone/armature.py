# SPDX-License-Identifier: GPL-3.0-or-later
"""The actuator that moves the bones of an armature."""

from collections.abc import Sequence
from typing import Any

from ...blender.game.blender27.functions import is_alive
from ...blender.game.scene_objects import add_empty
from ...diagnostics import quote
from .creators import ActuatorCreator, ComponentCreator
from .errors import ComponentTypeError, ScriptError


class Armature(ActuatorCreator):
    """Moves the armature object `armature_name`, that of the .blend `model_name` if given.

    Bones whose IK aims at nothing get a target. Raises ScriptError without either name,
    UnknownNameError without the object, ComponentTypeError for what is no armature.
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
        """Makes an Empty for each of these bones, at its tail where the armature is at the origin,
        at which its IK aims. Raises ScriptError for an unknown bone, and one with several IK
        constraints."""
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
        """Names the targets after the armature and their bones, as MORSE looks for them."""
        for target, bone in self.ik_targets:
            if is_alive(target):
                target.name = f"ik_target.{self.name}.{bone}"

    def _find_object(self, action: int, wanted: str | None) -> Any:
        item = super()._find_object(action, wanted)
        if item.type != "ARMATURE":
            raise ComponentTypeError(f"{quote(item.name)} is no armature")
        return item

    def _find_bone(self, name: str) -> Any:
        bones = self._bpy_object.pose.bones
        if name not in bones:
            raise ScriptError(f"{quote(self.name)} has no bone {quote(name)}")
        return bones[name]
