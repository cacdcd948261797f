# SPDX-License-Identifier: GPL-3.0-or-later
"""Pinocchio as the truth about where links are and what they weigh."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pinocchio as pin

Matrix = Any
Position = float | Sequence[float]


class Truth:
    """One robot as Pinocchio reads it. It knows no mimic joints here: every joint is set."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.data = model.createData()

    @classmethod
    def of_file(cls, path: Any) -> "Truth":
        return cls(pin.buildModelFromUrdf(str(path)))

    @classmethod
    def of_text(cls, text: str) -> "Truth":
        return cls(pin.buildModelFromXML(text))

    def knows(self, link: str) -> bool:
        return bool(self.model.existBodyName(link))

    def frames(self, positions: Mapping[str, Position]) -> dict[str, Matrix]:
        """Link name -> (4, 4) in the root link's frame."""
        configuration = pin.neutral(self.model)
        for name, position in positions.items():
            joint = self.model.joints[self.model.getJointId(name)]
            place = slice(joint.idx_q, joint.idx_q + joint.nq)
            configuration[place] = _as_pinocchio_says(joint.nq, position)
        pin.framesForwardKinematics(self.model, self.data, configuration)
        return {
            frame.name: self.data.oMf[index].homogeneous
            for index, frame in enumerate(self.model.frames)
            if frame.type == pin.FrameType.BODY
        }

    def total_mass(self) -> float:
        return float(pin.computeTotalMass(self.model))

    def body_inertias(self) -> dict[str, tuple[float, Matrix, Matrix]]:
        """Link name -> (mass, centre of mass, tensor about it), in the link's frame, of the links
        that Pinocchio gave an inertia."""
        found = {}
        for frame in self.model.frames:
            if frame.type == pin.FrameType.BODY and frame.inertia.mass > 0:
                found[frame.name] = (
                    float(frame.inertia.mass),
                    np.array(frame.inertia.lever),
                    np.array(frame.inertia.inertia),
                )
        return found


def _as_pinocchio_says(size: int, position: Position) -> Any:
    """To Pinocchio a joint without limits is cosine and sine, a planar one x, y and these."""
    if isinstance(position, float):
        return [position] if size == 1 else [np.cos(position), np.sin(position)]
    if size == 4 and len(position) == 3:
        return [position[0], position[1], np.cos(position[2]), np.sin(position[2])]
    return list(position)
