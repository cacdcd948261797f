# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages in space and with several free joints, as robots whose loops close at zero.

Each is described by where its pins are at zero, in the robot's frame: links there all have the
robot's axes, so a joint's origin is the way from the pin above to its own.
"""

from pathlib import Path
from typing import Any

import numpy as np

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
Span = tuple[float, float]


class Mechanism:
    """Hangs links at pins; a link's frame is at the pin of its joint. Joints whose link hangs
    somewhere already close loops."""

    def __init__(self) -> None:
        self._pins: dict[str, Any] = {"base": np.zeros(3)}
        self._joints: list[str] = []

    def joint(
        self, name: str, links: tuple[str, str], pin: Any, axis: Any = Z,
        *, type: str = "continuous", span: Span | None = None,
    ) -> None:  # fmt: skip
        place = np.asarray(pin, dtype=float)
        parent, child = links
        home = self._pins.setdefault(child, place)
        kind = "revolute" if type == "continuous" and span is not None else type
        bounds = (
            ""
            if span is None
            else f"<limit><lower>{span[0]}</lower><upper>{span[1]}</upper></limit>"
        )
        about = "" if kind == "ball" else f"<axis><xyz>{_print(axis)}</xyz>{bounds}</axis>"
        self._joints.append(
            f"<joint name='{name}' type='{kind}'><parent>{parent}</parent><child>{child}</child>"
            f"<pose>{_print(place - home)} 0 0 0</pose>{about}</joint>"
        )

    def place(self, link: str, pin: Any) -> None:
        """Puts a link where its joint is to be, which may be added after those that hang on it."""
        self._pins.setdefault(link, np.asarray(pin, dtype=float))

    def write(self, path: Path) -> Path:
        """Writes it as SDF."""
        links = [
            f"<link name='{name}'><pose>{_print(pin)} 0 0 0</pose></link>"
            for name, pin in self._pins.items()
        ]
        lines = ["<sdf version='1.9'><model name='mechanism'>", *links, *self._joints]
        path.write_text("\n".join([*lines, "</model></sdf>"]), encoding="utf-8")
        return path


def _print(vector: Any) -> str:
    return " ".join(repr(float(number)) for number in vector)


def five_bar(random: np.random.Generator, span: Span | None = (-0.5, 0.5)) -> Mechanism:
    """Two cranks on a base, two couplers that meet: both cranks are free."""
    made = Mechanism()
    base, crank, coupler = (random.uniform(*each) for each in ((0.4, 0.6), (0.4, 0.6), (0.8, 1.0)))
    left, right = np.array([-crank * 0.5, crank * 0.8, 0.0]), np.array([base, crank * 0.9, 0.0])
    middle = (left + right) / 2.0
    height = float(np.sqrt(coupler**2 - (left - middle) @ (left - middle)))
    made.joint("left_pin", ("base", "left"), (0.0, 0.0, 0.0), span=span)
    made.joint("right_pin", ("base", "right"), (base, 0.0, 0.0), span=span)
    made.joint("left_knee", ("left", "left_rod"), left)
    made.joint("right_knee", ("right", "right_rod"), right)
    made.joint("tip", ("left_rod", "right_rod"), middle + np.array([0.0, height, 0.0]))
    return made


def steered_rod(random: np.random.Generator) -> Mechanism:
    """A crank and a rocker about axes askew, and a rod between with a ball joint at either end."""
    made = Mechanism()
    askew = random.normal(size=3) * 0.3 + Y
    made.joint("crank_pin", ("base", "crank"), (0.0, 0.0, 0.0))
    made.joint("rocker_pin", ("base", "rocker"), (1.0, 0.2, 0.1), askew / np.linalg.norm(askew))
    made.joint("rod_ball", ("crank", "rod"), (0.2, 0.1, 0.02), type="ball")
    made.joint("rod_end", ("rod", "rocker"), (1.1, 0.25, 0.9), type="ball")
    return made


def ankle(random: np.random.Generator) -> Mechanism:
    """A foot on two crossed hinges, pushed by two rods with ball joints: two motors are free."""
    made = Mechanism()
    motors = {"left": 0.05, "right": -0.05}
    heights = {side: random.uniform(0.2, 0.3) for side in motors}
    for side, y in motors.items():
        pin = (-0.01, y, heights[side])
        made.joint(f"{side}_motor", ("base", f"{side}_horn"), pin, Y, span=(-0.4, 0.4))
    made.joint("pitch", ("base", "cross"), (0.0, 0.0, 0.0), Y, span=(-0.9, 0.9))
    made.joint("roll", ("cross", "foot"), (0.0, 0.0, 0.0), X, span=(-0.9, 0.9))
    for side, y in motors.items():
        horn = (-0.06, y * random.uniform(0.9, 1.1), heights[side])
        made.joint(f"{side}_ball", (f"{side}_horn", f"{side}_rod"), horn, type="ball")
        made.joint(f"{side}_heel", (f"{side}_rod", "foot"), (-0.05, y, -0.02), type="ball")
    return made


def delta(random: np.random.Generator) -> Mechanism:
    """Three arms, each with two rods side by side to a plate: three motors are free."""
    made = Mechanism()
    wide, narrow, arm, high = 0.2, 0.05, 0.2, random.uniform(0.35, 0.45)
    turns = [2.0 * np.pi * each / 3.0 for each in range(3)]
    outward = [np.array([np.cos(turn), np.sin(turn), 0.0]) for turn in turns]
    across = [np.array([-way[1], way[0], 0.0]) for way in outward]
    for index, way in enumerate(outward):
        made.joint(
            f"motor_{index}", ("base", f"arm_{index}"), wide * way, across[index], span=(-0.5, 0.5)
        )
    for index, way in enumerate(outward):
        for side, aside in (("a", 0.03), ("b", -0.03)):
            rod = f"rod_{index}{side}"
            elbow, plate = (wide + arm) * way, narrow * way - np.array([0.0, 0.0, high])
            shift = aside * across[index]
            made.joint(f"elbow_{index}{side}", (f"arm_{index}", rod), elbow + shift, type="ball")
            made.joint(f"wrist_{index}{side}", (rod, "plate"), plate + shift, type="ball")
    return made


def hexapod(random: np.random.Generator, span: Span = (-0.06, 0.06)) -> Mechanism:
    """A plate on six legs that grow, each on two crossed hinges and with a ball joint at its top:
    the six slides, first in the file, are free."""
    made = Mechanism()
    high = random.uniform(0.5, 0.6)
    legs = []
    for index in range(6):
        side = 0.25 if index % 2 else -0.25
        below = 2.0 * np.pi * (index // 2) / 3.0 + side
        above = 2.0 * np.pi * ((index + 1) // 2) / 3.0 - np.pi / 3.0 - side
        foot = 0.4 * np.array([np.cos(below), np.sin(below), 0.0])
        head = np.array([0.25 * np.cos(above), 0.25 * np.sin(above), high])
        legs.append((foot, head, (head - foot) / np.linalg.norm(head - foot)))
    for index, (foot, _, way) in enumerate(legs):
        links = f"barrel_{index}", f"rod_{index}"
        made.place(links[0], foot)
        made.joint(f"slide_{index}", links, foot + 0.2 * way, way, type="prismatic", span=span)
    for index, (foot, head, way) in enumerate(legs):
        across = np.cross(way, Z) / np.linalg.norm(np.cross(way, Z))
        made.joint(f"swing_{index}", ("base", f"cross_{index}"), foot, across)
        links = f"cross_{index}", f"barrel_{index}"
        made.joint(f"tilt_{index}", links, foot, np.cross(way, across))
        made.joint(f"ball_{index}", (f"rod_{index}", "plate"), head, type="ball")
    return made


def planar_platform(random: np.random.Generator) -> Mechanism:
    """A plate in a plane on three cranks with rods: the three motors are free."""
    made = Mechanism()
    pins = []
    for index in range(3):
        turn = 2.0 * np.pi * index / 3.0 + random.uniform(-0.1, 0.1)
        way = np.array([np.cos(turn), np.sin(turn), 0.0])
        across = np.array([-way[1], way[0], 0.0])
        knee = 0.48 * way + random.uniform(0.2, 0.24) * across
        pins.append((knee, 0.15 * way - 0.02 * across))
        made.joint(f"motor_{index}", ("base", f"crank_{index}"), 0.5 * way, span=(-0.3, 0.3))
    for index, (knee, pin) in enumerate(pins):
        made.joint(f"knee_{index}", (f"crank_{index}", f"rod_{index}"), knee)
        made.joint(f"pin_{index}", (f"rod_{index}", "plate"), pin)
    return made
