# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals of programs that no writer of the library knows: names, and rules of ROS and Drake."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePosixPath

from ....core.diagnostics import Named, Severity, quote
from ....core.model import Link, Mesh
from ....formats.urdf.write.complete import find_doubles
from ..survey import RobotSurvey, Shape
from .rule import ERROR, WARNING, Fault, Rule

_NAMES: tuple[tuple[Severity, tuple[str, ...], str, str, str], ...] = (
    (WARNING, ("ros", "moveit"), r"(?a:[A-Za-z_][\w.-]*)",
     "ROS makes no topic or parameter of",
     "their names begin with a letter or _, and go on with these, digits, . and -"),
    (WARNING, ("usd", "isaac"), r"(?a:[A-Za-z_]\w*)", "USD has another name for",
     "its names are letters, digits and _, and begin with no digit"),
    (ERROR, ("gazebo",), r"(?s:(?!__.*__$)(?!.*::).*)", "Gazebo refuses",
     "'::' and names between double underscores are its own"),
)  # fmt: skip
"""Level, targets, the names that they take; about other names."""
_DRAKE_MESHES = (".obj", ".vtk", ".gltf")


def _judge_names(good: str, told: str, why: str) -> Callable[..., Iterator[Fault]]:
    def find(survey: RobotSurvey) -> Iterator[Fault]:
        parts: tuple[Named, ...] = (*survey.robot.links, *survey.robot.joints)
        for part in parts:
            if not re.fullmatch(good, part.name):
                kind = type(part).__name__.lower()
                yield Fault(part, f"{told} {kind} {quote(part.name)}: {why}")

    return find


def _carried_world(survey: RobotSurvey) -> Iterator[Fault]:
    """A root link called world is the usual way to fix a robot in Gazebo."""
    carried = {joint.child for joint in survey.robot.joints}
    parts: tuple[Named, ...] = (*survey.robot.links, *survey.robot.joints)
    for part in parts:
        if part.name == "world" and not (isinstance(part, Link) and "world" not in carried):
            kind = type(part).__name__.lower()
            yield Fault(part, f"Gazebo refuses {kind} 'world': only a root link can have this name")


def _reserved_world(survey: RobotSurvey) -> Iterator[Fault]:
    for link in survey.robot.links:
        if link.name == "world" and not link.is_bare:
            yield Fault(
                link, "link 'world' has mass or shapes, and the name means the world itself"
            )


def _no_limit(survey: RobotSurvey) -> Iterator[Fault]:
    for joint in survey.robot.joints:
        limit, lacks = joint.limit, ""
        if limit is None and joint.type in ("revolute", "prismatic"):
            lacks = "limit"
        elif limit is not None and None in (limit.effort, limit.velocity):
            lacks = "limit of effort" if limit.effort is None else "limit of velocity"
        if lacks:
            text = f"joint {quote(joint.name)} is {joint.type} and has no {lacks}: urdfdom refuses"
            yield Fault(joint, f"{text} the whole robot")


def _double_material(survey: RobotSurvey) -> Iterator[Fault]:
    for material in find_doubles(survey.robot.materials):
        name = f"material {quote(material.name)} of the robot"
        yield Fault(material, f"{name} is defined once more: urdfdom refuses the whole robot")


def _root_inertia(survey: RobotSurvey) -> Iterator[Fault]:
    tree = survey.tree
    root = None if tree is None else tree.links[0]
    if root is not None and root.inertial is not None:
        text = f"root link {quote(root.name)} has an inertia, which KDL ignores"
        yield Fault(root, f"{text}: put a link without mass above it", root.inertial.line)


def _meshes(
    shapes: Callable[[Link], Sequence[Shape]], is_good: Callable[[str], bool], why: str
) -> Callable[..., Iterator[Fault]]:
    def find(survey: RobotSurvey) -> Iterator[Fault]:
        for link in survey.robot.links:
            for shape in shapes(link):
                if isinstance(shape.geometry, Mesh) and not is_good(shape.geometry.filename):
                    name = f"mesh {quote(shape.geometry.filename)} of link {quote(link.name)}"
                    yield Fault(link, f"{name} {why}", shape.line)

    return find


_drake_meshes = _meshes(
    lambda link: link.collisions,
    lambda name: PurePosixPath(name).suffix.lower() in _DRAKE_MESHES,
    f"does not collide in Drake, which reads {', '.join(_DRAKE_MESHES)} and refuses others",
)
_ros_meshes = _meshes(
    lambda link: link.shapes,
    lambda name: "://" in name,
    "has neither package:// nor file:// before it: RViz and MoveIt do not find it",
)


TARGET_RULES = (
    *(
        Rule("name-refused", level, _judge_names(good, told, why), targets)
        for level, targets, good, told, why in _NAMES
    ),
    Rule("name-refused", ERROR, _carried_world, ("gazebo",)),
    Rule("name-refused", ERROR, _reserved_world, ("mujoco", "drake")),
    Rule("target-limit", ERROR, _no_limit, ("ros", "moveit")),
    Rule("target-material", ERROR, _double_material, ("ros", "moveit")),
    Rule("target-root-inertia", WARNING, _root_inertia, ("ros", "moveit")),
    Rule("target-mesh", ERROR, _drake_meshes, ("drake",)),
    Rule("target-mesh", WARNING, _ros_meshes, ("ros", "moveit")),
)
