# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots of any size, the same every time."""

import math
import random
import struct
from collections.abc import Iterator
from pathlib import Path

from urdf_importer.core.model import Joint, Limit, Link, Pose, Robot


def chain(count: int) -> Robot:
    """`count` links in a row. Every third joint is prismatic; the axes take turns."""
    axes = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    joints = tuple(
        Joint(
            name=f"joint_{index}",
            type="prismatic" if index % 3 == 0 else "revolute",
            parent=f"link_{index - 1}",
            child=f"link_{index}",
            origin=Pose(xyz=(0.02, 0.0, 0.1), rpy=(0.0, 0.1, 0.0)),
            axis=axes[index % 3],
            limit=Limit(lower=-1.0, upper=1.0, effort=10.0, velocity=1.0),
        )
        for index in range(1, count)
    )
    return Robot(name="chain", links=_bare_links(count), joints=joints)


def sliding(count: int) -> Robot:
    """`count` prismatic joints in a row that stand askew, so that MORSE reads each of them in an
    armature of its own only."""
    joints = tuple(
        Joint(
            name=f"slide_{index}",
            type="prismatic",
            parent=f"link_{index - 1}",
            child=f"link_{index}",
            origin=Pose(xyz=(0.1, 0.0, 0.1), rpy=(0.3, 0.2, 0.1)),
            axis=(1.0, 0.0, 0.0),
            limit=Limit(lower=0.0, upper=0.5, effort=10.0, velocity=1.0),
        )
        for index in range(1, count + 1)
    )
    return Robot(name="sliding", links=_bare_links(count + 1), joints=joints)


def tree(count: int, seed: int) -> Robot:
    """`count` links on random parents, mostly recent ones; a third of the joints at one point
    with the one before. The same for the same seed, everywhere."""
    chance = random.Random(seed)
    joints = []
    for index in range(1, count):
        parent = max(0, index - 1 - int(chance.expovariate(0.7)))
        origin = Pose(rpy=(0.0, 0.0, chance.choice((0.0, math.pi / 2))))
        if chance.random() > 1 / 3:
            xyz = (chance.uniform(-0.1, 0.1), chance.uniform(-0.1, 0.1), chance.uniform(0.05, 0.2))
            origin = Pose(xyz=xyz, rpy=(0.0, chance.uniform(-0.5, 0.5), 0.0))
        joints.append(
            Joint(
                name=f"joint_{index}",
                type=chance.choice(("revolute", "revolute", "continuous", "prismatic", "fixed")),
                parent=f"link_{parent}",
                child=f"link_{index}",
                origin=origin,
                axis=chance.choice(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))),
                limit=Limit(lower=-1.5, upper=1.5, effort=10.0, velocity=1.0),
            )
        )
    return Robot(name="tree", links=_bare_links(count), joints=tuple(joints))


def _bare_links(count: int) -> tuple[Link, ...]:
    return tuple(Link(name=f"link_{index}") for index in range(count))


def write_arms(folder: Path, count: int) -> Path:
    """Writes a URDF of `count` links: arms of ten links in a row on one base, each link with a box
    in one of five colours, and a mesh of its own that is its collision shape too."""
    parts = []
    for index in range(count):
        start = 84 * b" " + b"".join(
            struct.pack("<12fH", 0, 0, 0, *corners, 0) for corners in _corners(0.01 + 1e-5 * index)
        )
        (folder / f"part_{index}.stl").write_bytes(start[:80] + struct.pack("<I", 4) + start[84:])
        mesh = f'<geometry><mesh filename="part_{index}.stl"/></geometry>'
        parts.append(
            f'<link name="link_{index}"><inertial><mass value="1"/><inertia ixx="0.1" ixy="0" '
            f'ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial><visual><origin xyz="0 0 0.05"/>'
            f'<geometry><box size="0.02 0.02 0.1"/></geometry><material name="paint_{index % 5}">'
            f'<color rgba="{index % 5 / 5} 0.5 0.5 1"/></material></visual><visual>{mesh}</visual>'
            f"<collision>{mesh}</collision></link>"
        )
        if index:
            parent = 0 if index % 10 == 1 else index - 1
            parts.append(
                f'<joint name="joint_{index}" type="revolute"><parent link="link_{parent}"/>'
                f'<child link="link_{index}"/><origin xyz="{0.001 * (index % 10 == 1) * index} 0.01'
                f' 0.1" rpy="0 0.1 0"/><axis xyz="{index % 2} {(index + 1) % 2} 0"/>'
                f'<limit lower="-1" upper="1" effort="10" velocity="1"/></joint>'
            )
    path = folder / "arms.urdf"
    path.write_text(f'<robot name="arms">{"".join(parts)}</robot>')
    return path


def _corners(size: float) -> Iterator[tuple[float, ...]]:
    """The faces of a tetrahedron."""
    points = ((0.0, 0.0, 0.0), (size, 0.0, 0.0), (0.0, size, 0.0), (0.0, 0.0, size))
    for a, b, c in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)):
        yield (*points[a], *points[b], *points[c])
