# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies on collision shapes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import bpy
import numpy as np

from ...geometry.inertia import body_of
from ...geometry.transforms import Matrix, invert, matrix_from_pose, quaternion_from_rotation
from ...model import Box, Capsule, Cone, Cylinder, Inertial, Link, Pose, Quaternion, Sphere
from ...rig.rig_plan import LinkPlan, RigPlan
from ..ledger import Ledger
from ..standing import properties
from ..standing.joints import write_link_joint
from ..standing.rests import note_link_rest
from .armature import rest_matrices

_SHAPES = {Box: "BOX", Cylinder: "CYLINDER", Sphere: "SPHERE", Capsule: "CAPSULE", Cone: "CONE"}
_LEAST_MASS = 1e-3
"""Kilograms: the least that Blender's simulation takes."""


def build_rigid_bodies(links: Sequence[Link], collisions: Mapping[str, Sequence[Any]]) -> list[Any]:
    """Makes collision objects animated rigid bodies that follow the rig and push others.

    A link's mass is shared among its collision shapes by the volume of their bounding boxes.
    Objects join through the world's collection: no operator per object. Returns the objects.
    """
    scene = bpy.context.scene
    if scene.rigidbody_world is None:
        bpy.ops.rigidbody.world_add()
    world = scene.rigidbody_world
    if world.collection is None:
        world.collection = bpy.data.collections.new("RigidBodyWorld")
    bodies = []
    for link in links:
        built = zip(collisions.get(link.name, ()), link.collisions, strict=False)
        described = {shape: collision for shape, collision in built if shape.type == "MESH"}
        mass = (link.inertial.mass if link.inertial else None) or 0.0
        shares = _share_by_volume(list(described))
        for (shape, collision), share in zip(described.items(), shares, strict=True):
            world.collection.objects.link(shape)
            body = shape.rigid_body
            body.kinematic = True
            body.mass = max(mass * share, _LEAST_MASS)
            body.collision_shape = _SHAPES.get(type(collision.geometry), "CONVEX_HULL")
            bodies.append(shape)
    return bodies


def update_rigid_bodies(pairs: Iterable[tuple[Any, Any]], *, drop: bool) -> None:
    """Makes old objects bodies as their twins are. Their own settings stay except for the mass;
    with `drop`, objects whose twin is not a body stop being bodies."""
    world = bpy.context.scene.rigidbody_world
    if world is None or world.collection is None:
        return
    for old, twin in pairs:
        if twin.rigid_body is None:
            if drop and old.rigid_body is not None:
                with bpy.context.temp_override(object=old, active_object=old):
                    bpy.ops.rigidbody.object_remove()
            continue
        is_new = old.rigid_body is None
        if is_new:
            world.collection.objects.link(old)
            old.rigid_body.kinematic = True
            old.rigid_body.collision_shape = twin.rigid_body.collision_shape
        old.rigid_body.mass = twin.rigid_body.mass


def _share_by_volume(objects: Sequence[Any]) -> list[float]:
    volumes = np.array([max(float(np.prod(shape.dimensions)), 1e-12) for shape in objects])
    shares: list[float] = (volumes / volumes.sum()).tolist() if len(volumes) else []
    return shares


_LINK_SHARE = 0.02
_INERTIAL_SHARE = 0.02
"""Sizes of the empties as shares of the robot's size."""


def build_links(
    armature: Any, plan: RigPlan, collection: Any, ledger: Ledger
) -> Iterator[tuple[str, Any]]:
    """Yields links' names and empties, in tree order; each is built when it is asked for."""
    holders = _bone_tails(armature)
    for link in plan.links:
        empty = ledger.new_object(link.link.name, None)
        empty.empty_display_type = "PLAIN_AXES"
        empty.empty_display_size = _LINK_SHARE * plan.size
        empty.parent = armature
        local = link.rest
        if link.bone:
            empty.parent_type = "BONE"
            empty.parent_bone = link.bone
            local = holders[link.bone] @ link.rest
        place(empty, local)
        lock(empty)
        _describe_link(empty, link)
        collection.objects.link(empty)
        yield link.link.name, empty


def build_inertial(
    empty: Any, inertial: Inertial, size: float, collection: Any, ledger: Ledger
) -> Any:
    """Builds an empty in the inertial frame, under its link's."""
    frame = ledger.new_object(f"{empty.name}_inertial", None)
    frame.empty_display_type = "SPHERE"
    frame.empty_display_size = _INERTIAL_SHARE * size
    frame.parent = empty
    frame[properties.PART] = properties.INERTIALS
    place_at(frame, inertial.origin)
    lock(frame)
    collection.objects.link(frame)
    return frame


def place(target: Any, local: Matrix) -> None:
    """Sets an object's transform under its parent from a frame (4, 4)."""
    x, y, z, w = quaternion_from_rotation(local[:3, :3])
    _move(target, (w, x, y, z), local[:3, 3].tolist())


def place_at(target: Any, pose: Pose) -> None:
    """Does as `place`, from a pose; most are not turned, which needs no matrix."""
    if any(pose.rpy) or pose.quat_xyzw is not None:
        place(target, matrix_from_pose(pose))
    else:
        _move(target, (1.0, 0.0, 0.0, 0.0), pose.xyz)


def _move(target: Any, quat_wxyz: Quaternion, location: Sequence[float]) -> None:
    target.rotation_mode = "QUATERNION"
    target.rotation_quaternion = quat_wxyz
    target.location = location


def lock(target: Any) -> None:
    """Locks an object's transform: a user who takes hold of a part means the joint above it.
    Scripts move it as ever, and so do users who unlock it."""
    target.lock_location = target.lock_rotation = target.lock_scale = (True, True, True)
    target.lock_rotations_4d = target.lock_rotation_w = True


def is_locked(target: Any) -> bool:
    """Whether an object is locked as `lock` does it."""
    return all((*target.lock_location, *target.lock_rotation, *target.lock_scale))


def _bone_tails(armature: Any) -> dict[str, Matrix]:
    """Returns by bone name the armature's frame as seen from the bone's tail, to which children are
    parented."""
    lengths = {bone.name: bone.length for bone in armature.data.bones}
    tails = {}
    for name, rest in rest_matrices(armature).items():
        tail = invert(rest)
        tail[1, 3] -= lengths[name]
        tails[name] = tail
    return tails


def _describe_link(empty: Any, plan: LinkPlan) -> None:
    link = properties.pack(plan.link)
    joint = None if plan.joint is None else properties.pack(plan.joint)
    empty[properties.LINK] = link | ({"undefined": True} if plan.undefined else {})
    if joint is not None:
        write_link_joint(empty, joint)
    note_link_rest(empty, plan.rest, link, joint)
    inertial = plan.link.inertial
    if inertial is not None:
        empty[properties.MASS] = inertial.mass or 0.0
        empty[properties.CENTER_OF_MASS] = list(inertial.origin.xyz)
        empty[properties.INERTIA] = body_of(inertial).inertia.ravel().tolist()
