# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an SRDF fits a robot: names that it does not have, rings of groups, empty groups."""

from collections.abc import Iterator

from ....core.diagnostics import Diagnostics, quote
from ....core.kinematics.semantic_groups import find_rings, resolve_groups
from ....core.model import Robot, Semantics

ROOT_JOINT = "root_joint"
"""Pinocchio's name of a free base in states; no description has it."""


def check_semantics(semantics: Semantics, robot: Robot, diagnostics: Diagnostics) -> None:
    """Reports parts of an SRDF that do not fit the robot."""
    if semantics.name and semantics.name != robot.name:
        diagnostics.warning(
            "srdf-other-robot",
            f"the SRDF is for robot {quote(semantics.name)}, not {quote(robot.name)}; it is used",
        )
    _check_names(semantics, robot, diagnostics)
    rings = find_rings(semantics)
    lines = {group.name: group.line for group in semantics.groups}
    for name in sorted(rings):
        diagnostics.error(
            "srdf-group-ring",
            f"group {quote(name)} depends on groups that contain each other; it has no effect",
            subject=name,
            line=lines[name],
        )
    for name, joints in resolve_groups(robot, semantics).items():
        if not joints and name not in rings:
            diagnostics.warning(
                "srdf-empty-group",
                f"group {quote(name)} has no joint; it has no effect",
                subject=name,
                line=lines[name],
            )
    _check_pairs(semantics, diagnostics)


def _check_names(semantics: Semantics, robot: Robot, diagnostics: Diagnostics) -> None:
    known = {
        "link": {link.name for link in robot.links},
        "joint": {joint.name for joint in robot.joints},
        "group": {group.name for group in semantics.groups},
    }
    known["joint"] |= {joint.name for joint in semantics.virtual_joints} | {ROOT_JOINT}
    reported: set[tuple[str, str]] = set()
    for kind, name, place, line in named_in(semantics):
        if name in known[kind] or (kind, name) in reported:
            continue
        reported.add((kind, name))
        where = "the SRDF" if kind == "group" else "the robot"
        diagnostics.error(
            "srdf-unknown-name",
            f"{place} names {kind} {quote(name)}, which {where} does not have; it has no effect",
            subject=name,
            line=line,
        )


Named = Iterator[tuple[str, str, str, int]]
"""Kind, name, place, line."""


def named_in(semantics: Semantics) -> Named:
    """Yields everything that is named."""
    yield from _named_in_groups(semantics)
    for effector in semantics.end_effectors:
        place = f"end effector {quote(effector.name)}"
        yield "group", effector.group, place, effector.line
        yield "link", effector.parent_link, place, effector.line
        if effector.parent_group:
            yield "group", effector.parent_group, place, effector.line
    for virtual in semantics.virtual_joints:
        yield "link", virtual.child_link, f"virtual joint {quote(virtual.name)}", virtual.line
    for passive in semantics.passive_joints:
        yield "joint", passive.name, "<passive_joint>", passive.line
    for item in semantics.joint_properties:
        yield "joint", item.joint_name, "<joint_property>", item.line
    yield from _named_in_collisions(semantics)


def _named_in_groups(semantics: Semantics) -> Named:
    for group in semantics.groups:
        place = f"group {quote(group.name)}"
        yield from (("joint", name, place, group.line) for name in group.joints)
        yield from (("link", name, place, group.line) for name in group.links)
        yield from (("group", name, place, group.line) for name in group.groups)
        for chain in group.chains:
            yield "link", chain.base_link, place, group.line
            yield "link", chain.tip_link, place, group.line
    for state in semantics.group_states:
        place = f"state {quote(state.name)}"
        yield "group", state.group, place, state.line
        yield from (("joint", name, place, state.line) for name, _ in state.positions)


def _named_in_collisions(semantics: Semantics) -> Named:
    for pair in (*semantics.disabled_collisions, *semantics.enabled_collisions):
        yield "link", pair.link1, "a pair of links", pair.line
        yield "link", pair.link2, "a pair of links", pair.line
    for unchecked in semantics.no_default_collisions:
        yield "link", unchecked.link, "<disable_default_collisions>", unchecked.line
    for spheres in semantics.link_spheres:
        yield "link", spheres.link, "<link_sphere_approximation>", spheres.line


def _check_pairs(semantics: Semantics, diagnostics: Diagnostics) -> None:
    seen: set[tuple[str, str]] = set()
    repeated = []
    for pair in semantics.disabled_collisions:
        names = (min(pair.link1, pair.link2), max(pair.link1, pair.link2))
        if names in seen:
            repeated.append(pair)
        seen.add(names)
    if repeated:
        first = repeated[0]
        diagnostics.warning(
            "srdf-repeated-pair",
            f"{len(repeated)} pairs of links are disabled again, {quote(first.link1)} and "
            f"{quote(first.link2)} first; all are kept",
            subject=first.link1,
            line=first.line,
        )
