# SPDX-License-Identifier: GPL-3.0-or-later
"""An updated rig that the user did not touch is what a fresh import of the new source makes."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.blender.rigs import new_scene
from support.blender.snapshots import describe_scene, list_data
from support.paths import ROOT
from support.real_robots import descriptions
from support.strategies import Wishes, robots, write_robot_text
from urdf_importer import ImportOptions, compare_with_source, import_robot, update_robot
from urdf_importer.core.blender.extract.robot import extract_robot
from urdf_importer.core.model import Joint, Limit, Link, Pose, Robot
from urdf_importer.core.reshape.compare import compare_robots

SAMPLES = sorted((ROOT / "sample_urdfs").glob("*.urdf"))
WISHES = Wishes(most_links=8, swapped_limits=True, missing_limits=True, mimic_rings=False)
FOLDERS = (str(ROOT / "sample_urdfs"),)
PLAIN = ImportOptions(package_paths=FOLDERS)
EVERYTHING = replace(PLAIN, limit_arcs=True, rigid_bodies=True)
OPTIONS = {
    "plain": PLAIN,
    "everything": EVERYTHING,
    "separate": replace(PLAIN, combine_joints=False, inertials=False),
    "folded": replace(PLAIN, fixed_joints="fold", visuals=False),
    "free": replace(PLAIN, enforce_limits=False, collisions=False, bone_shapes=False),
    "morse": replace(PLAIN, profile="morse"),
}

pytestmark = pytest.mark.usefixtures("scene")


def describe() -> dict[str, Any]:
    """The scene; bones and drivers by name, since Blender adds new ones at the end."""
    shown = describe_scene()
    for item in shown.values():
        if "bones" in item:
            item["bones"] = {bone["name"]: bone for bone in item["bones"]}
            item["drivers"] = sorted(item["drivers"])
    return shown


def data() -> dict[str, list[str]]:
    """The rigid body world belongs to the scene and stays."""
    listed = list_data()
    listed["collections"] = [name for name in listed["collections"] if name != "RigidBodyWorld"]
    return listed


def assert_updates(
    path: Path,
    before: str,
    after: str,
    options: ImportOptions | None = None,
    then: ImportOptions | None = None,
) -> None:
    new_scene()
    path.write_text(before)
    armature = import_robot(path, options=options).armature
    path.write_text(after)
    told = compare_with_source(armature, options=then)
    result = update_robot(armature, options=then)
    assert result.changes == told
    assert result.armature == armature
    assert extract_robot(armature) == result.robot
    again = update_robot(armature)
    assert again.changes == ()
    assert (again.links, again.visuals, again.collisions) == (
        result.links,
        result.visuals,
        result.collisions,
    )
    updated, listed = describe(), data()
    new_scene()
    fresh = import_robot(path, options=then or options)
    assert updated == describe()
    assert listed == data()
    assert result.bones == fresh.bones
    if result.changes:
        assert list(map(str, result.diagnostics)) == list(map(str, fresh.diagnostics))


def read_sample(path: Path) -> str:
    folder = path.parent.as_posix()
    return path.read_text().replace('filename="meshes/', f'filename="{folder}/meshes/')


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_an_unchanged_file_changes_nothing_at_all(path: Path, options: str) -> None:
    result = import_robot(path, options=OPTIONS[options])
    assert extract_robot(result.armature) == result.robot
    shown, listed = describe_scene(), list_data()
    assert update_robot(result.armature).changes == ()
    assert describe_scene() == shown and list_data() == listed


CHANGES: dict[str, Callable[[str], str]] = {
    "limits": lambda text: re.sub(r'upper="[^"]*"', 'upper="0.7"', text),
    "types": lambda text: re.sub(r'type="(revolute|prismatic)"', 'type="continuous"', text),
    "fixed": lambda text: re.sub(r'type="revolute"', 'type="fixed"', text, count=1),
    "axes": lambda text: re.sub(r'<axis xyz="[^"]*"', '<axis xyz="0.6 0 0.8"', text),
    "against": lambda text: re.sub(r'<axis xyz="0 1 0"', '<axis xyz="0 -1 0"', text),
    "places": lambda text: re.sub(r'xyz="0 0 ', 'xyz="0 0.05 ', text),
    "shapes": lambda text: text.replace("<box ", '<sphere radius="0.1"/><box '),
    "colours": lambda text: re.sub(r'rgba="[^"]*"', 'rgba="0.2 0.4 0.6 1"', text),
    "masses": lambda text: re.sub(r'<mass value="[^"]*"', '<mass value="3.25"', text),
    "name": lambda text: re.sub(r'<robot name="[^"]*"', '<robot name="other"', text),
    "no shapes": lambda text: re.sub(r"<(visual|collision)\b.*?</\1>", "", text, flags=re.DOTALL),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", ["humanoid_arm", "messy"])
def test_changed_samples(name: str, change: str, tmp_path: Path) -> None:
    before = read_sample(ROOT / "sample_urdfs" / f"{name}.urdf")
    after = CHANGES[change](before)
    assert_updates(tmp_path / "r.urdf", before, after, EVERYTHING)
    assert_updates(tmp_path / "r.urdf", after, before, PLAIN)


@pytest.mark.parametrize("change", ["limits", "types", "fixed", "axes"])
@pytest.mark.parametrize("name", ["planar_base", "gripper"])
def test_changed_samples_in_the_profile_morse(name: str, change: str, tmp_path: Path) -> None:
    before = read_sample(ROOT / "sample_urdfs" / f"{name}.urdf")
    after = CHANGES[change](before)
    assert_updates(tmp_path / "r.urdf", before, after, OPTIONS["morse"])
    assert_updates(tmp_path / "r.urdf", after, before, OPTIONS["morse"])


@pytest.mark.parametrize(
    ("options", "then"),
    [
        ("plain", "everything"),
        ("everything", "separate"),
        ("separate", "folded"),
        ("folded", "free"),
        ("everything", "morse"),
    ],
)
@pytest.mark.parametrize("name", ["humanoid_arm", "gripper", "planar_base"])
def test_other_options(name: str, options: str, then: str, tmp_path: Path) -> None:
    text = read_sample(ROOT / "sample_urdfs" / f"{name}.urdf")
    one, other = OPTIONS[options], OPTIONS[then]
    assert_updates(tmp_path / "r.urdf", text, text, one, other)
    assert_updates(tmp_path / "r.urdf", text, text, other, one)


@pytest.mark.parametrize(
    ("one", "other"), [("humanoid_arm", "drone"), ("gantry", "messy"), ("messy", "gripper")]
)
def test_a_robot_becomes_another(one: str, other: str, tmp_path: Path) -> None:
    texts = [read_sample(ROOT / "sample_urdfs" / f"{name}.urdf") for name in (one, other)]
    assert_updates(tmp_path / "r.urdf", texts[0], texts[1], PLAIN)


@settings(max_examples=12)
@given(before=robots(WISHES), after=robots(WISHES))
def test_random_robots(before: Robot, after: Robot, tmp_path_factory: Any) -> None:
    path = tmp_path_factory.mktemp("update") / "r.urdf"
    assert_updates(path, write_robot_text(before), write_robot_text(after))


@st.composite
def edits(draw: st.DrawFn) -> tuple[Robot, Robot]:
    """A robot, and the same after some hand's work on its joints and links."""
    before = draw(robots(WISHES))
    joints = [draw(edited_joints(joint)) for joint in before.joints]
    cut = draw(st.integers(0, 3)) == 0 and len(joints) > 1
    gone = joints.pop() if cut else None
    links = [
        draw(edited_links(link)) for link in before.links if not gone or link.name != gone.child
    ]
    kept = {link.name for link in links}
    joints = [joint for joint in joints if joint.parent in kept]
    return before, replace(before, links=tuple(links), joints=tuple(joints))


@st.composite
def edited_joints(draw: st.DrawFn, joint: Joint) -> Joint:
    work = draw(st.integers(0, 9))
    if work == 0:
        return replace(joint, origin=Pose(xyz=(0.0, 0.0, 0.0), rpy=joint.origin.rpy))
    if work == 1:
        return replace(joint, origin=Pose(xyz=(0.125, 0.25, 0.5), rpy=(0.0, math.pi / 2, 0.25)))
    if work == 2 and joint.limit is not None:
        return replace(joint, limit=Limit(lower=0.25, upper=0.5, effort=1.0, velocity=1.0))
    if work == 3:
        return replace(joint, axis=(0.0, 0.0, -1.0))
    if work == 4:
        return replace(joint, type="fixed", axis=None, limit=None, mimic=None)
    return joint


@st.composite
def edited_links(draw: st.DrawFn, link: Link) -> Link:
    work = draw(st.integers(0, 9))
    if work == 0:
        return replace(link, visuals=link.visuals[1:])
    if work == 1:
        return replace(link, visuals=link.visuals[::-1], inertial=None)
    if work == 2:
        return replace(link, collisions=())
    return link


@settings(max_examples=25)
@given(pair=edits())
def test_edited_robots(pair: tuple[Robot, Robot], tmp_path_factory: Any) -> None:
    before, after = pair
    path = tmp_path_factory.mktemp("update") / "r.urdf"
    assert_updates(path, write_robot_text(before), write_robot_text(after), EVERYTHING)


@given(before=robots(WISHES), after=robots(WISHES))
def test_changes_are_told_of_unequal_robots_only(before: Robot, after: Robot) -> None:
    assert compare_robots(before, before) == ()
    assert bool(compare_robots(before, after)) == (before != after)


@pytest.mark.parametrize("name", ["romeo", "anymal"])
def test_real_robots(name: str) -> None:
    """Of Romeo's mesh files some hold the same mesh, with other materials."""
    path = next(path for path in descriptions() if path.stem == name)
    then = ImportOptions(combine_joints=False, fixed_joints="fold")
    armature = import_robot(path).armature
    shown, listed = describe(), data()
    assert update_robot(armature).changes == ()
    assert describe() == shown and data() == listed
    update_robot(armature, options=then)
    updated, listed = describe(), data()
    new_scene()
    import_robot(path, options=then)
    assert describe() == updated and data() == listed


def test_a_mesh_file_is_loaded_again(tmp_path: Path) -> None:
    mesh = tmp_path / "part.obj"
    lines = ["v 0 0 0", "v 1 0 0", "v 0 1 0", "v 0 0 1", "f 1 2 3", "f 1 3 4"]
    text = "".join(
        f'<{kind}><geometry><mesh filename="part.obj" scale="2 2 2"/></geometry></{kind}>'
        for kind in ("visual", "collision")
    )
    path = tmp_path / "r.urdf"
    path.write_text(f'<robot name="r"><link name="a">{text}</link></robot>')
    mesh.write_text("\n".join(lines))
    armature = import_robot(path).armature
    mesh.write_text("\n".join(lines[:-1]))
    (change,) = update_robot(armature).changes
    assert str(change) == "mesh 'part.obj': the file changed"
    assert [len(each.polygons) for each in bpy.data.meshes if each.polygons] == [1, 1]
    mesh.unlink()
    (change,) = update_robot(armature).changes
    assert str(change) == "mesh 'part.obj': can no longer be loaded"
    assert bpy.data.objects["a_visual"].type == "EMPTY"
    mesh.write_text("\n".join(lines))
    (change,) = update_robot(armature).changes
    assert str(change) == "mesh 'part.obj': can be loaded now"
    updated, listed = describe(), data()
    new_scene()
    import_robot(path)
    assert describe() == updated and data() == listed
