# SPDX-License-Identifier: GPL-3.0-or-later
"""The skeleton for game engines: one bone for each independently moving link, and a root.

A bone's rest frame is the frame of its link's joint with all joints at zero. Nothing of the rig in
Blender is in it: joints that share a bone for posing are separate here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...core.geometry.transforms import Matrix, invert
from ...core.kinematics.forward import joint_frames, zero_frames
from ...core.kinematics.tree import KinematicTree
from ...core.names import Claims

_ODD = re.compile(r"[^A-Za-z0-9_-]+")
_MOST_LETTERS = 60
"""Blender cuts names at 63 bytes."""

FORWARD = {"x": np.eye(3), "z": np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])}
"""How the robot is turned before the export: with `z` its front (x) goes to Blender's (-y), which
exporters make the front of glTF (+z)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EngineBone:
    """A bone of the skeleton.

    link    the link that it is; empty for a root above several roots
    parent  the bone above it; empty for the root
    rest    (4, 4), the frame of the link's joint with all joints at zero, turned and scaled for
            the engine; the link's own where it is a root
    socket  whether it has no children: it marks a fixed link at the end of the robot
    """

    name: str
    link: str
    parent: str
    rest: Matrix
    socket: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EngineSkeleton:
    """The bones of a robot, parents first; the first is the root.

    bones_of  link -> its bone; for a fixed link without one the bone that carries it
    carriers  link -> the bone that carries its shapes, and the link's frame in the bone's (4, 4),
              in metres
    mover     the link whose motion the root takes over, where a planar or floating joint moves the
              whole robot under an empty root link; else empty
    turn      (3, 3), how the robot is turned; `scale`: how many times its size it has
    """

    tree: KinematicTree
    bones: tuple[EngineBone, ...]
    bones_of: Mapping[str, str]
    carriers: Mapping[str, tuple[str, Matrix]]
    mover: str
    turn: Matrix
    scale: float

    def into_engine(self, frames: Matrix) -> Matrix:
        """Turns and scales frames (..., 4, 4) of the robot, in metres."""
        return turn_and_scale(frames, self.turn, self.scale)


def turn_and_scale(frames: Matrix, turn: Matrix, scale: float) -> Matrix:
    """Returns frames (..., 4, 4) turned by (3, 3) about the origin, their places scaled."""
    result = np.array(frames, np.float64)
    result[..., :3, :] = turn @ result[..., :3, :]
    result[..., :3, 3] *= scale
    return result


def plan_skeleton(
    tree: KinematicTree, *, sockets: bool = True, forward: str = "z", scale: float = 1.0
) -> EngineSkeleton:
    """Plans the skeleton of a robot. `sockets`: fixed links at the robot's ends get bones too;
    `forward`: a key of FORWARD."""
    turn, zero = FORWARD[forward], zero_frames(tree)
    joints = joint_frames(tree, zero)
    places = _choose_bones(tree, sockets)
    claims = Claims()
    roots = [place for place, parent in enumerate(tree.parents) if parent < 0]
    top = "" if len(roots) == 1 else claims.claim("root")
    names = {place: claims.claim(clean_name(tree.links[place].name)) for place in places}
    rests = turn_and_scale(joints, turn, scale)
    bones = [
        EngineBone(
            name=names[place],
            link=tree.links[place].name,
            parent=_name_above(tree, place, names, top),
            rest=rests[place],
            socket=places[place],
        )
        for place in places
    ]
    if top:
        origin = turn_and_scale(np.eye(4), turn, scale)
        bones.insert(0, EngineBone(name=top, link="", parent="", rest=origin))
    moving = {place: name for place, name in names.items() if not places[place]}
    carriers = {}
    for place, link in enumerate(tree.links):
        home = next(each for each in tree.ancestors(place) if each in moving)
        carriers[link.name] = (moving[home], invert(joints[home]) @ zero[place])
    return EngineSkeleton(
        tree=tree,
        bones=tuple(bones),
        bones_of={
            link.name: names.get(place, carriers[link.name][0])
            for place, link in enumerate(tree.links)
        },
        carriers=carriers,
        mover=_find_mover(tree),
        turn=turn,
        scale=scale,
    )


def clean_name(name: str) -> str:
    """Returns a name that all engines take: of ASCII letters, digits, _ and - only."""
    return _ODD.sub("_", name)[:_MOST_LETTERS] or "link"


def _choose_bones(tree: KinematicTree, sockets: bool) -> dict[int, bool]:
    """Place of a link that gets a bone -> whether it is a socket."""
    fixed = [motion is not None and not motion.moves for motion in tree.motions]
    own = enumerate(zip(fixed, tree.children, strict=True))
    return {place: still for place, (still, below) in own if not still or (sockets and not below)}


def _name_above(tree: KinematicTree, place: int, names: Mapping[int, str], top: str) -> str:
    above = (names[each] for each in tree.ancestors(tree.parents[place]) if each in names)
    return next(above, top)


def _find_mover(tree: KinematicTree) -> str:
    """The link that carries the whole robot, where a joint lets it go anywhere."""
    if sum(parent < 0 for parent in tree.parents) != 1 or len(tree.children[0]) != 1:
        return ""
    (child,) = tree.children[0]
    motion = tree.motions[child]
    is_base = motion is not None and motion.kind in ("planar", "floating")
    return tree.links[child].name if is_base and not tree.links[0].visuals else ""
