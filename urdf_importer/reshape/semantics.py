# SPDX-License-Identifier: GPL-3.0-or-later
"""adapt_srdf: an SRDF that fits a robot which was reshaped."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from ..arguments import diagnostics_of, robot_of
from ..diagnostics import Diagnostics, quote
from ..kinematics.semantic_groups import find_rings, resolve_groups
from ..model import Group, GroupState, Robot, Semantics

_Item = TypeVar("_Item")
_ROOT_JOINT = "root_joint"  # Pinocchio's free base, which no description has


def adapt_srdf(
    semantics: Semantics,
    robot: Robot,
    *,
    names: Mapping[str, str] | None = None,
    diagnostics: Diagnostics | None = None,
) -> Semantics:
    """Returns the SRDF as it fits `robot`: with new names (`names`: old -> new, of links and
    joints), without references to removed parts. The order stays.

    Groups that have no joint left go, and their states and end effectors with them; each with a
    warning.
    """
    robot = robot_of(robot)
    diagnostics = diagnostics_of(diagnostics, semantics.source)
    renamed = _rename(semantics, names) if names else semantics
    left = _without_gone(renamed, robot)
    adapted = _without_empty_groups(left, robot, diagnostics)
    return replace(adapted, name=robot.name if semantics.name else "")


def _rename(semantics: Semantics, names: Mapping[str, str]) -> Semantics:
    def new(name: str) -> str:
        return names.get(name, name)

    return replace(
        semantics,
        groups=tuple(_rename_group(group, names) for group in semantics.groups),
        group_states=tuple(
            replace(state, positions=tuple((new(name), each) for name, each in state.positions))
            for state in semantics.group_states
        ),
        end_effectors=tuple(
            replace(each, parent_link=new(each.parent_link)) for each in semantics.end_effectors
        ),
        virtual_joints=tuple(
            replace(each, child_link=new(each.child_link)) for each in semantics.virtual_joints
        ),
        passive_joints=tuple(
            replace(each, name=new(each.name)) for each in semantics.passive_joints
        ),
        disabled_collisions=tuple(
            replace(pair, link1=new(pair.link1), link2=new(pair.link2))
            for pair in semantics.disabled_collisions
        ),
        enabled_collisions=tuple(
            replace(pair, link1=new(pair.link1), link2=new(pair.link2))
            for pair in semantics.enabled_collisions
        ),
        no_default_collisions=tuple(
            replace(each, link=new(each.link)) for each in semantics.no_default_collisions
        ),
        link_spheres=tuple(replace(each, link=new(each.link)) for each in semantics.link_spheres),
        joint_properties=tuple(
            replace(each, joint_name=new(each.joint_name)) for each in semantics.joint_properties
        ),
    )


def _rename_group(group: Group, names: Mapping[str, str]) -> Group:
    def new(name: str) -> str:
        return names.get(name, name)

    return replace(
        group,
        joints=tuple(map(new, group.joints)),
        links=tuple(map(new, group.links)),
        chains=tuple(
            replace(chain, base_link=new(chain.base_link), tip_link=new(chain.tip_link))
            for chain in group.chains
        ),
    )


def _without_gone(semantics: Semantics, robot: Robot) -> Semantics:
    links = {link.name for link in robot.links}
    virtual = tuple(each for each in semantics.virtual_joints if each.child_link in links)
    joints = {joint.name for joint in robot.joints} | {each.name for each in virtual}
    joints.add(_ROOT_JOINT)
    return replace(
        semantics,
        virtual_joints=virtual,
        groups=tuple(_group_left(group, links, joints) for group in semantics.groups),
        group_states=tuple(_state_left(state, joints) for state in semantics.group_states),
        end_effectors=tuple(e for e in semantics.end_effectors if e.parent_link in links),
        passive_joints=tuple(each for each in semantics.passive_joints if each.name in joints),
        disabled_collisions=tuple(
            pair
            for pair in semantics.disabled_collisions
            if pair.link1 in links and pair.link2 in links
        ),
        enabled_collisions=tuple(
            pair
            for pair in semantics.enabled_collisions
            if pair.link1 in links and pair.link2 in links
        ),
        no_default_collisions=tuple(
            each for each in semantics.no_default_collisions if each.link in links
        ),
        link_spheres=tuple(each for each in semantics.link_spheres if each.link in links),
        joint_properties=tuple(
            each for each in semantics.joint_properties if each.joint_name in joints
        ),
    )


def _group_left(group: Group, links: set[str], joints: set[str]) -> Group:
    return replace(
        group,
        joints=tuple(name for name in group.joints if name in joints),
        links=tuple(name for name in group.links if name in links),
        chains=tuple(
            chain for chain in group.chains if chain.base_link in links and chain.tip_link in links
        ),
    )


def _state_left(state: GroupState, joints: set[str]) -> GroupState:
    return replace(state, positions=tuple(pair for pair in state.positions if pair[0] in joints))


def _without_empty_groups(
    semantics: Semantics, robot: Robot, diagnostics: Diagnostics
) -> Semantics:
    rings = find_rings(semantics)
    resolved = resolve_groups(robot, semantics)
    gone = {name for name, joints in resolved.items() if not joints and name not in rings}
    # Groups that were never there are not to be named either.
    known = resolved.keys() - gone
    for group in semantics.groups:
        if group.name in gone:
            diagnostics.warning(
                "srdf-empty-group",
                f"group {quote(group.name)} has no joint left; it goes, with its states and end "
                "effectors",
                subject=group.name,
                line=group.line,
            )
    groups = tuple(
        replace(group, groups=tuple(name for name in group.groups if name in known))
        for group in semantics.groups
        if group.name in known
    )
    return replace(
        semantics,
        groups=groups,
        group_states=tuple(state for state in semantics.group_states if state.group in known),
        end_effectors=tuple(
            each if each.parent_group in known else replace(each, parent_group="")
            for each in semantics.end_effectors
            if each.group in known
        ),
    )
