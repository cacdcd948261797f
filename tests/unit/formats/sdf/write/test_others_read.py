# SPDX-License-Identifier: GPL-3.0-or-later
"""What is written as SDF is read by libsdformat without an error, and says the same robot: frames,
masses and limits as this library reads them again."""

import math
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from support.real_robots import ROOT, descriptions, name_of
from support.samples import sampled
from urdf_importer import (
    Diagnostics,
    Robot,
    SdfOptions,
    export_robot,
    forward_kinematics,
    read_robot,
)
from urdf_importer.core.geometry.volumes import tensor_of
from urdf_importer.core.kinematics.forward import complete_positions
from urdf_importer.core.kinematics.tree import plan_tree
from urdf_importer.formats.sdf.write.export import SdfExport

CHECK_SDF = os.environ.get("CHECK_SDF", "")
FEW = ("anymal", "double_pendulum", "icub_reduced", "romeo", "so100", "talos_reduced", "ur5_robot")
_READABLE = [path for path in descriptions() if path.stem != "ur3"]  # It has no links.
_OTHERS = sampled([path for path in _READABLE if path.stem not in FEW], 2)
REAL = [
    *(pytest.param(path, id=name_of(path)) for path in _READABLE if path.stem in FEW),
    *(pytest.param(path, id=name_of(path), marks=pytest.mark.slow) for path in _OTHERS),
]
EXACT = 1e-9


def write(robot: Robot, path: Path, options: SdfOptions) -> tuple[SdfExport, Diagnostics]:
    diagnostics = Diagnostics()
    written = export_robot(robot, path, options=options, diagnostics=diagnostics)
    assert isinstance(written, SdfExport)
    if CHECK_SDF:
        done = subprocess.run(
            [CHECK_SDF, str(written.files[-1])], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    return written, diagnostics


def assert_same(robot: Robot, again: Robot, written: SdfExport) -> None:
    """Frames of all links at zero and at two random poses, limits."""
    tree = plan_tree(robot, Diagnostics())
    random = np.random.default_rng(7)
    limits = {
        each.joint.name: (each.lower, each.upper)
        for each in plan_tree(again, Diagnostics()).joint_motions
    }
    scalar = [each for each in tree.joint_motions if each.is_scalar]
    for motion in scalar:
        assert limits[written.joints[motion.joint.name]] == (motion.lower, motion.upper)
    for share in (0.0, 1.0, 1.0):
        posed = {each.joint.name: share * float(random.uniform(-1.0, 1.0)) for each in scalar}
        full = complete_positions(tree.joint_motions, posed)
        moved = {
            written.joints[name]: each for name, each in full.items() if name in written.joints
        }
        expected, found = forward_kinematics(robot, full), forward_kinematics(again, moved)
        for link, name in written.links.items():
            if link in expected:
                assert np.abs(expected[link] - found[name]).max() < EXACT, link


@pytest.mark.parametrize("path", REAL)
def test_real_robots_come_back(path: Path, tmp_path: Path) -> None:
    robot = read_robot(path)
    target = tmp_path / "robot.sdf"
    written, diagnostics = write(robot, target, SdfOptions(meshes="keep"))
    again = read_robot(target, diagnostics=Diagnostics())
    assert_same(robot, again, written)
    added = 0.001 * sum(each.code == "sdf-small-mass" for each in diagnostics)
    assert math.isclose(again.total_mass(), robot.total_mass() + added, rel_tol=1e-12)
    assert {link.name for link in robot.links} - {"world"} <= written.links.keys()


@pytest.mark.parametrize("path", [each for each in REAL if "icub" not in str(each.id)][:5])
def test_lumped_robots_keep_names_and_masses(path: Path, tmp_path: Path) -> None:
    robot = read_robot(path)
    target = tmp_path / "robot.sdf"
    options = SdfOptions(meshes="keep", fixed_joints="lump")
    written, diagnostics = write(robot, target, options)
    again = read_robot(target, diagnostics=Diagnostics())
    assert_same(robot, again, written)
    added = 0.001 * sum(each.code == "sdf-small-mass" for each in diagnostics)
    assert math.isclose(again.total_mass(), robot.total_mass() + added, rel_tol=1e-12)
    moving = [each for each in plan_tree(again, Diagnostics()).joint_motions if each.moves]
    heavy = [link for link in again.links if link.inertial is not None]
    assert len(heavy) <= len(moving) + 2


@pytest.mark.parametrize("name", ["cassie_v2", "cassie", "cassie_reduced"])
def test_models_of_sdf_written_anew_stay_what_they_are(name: str, tmp_path: Path) -> None:
    """Cassie has loops, springs, and links away from their joints."""
    (path,) = ROOT.glob(f"cassie*/**/{name}.sdf")
    robot = read_robot(path, diagnostics=Diagnostics())
    target = tmp_path / "robot.sdf"
    written, diagnostics = write(robot, target, SdfOptions(style="plain", meshes="keep"))
    repaired = {each.subject for each in diagnostics if each.code == "sdf-inertia-repaired"}
    again = read_robot(target, diagnostics=Diagnostics())
    assert_same(robot, again, written)
    assert {each.name: each.type for each in again.joints} == {
        each.name: each.type for each in robot.joints
    }
    assert {(each.name, each.type, each.link1, each.link2) for each in again.loops} == {
        (each.name, each.type, each.link1, each.link2) for each in robot.loops
    }
    masses = {each.name: each.inertial for each in again.links if each.inertial}
    for link in robot.links:
        if link.inertial is not None and link.name not in repaired:
            found = masses[link.name]
            assert (found.mass, found.inertia) == (link.inertial.mass, link.inertial.inertia)


@pytest.mark.parametrize("least", [1e-13, 1e-12, 3e-12])
def test_thin_inertias_along_other_axes_are_taken(least: float, tmp_path: Path) -> None:
    """libsdformat computes principal moments by a formula whose rounding makes small ones of turned
    tensors negative. Such a tensor is made thicker by a ten-millionth of its largest moment."""
    random = np.random.default_rng(1)
    links, tensors = "", []
    for place in range(8):
        axes, _ = np.linalg.qr(random.normal(size=(3, 3)))
        tensors.append((axes * (least, 1e-4, 1e-4)) @ axes.T)
        (a, d, e), (_, b, f), (_, _, c) = tensors[-1].tolist()
        links += (
            f'<link name="l{place}"><inertial><mass value="1"/><inertia ixx="{a!r}" iyy="{b!r}" '
            f'izz="{c!r}" ixy="{d!r}" ixz="{e!r}" iyz="{f!r}"/></inertial></link>\n'
        )
        if place:
            links += (
                f'<joint name="j{place}" type="continuous"><parent link="l0"/>'
                f'<child link="l{place}"/></joint>\n'
            )
    source, target = tmp_path / "rods.urdf", tmp_path / "rods.sdf"
    source.write_text(f'<robot name="rods">{links}</robot>')
    write(read_robot(source), target, SdfOptions())
    for link, tensor in zip(read_robot(target).links, tensors, strict=True):
        assert link.inertial is not None
        assert np.abs(tensor_of(link.inertial.inertia) - tensor).max() < 2e-11
