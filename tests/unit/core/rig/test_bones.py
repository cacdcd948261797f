# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bones point and how long they are."""

import math

import numpy as np
import pytest

from urdf_importer.core.model import Inertia, Inertial, Link, Pose

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@pytest.fixture
def bones_of(plan_clean):
    def bones(robot, *codes, **options):
        return {bone.name: bone for bone in plan_clean(robot, *codes, **options).bones}

    return bones


def axes(bone):
    return bone.rest[:3, :3].T


def heavy_at(name, xyz):
    inertial = Inertial(origin=Pose(xyz=xyz), mass=1.0, inertia=Inertia(ixx=1, iyy=1, izz=1))
    return Link(name=name, inertial=inertial)


def test_bone_matches_the_vector_to_its_child(chain, bones_of):
    bone = bones_of(chain({"axis": X}, {"axis": X, "xyz": (0.0, 0.3, 0.4)}))["j1"]
    assert axes(bone)[0] == pytest.approx(X, abs=1e-9)
    assert axes(bone)[1] == pytest.approx((0.0, 0.6, 0.8), abs=0.04)
    assert bone.length == pytest.approx(0.5, rel=0.01)


def test_oblique_vector_is_laid_on_the_plane_of_rotation(chain, bones_of):
    bone = bones_of(chain({"axis": Z}, {"axis": X, "xyz": (0.3, 0.0, 0.4)}))["j1"]
    assert axes(bone)[0] == pytest.approx(Z, abs=1e-9)
    assert axes(bone)[1] == pytest.approx(X, abs=0.04)
    assert bone.length == pytest.approx(0.3, rel=0.01)


@pytest.mark.parametrize("axis", [X, Z, (0.0, -1.0, 0.0), (0.6, 0.0, 0.8), (0.36, 0.48, -0.8)])
@pytest.mark.parametrize("rpy", [(0.0, 0.0, 0.0), (0.3, -1.2, 2.0)])
def test_x_is_the_axis_with_its_sign(chain, plan_clean, axis, rpy):
    robot = chain({"axis": axis, "rpy": rpy}, {"axis": axis, "xyz": (0.1, 0.2, 0.3)})
    plan = plan_clean(robot)
    for bone, link in zip(plan.bones, plan.links[1:], strict=True):
        assert axes(bone)[0] == pytest.approx(link.rest[:3, :3] @ axis, abs=1e-9)


def test_vector_along_the_axis_leads_nowhere_and_the_parents_plane_decides(chain, bones_of):
    """A wrist that rolls about the forearm: in the plane in which the elbow bends."""
    robot = chain(
        {"axis": X},
        {"axis": Y, "xyz": (0.0, 0.5, 0.0)},
        {"axis": X, "xyz": (0.0, 0.2, 0.0)},
    )
    roll = bones_of(robot)["j2"]
    assert axes(roll)[0] == pytest.approx(Y, abs=1e-9)
    assert abs(axes(roll)[1] @ X) < 0.04


def test_without_parent_the_bulk_of_the_link_decides(make_joint, make_robot, bones_of):
    robot = make_robot(
        [make_joint("j", "base", "flag", axis=Z)], flag=heavy_at("flag", (0, -0.2, 1))
    )
    assert axes(bones_of(robot)["j"])[1] == pytest.approx((0.0, -1.0, 0.0), abs=0.04)


def test_parallel_axes_keep_to_the_bulk_within_their_plane(make_joint, make_robot, bones_of):
    robot = make_robot(
        [
            make_joint("a", "base", "arm", axis=X),
            make_joint("b", "arm", "tip", axis=X, xyz=(0.0, 0.4, 0.0)),
        ],
        tip=heavy_at("tip", (0.0, 0.0, 0.3)),
    )
    assert axes(bones_of(robot)["b"])[1] == pytest.approx(Z, abs=0.04)


def test_last_bone_reaches_to_the_tool(chain, bones_of):
    bone = bones_of(chain({"axis": X}, {"type": "fixed", "xyz": (0.0, 0.0, -0.2)}))["j1"]
    assert axes(bone)[1] == pytest.approx((0.0, 0.0, -1.0), abs=0.04)
    assert bone.length == pytest.approx(0.2, rel=0.01)


def test_last_bone_reaches_to_the_tip_of_the_tool(chain, bones_of):
    flange = {"type": "fixed", "xyz": (0.0, 0.0, 0.1)}
    tip = {"type": "fixed", "xyz": (0.0, 0.1, 0.0)}
    bone = bones_of(chain({"axis": X}, flange, tip))["j1"]
    assert bone.length == pytest.approx(0.1414, rel=0.02)


def branch(make_joint, make_robot, places, **deeper):
    joints = [make_joint("root", "base", "body", axis=X)]
    for index, place in enumerate(places):
        joints.append(make_joint(f"b{index}", "body", f"c{index}", axis=X, xyz=place))
        for step in range(deeper.get(f"b{index}", 0)):
            parent = f"c{index}" if step == 0 else f"c{index}_{step - 1}"
            joints.append(
                make_joint(f"d{index}_{step}", parent, f"c{index}_{step}", axis=X, xyz=(0, 0, 0.1))
            )
    return make_robot(joints)


def test_fingers_lead_to_their_middle(make_joint, make_robot, bones_of):
    robot = branch(make_joint, make_robot, [(0.1, 0.0, 0.5), (-0.1, 0.0, 0.5), (0.0, 0.1, 0.5)])
    assert axes(bones_of(robot)["root"])[1] @ np.array(Z) > 0.99


def test_legs_all_around_lead_nowhere(make_joint, make_robot, bones_of):
    places = [(0, 0.3, 0.2), (0, 0.3, -0.2), (0, -0.3, 0.2), (0, -0.3, -0.2)]
    bone = bones_of(branch(make_joint, make_robot, places))["root"]
    assert axes(bone)[1] == pytest.approx(Z, abs=0.04)  # the fixed choice: joint z


def test_the_limb_with_most_beyond_it_wins(make_joint, make_robot, bones_of):
    places = [(0.0, 0.0, 0.4), (0.0, 0.4, 0.0), (0.0, -0.4, 0.0)]
    robot = branch(make_joint, make_robot, places, b1=6)
    assert axes(bones_of(robot)["root"])[1] == pytest.approx(Y, abs=0.04)


def test_limb_is_seen_through_joints_at_one_point(chain, bones_of):
    robot = chain({"axis": X}, {"axis": X}, {"axis": X, "xyz": (0.0, 0.4, 0.0)})
    bones = bones_of(robot)
    for name in ("j1", "j2"):
        assert axes(bones[name])[1] == pytest.approx(Y, abs=0.04)


def test_combined_bone_has_the_axis_along_the_limb_on_y_and_the_first_other_on_x(chain, bones_of):
    robot = chain({"axis": Z}, {"axis": X}, {"axis": Y}, {"axis": X, "xyz": (0.02, 0.0, -0.4)})
    bone = bones_of(robot)["j1>j2>j3"]
    assert axes(bone)[1] == pytest.approx((0.0, 0.0, -1.0), abs=1e-6)
    assert axes(bone)[0] == pytest.approx(X, abs=1e-6)


def test_bones_are_right_handed_and_orthonormal(chain, bones_of):
    robot = chain(
        {"axis": (0.3, 0.4, 0.5)},
        {"axis": Z, "rpy": (1.0, 2.0, 3.0)},
        {"type": "planar", "axis": (0.1, 0.9, 0.2), "xyz": (0.1, 0, 0)},
        {"type": "floating", "rpy": (0.4, 0.5, 0.6)},
        {"type": "fixed", "xyz": (0.0, 0.0, 0.1)},
        {"axis": X},
    )
    for bone in bones_of(robot).values():
        assert bone.rest[:3, :3].T @ bone.rest[:3, :3] == pytest.approx(np.eye(3), abs=1e-9)
        assert np.linalg.det(bone.rest[:3, :3]) == pytest.approx(1.0)


def test_planar_bone_has_the_normal_on_x(chain, plan_clean):
    plan = plan_clean(chain({"type": "planar", "axis": Z}))
    assert axes(plan.bones[0]) == pytest.approx(np.array([Z, X, Y]), abs=1e-6)
    (joint,) = plan.joints
    assert [(c.property, c.index) for c in joint.channels] == [
        ("location", 1), ("location", 2), ("rotation_euler", 0),
    ]  # fmt: skip
    assert plan.bones[0].free == (("location", 1), ("location", 2), ("rotation_euler", 0))


def test_floating_bone_stands_in_the_joint_frame_and_is_free(chain, plan_clean):
    plan = plan_clean(chain({"type": "floating", "rpy": (0.0, 0.0, 1.0)}))
    assert plan.bones[0].rest == pytest.approx(plan.links[1].rest, abs=1e-6)
    assert len(plan.bones[0].free) == 6


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_no_bone_is_too_short_for_blender(chain, bones_of, scale):
    robot = chain(
        {"axis": X},
        {"axis": (1.0, 1.0, 0.0)},
        {"axis": X, "xyz": (0.0, 0.0, scale)},
        {"axis": X, "xyz": (0.0, 0.0, 1e-5 * scale)},
        {"axis": Z},
    )
    for bone in bones_of(robot).values():
        assert bone.length >= 1e-5
        assert bone.length >= 0.0029 * scale


@pytest.mark.parametrize(
    ("option", "names"), [("bones", ["j1", "j2", "j3"]), ("fold", ["j1", "j3"])]
)
def test_fixed_joints_inside_a_chain(chain, plan_clean, option, names):
    robot = chain(
        {"axis": X},
        {"type": "fixed", "xyz": (0.0, 0.2, 0.0)},
        {"axis": X, "xyz": (0.0, 0.2, 0.0)},
        {"type": "fixed", "xyz": (0.0, 0.2, 0.0)},
    )
    plan = plan_clean(robot, fixed_joints=option)
    assert [bone.name for bone in plan.bones] == names
    assert plan.links[2].bone == ("j2" if option == "bones" else "j1")
    assert plan.links[4].bone == "j3"  # at the end of the chain: no bone of its own
    if option == "bones":
        assert plan.bones[1].collection == "Fixed" and not plan.bones[1].free


def test_initial_position_is_the_nearest_valid_one(chain, plan_clean):
    from urdf_importer.core.model import Limit

    robot = chain({"limit": Limit(lower=0.5, upper=1.0)}, {"limit": Limit(lower=-2.0, upper=-1.0)})
    plan = plan_clean(robot, "zero-outside-limits", "zero-outside-limits")
    assert [joint.initial for joint in plan.joints] == [0.5, -1.0]


def test_names_that_blender_would_cut_or_number_are_kept_apart(make_joint, make_robot, plan_clean):
    long = "ä" * 40
    robot = make_robot([make_joint(f"{long}{i}", "r", f"l{i}", xyz=(0.1, 0, 0)) for i in range(12)])
    plan = plan_clean(robot)
    made = [bone.name for bone in plan.bones]
    assert len(set(made)) == 12
    assert all(len(name.encode()) <= 63 for name in made)
    assert set(plan.bone_of_joint) == {f"{long}{i}" for i in range(12)}


def test_far_away_links_are_refused(chain, plan_clean):
    from urdf_importer.core.diagnostics import KinematicsError

    with pytest.raises(KinematicsError, match="too far"):
        plan_clean(chain({"xyz": (0.0, 9e8, 0.0)}))


def test_mean_of_two_pi_does_not_matter(chain, plan_clean):
    """Equal robots written with other angles of the same frame give the same plan."""
    plans = [
        plan_clean(chain({"axis": X, "rpy": (a, 0.0, 0.0)}, {"axis": X, "xyz": (0, 0.3, 0)}))
        for a in (0.5, 0.5 - 2 * math.pi)
    ]
    assert plans[0].bones[0].rest == pytest.approx(plans[1].bones[0].rest, abs=1e-9)
