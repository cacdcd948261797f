# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender makes of bones what was worked out before, and is asked once or twice for any robot."""

import bpy
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from support import real_robots
from support.big_robots import chain, tree
from support.blender.rigs import build, new_scene
from urdf_importer import ImportOptions, plan_rig, read_robot
from urdf_importer.core.blender import modes
from urdf_importer.core.blender.build import armature as bones_of
from urdf_importer.core.blender.modes import edit_bones_of
from urdf_importer.core.rig.bone_arithmetic import (
    NO_PARENT,
    ORIGIN,
    edit_frame,
    rest_of,
    roll_frame,
)
from urdf_importer.core.rig.exact_bones import (
    EditBones,
    aim_axes,
    compute_edit_bones,
    fit_bones,
    gather_bones,
    measure_errors,
)

BARE = ImportOptions(visuals=False, collisions=False)


@pytest.fixture(autouse=True)
def scene():
    new_scene()


@pytest.fixture
def entries(monkeypatch):
    """One item for each time that edit mode was entered."""
    entered = []

    def count(armature):
        entered.append(armature.name)
        return edit_bones_of(armature)

    monkeypatch.setattr(modes, "edit_bones_of", count)
    monkeypatch.setattr(bones_of, "edit_bones_of", count)
    return entered


def throw_bones(seed, count=40):
    """Bones on each other, many of them folded back or along -Y: the numbers for edit mode, and
    the index of each one's parent."""
    chance = np.random.default_rng(seed)
    heads, tails = np.zeros((count, 3)), np.zeros((count, 3))
    parents = np.array([max(-1, i - 1 - int(chance.exponential())) for i in range(count)])
    for i, up in enumerate(parents.tolist()):
        back = tails[up] - heads[up] if up >= 0 else np.array([0.0, 1.0, 0.0])
        heads[i] = tails[up] + chance.normal(size=3) * chance.choice([0.0, 0.1])
        spread = 10.0 ** chance.uniform(-7, 0.5)
        toward = chance.choice([-back / np.linalg.norm(back), (0.0, -1.0, 0.0)])
        toward = toward + chance.normal(size=3) * spread
        tails[i] = heads[i] + toward / np.linalg.norm(toward) * chance.uniform(0.02, 0.6)
    rolls = chance.uniform(-np.pi, np.pi, count)
    numbers = (np.array(values, np.float32) for values in (heads, tails, rolls))
    return EditBones(**dict(zip(("heads", "tails", "rolls"), numbers, strict=True))), parents


def predict_rests(edit, parents):
    """(N, 4, 4) the rest matrices that Blender should make of bones, parents first."""
    made = []
    rests = np.tile(np.eye(4, dtype=np.float32), (len(parents), 1, 1))
    for i, up in enumerate(parents.tolist()):
        bone = edit.bone(i)
        above = (made[up], edit.bone(up).tail) if up >= 0 else (NO_PARENT, ORIGIN)
        made.append(rest_of(bone, edit_frame(bone, bones_of.MACHINE), *above, bones_of.MACHINE))
        rests[i, :3, :3] = np.transpose(made[i].axes)
        rests[i, :3, 3] = made[i].origin
    return rests


def make_rests(edit, parents):
    """(N, 4, 4) what Blender makes of bones."""
    data = bpy.data.armatures.new("bones")
    armature = bpy.data.objects.new("bones", data)
    bpy.context.scene.collection.objects.link(armature)
    with edit_bones_of(armature) as edit_bones:
        made = [edit_bones.new(f"bone {i}") for i in range(len(parents))]
        for i, up in enumerate(parents.tolist()):
            made[i].parent = made[up] if up >= 0 else None
            bones_of.set_edit_bone(made[i], edit, i)
    rests = bones_of.rest_matrices(armature)
    return np.array([rests[f"bone {i}"] for i in range(len(parents))])


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
def test_arithmetic_is_blenders(seed):
    """To the last bit where the processor is of the family that this was written for; elsewhere
    bones that fold back may differ as much as they are inexact."""
    new_scene()
    edit, parents = throw_bones(seed)
    made = make_rests(edit, parents).astype(np.float32)
    foreseen = predict_rests(edit, parents)
    assert np.array_equal(foreseen, made)


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
def test_angles_rounded_once_are_nearly_blenders(seed):
    chance = np.random.default_rng(seed)
    along = chance.normal(size=3).astype(np.float32)
    along[1] -= np.float32(10.0 ** chance.uniform(-1, 3))
    roll = np.float32(chance.uniform(-np.pi, np.pi))
    made = np.array(bpy.types.Bone.MatrixFromAxisRoll(along.tolist(), float(roll)))
    columns = roll_frame(tuple(along), roll)
    assert np.transpose(columns) == pytest.approx(made, abs=1e-6)


ROBOTS = {f"tree {seed}": lambda seed=seed: tree(100, seed) for seed in range(1, 9)} | {
    "chain": lambda: chain(100)
}
REAL = {
    path: (lambda path=path: read_robot(path))
    for path in real_robots.descriptions()
    if path.stem in ("tiago", "icub", "anymal", "talos_full_v2", "pr2")
}


@pytest.mark.parametrize("make", [*ROBOTS.values(), *REAL.values()], ids=map(str, [*ROBOTS, *REAL]))
def test_edit_mode_is_entered_at_most_twice_and_bones_are_exact(make, entries):
    plan, rig = build(make(), BARE)
    assert 1 <= len(entries) <= 2
    rests = bones_of.rest_matrices(rig.armature)
    for bone in plan.bones:
        off = np.abs(rests[bone.name][:3, 0] - bone.rest[:3, 0]).max()
        if bone.exact:
            assert off <= 1e-6, bone.name


def test_bones_that_are_foreseen_are_made_at_once(entries):
    """On processors where the last bits are known: Blender makes what was predicted."""
    plan = plan_rig(tree(100, 1), options=BARE)
    wanted = gather_bones(plan.bones)
    edit = fit_bones(wanted, bones_of.MACHINE)
    foreseen = predict_rests(edit, wanted.parents)
    assert measure_errors(foreseen[:, :3, :3], aim_axes(wanted, edit)).max() < 7e-7
    build(tree(100, 1), BARE)
    assert len(entries) == 1


@example(1)
@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
def test_other_arithmetic_is_mended_in_one_more_visit(seed):
    """Numbers of another machine that come out wrong are mended from what Blender made of them."""
    new_scene()
    plan = plan_rig(tree(60, seed), options=BARE)
    wanted = gather_bones(plan.bones)
    data = bpy.data.armatures.new("bones")
    armature = bpy.data.objects.new("bones", data)
    bpy.context.scene.collection.objects.link(armature)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            bones_of, "find_edit_bones", lambda bones: compute_edit_bones(gather_bones(bones))
        )
        bones_of.build_bones(armature, plan.bones)
    rests = bones_of.rest_matrices(armature)
    made = np.array([rests[bone.name] for bone in plan.bones])
    exact = np.array([bool(bone.exact) for bone in plan.bones])
    assert np.abs(made[:, :3, 0] - wanted.axes[:, :, 0])[exact].max() <= 1e-6
