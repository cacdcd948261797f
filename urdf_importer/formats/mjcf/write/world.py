# SPDX-License-Identifier: GPL-3.0-or-later
"""A world of MuJoCo: all robots and things become one robot, whose root is the world."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any
from xml.sax.saxutils import quoteattr

from ....core.diagnostics import MeshError
from ....core.gazebo import interpret_extras, is_static
from ....core.meshes import RobotFiles, ShownShape
from ....core.model import Extra, Joint, Link, Robot, Semantics, Visual
from ....core.names import Claims
from ....core.readers.formats import reader_formats
from ....core.reshape import adapt_srdf, attach
from ....core.writers.formats import OpenExport, WorldRequest, WorldRobot, Written
from .export import export_mjcf, find_freedom
from .options import MjcfOptions
from .plan import FREE_JOINT, WORLD

_LISTS = ("disabled_collisions", "enabled_collisions", "passive_joints", "group_states")


def write_mujoco_world(request: WorldRequest[MjcfOptions]) -> Generator[str, None, Written]:
    """Writes the world as one model. Where there are several robots, the names of each begin with
    its own and a slash. Yields the names of robots before they are read, and of the file."""
    merger, names = _Merger(request), {}
    for robot in request.robots:
        yield robot.name
        names[robot.name] = merger.add(robot)
    merger.add_things()
    yield request.path.name
    options = replace(
        request.around.options,
        base="fixed",
        scene=False,
        translation=(0.0, 0.0, 0.0),
        rotation=(0.0, 0.0, 0.0),
        positions=tuple(merger.positions),
    )
    files = request.around.files.with_shown(merger.shapes, merger.images)
    found = replace(request.around, robot=merger.robot, options=options, files=files)
    written = export_mjcf(found, request.path, merger.semantics(), request.world)
    return replace(written, facts={**written.facts, **request.facts(names)})


class _Merger:
    def __init__(self, request: WorldRequest[MjcfOptions]) -> None:
        self._request = request
        self._diagnostics = request.diagnostics
        self.robot = Robot(name=request.name, links=(Link(name=WORLD),))
        self.positions: list[tuple[str, str]] = []
        self.shapes: list[ShownShape] = []
        self.images: set[str] = set()
        self._semantics: list[Semantics] = []
        self._prefixed = len(request.robots) > 1 or self._clashes()

    def _clashes(self) -> bool:
        taken = {WORLD, *(thing.link.name for thing in self._request.world.things)}
        robots = self._request.robots
        return any(link.name in taken for each in robots for link in each.found.robot.links)

    def add(self, robot: WorldRobot[MjcfOptions]) -> str:
        """Adds a robot; returns its name, which begins the names of its parts."""
        found, name = robot.found, robot.name.replace("/", "_")
        prefix = f"{name}/" if self._prefixed else ""
        semantics = found.semantics()
        is_free = find_freedom(found.options, semantics, robot.tree) or _moves(found)
        held = f"{prefix}{FREE_JOINT}" if is_free else f"{prefix}{WORLD}_to_{name}"
        before = self.robot
        merged = attach(before, found.robot, WORLD, origin=robot.place, joint=held, prefix=prefix)
        joints = [
            replace(each, type="floating") if is_free and each.name == held else each
            for each in merged.joints
        ]
        links = merged.links[len(before.links) :]
        self.robot = replace(merged, joints=tuple(joints))
        self._take_shapes(found.files, found.robot.links, links)
        self.positions += [(prefix + joint, text) for joint, text in found.options.positions]
        if semantics is not None:
            self._semantics.append(_prefix(semantics, found.robot, prefix, self.robot))
        return name

    def add_things(self) -> None:
        things = self._request.world.things
        joints = Claims(taken=[each.name for each in self.robot.joints])
        hung, extras = [], []
        for thing in things:
            name, kind = thing.link.name, "fixed" if thing.is_static else "floating"
            joint = Joint(name=joints.claim(name), type=kind, parent=WORLD, child=name)
            hung.append(replace(joint, origin=thing.place))
            if thing.friction is not None:
                mu = f"<gazebo reference={quoteattr(name)}><mu1>{thing.friction!r}</mu1></gazebo>"
                extras.append(Extra(tag="gazebo", xml=mu))
        robot, links = self.robot, tuple(each.link for each in things)
        self._take_shapes(self._request.around.files, links, links)
        self.robot = interpret_extras(
            replace(
                robot,
                links=robot.links + links,
                joints=(*robot.joints, *hung),
                extras=(*robot.extras, *extras),
            )
        )

    def _take_shapes(self, files: RobotFiles, old: Sequence[Link], new: Sequence[Link]) -> None:
        """Keeps the arrays of shapes, and their images, under the shapes that they are now."""
        for before, after in zip(old, new, strict=True):
            for one, other in zip(before.shapes, after.shapes, strict=True):
                try:
                    data = files.load(one, before)
                except MeshError as error:
                    files.report_lost(error, one, before)
                    continue
                self.shapes.append(ShownShape(shape=other, data=data))
                if isinstance(one, Visual) and one.material is not None:
                    self.images.update(one.material.images)

    def semantics(self) -> Semantics | None:
        if not self._semantics:
            return None
        joined: dict[str, Any] = {
            name: tuple(item for each in self._semantics for item in getattr(each, name))
            for name in _LISTS
        }
        return Semantics(name=self.robot.name, **joined)


def _moves(found: OpenExport[MjcfOptions]) -> bool:
    """Whether a model of a format of free models is neither static nor held in its world, and no
    option or SRDF says otherwise."""
    robot, semantics = found.robot, found.semantics()
    if found.options.base != "auto" or (semantics is not None and semantics.virtual_joints):
        return False
    suffix = PurePath(robot.source).suffix.lower()
    is_free = any(each.free and suffix in each.suffixes for each in reader_formats())
    return is_free and robot.links[0].name != WORLD and not is_static(robot)


def _prefix(semantics: Semantics, robot: Robot, prefix: str, merged: Robot) -> Semantics:
    """Returns an SRDF with the names that its robot has in the world."""
    names = {name: prefix + name for name in robot.names()}
    adapted = adapt_srdf(semantics, robot=merged, names=names)
    states = tuple(replace(each, name=prefix + each.name) for each in adapted.group_states)
    return replace(adapted, group_states=states)
