# SPDX-License-Identifier: GPL-3.0-or-later
"""Links that go along paths, in other people's axes and units, there and back."""

import bpy
import numpy as np
import pytest

from support.arm_chains import ARMS
from urdf_importer import (
    Convention,
    KinematicsError,
    RigIKOptions,
    add_ik,
    bake_path,
    get_joint_positions,
    link_pose,
    remove_ik,
    trace_path,
    write_link_path,
)

pytestmark = pytest.mark.usefixtures("scene", "no_watch")
PANDA = next(arm for arm in ARMS if arm.name == "panda")
HERS = Convention("zxy", 0.01)
HAND = "panda_hand"


@pytest.fixture(autouse=True)
def ten_frames_a_second(scene):
    bpy.context.scene.render.fps = 10


def show(armature, frame):
    bpy.context.scene.frame_set(frame)
    return link_pose(armature, HAND)


def test_a_table_in_her_axes_becomes_keys(panda, tmp_path):
    """Ten frames a second: 5 cm up in her axes, then 4 cm to her x, the robot's y."""
    there = link_pose(panda, HAND)
    x, y, z = link_pose(panda, HAND, convention=HERS)[:3, 3]
    rows = [(0.0, x, y, z), (0.5, x, y + 5.0, z), (1.0, x + 4.0, y + 5.0, z)]
    lines = ["time,x,y,z", *(",".join(map(repr, map(float, row))) for row in rows)]
    (tmp_path / "path.csv").write_text("\n".join(lines))
    before = bpy.context.scene.frame_current
    options = RigIKOptions(convention=HERS, orientation="keep")
    result = bake_path(panda, HAND, route=tmp_path / "path.csv", start_frame=11, options=options)
    assert (result.first, result.last, result.failed) == (11, 21, ())
    assert bpy.context.scene.frame_current == before
    show(panda, 21)
    found = get_joint_positions(panda)
    ends = {name: found[name] for name in result.positions}
    assert ends == pytest.approx(result.positions, abs=1e-6)
    for frame, step in ((11, (0, 0, 0)), (16, (0, 0, 0.05)), (18, (0, 0.016, 0.05)),
                        (21, (0, 0.04, 0.05))):  # fmt: skip
        shown = show(panda, frame)
        assert shown[:3, 3] == pytest.approx(there[:3, 3] + step, abs=2e-5)
        assert shown[:3, :3] == pytest.approx(there[:3, :3], abs=5e-5)


def test_what_is_traced_bakes_the_same_again(panda, tmp_path):
    """Out in her axes, back from the file: the same way, to single precision."""
    target = add_ik(panda, HAND)
    target.keyframe_insert("location", frame=1)
    target.location.z += 0.1
    target.location.y += 0.1
    target.keyframe_insert("location", frame=5)
    rows = trace_path(panda, HAND, frame_range=(1, 5), convention=HERS)
    way = write_link_path(rows, tmp_path / "way.csv")
    assert [row[0] for row in rows] == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4])
    with pytest.raises(KinematicsError, match="let go of it first"):
        bake_path(panda, HAND, route=rows)
    remove_ik(target)
    assert bake_path(panda, HAND, route=way, options=RigIKOptions(convention=HERS)).failed == ()
    again = trace_path(panda, HAND, frame_range=(1, 5), convention=HERS)
    assert np.array(again)[:, 1:4] == pytest.approx(np.array(rows)[:, 1:4], abs=3e-3)
    turns = np.abs(np.sum(np.array(again)[:, 4:] * np.array(rows)[:, 4:], axis=1))
    assert turns == pytest.approx(1.0, abs=1e-6)


def test_frames_of_a_path_that_fail_are_listed_and_hold(panda):
    place = tuple(link_pose(panda, HAND)[:3, 3])
    rows = [(0.0, *place), (0.1, *place), (0.2, 4.0, 0.0, 0.0)]
    assert bake_path(panda, HAND, route=rows, start_frame=3).failed == (5,)
    show(panda, 4)
    held = get_joint_positions(panda)
    show(panda, 5)
    assert get_joint_positions(panda) == pytest.approx(held, abs=1e-6)


def test_a_route_of_points_frees_the_turn(panda):
    there = link_pose(panda, HAND)
    rows = [(0.0, *there[:3, 3]), (0.5, *(there[:3, 3] + (0.0, 0.2, -0.2)))]
    assert bake_path(panda, HAND, route=rows).failed == ()
    assert not np.allclose(show(panda, 6)[:3, :3], there[:3, :3], atol=1e-2)


def test_paths_in_the_world_and_of_other_rates(panda):
    panda.location = (0.5, 1.0, 0.0)
    panda.rotation_euler = (0.0, 0.0, 1.0)
    bpy.context.view_layer.update()
    world = np.array(panda.matrix_world) @ link_pose(panda, HAND)
    rows = [(0.0, *world[:3, 3]), (2.0, *(world[:3, 3] + (0.0, 0.03, 0.02)))]
    assert (
        bake_path(panda, HAND, route=rows, fps=2.0, options=RigIKOptions(in_frame="world")).failed
        == ()
    )
    shown = np.array(panda.matrix_world) @ show(panda, 5)
    assert shown[:3, 3] == pytest.approx(rows[1][1:], abs=3e-5)
