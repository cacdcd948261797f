# SPDX-License-Identifier: GPL-3.0-or-later
"""The data of bones goes with them to another armature object: settings, constraints, children, the
drivers on them and the drivers that read them.

Bones keep their names. Blender holds a bone's children at its tail, which is rounded anew in the
other armature: places under it are worked out from the rest frames as Blender made them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import bpy
import mathutils
import numpy as np

from urdf_importer.core.blender.build.links import place
from urdf_importer.core.blender.standing import properties
from urdf_importer.core.blender.standing.armatures import (
    armatures_of,
    bone_of,
    bones_of,
    held_frame,
    name_armature,
)
from urdf_importer.core.blender.standing.joints import joints_of
from urdf_importer.core.diagnostics import BuildError, quote
from urdf_importer.core.geometry.transforms import Matrix
from urdf_importer.core.rig.followers import find_never_ready

from .plan import SplitPlan

_BONE_PATH = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]')
_OF_THE_PLACE = {"name", "matrix", "matrix_basis", "custom_shape_transform"}
"""Settings of a bone that say where it is, or that point at another bone."""

_SHADES = ("normal", "select", "active", "show_colored_constraints")


def copy_bone(source: Any, target: Any) -> None:
    """Gives a pose bone all that another one is beside its place: its pose, locks, IK settings,
    looks, limits and other constraints, bone collections and custom properties."""
    _copy_settings(source, target)
    _copy_settings(source.bone, target.bone)
    target.custom_shape = source.custom_shape
    for constraint in source.constraints:
        target.constraints.copy(constraint)
    collections = target.id_data.data.collections
    for each in source.bone.collections:
        found = collections.get(each.name)
        if found is None:
            found = collections.new(each.name)
            found.is_visible = each.is_visible
        found.assign(target.bone)


def _copy_settings(source: Any, target: Any) -> None:
    for name in _list_settings(source.bl_rna.identifier):
        setattr(target, name, getattr(source, name))
    for key in source.keys():  # noqa: SIM118
        target[key] = source[key]
    for shade in _SHADES:
        setattr(target.color.custom, shade, getattr(source.color.custom, shade))
    target.color.palette = source.color.palette


@cache
def _list_settings(kind: str) -> tuple[str, ...]:
    """Lists Blender's own settings of a type. The rotation mode comes first: setting it changes the
    angles."""
    names = [
        each.identifier
        for each in getattr(bpy.types, kind).bl_rna.properties
        if not (each.is_readonly or each.is_runtime or each.type == "POINTER")
    ]
    return tuple(
        sorted(set(names) - _OF_THE_PLACE, key=lambda name: (name != "rotation_mode", name))
    )


def move_children(old: Any, homes: Mapping[str, Any], frames: Mapping[Any, Matrix]) -> None:
    """Attaches the children of these bones of `old` to the same bones of their new armatures, in
    place. `frames` come from frames_at_rest, with the new armatures."""
    for item in [each for each in bpy.data.objects if each.parent == old]:
        bone = bone_of(item)
        if bone not in homes:
            continue
        home = homes[bone]
        before = held_frame(frames[old], old, bone)
        after = held_frame(frames[home], home, bone)
        inverse = np.linalg.inv(after) @ before @ np.array(item.matrix_parent_inverse)
        parent_to(item, home, bone)
        if properties.LINK in item or properties.ARMATURE in item:
            place(item, _drop_scale(inverse @ np.array(item.matrix_basis)))
        else:
            item.matrix_parent_inverse = mathutils.Matrix(inverse.tolist())


def parent_to(item: Any, armature: Any, bone: str) -> None:
    """Parents an object to a bone, or to the armature object if the name is empty, without an
    inverse matrix."""
    item.parent = armature
    item.parent_type = "BONE" if bone else "OBJECT"
    item.parent_bone = bone
    item.matrix_parent_inverse.identity()


def _drop_scale(matrix: Matrix) -> Matrix:
    frame = matrix.copy()
    frame[:3, :3] /= np.linalg.norm(matrix[:3, :3], axis=0)
    return frame


def copy_drivers(old: Any, made: Any) -> None:
    """Gives a new armature the drivers of its bones."""
    for curve in drivers_of(old):
        if find_bone(curve.data_path) in made.data.bones:
            made.animation_data_create().drivers.from_existing(src_driver=curve)


def remove_drivers(old: Any, homes: Mapping[str, Any]) -> None:
    """Removes the drivers of bones that go."""
    for curve in drivers_of(old):
        if find_bone(curve.data_path) in homes:
            old.animation_data.drivers.remove(curve)


def redirect(old: Any, homes: Mapping[str, Any]) -> None:
    """Redirects whatever in the file reads these bones of `old`, by a driver or a constraint, to
    their new armatures."""
    for item in bpy.data.objects:
        for curve in drivers_of(item):
            for target, bone, _ in reads_of(curve):
                if target.id == old and bone in homes:
                    target.id = homes[bone]
        for constraint in _constraints_of(item):
            _redirect_constraint(constraint, old, homes)


def _redirect_constraint(constraint: Any, old: Any, homes: Mapping[str, Any]) -> None:
    for owner in (constraint, *getattr(constraint, "targets", ())):
        for prefix in ("", "pole_"):
            bone = getattr(owner, f"{prefix}subtarget", "")
            if bone in homes and getattr(owner, f"{prefix}target") == old:
                setattr(owner, f"{prefix}target", homes[bone])
                setattr(owner, f"{prefix}subtarget", bone)


def _constraints_of(item: Any) -> Iterator[Any]:
    yield from item.constraints
    for pose_bone in item.pose.bones if item.pose else ():
        yield from pose_bone.constraints


def drivers_of(item: Any) -> list[Any]:
    """Returns the drivers of an object, as curves."""
    return list(item.animation_data.drivers) if item.animation_data else []


def reads_of(curve: Any) -> Iterator[tuple[Any, str, bool]]:
    """Yields a driver's readings of bones: (target, bone, whether it reads where the bone is rather
    than only a number of it)."""
    for variable in curve.driver.variables:
        for target in variable.targets:
            is_place = variable.type != "SINGLE_PROP"
            bone = target.bone_target if is_place else find_bone(target.data_path)
            if bone:
                yield target, bone, is_place


def find_bone(path: str) -> str:
    """Returns the bone of a data path from an armature object; empty if the path is not a
    bone's."""
    found = _BONE_PATH.match(path)
    return "" if found is None else bpy.utils.unescape_identifier(found[1])


_Read = tuple[str, str, bool]
"""A driver: bone, the bone that it reads, whether it reads its place or only a number of it."""

_Node = tuple[str, str]
_NUMBER, _PLACE = "number", "place"


def check_followers(main: Any, plan: SplitPlan) -> None:
    """Raises BuildError where a joint would follow one in an armature whose place depends on it."""
    armatures = armatures_of(main)
    reads = [
        (find_bone(curve.data_path), bone, is_place)
        for each in armatures
        for curve in drivers_of(each)
        for target, bone, is_place in reads_of(curve)
        if target.id in armatures
    ]
    if not reads:
        return
    homes, carriers = _foresee_homes(main, plan)
    reads = [read for read in reads if read[0] in homes and read[1] in homes]
    cyclic = find_never_ready(_find_needs(main, reads, homes, carriers))
    for bone, source, _ in reads:
        across = homes[bone] != homes[source]
        if across and {(bone, _NUMBER), (carriers[homes[source]], _PLACE)} <= cyclic:
            _refuse(main, bone, source)


def _find_needs(
    main: Any, reads: Sequence[_Read], homes: Mapping[str, str], carriers: Mapping[str, str]
) -> dict[_Node, set[_Node]]:
    """Returns the prerequisites of the numbers and the place of each bone."""
    needs: dict[_Node, set[_Node]] = {}
    for bone in bones_of(main):
        home = homes[bone.name]
        carrier = carriers[home]
        above = bone.parent.name if bone.parent is not None else ""
        needs[bone.name, _NUMBER] = {(carrier, _PLACE)} if carrier in homes else set()
        needs[bone.name, _PLACE] = {(bone.name, _NUMBER)}
        if above and homes[above] == home:
            needs[bone.name, _PLACE].add((above, _PLACE))
    for name, source, is_place in reads:
        needs[name, _NUMBER].add((source, _PLACE if is_place else _NUMBER))
    return needs


def _foresee_homes(main: Any, plan: SplitPlan) -> tuple[dict[str, str], dict[str, str]]:
    """Returns (bone -> the name of its armature, name of an armature -> the bone that carries it)
    as they will be after the split."""
    homes, carriers = {}, {}
    for each in armatures_of(main):
        carriers[name_armature(each)] = bone_of(each)
        homes.update(dict.fromkeys(each.data.bones.keys(), name_armature(each)))
    for part in plan.parts:
        carriers[part.name] = part.bone
        homes.update(dict.fromkeys(part.bones, part.name))
    return homes, carriers


def _refuse(main: Any, *bones: str) -> None:
    names = {joint.bone: joint.name for joint in joints_of(main)}
    follower, source = (quote(names.get(bone, bone)) for bone in bones)
    raise BuildError(
        f"joint {follower} follows joint {source}, whose armature could not be placed before it; "
        "leave both in one armature"
    )
