# SPDX-License-Identifier: GPL-3.0-or-later
"""Small descriptions for tests of the Webots export, and their export in one step."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from support.webots.proto_check import Checked, check
from urdf_importer import Diagnostics, WebotsOptions, export_robot, forward_kinematics, read_robot
from urdf_importer.formats.webots.write import ExportResult

Matrix = Any
INERTIA = '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>'
BOX = '<geometry><box size="0.1 0.2 0.3"/></geometry>'


def link(name: str, mass: float | None = 1.0, inside: str = "") -> str:
    """Without `mass` there is no <inertial>."""
    inertial = f'<inertial><mass value="{mass}"/>{INERTIA}</inertial>' if mass is not None else ""
    return f'<link name="{name}">{inertial}{inside}</link>'


def joint(
    name: str,
    kind: str,
    parent: str,
    child: str,
    inside: str = "",
    *,
    axis: str = "0 0 1",
    xyz: str = "0 0 0",
    rpy: str = "0 0 0",
    limit: str = 'lower="-1" upper="1" effort="5" velocity="2"',
) -> str:
    bounds = f"<limit {limit}/>" if kind in ("revolute", "prismatic") and limit else ""
    direction = "" if kind in ("fixed", "floating") else f'<axis xyz="{axis}"/>'
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="{xyz}" rpy="{rpy}"/>'
        f'<parent link="{parent}"/><child link="{child}"/>{direction}{bounds}{inside}</joint>'
    )


class Small:
    """A description as a PROTO in a folder of its own, and what the export (not the reader)
    reported."""

    def __init__(self, folder: Path, *elements: str, name: str = "small", **options: Any) -> None:
        self.folder = folder / f"small{len(list(folder.iterdir()))}"
        self.folder.mkdir()
        source = self.folder / "small.urdf"
        lines = "\n".join(elements)
        source.write_text(f'<robot name="{name}">\n{lines}\n</robot>', encoding="utf-8")
        self.robot = read_robot(source)
        self.proto = self.folder / "Small.proto"
        found = Diagnostics(str(source))
        chosen = WebotsOptions(**options)
        self.result: ExportResult = export_robot(
            self.robot, self.proto, options=chosen, diagnostics=found
        )
        # Most of these robots have collision shapes alone.
        self.diagnostics = [item for item in found if item.code != "collisions-shown"]
        self.text = self.proto.read_text("utf-8")

    @property
    def codes(self) -> list[str]:
        return [item.code for item in self.diagnostics]

    @property
    def lines(self) -> list[tuple[str, int]]:
        """(code, line) of each diagnostic."""
        return [(item.code, item.line) for item in self.diagnostics]

    def check(
        self, values: Mapping[str, float | list[float]] | None = None, *, initial: bool = False
    ) -> Checked:
        """Refuses files that are not in order."""
        checked = check(self.proto, values, initial=initial)
        assert checked.problems == ()
        return checked

    def assert_frames(
        self,
        values: Mapping[str, float | list[float]],
        positions: Mapping[str, Any],
        root: str | None = None,
        initial: bool = False,
    ) -> None:
        """Each exported link stands at Webots' `values` where the description puts it at
        `positions`, seen from the link `root` (that of the Robot node)."""
        checked = self.check(values, initial=initial)
        expected = forward_kinematics(self.robot, positions)
        base = np.linalg.inv(expected[root or self.robot.links[0].name])
        for name, place in self.result.links.items():
            frame = checked.pose(place.solid) @ place.frame
            assert np.abs(frame - base @ expected[name]).max() < 1e-8, name
