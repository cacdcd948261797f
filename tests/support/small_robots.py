# SPDX-License-Identifier: GPL-3.0-or-later
"""Small robots said in a few words."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from support.mesh_faces import check_mesh, edge_uses, faces_of, signed_volume
from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.model import Joint, Limit, Link, Pose, Robot
from urdf_importer.core.options import ImportOptions
from urdf_importer.core.rig.plan import plan_rig
from urdf_importer.core.rig.rig_plan import RigPlan


@pytest.fixture
def make_joint() -> Callable[..., Joint]:
    def make(name: str, parent: str, child: str, **fields: Any) -> Joint:
        fields.setdefault("type", "revolute")
        fields.setdefault("axis", (0.0, 0.0, 1.0))
        if fields["type"] in ("revolute", "prismatic"):
            fields.setdefault("limit", Limit(lower=-1.0, upper=1.0, effort=1.0, velocity=1.0))
        origin = Pose(
            xyz=fields.pop("xyz", (0.0, 0.0, 0.0)), rpy=fields.pop("rpy", (0.0, 0.0, 0.0))
        )
        return Joint(name=name, parent=parent, child=child, origin=origin, **fields)

    return make


@pytest.fixture
def make_robot() -> Callable[..., Robot]:
    def make(joints: Sequence[Joint], **links: Link) -> Robot:
        names = dict.fromkeys(n for joint in joints for n in (joint.parent, joint.child))
        return Robot(
            name="robot",
            links=tuple(links.get(name, Link(name=name)) for name in names),
            joints=tuple(joints),
        )

    return make


@pytest.fixture
def chain(
    make_joint: Callable[..., Joint], make_robot: Callable[..., Robot]
) -> Callable[..., Robot]:
    """A robot of links l0, l1 ... and joints j1, j2 ... each said by its fields."""

    def make(*joints: dict[str, Any]) -> Robot:
        return make_robot(
            [
                make_joint(f"j{index}", f"l{index - 1}", f"l{index}", **fields)
                for index, fields in enumerate(joints, start=1)
            ]
        )

    return make


@pytest.fixture
def plan_clean() -> Callable[..., RigPlan]:
    """Plans a robot that must give no diagnostics but the codes named."""

    def plan(robot: Robot, *codes: str, **options: Any) -> RigPlan:
        diagnostics = Diagnostics()
        planned = plan_rig(robot, options=ImportOptions(**options), diagnostics=diagnostics)
        assert [item.code for item in diagnostics] == list(codes)
        return planned

    return plan


@pytest.fixture(scope="session")
def faces() -> Callable[[MeshData], list[np.ndarray]]:
    return faces_of


@pytest.fixture(scope="session")
def check() -> Callable[[MeshData], None]:
    return check_mesh


@pytest.fixture(scope="session")
def volume() -> Callable[[MeshData], float]:
    return signed_volume


@pytest.fixture(scope="session")
def edges() -> Callable[[MeshData], dict[tuple[int, int], int]]:
    return edge_uses
