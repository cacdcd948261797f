# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragging bodies of joints that move in several ways at once: planar, floating and ball joints.

A planar joint slides in its plane, a floating one across the view; both can be turned instead: a
planar joint about the normal of its plane, a floating one and a ball as one likes, about the middle
of the joint. The held point stays under the mouse.
"""

from dataclasses import dataclass
from typing import Any

import mathutils
import numpy as np

from ...geometry.transforms import Matrix, Vector, rotations_about
from ...kinematics.dragging import BallDrag, Drag, PlaneDrag, Ray, grip_ball, grip_plane, grip_turn
from .handles import JointHandle, enter_armature, list_movable, read_rest

Sight = tuple[mathutils.Vector, mathutils.Vector]


@dataclass(slots=True, kw_only=True)
class FreeDrag:
    """A body that is moved, or turned. All places are the armature's: `axes` (3, 3) has the
    directions of the bone's location in its columns, `point` (3,) is the held point, `middle` (3,)
    the joint. `start` are the joint's numbers at the grab."""

    handle: JointHandle
    turning: bool
    drag: PlaneDrag | BallDrag | Drag
    axes: Matrix
    point: Vector
    middle: Vector
    start: tuple[float, ...]
    held: Vector
    _angles: Any

    def move(self, ray: Ray, *, fine: bool = False) -> tuple[float, ...]:
        """Moves the mouse; returns the joint's numbers."""
        if isinstance(self.drag, PlaneDrag):
            way = self.drag.move(ray, fine=fine)
            self.held = self.point + way
            return self._move_by(way)
        if isinstance(self.drag, BallDrag):
            turn = self.drag.move(ray, fine=fine)
            found = self._turn_by(turn)
        else:
            angle = self.drag.move(ray, fine=fine)
            turn = rotations_about(self.axes[:, 0], np.array(angle))
            found = (*self.start[:-1], self.start[-1] + angle)
        self.held = self.middle + turn @ (self.point - self.middle)
        return found

    def find_held(self) -> mathutils.Vector:
        """Finds where in the world the point is now that is held."""
        return self.handle.carrier.matrix_world @ mathutils.Vector(self.held)

    def _move_by(self, way: Vector) -> tuple[float, ...]:
        steps = self.axes.T @ way
        channels = self.handle.joint.channels
        return tuple(
            start if channel.turns else start + channel.sign * float(steps[channel.index])
            for channel, start in zip(channels, self.start, strict=True)
        )

    def _turn_by(self, turn: Matrix) -> tuple[float, ...]:
        """The angles near the previous ones: a body may turn several times."""
        channels = self.handle.joint.channels
        home = mathutils.Euler((0.0, 0.0, 0.0), self._angles.order)
        for channel, start in zip(channels, self.start, strict=True):
            if channel.turns:
                home[channel.index] = channel.sign * start
        turned = mathutils.Matrix(self.axes.T @ turn @ self.axes) @ home.to_matrix()
        self._angles = turned.to_euler(self._angles.order, self._angles)
        return tuple(
            channel.sign * self._angles[channel.index] if channel.turns else start
            for channel, start in zip(channels, self.start, strict=True)
        )


def can_move(handle: JointHandle) -> bool:
    """Whether a joint can be slid in more than one way."""
    return handle.is_free and any(not channel.turns for channel in list_movable(handle))


def can_turn(handle: JointHandle) -> bool:
    """Whether a joint that moves freely can be turned."""
    return handle.is_free and any(channel.turns for channel in list_movable(handle))


def grip_free(
    handle: JointHandle,
    point: mathutils.Vector,
    sight: Sight,
    up: mathutils.Vector,
    least: float,
    *,
    turning: bool,
) -> FreeDrag:
    """Takes hold of a body of a free joint, as grip_body does of other bodies, to move or to turn
    it.
    """
    home = handle.carrier.matrix_world.inverted_safe()
    ray, held = enter_armature(handle, sight), np.array(home @ point)
    bone = handle.pose_bone
    rest = read_rest(bone)
    axes, middle = np.array(rest.to_3x3().normalized()), np.array(rest @ bone.location)
    toward = home.to_3x3() @ up
    size = float(np.linalg.norm(np.array(toward)))
    drag: PlaneDrag | BallDrag | Drag
    if not turning:
        normal = axes[:, 0] if handle.joint.kind == "planar" else ray.direction
        drag = PlaneDrag(grip=grip_plane(normal, held, ray, np.array(toward)))
    elif handle.joint.kind == "planar":
        grip = grip_turn(middle, axes[:, 0], held, ray, least * size)
        drag = Drag(grip=grip, position=0.0)
    else:
        drag = BallDrag(grip=grip_ball(middle, held, ray, least * size))
    return FreeDrag(
        handle=handle,
        turning=turning,
        drag=drag,
        axes=axes,
        point=held,
        middle=middle,
        start=tuple(channel.get(bone) for channel in handle.joint.channels),
        held=held,
        _angles=bone.rotation_euler.copy(),
    )


def regrip_free(
    drag: FreeDrag, sight: Sight, up: mathutils.Vector, least: float, *, turning: bool
) -> FreeDrag:
    """Continues with the held body, moving after turning or the other way round."""
    return grip_free(drag.handle, drag.find_held(), sight, up, least, turning=turning)
