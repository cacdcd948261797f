# SPDX-License-Identifier: GPL-3.0-or-later
"""Links and joints become a forest, whatever the file says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import big_robots
from support.seconds import within
from urdf_importer.core.diagnostics import Diagnostics, KinematicsError
from urdf_importer.core.kinematics.forward import local_matrices, place_links
from urdf_importer.core.kinematics.tree import find_above, plan_tree, retrace_tree
from urdf_importer.core.model import Joint, Link, Robot
from urdf_importer.core.options import ImportOptions
from urdf_importer.core.rig.plan import plan_rig


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


@pytest.mark.parametrize(
    ("link", "written", "hint"),
    [("base ", "base", "'base ' has"), ("base", " base", "' base' has"), ("base", "bas", "")],
)
def test_blanks_at_an_end_of_a_name_are_shown(make_joint, link, written, hint):
    links = (Link(name=link), Link(name="tip"))
    robot = Robot(name="r", links=links, joints=(make_joint("j", written, "tip"),))
    diagnostics = Diagnostics("f.urdf")
    plan_tree(robot, diagnostics)
    message = next(each.message for each in diagnostics if each.code == "undefined-link")
    assert (f"; {hint} blanks at an end; " in message) if hint else "blanks" not in message


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
        plan_rig(robot, options=ImportOptions(max_links=10), diagnostics=Diagnostics())
    assert (
        len(plan_rig(robot, options=ImportOptions(max_links=12), diagnostics=Diagnostics()).links)
        == 12
    )


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
    for _ in within(10):
        with pytest.raises(KinematicsError, match="ring"):
            plan_rig(ring)


# Questions


def expected_path(tree, start, end):
    """By names, the slow way: the ancestors of both without what they share."""

    def climb(place):
        return [place, *climb(tree.parents[place])] if place >= 0 else []

    one, other = climb(tree.index[start]), climb(tree.index[end])
    shared = [place for place in one if place in other]
    top = shared[0] if shared else -1
    up = [p for p in one if p not in shared and tree.parents[p] >= 0]
    down = [p for p in other if p not in shared and tree.parents[p] >= 0]
    return up, top, down[::-1]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_path_children_and_subtree_of_any_forest(data):
    count = data.draw(st.integers(1, 14))
    parents = [data.draw(st.integers(-1, max(i - 1, -1))) for i in range(count)]
    joints = tuple(
        Joint(name=f"j{i}", type="revolute", parent=f"l{p}", child=f"l{i}")
        for i, p in enumerate(parents)
        if p >= 0
    )
    tree = retrace_tree(
        Robot(name="r", links=tuple(Link(name=f"l{i}") for i in range(count)), joints=joints)
    )
    assert [tree.links[place].name for place in tree.index.values()] == list(tree.index)
    for place, parent in enumerate(tree.parents):
        name = tree.links[place].name
        written = parents[int(name[1:])]
        assert tree.depths[place] == len(list(tree.ancestors(place))) - 1
        assert (parent == -1) == (written == -1)
        joint = tree.joint_above(name)
        assert (joint.parent if joint else "") == (f"l{written}" if written >= 0 else "")
        assert joint is None or tree.joint_index[joint.name] == place
        assert {p for p, above in enumerate(tree.parents) if above == place} == {
            *tree.children[place]
        }
        below = {p for p in range(count) if place in tree.ancestors(p)}
        assert below == {*tree.subtree(place)}
    start, end = (data.draw(st.sampled_from(sorted(tree.index))) for _ in range(2))
    path = tree.path(start, end)
    assert (path.up.tolist(), path.top, path.down.tolist()) == expected_path(tree, start, end)
    assert path.signs.tolist() == [-1.0] * len(path.up) + [1.0] * len(path.down)
    back = tree.path(end, start)
    assert back.places.tolist() == path.places[::-1].tolist() and back.top == path.top


def test_path_multiplies_to_the_frame_of_its_end():
    """What inverse kinematics does with a path: frames of the joints, backwards on the way up."""
    robot = big_robots.tree(40, seed=3)
    tree = retrace_tree(robot)
    positions = {m.joint.name: 0.1 for m in tree.joint_motions if m.moves}
    local, frames = local_matrices(tree, positions), place_links(tree, positions)
    for start, end in (("link_39", "link_20"), ("link_0", "link_33"), ("link_17", "link_17")):
        path, frame = tree.path(start, end), np.eye(4)
        for place, sign in zip(path.places, path.signs, strict=True):
            frame = frame @ (local[place] if sign > 0 else np.linalg.inv(local[place]))
        wanted = np.linalg.inv(frames[start]) @ frames[end]
        np.testing.assert_allclose(frame, wanted, atol=1e-12)


def test_questions_of_a_long_chain_take_no_recursion():
    tree = retrace_tree(big_robots.chain(10_000))
    path = tree.path("link_0", "link_9999")
    assert path.down.tolist() == list(range(1, 10_000)) and not len(path.up)
    assert max(tree.depths) == 9_999 and len(tree.subtree(1)) == 9_999
    assert len(tree.path("link_9999", "link_5000").up) == 4_999


def test_path_to_an_unknown_link_is_refused(make_robot, make_joint):
    tree = retrace_tree(make_robot([make_joint("a", "r", "x")]))
    with pytest.raises(KinematicsError, match="no link 'nowhere'"):
        tree.path("r", "nowhere")
    assert tree.joint_above("nowhere") is None and tree.joint_above("r") is None


@settings(max_examples=80, deadline=None)
@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("abcdefghxy")),
    st.sets(st.sampled_from("abcdefghx")),
)
def test_nearest_wanted_name_above_even_in_rings(above, wanted):
    found = find_above(above, wanted)
    assert set(found) == set(above)
    for name in above:
        seen, other = {name}, above[name]
        while other not in wanted and other in above and other not in seen:
            seen.add(other)
            other = above[other]
        assert found[name] == (other if other in wanted else "")
