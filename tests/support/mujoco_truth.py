# SPDX-License-Identifier: GPL-3.0-or-later
"""MuJoCo as the judge of MJCF: what its compiler makes of a file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

Matrix = Any
Numbers = float | Sequence[float]


class Compiled:
    """A model as MuJoCo's compiler makes it. It raises ValueError for what it does not take."""

    def __init__(self, path: Path | str) -> None:
        self.model = mujoco.MjModel.from_xml_path(str(path))
        self.data = mujoco.MjData(self.model)

    def names(self, kind: str) -> list[str]:
        """The names of all bodies, joints, geoms, ... in MuJoCo's order."""
        number = getattr(self.model, f"n{ {'joint': 'jnt', 'actuator': 'u'}.get(kind, kind) }")
        return [getattr(self.model, kind)(index).name for index in range(number)]

    def frames(self, positions: Mapping[str, Numbers]) -> dict[str, Matrix]:
        """Body -> (4, 4) in the world, with joints of MuJoCo at these positions, the others at
        theirs of the file."""
        mujoco.mj_resetData(self.model, self.data)
        for name, numbers in positions.items():
            self.data.joint(name).qpos = numbers
        mujoco.mj_kinematics(self.model, self.data)
        return self.shown()

    def shown(self) -> dict[str, Matrix]:
        """Body -> (4, 4) in the world, as things are."""
        found = {}
        for name in filter(None, self.names("body")):
            body = self.data.body(name)
            frame = np.eye(4)
            frame[:3, :3], frame[:3, 3] = body.xmat.reshape(3, 3), body.xpos
            found[name] = frame
        return found

    def inertia(self, name: str) -> tuple[float, Matrix, Matrix]:
        """Mass, centre of mass and tensor about it of a body, in its frame."""
        body = self.model.body(name)
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, body.iquat)
        rotation = turn.reshape(3, 3)
        tensor = rotation @ np.diag(body.inertia) @ rotation.T
        return float(body.mass[0]), np.array(body.ipos), tensor

    def key(self, name: str) -> None:
        """Takes the positions of a keyframe."""
        mujoco.mj_resetDataKeyframe(self.model, self.data, self.model.key(name).id)
        mujoco.mj_kinematics(self.model, self.data)

    def relax(self, steps: int = 1000) -> None:
        """Lets time pass, without weight."""
        self.model.opt.gravity[:] = 0.0
        for _ in range(steps):
            mujoco.mj_step(self.model, self.data)
        mujoco.mj_kinematics(self.model, self.data)
