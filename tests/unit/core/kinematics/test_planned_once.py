# SPDX-License-Identifier: GPL-3.0-or-later
"""Each piece of work plans one tree, and nothing in it grows with the square of the robot."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import urdf_importer.core.kinematics.tree
import urdf_importer.core.rig.plan
import urdf_importer.formats.webots.write.plan
from support.big_robots import sliding
from support.source_tree import sources_of
from urdf_importer import export_robot
from urdf_importer.core.model import Robot
from urdf_importer_morse.script import armatures
from urdf_importer_morse.script.export import write_builder_script

PLANNERS = (
    urdf_importer.core.kinematics.tree,
    urdf_importer.core.rig.plan,
    urdf_importer.formats.webots.write.plan,
)


RESHAPING = ("attach", "merge", "mount", "prune", "reroot", "resize", "zero")


BUILDING = ("control", "joints", "mirror", "missing")
MEASURING = (
    "build/blender/links",
    "build/ranges",
    "proof/prove",
    "proof/seen",
    "proof/survey",
    "waypoints/tools",
)
# They work on rigs that stand.
STANDING = (
    "core/blender/standing/mirrored",
    "core/blender/update/reset",
    "features/ik/blender/solve",
    "features/motion/blender/apply",
)


def find_calls(pattern: str) -> set[str]:
    """Files of the library whose text has the pattern."""
    return {
        source.name
        for source in sources_of("urdf_importer", "urdf_importer_morse")
        if re.search(pattern, source.text)
    }


def test_trees_are_planned_again_only_where_no_plan_is_kept() -> None:
    """Whoever has a plan takes its tree. A rig that stands in Blender has none, and whoever
    reshapes a robot or resolves its groups is given a robot alone."""
    assert find_calls(r"plan_tree\([^)]*Diagnostics\(") == {"urdf_importer/core/kinematics/tree.py"}
    assert find_calls(r"\bplan_tree\(") == {
        "urdf_importer/core/kinematics/tree.py",
        "urdf_importer/formats/engines/export.py",
        # A URDF's robot stands in a model of SDF where its joints are at zero.
        "urdf_importer/formats/sdf/read/urdf_models.py",
        "urdf_importer/core/rig/plan.py",
        "urdf_importer/formats/mjcf/write/export.py",
        "urdf_importer/formats/sdf/write/joints.py",
        "urdf_importer/formats/webots/write/plan.py",
    }
    assert find_calls(r"\bretrace_tree\(") == {
        *(f"urdf_importer/core/reshape/{each}.py" for each in RESHAPING),
        *(f"urdf_importer/{each}.py" for each in STANDING),
        # Robots that are made link by link, judged or measured have no plan yet.
        *(f"urdf_importer/core/reshape/making/{each}.py" for each in BUILDING),
        *(f"urdf_importer/features/{each}.py" for each in MEASURING),
        "urdf_importer/core/kinematics/loops/place.py",
        "urdf_importer/features/ik/problem.py",
        "urdf_importer/core/kinematics/loops/solve.py",
        "urdf_importer/core/kinematics/semantic_groups.py",
        "urdf_importer/core/kinematics/tree.py",
        "packages/morse/urdf_importer_morse/profile/check.py",
        "packages/morse/urdf_importer_morse/sensors/suggest.py",
        "packages/morse/urdf_importer_morse/split/split.py",
        "urdf_importer/features/batch/kinds.py",
        # The description is written and judged before.
        "urdf_importer/formats/ros2/write/export.py",
        "urdf_importer/features/motion/limits.py",
        "urdf_importer/features/collisions/disabled_pairs.py",
        "urdf_importer/formats/engines/export.py",
        # Loops that URDF spells in Gazebo's words are placed from frames, where there are any.
        "urdf_importer/formats/urdf/read/gazebo_joint.py",
        # Which joints the loops of an assembly hold still.
        "urdf_importer/formats/simmechanics/read/locked_joints.py",
        "urdf_importer/formats/urdf/read/second_parents.py",
        "urdf_importer/formats/urdf/write/loops.py",
        # Rigs, or robots alone, that are checked, follow a person or fall.
        "urdf_importer/features/sensing/blender/subjects.py",
        "urdf_importer/features/collisions/check.py",
        "urdf_importer/features/retargeting/retarget.py",
        "urdf_importer/features/motion/recordings/policies.py",
        # Joints that turn, and what the base is, of a robot that is handed over beside a recording.
        "urdf_importer/features/motion/fitting/fit.py",
        "urdf_importer/features/motion/datasets/episodes.py",
        "urdf_importer/features/motion/recordings/tables.py",
        "urdf_importer/features/motion/blender/sample.py",
        # With the joints that were put together, and as an engine moves them.
        "urdf_importer/formats/sdf/write/joints.py",
        "urdf_importer/features/simulation/start_robot.py",
        "urdf_importer/features/simulation/motions.py",
        # A world that is read is a robot alone; one that is written counts rigs, each once.
        "urdf_importer/formats/mjcf/read/branches.py",
        "urdf_importer/core/writers/formats.py",
    }


def write_morse(robot: Robot, folder: Path) -> None:
    write_builder_script(robot, folder / "sliding.py")


def write_project(robot: Robot, folder: Path) -> None:
    """With the part for ROS."""
    export_robot(robot, f"{folder}/project/")


@pytest.mark.parametrize("write", [write_morse, write_project])
@pytest.mark.parametrize("count", [3, 40])
def test_an_export_plans_one_tree(
    write: Callable[[Robot, Path], None],
    count: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planned = []
    real = urdf_importer.core.kinematics.tree.plan_tree

    def plan_tree(robot: Robot, diagnostics: object) -> object:
        planned.append(robot.name)
        return real(robot, diagnostics)  # type: ignore[arg-type]

    for module in PLANNERS:
        monkeypatch.setattr(module, "plan_tree", plan_tree)
    write(sliding(count), tmp_path)
    assert planned == ["sliding"]


@pytest.mark.parametrize("count", [25, 200])
def test_a_script_judges_each_armature_twice(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sliding joints get armatures of their own where MORSE would misread them: once to find that
    out, once for the report."""
    judged = []
    real = armatures.judge_bones

    def judge_bones(bones: object, mimics: object, diagnostics: object) -> None:
        judged.append(len(bones))  # type: ignore[arg-type]
        real(bones, mimics, diagnostics)  # type: ignore[arg-type]

    monkeypatch.setattr(armatures, "judge_bones", judge_bones)
    script = write_builder_script(sliding(count), tmp_path / "sliding.py")
    assert len(script.armatures) > 0.9 * count
    assert sum(judged) == 2 * count
