# SPDX-License-Identifier: GPL-3.0-or-later
"""The content of a panel about a robot, as plain values, read from its properties once and
remembered: reading a robot of 3,000 joints takes longer than a redraw may."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import bpy

from ...diagnostics import Diagnostic, DiagnosticGroup, group_diagnostics
from ...kinematics.chains import NamedChain, group_chains
from ...kinematics.tree import find_above
from ..memory import recall
from . import properties
from .armatures import check_robot, find_main, is_robot, name_armature, pose_bones_of
from .joints import RigJoint, find_packed_joint, joints_of, name_limits, read_link_joint
from .links import links_of, name_link, visuals_of
from .record import FileState, find_record


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotTable:
    """`joints` by name, in the order of armatures and bones; `mass` in kg, None where no link has
    one; `depths` counts the links above each; `triangles` of all visuals in the file, without
    modifiers; `limits` are the constraints that hold joints within theirs, as (armature, bone,
    constraint)."""

    name: str
    source: str
    link_count: int
    joint_count: int
    mass: float | None
    triangles: int
    joints: Mapping[str, RigJoint]
    chains: tuple[NamedChain, ...]
    depths: Mapping[str, int]
    limits: tuple[tuple[str, str, str], ...]
    movers: Mapping[str, str]
    ratios: Mapping[str, float]
    diagnostics: tuple[Diagnostic, ...]
    groups: tuple[DiagnosticGroup, ...]
    files: Mapping[str, FileState]


def find_robot(item: Any) -> Any | None:
    """Finds the main armature of the robot that an object is part of, or moves by its root; None
    where there is none."""
    if item is not None and properties.VIRTUAL_JOINT in item:
        return next((each for each in item.children if properties.ROBOT in each), None)
    while item is not None:
        found = find_main(item)
        if found is not None:
            return found
        item = item.parent
    return None


def list_robots(scene: Any | None = None) -> list[Any]:
    """Finds the main armatures of the robots in a scene, the current one where none is given."""
    scene = scene or bpy.context.scene
    objects = scene.objects if scene is not None else ()
    return [item for item in objects if is_robot(item)]


def find_robots() -> dict[str, Any]:
    """Finds the imported robots in the scene: name of the object -> armature."""
    return {armature.name: armature for armature in list_robots()}


def recall_table(armature: Any) -> RobotTable:
    """Recalls the table of a robot. Raises BuildError for any other object."""
    return recall(armature, "table", read_table, shaped=True)


def read_table(armature: Any) -> RobotTable:
    """Reads the table of a robot from its rig. Raises BuildError for an object that is not an
    imported robot."""
    check_robot(armature)
    robot = armature[properties.ROBOT]
    links = list(links_of(armature))
    joints = {joint.name: joint for joint in joints_of(armature)}
    record = find_record(armature) if properties.IMPORT in armature else None
    diagnostics = record.diagnostics if record is not None else ()
    above = {
        name_link(link) or "": joint
        for link in links
        if (joint := read_link_joint(link)) is not None
    }
    holders = {link: joint.name for link, joint in above.items()}
    moving = find_above(
        {joint.name: holders.get(joint.parent, "") for joint in above.values()}, joints
    )
    masses = [link[properties.MASS] for link in links if properties.MASS in link]
    return RobotTable(
        name=robot.get("name", ""),
        source=robot.get("source", ""),
        link_count=len(links),
        joint_count=len(robot.get("joints", ())),
        mass=sum(masses) if masses else None,
        triangles=sum(_count_triangles(shape) for shape in visuals_of(armature)),
        joints=joints,
        # Fixed joints are passed over.
        chains=group_chains({name: moving.get(name, "") for name in joints}),
        depths=_depths(links, above),
        limits=tuple(
            (name_armature(bone.id_data), bone.name, name)
            for bone in pose_bones_of(armature)
            for name in name_limits(bone.bone)
        ),
        diagnostics=diagnostics,
        groups=tuple(group_diagnostics(diagnostics)),
        movers={link: name if name in joints else moving[name] for link, name in holders.items()},
        ratios=dict(_read_ratios(links, joints)),
        files=record.files if record is not None else {},
    )


def _read_ratios(links: list[Any], joints: Mapping[str, RigJoint]) -> Iterator[tuple[str, float]]:
    for link in links:
        packed = find_packed_joint(link) or {}
        joint = joints.get(packed.get("name", ""))
        if joint is not None and joint.mimics and "mimic" in packed:
            yield joint.name, float(packed["mimic"].get("multiplier", 1.0))


def _depths(links: list[Any], above: Mapping[str, Any]) -> dict[str, int]:
    """Returns link -> how many links are above it, given the joint above each; links come in the
    order of their objects' names. Where its parent is gone, a link counts as a root."""
    names = dict.fromkeys(name_link(link) or "" for link in links)
    below: dict[str | None, list[str]] = {}
    for name in names:
        parent = above[name].parent if name in above else None
        below.setdefault(parent if parent in names else None, []).append(name)
    depths: dict[str, int] = {}
    row, depth = below.get(None, []), 0
    while row:
        depths.update(dict.fromkeys(row, depth))
        row, depth = [child for name in row for child in below.get(name, ())], depth + 1
    return depths


def _count_triangles(shape: Any) -> int:
    mesh = shape.data if shape.type == "MESH" else None
    return len(mesh.loops) - 2 * len(mesh.polygons) if mesh is not None else 0
