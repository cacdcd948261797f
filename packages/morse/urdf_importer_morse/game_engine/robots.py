# SPDX-License-Identifier: GPL-3.0-or-later
"""An imported robot as a robot of the game engine: its root, its physics, its end effector."""

from collections.abc import Iterator, Sequence
from typing import Any

import bpy
import mathutils
import numpy as np

from urdf_importer.core.blender.standing import properties
from urdf_importer.core.blender.standing.armatures import armatures_of, pose_bones_of
from urdf_importer.core.blender.standing.joints import posed_joints_of
from urdf_importer.core.blender.standing.links import find_link, links_of
from urdf_importer.core.diagnostics import KinematicsError, quote
from urdf_importer.core.geometry.transforms import Matrix, quaternion_from_rotation

from .storage import read_game, set_property, write_game

BOUNDS = {
    "box": "BOX",
    "cylinder": "CYLINDER",
    "sphere": "SPHERE",
    "capsule": "CAPSULE",
    "mesh": "CONVEX_HULL",
}
"""Bounds of a collision shape by its type in the description. Meshes become their hulls: moving
bodies with triangles pass through each other."""

KINEMATIC = "NO_COLLISION"
"""The physics of a root that only MORSE's actuators move: it can neither fall nor be pushed."""


_LEAST_ROW = 3


def build_root(armature: Any, name: str) -> Any:
    """Makes the empty that represents the robot, at the place of its armature, and parents that to
    it."""
    root = bpy.data.objects.new(name, None)
    root.empty_display_type = "ARROWS"
    for collection in armature.users_collection:
        collection.objects.link(root)
    armature.parent = root
    armature.matrix_parent_inverse.identity()
    # MORSE's rotate() turns these angles. A newly imported armature is not turned.
    armature.rotation_mode = "XYZ"
    return root


def set_physics(root: Any, armature: Any) -> None:
    """Sets the physics of each object in the game engine. Collision shapes are static bodies that
    the rig carries along, with bounds and their share of the link's mass; visuals touch nothing;
    the root has the mass of all links."""
    total = 0.0
    for each in armatures_of(armature):
        _set(each, physics_type=KINEMATIC)
    for link in links_of(armature):
        mass = float(link.get(properties.MASS, 0.0))
        total += mass
        _set(link, physics_type=KINEMATIC)
        shapes = list(_collisions_of(link))
        for shape in link.children:
            if shape not in shapes:
                _set(shape, physics_type=KINEMATIC)
        for shape in shapes:
            _set(
                shape,
                physics_type="STATIC",
                use_collision_bounds=True,
                collision_bounds_type=BOUNDS[shape[properties.SHAPE]["geometry"]["type"]],
                mass=mass / len(shapes),
            )
    _set(root, physics_type=KINEMATIC, mass=total)


def set_physics_type(root: Any, physics_type: str) -> None:
    """Sets the physics of the whole robot. Bodies that move by themselves (DYNAMIC, RIGID_BODY)
    take the collision shapes below them as theirs."""
    moves = physics_type in ("DYNAMIC", "RIGID_BODY")
    _set(
        root,
        physics_type=physics_type,
        use_actor=moves,
        use_sleep=moves,
        use_collision_bounds=moves,
        collision_bounds_type="CONVEX_HULL",
        use_collision_compound=moves,
    )


def mark_end_effector(armature: Any, link: Any) -> None:
    """Makes a link the place where MORSE mounts an actuator's additions, in place of an earlier
    one. The robot's own parts are marked, so that MORSE does not mount them as well; call this
    again after armatures were split off."""
    for item in links_of(armature):
        _drop_property(item, "end_effector")
    for item in (*links_of(armature), *armatures_of(armature)[1:]):
        mark_internal(item)
    set_property(link, "end_effector", True)


def mark_internal(item: Any) -> None:
    """Marks an object as part of the armature that it is parented to, not as something to be
    mounted."""
    set_property(item, "internal", True)


def find_links(armature: Any) -> dict[str, Any]:
    """Returns the empties of a robot's links by link name, in the order of the description."""
    found = {link[properties.LINK]["name"]: link for link in links_of(armature)}
    return {name: found[name] for name in armature[properties.ROBOT]["links"] if name in found}


def find_joints(armature: Any) -> dict[str, Any]:
    """Returns the pose bones of a robot's moving joints by joint name, from the root outwards."""
    return {joint.name: bone for bone, joint in posed_joints_of(armature)}


def find_ik_bones(armature: Any, ends: Sequence[str]) -> list[tuple[Any, str]]:
    """Returns (armature object, bone) for each of these links or joints. Without any: all bones
    that end a row of three or more, where nothing or a branch (a hand) follows; that is where one
    would pull. Raises KinematicsError for parts that no joint moves."""
    if ends:
        return [_find_carrier(armature, end) for end in ends]
    return [
        (bone.id_data, bone.name)
        for bone in pose_bones_of(armature)
        if len(bone.children) != 1 and len(_find_row(bone)) >= _LEAST_ROW
    ]


def relax_ik(bone: Any) -> None:
    """Limits the IK of a pose bone to its own limb: it turns no bone that other limbs share,
    stretches no bone of a sliding joint, and stays off until MORSE switches it on; otherwise its
    target would hold the limb against any pose."""
    for constraint in bone.constraints:
        if constraint.type == "IK":
            constraint.chain_count = len(_find_row(bone))
            constraint.use_stretch = False
            constraint.mute = True


def _find_row(bone: Any) -> list[Any]:
    """Returns the pose bones that end here in a row without a branch."""
    row = [bone]
    while row[-1].parent is not None and len(row[-1].parent.children) == 1:
        row.append(row[-1].parent)
    return row


def _find_carrier(armature: Any, name: str) -> tuple[Any, str]:
    bone = find_joints(armature).get(name)
    if bone is not None:
        return bone.id_data, bone.name
    link = find_link(armature, name)
    if link.parent_type != "BONE":
        raise KinematicsError(f"no joint moves link {quote(name)}, so nothing can pull at it")
    return link.parent, link.parent_bone


def place_component(item: Any, frame: Matrix) -> None:
    """Puts a component into a frame (4, 4) of its parent. Its own rotation stays on top, since some
    components of MORSE are made with one."""
    x, y, z, w = quaternion_from_rotation(frame[:3, :3])
    turn = item.rotation_euler.to_quaternion()
    turn.rotate(mathutils.Quaternion((w, x, y, z)))
    item.rotation_euler = turn.to_euler(item.rotation_euler.order)
    place = np.array([*item.location, 1.0])
    item.location = (frame @ place)[:3].tolist()


def place_ik_target(target: Any, armature: Any, bone: str) -> None:
    """Puts the target of a bone's IK to its tip, as it rests."""
    bpy.context.view_layer.update()
    rest = armature.data.bones[bone]
    place = rest.matrix_local.copy()
    place.translation = rest.tail_local
    target.location, turn, _ = (armature.matrix_world @ place).decompose()
    target.rotation_euler = turn.to_euler(target.rotation_euler.order)


def _collisions_of(link: Any) -> Iterator[Any]:
    """Yields the collision objects that have a shape: a mesh that could not be read left an
    empty."""
    for item in link.children:
        if item.type == "MESH" and item.get(properties.PART) == properties.COLLISIONS:
            yield item


def _set(item: Any, **settings: Any) -> None:
    game = read_game(item)
    game["settings"].update(settings)
    write_game(item, game)


def _drop_property(item: Any, name: str) -> None:
    game = read_game(item)
    kept = [record for record in game["properties"] if record["name"] != name]
    if len(kept) != len(game["properties"]):
        game["properties"] = kept
        write_game(item, game)
