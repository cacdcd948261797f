# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways to be at a target: found, looked at without posing the rig, and then chosen."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import mathutils
import numpy as np

from ....core.blender.link_bodies import LinkBody, bodies_of
from ....core.blender.standing.pose import (
    get_joint_positions,
    key_joints,
    link_pose,
    set_joint_positions,
)
from ....core.geometry.transforms import Matrix
from ....core.kinematics.loops import forward_kinematics
from ..solve import find_solutions
from .solve import IkRig, read_wish, recall_rig
from .targets import IkWish, Solved, find_moved

_MOST_TRIANGLES = 60_000
"""Of a mesh: a larger one is looked at as the box around it."""
_NEAR = 1e-4
_MOST_FOUND = 24
_LEAST_APART = 0.12
"""Of ways, in reaches of the robot or turns of a joint: nearer ways look the same."""


def find_ways(armature: Any, wish: IkWish, *, most: int = 5) -> tuple[Solved, ...]:
    """Returns joint positions by which a link reaches its target, and that look different: the
    nearest to the present pose first, then always the one furthest from the earlier ones; none
    where nothing brings it there. Sets nothing."""
    rig, shown, wanted, asked = read_wish(armature, wish)
    found = find_solutions(
        rig.robot, wish.link, target=wanted.frame, most=_MOST_FOUND, start_positions=wanted.start,
        options=asked,
    )  # fmt: skip
    return _choose_unlike(rig, shown, found, most)


def _choose_unlike(
    rig: IkRig, shown: Solved, found: Sequence[Solved], most: int
) -> tuple[Solved, ...]:
    """Chooses ways by their visible differences: where links are, and how far joints are turned."""
    if not found:
        return ()
    looks = np.array([_look_of(rig, shown | way, way) for way in found])
    chosen, apart = [0], np.abs(looks - looks[0]).max(axis=1)
    while len(chosen) < min(most, len(found)) and apart.max() > _LEAST_APART:
        chosen.append(int(apart.argmax()))
        apart = np.minimum(apart, np.abs(looks - looks[chosen[-1]]).max(axis=1))
    return tuple(found[index] for index in chosen)


def _look_of(rig: IkRig, positions: Solved, way: Solved) -> list[float]:
    """The places of all links in reaches, and the numbers of joints in turns."""
    frames = forward_kinematics(rig.robot, positions)
    places = np.array([frame[:3, 3] for frame in frames.values()])
    reach = float(np.ptp(places, axis=0).max()) or 1.0
    turns = [float(number) / math.tau for each in way.values() for number in np.atleast_1d(each)]
    return [*(places / reach).ravel().tolist(), *turns]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ways:
    """Ways of a robot to have a link somewhere. `frames` are, for each way, the frames of links in
    the armature's; `bodies` and `lines`, pairs of links, belong to the links that the ways have in
    different places; `label` is the link that distinguishes them best. `shown` is the displayed
    way, -1 for none."""

    link: str
    positions: tuple[Solved, ...]
    frames: tuple[Mapping[str, mathutils.Matrix], ...]
    bodies: tuple[LinkBody, ...]
    lines: tuple[tuple[str, str], ...]
    label: str
    shown: int


def look_at_ways(armature: Any, link: str, found: Sequence[Solved]) -> Ways:
    """Looks at ways of a robot, at least one. Sets nothing."""
    rig, shown = recall_rig(armature), get_joint_positions(armature)
    frames = [forward_kinematics(rig.robot, shown | way) for way in found]
    moved = _moved_links(frames)
    first = found[0]
    same = np.allclose([first[name] for name in first], [shown[name] for name in first], atol=1e-3)
    bodies = tuple(bodies_of(armature, moved, most=_MOST_TRIANGLES))
    label = max(
        sorted(moved),
        key=lambda name: float(np.ptp([each[name][:3, 3] for each in frames], axis=0).max()),
        default="",
    )
    return Ways(
        link=link, positions=tuple(found), bodies=bodies,
        frames=tuple({k: mathutils.Matrix(v.tolist()) for k, v in way.items()} for way in frames),
        lines=tuple((each.parent, each.child) for each in rig.robot.joints if each.child in moved),
        label=label, shown=0 if same else -1,
    )  # fmt: skip


def take_way(armature: Any, ways: Ways, number: int, *, key: bool) -> bool:
    """Sets the joints to a way, counted from 0, and keys the moved ones if asked. Returns whether
    the scene shows it."""
    way, before = ways.positions[number], get_joint_positions(armature)
    set_joint_positions(armature, way)
    bpy.context.view_layer.update()
    if key:
        key_joints(armature, find_moved(way, before, 1e-6))
    wanted = np.array(ways.frames[number][ways.link])
    away = np.abs(link_pose(armature, ways.link) - wanted).max()
    return bool(away <= _NEAR * (1.0 + np.abs(wanted).max()))


def _moved_links(frames: Sequence[Mapping[str, Matrix]]) -> set[str]:
    """The links whose frame is not the same in all ways, or all links where there is only one
    way."""
    first = frames[0]
    moved = {
        link for link in first for other in frames[1:]
        if np.abs(other[link] - first[link]).max() > 1e-4
    }  # fmt: skip
    return moved if len(frames) > 1 else set(first)
