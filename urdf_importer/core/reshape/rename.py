# SPDX-License-Identifier: GPL-3.0-or-later
"""rename: a robot whose links, joints and materials have other names."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from ..arguments import robot_of
from ..diagnostics import KinematicsError, quote
from ..model import Joint, Link, Material, Robot
from .references import find_repeated, follow_names, need_parts

Renaming = Mapping[str, str] | Callable[[str], str]


def rename(
    robot: Robot,
    names: Renaming | None = None,
    *,
    links: Renaming | None = None,
    joints: Renaming | None = None,
    materials: Renaming | None = None,
    prefix: str = "",
    suffix: str = "",
) -> Robot:
    """Returns the robot with other names, in all references too.

    `names` counts for links and joints alike, `links` and `joints` before it; `prefix` and `suffix`
    go around all names. Raises KinematicsError for a name in a mapping that is not in the robot,
    for an empty name, and where two links, joints or materials would have one name.
    """
    robot = robot_of(robot)
    own = [joint.name for joint in robot.joints]
    for kind, renaming, known in (
        ("link", links, [link.name for link in robot.links]),
        ("joint", joints, own),
        ("link or joint", names, [*_link_names(robot), *own]),
        ("material", materials, _material_names(robot)),
    ):
        need_parts(kind, known, robot, renaming if isinstance(renaming, Mapping) else ())

    def renamed(name: str, first: Renaming | None) -> str:
        for renaming in (first, names):
            new = _apply(renaming, name)
            if new is not None:
                name = new
                break
        return f"{prefix}{name}{suffix}"

    link_names = {name: renamed(name, links) for name in _link_names(robot)}
    joint_names = {joint.name: renamed(joint.name, joints) for joint in robot.joints}
    joint_names |= {loop.name: renamed(loop.name, joints) for loop in robot.loops}
    paints = {name: _apply(materials, name) or name for name in _material_names(robot)}
    for kind, new in (("links", link_names), ("joints", joint_names), ("materials", paints)):
        _refuse_clash(kind, new.values(), robot)
    if all(old == new for each in (link_names, joint_names, paints) for old, new in each.items()):
        return robot
    changed = replace(
        robot,
        links=tuple(_rename_link(link, link_names, paints) for link in robot.links),
        joints=tuple(rename_joint(joint, link_names, joint_names) for joint in robot.joints),
        materials=tuple(_rename_material(material, paints) for material in robot.materials),
    )
    return follow_names(changed, link_names, joint_names, robot)


def _apply(renaming: Renaming | None, name: str) -> str | None:
    if renaming is None:
        return None
    return renaming(name) if callable(renaming) else renaming.get(name)


def _refuse_clash(kind: str, names: Iterable[str], robot: Robot) -> None:
    names = list(names)
    twice = find_repeated(names)
    if twice is not None:
        raise KinematicsError(f"two {kind} would be named {quote(twice)}", source=robot.source)
    if kind != "materials" and not all(names):
        raise KinematicsError(f"{kind} need names", source=robot.source)


def _link_names(robot: Robot) -> dict[str, None]:
    """Of the links, and of links that only joints name."""
    ends = (name for joint in robot.joints for name in (joint.parent, joint.child))
    return dict.fromkeys([*(link.name for link in robot.links), *ends])


def _material_names(robot: Robot) -> dict[str, None]:
    inline = (v.material for link in robot.links for v in link.visuals if v.material is not None)
    return dict.fromkeys(m.name for m in (*robot.materials, *inline) if m.name)


def _rename_link(link: Link, names: Mapping[str, str], paints: Mapping[str, str]) -> Link:
    visuals = tuple(
        replace(each, material=each.material and _rename_material(each.material, paints))
        for each in link.visuals
    )
    return replace(link, name=names[link.name], visuals=visuals)


def _rename_material(material: Material, paints: Mapping[str, str]) -> Material:
    return replace(material, name=paints.get(material.name, material.name))


def rename_joint(joint: Joint, links: Mapping[str, str], joints: Mapping[str, str]) -> Joint:
    """Returns a joint with the new names of itself, its leader and its links, where it has some."""
    mimic = joint.mimic
    if mimic is not None:
        mimic = replace(mimic, joint=joints.get(mimic.joint, mimic.joint))
    return replace(
        joint,
        name=joints.get(joint.name, joint.name),
        parent=links.get(joint.parent, joint.parent),
        child=links.get(joint.child, joint.child),
        mimic=mimic,
    )
