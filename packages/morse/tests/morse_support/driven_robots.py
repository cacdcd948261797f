# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots in the rig profile `morse`, driven by MORSE's actuator and read by its sensor."""

import math
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from morse_support.game_double import Game
from morse_support.morse_runtime import (
    ARMATURE,
    ARMATURE_POSE,
    Runtime,
    mark_component,
    mark_robot,
    start_morse,
)
from support.blender.rigs import assert_frames, shown_frames
from support.paths import ROOT
from support.pinocchio_truth import Truth
from support.real_robots import ROOT as ROBOTS
from urdf_importer import Diagnostics, ImportOptions, ImportResult, forward_kinematics, import_robot
from urdf_importer.core.kinematics.forward import complete_positions
from urdf_importer.core.kinematics.tree import plan_tree
from urdf_importer.core.model import Joint

_SAMPLES = ROOT / "sample_urdfs"
_IIWA = "rtbdata/xacro/kuka_description/kuka_lbr_iiwa/urdf/lbr_iiwa_14_r820.urdf"
PATHS = {
    "panda": ROBOTS / "panda_description/urdf/panda.urdf",
    "ur5": ROBOTS / "ur_description/urdf/ur5_robot.urdf",
    "iiwa": Path(sysconfig.get_paths()["purelib"], _IIWA),
    "pr2": ROBOTS / "pr2_description/urdf/pr2.urdf",
    "talos": ROBOTS / "talos_data/robots/talos_full_v2.urdf",
    "gantry": _SAMPLES / "gantry.urdf",
    "humanoid_arm": _SAMPLES / "humanoid_arm.urdf",
}

METRES = RADIANS = 1e-5
"""As the rig promises: per metre of reach, plus one; MORSE's numbers are of single precision."""

Positions = dict[str, float]
Prepare = Callable[[ImportResult], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Driven:
    """A robot whose root is an empty named `robot`, with MORSE's actuator on each armature that has
    bones, and its sensor below: `arms` and `poses`, by the name of the armature object."""

    result: ImportResult
    truth: Truth
    runtime: Runtime
    arms: dict[str, Any]
    poses: dict[str, Any]

    @property
    def arm(self) -> Any:
        """The actuator, of a robot of one."""
        (found,) = self.arms.values()
        return found

    @property
    def pose(self) -> Any:
        """The sensor, of a robot of one."""
        (found,) = self.poses.values()
        return found

    @property
    def armature(self) -> Any:
        return self.result.armature

    @property
    def turning(self) -> list[str]:
        """Joints that MORSE rotates and that follow no other."""
        return [name for name, joint in self._independent() if joint.type != "prismatic"]

    @property
    def sliding(self) -> list[str]:
        """Joints that MORSE translates and that follow no other."""
        return [name for name, joint in self._independent() if joint.type == "prismatic"]

    def state(self) -> Positions:
        """What all sensors say."""
        return {name: at for pose in self.poses.values() for name, at in pose.get_state().items()}

    def arm_of(self, joint: str) -> Any:
        (found,) = (arm for arm in self.arms.values() if joint in arm.get_joints())
        return found

    def limits(self, joint: str) -> tuple[float, float]:
        """As the description says, without bound where it says none; a follower's are where its
        leader takes it, whatever limits of its own say."""
        (found,) = (j for j in self.result.robot.joints if j.name == joint)
        if found.mimic is not None:
            mimic = found.mimic
            reached = [mimic.multiplier * end + mimic.offset for end in self.limits(mimic.joint)]
            return min(reached), max(reached)
        if found.type == "continuous" or found.limit is None:
            return -math.inf, math.inf
        return float(found.limit.lower or 0.0), float(found.limit.upper or 0.0)

    def choose(self, seed: int, names: list[str]) -> Positions:
        """Random positions within what MORSE and the description both allow."""
        generator = np.random.default_rng(seed)
        chosen = {}
        for name in names:
            lower, upper = zip(
                self.limits(name), self.arm_of(name).get_IK_limits(name), strict=True
            )
            chosen[name] = float(generator.uniform(max(lower), min(upper)))
        return chosen

    def set(self, positions: Mapping[str, float]) -> None:
        """One frame in which MORSE's services set these positions."""
        self.runtime.frame(*(self._service(name, value) for name, value in positions.items()))

    def assert_stands(self, slid: Mapping[str, float] | None = None) -> Positions:
        """Every link's empty stands where the positions that MORSE's sensors report put it, by our
        forward kinematics and by Pinocchio's. Where MORSE misreads what slides, `slid` says where
        it is. Returns the positions of all joints, also of those that follow others."""
        state = self.state()
        given = {name: state[name] for name, _ in self._independent()} | dict(slid or {})
        motions = plan_tree(self.result.robot, Diagnostics()).joint_motions
        everything = _scalars(complete_positions(motions, given))
        root = np.array(self.armature.matrix_world)
        shown = {n: np.linalg.solve(root, f) for n, f in shown_frames(self.result.links).items()}
        limits = {"metres": METRES, "radians": RADIANS}
        assert_frames(shown, forward_kinematics(self.result.robot, everything), **limits)
        frames = self.truth.frames(everything)
        known = {name: frame for name, frame in shown.items() if name in frames}
        assert len(known) >= len(shown) - 1
        assert_frames(known, {name: frames[name] for name in known}, **limits)
        return everything

    def _service(self, joint: str, value: float) -> Callable[[], object]:
        arm, slides = self.arm_of(joint), joint in self.sliding
        return lambda: (arm.set_translation if slides else arm.set_rotation)(joint, value)

    def _independent(self) -> Iterator[tuple[str, Joint]]:
        joints = {joint.name: joint for joint in self.result.robot.joints}
        for arm in self.arms.values():
            yield from ((n, joints[n]) for n in arm.get_joints() if not joints[n].mimic)


def _scalars(positions: Mapping[str, Any]) -> Positions:
    return {name: float(value) for name, value in positions.items()}


def import_for_morse(path: Path) -> ImportResult:
    """A robot without its shapes, in the rig profile `morse`."""
    options = ImportOptions(profile="morse", visuals=False, collisions=False, inertials=False)
    return import_robot(path, options=options)


def add_empty(name: str, parent: Any = None) -> Any:
    made = bpy.data.objects.new(name, None)
    made.rotation_mode = "QUATERNION"
    bpy.context.scene.collection.objects.link(made)
    made.parent = parent
    return made


def add_ik_target(armature: Any, bone: str) -> Any:
    """An empty at the tail of a bone, and the constraint, set as MORSE's builder sets them."""
    target = add_empty(f"ik_target.robot.{armature.name}.{bone}")
    rest = armature.data.bones[bone]
    target.matrix_world = armature.matrix_world @ rest.matrix_local
    target.location = armature.matrix_world @ rest.tail_local
    target.scale = (0.01, 0.01, 0.01)
    constraint = armature.pose.bones[bone].constraints.new("IK")
    constraint.ik_type = "DISTANCE"
    constraint.use_rotation = True
    constraint.use_tail = True
    constraint.target = target
    return target


@contextmanager
def drive(
    morse_root: Path,
    path: Path,
    prepare: Prepare = lambda result: None,
    finish: Prepare = lambda result: None,
) -> Iterator[Driven]:
    """The robot in the current scene, and MORSE running. `prepare` may change the scene before the
    actuators and sensors are there, `finish` before MORSE starts."""
    result = import_for_morse(path)
    root = add_empty("robot")
    result.armature.parent = root
    mark_robot(root)
    prepare(result)
    armatures = [item for item in root.children_recursive if _has_bones(item)]
    sensors = {}
    for armature in armatures:
        mark_component(armature, ARMATURE)
        sensors[armature.name] = add_empty(f"{armature.name}.pose", armature)
        mark_component(sensors[armature.name], ARMATURE_POSE)
    finish(result)
    with start_morse(morse_root, Game()) as runtime:
        yield Driven(
            result=result,
            truth=Truth.of_file(path),
            runtime=runtime,
            arms={item.name: runtime.components[item.name] for item in armatures},
            poses={name: runtime.components[item.name] for name, item in sensors.items()},
        )


def _has_bones(item: Any) -> bool:
    return item.type == "ARMATURE" and len(item.data.bones) > 0
