# SPDX-License-Identifier: GPL-3.0-or-later
"""Fit Shapes and its panel's rows, links that touch in the shown pose, and poses without
collisions."""

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from support.blender.rigs import new_scene
from support.blender.sidebars import activate
from urdf_importer import check_collisions, import_robot, set_joint_positions

pytestmark = pytest.mark.usefixtures("extension", "scene")

_BENT = "".join(
    f"v {x} {y} {z}\n"
    for x, y in ((0, 0), (0.4, 0), (0.4, 0.1), (0.1, 0.1), (0.1, 0.3), (0, 0.3))
    for z in (0, 0.1)
)
_SIDES = "".join(f"f {2 * i + 1} {2 * j + 1} {2 * j + 2} {2 * i + 2}\n" for i, j in
                 ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)))  # fmt: skip
_ENDS = "f 11 9 7 5 3 1\nf 2 4 6 8 10 12\n"
_LINK = """<link name="{0}"><visual><geometry><mesh filename="bent.obj"/></geometry></visual>
<collision><geometry><mesh filename="bent.obj"/></geometry></collision></link>"""
_JOINT = """<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/>
<origin xyz="0.5 0 0"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" velocity="1" effort="1"/></joint>"""
CHAIN = f"""<robot name="chain">{_LINK.format("a")}{_LINK.format("b")}{_LINK.format("c")}
{_JOINT.format("first", "a", "b")}{_JOINT.format("second", "b", "c")}</robot>"""
FOLDED = {"first": 2.6, "second": 2.6}


@pytest.fixture
def chain(tmp_path: Path) -> Any:
    (tmp_path / "bent.obj").write_text(_BENT + _SIDES + _ENDS)
    (tmp_path / "chain.urdf").write_text(CHAIN)
    robot = import_robot(tmp_path / "chain.urdf").armature
    activate(robot)
    return robot


def rows_of(extension: ModuleType, robot: Any) -> dict[str, int]:
    shapes = extension.operators.collisions.panel._recall_shapes(robot)
    return {link: len(marks) for link, marks in shapes.items()}


def test_shapes_are_fitted_and_counted_by_link(extension: ModuleType, chain: Any) -> None:
    assert rows_of(extension, chain) == {"a": 1, "b": 1, "c": 1}
    assert bpy.ops.urdf.fit_collisions(shape="decomposed", parts=2) == {"FINISHED"}
    assert rows_of(extension, chain) == {"a": 2, "b": 2, "c": 2}
    recall = extension.operators.session.session_state
    found = recall(extension.operators.collisions.fit.Fits).found[chain.session_uid]
    assert {name: link.miss < 1e-6 for name, (_, link) in found.items()} == dict.fromkeys("abc", 1)
    assert set(extension.operators.collisions.panel._find_fitted(chain)) == set("abc")


def test_selected_links_alone(extension: ModuleType, chain: Any) -> None:
    bpy.ops.urdf.select_link(link="b")
    assert bpy.ops.urdf.fit_collisions(shape="decomposed", parts=2, selected=True) == {"FINISHED"}
    assert rows_of(extension, chain) == {"a": 1, "b": 2, "c": 1}
    bpy.ops.urdf.select_link(link="c", what="BONE")
    assert bpy.ops.urdf.fit_collisions(shape="decomposed", parts=2, selected=True) == {"FINISHED"}
    assert rows_of(extension, chain) == {"a": 1, "b": 2, "c": 2}
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.object.select_all(action="DESELECT")
    with pytest.raises(RuntimeError, match="select links of the robot first"):
        bpy.ops.urdf.fit_collisions(selected=True)


def test_touching_links_are_those_of_a_check(extension: ModuleType, chain: Any) -> None:
    module = extension.operators.collisions.touching
    for positions in ({"first": 0.0, "second": 0.0}, FOLDED, {"first": 0.2}, FOLDED):
        set_joint_positions(chain, positions)
        bpy.context.view_layer.update()
        found = module.find_touching(chain)
        while not found.look(chain):
            pass
        wanted = {(each.link1, each.link2) for each in check_collisions(chain).contacts}
        assert set(found.pairs) == wanted
    assert found.pairs == (("a", "c"),)
    assert module.find_touching(chain) is found, "loading shapes changes none"
    chain.location = (3.0, 2.0, 1.0)
    chain.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    assert found.look(chain) and found.pairs == (("a", "c"),)


def test_what_touches_is_loaded_anew_after_shapes_changed(
    extension: ModuleType, chain: Any
) -> None:
    set_joint_positions(chain, FOLDED)
    bpy.context.view_layer.update()
    module = extension.operators.collisions.touching
    found = module.find_touching(chain)
    bpy.ops.urdf.fit_collisions(shape="sphere")
    bpy.context.view_layer.update()
    again = module.find_touching(chain)
    assert again is not found
    while not again.look(chain):
        pass
    assert ("a", "c") in again.pairs


def test_random_poses_and_solutions_without_self_collision(chain: Any) -> None:
    settings: Any = bpy.context.window_manager.urdf_ik
    plain = []
    for seed in range(12):
        bpy.ops.urdf.random_pose(seed=seed)
        bpy.context.view_layer.update()
        plain.append(check_collisions(chain).collides)
        bpy.ops.urdf.random_pose(seed=seed, avoid_collisions=True)
        bpy.context.view_layer.update()
        assert not check_collisions(chain).collides
    assert any(plain) and not all(plain)
    set_joint_positions(chain, FOLDED)
    bpy.context.view_layer.update()
    settings.link, settings.source, settings.orientation = "c", "numbers", "keep"
    settings.mode, settings.place = "relative", (0.0, 0.0, 0.0)
    assert bpy.ops.urdf.solve_ik() == {"FINISHED"}
    settings.avoid_collisions = True
    try:
        assert bpy.ops.urdf.solve_ik() == {"CANCELLED"}
    finally:
        settings.avoid_collisions = False


def test_a_linked_robot_keeps_its_shapes(chain: Any, tmp_path: Path) -> None:
    collection = bpy.context.scene.collection.children[0].name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "chain.blend"), copy=True)
    new_scene()
    with bpy.data.libraries.load(str(tmp_path / "chain.blend"), link=True) as (_, wanted):
        wanted.collections = [collection]
    bpy.context.scene.collection.children.link(wanted.collections[0])
    (robot,) = (item for item in bpy.context.scene.objects if item.type == "ARMATURE")
    bpy.context.view_layer.objects.active = robot
    before = {item.name for item in bpy.data.objects}
    with pytest.raises(RuntimeError, match="linked"):
        bpy.ops.urdf.fit_collisions(shape="box")
    assert {item.name for item in bpy.data.objects} == before
