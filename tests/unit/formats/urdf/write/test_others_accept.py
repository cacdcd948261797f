# SPDX-License-Identifier: GPL-3.0-or-later
"""What others read of a robot, they read of what is written of it, in both styles: urdfdom (as
check_urdf, and in Pinocchio), yourdfpy and MuJoCo. Frames agree to 1e-12."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
import pytest
import yourdfpy

import urdf_importer
from support.readable_robots import RTB
from support.real_robots import descriptions, name_of
from urdf_importer import Robot, UrdfOptions, write_urdf
from urdf_importer.core.model import Mesh

STYLES = ("keep", "plain")
SAMPLE = descriptions()[::8]
EVERY = (*descriptions(), *sorted(RTB.rglob("*.urdf")))
ALL = [pytest.param(path, marks=pytest.mark.slow, id=name_of(path)) for path in EVERY]
FEW = [pytest.param(path, id=name_of(path)) for path in SAMPLE]
EXACT = 1e-12
CHECK_URDF = os.environ.get("CHECK_URDF", "")

Reading = dict[str, Any]
"""What a reader made of a file: names -> numbers."""


def read_pinocchio(path: Path) -> Reading:
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    random = np.random.default_rng(3)
    found: Reading = {
        "lower": model.lowerPositionLimit,
        "upper": model.upperPositionLimit,
        "velocity": model.velocityLimit,
        "effort": model.effortLimit,
    }
    positions = pin.integrate(model, pin.neutral(model), random.uniform(-1.0, 1.0, model.nv))
    pin.framesForwardKinematics(model, data, positions)
    for frame, place in zip(model.frames, data.oMf, strict=True):
        found[f"frame {frame.name} {frame.type}"] = place.homogeneous
    for name, inertia in zip(model.names, model.inertias, strict=True):
        found[f"inertia {name}"] = inertia.matrix()
    return found


def read_yourdfpy(path: Path) -> Reading:
    options = {"load_meshes": False, "build_scene_graph": True, "mesh_dir": str(path.parent)}
    read = yourdfpy.URDF.load(str(path), **options)
    found: Reading = {}
    for link in read.robot.links:
        found[f"frame {link.name}"] = read.get_transform(link.name)
        if link.inertial is not None:
            found[f"mass {link.name}"] = np.array(link.inertial.mass or 0.0)
    for joint in read.robot.joints:
        limit = joint.limit
        if limit is not None:
            numbers = (limit.lower, limit.upper, limit.effort, limit.velocity)
            found[f"limit {joint.name}"] = np.array([each or 0.0 for each in numbers])
    return found


def read_mujoco(path: Path) -> Reading:
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    found: Reading = {"range": model.jnt_range, "mass": model.body_mass}
    for body in range(model.nbody):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, body)
        found[f"frame {name}"] = np.append(data.xpos[body], data.xmat[body])
    return found


READERS: dict[str, Callable[[Path], Reading]] = {
    "pinocchio": read_pinocchio,
    "yourdfpy": read_yourdfpy,
    "mujoco": read_mujoco,
}


def bare(robot: Robot) -> bool:
    """Whether it names no meshes: MuJoCo wants them all, as STL."""
    return not any(
        isinstance(shape.geometry, Mesh)
        for link in robot.links
        for shape in (*link.visuals, *link.collisions)
    )


def attempt(read: Callable[[Path], Reading], path: Path) -> Reading | None:
    """What a reader makes of a file; None where it refuses it."""
    try:
        return read(path)
    except Exception:  # noqa: BLE001 Each reader has errors of its own.
        return None


def check(path: Path, folder: Path, style: str) -> None:
    """A reader that took the source takes what was written, with the same numbers."""
    try:
        robot = urdf_importer.read_robot(path)
    except urdf_importer.ReadError:
        return
    # Without meshes for all of them: their places are tested elsewhere, and MuJoCo reads few.
    bones = urdf_importer.core.reshape.strip(robot, ["visuals", "collisions"])
    before = write_urdf(bones, folder / "before.urdf", options=UrdfOptions(style="plain")).path
    after = write_urdf(
        urdf_importer.read_robot(before), folder / "after.urdf", options=UrdfOptions(style=style)
    ).path
    written = write_urdf(
        robot, folder / "whole.urdf", options=UrdfOptions(style=style, meshes="keep")
    ).path
    assert bare(bones)
    for name, read in READERS.items():
        pair = (before, after) if name == "mujoco" else (path, written)
        wanted, found = (attempt(read, each) for each in pair)
        if wanted is None:
            continue
        assert found is not None, f"{name} refuses what was written"
        assert found.keys() == wanted.keys()
        for key, value in wanted.items():
            np.testing.assert_allclose(found[key], value, rtol=EXACT, atol=EXACT, err_msg=key)


@pytest.mark.filterwarnings("ignore")  # What the readers think of others' files is theirs.
@pytest.mark.parametrize("path", [*FEW, *ALL])
def test_others_see_the_same(path: Path, tmp_path: Path) -> None:
    for style in STYLES:
        check(path, tmp_path, style)


@pytest.mark.skipif(not CHECK_URDF, reason="CHECK_URDF names no check_urdf (tools/get-urdfdom)")
@pytest.mark.parametrize("path", [*FEW, *ALL])
def test_urdfdom_takes_what_it_took(path: Path, tmp_path: Path) -> None:
    try:
        robot = urdf_importer.read_robot(path)
    except urdf_importer.ReadError:
        return
    wanted = run_check(path)
    for style in STYLES:
        written = write_urdf(
            robot, tmp_path / f"{style}.urdf", options=UrdfOptions(style=style)
        ).path
        if wanted is not None:
            assert run_check(written) == wanted
    complete = UrdfOptions(style="plain", complete=True)
    written = write_urdf(robot, tmp_path / "complete.urdf", options=complete).path
    if wanted is not None:
        assert run_check(written) == wanted


def run_check(path: Path) -> str | None:
    """What check_urdf says of the tree; None where it refuses the file, or hangs on it."""
    try:
        done = subprocess.run(
            [CHECK_URDF, str(path)], capture_output=True, text=True, timeout=300, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else None
