# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports of robots of others, and what is asked of them: valid, where Pinocchio says, as heavy as
it says."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest

from support.pinocchio_truth import Truth
from support.real_robots import descriptions
from support.webots.proto_check import Checked, check
from urdf_importer import Diagnostics, Robot, WebotsOptions, export_robot, read_robot
from urdf_importer.core.kinematics.motion import follow_to_masters
from urdf_importer.core.kinematics.tree import KinematicTree, plan_tree
from urdf_importer.formats.webots.write import ExportResult

# It holds no links at all.
EMPTY = "ur3"
ROBOTS = [path for path in descriptions() if path.stem != EMPTY]
CLOSE = 1e-6
Matrix = Any
# What the checker finds although it stands so in the description.
UNREAL = "break the triangle inequality"


class Exported:
    def __init__(self, path: Path, folder: Path, **options: Any) -> None:
        self.diagnostics = Diagnostics(str(path))
        self.robot: Robot = read_robot(path, diagnostics=self.diagnostics)
        self.proto = folder / "Exported.proto"
        self.result = self.export(WebotsOptions(**options))
        self.tree: KinematicTree = plan_tree(self.robot, Diagnostics())

    def export(self, options: WebotsOptions) -> ExportResult:
        """From the description, without Blender."""
        return export_robot(self.robot, self.proto, options=options, diagnostics=self.diagnostics)

    def codes(self, code: str) -> set[str]:
        return {item.subject for item in self.diagnostics if item.code == code}

    def check(self, positions: Mapping[str, float]) -> Checked:
        """At positions of the description's joints."""
        values: dict[str, float | list[float]] = {}
        for axis in self.result.axes:
            if axis.joint in positions and axis.leader in ("", axis.joint):
                values[axis.motor.partition("::")[0]] = positions[axis.joint] - axis.offset
        return check(self.proto, values)

    def physics(self, checked: Checked) -> dict[str, Any]:
        """By Solid that holds a link; sensors are Solids to Webots too."""
        holders = {link.solid for link in self.result.links.values()}
        return {name: checked.solids[name]["physics"] for name in sorted(holders)}

    def draw(self, random: np.random.Generator) -> dict[str, float]:
        """A random position of every joint, those that follow another where it says."""
        drawn = {
            motion.joint.name: float(
                random.uniform(
                    -3.0 if motion.lower is None else motion.lower,
                    3.0 if motion.upper is None else motion.upper,
                )
            )
            for motion in self.tree.joint_motions
            if motion.is_scalar
        }
        for name, mimic in follow_to_masters(self.tree.joint_motions).items():
            drawn[name] = mimic.multiplier * drawn[mimic.joint] + mimic.offset
        return drawn


def find(stem: str) -> Path:
    return next(path for path in ROBOTS if path.stem == stem)


def assert_is_what_it_was(path: Path, tmp_path: Path, kind: type[Exported] = Exported) -> None:
    exported = kind(path, tmp_path)
    checked = exported.check({})
    assert checked.errors == ()
    assert [text for text in checked.warnings if UNREAL not in text] == []
    assert_every_link_is_there(exported, dropped=exported.codes("webots-combined-joint"))
    truth = Truth.of_file(path)
    random = np.random.default_rng(7)
    for _ in range(3):
        assert_frames(exported, truth, exported.draw(random))
    assert_motors(exported, checked)
    if any(physics is None for physics in exported.physics(checked).values()):
        # The description fixes it to the world, with what is fixed to it.
        assert exported.tree.links[0].name == "world"
        exported = kind(path, tmp_path, base="free")
        checked = exported.check({})
    assert_masses(exported, path, checked)


def assert_every_link_is_there(exported: Exported, dropped: set[str]) -> None:
    names = {link.name for link in exported.robot.links}
    assert set(exported.result.links) == names - dropped
    for link in exported.robot.links:
        if link.name in dropped:
            assert not (link.visuals or link.collisions or (link.inertial and link.inertial.mass))


def assert_frames(exported: Exported, truth: Truth, positions: Mapping[str, float]) -> None:
    checked = exported.check(positions)
    known = {name: value for name, value in positions.items() if truth.model.existJointName(name)}
    expected = truth.frames(known)
    root = np.linalg.inv(expected[exported.tree.links[0].name])
    for name, link in exported.result.links.items():
        frame = checked.pose(link.solid) @ link.frame
        assert np.abs(frame - root @ expected[name]).max() < CLOSE, name


def link_inertias(path: Path) -> dict[str, tuple[float, Matrix, Matrix]]:
    """Link name -> mass, centre of mass and tensor about it, of links with mass, as Pinocchio reads
    them: of a robot whose fixed joints float, since it keeps one body for what does not move."""
    tree = ElementTree.parse(path)
    for joint in tree.iter("joint"):
        if joint.get("type") == "fixed":
            joint.set("type", "floating")
    model = pin.buildModelFromXML(ElementTree.tostring(tree.getroot(), encoding="unicode"))
    found = {}
    for frame in model.frames:
        if frame.type == pin.FrameType.BODY:
            # Older Pinocchios call it `parent`, newer ones warn of that.
            above = frame.parentJoint if hasattr(frame, "parentJoint") else frame.parent
            body = model.inertias[above]
            if body.mass > 0.0:
                found[frame.name] = (body.mass, np.array(body.lever), np.array(body.inertia))
    return found


def assert_masses(exported: Exported, path: Path, checked: Checked) -> None:
    bodies = link_inertias(path)
    repaired = exported.codes("webots-inertia-repaired") | exported.codes("webots-inertia-assumed")
    total = 0.0
    for name, physics in exported.physics(checked).items():
        assert physics is not None and physics["density"] == -1, name
        total += physics["mass"]
    assert total - invented(exported) == pytest.approx(sum(mass for mass, _, _ in bodies.values()))
    for name, (mass, center, inertia) in bodies.items():
        link = exported.result.links[name]
        physics = checked.solids[link.solid]["physics"]
        turn, offset = link.frame[:3, :3], link.frame[:3, 3]
        # The checker prints nine decimals.
        assert physics["mass"] == pytest.approx(mass, abs=1e-9), name
        assert physics["centerOfMass"][0] == pytest.approx(turn @ center + offset, abs=2e-9), name
        if name not in repaired:
            (a, b, c), (d, e, f) = physics["inertiaMatrix"]
            written = np.array([[a, d, e], [d, b, f], [e, f, c]])
            assert written == pytest.approx(turn @ inertia @ turn.T, rel=1e-6, abs=2e-9), name


def invented(exported: Exported) -> float:
    return 0.001 * len(exported.codes("webots-small-mass"))


def assert_motors(exported: Exported, checked: Checked) -> None:
    """Each joint that moves has its motor, with the description's limits around its position."""
    axes = {axis.joint: axis for axis in exported.result.axes}
    followers = follow_to_masters(exported.tree.joint_motions)
    for motion in exported.tree.joint_motions:
        if not motion.is_scalar:
            continue
        axis = axes.pop(motion.joint.name)
        written = checked.axes[axis.motor]
        low, high = written["min_position"], written["max_position"]
        if motion.lower is None and motion.upper is None and motion.joint.name not in followers:
            assert low == high == 0.0
        elif motion.joint.name not in followers and motion.joint.safety_controller is None:
            assert low == pytest.approx(motion.lower, abs=1.1e-6)
            assert high == pytest.approx(motion.upper, abs=1.1e-6)
        assert low <= written["position"] <= high or low == high == 0.0
    assert axes == {}
