# SPDX-License-Identifier: GPL-3.0-or-later
"""The armature objects of a robot: the one that an import makes, and the ones split off it.

    pr2                                 main armature: the robot's root frame, and its properties
    |-- torso                           on the main armature: nothing that moves is above it
    |   |-- head                        on the bone torso_lift_joint of `torso`
    |   `-- beyond_torso_lift_joint     the same: unnamed parts on that bone
    `-- ...

Each but the main one has the property `urdf_armature`: its name among the robot's armatures, and
the main one. Readers of a rig go through all of them, by the functions here; a robot of one
armature does not pay for it. Parents alone are not enough: programs that work with a robot move its
parts to other parents, and rename them.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import bpy
import numpy as np

from ...diagnostics import BuildError, quote
from ...geometry.transforms import Matrix
from . import properties

CHANNELS = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale")
"""The numbers of an object or a pose bone that place it."""


def is_robot(item: Any) -> bool:
    """Whether an object is the main armature of an imported robot."""
    return item.type == "ARMATURE" and properties.ROBOT in item


def check_robot(armature: Any) -> None:
    """Raises BuildError for an object that is not an imported robot."""
    if not is_robot(armature):
        raise BuildError(f"object {quote(armature.name)} is not an imported robot")
    packed: Any = properties.read_group(armature, properties.ROBOT)
    lists = [packed.get(each, ()) for each in ("links", "joints")]
    if any(isinstance(each, str) or not hasattr(each, "__len__") for each in lists):
        raise properties.edited_by_hand(armature, properties.ROBOT)


def check_own(armature: Any, advice: str) -> None:
    """Raises BuildError, with advice, for an armature that belongs to another file."""
    for datablock in (armature, armature.data):
        if datablock.library is not None or datablock.override_library is not None:
            raise BuildError(f"{quote(armature.name)} belongs to another file; {advice}")


def armatures_of(armature: Any) -> list[Any]:
    """Lists the main armature of a robot and the ones split off it: each after its carrier, several
    on one armature in the order in which they were split off.

    For a robot of several armatures it takes time for every object of the file (3,000: 0.6 ms).
    """
    if properties.ARMATURES not in armature:
        return [armature]
    order = {name: index for index, name in enumerate(armature[properties.ARMATURES])}
    objects = bpy.data.objects
    own = {item for item in objects if item.type == "ARMATURE" and _main_of(item) == armature}
    below: dict[Any, list[Any]] = {}
    for item in sorted(own, key=lambda each: order.get(name_armature(each), len(order))):
        below.setdefault(item.parent if item.parent in own else armature, []).append(item)
    found, waiting = [], [armature]
    while waiting:
        found.append(waiting.pop())
        waiting += reversed(below.get(found[-1], ()))
    return found


def find_main(item: Any) -> Any | None:
    """Finds the main armature of the robot that an armature object belongs to; None for any other
    object."""
    if item.type != "ARMATURE":
        return None
    return item if properties.ROBOT in item else _main_of(item)


def name_armature(armature: Any) -> str:
    """Returns the name under which an armature was split off, whatever the object is called; empty
    for the main one."""
    kept = properties.read_group(armature, properties.ARMATURE, "name")
    return "" if kept is None else str(kept["name"])


def is_implied(armature: Any) -> bool:
    """Whether this armature was not asked for: it holds the parts that a split left without one."""
    kept = properties.read_group(armature, properties.ARMATURE)
    return kept is not None and bool(kept.get("implied"))


def armatures_by_name(armature: Any) -> dict[str, Any]:
    """Returns the armatures of a robot by name_armature."""
    return {name_armature(each): each for each in armatures_of(armature)}


def pose_bones_of(armature: Any) -> Iterator[Any]:
    """Yields the pose bones of all armatures of a robot. PoseBone.id_data is the armature."""
    for each in armatures_of(armature):
        yield from each.pose.bones if each.pose else ()


def bones_of(armature: Any) -> Iterator[Any]:
    """Yields the bones, at rest, of all armatures of a robot."""
    for each in armatures_of(armature):
        yield from each.data.bones


def children_of(armature: Any) -> Iterator[Any]:
    """Yields the direct children of a robot's armatures: links' empties above all."""
    for each in armatures_of(armature):
        yield from each.children


def group_homes(collections: Iterable[Any]) -> dict[Any, list[Any]]:
    """Groups collections by their objects: Object.users_collection walks through the whole file."""
    found: dict[Any, list[Any]] = {}
    for home in collections:
        for item in home.objects:
            found.setdefault(item, []).append(home)
    return found


def objects_of(armature: Any) -> list[Any]:
    """Lists all objects below a robot's armatures, each once."""
    found = (item for each in armatures_of(armature) for item in each.children_recursive)
    return list(dict.fromkeys(found))


def update_tags(armature: Any) -> None:
    """Has Blender show the armatures of a robot anew, whose numbers were set."""
    for each in armatures_of(armature):
        each.update_tag()


def frames_at_rest(main: Any) -> dict[Any, Matrix]:
    """Returns the frames (4, 4) of a robot's armatures in the main one's, with all joints at zero,
    as Blender holds them. The scene must be up to date."""
    frames = {main: np.eye(4)}
    for each in armatures_of(main)[1:]:
        if each.parent in frames:
            held = held_frame(frames[each.parent], each.parent, bone_of(each))
            frames[each] = held @ np.array(each.matrix_parent_inverse) @ np.array(each.matrix_basis)
        else:
            frames[each] = np.linalg.solve(main.matrix_world, each.matrix_world)
    return frames


def held_frame(frame: Matrix, armature: Any, bone: str) -> Matrix:
    """Returns the frame (4, 4) in which Blender holds an object parented to a bone at rest, or to
    the armature object if the name is empty; `frame` is the armature's."""
    found = armature.data.bones.get(bone)
    if found is None:
        return frame
    tail = np.array(found.matrix_local)
    tail[:3, 3] += tail[:3, 1] * found.length
    result: Matrix = frame @ tail
    return result


def bone_of(item: Any) -> str:
    """Returns the bone to which an object is parented; empty if there is none."""
    return str(item.parent_bone) if item.parent_type == "BONE" else ""


def _main_of(item: Any) -> Any | None:
    kept = properties.read_group(item, properties.ARMATURE)
    return None if kept is None else kept.get("robot")


def keep_channels(item: Any) -> Callable[[], None]:
    """Keeps the channels of an armature object and of its bones; returns the way back."""
    return keep_numbers((owner, name) for owner in (item, *item.pose.bones) for name in CHANNELS)


def keep_numbers(owners: Iterable[tuple[Any, str]]) -> Callable[[], None]:
    """Keeps vectors of objects and pose bones, by their names, to the last bit; returns the way
    back. It looks bones up anew: Blender does not notice that a bone from before an undo is
    gone, and crashes."""
    kept = [
        (owner.id_data, owner.name if owner != owner.id_data else "", name, [*getattr(owner, name)])
        for owner, name in owners
    ]

    def restore() -> None:
        for item, bone, name, values in kept:
            owner = item.pose.bones[bone] if bone else item
            if [*getattr(owner, name)] != values:
                setattr(owner, name, values)

    return restore
