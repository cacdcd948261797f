# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots as USD with physics, judged by usd-core: joints against forward kinematics, masses against
Pinocchio, shapes against their meshes."""

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio
import pytest

from support.paths import ROOT
from support.real_robots import descriptions
from support.usd_machines import (
    Machine,
    draw_positions,
    turn_of,
    worst_of_joints,
    worst_of_places,
    write_all,
)
from urdf_importer import read_robot

SAMPLES = sorted(path for path in (ROOT / "sample_urdfs").glob("*.urdf") if path.stem != "messy")
FEW = ("panda", "solo12", "tiago_dual", "go2")
REAL = [path for path in descriptions() if path.stem != "ur3"]  # which has no links
WITHIN = 1e-6


def check(paths: list[Path], folder: Path) -> None:
    machines = write_all([read_robot(path) for path in paths], folder)
    for path, machine in zip(paths, machines, strict=True):
        assert machine.said["faults"] == [], path
        assert machine.said["up"] == "Z" and machine.said["units"] == [1.0, 1.0]
        assert len(machine.said["bodies"]) > 0
        assert worst_of_places(machine) < WITHIN, path
        assert worst_of_joints(machine, None) < WITHIN, path
        for seed in range(3):
            positions = draw_positions(machine.robot, seed)
            assert worst_of_joints(machine, positions) < WITHIN, path
        check_masses(machine, path)
        check_meshes(machine, path)


def check_masses(machine: Machine, path: Path) -> None:
    """Bodies that are fixed to one another weigh together what Pinocchio makes of them."""
    try:
        truth = pinocchio.buildModelFromUrdf(str(path))
    except ValueError:
        # Pinocchio takes no joint that follows one that is not there, and no second root.
        return
    joints, bodies = machine.shown("joints"), machine.shown("bodies")
    assumed = {
        item.subject
        for item in machine.written.diagnostics
        if item.code in ("usd-mass-assumed", "usd-inertia-left-out")
    }
    names = {body["path"]: name for name, body in bodies.items()}
    fixed: dict[str, list[str]] = {}
    for joint in joints.values():
        if joint["kind"] == "PhysicsFixedJoint" and joint["physics:body0"][0] in names:
            one, other = (joint[f"physics:body{end}"][0] for end in (0, 1))
            fixed.setdefault(names[one], []).append(names[other])
    for name, joint in joints.items():
        if not truth.existJointName(name) or joint["kind"] == "PhysicsFixedJoint":
            continue
        group = [names[joint["physics:body1"][0]]]
        for each in group:
            group += fixed.get(each, [])
        if assumed & set(group) or any("physics:mass" not in bodies[each] for each in group):
            continue
        wanted = truth.inertias[truth.getJointId(name)]
        home = np.linalg.inv(np.array(bodies[group[0]]["world"]))
        found = pinocchio.Inertia.Zero()
        for each in group:
            place = home @ np.array(bodies[each]["world"])
            found += pinocchio.SE3(place[:3, :3], place[:3, 3]).act(inertia_of(bodies[each]))
        scale = wanted.mass * (1.0 + np.linalg.norm(wanted.lever)) ** 2
        assert found.mass == pytest.approx(wanted.mass, rel=1e-6), name
        assert np.abs(found.lever - wanted.lever).max() < 1e-6, name
        assert np.abs(found.inertia - wanted.inertia).max() < 1e-6 * scale, name


def inertia_of(body: dict[str, Any]) -> Any:
    turn = turn_of(body["physics:principalAxes"])
    tensor = turn @ np.diag(body["physics:diagonalInertia"]) @ turn.T
    return pinocchio.Inertia(
        body["physics:mass"], np.array(body["physics:centerOfMass"]), 0.5 * (tensor + tensor.T)
    )


def check_meshes(machine: Machine, path: Path) -> None:
    assert all(each["whole"] for each in machine.said["meshes"].values()), path


def test_samples(tmp_path: Path) -> None:
    check(SAMPLES, tmp_path)


def test_a_few(tmp_path: Path) -> None:
    check([next(path for path in REAL if path.stem == stem) for stem in FEW], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(6))
def test_all(start: int, tmp_path: Path) -> None:
    """Some at a time, so that usd-core starts once for all of these."""
    check(REAL[start::6], tmp_path)
