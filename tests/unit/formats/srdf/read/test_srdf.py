# SPDX-License-Identifier: GPL-3.0-or-later
"""SRDF in and out: nothing is lost, groups are MoveIt's, states are Pinocchio's."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from support.readable_robots import DATA
from support.real_robots import ROOT
from support.real_srdf import real_files
from support.seconds import within
from urdf_importer import (
    Diagnostics,
    KinematicsError,
    ReadError,
    Robot,
    Semantics,
    group_joints,
    read_robot,
    read_srdf,
    write_srdf,
)
from urdf_importer.core.kinematics.semantic_groups import resolve_groups
from urdf_importer.core.model import (
    Chain,
    CollisionPair,
    EndEffector,
    Group,
    GroupState,
    Joint,
    JointProperty,
    Link,
    LinkSphere,
    VirtualJoint,
)
from urdf_importer.core.reshape import adapt_srdf, prune, rename
from urdf_importer.formats.srdf.read.semantics import read_srdf_text
from urdf_importer.formats.srdf.write.semantics import patch_semantics_text, write_semantics_text

EVERYTHING = DATA / "every_element.srdf"


def make_arm() -> Robot:
    names = ("base", "upper", "forearm", "hand", "tip")
    joints = ("shoulder", "elbow", "wrist", "finger")
    return Robot(
        name="arm",
        links=tuple(Link(name=name) for name in names),
        joints=tuple(
            Joint(name=name, type="revolute", parent=names[i], child=names[i + 1])
            for i, name in enumerate(joints)
        ),
    )


ARM = make_arm()


def read_text(text: bytes, robot: Robot | None = None) -> Semantics:
    return read_srdf_text(text, robot, "some.srdf", Diagnostics())


# What is read


def test_every_element_is_read() -> None:
    diagnostics = Diagnostics()
    semantics = read_srdf(EVERYTHING, robot=ARM, diagnostics=diagnostics)
    assert semantics.name == "arm"
    assert [name for name, _ in semantics.attributes] == ["xmlns:xacro", "version"]
    arm, hand, nothing = semantics.groups
    assert arm.joints == ("shoulder",)
    assert arm.links == ("forearm",)
    assert arm.chains == (Chain(base_link="base", tip_link="hand", attributes=(("kind", "long"),)),)
    assert arm.groups == ("hand",)
    assert arm.attributes == (("color", "red"),)
    assert [extra.tag for extra in arm.extras] == ["joint", "note"]
    assert hand == Group(name="hand", joints=("finger",))
    assert nothing == Group(name="nothing")
    (state,) = semantics.group_states
    assert state.positions == (("shoulder", (0.5,)), ("world_joint", (1.0, 2.0, 0.25)))
    assert [extra.xml for extra in state.extras] == ['<joint name="elbow" value="half"/>']
    assert semantics.end_effectors == (
        EndEffector(name="grip", group="hand", parent_link="hand", parent_group="arm"),
    )
    assert semantics.virtual_joints == (
        VirtualJoint(name="world_joint", type="planar", parent_frame="odom", child_link="base"),
    )
    assert [joint.name for joint in semantics.passive_joints] == ["finger"]
    assert semantics.joint_properties == (
        JointProperty(joint_name="world_joint", property_name="motion_model", value="diff_drive"),
    )
    (spheres,) = semantics.link_spheres
    assert spheres.spheres == (LinkSphere(center=(0.0, 0.0, 0.1), radius=0.05),)
    assert [link.link for link in semantics.no_default_collisions] == ["forearm"]
    assert semantics.enabled_collisions == (
        CollisionPair(link1="forearm", link2="hand", reason="Wanted"),
    )
    assert semantics.disabled_collisions[1] == CollisionPair(link1="forearm", link2="base")
    assert [extra.tag for extra in semantics.extras] == ["rotor_params"]
    assert [item.code for item in diagnostics] == ["srdf-empty-group", "srdf-repeated-pair"]


def test_what_the_robot_does_not_have_is_said_once_and_kept() -> None:
    text = b"""<robot name="other">
      <group name="g"><joint name="gone"/><link name="lost"/><group name="nobody"/></group>
      <disable_collisions link1="lost" link2="base"/><disable_collisions link1="lost" link2="tip"/>
    </robot>"""
    diagnostics = Diagnostics()
    semantics = read_srdf_text(text, ARM, "some.srdf", diagnostics)
    found = [(item.code, item.subject) for item in diagnostics]
    assert found == [
        ("srdf-other-robot", ""),
        ("srdf-unknown-name", "gone"),
        ("srdf-unknown-name", "lost"),
        ("srdf-unknown-name", "nobody"),
        ("srdf-empty-group", "g"),
    ]
    assert read_text(write_semantics_text(semantics).encode()) == semantics


@pytest.mark.parametrize(
    "text",
    [b"", b"<robot", b"<group/>", b'<!DOCTYPE r [<!ENTITY a "b">]><robot>&a;</robot>', b"plain"],
)
def test_what_is_no_srdf_is_refused(text: bytes) -> None:
    with pytest.raises(ReadError):
        read_text(text)


# Groups


def joints_of(*groups: Group, virtual: bool = True, name: str = "g") -> tuple[str, ...]:
    world = VirtualJoint(name="world", type="fixed", parent_frame="w", child_link="base")
    semantics = Semantics(name="arm", groups=groups, virtual_joints=(world,) if virtual else ())
    return group_joints(FORK, name, semantics=semantics)


FORK = replace(
    ARM,
    links=(*ARM.links, Link(name="left"), Link(name="right")),
    joints=(
        *ARM.joints,
        Joint(name="to_left", type="revolute", parent="forearm", child="left"),
        Joint(name="to_right", type="fixed", parent="base", child="right"),
    ),
)


def chain_of(base: str, tip: str) -> Group:
    return Group(name="g", chains=(Chain(base_link=base, tip_link=tip),))


def test_joints_of_groups_are_those_of_moveit() -> None:
    assert joints_of(Group(name="g", joints=("elbow", "shoulder"))) == ("shoulder", "elbow")
    assert joints_of(Group(name="g", links=("base", "hand"))) == ("world", "wrist")
    assert joints_of(Group(name="g", links=("base",)), virtual=False) == ()
    # The joint above the base does not belong to a chain.
    assert joints_of(chain_of("upper", "hand")) == ("elbow", "wrist")
    assert joints_of(chain_of("base", "tip")) == ("shoulder", "elbow", "wrist", "finger")
    assert joints_of(chain_of("hand", "hand")) == ()
    # Where the base is not above the tip, the joint above the link where both ways meet does.
    assert joints_of(chain_of("left", "hand")) == ("elbow", "wrist", "to_left")
    assert joints_of(chain_of("hand", "left")) == ("elbow", "wrist", "to_left")
    assert joints_of(chain_of("tip", "upper")) == ("shoulder", "elbow", "wrist", "finger")
    assert joints_of(chain_of("right", "upper")) == ("world", "shoulder", "to_right")
    group = Group(name="g", groups=("a", "nobody"), joints=("finger",))
    assert joints_of(group, Group(name="a", joints=("elbow",))) == ("elbow", "finger")


def test_rings_of_groups_have_no_effect() -> None:
    ring = (
        Group(name="g", groups=("a",), joints=("elbow",)),
        Group(name="a", groups=("g",)),
        Group(name="above", groups=("g",), joints=("wrist",)),
        Group(name="free", joints=("wrist",)),
    )
    for name in ("g", "a", "above"):
        with pytest.raises(KinematicsError, match="depends on groups"):
            joints_of(*ring, name=name)
    assert joints_of(*ring, name="free") == ("wrist",)
    with pytest.raises(KinematicsError, match="no group 'x'"):
        joints_of(*ring, name="x")
    diagnostics = Diagnostics()
    text = write_semantics_text(Semantics(name="arm", groups=ring)).encode()
    read_srdf_text(text, FORK, "some.srdf", diagnostics)
    assert {item.code for item in diagnostics} == {"srdf-group-ring"}


def test_long_chains_of_groups_do_not_recurse() -> None:
    count = 5000
    groups = [Group(name=f"g{i}", groups=(f"g{i + 1}",)) for i in range(count)]
    semantics = Semantics(name="arm", groups=(*groups, Group(name=f"g{count}", joints=("elbow",))))
    for _ in within(2.0):
        assert resolve_groups(ARM, semantics)["g0"] == ("elbow",)


# States


def test_states_are_those_of_pinocchio() -> None:
    compared = 0
    for path, urdf in real_files():
        robot = read_robot(urdf)
        semantics = read_srdf(path, robot=robot)
        floats = any(j == "root_joint" for s in semantics.group_states for j, _ in s.positions)
        free = [pin.JointModelFreeFlyer()] if floats else []
        try:
            model = pin.buildModelFromUrdf(str(urdf), *free)
        except ValueError:
            continue
        pin.loadReferenceConfigurations(model, str(path), False)
        for state in semantics.group_states:
            wanted = model.referenceConfigurations[state.name]
            same = [s for s in semantics.group_states if s.name == state.name]
            for joint, numbers in state.positions if len(same) == 1 else ():
                if not model.existJointName(joint):
                    continue
                place = model.joints[model.getJointId(joint)]
                there = wanted[place.idx_q : place.idx_q + place.nq]
                ours = np.array(numbers)
                if place.nq == 2 and len(numbers) == 1:
                    ours = np.array([np.cos(numbers[0]), np.sin(numbers[0])])
                assert there == pytest.approx(ours, abs=1e-12), (path.name, state.name, joint)
                compared += 1
    assert compared > 100


# Writing


@pytest.mark.parametrize("path", [EVERYTHING, *sorted(ROOT.rglob("*.srdf"))], ids=lambda p: p.name)
def test_everything_comes_back(path: Path, tmp_path: Path) -> None:
    semantics = read_text(path.read_bytes())
    text = write_semantics_text(semantics)
    again = read_text(text.encode())
    assert again == semantics
    assert write_semantics_text(again) == text
    assert write_srdf(semantics, tmp_path / "out.srdf").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("path", [EVERYTHING, *sorted(ROOT.rglob("*.srdf"))], ids=lambda p: p.name)
def test_one_change_is_one_changed_line(path: Path) -> None:
    semantics = read_text(path.read_bytes())
    if len(semantics.disabled_collisions) < 3:
        return
    pairs = semantics.disabled_collisions
    fewer = replace(semantics, disabled_collisions=pairs[:1] + pairs[2:])
    patched = patch_semantics_text(fewer, read_text)
    assert patched is not None
    assert read_text(patched) == fewer
    before, after = path.read_bytes().split(b"\n"), patched.split(b"\n")
    assert len(before) == len(after) + 1
    assert not set(after) - set(before)


# Reshaped robots


def test_an_srdf_follows_a_pruned_robot() -> None:
    path, urdf = next(pair for pair in real_files() if pair[0].name == "pr2.srdf")
    robot = read_robot(urdf)
    semantics = read_srdf(path, robot=robot)
    diagnostics = Diagnostics()
    small = prune(robot, remove=["r_shoulder_pan_joint"])
    adapted = adapt_srdf(semantics, robot=small, diagnostics=diagnostics)
    links = {link.name for link in small.links}
    wanted = [p for p in semantics.disabled_collisions if {p.link1, p.link2} <= links]
    assert list(adapted.disabled_collisions) == wanted
    assert 0 < len(wanted) < len(semantics.disabled_collisions)
    found = Diagnostics()
    read_srdf_text(write_semantics_text(adapted).encode(), small, "some.srdf", found)
    assert not [item for item in found if item.code in ("srdf-unknown-name", "srdf-empty-group")]
    gone = {group.name for group in semantics.groups} - {group.name for group in adapted.groups}
    assert {item.subject for item in diagnostics} == gone
    assert gone


@pytest.mark.parametrize("pair", real_files(), ids=lambda pair: pair[0].name)
def test_renamed_there_and_back_is_as_before(pair: tuple[Path, Path]) -> None:
    robot = read_robot(pair[1])
    semantics = adapt_srdf(read_srdf(pair[0], robot=robot), robot=robot)
    assert adapt_srdf(semantics, robot=robot) == semantics
    names = {link.name: f"x_{link.name}" for link in robot.links}
    names |= {joint.name: f"x_{joint.name}" for joint in robot.joints}
    there = adapt_srdf(semantics, robot=rename(robot, prefix="x_"), names=names)
    resolved = resolve_groups(rename(robot, prefix="x_"), there)
    for name, joints in resolve_groups(robot, semantics).items():
        assert resolved[name] == tuple(names.get(joint, joint) for joint in joints)
    assert (
        adapt_srdf(there, robot=robot, names={new: old for old, new in names.items()}) == semantics
    )


# Hostile files


def test_many_pairs_are_quick() -> None:
    pairs = "\n".join(
        f'<disable_collisions link1="l{i}" link2="l{i + 1}" reason="Never"/>'
        for i in range(100_000)
    )
    text = f'<robot name="arm">{pairs}</robot>'.encode()
    for _ in within(5.0):  # five times the goal: machines are busy
        semantics = read_text(text)
    assert len(semantics.disabled_collisions) == 100_000


def test_odd_numbers_are_kept_word_for_word() -> None:
    text = (
        b'<robot name="r"><group_state name="s" group="g"><joint name="a" value="nan"/>'
        b'<joint name="b" value="1e400"/><joint name="c" value="1_0"/><joint name="d" value=""/>'
        b"</group_state></robot>"
    )
    (state,) = read_text(text).group_states
    assert state == GroupState(name="s", group="g", extras=state.extras)
    assert len(state.extras) == 4


def test_errors_of_xml_are_mended_in_what_is_written(tmp_path: Path) -> None:
    group = '<robot name="arm">\n<group name="{}"/></robot>'
    text = f'<!-- a -- b -->\n<?xml version="1.0"?>\n{group.format("a & b")}\n'
    semantics = read_srdf_text(text.encode(), None, "arm.srdf", Diagnostics())
    written = write_srdf(semantics, tmp_path / "out.srdf").read_bytes()
    assert written.decode().strip() == group.format("a &amp; b")
    found = Diagnostics()
    assert read_srdf_text(written, None, "out.srdf", found) == semantics and not [*found]
