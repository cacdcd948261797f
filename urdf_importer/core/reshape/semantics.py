# SPDX-License-Identifier: GPL-3.0-or-later
"""adapt_srdf: an SRDF that fits a robot which was reshaped."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..arguments import diagnostics_of, robot_of
from ..diagnostics import Diagnostics, quote
from ..kinematics.semantic_groups import find_rings, resolve_groups
from ..model import Group, Robot, Semantics

_ROOT_JOINT = "root_joint"  # Pinocchio's free base, which no description has
_CHAIN = ("base_link", "tip_link")
_REFERENCES = {
    "end_effectors": ("link", "parent_link"),
    "virtual_joints": ("link", "child_link"),
    "passive_joints": ("joint", "name"),
    "disabled_collisions": ("link", "link1", "link2"),
    "enabled_collisions": ("link", "link1", "link2"),
    "no_default_collisions": ("link", "link"),
    "link_spheres": ("link", "link"),
    "joint_properties": ("joint", "joint_name"),
}
"""Parts of an SRDF -> the kind of thing that they refer to, and the fields with its names."""


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

    renamed: dict[str, Any] = {
        field: tuple(_rename_fields(each, fields, names) for each in getattr(semantics, field))
        for field, (_, *fields) in _REFERENCES.items()
    }
    return replace(
        semantics,
        **renamed,
        groups=tuple(
            replace(
                group,
                joints=tuple(map(new, group.joints)),
                links=tuple(map(new, group.links)),
                chains=tuple(_rename_fields(each, _CHAIN, names) for each in group.chains),
            )
            for group in semantics.groups
        ),
        group_states=tuple(
            replace(state, positions=tuple((new(name), each) for name, each in state.positions))
            for state in semantics.group_states
        ),
    )


def _rename_fields(part: Any, fields: Iterable[str], names: Mapping[str, str]) -> Any:
    held = {field: getattr(part, field) for field in fields}
    return replace(part, **{field: names.get(name, name) for field, name in held.items()})


def _without_gone(semantics: Semantics, robot: Robot) -> Semantics:
    links = {link.name for link in robot.links}
    virtual = {each.name for each in semantics.virtual_joints if each.child_link in links}
    joints = {joint.name for joint in robot.joints} | virtual | {_ROOT_JOINT}
    left: dict[str, Any] = {
        field: tuple(
            each
            for each in getattr(semantics, field)
            if {getattr(each, name) for name in names} <= (links if kind == "link" else joints)
        )
        for field, (kind, *names) in _REFERENCES.items()
    }
    return replace(
        semantics,
        **left,
        groups=tuple(_group_left(group, links, joints) for group in semantics.groups),
        group_states=tuple(
            replace(state, positions=tuple(pair for pair in state.positions if pair[0] in joints))
            for state in semantics.group_states
        ),
    )


def _group_left(group: Group, links: set[str], joints: set[str]) -> Group:
    return replace(
        group,
        joints=tuple(name for name in group.joints if name in joints),
        links=tuple(name for name in group.links if name in links),
        chains=tuple(each for each in group.chains if {each.base_link, each.tip_link} <= links),
    )


def _without_empty_groups(
    semantics: Semantics, robot: Robot, diagnostics: Diagnostics
) -> Semantics:
    rings = find_rings(semantics)
    resolved = resolve_groups(robot, semantics)
    gone = {name for name, joints in resolved.items() if not joints and name not in rings}
    # Groups that were never there must not be named either.
    known = resolved.keys() - gone
    for group in semantics.groups:
        if group.name in gone:
            diagnostics.warning(
                "srdf-empty-group",
                f"group {quote(group.name)} has no joint left; it is removed, with its states and "
                "end effectors",
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
