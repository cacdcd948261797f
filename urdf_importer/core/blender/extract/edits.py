# SPDX-License-Identifier: GPL-3.0-or-later
"""The animator's changes to a robot, and nothing else: the description's exact numbers stay
wherever the scene shows the result of an import.

Poses and animation are motion, not form: they change nothing. Edits in the description's own
properties win over the scene.
"""

import math
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ...diagnostics import Diagnostics, quote
from ...geometry.inertia import body_of
from ...geometry.mesh_data import MeshData
from ...geometry.rounding import SAME, shortest, tidy_angle, tidy_pose, tidy_vector
from ...geometry.transforms import Matrix, matrix_from_pose
from ...geometry.volumes import inertia_of
from ...meshes.write_files import WantedFormat
from ...model import IDENTITY, Inertia, Inertial, Joint, Limit, Link, Pose, Robot
from ..standing import properties
from ..standing.armatures import bones_of
from ..standing.joints import JointChannel, limits_of, name_joints, posed_joints_of
from ..standing.rests import find_edited_parts
from ..update.names import is_named_after
from .edited_shapes import ShapeEdits
from .frames import RestFrames, find_rest_frames
from .robot import find_link_empties, group_children, unpack_joints

_AXES = "xyz"
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedRobot:
    """A robot with the changes made in Blender.

    meshes  file name in `robot` -> the mesh that is written there
    images  the names of image files in `robot` that lie where they do not stay
    scale   of the armature, which `robot` does not have
    """

    robot: Robot
    meshes: Mapping[str, MeshData]
    images: frozenset[str]
    scale: float


ShapeSource = Literal["described", "edited", "shown"]


@contextmanager
def open_edits(
    armature: Any,
    described: Robot,
    diagnostics: Diagnostics,
    *,
    format: WantedFormat = "auto",
    shapes: ShapeSource = "edited",
) -> Iterator[EditedRobot]:
    """Gives the robot with the animator's changes, whose images are files for as long as the block
    runs; `described` is the result of extract_robot for it. Its shapes are "described", or "edited"
    where the animator changed them, or "shown", where the import decimated them, too. New meshes
    are named as files of this format."""
    empties = find_link_empties(armature)
    robot = _restore_middle(armature, described, set(empties), diagnostics)
    frames = find_rest_frames(armature, robot, empties)
    limits = dict(_find_limits(armature))
    joints = {joint.name: joint for joint in robot.joints}
    above = {joint.child: joint for joint in robot.joints}
    edited = {
        link.name: find_edited_parts(empties[link.name], link, above.get(link.name))
        for link in robot.links
        if link.name in empties
    }
    for joint in robot.joints:
        own = edited.get(joint.child, frozenset())
        joints[joint.name] = _edit_joint(joint, frames, limits, own)
    children = group_children()
    links = tuple(
        _edit_inertial(link, empties[link.name], children, frames.moved.get(link.name))
        if link.name in empties and "inertial" not in edited[link.name]
        else link
        for link in robot.links
    )
    robot = replace(robot, links=links, joints=tuple(joints.values()))
    _report_scene(armature, empties, diagnostics)
    scale = shortest(sum(armature.matrix_world.to_scale()) / 3.0, SAME)
    with tempfile.TemporaryDirectory(prefix="urdf-importer-") as folder:
        found = ShapeEdits(armature, robot, Path(folder), diagnostics, format)
        found.takes_decimated = shapes == "shown"
        if shapes != "described":
            robot = found.apply(empties, frames.moved, edited)
        yield EditedRobot(robot=robot, meshes=found.meshes, images=found.images, scale=scale)


def _restore_middle(
    armature: Any, described: Robot, present: set[str], diagnostics: Diagnostics
) -> Robot:
    """Puts back links whose empty is gone while other links are attached to them, bare; `present`
    are the links that have an empty."""
    if all(joint.parent in present for joint in described.joints):
        return described
    packed = armature[properties.ROBOT].to_dict()
    kept = unpack_joints(armature, packed.get("middle_joints", ()))
    joints = {joint.name: joint for joint in kept if joint.child not in present}
    joints |= {joint.name: joint for joint in described.joints}
    above = {joint.child: joint for joint in joints.values()}
    needed: dict[str, bool] = {}
    for name in sorted(present):
        while name in above and above[name].parent not in present | needed.keys():
            name = above[name].parent
            needed[name] = name in packed["links"]
    if not needed:
        return described
    links = {link.name: link for link in described.links}
    for name in (name for name, is_link in needed.items() if is_link):
        links[name] = Link(name=name)
        diagnostics.warning(
            "bare-link",
            f"the empty of link {quote(name)} was deleted while other links are attached to it; "
            "the link stays, without shapes and mass",
            subject=name,
        )
    return replace(
        described,
        links=tuple(links[name] for name in packed["links"] if name in links),
        joints=tuple(
            joints[name]
            for name in packed["joints"]
            if name in joints and joints[name].child in links.keys() | present
        ),
    )


def _edit_joint(
    joint: Joint, frames: RestFrames, limits: Mapping[str, Limit], edited: frozenset[str]
) -> Joint:
    if joint.name in frames.origins and "origin" not in edited:
        joint = replace(joint, origin=frames.origins[joint.name])
    if joint.name in limits and joint.limit is not None and "limit" not in edited:
        new = limits[joint.name]
        lower = joint.limit.lower if new.lower is None else new.lower
        upper = joint.limit.upper if new.upper is None else new.upper
        joint = replace(joint, limit=replace(joint.limit, lower=lower, upper=upper))
    return joint


# Limits


def _find_limits(armature: Any) -> Iterator[tuple[str, Limit]]:
    """Yields joint -> the bounds that were changed, in radians or metres."""
    for pose_bone, joint in posed_joints_of(armature):
        if joint.kind not in ("revolute", "prismatic") or joint.mimics:
            continue
        channel = joint.channels[0]
        changed = _read_constraint(pose_bone, channel) or _read_ik(pose_bone, channel)
        if changed:
            lower, upper = changed.get("min"), changed.get("max")
            if channel.sign < 0:
                lower, upper = _minus(upper), _minus(lower)
            yield joint.name, Limit(lower=lower, upper=upper)


def _bounds(channel: JointChannel) -> dict[str, float | None]:
    """Returns the bounds that an import gives the channel's number."""
    if channel.sign > 0:
        return {"min": channel.lower, "max": channel.upper}
    return {"min": _minus(channel.upper), "max": _minus(channel.lower)}


def _read_constraint(pose_bone: Any, channel: JointChannel) -> dict[str, float]:
    wanted = "LIMIT_ROTATION" if channel.turns else "LIMIT_LOCATION"
    axis = _AXES[channel.index]
    found = {}
    for limit in limits_of(pose_bone):
        if limit.type != wanted:
            continue
        for side, bound in _bounds(channel).items():
            number = getattr(limit, f"{side}_{axis}")
            if bound is not None and not _is_same(number, bound):
                found[side] = _tidy(number, channel)
    return found


def _read_ik(pose_bone: Any, channel: JointChannel) -> dict[str, float]:
    """Reads Blender's bounds for IK, which an import widens until they hold zero."""
    axis = _AXES[channel.index]
    lower, upper = _bounds(channel).values()
    if not (channel.turns and getattr(pose_bone, f"use_ik_limit_{axis}")):
        return {}
    if lower is None or upper is None:
        return {}
    made = {"min": max(min(lower, 0.0), -math.pi), "max": min(max(upper, 0.0), math.pi)}
    return {
        side: _tidy(number, channel)
        for side, bound in made.items()
        if not _is_same(number := getattr(pose_bone, f"ik_{side}_{axis}"), bound)
    }


def _is_same(number: float, bound: float) -> bool:
    return abs(number - bound) <= SAME * max(1.0, abs(bound))


def _tidy(number: float, channel: JointChannel) -> float:
    return tidy_angle(number) if channel.turns else shortest(number, SAME / 2)


def _minus(number: float | None) -> float | None:
    return None if number is None else -number + 0.0


# Masses


def _edit_inertial(
    link: Link, empty: Any, children: Mapping[Any, list[Any]], moved: Matrix | None
) -> Link:
    inertial = link.inertial
    below = children.get(empty, ())
    frames = (each for each in below if each.get(properties.PART) == properties.INERTIALS)
    frame = next(frames, None)
    found = _read_properties(inertial, empty)
    if frame is not None and found is not None:
        basis = np.array(frame.matrix_parent_inverse) @ np.array(frame.matrix_basis)
        found = _move_inertial(found, inertial, basis)
    if moved is not None and found is not None:
        place = moved @ matrix_from_pose(found.origin)
        found = replace(found, origin=tidy_pose(place, found.origin))
    return link if found == inertial else replace(link, inertial=found)


def _read_properties(inertial: Inertial | None, empty: Any) -> Inertial | None:
    """Reads the three properties of the mass; unedited ones change nothing."""
    if properties.MASS not in empty and inertial is None:
        return None
    found = inertial or Inertial()
    mass = float(empty.get(properties.MASS, found.mass or 0.0))
    if mass != (found.mass or 0.0):
        found = replace(found, mass=mass)
    center = empty.get(properties.CENTER_OF_MASS)
    if center is not None and tuple(center) != found.origin.xyz:
        x, y, z = map(float, center)
        found = replace(found, origin=replace(found.origin, xyz=(x, y, z)))
    tensor = empty.get(properties.INERTIA)
    if tensor is not None:
        wanted = np.array(tensor, dtype=np.float64).reshape(3, 3)
        made = body_of(inertial or Inertial()).inertia
        if not np.allclose(wanted, made, rtol=1e-9, atol=1e-300):
            # Along the link's axes, as the property is.
            found = replace(
                found,
                origin=Pose(xyz=found.origin.xyz),
                inertia=inertia_of(wanted, found.inertia or Inertia()),
            )
    return found


def _move_inertial(found: Inertial, described: Inertial | None, basis: Matrix) -> Inertial:
    """Returns the inertial where its empty was moved to, unless the properties say it otherwise."""
    before = described.origin if described is not None else IDENTITY
    pose = tidy_pose(basis, before)
    if pose == before or found.origin != before:
        return found
    return replace(found, origin=replace(pose, xyz=tidy_vector(pose.xyz, before.xyz)))


# Reports on the scene, which change nothing


def _report_scene(armature: Any, empties: Mapping[str, Any], diagnostics: Diagnostics) -> None:
    bones = bones_of(armature)
    # Bones at tips belong to native inverse kinematics, which add_ik makes.
    added = [
        bone.name for bone in bones if properties.PART not in bone and properties.IK not in bone
    ]
    if added:
        diagnostics.warning(
            "added-bone",
            f"{_count(added, 'bone')} were added to the rig; URDF cannot describe them, and they "
            "are left out",
            subject=added[0],
        )
    renamed = [
        empty.name for name, empty in empties.items() if not is_named_after(empty.name, name)
    ]
    for pose_bone, joint in posed_joints_of(armature):
        alone = len(name_joints(pose_bone.bone)) == 1
        if alone and not is_named_after(pose_bone.name, joint.name):
            renamed.append(pose_bone.name)
    if renamed:
        diagnostics.warning(
            "renamed-in-scene",
            f"{_count(renamed, 'bone or empty', 'bones and empties')} have other names than the "
            "description; links and joints keep theirs: to rename them, use Reshape > Rename",
            subject=renamed[0],
        )


def _count(names: list[str], one: str, several: str = "") -> str:
    shown = ", ".join(map(quote, names[:_MOST_NAMED]))
    more = ", ..." if len(names) > _MOST_NAMED else ""
    word = one if len(names) == 1 else several or f"{one}s"
    return f"{len(names)} {word} ({shown}{more})"
