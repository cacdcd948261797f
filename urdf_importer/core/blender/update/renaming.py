# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives links and joints of a standing rig other names, in place: references to their bones follow,
actions that nothing plays as well. The rest of an update then finds them by name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...model import Joint, Robot
from ...reshape.rename import rename_joint
from ...rig.rig_plan import RigPlan
from ...shelves import find_hooks
from ..extract.robot import find_link_empties, group_children, unpack
from ..semantics.markers import targets_of
from ..standing import properties
from ..standing.joints import find_packed_joint, rename_joints, write_link_joint
from .actions import move_curves, note_variables, rename_variables
from .bones import own_bones, rename_bones


@dataclass(frozen=True, slots=True, kw_only=True)
class NewNames:
    """Old name -> new name of links and of joints; `robot` is the rig's robot under them, `before`
    and `after` are its plans under the old and the new names."""

    links: Mapping[str, str]
    joints: Mapping[str, str]
    robot: Robot
    before: RigPlan
    after: RigPlan


def rename_rig_bones(armature: Any, names: NewNames) -> dict[str, str]:
    """Renames the bones, in the actions and drivers that use them as well. Returns old name -> new
    name, also of bones of the user that had names of the plan.

    For each name Blender looks through all objects: it costs half before others are staged."""
    own = set(own_bones(armature))
    renames = {
        old.name: new.name
        for old, new in zip(names.before.bones, names.after.bones, strict=True)
        if old.name != new.name and old.name in own
    }
    return _rename(armature, renames, names.after)


def restore_rig_bones(armature: Any, renamed: Mapping[str, str], names: NewNames) -> None:
    """Gives the bones back the names that rename_rig_bones changed."""
    _rename(armature, {new: old for old, new in renamed.items()}, names.before)


def _rename(armature: Any, renames: Mapping[str, str], plan: RigPlan) -> dict[str, str]:
    variables = note_variables(armature, renames)
    users = rename_bones(armature, renames, plan)
    rename_variables(variables, renames)
    return {**renames, **users}


def rename_standing(armature: Any, names: NewNames, renamed: Mapping[str, str]) -> None:
    """Renames links and joints in the properties of the rig, and bones in actions that nothing
    plays. `renamed` are its bones. Objects keep their names: names that an import gave them follow
    later, as in any update."""
    move_curves(armature, {}, renamed, {})
    for bone in armature.data.bones:
        rename_joints(bone, names.joints)
    _rename_empties(armature, names)
    tips = (bone for bone in armature.data.bones if properties.IK in bone)
    for said in (each[properties.IK] for each in (*targets_of(armature), *tips)):
        said["link"] = names.links.get(said.get("link", ""), said.get("link", ""))
    for rename in find_hooks("after_renaming"):
        rename(armature, names.links, names.joints)
    packed = armature[properties.ROBOT]
    packed["links"] = [names.links.get(name, name) for name in packed["links"]]
    packed["joints"] = [names.joints.get(name, name) for name in packed["joints"]]
    packed["cut_joints"] = [properties.pack(joint) for joint in names.after.cut_joints]


def _rename_empties(armature: Any, names: NewNames) -> None:
    links, children = {link.name: link for link in names.robot.links}, group_children()
    for name, empty in find_link_empties(armature).items():
        new = names.links.get(name, name)
        if new in links:
            empty[properties.LINK] = properties.pack(links[new])
        else:
            empty[properties.LINK]["name"] = new
        packed = find_packed_joint(empty)
        if packed is not None:
            joint = rename_joint(unpack(Joint, packed), names.links, names.joints)
            write_link_joint(empty, properties.pack(joint))
        for item in children.get(empty, ()):
            if properties.LIMITS_OF in item:
                joint = item[properties.LIMITS_OF]
                item[properties.LIMITS_OF] = names.joints.get(joint, joint)
