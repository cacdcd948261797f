# SPDX-License-Identifier: GPL-3.0-or-later
"""Small robots for simulations, and their motion by other means."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio


def box(mass: float = 2.0, side: float = 0.2, name: str = "box") -> str:
    """A cube, a robot of one link."""
    moment = mass * side**2 / 6
    shape = f'<geometry><box size="{side} {side} {side}"/></geometry>'
    return (
        f'<robot name="{name}"><link name="{name}"><inertial><mass value="{mass}"/>'
        f'<inertia ixx="{moment}" iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"/>'
        f"</inertial><visual>{shape}</visual><collision>{shape}</collision></link></robot>"
    )


def chain(joints: int, effort: float = 100.0, damping: float = 0.0, *, limits: float = 10.0) -> str:
    """Rods of 1 kg and 0.5 m that hang on one another, hinged about Y; a pendulum of one."""
    rod = (
        '<inertial><origin xyz="0 0 -0.25"/><mass value="1"/><inertia ixx="0.021" iyy="0.021" '
        'izz="0.0004" ixy="0" ixz="0" iyz="0"/></inertial><visual><origin xyz="0 0 -0.25"/>'
        '<geometry><box size="0.04 0.04 0.5"/></geometry></visual>'
    )
    links = "".join(f'<link name="rod{n}">{rod}</link>' for n in range(joints))
    parents = ["mount", *(f"rod{n}" for n in range(joints))]
    hinges = "".join(
        f'<joint name="hinge{n}" type="revolute"><parent link="{parents[n]}"/>'
        f'<child link="rod{n}"/><origin xyz="0 0 {-0.5 if n else 1.5}"/><axis xyz="0 1 0"/>'
        f'<limit lower="{-limits}" upper="{limits}" effort="{effort}" velocity="50"/>'
        f'<dynamics damping="{damping}"/></joint>'
        for n in range(joints)
    )
    return f'<robot name="chain"><link name="mount"/>{links}{hinges}</robot>'


def swing(text: str, start: np.ndarray, seconds: float, step: float = 2e-4) -> np.ndarray:
    """The joint positions of a robot that hangs without friction after some seconds: Pinocchio's
    articulated body algorithm, by Runge and Kutta's method of fourth order."""
    model = pinocchio.buildModelFromXML(text)
    data = model.createData()

    def accelerate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.array(pinocchio.aba(model, data, q, v, np.zeros(model.nv)))

    q, v = np.array(start, dtype=float), np.zeros(model.nv)
    for _ in range(round(seconds / step)):
        a1 = accelerate(q, v)
        a2 = accelerate(q + step / 2 * v, v + step / 2 * a1)
        a3 = accelerate(q + step / 2 * (v + step / 2 * a1), v + step / 2 * a2)
        a4 = accelerate(q + step * (v + step / 2 * a2), v + step * a3)
        q = q + step * v + step**2 / 6 * (a1 + a2 + a3)
        v = v + step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    return q


def write(folder: Path, text: str, name: str = "robot") -> Path:
    path = folder / f"{name}.urdf"
    path.write_text(text)
    return path


def find_lowest(shapes: Iterable[Any]) -> float:
    """The height of the lowest vertex of objects, as they are shown."""
    lowest = float("inf")
    for shape in shapes:
        points = np.empty(3 * len(shape.data.vertices), np.float32)
        shape.data.vertices.foreach_get("co", points)
        # Blender leaves the evaluated matrices of hidden objects as they were; links are shown.
        seat = shape.matrix_parent_inverse @ shape.matrix_basis
        place = np.array(shape.parent.matrix_world @ seat)
        if len(points):
            heights = points.reshape(-1, 3) @ place[2, :3] + place[2, 3]
            lowest = min(lowest, float(heights.min()))
    return lowest
