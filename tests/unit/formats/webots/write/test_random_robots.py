# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever a description holds, the PROTO is valid and the links stand where they shall."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from support.strategies import Position, Wishes, robots_with_positions
from support.webots.proto_check import Checked, check
from urdf_importer import Diagnostics, Robot, WebotsOptions, export_robot
from urdf_importer.core.kinematics.forward import place_links
from urdf_importer.core.kinematics.tree import plan_tree
from urdf_importer.formats.webots.write import ExportResult

ODD = Wishes(
    most_links=12, missing_limits=True, swapped_limits=True, awkward_names=True, mimic_rings=True
)
CHOICES = st.fixed_dictionaries(
    {
        "fixed_joints": st.sampled_from(("keep", "merge")),
        "base": st.sampled_from(("auto", "fixed", "free")),
        "multi_axis_joints": st.booleans(),
        "inertia": st.sampled_from(("keep", "clamp", "volume")),
    }
)


def export(robot: Robot, folder: str, options: WebotsOptions) -> ExportResult:
    return export_robot(
        robot, Path(folder) / "Random.proto", options=options, diagnostics=Diagnostics()
    )


def assert_frames(
    robot: Robot, result: ExportResult, checked: Checked, positions: Mapping[str, Position]
) -> None:
    assert checked.problems == ()
    expected = place_links(plan_tree(robot, Diagnostics()), positions)
    root = next(name for name, link in result.links.items() if link.solid == result.robot)
    base = expected[root] @ np.linalg.inv(result.links[root].frame)
    for name, link in result.links.items():
        frame = checked.pose(link.solid) @ link.frame
        assert np.abs(frame - np.linalg.inv(base) @ expected[name]).max() < 1e-7, name


@settings(max_examples=60)
@given(st.one_of(robots_with_positions(), robots_with_positions(ODD)), CHOICES)
def test_random_robots_stand_where_they_shall(
    drawn: tuple[Robot, dict[str, Position]], choices: dict[str, str]
) -> None:
    robot, positions = drawn
    texts = {
        name: ",".join(map(repr, position if isinstance(position, tuple) else (position,)))
        for name, position in positions.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        started = WebotsOptions(positions=tuple(texts.items()), **choices)
        result = export(robot, folder, started)
        checked = check(result.proto, initial=True)
        assert_frames(robot, result, without_place(checked, result), valid(robot, positions))
        again = export(robot, folder, WebotsOptions(**choices))
        assert_frames(robot, again, without_place(check(again.proto), again), {})
        assert {link.name for link in robot.links} - set(again.links) <= may_go(robot, again)


def valid(robot: Robot, positions: Mapping[str, Position]) -> dict[str, Position]:
    """The positions with those of all other joints at the place nearest to zero that they have."""
    found = dict(positions)
    for motion in plan_tree(robot, Diagnostics()).joint_motions:
        if motion.is_scalar and motion.mimic is None:
            given = positions.get(motion.joint.name, 0.0)
            assert isinstance(given, float)
            found[motion.joint.name] = motion.nearest_valid(given)
    return found


def may_go(robot: Robot, result: ExportResult) -> set[str]:
    """Links that a combined joint swallows, and the empty root above a floating robot."""
    tree = plan_tree(robot, Diagnostics())
    root = tree.links[0]
    below = zip(tree.motions, tree.parents, strict=True)
    floats = [motion.kind for motion, parent in below if motion and parent == 0] == ["floating"]
    empty = not (root.visuals or root.collisions or (root.inertial and root.inertial.mass))
    world = {root.name} if floats and empty else set()
    combined = {i.subject for i in result.diagnostics if i.code == "webots-combined-joint"}
    return combined | world


def without_place(checked: Checked, result: ExportResult) -> Checked:
    """Poses as seen from the Robot node."""
    away = np.linalg.inv(checked.pose(result.robot))
    for solid in checked.tree["solids"]:
        solid["pose"] = (away @ np.array(solid["pose"])).tolist()
    return checked
