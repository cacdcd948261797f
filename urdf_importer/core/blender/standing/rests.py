# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an import put bones and links, kept on them: so that a user's moves can be distinguished
from the limits of an import's exactness."""

import zlib
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from ...geometry.transforms import Matrix
from ...model import Joint, Link
from . import properties

Packed = Mapping[str, Any]

PARTS = ("origin", "limit", "inertial", "visuals", "collisions")
"""Parts of a joint and its link that may be edited both in the properties and in the scene."""


def note_bone_rests(armature: Any, names: Iterable[str]) -> None:
    """Notes on bones where they rest: 16 numbers, row by row, and the length, as Blender has
    them."""
    bones = armature.data.bones
    for name in names:
        bone = bones[name]
        bone[properties.REST] = [*chain.from_iterable(bone.matrix_local), bone.length]


def write_bone_rest(bone: Any, rest: Matrix, length: float) -> None:
    """Writes on a bone where it rests (4, 4) in the main armature, and its length."""
    bone[properties.REST] = [*rest.astype(float).ravel().tolist(), length]


def note_link_rest(empty: Any, rest: Matrix, link: Packed, joint: Packed | None) -> None:
    """Notes on a link's empty its frame (4, 4) in the armature with all joints at zero, and its
    properties as long as they are not edited."""
    empty[properties.REST] = rest.ravel().tolist()
    empty[properties.BUILT] = digest_parts(link, joint)


def digest_parts(link: Packed, joint: Packed | None) -> dict[str, str]:
    """Returns a number, as text, for each of PARTS of a link and its joint, as properties.pack made
    them."""
    values = {
        "origin": joint and joint.get("origin"),
        "limit": joint and joint.get("limit"),
        "inertial": link.get("inertial"),
        "visuals": link.get("visuals", []),
        "collisions": link.get("collisions", []),
    }
    return {name: f"{zlib.crc32(repr(value).encode()):08x}" for name, value in values.items()}


def find_edited_parts(empty: Any, link: Link, joint: Joint | None) -> frozenset[str]:
    """Finds the parts in PARTS whose properties were edited since the import; all of them on an
    empty without a record of them."""
    built = empty.get(properties.BUILT)
    kept: Mapping[str, str] = {} if built is None else built.to_dict()
    packed = None if joint is None else properties.pack(joint)
    now = digest_parts(properties.pack(link), packed)
    return frozenset(name for name in PARTS if kept.get(name) != now[name])


def read_bone_rest(bone: Any) -> tuple[Matrix, float] | None:
    """Returns (4, 4) and the length that an import gave a bone; None for the user's own bones."""
    kept = bone.get(properties.REST)
    if kept is None:
        return None
    numbers = np.array(kept, dtype=np.float64)
    return numbers[:16].reshape(4, 4), float(numbers[16])


def read_link_rest(empty: Any) -> Matrix | None:
    """Returns the frame (4, 4) in the armature that an import gave a link; None where it does not
    say."""
    kept = empty.get(properties.REST)
    return None if kept is None else np.array(kept, dtype=np.float64).reshape(4, 4)
