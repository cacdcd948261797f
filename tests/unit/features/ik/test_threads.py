# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads may ask about robots at the same time, and get what each would get alone."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from support.linkages import four_bar
from urdf_importer import IKOptions, Robot, forward_kinematics, inverse_kinematics
from urdf_importer.core.kinematics.recent import Recent
from urdf_importer.core.model import Joint, Limit, Link, Pose
from urdf_importer.features.ik.problem import recall_robot

THREADS, TIMES = 6, 10_000


@pytest.fixture(autouse=True)
def _switching() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def arm(length: float) -> Robot:
    joints = tuple(
        Joint(
            name=f"j{i}", type="revolute", parent=f"l{i}", child=f"l{i + 1}",
            origin=Pose(xyz=(length, 0.0, 0.0)), limit=Limit(lower=-2.0, upper=2.0),
        )
        for i in range(2)
    )  # fmt: skip
    return Robot(name="arm", links=tuple(Link(name=f"l{i}") for i in range(3)), joints=joints)


def test_more_robots_than_are_kept() -> None:
    """They are forgotten and looked at again all the time."""
    robots = [arm(0.1 + 0.01 * number) for number in range(40)]

    def ask(thread: int) -> bool:
        numbers = ((turn * (thread + 1)) % 40 for turn in range(TIMES))
        return all(recall_robot(robots[number]).robot is robots[number] for number in numbers)

    with ThreadPoolExecutor(THREADS) as pool:
        assert all(pool.map(ask, range(THREADS)))


def test_more_chains_than_are_kept() -> None:
    robots = [arm(0.1 + 0.01 * number) for number in range(12)]
    targets = [forward_kinematics(robot, {"j0": 0.3, "j1": 0.9})["l2"] for robot in robots]

    def ask(thread: int) -> int:
        wrong = 0
        for turn in range(120):
            number = (turn * (thread + 1)) % len(robots)
            tip = (0.2 + 0.001 * (turn % 70), 0.0, 0.0)
            target = targets[number][:3, :3] @ tip + targets[number][:3, 3]
            found = inverse_kinematics(
                robots[number],
                "l2",
                target=target,
                options=IKOptions(tip=tip, seconds=60.0),
                start_positions={"j0": 0.31, "j1": 0.88},
            )
            there = forward_kinematics(robots[number], found.positions)["l2"]
            shown = there[:3, :3] @ tip + there[:3, 3]
            wrong += not found.success or bool(np.abs(shown - target).max() > 2e-6)
        return wrong

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(ask, range(THREADS))) == [0] * THREADS


def test_more_linkages_than_are_kept() -> None:
    linkage = four_bar(0.3, 1.0, 0.8, 1.1, 0.7)
    assert linkage is not None
    robots = [replace(linkage, name=f"linkage {number}") for number in range(10)]
    alone = forward_kinematics(linkage, {"crank_pin": 0.4})["rocker"]

    def ask(thread: int) -> list[float]:
        return [
            float(np.abs(forward_kinematics(robot, {"crank_pin": 0.4})["rocker"] - alone).max())
            for robot in robots[thread:] + robots[:thread]
        ]

    with ThreadPoolExecutor(THREADS) as pool:
        assert max(max(each) for each in pool.map(ask, range(THREADS))) < 1e-12


def test_one_value_for_one_key() -> None:
    kept: Recent[int, list[int]] = Recent(4)

    def ask(thread: int) -> bool:
        return all(kept.get(key % 5, lambda key=key: [key % 5]) == [key % 5] for key in range(5000))

    with ThreadPoolExecutor(THREADS) as pool:
        assert all(pool.map(ask, range(THREADS)))
    first = kept.get(4, list)
    assert kept.get(4, list) is first
