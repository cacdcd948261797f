# SPDX-License-Identifier: GPL-3.0-or-later
"""Fourteen arms of others for inverse kinematics, with targets that they can reach.

Protocol: positions uniform within limits (turns without bounds within half a turn), their frame by
Pinocchio; an answer counts where Pinocchio puts it within 1e-4 m and 1e-3 rad, inside limits.
"""

import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from support.pinocchio_truth import Truth
from support.real_robots import ROOT
from urdf_importer import Robot, read_robot
from urdf_importer.core.kinematics.tips import moving_joints
from urdf_importer.core.kinematics.tree import retrace_tree

_RTB = Path(sysconfig.get_paths()["purelib"], "rtbdata/xacro")
NEAR, TURNED = 1e-4, 1e-3


@dataclass(frozen=True)
class Arm:
    """A chain of a real robot from `base` to `link`."""

    name: str
    path: Path
    base: str
    link: str

    @cached_property
    def robot(self) -> Robot:
        return read_robot(self.path)

    @cached_property
    def truth(self) -> Truth:
        return Truth.of_file(self.path)

    @cached_property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Joint -> where its positions are drawn."""
        motions = moving_joints(retrace_tree(self.robot), self.base, self.link)
        return {
            name: (
                -np.pi if motion.lower is None else motion.lower,
                np.pi if motion.upper is None else motion.upper,
            )
            for name, motion in motions.items()
        }

    @cached_property
    def bounds(self) -> dict[str, tuple[float, float]]:
        motions = moving_joints(retrace_tree(self.robot), self.base, self.link)
        return {
            name: (
                -np.inf if motion.lower is None else motion.lower,
                np.inf if motion.upper is None else motion.upper,
            )
            for name, motion in motions.items()
        }

    def place(self, positions: Mapping[str, Any]) -> Any:
        """(4, 4): where Pinocchio says that the link is, in the base's frame."""
        frames = self.truth.frames(positions)
        base = frames.get(self.base)
        return frames[self.link] if base is None else np.linalg.solve(base, frames[self.link])

    def draw(self, count: int, seed: int = 1) -> Iterator[tuple[dict[str, float], Any]]:
        """Positions within limits, and the frame of the link there."""
        chance = np.random.default_rng(seed)
        for _ in range(count):
            positions = {
                name: float(chance.uniform(*limits)) for name, limits in self.ranges.items()
            }
            yield positions, self.place(positions)

    def reaches(self, positions: Mapping[str, Any], target: Any) -> bool:
        """Whether positions are an answer, in the eyes of Pinocchio."""
        end = self.place(positions)
        turn = np.clip((np.trace(end[:3, :3].T @ target[:3, :3]) - 1.0) / 2.0, -1.0, 1.0)
        inside = all(
            lower <= positions[name] <= upper for name, (lower, upper) in self.bounds.items()
        )
        near = np.linalg.norm(end[:3, 3] - target[:3, 3]) <= NEAR
        return bool(inside and near and np.arccos(turn) <= TURNED)


def _erd(name: str, path: str, base: str, link: str) -> Arm:
    return Arm(name, ROOT / path, base, link)


_IIWA = _RTB / "kuka_description/kuka_lbr_iiwa/urdf/lbr_iiwa_14_r820.urdf"
_IRB = _RTB / "abb_irb140_description/urdf/irb140.urdf"
ARMS = (
    _erd("panda", "panda_description/urdf/panda.urdf", "panda_link0", "panda_hand"),
    _erd("ur5", "ur_description/urdf/ur5_robot.urdf", "base_link", "ee_link"),
    Arm("iiwa14", _IIWA, "base_link", "tool0"),
    _erd("baxter", "baxter_description/urdf/baxter.urdf", "torso", "left_gripper"),
    _erd("pr2", "pr2_description/urdf/pr2.urdf", "torso_lift_link", "r_gripper_palm_link"),
    _erd("jaco2", "kinova_description/robots/kinova.urdf", "j2s6s200_link_base", "j2s6s200_link_6"),
    _erd("talos", "talos_data/robots/talos_full_v2.urdf", "torso_2_link", "arm_left_7_link"),
    _erd("xarm7", "xarm_description/urdf/xarm7.urdf", "link_base", "link7"),
    _erd("z1", "z1_description/urdf/z1.urdf", "link00", "link06"),
    Arm("irb140", _IRB, "base_link", "link_6"),
    _erd("tiago", "tiago_description/robots/tiago.urdf", "base_footprint", "arm_7_link"),
    _erd("centauro", "centauro_description/urdf/centauro.urdf", "torso_2", "arm1_8"),
    _erd("icub", "icub_description/robots/icub.urdf", "chest", "l_hand"),
    _erd(
        "tiago_pro",
        "tiago_pro_description/robots/tiago_pro.urdf",
        "base_footprint",
        "arm_left_7_link",
    ),
)
