# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the meshes of the sample robots: `python sample_urdfs/make_meshes.py [FOLDER]`.

All are closed shells made of rings of points: a loft through superellipses along z, or a profile
turned about z. Metres; binary STL, the same bytes every time. The meshes themselves are CC0-1.0.
"""

import itertools
import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]  # (..., 3)

FOLDER = Path(__file__).parent / "meshes"


class Ring(NamedTuple):
    """A superellipse at height z: half widths along x and y, centre (x, y), squareness (2 is an
    ellipse, 8 nearly a box)."""

    z: float
    width: float
    depth: float
    squareness: float = 2.0
    x: float = 0.0
    y: float = 0.0

    def points(self, around: int) -> Points:
        """(around, 3), counter-clockwise seen from above."""
        angles = np.arange(around) * (2 * math.pi / around)
        cosine, sine = np.cos(angles), np.sin(angles)
        power = 2 / self.squareness
        return np.stack(
            [
                self.x + self.width * np.sign(cosine) * np.abs(cosine) ** power,
                self.y + self.depth * np.sign(sine) * np.abs(sine) ** power,
                np.full(around, self.z),
            ],
            axis=1,
        )


def skin(rings: Sequence[Points]) -> Points:
    """The (n, 3, 3) triangles of a shell through rings of equal size, closed at both ends."""
    triangles = []
    for low, high in itertools.pairwise(rings):
        low_next, high_next = np.roll(low, -1, axis=0), np.roll(high, -1, axis=0)
        triangles.append(np.stack([low, low_next, high_next], axis=1))
        triangles.append(np.stack([low, high_next, high], axis=1))
    bottom, top = rings[0], rings[-1]
    middle = np.broadcast_to(bottom.mean(axis=0), bottom.shape)
    triangles.append(np.stack([middle, np.roll(bottom, -1, axis=0), bottom], axis=1))
    middle = np.broadcast_to(top.mean(axis=0), top.shape)
    triangles.append(np.stack([middle, top, np.roll(top, -1, axis=0)], axis=1))
    return np.concatenate(triangles)


def loft(rings: Iterable[Ring], around: int = 24) -> Points:
    return skin([ring.points(around) for ring in rings])


def lathe(profile: Iterable[tuple[float, float]], around: int = 32) -> Points:
    """A (radius, z) profile, from below upwards, turned about z."""
    return loft([Ring(z, radius, radius) for radius, z in profile], around)


def rounded(rings: Iterable[Ring], radius: float, steps: int = 4) -> list[Ring]:
    """The same loft with its two ends rounded off over the height `radius`."""
    bottom, *between, top = rings
    bends = [math.pi / 2 * step / steps for step in range(steps + 1)]

    def bend(ring: Ring, angle: float, up: float) -> Ring:
        inwards = radius * (1 - math.sin(angle))
        return ring._replace(
            z=ring.z + up * radius * (1 - math.cos(angle)),
            width=max(ring.width - inwards, 1e-4),
            depth=max(ring.depth - inwards, 1e-4),
        )

    below = [bend(bottom, angle, 1.0) for angle in bends]
    above = [bend(top, angle, -1.0) for angle in reversed(bends)]
    return [*below, *between, *above]


def turned(mesh: Points, roll: float = 0.0, pitch: float = 0.0, yaw: float = 0.0) -> Points:
    """The mesh turned about the fixed axes x, y, z in this order, as URDF's rpy does."""
    sines = [math.sin(a) for a in (roll, pitch, yaw)]
    cosines = [math.cos(a) for a in (roll, pitch, yaw)]
    about_x = np.array([[1, 0, 0], [0, cosines[0], -sines[0]], [0, sines[0], cosines[0]]])
    about_y = np.array([[cosines[1], 0, sines[1]], [0, 1, 0], [-sines[1], 0, cosines[1]]])
    about_z = np.array([[cosines[2], -sines[2], 0], [sines[2], cosines[2], 0], [0, 0, 1]])
    result: Points = mesh @ (about_z @ about_y @ about_x).T
    return result


def moved(mesh: Points, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Points:
    result: Points = mesh + np.array([x, y, z])
    return result


def limb(length: float, top: float, waist: float, bottom: float, depth: float = 0.85) -> Points:
    """A shell that hangs from z = 0 down to -length: thick where a motor sits, slim between."""
    shares = [0.0, 0.12, 0.3, 0.55, 0.8, 1.0]
    widths = [bottom, bottom, 0.6 * waist + 0.4 * bottom, waist, 0.4 * waist + 0.6 * top, top]
    rings = [
        Ring(-length * (1 - share), width, width * depth, 2.6)
        for share, width in zip(shares, widths, strict=True)
    ]
    return loft(rounded(rings, min(bottom, top) * 0.7))


def propeller_blade(radius: float) -> Points:
    """Along +x from the hub: a thin twisted blade, lying nearly in the plane z = 0."""
    rings = []
    for share in np.linspace(0.06, 1.0, 9):
        chord = radius * (0.05 + 0.16 * math.sin(math.pi * share**0.6)) * 0.5
        section = Ring(0.0, chord, chord * 0.12 + 2e-4, 2.0).points(12)
        twisted = turned(section, yaw=math.radians(28 - 20 * share))
        # the section stands in the plane x = const: its width along y, its thickness along z
        outwards = np.stack([np.full(12, share * radius), twisted[:, 0], twisted[:, 1]], axis=1)
        rings.append(outwards)
    return skin(rings)


def propeller() -> Points:
    """Two blades and a hub, turning about z; 0.23 m across."""
    blade = propeller_blade(0.115)
    hub = lathe(
        [(0.012, -0.006), (0.014, -0.003), (0.014, 0.006), (0.010, 0.012), (0.003, 0.015)], 16
    )
    return np.concatenate([blade, turned(blade, yaw=math.pi), hub])


def wheel() -> Points:
    """A tyre with a dished hub, 0.2 m across and 0.05 m wide, turning about y."""
    profile = [
        (0.020, -0.016), (0.062, -0.012), (0.074, -0.025), (0.090, -0.024), (0.098, -0.016),
        (0.100, 0.0),
        (0.098, 0.016), (0.090, 0.024), (0.074, 0.025), (0.062, 0.012), (0.020, 0.016),
    ]  # fmt: skip
    return turned(lathe(profile, 40), roll=-math.pi / 2)


def trunk() -> Points:
    """A piece of a walking robot's body along x, 0.44 m long, centred."""
    rings = [
        Ring(-0.22, 0.062, 0.105, 3.2),
        Ring(-0.12, 0.075, 0.125, 3.5),
        Ring(0.12, 0.075, 0.125, 3.5),
        Ring(0.22, 0.062, 0.105, 3.2),
    ]
    return turned(loft(rounded(rings, 0.05)), pitch=math.pi / 2)


def foot() -> Points:
    """A sole 0.17 m long with its flat side at z = -0.06 and the ankle above it at z = 0."""
    rings = [
        Ring(-0.060, 0.082, 0.042, 3.0, 0.020),
        Ring(-0.036, 0.080, 0.040, 3.0, 0.018),
        Ring(-0.018, 0.046, 0.032, 2.4, 0.002),
        Ring(0.012, 0.030, 0.026, 2.0),
    ]
    return loft(rounded(rings, 0.011, 3))


def chassis() -> Points:
    """The body of a wheeled robot: 0.36 m long, standing from z = 0 to 0.14."""
    rings = [
        Ring(0.0, 0.165, 0.125, 4.0),
        Ring(0.05, 0.18, 0.135, 4.0),
        Ring(0.10, 0.172, 0.128, 4.0),
        Ring(0.14, 0.145, 0.105, 3.6, -0.008),
    ]
    return loft(rounded(rings, 0.022), 32)


def canopy() -> Points:
    """The shell of a drone: 0.22 m long along x, from z = -0.035 to 0.05."""
    rings = [
        Ring(-0.035, 0.080, 0.050, 2.6),
        Ring(-0.005, 0.108, 0.068, 2.5),
        Ring(0.020, 0.100, 0.062, 2.4),
        Ring(0.050, 0.055, 0.036, 2.2, -0.012),
    ]
    return loft(rounded(rings, 0.022), 28)


def palm() -> Points:
    """A gripper's body: 0.16 m wide along y, from z = 0 (the flange) to 0.11."""
    rings = [
        Ring(0.0, 0.036, 0.036, 2.0),
        Ring(0.018, 0.036, 0.036, 2.0),
        Ring(0.045, 0.036, 0.064, 3.0),
        Ring(0.075, 0.034, 0.080, 4.0),
        Ring(0.110, 0.030, 0.080, 5.0),
    ]
    return loft(rounded(rings, 0.008, 3), 28)


def fingertip() -> Points:
    """From its hinge at z = 0 up to 0.075; the flat gripping side looks to -y."""
    rings = [
        Ring(-0.010, 0.011, 0.010, 3.0, 0.0, 0.002),
        Ring(0.020, 0.011, 0.009, 4.0, 0.0, 0.000),
        Ring(0.055, 0.010, 0.006, 4.0, 0.0, -0.003),
        Ring(0.075, 0.009, 0.004, 4.0, 0.0, -0.005),
    ]
    return loft(rounded(rings, 0.004, 3), 20)


def hand() -> Points:
    """A mitten that hangs from the wrist at z = 0 down to -0.17; the palm looks to +x."""
    rings = [
        Ring(-0.170, 0.012, 0.030, 2.6, 0.018),
        Ring(-0.125, 0.014, 0.040, 2.8, 0.008),
        Ring(-0.080, 0.016, 0.044, 2.8, 0.0),
        Ring(-0.035, 0.018, 0.036, 2.6, 0.0),
        Ring(-0.005, 0.020, 0.024, 2.2, 0.0),
    ]
    thumb = loft(rounded([Ring(-0.065, 0.010, 0.010), Ring(0.0, 0.012, 0.012)], 0.009, 3), 16)
    thumb = moved(turned(thumb, roll=-0.6, pitch=-0.35), x=0.006, y=0.034, z=-0.050)
    return np.concatenate([loft(rounded(rings, 0.011, 3), 20), thumb])


def torso() -> Points:
    """A chest 0.42 m high around z = 0; wide along y."""
    rings = [
        Ring(-0.24, 0.080, 0.105, 2.8),
        Ring(-0.10, 0.095, 0.130, 2.8),
        Ring(0.04, 0.105, 0.160, 2.8),
        Ring(0.13, 0.090, 0.150, 2.8),
        Ring(0.18, 0.055, 0.090, 2.5),
    ]
    return loft(rounded(rings, 0.035), 28)


def bar(length: float, width: float, depth: float) -> Points:
    """A bar along z between two pins, the first at the origin, in millimetres as CAD systems
    write."""
    ends = [-0.6 * width, 0.0, length, length + 0.6 * width]
    widths = [0.6, 1.0, 1.0, 0.6]
    rings = [Ring(z, width * share, depth, 5.0) for z, share in zip(ends, widths, strict=True)]
    return loft(rounded(rings, 0.3 * depth))


def derrick() -> Points:
    """The stand of the pumpjack: a plinth, the gear box behind, the tower in front; millimetres."""
    plinth = loft(rounded([Ring(0, 520, 190, 9.0, 290), Ring(60, 520, 190, 9.0, 290)], 15))
    gears = loft(rounded([Ring(60, 110, 120, 6.0), Ring(350, 80, 90, 6.0)], 20))
    tower = loft(rounded([Ring(60, 190, 150, 4.0, 580), Ring(800, 36, 44, 4.0, 580)], 20), 28)
    return np.concatenate([plinth, gears, tower])


MESHES = {
    "canopy": canopy,
    "chassis": chassis,
    "fingertip": fingertip,
    "foot": foot,
    "forearm": lambda: limb(0.24, 0.043, 0.034, 0.030),
    "hand": hand,
    "palm": palm,
    "propeller": propeller,
    "pumpjack_beam": lambda: np.concatenate([bar(980, 46, 30), moved(bar(10, 90, 34), z=980)]),
    "pumpjack_crank": lambda: bar(90, 36, 18),
    "pumpjack_pitman": lambda: bar(400.25, 24, 16),
    "pumpjack_rod": lambda: bar(700, 10, 9),
    "pumpjack_stand": derrick,
    "shin": lambda: limb(0.26, 0.043, 0.031, 0.033, 0.9),
    "thigh": lambda: limb(0.25, 0.058, 0.040, 0.048),
    "torso": torso,
    "trunk": trunk,
    "upper_arm": lambda: limb(0.24, 0.055, 0.042, 0.045),
    "wheel": wheel,
}


def stl_bytes(triangles: Points) -> bytes:
    """Binary STL: 80 bytes of header, the count, then 50 bytes per triangle."""
    corners = triangles.astype("<f4")
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    facets = np.zeros(
        len(corners), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")]
    )
    facets["normal"] = normals / np.where(lengths > 0, lengths, 1)
    facets["corners"] = corners
    header = b"URDF Importer sample mesh, CC0-1.0".ljust(80, b" ")
    return header + len(facets).to_bytes(4, "little") + bytes(facets.tobytes())


def main(folder: Path = FOLDER) -> None:
    folder.mkdir(exist_ok=True)
    for name, make in MESHES.items():
        data = stl_bytes(make())
        (folder / f"{name}.stl").write_bytes(data)
        print(f"{name}.stl: {(len(data) - 84) // 50} triangles, {len(data)} bytes")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
