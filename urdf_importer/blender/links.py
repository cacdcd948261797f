# SPDX-License-Identifier: GPL-3.0-or-later
"""Links as empties, standing exactly in the URDF link frame, with what they weigh.

They are placed from rest matrices as Blender made them, never from evaluated ones: a robot whose
zero pose lies outside a limit would be wrong from the start. Rotations are quaternions: Euler
angles at gimbal lock cost up to 2.4e-4.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..geometry.transforms import (
    Matrix,
    invert,
    matrix_from_pose,
    quaternion_from_rotation,
)
from ..model import Inertia, Inertial
from ..rig.rig_plan import LinkPlan, RigPlan
from . import properties
from .ledger import Ledger
from .refine import rest_matrices

_LINK_SHARE = 0.04
_INERTIAL_SHARE = 0.02
"""Sizes of the empties as shares of the robot's size."""


def build_links(
    armature: Any, plan: RigPlan, collection: Any, ledger: Ledger
) -> Iterator[tuple[str, Any]]:
    """Link names and their empties, in tree order; each is built when it is asked for."""
    holders = _bone_tails(armature)
    for link in plan.links:
        empty = ledger.new_object(link.link.name, None)
        empty.empty_display_type = "ARROWS"
        empty.empty_display_size = _LINK_SHARE * plan.size
        empty.parent = armature
        local = link.rest
        if link.bone:
            empty.parent_type = "BONE"
            empty.parent_bone = link.bone
            local = holders[link.bone] @ link.rest
        place(empty, local)
        _describe_link(empty, link)
        collection.objects.link(empty)
        yield link.link.name, empty


def build_inertial(
    empty: Any, inertial: Inertial, size: float, collection: Any, ledger: Ledger
) -> Any:
    """An empty in the inertial frame, under its link's."""
    frame = ledger.new_object(f"{empty.name}_inertial", None)
    frame.empty_display_type = "SPHERE"
    frame.empty_display_size = _INERTIAL_SHARE * size
    frame.parent = empty
    frame[properties.PART] = properties.INERTIALS
    place(frame, matrix_from_pose(inertial.origin))
    collection.objects.link(frame)
    return frame


def place(target: Any, local: Matrix) -> None:
    """Sets an object's transform under its parent from a frame (4, 4)."""
    x, y, z, w = quaternion_from_rotation(local[:3, :3])
    target.rotation_mode = "QUATERNION"
    target.rotation_quaternion = (w, x, y, z)
    target.location = local[:3, 3].tolist()


def inertia_in_link(inertial: Inertial) -> Matrix:
    """(3, 3) tensor about the centre of mass along the link's axes: R I R^T."""
    i = inertial.inertia or Inertia()
    tensor = np.array([[i.ixx, i.ixy, i.ixz], [i.ixy, i.iyy, i.iyz], [i.ixz, i.iyz, i.izz]])
    rotation = matrix_from_pose(inertial.origin)[:3, :3]
    result: Matrix = rotation @ tensor @ rotation.T
    return result


def _bone_tails(armature: Any) -> dict[str, Matrix]:
    """Bone name -> frame of the armature as seen from the bone's tail, where children hang."""
    lengths = {bone.name: bone.length for bone in armature.data.bones}
    tails = {}
    for name, rest in rest_matrices(armature).items():
        tail = invert(rest)
        tail[1, 3] -= lengths[name]
        tails[name] = tail
    return tails


def _describe_link(empty: Any, plan: LinkPlan) -> None:
    empty[properties.LINK] = properties.pack(plan.link) | (
        {"undefined": True} if plan.undefined else {}
    )
    if plan.joint is not None:
        empty[properties.JOINT] = properties.pack(plan.joint)
    inertial = plan.link.inertial
    if inertial is not None:
        empty[properties.MASS] = inertial.mass or 0.0
        empty[properties.CENTER_OF_MASS] = list(inertial.origin.xyz)
        empty[properties.INERTIA] = inertia_in_link(inertial).ravel().tolist()
