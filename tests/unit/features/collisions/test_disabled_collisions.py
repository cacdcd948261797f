# SPDX-License-Identifier: GPL-3.0-or-later
"""Which links touch: Pinocchio is the truth pose by pose, MoveIt's published matrix as a whole."""

import math
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.pinocchio_pairs import Pair, distances_by_pinocchio, touching_by_pinocchio
from support.real_robots import ROOT
from support.seconds import within
from urdf_importer import (
    Diagnostics,
    FileOptions,
    KinematicsError,
    Robot,
    find_disabled_collisions,
    forward_kinematics,
    read_robot,
    read_srdf,
    replace_disabled,
)
from urdf_importer.core.kinematics.tree import plan_tree
from urdf_importer.core.meshes import RobotFiles
from urdf_importer.core.model import (
    Box,
    Collision,
    CollisionPair,
    Joint,
    Limit,
    Link,
    Mimic,
    Pose,
    Semantics,
    Sphere,
)
from urdf_importer.core.pipeline.files import find_files
from urdf_importer.features.collisions import disabled_pairs, testers
from urdf_importer.features.collisions.matrix import PairSearch, _find_always, find_adjacent
from urdf_importer.features.collisions.parts import load_parts
from urdf_importer.features.collisions.sampling import Frames, Sampler
from urdf_importer.features.collisions.separation import relate
from urdf_importer.features.collisions.testers import CoalTester, find_coal

PANDA = ROOT / "panda_description" / "urdf" / "panda.urdf"
TALOS = ROOT / "talos_data" / "robots" / "talos_full_v2.urdf"
UR5 = ROOT / "ur_description" / "urdf" / "ur5_robot.urdf"


def drain(steps: Any) -> Any:
    while True:
        try:
            next(steps)
        except StopIteration as finished:
            return finished.value


@pytest.mark.parametrize(
    ("path", "count"),
    [
        (PANDA, 100),
        (UR5, 100),
        pytest.param(PANDA, 10_000, marks=pytest.mark.slow),
        pytest.param(TALOS, 10_000, marks=pytest.mark.slow),
    ],
    ids=["panda", "ur5", "panda of many poses", "talos of many poses"],
)
def test_pinocchio_sees_the_same_links_touch(
    path: Path, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Meshes are surfaces to Pinocchio: what lies wholly inside one touches nothing.
    monkeypatch.setattr(testers, "is_inside", lambda *parts: False)
    robot = read_robot(path)
    tree, sampler = plan_tree(robot, Diagnostics()), Sampler(plan_tree(robot, Diagnostics()))
    files = RobotFiles(find_files(path, FileOptions()), Diagnostics(), robot=robot)
    parts = load_parts(robot.links, files)
    search = PairSearch(tree, parts, CoalTester(find_coal()))
    # Pinocchio does not look at links that are rigidly joined.
    every = combinations(sorted(parts), 2)
    # Nor at those without collision shapes.
    bare = {link.name for link in robot.links if not link.collisions}
    pairs = [pair for pair in every if not (search.is_rigid(pair) or bare.intersection(pair))]
    poses = sampler.draw(np.random.default_rng(4), count)
    frames = sampler.find_frames(poses)
    numbers = [dict(zip(sampler.names, row.tolist(), strict=True)) for row in poses.numbers]
    full = [pose | followers(tree, pose) for pose in numbers]
    found = touching_by_search(search, pairs, frames)
    # Anew from time to time: each pose begins its search where the one before it ended.
    few = range(0, count, 500)
    truth = [each for k in few for each in touching_by_pinocchio(path, full[k : k + 500])]
    graze = [k for k in range(count) if found[k] != truth[k]]
    distances = distances_by_pinocchio(path, [full[k] for k in graze])
    for k, near in zip(graze, distances, strict=True):
        # A hair apart or a hair inside: two ways to the same frames round differently. Without
        # contacts, coal also misses some solids that it finds no distance to.
        assert all(near[pair] < 1e-5 for pair in found[k] - truth[k])
        assert all(abs(near[pair]) < 1e-5 for pair in truth[k] - found[k])
    # The hulls that are compared first and the meshes of both round at a distance of a hair, so a
    # pose in which links graze each other may differ; robots with many links have one in 500.
    assert len(graze) <= count / 500
    assert sum(map(len, truth)) > count


def touching_by_search(search: PairSearch, pairs: list[Pair], frames: Frames) -> list[set[Pair]]:
    """The pairs that touch in each pose: all of them, where a count may end early."""
    found: list[set[Pair]] = [set() for _ in range(frames.places.shape[1])]
    for pair, close in search._find_close(pairs, frames):
        first, second = (search._index[name] for name in pair)
        relation = relate(frames, first, second, close)
        near = search._tester.find_near(pair, *relation)
        for place in near.tolist():
            if search._tester.touch(pair, relation[0][place], relation[1][place]):
                found[close[place]].add(pair)
    return found


def followers(tree: Any, pose: dict[str, float]) -> dict[str, float]:
    return {
        name: mimic.multiplier * pose[mimic.joint] + mimic.offset
        for name, mimic in tree.masters.items()
    }


def test_panda_gets_the_matrix_that_is_published_in_no_time() -> None:
    robot = read_robot(PANDA)
    published = read_srdf(PANDA.parents[1] / "srdf" / "panda.srdf", robot=robot)
    for _ in within(20.0):
        found = find_disabled_collisions(robot)
    wanted = {
        (*sorted((pair.link1, pair.link2)), pair.reason) for pair in published.disabled_collisions
    }
    assert {(pair.link1, pair.link2, pair.reason) for pair in found} == wanted
    assert list(found) == sorted(found, key=lambda pair: (pair.link1, pair.link2))
    assert find_disabled_collisions(robot, samples=50, seed=7) == find_disabled_collisions(
        robot, samples=50, seed=7
    )


# Adjacent


def adjacent_by_moveit(robot: Robot, shaped: set[str]) -> set[Pair]:
    """As the assistant does: bare links join all their neighbours, until nothing changes."""
    graph: dict[str, set[str]] = {link.name: set() for link in robot.links}
    for joint in robot.joints:
        graph[joint.parent].add(joint.child)
        graph[joint.child].add(joint.parent)
    changed = True
    while changed:
        changed = False
        for link, near in graph.items():
            if link in shaped:
                continue
            for a, b in combinations(sorted(near), 2):
                if b not in graph[a]:
                    graph[a].add(b)
                    graph[b].add(a)
                    changed = True
    return {(a, b) for a in shaped for b in graph[a] if a < b and b in shaped}


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_adjacent_links_are_those_of_moveit(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 12))
    parents = [data.draw(st.integers(0, max(0, i - 1))) for i in range(count)]
    shaped = data.draw(st.sets(st.sampled_from([f"l{i}" for i in range(count)])))
    robot = Robot(
        name="r",
        links=tuple(Link(name=f"l{i}") for i in range(count)),
        joints=tuple(
            Joint(name=f"j{i}", type="fixed", parent=f"l{parents[i]}", child=f"l{i}")
            for i in range(1, count)
        ),
    )
    tree = plan_tree(robot, Diagnostics())
    parts: Any = dict.fromkeys(shaped, ())
    assert set(find_adjacent(tree, parts)) == adjacent_by_moveit(robot, shaped)


# Poses


def test_links_stand_where_forward_kinematics_puts_them() -> None:
    kinds = ("revolute", "prismatic", "fixed", "continuous", "spherical", "revolute")
    joints = tuple(
        Joint(
            name=f"j{i}",
            type=kind,
            parent=f"l{i}",
            child=f"l{i + 1}",
            origin=Pose(xyz=(0.1 * i, 0.2, -0.1), rpy=(0.3, 0.2 * i, -0.4)),
            axis=(1.0, 2.0, -0.5),
            limit=Limit(lower=-0.7, upper=1.1),
            mimic=Mimic(joint="j0", multiplier=-2.0, offset=0.1) if i == 5 else None,
        )
        for i, kind in enumerate(kinds)
    )
    robot = Robot(
        name="r", links=tuple(Link(name=f"l{i}") for i in range(len(kinds) + 1)), joints=joints
    )
    tree = plan_tree(robot, Diagnostics())
    sampler = Sampler(tree)
    poses = sampler.draw(np.random.default_rng(1), 5)
    assert (poses.numbers[:, :2] >= -0.7).all()
    assert (poses.numbers[:, :2] <= 1.1).all()
    frames = sampler.find_frames(poses)
    for k in range(5):
        positions: dict[str, Any] = dict(zip(sampler.names, poses.numbers[k].tolist(), strict=True))
        positions["j4"] = tuple(poses.turns[k, 0].tolist())
        wanted = forward_kinematics(robot, positions)
        for i, link in enumerate(tree.links):
            assert np.allclose(frames.rotations[i, k], wanted[link.name][:3, :3], atol=1e-12)
            assert np.allclose(frames.places[i, k], wanted[link.name][:3, 3], atol=1e-12)


# Small robots


def make_pendulum(reach: float, upper: float = math.pi) -> Robot:
    """A ball that swings about z at a distance past a box."""
    return Robot(
        name="r",
        links=(
            Link(name="base"),
            Link(
                name="box",
                collisions=(Collision(geometry=Box(size=(0.2, 0.2, 0.2))),),
            ),
            Link(
                name="ball",
                collisions=(
                    Collision(geometry=Sphere(radius=0.1), origin=Pose(xyz=(reach, 0.0, 0.0))),
                ),
            ),
        ),
        joints=(
            Joint(
                name="stand",
                type="prismatic",
                parent="base",
                child="box",
                origin=Pose(xyz=(-1.0, 0.0, 0.0)),
                axis=(0.0, 0.0, 1.0),
                limit=Limit(lower=0.0, upper=0.0),
            ),
            Joint(
                name="swing",
                type="revolute",
                parent="base",
                child="arm",
                axis=(0.0, 0.0, 1.0),
                limit=Limit(lower=-upper, upper=upper),
            ),
            Joint(
                name="turn",
                type="revolute",
                parent="arm",
                child="ball",
                axis=(1.0, 0.0, 0.0),
                limit=Limit(lower=-1.0, upper=1.0),
            ),
        ),
    )


def reasons(robot: Robot, samples: int = 500) -> dict[Pair, str]:
    found = find_disabled_collisions(robot, samples=samples)
    return {(pair.link1, pair.link2): pair.reason for pair in found}


def test_every_reason_is_found() -> None:
    # base and arm have no shapes, so ball and box are neighbours.
    assert reasons(make_pendulum(1.0)) == {("ball", "box"): "Adjacent"}
    shape = Collision(geometry=Sphere(radius=0.01))
    robot = make_pendulum(1.0)
    links = (replace(robot.links[0], collisions=(shape,)), *robot.links[1:])
    reached = replace(robot, links=links)
    near = {("ball", "base"): "Adjacent", ("base", "box"): "Adjacent"}
    assert reasons(reached) == near
    short = replace(make_pendulum(0.5), links=(links[0], *make_pendulum(0.5).links[1:]))
    assert reasons(short) == near | {("ball", "box"): "Never"}
    at_zero = replace(make_pendulum(-1.0), links=(links[0], *make_pendulum(-1.0).links[1:]))
    assert reasons(at_zero) == near | {("ball", "box"): "Default"}


def test_what_lies_inside_a_solid_touches_it() -> None:
    inner = Link(name="inner", collisions=(Collision(geometry=Sphere(radius=0.01)),))
    outer = Link(name="outer", collisions=(Collision(geometry=Box(size=(1.0, 1.0, 1.0))),))
    middle = Link(name="middle", collisions=(Collision(geometry=Sphere(radius=0.02)),))
    robot = Robot(
        name="r",
        links=(outer, middle, inner),
        joints=(
            Joint(name="a", type="continuous", parent="outer", child="middle"),
            Joint(name="b", type="continuous", parent="middle", child="inner"),
        ),
    )
    assert reasons(robot, 0)["inner", "outer"] == "Default"


def test_a_number_of_poses_that_makes_no_sense_is_refused() -> None:
    for samples in (-1, 10**9):
        with pytest.raises(KinematicsError, match="number of poses"):
            find_disabled_collisions(make_pendulum(1.0), samples=samples)


def test_without_library_and_blender_it_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(disabled_pairs, "find_coal", lambda: None)
    monkeypatch.setitem(sys.modules, "bpy", None)
    name = "urdf_importer.features.collisions.blender.links"
    monkeypatch.delitem(sys.modules, name, raising=False)
    said = Diagnostics()
    found = find_disabled_collisions(make_pendulum(1.0), samples=1, diagnostics=said)
    assert [each.code for each in said] == ["without-coal"]
    monkeypatch.undo()
    assert found == find_disabled_collisions(make_pendulum(1.0), samples=1)


def test_a_star_of_bare_links_takes_time_for_its_pairs_alone() -> None:
    count = 4000
    robot = Robot(
        name="star",
        links=(Link(name="hub"), *(Link(name=f"l{i}") for i in range(count))),
        joints=tuple(
            Joint(name=f"j{i}", type="fixed", parent="hub", child=f"l{i}") for i in range(count)
        ),
    )
    for _ in within(5.0):
        assert find_disabled_collisions(robot) == ()


# In an SRDF


def test_computed_pairs_take_the_place_of_computed_ones() -> None:
    def pair(a: str, b: str, reason: str) -> CollisionPair:
        return CollisionPair(link1=a, link2=b, reason=reason)

    old = Semantics(
        name="r",
        disabled_collisions=(
            pair("b", "a", "Never"),
            pair("a", "c", "User"),
            pair("c", "d", "Always"),
        ),
    )
    found = (pair("a", "b", "Default"), pair("a", "c", "Never"), pair("b", "d", "Adjacent"))
    assert replace_disabled(old, found).disabled_collisions == (
        pair("a", "c", "User"),
        pair("b", "a", "Default"),
        pair("b", "d", "Adjacent"),
    )


def test_pairs_that_always_touch_are_set_aside_in_linear_time() -> None:
    pairs = list(combinations([f"l{i}" for i in range(283)], 2))
    first = set(pairs[:1000])

    def count(left: Any, frames: Any, most: int, *_: Any) -> Any:
        yield from ()
        return {pair: most if pair in first else 0 for pair in left}

    draw = SimpleNamespace(draw=lambda *_: None, find_frames=lambda _: None)
    search: Any = SimpleNamespace(sampler=draw, count=count)
    for _ in within(0.5):
        found = drain(_find_always(search, pairs, np.random.default_rng(0), set()))
        assert set(found) == first and len(pairs) > 39_000
