# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for the game engine of Blender 2.7, over the objects of today's Blender.

It has what MORSE's robots, its actuator Armature and its sensor ArmaturePose ask of the engine, and
means by it what the engine meant. The names are the engine's. What is known of the engine, from its
sources and its manual, and kept here:

* Channels stand in the order of the pose's bones; lists of the engine know their members by index
  and by name.
* The engine works on a copy of the pose. Writing `location` or `joint_rotation` changes the copy's
  numbers only. `update()` evaluates nothing: it marks the armature, which is then evaluated once,
  when the frame's logic is over. So a value read in the same frame is the one of the frame before,
  and a channel written without `update()` shows nothing until somebody calls that.
* `joint_rotation` reads the pose: the bone's evaluated rotation against its rest rotation under the
  evaluated parent, taken apart in the order XYZ; axes that are locked for IK read 0. Whole turns
  are lost: it lies between -pi and pi. Writing drops the locked axes and sets the Euler angles in
  the bone's rotation mode, or the quaternion (which a bone in axis-angle mode then ignores).
* `location` is the number that was written, in the bone's own rest frame: IK, limits and parents do
  not change it. `pose_head` and `pose_tail` are evaluated, in the frame of the armature object.
* `ik_min_x` and so on are given whether the limit is in use or not.
* `constraints` lists those of a few kinds, IK among them, Limit Rotation not, and none that Blender
  holds for invalid (an IK without target).
* Game properties are read once, at the start; `obj['name']` raises KeyError for others.
* `setParent` keeps the object's place in the world, and does nothing for the object itself, its
  parent, or one of its own descendants.

What it does not do: no physics, no rendering, no logic bricks beyond naming the Always sensors; no
joints of several degrees of freedom; constraints, IK (Blender's own solver or iTaSC, as the pose
says) and drivers are evaluated by today's Blender. The engine evaluated no drivers at all.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import bpy
from mathutils import Euler, Matrix, Quaternion, Vector

from urdf_importer_morse.game_engine.storage import get_properties, read_game

CONSTRAINT_TYPES = {
    "TRACK_TO": 2,
    "IK": 3,
    "COPY_ROTATION": 8,
    "COPY_LOCATION": 9,
    "COPY_SCALE": 10,
    "LOCKED_TRACK": 13,
    "LIMIT_DISTANCE": 14,
    "STRETCH_TO": 15,
    "FLOOR": 16,
    "CLAMP_TO": 18,
    "TRANSFORM": 19,
    "DAMPED_TRACK": 21,
    "COPY_TRANSFORMS": 23,
}
"""The engine's numbers of the constraints that it offers to Python."""

IK_TYPES = {"COPY_POSE": 0, "DISTANCE": 1}
_AXES = "xyz"


class ValueList(list[Any]):
    """The engine's lists, whose members are found by name too."""

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            found = self.get(key)
            if found is None:
                raise KeyError(f"requested item {key!r} does not exist")
            return found
        return super().__getitem__(key)

    def get(self, name: str, default: Any = None) -> Any:
        return next((item for item in self if item.name == name), default)

    def __contains__(self, key: object) -> bool:
        return self.get(key) is not None if isinstance(key, str) else super().__contains__(key)


class SCA_AlwaysSensor:
    """A logic brick that fires in every frame."""

    positive = True

    def __init__(self, name: str) -> None:
        self.name = name


class KX_GameObject:
    """An object in the game; `item` is Blender's."""

    def __init__(self, game: "Game", item: Any) -> None:
        self.game = game
        self.item = item
        self.name: str = item.name
        self._properties: dict[str, Any] = dict(get_properties(item))
        self.sensors = ValueList(
            SCA_AlwaysSensor(record["name"])
            for record in read_game(item)["sensors"]
            if record["type"] == "ALWAYS"
        )
        self.world: Matrix = item.matrix_world.copy()

    def __repr__(self) -> str:
        return self.name

    # Game properties

    def __getitem__(self, name: str) -> Any:
        return self._properties[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._properties[name] = value

    def __contains__(self, name: object) -> bool:
        return name in self._properties

    def get(self, name: str, default: Any = None) -> Any:
        return self._properties.get(name, default)

    # The scene graph

    @property
    def parent(self) -> "KX_GameObject | None":
        return self.game.find(self.item.parent)

    @property
    def children(self) -> ValueList:
        return ValueList(self.game.find(child) for child in self.item.children)

    @property
    def childrenRecursive(self) -> ValueList:
        return ValueList(self.game.find(child) for child in self.item.children_recursive)

    def setParent(self, parent: "KX_GameObject") -> None:
        above: KX_GameObject | None = parent
        while above is not None and above is not self:
            above = above.parent
        if above is self or parent is self.parent:
            return
        self.item.parent = parent.item
        self.item.parent_type = "OBJECT"
        self.item.matrix_parent_inverse = Matrix.Identity(4)
        self._place(self.world)

    # Places

    @property
    def worldPosition(self) -> Vector:
        return self.world.to_translation()

    @worldPosition.setter
    def worldPosition(self, position: Iterable[float]) -> None:
        _, rotation, scale = self.world.decompose()
        self._place(Matrix.LocRotScale(Vector(position), rotation, scale))

    @property
    def worldOrientation(self) -> Matrix:
        return self.world.to_3x3().normalized()

    @worldOrientation.setter
    def worldOrientation(self, rotation: Matrix | Quaternion | Euler) -> None:
        location, _, scale = self.world.decompose()
        self._place(Matrix.LocRotScale(location, rotation, scale))

    def getVectTo(self, other: "KX_GameObject") -> tuple[float, Vector, Vector]:
        """Distance, direction in the world, direction in this object's frame."""
        away = other.worldPosition - self.worldPosition
        direction = away.normalized()
        return away.length, direction, self.worldOrientation.transposed() @ direction

    def getPhysicsId(self) -> int:
        """0: nothing has physics here."""
        return 0

    def _place(self, world: Matrix) -> None:
        self.world = world.copy()
        self.item.matrix_world = world


class BL_ArmatureChannel:
    """A bone of the engine's copy of the pose."""

    def __init__(self, armature: "BL_ArmatureObject", bone: Any) -> None:
        self._armature = armature
        self._bone = bone
        self.name: str = bone.name
        self._location: Vector = bone.location.copy()
        self._euler: Euler = bone.rotation_euler.copy()
        self._quaternion: Quaternion = bone.rotation_quaternion.copy()
        for axis in _AXES:
            setattr(self, f"ik_dof_{axis}", not getattr(bone, f"lock_ik_{axis}"))
            setattr(self, f"ik_min_{axis}", getattr(bone, f"ik_min_{axis}"))
            setattr(self, f"ik_max_{axis}", getattr(bone, f"ik_max_{axis}"))
        self.ik_stretch: float = bone.ik_stretch

    @property
    def location(self) -> Vector:
        return self._location.copy()

    @location.setter
    def location(self, value: Iterable[float]) -> None:
        self._location = Vector(value)

    @property
    def joint_rotation(self) -> Vector:
        free = self._free_axis()
        angles = self._turned().to_euler("XYZ")
        return Vector(angles[axis] if axis == free else 0.0 for axis in range(3))

    @joint_rotation.setter
    def joint_rotation(self, value: Iterable[float]) -> None:
        free = self._free_axis()
        angles = [angle if axis == free else 0.0 for axis, angle in enumerate(value)]
        self._quaternion = Euler(angles, "XYZ").to_quaternion()
        if self._bone.rotation_mode not in ("QUATERNION", "AXIS_ANGLE"):
            self._euler = self._quaternion.to_euler(self._bone.rotation_mode)

    @property
    def pose_head(self) -> Vector:
        return self._shown.head.copy()

    @property
    def pose_tail(self) -> Vector:
        return self._shown.tail.copy()

    @property
    def _shown(self) -> "ShownBone":
        return self._armature.shown[self.name]

    def write(self) -> None:
        """Puts the numbers into Blender's pose."""
        self._bone.location = self._location
        if self._bone.rotation_mode == "QUATERNION":
            self._bone.rotation_quaternion = self._quaternion
        elif self._bone.rotation_mode != "AXIS_ANGLE":
            self._bone.rotation_euler = self._euler

    def _free_axis(self) -> int | None:
        free = [index for index, axis in enumerate(_AXES) if getattr(self, f"ik_dof_{axis}")]
        assert len(free) < 2, f"{self.name} has several degrees of freedom"
        return free[0] if free else None

    def _turned(self) -> Matrix:
        """(3, 3), the evaluated rotation against the rest rotation under the parent."""
        rest = self._bone.bone.matrix
        if self._bone.parent:
            rest = self._armature.shown[self._bone.parent.name].matrix @ rest
        return rest.normalized().transposed() @ self._shown.matrix


class ShownBone:
    """What an evaluation made of a bone: `matrix` (3, 3) without scale, head and tail, in the
    frame of the armature object."""

    def __init__(self, bone: Any) -> None:
        self.matrix: Matrix = bone.matrix.to_3x3().normalized()
        self.head: Vector = bone.head.copy()
        self.tail: Vector = bone.tail.copy()


class BL_ArmatureConstraint:
    """A constraint of a bone of the engine's copy of the pose; `ik_type` is of IK only."""

    def __init__(self, game: "Game", bone: Any, constraint: Any) -> None:
        self._constraint = constraint
        self.name = f"{bone.name}:{constraint.name}"
        self.type = CONSTRAINT_TYPES[constraint.type]
        self.active = not constraint.mute
        self.target = game.find(getattr(constraint, "target", None))
        if constraint.type == "IK":
            self.ik_type = IK_TYPES[constraint.ik_type]

    def write(self) -> None:
        self._constraint.mute = not self.active


class BL_ArmatureObject(KX_GameObject):
    """An armature in the game. `shown` is what its last evaluation made of the bones."""

    def __init__(self, game: "Game", item: Any) -> None:
        super().__init__(game, item)
        self.channels = ValueList(BL_ArmatureChannel(self, bone) for bone in item.pose.bones)
        self.constraints = ValueList()
        self.shown: dict[str, ShownBone] = {}
        self._marked = self._evaluated = 0.0
        self.read_pose()

    def load_constraints(self) -> None:
        """Once all objects are there, since they may be targets."""
        for bone in self.item.pose.bones:
            for constraint in bone.constraints:
                if constraint.is_valid and constraint.type in CONSTRAINT_TYPES:
                    self.constraints.append(BL_ArmatureConstraint(self.game, bone, constraint))

    def update(self) -> None:
        """Has the armature evaluated at the end of this frame."""
        self._marked = self.game.time

    def write_pose(self) -> bool:
        """Where `update` was called since the last time: puts the pose into Blender's."""
        if self._marked == self._evaluated:
            return False
        self._evaluated = self._marked
        for part in (*self.channels, *self.constraints):
            part.write()
        return True

    def read_pose(self) -> None:
        shown = self.item.evaluated_get(bpy.context.evaluated_depsgraph_get())
        self.shown = {bone.name: ShownBone(bone) for bone in shown.pose.bones}


class Game:
    """All objects of the current scene in the engine, and its clock, which stands at 0."""

    tick_rate = 60.0

    def __init__(self, scene_name: str = "S.MORSE_LOGIC") -> None:
        self.name = scene_name
        self.time = 0.0
        self._by_item: dict[int, KX_GameObject] = {}
        bpy.context.view_layer.update()
        for item in bpy.context.scene.objects:
            made = BL_ArmatureObject if item.type == "ARMATURE" else KX_GameObject
            self._by_item[item.as_pointer()] = made(self, item)
        self.objects = ValueList(self._by_item.values())
        for armature in self._armatures():
            armature.load_constraints()

    def find(self, item: Any) -> KX_GameObject | None:
        """The object in the game of an object of Blender."""
        return None if item is None else self._by_item[item.as_pointer()]

    def begin_frame(self) -> None:
        self.time += 1.0 / self.tick_rate

    def end_frame(self) -> None:
        """What the engine does when the logic is over: poses of marked armatures, then all
        places."""
        marked = [armature for armature in self._armatures() if armature.write_pose()]
        bpy.context.view_layer.update()
        for armature in marked:
            armature.read_pose()
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for each in self.objects:
            each.world = each.item.evaluated_get(depsgraph).matrix_world.copy()

    def _armatures(self) -> Iterator[BL_ArmatureObject]:
        return (each for each in self.objects if isinstance(each, BL_ArmatureObject))


def wrap(angle: float) -> float:
    """The same angle between -pi and pi, as the engine reads it."""
    return math.remainder(angle, math.tau)
