# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot in labelled pictures: the places of its links, and its visible keypoints."""

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ....core.blender.extract.robot import find_link_empties
from ....core.blender.standing.pose import get_joint_positions
from ....core.geometry.transforms import Matrix, Vector, invert, nearest_rotation
from ....core.kinematics.tree import retrace_tree
from ....core.model import Robot
from ..dataset import Shot
from .casting import Rays, cast
from .trees import Obstacle

_BEFORE = 1e-4
"""Parts of a distance that a surface in front of a keypoint is nearer at least."""


class Subject:
    """A robot in pictures, one of several alike: its links have the `ids` from 1 on, in the order
    of the description."""

    def __init__(self, armature: Any, robot: Robot, number: int, keypoints: Sequence[str]) -> None:
        self.armature, self.number = armature, number
        self._robot, self._keypoints = robot, keypoints
        self.ids = {link.name: place for place, link in enumerate(robot.links, start=1)}
        tree = retrace_tree(robot)
        self._bodies = {link.name: body for link, body in zip(tree.links, tree.bodies, strict=True)}

    @property
    def own(self) -> dict[Any, int]:
        """The empties of the links with numbers that no other robot's have."""
        first = (self.number - 1) * len(self.ids)
        empties = find_link_empties(self.armature)
        return {item: first + self.ids[name] for name, item in empties.items()}

    def place_links(self) -> dict[str, Matrix]:
        """Returns link -> its rigid frame (4, 4) in the world, in the order of the description."""
        graph = bpy.context.evaluated_depsgraph_get()
        empties, found = find_link_empties(self.armature), {}
        for name in self.ids:
            if name in empties:
                frame = found[name] = np.array(empties[name].evaluated_get(graph).matrix_world)
                frame[:3, :3] = nearest_rotation(frame[:3, :3])
        return found

    def describe(self, obstacles: Sequence[Obstacle], shot: Shot) -> dict[str, Any]:
        """Describes the robot as JSON holds it."""
        seats = self.place_links()
        children = {joint.child for joint in self._robot.joints}
        return {
            "id": self.number,
            "name": self._robot.name,
            "pose": next(seats[name] for name in seats if name not in children).tolist(),
            "joints": {
                name: list(value) if isinstance(value, tuple) else value
                for name, value in get_joint_positions(self.armature).items()
            },
            "links": {name: frame.tolist() for name, frame in seats.items()},
            "keypoints": [
                self._see_keypoint(name, seats[name][:3, 3], obstacles, shot)
                for name in self._keypoints
                if name in seats
            ],
        }

    def _see_keypoint(
        self, name: str, place: Vector, obstacles: Sequence[Obstacle], shot: Shot
    ) -> dict[str, Any]:
        """Describes a point of a link: visible is 2 where its own body, or the one across its
        joint, is the first on its ray, or nothing is nearer; 1 where it is hidden, 0 outside."""
        inside = invert(shot.world)
        point = inside[:3, :3] @ place + inside[:3, 3]
        u, v, visible = 0.0, 0.0, 0
        if point[2] > shot.near:
            u, v, _ = (shot.K @ point / point[2]).tolist()
            if -0.5 <= u < shot.width - 0.5 and -0.5 <= v < shot.height - 0.5:
                nearest = shot.near / float(point[2])
                hit = _find_before(place, shot.world[:3, 3], nearest, obstacles)
                visible = 2 if hit is None or hit in self._own_of(name) else 1
        about = {"name": name, "link": name, "xyz": point.tolist()}
        return {**about, "uv": [u, v], "visible": visible}

    def _own_of(self, name: str) -> set[int]:
        """Returns the ids of the links of a link's body, and of the body across its joint."""
        body = self._bodies[name]
        above = {
            self._bodies[joint.parent]
            for joint in self._robot.joints
            if self._bodies[joint.child] == body
        }
        first = (self.number - 1) * len(self.ids)
        near = {body, *above}
        return {first + self.ids[each] for each, its in self._bodies.items() if its in near}


def _find_before(
    place: Vector, eye: Vector, nearest: float, obstacles: Sequence[Obstacle]
) -> int | None:
    """Finds the id of the first thing on the way from an eye to a place; None for nothing. It
    begins at the part `nearest` of the way."""
    way = place - eye
    far = float(np.linalg.norm(way))
    near, end = np.array([nearest * far]), np.array([far * (1.0 - _BEFORE)])
    hits = cast(obstacles, Rays(origin=eye, directions=way[None] / far, near=near, far=end))
    return int(hits.links[0]) if np.isfinite(hits.far[0]) else None
