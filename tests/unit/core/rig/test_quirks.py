# SPDX-License-Identifier: GPL-3.0-or-later
"""What the plan makes of the quirk files about structure and motion: codes with their lines."""

import json

import pytest

from support.paths import TESTS
from urdf_importer import Diagnostics, KinematicsError, plan_rig, read_robot

ROOT = TESTS / "data" / "quirks"

PLANNED = {
    "struct_missing_parent": [("undefined-link", 3)],
    "struct_missing_child": [("undefined-link", 3)],
    "struct_two_roots": [("several-roots", 5)],
    "struct_lonely_link": [("several-roots", 5)],
    "struct_loop_two_parents": [("second-parent", 7)],
    "struct_self_parent": [("self-parent", 5)],
    "struct_dup_joint": [("several-roots", 4)],
    "struct_joint_no_parent": [("several-roots", 3)],
    "axis_zero": [("zero-axis", 4)],
    "limit_missing_revolute": [("missing-limit", 4)],
    "limit_missing_prismatic": [("missing-limit", 4)],
    "limit_only_effort": [("limit-without-range", 4)],
    "limit_lower_gt_upper": [("swapped-limits", 4)],
    "limit_equal": [("zero-outside-limits", 4)],
    "limit_zero_outside": [("zero-outside-limits", 4)],
    "limit_continuous": [("continuous-limit", 4)],
    "mimic_unknown": [("mimic-unknown-joint", 4)],
    "mimic_self": [("mimic-ring", 4)],
    "mimic_chain": [("mimic-limits", 7)],
    "mimic_revolute_of_prismatic": [("mimic-limits", 6)],
    "mimic_cycle": [("mimic-ring", 5), ("mimic-ring", 6)],
    "mimic_on_fixed": [("mimic-ignored", 6)],
}
FAMILIES = ("struct", "axis", "limit", "mimic", "name", "joint")
QUIRKS = sorted(
    name
    for name in json.loads((ROOT / "expectation.json").read_text())
    if name.startswith(FAMILIES)
)
REFUSED = {"struct_cycle_no_root", "struct_no_links"}


@pytest.mark.parametrize("quirk", sorted(set(QUIRKS) - REFUSED))
def test_plan_says_what_it_repaired_and_nothing_else(quirk):
    robot = read_robot(ROOT / "q_pkg" / "urdf" / f"{quirk}.urdf")
    diagnostics = Diagnostics()
    plan = plan_rig(robot, diagnostics=diagnostics)
    assert [(item.code, item.line) for item in diagnostics] == PLANNED.get(quirk, [])
    assert len(plan.links) >= len(robot.links)


def test_ring_without_root_is_refused_with_its_line():
    robot = read_robot(ROOT / "q_pkg" / "urdf" / "struct_cycle_no_root.urdf")
    with pytest.raises(KinematicsError, match="ring") as caught:
        plan_rig(robot)
    assert caught.value.line == 5 and caught.value.source.endswith("struct_cycle_no_root.urdf")


def test_values_that_the_quirks_are_about():
    def motion(quirk, joint="j1"):
        robot = read_robot(ROOT / "q_pkg" / "urdf" / f"{quirk}.urdf")
        return next(j for j in plan_rig(robot).joints if j.joint.name == joint)

    assert (motion("limit_lower_gt_upper").lower, motion("limit_lower_gt_upper").upper) == (
        -1.0,
        1.0,
    )
    assert (motion("limit_huge").lower, motion("limit_inf").upper) == (None, None)
    assert motion("limit_continuous").lower is None
    assert motion("limit_zero_outside").initial == 0.5
    assert (motion("limit_only_effort").lower, motion("limit_only_effort").upper) == (None, None)
    assert motion("mimic_chain", "j3").mimics == "j2"
    assert motion("struct_type_ball").kind == "spherical"
