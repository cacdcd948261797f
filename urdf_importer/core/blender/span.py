# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames in which a robot moves: from the actions and NLA strips of all that moves it."""

import math
from collections.abc import Iterator
from typing import Any

import bpy

from .semantics.markers import followed_targets_of
from .standing.armatures import armatures_of
from .standing.keys import find_curves


def find_range(main: Any) -> tuple[int, int]:
    """Finds the whole frames between which a robot plays; the scene's where nothing that the robot
    depends on is animated."""
    span = find_span(main)
    if span is None:
        scene = bpy.context.scene
        return scene.frame_start, scene.frame_end
    return math.floor(span[1] + 1e-4), math.ceil(span[2] - 1e-4)


def find_span(main: Any) -> tuple[str, float, float] | None:
    """Finds the name of a robot's animation in the scene, and its first and last frame; None where
    nothing that the robot depends on is animated."""
    name, spans = "", []
    for item in _movers(main):
        data = item.animation_data
        if data is None:
            continue
        if data.action is not None and find_curves(item):
            name = name or data.action.name
            spans.append(tuple(data.action.frame_range))
        for track in data.nla_tracks if data.use_nla else ():
            if not track.mute:
                spans += [(each.frame_start, each.frame_end) for each in track.strips]
                name = name or next((each.name for each in track.strips), "")
    if not spans:
        return None
    first, last = min(span[0] for span in spans), max(span[1] for span in spans)
    return name, float(first), float(last)


def _movers(main: Any) -> list[Any]:
    """Lists the armatures of a robot and all objects that they follow: parents and targets."""
    found: dict[Any, None] = dict.fromkeys([*armatures_of(main), *followed_targets_of(main)])
    waiting = list(found)
    while waiting:
        item = waiting.pop()
        above = [item.parent, *_targets(item.constraints)]
        for bone in item.pose.bones if item.pose else ():
            above += _targets(bone.constraints)
        for each in above:
            if each is not None and each not in found:
                found[each] = None
                waiting.append(each)
    return list(found)


def _targets(constraints: Any) -> Iterator[Any]:
    for each in constraints:
        yield getattr(each, "target", None)
        yield getattr(each, "pole_target", None)
        if each.type == "ARMATURE":
            yield from (part.target for part in each.targets)
