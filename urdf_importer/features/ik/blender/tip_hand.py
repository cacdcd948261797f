# SPDX-License-Identifier: GPL-3.0-or-later
"""From a mouse that drags a part of a handle to the tip's new place: along an axis, about one,
or across the view. All in the world."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import mathutils
import numpy as np

from ....core.kinematics.dragging import (
    Drag,
    PlaneDrag,
    grip_plane,
    grip_slide,
    grip_turn,
    make_ray,
    snap,
)

Kind = Literal["slide", "turn", "free"]
_STEPS = {
    "slide": (0.01, 0.001), "free": (0.01, 0.001), "turn": (math.radians(5.0), math.radians(1.0)),
}  # fmt: skip
"""Metres of the scene, and radians: of steps, and of fine ones."""

Sight = tuple[Any, Any]
"""The ray of a mouse: where it starts, and its direction, as vectors of mathutils."""


@dataclass(slots=True, kw_only=True)
class TipHand:
    """A hand that holds a handle: `start` is where the tip was, `axis` the unit vector along or
    about which it goes. `goal` and `turn` are where the mouse has it now, and how it is turned away
    from the start; `way` says how far that is, in metres or radians."""

    kind: Kind
    start: mathutils.Vector
    axis: mathutils.Vector
    grip: Drag | PlaneDrag
    goal: mathutils.Vector
    turn: mathutils.Quaternion
    way: float = 0.0

    def move(self, sight: Sight, *, fine: bool = False, steps: bool = False) -> None:
        """Moves the mouse: finely, or in whole steps."""
        step = _STEPS[self.kind][fine] if steps else 0.0
        ray = make_ray(*(np.array(each, dtype=float) for each in sight))
        if isinstance(self.grip, PlaneDrag):
            way = mathutils.Vector(self.grip.move(ray, fine=fine))
            if step:
                way = mathutils.Vector([snap(number, step) for number in way])
            self.way, self.goal = way.length, self.start + way
            return
        size = self.grip.move(ray, fine=fine)
        self.way = snap(size, step) if step else size
        if self.kind == "turn":
            self.turn = mathutils.Quaternion(self.axis, self.way)
        else:
            self.goal = self.start + self.way * self.axis


def take_handle(
    kind: Kind,
    start: mathutils.Vector,
    axis: mathutils.Vector,
    point: mathutils.Vector,
    sight: Sight,
    view: mathutils.Quaternion,
) -> TipHand:
    """Takes hold of a part of a handle at `start`, at a `point` under the mouse; `view` is the
    view's rotation."""
    origin, along = np.array(start, dtype=float), np.array(axis, dtype=float)
    ray = make_ray(*(np.array(each, dtype=float) for each in sight))
    up, back = (np.array(view @ mathutils.Vector(each)) for each in ((0, 1, 0), (0, 0, 1)))
    grip: Drag | PlaneDrag
    if kind == "free":
        grip = PlaneDrag(grip=grip_plane(back, origin, ray, up))
    elif kind == "slide":
        grip = Drag(grip=grip_slide(along, origin, ray, up), position=0.0)
    else:
        least = 0.3 * (point - start).length
        grip = Drag(grip=grip_turn(origin, along, np.array(point), ray, least), position=0.0)
    return TipHand(
        kind=kind, start=start, axis=axis, grip=grip, goal=start, turn=mathutils.Quaternion()
    )
