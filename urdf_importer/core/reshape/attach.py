# SPDX-License-Identifier: GPL-3.0-or-later
"""attach: a robot with another one, such as a tool, on one of its links."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..arguments import robot_of
from ..diagnostics import KinematicsError, quote
from ..kinematics.tree import retrace_tree
from ..model import IDENTITY, Joint, Material, Pose, Robot
from ..model.file_names import is_relative, name_files
from .references import find_repeated, interpret_again, need_links
from .rename import rename
from .resize import resize


def attach(
    robot: Robot,
    tool: Robot,
    link: str,
    *,
    origin: Pose = IDENTITY,
    joint: str = "",
    prefix: str = "",
    scale: float = 1.0,
) -> Robot:
    """Returns the robot with the root of `tool` on `link`, by a fixed joint at `origin`.

    `joint` names that joint, else it is called after both links. `prefix` goes before all names of
    the tool; without a prefix, names that both robots have are refused. A material whose name has
    another look in the robot gets the prefix. Relative paths of the tool's files are written as
    seen from the robot's.

    Raises KinematicsError for an unknown link, a tool of several roots, and names that clash.
    """
    robot, tool = robot_of(robot), robot_of(tool)
    need_links(robot, [link])
    tree = retrace_tree(tool)
    roots = [each.name for each, parent in zip(tree.links, tree.parents, strict=True) if parent < 0]
    if len(roots) != 1:
        raise KinematicsError(
            f"the tool {quote(tool.name)} has {len(roots)} root links; it must have exactly one",
            source=tool.source,
        )
    part = rename(resize(tool, scale=scale), prefix=prefix)
    part = _rename_materials(_relocate_files(part, robot.source), robot, prefix)
    root = prefix + roots[0]
    joined = Joint(
        name=joint or f"{link}_to_{root}", type="fixed", parent=link, child=root, origin=origin
    )
    _refuse_clash(robot, part, joined)
    added: dict[str, Any] = {
        kind: (*getattr(robot, kind), *(replace(each, line=0) for each in getattr(part, kind)))
        for kind in ("links", "loops", "transmissions", "extras")
    }
    both = replace(
        robot,
        **added,
        joints=(*robot.joints, joined, *(replace(each, line=0) for each in part.joints)),
        materials=robot.materials + _new_materials(robot, part),
        attributes=robot.attributes
        + tuple(pair for pair in part.attributes if pair[0] not in dict(robot.attributes)),
        version=max(robot.version, part.version),
    )
    return interpret_again(robot, both)


def _refuse_clash(robot: Robot, part: Robot, joined: Joint) -> None:
    for kind, held in (
        ("link", (*robot.links, *part.links)),
        ("joint", (*robot.joints, joined, *part.joints)),
    ):
        name = find_repeated(each.name for each in held)
        if name is not None:
            raise KinematicsError(
                f"both robots have a {kind} {quote(name)}; give the tool a prefix",
                source=part.source,
            )


def _new_materials(robot: Robot, part: Robot) -> tuple[Material, ...]:
    """The tool's materials, without materials that the robot has."""
    known = {material.name: material for material in robot.materials}
    return tuple(
        replace(material, line=0)
        for material in part.materials
        if not material.name or known.get(material.name) != material
    )


def _rename_materials(part: Robot, robot: Robot, prefix: str) -> Robot:
    """Renames materials that look different in the robot. Without a prefix the first definition
    counts."""
    mine, others = robot.material_definitions(), part.material_definitions()
    names = {
        name: prefix + name
        for name, material in others.items()
        if name in mine
        and (mine[name].color, mine[name].texture) != (material.color, material.texture)
    }
    return rename(part, materials=names) if prefix and names else part


def _relocate_files(part: Robot, source: str) -> Robot:
    """Relative paths start in the folder of their own file."""
    if not part.source or os.path.dirname(part.source) == os.path.dirname(source):
        return part
    here = Path(part.source).absolute().parent
    there = Path(source).absolute().parent

    def relocate(name: str) -> str:
        if not is_relative(name):
            return name
        try:
            return Path(os.path.relpath(here / name.replace("\\", "/"), there)).as_posix()
        except ValueError:  # another drive
            return (here / name).as_posix()

    return name_files(part, lambda mesh, *_: relocate(mesh.filename), relocate)
