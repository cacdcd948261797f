# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading an assembly, with a parameter file and a table of joints, in one call."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.kinematics.loops import forward_kinematics
from urdf_importer.core.model import Joint, Link, LoopJoint, Robot
from urdf_importer.formats.simmechanics.read import AssemblyReading, read_assembly


class Outcome(NamedTuple):
    reading: AssemblyReading
    diagnostics: Diagnostics

    @property
    def robot(self) -> Robot:
        return self.reading.robot

    @property
    def codes(self) -> list[str]:
        return sorted(item.code for item in self.diagnostics)

    @property
    def places(self) -> list[tuple[str, str, int]]:
        """Code, name of the file and line of every diagnostic."""
        return [(item.code, Path(item.source).name, item.line) for item in self.diagnostics]

    def joint(self, name: str) -> Joint:
        return next(joint for joint in self.robot.joints if joint.name == name)

    def loop(self, name: str) -> LoopJoint:
        return next(loop for loop in self.robot.loops if loop.name == name)

    def link(self, name: str) -> Link:
        return next(link for link in self.robot.links if link.name == name)

    def frame(self, link: str, **positions: float) -> np.ndarray:
        """Root link from link."""
        return forward_kinematics(self.robot, positions, close_loops=False)[link]

    def matrix(self, name: str) -> np.ndarray:
        """Parent link from child link, of a joint at zero."""
        return matrix_from_pose(self.joint(name).origin)


Read = Callable[..., Outcome]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """read(data, yaml="...", csv="...")"""

    def read_all(
        data: bytes, yaml: str | bytes = "", csv: str | bytes = "", **options: object
    ) -> Outcome:
        paths = {}
        for key, name, text in (
            ("parameters", "p.yaml", yaml),
            ("joint_parameters", "j.csv", csv),
        ):
            if text:
                path = tmp_path / name
                path.write_bytes(text.encode() if isinstance(text, str) else text)
                paths[key] = str(path)
        diagnostics = Diagnostics()
        return Outcome(
            read_assembly(data, "machine.xml", diagnostics, **paths, **options),  # type: ignore[arg-type]
            diagnostics,
        )

    return read_all
