# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots as USD with physics, read back by usd-core, and what must be true of them."""

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from support.paths import ROOT
from urdf_importer import EngineOptions, Robot, export_robot, forward_kinematics
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.formats.engines.export import EngineExport

Array = NDArray[np.float64]
SESSION = ROOT / "tests" / "support" / "usd_physics_session.py"
PHYSICS = EngineOptions(usd="physics", forward="x")


@dataclass(frozen=True, kw_only=True, eq=False)
class Machine:
    """A robot, what was written of it, and what usd-core reads there."""

    robot: Robot
    written: EngineExport
    said: dict[str, Any]

    def shown(self, part: str) -> dict[str, dict[str, Any]]:
        """Name in the description -> prim, of bodies or joints."""
        return {
            each["shown"] or path.rsplit("/", 1)[1]: each | {"path": path}
            for path, each in self.said[part].items()
        }


def write_all(
    robots: Iterable[Robot], folder: Path, options: EngineOptions = PHYSICS, suffix: str = "usda"
) -> list[Machine]:
    """Writes robots and reads them in one process of usd-core."""
    made = []
    for number, robot in enumerate(robots):
        place = folder / str(number)
        place.mkdir(parents=True)
        written = export_robot(robot, place / f"robot.{suffix}", options=options)
        assert isinstance(written, EngineExport)
        made.append((robot, written))
    said = read_files([written.path for _, written in made], folder / "said.json")
    return [
        Machine(robot=robot, written=written, said=each)
        for (robot, written), each in zip(made, said, strict=True)
    ]


def read_files(paths: Iterable[Path], output: Path) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(SESSION), str(output), *map(str, paths)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(output.read_text())
    return found


def frame_of(prim: Mapping[str, Any], end: int) -> Array:
    """A joint's frame (4, 4) in one of its bodies."""
    result = np.eye(4)
    result[:3, :3] = turn_of(prim[f"physics:localRot{end}"])
    result[:3, 3] = prim[f"physics:localPos{end}"]
    return result


def turn_of(quaternion: list[float]) -> Array:
    """(3, 3) of a quaternion with its real part first (Rodrigues)."""
    w, x, y, z = np.array(quaternion) / np.linalg.norm(quaternion)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turn: Array = np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross
    return turn


def motion_of(prim: Mapping[str, Any], position: Any) -> Array:
    """What a joint does, (4, 4) in its own frame, by what USD says such joints do."""
    result = np.eye(4)
    kind = prim["kind"]
    if kind in ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint"):
        index = "XYZ".index(prim["physics:axis"])
        if kind == "PhysicsPrismaticJoint":
            result[index, 3] = position
        else:
            half = 0.5 * position
            axis = np.eye(3)[index]
            result[:3, :3] = turn_of([np.cos(half), *(np.sin(half) * axis)])
    elif kind == "PhysicsJoint":
        x, y, yaw = position
        result[:3, :3] = turn_of([np.cos(0.5 * yaw), 0.0, 0.0, np.sin(0.5 * yaw)])
        result[:2, 3] = x, y
    elif kind == "PhysicsSphericalJoint":
        x, y, z, w = position
        result[:3, :3] = turn_of([w, x, y, z])
    return result


def draw_positions(robot: Robot, seed: int) -> dict[str, Any]:
    """Positions of joints that follow no other; of joints that move a body freely, none."""
    generator = np.random.default_rng(seed)
    drawn: dict[str, Any] = {}
    for motion in retrace_tree(robot).joint_motions:
        if motion.is_scalar and motion.mimic is None:
            low = -2.0 if motion.lower is None else max(motion.lower, -2.0)
            high = 2.0 if motion.upper is None else min(motion.upper, 2.0)
            drawn[motion.joint.name] = float(generator.uniform(low, high))
        elif motion.kind == "planar":
            drawn[motion.joint.name] = tuple(generator.uniform(-1.0, 1.0, 3))
        elif motion.kind == "spherical":
            turn = generator.normal(size=4)
            drawn[motion.joint.name] = tuple(turn / np.linalg.norm(turn))
    return drawn


def follow(prims: Mapping[str, Mapping[str, Any]], positions: dict[str, Any]) -> dict[str, Any]:
    """The positions with those of followers, as the words of PhysX and of Newton both say them."""
    paths = {prim["path"]: name for name, prim in prims.items()}
    complete = dict(positions)
    for name, prim in prims.items():
        if "newton:mimicJoint" not in prim:
            continue
        source = paths[prim["newton:mimicJoint"][0]]
        angle = prim["kind"] == "PhysicsRevoluteJoint"
        led = prims[source]["kind"] == "PhysicsRevoluteJoint"
        offset = prim["newton:mimicCoef0"]
        own = np.radians(offset) if angle else offset
        value = own + prim["newton:mimicCoef1"] * positions.get(source, 0.0)
        start = f"physxMimicJoint:rot{prim['physics:axis']}:"
        given = np.degrees(positions.get(source, 0.0)) if led else positions.get(source, 0.0)
        physx = -prim[f"{start}gearing"] * given - prim[f"{start}offset"]
        physx = np.radians(physx) if angle else physx
        assert abs(physx - value) < 1e-5 * (1.0 + abs(value)), name
        assert prim[f"{start}referenceJoint"] == prim["newton:mimicJoint"]
        assert prim[f"{start}referenceJointAxis"] == "rot" + prims[source]["physics:axis"]
        complete[name] = value
    return complete


def worst_of_joints(machine: Machine, positions: Mapping[str, Any] | None) -> float:
    """How far bodies are from their links, per reach, when joints take them from body to body;
    at zero without `positions`, where followers are there too."""
    joints, bodies = machine.shown("joints"), machine.shown("bodies")
    robot = machine.robot
    if positions is None:
        still = tuple(replace(joint, mimic=None) for joint in robot.joints)
        wanted, complete = forward_kinematics(replace(robot, joints=still)), {}
    else:
        complete = follow(joints, dict(positions))
        wanted = forward_kinematics(robot, positions)
    names = {body["path"]: name for name, body in bodies.items()}
    hung = {joint["physics:body1"][0] for joint in joints.values() if _is_in_tree(joint)}
    frames = {path: wanted[name] for path, name in names.items() if path not in hung}
    frames[machine.said["root"]] = np.eye(4)
    worst = 0.0
    for name, joint in joints.items():
        parent, child = joint["physics:body0"][0], joint["physics:body1"][0]
        zero = (0.0, 0.0, 0.0, 1.0) if joint["kind"] == "PhysicsSphericalJoint" else (0.0,) * 3
        position = complete.get(name, zero if joint["kind"] in _SEVERAL else 0.0)
        found = frames[parent] @ frame_of(joint, 0) @ motion_of(joint, position)
        frames[child] = found @ np.linalg.inv(frame_of(joint, 1))
        target = wanted[names[child]]
        reach = 1.0 + float(np.linalg.norm(target[:3, 3]))
        worst = max(worst, float(np.abs(frames[child] - target).max()) / reach)
    return worst


_SEVERAL = ("PhysicsJoint", "PhysicsSphericalJoint")


def _is_in_tree(joint: Mapping[str, Any]) -> bool:
    return joint["kind"] == "PhysicsJoint" or not joint.get("physics:excludeFromArticulation")


def worst_of_places(machine: Machine) -> float:
    """How far bodies and both ends of joints stand from where they are at zero, per reach."""
    robot = machine.robot
    still = tuple(replace(joint, mimic=None) for joint in robot.joints)
    wanted = forward_kinematics(replace(robot, joints=still))
    worlds = {path: np.array(each["world"]) for path, each in machine.said["bodies"].items()}
    worlds[machine.said["root"]] = np.eye(4)
    worst = 0.0
    for name, body in machine.shown("bodies").items():
        reach = 1.0 + float(np.linalg.norm(wanted[name][:3, 3]))
        worst = max(worst, float(np.abs(worlds[body["path"]] - wanted[name]).max()) / reach)
    for joint in machine.said["joints"].values():
        one, other = (
            worlds[joint[f"physics:body{end}"][0]] @ frame_of(joint, end) for end in (0, 1)
        )
        reach = 1.0 + float(np.linalg.norm(one[:3, 3]))
        worst = max(worst, float(np.abs(one - other).max()) / reach)
    return worst
