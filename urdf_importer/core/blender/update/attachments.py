# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps the user's attachments to a rig.

An object on a link's empty follows the empty, wherever the link goes. One on a bone follows the
link that the bone carries: Blender holds it at the bone's tail, which may now be elsewhere, so its
inverse parent matrix is computed again. Where the link is gone, the object moves to the nearest
link above that is still there, and keeps its place in the world.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import mathutils
import numpy as np

from ...geometry.transforms import Matrix, invert
from ...rig.rig_plan import RigPlan
from ..extract.frames import place_of
from ..standing import properties
from ..standing.armatures import bone_of, held_frame
from .standing import StandingRig


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """An object of the user on a bone. `link_from_held` is the place of its parent space in the
    frame of the link `link`; `armature_from_held` in the armature's, all at rest."""

    item: Any
    bone: str
    link: str
    link_from_held: Matrix
    armature_from_held: Matrix


@dataclass(frozen=True, slots=True, kw_only=True)
class Orphan:
    """An object whose link goes: `world` is its place before, `link` its parent from now on (empty:
    the armature)."""

    item: Any
    world: Matrix
    link: str


def note_attachments(standing: StandingRig) -> list[Attachment]:
    """Notes the user's objects on the importer's bones. To be called before anything changes."""
    armature = standing.armature
    own = set(standing.links.values())
    bones = armature.data.bones
    carried = _links_by_bone(standing)
    noted = []
    for item in standing.children.get(armature, []):
        bone = bone_of(item)
        if item in own or bone not in bones or properties.PART not in bones[bone]:
            continue
        held = held_frame(np.eye(4), armature, bone) @ np.array(item.matrix_parent_inverse)
        link = carried.get(bone, "")
        rest = place_of(standing.links[link], {armature: np.eye(4)}) if link else np.eye(4)
        noted.append(
            Attachment(
                item=item,
                bone=bone,
                link=link,
                link_from_held=invert(rest) @ held,
                armature_from_held=held,
            )
        )
    return noted


def detach_from_bones(standing: StandingRig, gone: set[str]) -> None:
    """Detaches objects from bones that go: Blender complains about every object whose bone is
    missing."""
    for item in standing.children.get(standing.armature, []):
        if item.parent_type == "BONE" and item.parent_bone in gone:
            item.parent_type = "OBJECT"


def reseat_attachments(
    standing: StandingRig, attachments: Iterable[Attachment], plan: RigPlan
) -> None:
    """Puts back objects whose link is still there, and objects on bones that carry none."""
    armature, frames = standing.armature, {standing.armature: np.eye(4)}
    bones = {item.link.name: item.bone for item in plan.links}
    for noted in attachments:
        if noted.link and noted.link not in bones:
            continue
        bone = bones[noted.link] if noted.link else noted.bone
        held = noted.armature_from_held
        if noted.link:
            held = place_of(standing.links[noted.link], frames) @ noted.link_from_held
        tail = held_frame(np.eye(4), armature, bone)
        item, is_there = noted.item, bone in armature.data.bones
        if is_there and bone == bone_of(item):
            now = tail @ np.array(item.matrix_parent_inverse)
            if np.abs(now - held).max() < 1e-7:
                continue
        item.parent_type, item.parent_bone = ("BONE", bone) if is_there else ("OBJECT", "")
        item.matrix_parent_inverse = mathutils.Matrix((invert(tail) @ held).tolist())


def note_orphans(
    standing: StandingRig, attachments: Iterable[Attachment], plan: RigPlan, going: Iterable[Any]
) -> list[Orphan]:
    """Notes the user's objects under removed parts: links, bones of links, and shapes; in the
    displayed pose."""
    stay = {item.link.name for item in plan.links}
    above = {joint.child: joint.parent for joint in standing.robot.joints}
    going = list(going)
    gone = set(going)
    # Also where there are none: the user's drivers are noted next.
    bpy.context.view_layer.update()
    link_of = {empty: name for name, empty in standing.links.items()}
    found = []
    for parent in going:
        name = link_of.get(parent) or link_of.get(parent.parent, "")
        for item in standing.children.get(parent, []):
            if item not in gone and item not in link_of:
                found.append((item, name))
    found += [(each.item, each.link) for each in attachments if each.link and each.link not in stay]
    return [_orphan(item, name, above, stay) for item, name in found]


def _orphan(item: Any, link: str, above: Mapping[str, str], stay: set[str]) -> Orphan:
    while link and link not in stay:
        link = above.get(link, "")
    return Orphan(item=item, world=np.array(item.matrix_world), link=link)


def adopt_orphans(standing: StandingRig, orphans: Sequence[Orphan]) -> None:
    """Gives orphans their new parents. To be called when the new rig is posed."""
    if orphans:
        bpy.context.view_layer.update()
    for orphan in orphans:
        item = orphan.item
        item.parent = standing.links.get(orphan.link, standing.armature)
        item.parent_type, item.parent_bone = "OBJECT", ""
        world = np.array(item.parent.matrix_world)
        inverse = invert(world) @ orphan.world @ np.linalg.inv(np.array(item.matrix_basis))
        item.matrix_parent_inverse = mathutils.Matrix(inverse.tolist())


def _links_by_bone(standing: StandingRig) -> dict[str, str]:
    """Returns bone -> a link that it carries: of several the first in the description."""
    found: dict[str, str] = {}
    for link in standing.robot.links:
        empty = standing.links[link.name]
        if empty.parent_type == "BONE":
            found.setdefault(empty.parent_bone, link.name)
    return found
