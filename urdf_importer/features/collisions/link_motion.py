# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot and the objects around it on their way: where links are at any time, and how far they may
get from there meanwhile.

Between samples joints move evenly, frames on straight lines and shortest arcs. Bounds of the way
that a link makes against another are sums over the joints between them: of each the angle that it
turns, times how far the link reaches from its axis. They are never too small.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...core.kinematics.tree import KinematicTree
from ..motion.frames import slerp
from .pairs import Ball, Pair
from .sampling import Array, Frames, Placer, rotations_of, values_of
from .separation import relate

Places = NDArray[np.intp]
WORLD = -1
_TINY = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Way:
    """The samples (S) of a motion at `times`, in seconds. `joints` are positions by the joints'
    names, as Placer takes them; `base` (S, 7) or (1, 7) places of the robot in the world, with
    quaternions x, y, z, w; `objects` the same of the objects around it, by name."""

    times: Array
    joints: Mapping[str, Array]
    base: Array
    objects: Mapping[str, Array] = field(default_factory=dict)


class Course:
    """A way of a robot, between its samples too."""

    def __init__(self, tree: KinematicTree, balls: Mapping[str, Ball], way: Way) -> None:
        self.tree = tree
        self.balls = balls
        self.way = way
        self.index = {**tree.index}
        self.index |= {name: len(tree.links) + i for i, name in enumerate(way.objects)}
        self._placer = Placer(tree)

    def at(self, spans: Places, shares: Array, reach: Array) -> "Moments":
        """Returns the moments (M,) at `shares` of the spans from these samples to the next ones;
        bounds count for `reach`, in shares of a span, to each side."""
        way = self.way
        joints = {name: _between(each, spans, shares) for name, each in way.joints.items()}
        frames = self._placer.find_frames(joints, len(spans))
        base = _between(way.base, spans, shares)
        turned, placed = rotations_of(base[:, 3:]), base[:, :3]
        others = [_between(each, spans, shares) for each in way.objects.values()]
        return Moments(
            course=self,
            spans=spans,
            reach=reach,
            frames=Frames(
                rotations=np.concatenate(
                    [turned @ frames.rotations, *(rotations_of(o[:, 3:])[None] for o in others)]
                ),
                places=np.concatenate(
                    [
                        np.einsum("sij,nsj->nsi", turned, frames.places) + placed,
                        *(o[None, :, :3] for o in others),
                    ]
                ),
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moments:
    """Moments (M,) of a course, as `at` returns them; `frames` in the world."""

    course: Course
    spans: Places
    reach: Array
    frames: Frames
    _known: dict[tuple[str, int], tuple[Array, Array]] = field(default_factory=dict)

    def relate(self, pair: Pair, chosen: Places) -> tuple[Array, Array]:
        """Returns the frames of the second link in the first one's at chosen moments."""
        one, other = (self.course.index[name] for name in pair)
        return relate(self.frames, one, other, chosen)

    def gaps(self, pair: Pair, chosen: Places) -> Array:
        """Returns how far the balls of two links are apart, less than 0 where they meet."""
        balls = [self.course.balls[name] for name in pair]
        places = [self.course.index[name] for name in pair]
        one, other = (
            self.frames.rotations[place, chosen] @ ball.center + self.frames.places[place, chosen]
            for place, ball in zip(places, balls, strict=True)
        )
        apart = np.linalg.norm(one - other, axis=1)
        return np.asarray(apart - balls[0].radius - balls[1].radius)

    def sway(self, pair: Pair) -> Array:
        """Returns how far (M,) points of two links get from each other at most, at the greatest
        speed that they may have."""
        (one, _), (other, _) = self._climb_both(pair)
        return one + other

    def tighten(self, pair: Pair, chosen: Places, before: Frames, after: Frames) -> Array:
        """Returns the same of chosen moments (C,), as a rule much less: by the frames of links
        (N, C) at the ends of their time, `before` and `after`. Seen from a link the points of the
        other move along these chords; the speed along a curve differs from that along its chord by
        its curvature times half the time, and the curvature of a chain is at most twice its speed
        times the sum of its joints' speeds."""
        course = self.course
        climbed = self._climb_both(pair)
        if course.balls[pair[0]].radius < course.balls[pair[1]].radius:
            pair, climbed = pair[::-1], climbed[::-1]
        (fixed, turn), (moving, other) = ([each[chosen] for each in side] for side in climbed)
        one, two = (course.index[name] for name in pair)
        here, there = (course.balls[name] for name in pair)
        middle = self.relate(pair, chosen)
        center = middle[0] @ there.center + middle[1]
        beyond = np.linalg.norm(center - here.center, axis=1) + there.radius - here.radius
        way = (fixed + moving + turn * np.maximum(beyond, 0.0)) / np.maximum(1.0 - turn, _TINY)
        chords = []
        for frames in (before, after):
            rotation, place = relate(frames, one, two, np.arange(len(chosen)))
            shift = np.linalg.norm(rotation @ there.center + place - center, axis=1)
            twist = np.linalg.norm(rotation - middle[0], axis=(1, 2)) / math.sqrt(2.0)
            chords.append(shift + twist * there.radius)
        tight = np.maximum(*chords) + (turn + other) * way
        return np.where(turn < 1.0, np.minimum(tight, fixed + moving), fixed + moving)

    def _ancestors(self, name: str) -> list[int]:
        course = self.course
        place = course.index[name]
        inner = place < len(course.tree.links)
        return [*course.tree.ancestors(place), WORLD] if inner else [place, WORLD]

    def _climb_both(self, pair: Pair) -> list[tuple[Array, Array]]:
        one, other = (self._ancestors(name) for name in pair)
        top = next(place for place in one if place in other)
        return [self._climb(pair[0], one, top), self._climb(pair[1], other, top)]

    def _climb(self, name: str, ancestors: list[int], top: int) -> tuple[Array, Array]:
        """Returns how far (M,) points of a link move against the link `top` above it, and the sum
        of the angles that joints turn it by."""
        total = turn = np.zeros(len(self.spans))
        for place in ancestors[: ancestors.index(top)]:
            known = self._known.get((name, place))
            if known is None:
                way, angle = self._step(name, place, total)
                known = self._known[name, place] = total + way, turn + angle
            total, turn = known
        return total, turn

    def _step(self, name: str, place: int, below: Array) -> tuple[Array, Array]:
        """Returns how far (M,) points of a link move by the joint above a place, at any speed that
        they have by it in the time, and the angle: the joints below it may take them further from
        its axis by as much as `below`."""
        course, frames = self.course, self.frames
        tree, way, ball = course.tree, course.way, course.balls[name]
        own, radius = course.index[name], ball.radius + below
        center = frames.rotations[own] @ ball.center + frames.places[own]
        inner, still = place < len(tree.links), np.zeros(len(self.spans))
        motion = tree.motions[place] if inner else None
        if motion is None:
            poses = way.base if inner else list(way.objects.values())[place - len(tree.links)]
            return self._free(poses, center - frames.places[place], radius)
        values = values_of(tree, motion, way.joints)
        if values is None:
            return still, still
        if motion.kind == "prismatic":
            return self._change(values), still
        # The joint's frame, which has moved with it.
        turned, pivot = frames.rotations[place], frames.places[place]
        if tree.child_frames is not None:
            turned = turned @ tree.child_frames[place, :3, :3].T
            pivot = pivot - turned @ tree.child_frames[place, :3, 3]
        if not motion.is_scalar:
            return self._several(values, center - pivot, radius)
        arm = np.linalg.norm(np.cross(turned @ np.array(motion.axis), center - pivot), axis=1)
        turn = self._change(values)
        return turn * (arm + radius), turn

    def _several(self, values: Array, between: Array, radius: Array) -> tuple[Array, Array]:
        """The way by a planar, floating or ball joint."""
        if values.shape[1] != 3:
            poses = values if values.shape[1] == 7 else np.pad(values, ((0, 0), (3, 0)))
            return self._free(poses, between, radius)
        x, y, turn = (self._change(column) for column in values.T)
        return np.hypot(x, y) + turn * (np.linalg.norm(between, axis=1) + radius), turn

    def _free(self, poses: Array, between: Array, radius: Array) -> tuple[Array, Array]:
        """The way by a frame (S, 7) that moves freely; `between` (M, 3) begins at its origin."""
        if len(poses) == 1:
            return np.zeros(len(self.spans)), np.zeros(len(self.spans))
        one, other = poses[self.spans], poses[self._next()]
        shift = np.linalg.norm(other[:, :3] - one[:, :3], axis=1)
        # By halves of the chord: the cosine of small angles has no digits left.
        turns = other[:, 3:] * np.where((one * other)[:, 3:].sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
        chord = np.linalg.norm(turns - one[:, 3:], axis=1)
        angle = self.reach * 4.0 * np.arcsin(np.clip(chord / 2.0, 0.0, 1.0))
        return self.reach * shift + angle * (np.linalg.norm(between, axis=1) + radius), angle

    def _change(self, values: Array) -> Array:
        """How much (M,) a number changes."""
        if len(values) == 1:
            return np.zeros(len(self.spans))
        change: Array = np.abs(values[self._next()] - values[self.spans]) * self.reach
        return change

    def _next(self) -> Places:
        last = len(self.course.way.times) - 1
        following: Places = np.minimum(self.spans + 1, last)
        return following


def _between(samples: Array, spans: Places, shares: Array) -> Array:
    """Returns samples (M, ...) at shares of spans: numbers on lines, quaternions on arcs."""
    if len(samples) == 1:
        return np.repeat(samples, len(spans), axis=0)
    one, other = samples[spans], samples[np.minimum(spans + 1, len(samples) - 1)]
    if samples.ndim == 1:
        return np.asarray(one + (other - one) * shares)
    count = {4: 0, 7: 3}.get(samples.shape[1], 3)
    share = shares[:, None]
    moved = one[:, :count] + (other[:, :count] - one[:, :count]) * share
    if samples.shape[1] == 3:
        return moved
    return np.concatenate([moved, slerp(one[:, count:], other[:, count:], shares)], axis=1)
