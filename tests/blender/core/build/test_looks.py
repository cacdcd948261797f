# SPDX-License-Identifier: GPL-3.0-or-later
"""Bone shapes, bone colours and limit arcs as they stand in Blender."""

from dataclasses import replace

import bpy
import numpy as np
import pytest

import urdf_importer
from support import real_robots
from support.blender import rigs
from support.blender.rigs import new_scene, shown_frames
from support.blender.snapshots import list_data
from support.paths import ROOT
from urdf_importer import ImportOptions
from urdf_importer.core.blender.build.build import build_rig
from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.rig.looks import draw_limits, draw_marks
from urdf_importer.core.rig.plan import plan_rig

SAMPLES = sorted((ROOT / "sample_urdfs").glob("*.urdf"))
LEG = ROOT / "sample_urdfs" / "quadruped_leg.urdf"
GANTRY = ROOT / "sample_urdfs" / "gantry.urdf"


@pytest.fixture(autouse=True)
def scene():
    new_scene()


def widgets():
    return [item for item in bpy.data.objects if "urdf_widget" in item]


def build(robot, options=None):
    """The rig without meshes, which have no say in it."""
    options = replace(options or ImportOptions(), visuals=False, collisions=False)
    return rigs.build(robot, options)


def read(path):
    return urdf_importer.read_robot(path)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_bones_have_the_shapes_sizes_and_colours_of_the_plan(path):
    plan, rig = build(read(path))
    colors = {}
    for planned in plan.bones:
        bone = rig.armature.pose.bones[planned.name]
        if planned.look is None:
            assert bone.custom_shape is None and bone.bone.color.palette == "DEFAULT"
            continue
        points, edges = draw_marks(planned.look.marks)
        mesh = bone.custom_shape.data
        assert np.array([v.co for v in mesh.vertices]) == pytest.approx(points, abs=1e-6)
        assert [tuple(edge.vertices) for edge in mesh.edges] == edges and not mesh.polygons
        assert not bone.use_custom_shape_bone_size
        assert tuple(bone.custom_shape_scale_xyz) == pytest.approx((planned.look.radius,) * 3)
        assert bone.bone.color.palette == "CUSTOM"
        shades = bone.bone.color.custom
        colors[planned.look.role] = tuple(shades.normal)
        lightness = [sum(shade) for shade in (shades.normal, shades.select, shades.active)]
        assert lightness == sorted(set(lightness))
        assert max(shades.normal) - 0.24 > 0.3, "dark on the theme's dark grey"
    assert len(set(colors.values())) == len(colors)


def test_no_scene_holds_the_shapes_and_bones_do():
    build(read(LEG))
    assert widgets()
    for widget in widgets():
        assert not widget.users_collection and not widget.use_fake_user
        assert widget.users == sum(
            bone.custom_shape == widget
            for item in bpy.data.objects
            if item.type == "ARMATURE"
            for bone in item.pose.bones
        )


def test_robots_share_shapes():
    build(read(LEG))
    before = set(widgets())
    build(read(LEG))
    assert set(widgets()) == before
    build(read(GANTRY))
    names = [widget.name for widget in widgets()]
    assert len(set(names)) == len(names) > len(before)


def test_an_object_of_the_same_name_is_not_taken_for_a_shape():
    other = bpy.data.objects.new("WGT-slide_X", None)
    _, rig = build(read(GANTRY))
    shapes = {bone.custom_shape for bone in rig.armature.pose.bones if bone.custom_shape}
    assert other not in shapes and shapes


def test_an_edited_shape_is_kept():
    build(read(GANTRY))
    (widget,) = widgets()
    widget.data.vertices[0].co.x = 7.0
    build(read(GANTRY))
    assert widgets() == [widget] and widget.data.vertices[0].co.x == 7.0


def test_shapes_are_saved_with_the_bones_and_go_with_the_last(tmp_path):
    path = tmp_path / "leg.blend"
    _, rig = build(read(LEG))
    names = sorted(widget.name for widget in widgets())
    name = rig.armature.name
    urdf_importer.save_blend(path)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    assert sorted(widget.name for widget in widgets()) == names
    bpy.data.objects.remove(bpy.data.objects[name])
    bpy.ops.outliner.orphans_purge(do_recursive=True)
    assert not widgets() and not any("WGT" in mesh.name for mesh in bpy.data.meshes)


def step(path, **options):
    chosen = ImportOptions(**options)
    plan = plan_rig(read(path), options=chosen)
    return build_rig(plan, chosen, rigs.no_files(Diagnostics()))


def run_until(steps, reached):
    for _ in steps:
        if reached():
            return
    pytest.fail("the import came to its end")


@pytest.mark.parametrize("arcs", [False, True])
def test_a_cancelled_import_takes_its_shapes_back(arcs):
    before = list_data()
    steps = step(LEG, visuals=False, collisions=False, limit_arcs=arcs)
    run_until(steps, lambda: "quadruped_leg limits" in bpy.data.collections if arcs else widgets())
    assert widgets()
    steps.close()
    assert list_data() == before


def test_a_cancelled_import_leaves_what_another_robot_uses():
    build(read(GANTRY))
    before = list_data()
    (shared,) = widgets()
    steps = step(LEG, visuals=False, collisions=False)
    run_until(steps, lambda: len(widgets()) > 1)
    steps.close()
    assert list_data() == before and widgets() == [shared]


def test_a_shape_that_another_import_came_to_use_stays():
    steps = step(GANTRY, visuals=False, collisions=False)
    run_until(steps, widgets)
    (widget,) = widgets()
    _, rig = build(read(GANTRY))
    steps.close()
    assert widgets() == [widget]
    assert {bone.custom_shape for bone in rig.armature.pose.bones} == {widget}


def test_without_the_option_bones_are_as_blender_draws_them():
    _, rig = build(read(LEG), ImportOptions(bone_shapes=False))
    assert not widgets()
    for bone in rig.armature.pose.bones:
        assert bone.custom_shape is None and bone.use_custom_shape_bone_size
        assert bone.bone.color.palette == "DEFAULT"


def test_shapes_change_nothing_about_where_things_stand():
    shown = []
    for option in (True, False):
        new_scene()
        _, rig = build(read(LEG), ImportOptions(bone_shapes=option, limit_arcs=option))
        urdf_importer.set_joint_positions(rig.armature, {"knee": 0.7, "hip_roll": 0.2})
        shown.append(shown_frames(rig.links))
    assert all((shown[0][name] == shown[1][name]).all() for name in shown[1])


# Limit arcs


def arcs_of(rig):
    return [item for item in rig.armature.children_recursive if "urdf_limits_of" in item]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_limit_arcs_stand_in_the_link_above_the_joint(path):
    plan, rig = build(read(path), ImportOptions(limit_arcs=True))
    made = {arc["urdf_limits_of"]: arc for arc in arcs_of(rig)}
    assert sorted(made) == sorted(mark.joint for mark in plan.limit_marks)
    for mark in plan.limit_marks:
        arc = made[mark.joint]
        assert arc.parent == rig.links[mark.parent]
        assert np.array(arc.matrix_basis) == pytest.approx(mark.place, abs=1e-6)
        points, edges = draw_limits(mark)
        assert np.array([v.co for v in arc.data.vertices]) == pytest.approx(points, abs=1e-5)
        assert len(arc.data.edges) == len(edges) and not arc.data.polygons
        assert arc.hide_render and arc.display_type == "WIRE" and "urdf_shape" not in arc
        assert [part["urdf_part"] for part in arc.users_collection] == ["Limits"]


def test_limit_arcs_stay_where_the_joint_turns_against():
    plan, rig = build(read(LEG), ImportOptions(limit_arcs=True))
    made = {arc["urdf_limits_of"]: arc for arc in arcs_of(rig)}
    before = shown_frames(made)
    urdf_importer.set_joint_positions(rig.armature, {"knee": 0.9})
    after = shown_frames(made)
    moved = {name for name in made if np.abs(before[name] - after[name]).max() > 1e-4}
    assert moved and "knee" not in moved
    assert moved <= {"ankle_pitch", "ankle_roll"}
    assert plan.limit_marks


def test_limit_arcs_are_made_by_option_only():
    _, rig = build(read(LEG))
    assert not arcs_of(rig)
    assert "Limits" not in [part["urdf_part"] for part in rig.collection.children]


@pytest.mark.parametrize("name", ["panda.urdf", "talos_full_v2.urdf", "baxter.urdf"])
def test_marks_of_real_robots_are_seen_and_hide_nothing(name):
    (path,) = [item for item in real_robots.descriptions() if item.name == name]
    plan, rig = build(read(path))
    shaped = [bone for bone in rig.armature.pose.bones if bone.custom_shape]
    assert {bone.name for bone in shaped} == {bone.name for bone in plan.bones if bone.look}
    for bone in shaped:
        reach = max(v.co.length for v in bone.custom_shape.data.vertices)
        share = reach * max(bone.custom_shape_scale_xyz) / plan.size
        assert 0.005 < share < (0.45 if bone.parent is None else 0.15)
