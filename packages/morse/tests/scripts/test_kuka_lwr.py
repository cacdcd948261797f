# SPDX-License-Identifier: GPL-3.0-or-later
"""MORSE's own KUKA arm, made by hand, and the same arm imported: MORSE's actuator gets the same
calls for both, and moves both the same.

The description below is written from the arm's published numbers: heights of its axes above its
foot, their directions, its ranges. The file by hand has the same heights, and stands its bones for
A3, A5 anywhere along their axes, as is theirs to choose; so motions are compared, not bones.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from morse_support.driven_robots import add_empty, import_for_morse
from morse_support.game_double import Game
from morse_support.morse_runtime import (
    ARMATURE,
    ARMATURE_POSE,
    Runtime,
    mark_component,
    mark_robot,
    start_morse,
)
from support.blender.rigs import new_scene

HEIGHTS = (0.0, 0.3105, 0.5105, 0.7105, 0.9105, 1.1005, 1.1785)
AXES = ("0 0 1", "0 -1 0", "0 0 1", "0 1 0", "0 0 1", "0 -1 0", "0 0 1")
RANGES = (170.0, 120.0, 170.0, 120.0, 170.0, 120.0, 170.0)
"""Degrees to either side."""

NAMES = [f"kuka_{number}" for number in range(1, 8)]
WITHIN = 6e-5
"""Metres and radians; measured 4.1e-5, of the bones by hand, which do not stand that straight."""

Motions = dict[str, Any]


def description() -> str:
    links = "".join(f'<link name="link_{number}"/>' for number in range(8))
    joints = []
    for index, name in enumerate(NAMES):
        up = HEIGHTS[index] - (HEIGHTS[index - 1] if index else 0.0)
        most = math.radians(RANGES[index])
        joints.append(
            f'<joint name="{name}" type="revolute"><parent link="link_{index}"/>'
            f'<child link="link_{index + 1}"/><origin xyz="0 0 {up}"/><axis xyz="{AXES[index]}"/>'
            f'<limit lower="{-most}" upper="{most}" effort="1" velocity="1"/></joint>'
        )
    return f'<robot name="lwr">{links}{"".join(joints)}</robot>'


@contextmanager
def drive_by_hand(morse_root: Path) -> Iterator[Runtime]:
    path = morse_root / "share/morse/data/actuators/kuka_lwr.blend"
    bpy.ops.wm.open_mainfile(filepath=str(path))
    with drive(morse_root, bpy.data.objects["kuka_armature"]) as runtime:
        yield runtime


@contextmanager
def drive_imported(morse_root: Path, folder: Path) -> Iterator[Runtime]:
    new_scene()
    path = folder / "lwr.urdf"
    path.write_text(description())
    with drive(morse_root, import_for_morse(path).armature) as runtime:
        yield runtime


@contextmanager
def drive(morse_root: Path, armature: Any) -> Iterator[Runtime]:
    armature.name = "arm"
    root = add_empty("robot")
    armature.parent = root
    mark_robot(root)
    mark_component(armature, ARMATURE)
    mark_component(add_empty("arm.pose", armature), ARMATURE_POSE)
    with start_morse(morse_root, Game()) as runtime:
        yield runtime


def positions() -> list[list[float]]:
    generator = np.random.default_rng(1)
    most = np.radians(RANGES)
    # The last one is beyond all limits.
    return [*(generator.uniform(-most, most).tolist() for _ in range(8)), [9.0, -9.0] * 3 + [9.0]]


def record(runtime: Runtime) -> list[tuple[dict[str, float], Motions]]:
    """Of all positions: what the sensor says, and how each bone moved from rest, (4, 4) in the
    frame of the armature."""
    arm, pose = runtime.components["arm"], runtime.components["arm.pose"]
    assert arm.get_joints() == NAMES
    found = []
    for values in positions():
        runtime.frame(partial(arm.set_rotations, values))
        found.append((pose.get_state(), read_motions(bpy.data.objects["arm"])))
    return found


def read_motions(armature: Any) -> Motions:
    shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return {
        bone.name: np.array(bone.matrix @ bone.bone.matrix_local.inverted())
        for bone in shown.pose.bones
    }


def test_the_same_calls_move_both_arms_the_same(morse_root: Path, tmp_path: Path) -> None:
    with drive_by_hand(morse_root) as runtime:
        by_hand = record(runtime)
    with drive_imported(morse_root, tmp_path) as runtime:
        imported = record(runtime)
    moved = 0.0
    for (hand_state, hand), (state, ours) in zip(by_hand, imported, strict=True):
        assert state == pytest.approx(hand_state, abs=3e-6)
        for name in NAMES:
            assert ours[name] == pytest.approx(hand[name], abs=WITHIN), name
        moved = max(moved, np.abs(hand["kuka_7"][:3, 3]).max())
    assert moved > 1.0


def test_limits_are_the_same(morse_root: Path, tmp_path: Path) -> None:
    with drive_by_hand(morse_root) as runtime:
        by_hand = [runtime.components["arm"].get_IK_limits(name) for name in NAMES]
    with drive_imported(morse_root, tmp_path) as runtime:
        imported = [runtime.components["arm"].get_IK_limits(name) for name in NAMES]
    for hand, ours in zip(by_hand, imported, strict=True):
        assert ours == pytest.approx(hand, abs=2e-6)
