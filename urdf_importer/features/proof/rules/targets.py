# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals of programs that no writer of the library knows: names, and rules of ROS and Drake."""

import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from ....core.diagnostics import Named, quote
from ....core.model import Mesh
from ..survey import RobotSurvey
from .rule import ERROR, WARNING, Fault, Rule

_ROS = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_USD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_DRAKE_MESHES = (".obj", ".vtk", ".gltf")


def _refuse(
    program: str, why: str, is_good: Callable[[str], bool]
) -> Callable[..., Iterator[Fault]]:
    def find(survey: RobotSurvey) -> Iterator[Fault]:
        parts: tuple[Named, ...] = (*survey.robot.links, *survey.robot.joints)
        for part in parts:
            if not is_good(part.name):
                kind = type(part).__name__.lower()
                yield Fault(part, f"{program} refuses {kind} {quote(part.name)}: {why}")

    return find


_ros_names = _refuse(
    "ROS", "names begin with a letter or _, and go on with these, digits, . and -",
    lambda name: _ROS.fullmatch(name) is not None,
)  # fmt: skip
_usd_names = _refuse(
    "USD", "names are letters, digits and _, and begin with no digit",
    lambda name: _USD.fullmatch(name) is not None,
)  # fmt: skip
_gazebo_names = _refuse(
    "Gazebo", "'::', 'world' and names between double underscores are its own",
    lambda name: "::" not in name and name != "world"
    and not (name.startswith("__") and name.endswith("__")),
)  # fmt: skip


def _reserved_world(survey: RobotSurvey) -> Iterator[Fault]:
    for link in survey.robot.links:
        if link.name == "world" and not link.is_bare:
            yield Fault(
                link, "link 'world' has mass or shapes, and the name means the world itself"
            )


def _no_limit(survey: RobotSurvey) -> Iterator[Fault]:
    for joint in survey.robot.joints:
        if joint.type in ("revolute", "prismatic") and joint.limit is None:
            text = f"joint {quote(joint.name)} is {joint.type} and has no limit: urdfdom refuses"
            yield Fault(joint, f"{text} the whole robot")


def _root_inertia(survey: RobotSurvey) -> Iterator[Fault]:
    tree = survey.tree
    root = None if tree is None else tree.links[0]
    if root is not None and root.inertial is not None:
        text = f"root link {quote(root.name)} has an inertia, which KDL ignores"
        yield Fault(root, f"{text}: put a link without mass above it", root.inertial.line)


def _drake_meshes(survey: RobotSurvey) -> Iterator[Fault]:
    for link in survey.robot.links:
        for shape in link.collisions:
            if not isinstance(shape.geometry, Mesh):
                continue
            name = shape.geometry.filename
            if PurePosixPath(name).suffix.lower() not in _DRAKE_MESHES:
                text = f"mesh {quote(name)} of link {quote(link.name)} does not collide in Drake"
                yield Fault(link, f"{text}, which reads {', '.join(_DRAKE_MESHES)}", shape.line)


TARGET_RULES = (
    Rule("name-refused", ERROR, _ros_names, ("ros", "moveit")),
    Rule("name-refused", ERROR, _usd_names, ("usd", "isaac")),
    Rule("name-refused", ERROR, _gazebo_names, ("gazebo",)),
    Rule("name-refused", ERROR, _reserved_world, ("mujoco", "drake")),
    Rule("target-limit", ERROR, _no_limit, ("ros", "moveit")),
    Rule("target-root-inertia", WARNING, _root_inertia, ("ros", "moveit")),
    Rule("target-mesh", WARNING, _drake_meshes, ("drake",)),
)
