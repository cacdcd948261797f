# SPDX-License-Identifier: GPL-3.0-or-later
"""The handles at the hands of a robot among its bodies. Plays of scenarios.py."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from driver import Driver, Steps
from gizmo_plays import Hands, Place
from mathutils import Euler, Vector

_NEAR, _AT, _ON = 84.0, 26.0, 5.0
"""Pixels from a ball: where its handle may be large, and certainly not at the ball; and from a
line, on it."""
_WAY = (26.0, 34.0)


def handles(driver: Driver) -> Steps:
    """A drag on a leg beside a hand moves the leg. A handle opens at its ball, and after a rest
    beside it; a body before the ball keeps its drag. ARGUMENTS: file, hand, legs, trunk."""
    path, hand, legs, trunk = driver.arguments
    hands = _Handles(driver, hand)
    hands.prepare(path, {"right_shoulder_yaw_joint": 0.7})
    hands.stand()
    yield 0.5
    yield from _drag_the_leg(hands, legs.split(","))
    yield from _open_at_the_ball(hands)
    yield from _open_after_a_rest(hands)
    yield from _leave_the_trunk_its_drag(hands, trunk)


class _Handles(Hands):
    """Hands on a robot of several handles, of which one is meant: `link`'s."""

    def __init__(self, driver: Driver, link: str) -> None:
        super().__init__(driver)
        self.link = link

    def stand(self) -> None:
        """Looks at the robot from its front, a little from the side and above."""
        place = self.robot.matrix_world.translation
        self.look(Euler((1.25, 0.0, 1.9)).to_quaternion(), at=place + Vector((0.0, 0.0, -0.05)))

    def outline(self) -> dict[tuple[str, int], list[Place]]:
        """The parts of the meant handle, if it is large or were, as lines of the window."""
        shape, region = self.module("operators.ik.tip_shape"), self.region
        with bpy.context.temp_override(**self.context()):
            found = [each for each in shape.visible_handles(bpy.context) if each.link == self.link]
            look = shape.look_at(bpy.context, found[0])
        return {
            part: [
                (region.x + seen.x, region.y + seen.y)
                for point in line
                if (seen := location_3d_to_region_2d(region, self.view, point)) is not None
            ]
            for part, line in shape.outline(look)
        }

    def ball(self) -> Place:
        return self.outline()["free", 0][0]

    def places_on_lines(self) -> Iterator[Place]:
        """Places on the handle's lines, away from its ball."""
        ball = Vector(self.ball())
        for (kind, _), line in self.outline().items():
            for start, end in pairwise(line):
                for step in range(12):
                    place = Vector(start).lerp(Vector(end), step / 12)
                    if kind != "free" and _AT < (place - ball).length < _NEAR:
                        yield place.x, place.y

    def body_at(self, place: Place) -> str:
        """The joint of the foremost body there, whatever handles there are."""
        hit = self._hit(place)
        find = self.module("urdf_importer.core.blender.standing.handles").find_handle
        handle = find(hit.item) if hit is not None else None
        return "" if handle is None else str(handle.mover.name)

    def moved_since(self, before: dict[str, Any]) -> set[str]:
        now = self.positions()
        return {name for name in now if now[name] != before[name]}

    def press_at_once(self, place: Place, *, rest: float = 0.0, end: str = "") -> Steps:
        """Comes from the left as a hand does, rests a while or not, and drags."""
        for step in range(5):
            self.driver.move(place[0] - 12 * (4 - step) - 1, place[1])
            yield 0.03
        self.driver.move(*place)
        yield rest
        self.driver.send("LEFTMOUSE", "PRESS")
        yield 0.05
        for step in range(1, 7):
            self.driver.move(place[0] + _WAY[0] * step / 6, place[1] + _WAY[1] * step / 6)
            yield 0.08
        if end:
            self.driver.press(end)
        self.driver.send("LEFTMOUSE", "RELEASE")
        yield 0.4


def _choose(places: Iterator[Place], fits: Callable[[Place], bool], what: str) -> Place:
    found = [place for place in places if fits(place)]
    assert found, f"there is no place {what}"
    return found[len(found) // 2]


def _drag_the_leg(hands: _Handles, legs: list[str]) -> Steps:
    """On a line that the handle has when it is large, at once and after a rest on the leg."""
    for rest in (0.0, 0.6):
        before = hands.positions()
        place = _choose(
            hands.places_on_lines(), lambda at: hands.body_at(at) in legs, "on a leg and a line"
        )
        joint = hands.body_at(place)
        yield from hands.rest_on(hands.empty)
        yield from hands.press_at_once(place, rest=rest)
        hands.driver.take_picture(f"leg_{rest}")
        assert hands.moved_since(before) == {joint}, (joint, hands.moved_since(before))
        yield from hands.undo_to(before)


def _open_at_the_ball(hands: _Handles) -> Steps:
    """From the ball out along an arrow: the hand goes along."""
    before = hands.positions()
    yield from hands.rest_on(hands.empty)
    yield from hands.rest_on(hands.ball())
    hands.driver.take_picture("open")
    yield from hands.drag(hands.outline()["slide", 2][-1], (0.0, 40.0), picture="arrow")
    assert len(hands.moved_since(before)) > 1, hands.moved_since(before)
    yield from hands.undo_to(before)


def _open_after_a_rest(hands: _Handles) -> Steps:
    """Beside the robot: nothing moves by a drag at once, and the hand does after a rest."""
    for rest in (0.0, 0.6):
        before = hands.positions()
        place = _choose(
            hands.places_on_lines(), lambda at: not hands.body_at(at), "on a line beside the robot"
        )
        yield from hands.rest_on(hands.empty)
        yield from hands.press_at_once(place, rest=rest)
        hands.driver.take_picture(f"beside_{rest}")
        assert (len(hands.moved_since(before)) > 1) == bool(rest), hands.moved_since(before)
        if rest:
            yield from hands.undo_to(before)


def _leave_the_trunk_its_drag(hands: _Handles, trunk: str) -> Steps:
    """Seen from behind, the hand's ball is drawn over the trunk that hides it."""
    place = hands.robot.matrix_world.translation
    hands.look(Euler((1.35, 0.0, -1.57)).to_quaternion(), at=place)
    yield 0.5
    before, ball = hands.positions(), hands.ball()
    assert hands.body_at(ball) == trunk, hands.body_at(ball)
    yield from hands.rest_on(hands.empty)
    yield from hands.rest_on(ball)
    hands.driver.take_picture("hidden")
    yield from hands.drag(ball, (50.0, 5.0))
    assert hands.moved_since(before) == {trunk}, hands.moved_since(before)
