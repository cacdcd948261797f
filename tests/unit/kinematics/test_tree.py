# SPDX-License-Identifier: GPL-3.0-or-later
"""Links and joints become a forest, whatever the file says."""

import time

import pytest

from urdf_importer.diagnostics import Diagnostics, KinematicsError
from urdf_importer.kinematics.tree import plan_tree
from urdf_importer.model import Joint, Link, Robot
from urdf_importer.options import ImportOptions
from urdf_importer.rig.plan import plan_rig


def plan(robot, *codes):
    diagnostics = Diagnostics()
    tree = plan_tree(robot, diagnostics)
    assert [item.code for item in diagnostics] == list(codes)
    return tree


def names(tree):
    return [link.name for link in tree.links]


def test_links_come_depth_first_in_file_order(make_joint, make_robot):
    robot = make_robot(
        [
            make_joint("a", "root", "left"),
            make_joint("b", "root", "right"),
            make_joint("c", "left", "left_hand"),
        ]
    )
    tree = plan(robot)
    assert names(tree) == ["root", "left", "left_hand", "right"]
    assert tree.parents == (-1, 0, 1, 0)


def test_joints_before_links_and_children_before_parents(make_joint):
    joints = (make_joint("b", "l1", "l2"), make_joint("a", "l0", "l1"))
    tree = plan(
        Robot(name="r", links=(Link(name="l2"), Link(name="l1"), Link(name="l0")), joints=joints)
    )
    assert names(tree) == ["l0", "l1", "l2"]


def test_undefined_parent_becomes_an_empty_root(make_joint):
    robot = Robot(
        name="r", links=(Link(name="l1"),), joints=(make_joint("j", "world", "l1", line=7),)
    )
    diagnostics = Diagnostics("f.urdf")
    tree = plan_tree(robot, diagnostics)
    assert names(tree) == ["world", "l1"] and tree.undefined == {"world"}
    (item,) = diagnostics
    assert (item.code, item.line, item.subject) == ("undefined-link", 7, "world")


def test_several_roots_all_come_in(make_joint):
    robot = Robot(
        name="r",
        links=tuple(Link(name=n) for n in ("a", "b", "island", "shore")),
        joints=(make_joint("j", "a", "b"), make_joint("k", "island", "shore")),
    )
    tree = plan(robot, "several-roots")
    assert tree.parents == (-1, 0, -1, 2)


def test_second_parent_is_cut_and_the_first_in_the_file_wins(make_joint, make_robot):
    robot = make_robot(
        [make_joint("a", "r", "x"), make_joint("b", "r", "y"), make_joint("c", "x", "y")]
    )
    tree = plan(robot, "second-parent")
    assert [joint.name for joint in tree.cut_joints] == ["c"]
    assert tree.parents == (-1, 0, 0)


def test_self_parent_is_cut(make_joint, make_robot):
    tree = plan(make_robot([make_joint("a", "r", "x"), make_joint("b", "x", "x")]), "self-parent")
    assert [joint.name for joint in tree.cut_joints] == ["b"]


def test_ring_without_a_root_is_refused_and_printed(make_joint, make_robot):
    robot = make_robot([make_joint("a", "p", "q"), make_joint("b", "q", "p")])
    with pytest.raises(KinematicsError, match="ring without a root: 'p' -> 'q' -> 'p'"):
        plan_tree(robot, Diagnostics())


def test_ring_beside_a_tree_is_opened_with_all_that_hangs_on_it(make_joint, make_robot):
    robot = make_robot(
        [
            make_joint("tail", "q", "beside"),
            make_joint("a", "p", "q"),
            make_joint("b", "q", "p"),
            make_joint("c", "base", "arm"),
        ]
    )
    tree = plan(robot, "ring", "several-roots")
    assert sorted(names(tree)) == ["arm", "base", "beside", "p", "q"]
    assert len(tree.cut_joints) == 1
    for index, parent in enumerate(tree.parents):
        assert parent < index


@pytest.mark.parametrize("what", ["link", "joint"])
def test_names_said_twice_are_refused(make_joint, what):
    links = (Link(name="a"), Link(name="b"), Link(name="c"))
    if what == "link":
        robot = Robot(name="r", links=(*links, Link(name="a", line=9)))
    else:
        joints = (make_joint("j", "a", "b"), make_joint("j", "b", "c", line=9))
        robot = Robot(name="r", links=links, joints=joints)
    with pytest.raises(KinematicsError, match=f"two {what}s are named") as caught:
        plan_tree(robot, Diagnostics())
    assert caught.value.line == 9


def test_robot_without_links_is_refused():
    with pytest.raises(KinematicsError, match="no links"):
        plan_tree(Robot(name="r", links=()), Diagnostics())


def test_too_many_links_are_refused_unless_the_option_allows_them():
    robot = Robot(name="r", links=tuple(Link(name=f"l{i}") for i in range(12)))
    with pytest.raises(
        KinematicsError, match="12 links, more than the 10 that the option max_links"
    ):
        plan_rig(robot, ImportOptions(max_links=10), Diagnostics())
    assert len(plan_rig(robot, ImportOptions(max_links=12), Diagnostics()).links) == 12


def long_chain(count):
    return Robot(
        name="chain",
        links=tuple(Link(name=f"l{i}") for i in range(count)),
        joints=tuple(
            Joint(name=f"j{i}", type="continuous", parent=f"l{i}", child=f"l{i + 1}",
                  axis=(0.0, 0.0, 1.0))
            for i in range(count - 1)
        ),
    )  # fmt: skip


def test_chain_of_ten_thousand_links_needs_no_recursion():
    plan = plan_rig(long_chain(10_000), diagnostics=Diagnostics())
    assert len(plan.links) == 10_000


def test_ring_of_ten_thousand_links_is_refused_at_once():
    robot = long_chain(10_000)
    closing = Joint(name="last", type="fixed", parent="l9999", child="l0")
    ring = Robot(name="ring", links=robot.links, joints=(*robot.joints, closing))
    start = time.perf_counter()
    with pytest.raises(KinematicsError, match="ring"):
        plan_rig(ring)
    assert time.perf_counter() - start < 10
