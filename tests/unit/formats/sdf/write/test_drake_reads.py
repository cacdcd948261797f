# SPDX-License-Identifier: GPL-3.0-or-later
"""Drake reads what is written as SDF as the robot that it was: frames at rest and moved, masses,
centres, inertias and limits."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from support.drake_process import DRAKE_PYTHON, Drake, Reading
from support.paths import ROOT
from support.real_robots import descriptions, name_of
from urdf_importer import (
    Diagnostics,
    Robot,
    SdfOptions,
    export_robot,
    forward_kinematics,
    read_robot,
)
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.kinematics.forward import complete_positions
from urdf_importer.core.kinematics.tree import plan_tree
from urdf_importer.core.model import Link
from urdf_importer.formats.sdf.write.export import SdfExport

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DRAKE_PYTHON, reason="DRAKE_PYTHON has no Drake (tools/get-drake)"),
]
EXACT, CLOSE = 1e-9, 1e-6
REPAIRED = {"sdf-inertia-repaired", "sdf-inertia-assumed", "sdf-small-mass"}
_SAMPLES = sorted(each for each in (ROOT / "sample_urdfs").glob("*.urdf") if each.stem != "messy")
_REAL = [each for each in descriptions() if each.stem != "ur3"]  # It has no links.


@pytest.fixture(scope="module")
def drake() -> Iterator[Drake]:
    process = Drake()
    yield process
    process.close()


@pytest.mark.parametrize("path", [*_SAMPLES, *_REAL], ids=name_of)
def test_a_robot_is_what_it_was(drake: Drake, path: Path, tmp_path: Path) -> None:
    robot = read_robot(path, diagnostics=Diagnostics())
    diagnostics = Diagnostics()
    options = SdfOptions(meshes="keep")
    written = export_robot(robot, tmp_path / "robot.sdf", options=options, diagnostics=diagnostics)
    assert isinstance(written, SdfExport)
    tree = plan_tree(robot, Diagnostics())
    scalar = [each for each in tree.joint_motions if each.is_scalar]
    random = np.random.default_rng(7)
    poses = [
        complete_positions(
            tree.joint_motions,
            {each.joint.name: share * float(random.uniform(-1.0, 1.0)) for each in scalar},
        )
        for share in (0.0, 1.0, 1.0)
    ]
    set_joints = [
        {written.joints[each.joint.name]: pose[each.joint.name] for each in scalar}
        for pose in poses
    ]
    found = drake.read(written.path, set_joints)
    for pose, frames in zip(poses, found.frames, strict=True):
        for link, frame in forward_kinematics(robot, pose).items():
            if link in written.links:
                assert np.abs(frame - np.array(frames[written.links[link]])).max() < EXACT, link
    for motion in scalar:
        limits = found.limits[written.joints[motion.joint.name]]
        assert limits == [
            -np.inf if motion.lower is None else motion.lower,
            np.inf if motion.upper is None else motion.upper,
        ]
    added = 0.001 * sum(each.code == "sdf-small-mass" for each in diagnostics)
    # A planar joint is three, with small links between.
    names = {written.links.get(each.name) for each in robot.links}
    total = sum(mass for name, mass in found.masses.items() if name in names)
    assert np.isclose(total, robot.total_mass() + added, rtol=1e-12)
    repaired = {each.subject for each in diagnostics if each.code in REPAIRED}
    for link in robot.links:
        if link.name not in repaired and written.links.get(link.name) in found.masses:
            assert_same_body(link, found, written.links[link.name])


def assert_same_body(link: Link, found: Reading, name: str) -> None:
    if link.inertial is None or link.inertial.inertia is None:
        return
    frame, given = matrix_from_pose(link.inertial.origin), link.inertial.inertia
    tensor = np.array(
        [
            [given.ixx, given.ixy, given.ixz],
            [given.ixy, given.iyy, given.iyz],
            [given.ixz, given.iyz, given.izz],
        ]
    )
    expected = frame[:3, :3] @ tensor @ frame[:3, :3].T
    center, inertia = (np.array(each) for each in found.inertias[name])
    assert found.masses[name] == link.inertial.mass
    assert np.abs(center - frame[:3, 3]).max() < EXACT
    assert np.abs(inertia - expected).max() < CLOSE * max(np.abs(expected).max(), 1e-9), link.name


@pytest.mark.parametrize("style", ["keep", "plain"])
def test_models_of_drake_stay_what_they_are(drake: Drake, style: str, tmp_path: Path) -> None:
    """Cart-pole, acrobot, gripper and tables that come with it: read by it before and after."""
    root = Path(DRAKE_PYTHON).parents[1]
    models = sorted(root.glob("lib/python*/site-packages/pydrake/share/drake/examples/**/*.sdf"))
    assert len(models) > 5
    options = SdfOptions(style=style, meshes="keep")
    for model in models:
        robot: Robot = read_robot(model, diagnostics=Diagnostics())
        path = tmp_path / model.name
        export_robot(robot, path, options=options, diagnostics=Diagnostics())
        if style == "keep":
            assert path.read_bytes() == model.read_bytes()
        moved = [{}, {each.name: 0.25 for each in robot.joints if each.type != "fixed"}]
        before, after = drake.read(model, moved), drake.read(path, moved)
        for one, other in zip(before.frames, after.frames, strict=True):
            for link in {each.name for each in robot.links} - {"world", "__model__"}:
                assert np.abs(np.array(one[link]) - np.array(other[link])).max() < EXACT, link
        assert before.masses == pytest.approx(after.masses, rel=CLOSE)
        assert before.limits == after.limits
        for name, (center, inertia) in before.inertias.items():
            assert np.allclose(after.inertias[name][0], center, atol=EXACT)
            assert np.allclose(after.inertias[name][1], inertia, rtol=CLOSE, atol=1e-12)
