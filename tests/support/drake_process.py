# SPDX-License-Identifier: GPL-3.0-or-later
"""Drake as a reader of SDF, in a process with a Python of its own (tools/get-drake), and how tests
talk to that process.

It reads lines of JSON: {"path", "poses": [joint -> value]}, and answers each with a line: what a
Reading holds, or {"error"}.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DRAKE_PYTHON = os.environ.get("DRAKE_PYTHON", "")


@dataclass(frozen=True)
class Reading:
    """A file as Drake reads it. Names are those below the model, `nested::link`; where the file is
    a world, with the model's. `frames` has one entry for each pose: name of a link or frame -> its
    place (4, 4) in the world. `inertias` are centres of mass and tensors about them, in the axes of
    the link."""

    frames: Sequence[Mapping[str, Any]]
    masses: Mapping[str, float]
    limits: Mapping[str, Sequence[float]]
    inertias: Mapping[str, Sequence[Any]]


class Drake:
    """The process, from outside."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [DRAKE_PYTHON, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def read(self, path: Path, poses: Sequence[Mapping[str, float]] = ({},)) -> Reading:
        assert self._process.stdin is not None and self._process.stdout is not None
        question = {"path": str(path), "poses": [dict(each) for each in poses]}
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert "error" not in answer, answer["error"]
        return Reading(**answer)

    def close(self) -> None:
        self._process.communicate(timeout=60)


def _read(path: str, poses: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import BodyIndex, FrameIndex

    plant = MultibodyPlant(0.0)
    models = Parser(plant).AddModels(path)
    plant.Finalize()
    outer = 1 if len(models) == 1 else 0

    def name_of(item: Any) -> str:
        model = plant.GetModelInstanceName(item.model_instance()).split("::")
        return "::".join([*model[outer:], item.name()])

    bodies = [plant.get_body(BodyIndex(number)) for number in range(1, plant.num_bodies())]
    joints = {name_of(each): each for each in map(plant.get_joint, plant.GetJointIndices())}
    inertias = {}
    for body in bodies:
        inertia = body.default_spatial_inertia()
        center = inertia.get_com()
        about = inertia.Shift(center).CalcRotationalInertia().CopyToFullMatrix3()
        inertias[name_of(body)] = (center.tolist(), about.tolist())
    frames = []
    for pose in poses:
        context = plant.CreateDefaultContext()
        positions = plant.GetPositions(context)
        for name, value in pose.items():
            positions[joints[name].position_start()] = value
        plant.SetPositions(context, positions)
        every = [plant.get_frame(FrameIndex(number)) for number in range(1, plant.num_frames())]
        frames.append(
            {name_of(each): each.CalcPoseInWorld(context).GetAsMatrix4().tolist() for each in every}
        )
    return {
        "frames": frames,
        "masses": {name_of(each): each.default_mass() for each in bodies},
        "limits": {
            name: (each.position_lower_limits()[0], each.position_upper_limits()[0])
            for name, each in joints.items()
            if each.num_positions() == 1
        },
        "inertias": inertias,
    }


def main() -> None:
    for line in sys.stdin:
        question = json.loads(line)
        try:
            answer = _read(**question)
        except Exception as error:  # noqa: BLE001  (whatever Drake refuses a file with)
            answer = {"error": str(error)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
