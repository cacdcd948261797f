# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures: what is in them, and that nothing else is changed."""

import os
import signal
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.blender.snapshots import describe_scene, list_data
from support.paths import ROOT
from urdf_importer import BuildError, WriteError, import_robot, render_preview, set_joint_positions
from urdf_importer.core.blender.standing.placing import find_lowest
from urdf_importer.core.geometry.transforms import Matrix
from urdf_importer.features.studio.blender.render import set_scene
from urdf_importer.features.studio.blender.studio import Studio, frame_points

ARM = ROOT / "sample_urdfs" / "two_link_arm.urdf"
WIDTH, HEIGHT = 96, 72

pytestmark = pytest.mark.usefixtures("scene")


def take(armature: Any, path: Path, **options: Any) -> Matrix:
    """The picture as (HEIGHT, WIDTH, 3) numbers of 0 to 1, first row at the bottom."""
    options = {"width": WIDTH, "height": HEIGHT, "samples": 12} | options
    render_preview(armature, path, **options)
    image = bpy.data.images.load(str(path))
    width, height = image.size
    pixels = np.array(image.pixels[:]).reshape(height, width, image.channels)[:, :, :3]
    bpy.data.images.remove(image)
    return pixels


def import_text(folder: Path, text: str) -> Any:
    (folder / "r.urdf").write_text(f'<robot name="r">{text}</robot>')
    return import_robot(folder / "r.urdf").armature


def subject_of(pixels: Matrix) -> Matrix:
    """Which pixels differ clearly from the background, which the corners show."""
    different: Matrix = np.abs(pixels - pixels[-1, 0]).max(axis=2) > 0.2
    return different


def test_the_whole_robot_is_in_the_picture(tmp_path: Path) -> None:
    pixels = take(import_robot(ARM).armature, tmp_path / "p.png")
    assert pixels.shape == (HEIGHT, WIDTH, 3)
    assert pixels[-1].min() > 0.8, "the background is bright"
    seen = subject_of(pixels)
    rows, columns = np.flatnonzero(seen.any(axis=1)), np.flatnonzero(seen.any(axis=0))
    assert rows[0] > 0 and rows[-1] < HEIGHT - 1 and columns[0] > 0 and columns[-1] < WIDTH - 1
    assert max(np.ptp(rows) / HEIGHT, np.ptp(columns) / WIDTH) > 0.6, "it fills the picture"


def test_the_picture_heeds_the_normals_of_files(tmp_path: Path) -> None:
    """Each corner of this cube is shared by three faces, which only its normals keep flat."""
    corners = [f"v {x} {y} {z}" for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    normals = ["vn -1 0 0", "vn 1 0 0", "vn 0 -1 0", "vn 0 1 0", "vn 0 0 -1", "vn 0 0 1"]
    sides = ((1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4))
    faces = [
        "f " + " ".join(f"{corner}//{number}" for corner in side)
        for number, side in enumerate(sides, 1)
    ]
    (tmp_path / "cube.obj").write_text("\n".join([*corners, *normals, *faces]))
    shapes = ('<mesh filename="cube.obj"/>', '<box size="2 2 2"/>')
    mesh, box = (
        take(import_text(tmp_path, f'<link name="a"><visual><geometry>{shape}</geometry>'
                         '<material name="m"><color rgba="1 1 1 1"/></material></visual></link>'),
             tmp_path / "p.png", samples=16)
        for shape in shapes
    )  # fmt: skip
    assert np.abs(mesh - box).mean() < 0.01
    assert np.percentile(np.abs(mesh - box), 98) < 0.06


def test_the_picture_shows_the_pose(tmp_path: Path) -> None:
    armature = import_robot(ARM).armature
    before = take(armature, tmp_path / "p.png")
    set_joint_positions(armature, {"elbow": 1.5})
    assert np.abs(take(armature, tmp_path / "p.png") - before).max() > 0.2


def test_a_white_robot_keeps_its_shape(tmp_path: Path) -> None:
    white = '<material name="m"><color rgba="1 1 1 1"/></material>'
    ball = (
        f'<link name="a"><visual><geometry><sphere radius="1"/></geometry>{white}</visual></link>'
    )
    robot = import_text(tmp_path, ball)
    pixels = take(robot, tmp_path / "p.png", samples=16)
    top = pixels[HEIGHT // 2 : -HEIGHT // 5, WIDTH // 3 : -WIDTH // 3].max(axis=2)
    assert np.median(top) < 0.94 and top.max() < 0.97, "nothing is burnt out"
    assert np.median(top) > 0.8 and np.ptp(top) > 0.1, "it is white, and round"


def test_the_background_is_even_up_to_the_border(tmp_path: Path) -> None:
    pixels = take(import_robot(ARM).armature, tmp_path / "p.png", samples=16)
    assert np.ptp(pixels[-2:], axis=(0, 1)).max() < 0.06
    assert np.ptp(pixels[HEIGHT // 2 :, -2:], axis=(0, 1)).max() < 0.06


def test_bones_shine_through(tmp_path: Path) -> None:
    armature = import_robot(ARM).armature
    plain, rig = (take(armature, tmp_path / "p.png", bones=bones) for bones in (False, True))
    # Orange bones where the arm is white.
    assert _orange(rig) > _orange(plain) or _dark(rig) < _dark(plain)
    assert _dark(rig) < 0.2 * _dark(plain), "the robot's black parts are looked through"


def _orange(pixels: Matrix) -> int:
    return int(((pixels[:, :, 0] > 0.7) & (pixels[:, :, 2] < 0.45)).sum())


def _dark(pixels: Matrix) -> int:
    return int((pixels.max(axis=2) < 0.35).sum())


@pytest.mark.parametrize(
    "text",
    [
        '<link name="a"/>',
        '<link name="a"/><link name="b"/><joint name="j" type="fixed"><origin xyz="1 0 0"/>'
        '<parent link="a"/><child link="b"/></joint>',
        '<link name="a"/><link name="b"/><joint name="j" type="continuous"><origin xyz="0 0 1"/>'
        '<parent link="a"/><child link="b"/></joint>',
    ],
    ids=["one link", "fixed", "moving"],
)
def test_a_robot_without_visuals_is_shown_by_its_rig(text: str, tmp_path: Path) -> None:
    pixels = take(import_text(tmp_path, text), tmp_path / "p.png")
    assert subject_of(pixels).any()


@pytest.mark.parametrize("size", [1e-4, 1.0, 1e4])
def test_size_does_not_matter(size: float, tmp_path: Path) -> None:
    armature = import_text(
        tmp_path,
        f'<link name="a"><visual><geometry><box size="{size} {size} {size}"/></geometry>'
        '<material name="m"><color rgba="0.8 0 0 1"/></material></visual></link>',
    )
    seen = subject_of(take(armature, tmp_path / "p.png"))
    assert 0.1 < seen.mean() < 0.7


def test_far_away_frames_do_not_shrink_the_robot(tmp_path: Path) -> None:
    box = '<link name="a"><visual><geometry><box size="1 1 1"/></geometry></visual></link>'
    far = (
        '<link name="map"/><joint name="j" type="fixed"><origin xyz="50 0 0"/>'
        '<parent link="a"/><child link="map"/></joint>'
    )
    near = take(import_text(tmp_path, box), tmp_path / "p.png", samples=1)
    with_far = take(import_text(tmp_path, box + far), tmp_path / "p.png", samples=1)
    assert np.abs(near - with_far).mean() < 0.01


@pytest.mark.parametrize("bones", [False, True])
def test_nothing_but_the_file_is_left(bones: bool, tmp_path: Path) -> None:
    armature = import_robot(ARM).armature
    before, data, window = describe_scene(), list_data(), bpy.context.window.scene
    render_preview(armature, tmp_path / "p.png", width=32, height=24, samples=1, bones=bones)
    assert describe_scene() == before and list_data() == data
    assert bpy.context.window.scene == window
    assert os.listdir(tmp_path) == ["p.png"]


def test_a_failed_picture_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    armature = import_robot(ARM).armature
    data = list_data()

    def fail(self: Studio, points: Matrix) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Studio, "aim", fail)
    with pytest.raises(ZeroDivisionError):
        render_preview(armature, tmp_path / "p.png")
    assert list_data() == data and os.listdir(tmp_path) == []


def test_ctrl_c_during_the_render_counts(tmp_path: Path) -> None:
    """Blender prints a KeyboardInterrupt that is raised while it renders, and goes on."""
    armature = import_robot(ARM).armature
    data = list_data()

    def interrupt(scene: Any, *rest: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    bpy.app.handlers.render_pre.append(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            render_preview(armature, tmp_path / "p.png", width=32, height=24, samples=1)
    finally:
        bpy.app.handlers.render_pre.remove(interrupt)
    assert list_data() == data and os.listdir(tmp_path) == []


def test_a_place_that_takes_no_file_is_one_sentence() -> None:
    armature = import_robot(ARM).armature
    with pytest.raises(WriteError, match=r"^cannot (write|render) '[^']*p\.png': "):
        render_preview(armature, "/proc/p.png", width=16, height=16, samples=1)


def test_only_robots_have_pictures(tmp_path: Path) -> None:
    empty = bpy.data.objects.new("some empty", None)
    with pytest.raises(BuildError, match="'some empty' is not an imported robot"):
        render_preview(empty, tmp_path / "p.png")
    assert os.listdir(tmp_path) == []


coordinates = st.floats(-1e3, 1e3)
directions = st.tuples(coordinates, coordinates, coordinates).filter(
    lambda d: np.hypot(d[0], d[1]) > 1e-3 * abs(d[2]) + 1e-6
)
tangents = st.floats(0.05, 2.0)


@given(
    st.lists(st.tuples(coordinates, coordinates, coordinates), min_size=1, max_size=20),
    directions,
    st.tuples(tangents, tangents),
)
def test_the_camera_sees_all_points_and_stands_as_near_as_it_can(
    points: list[tuple[float, float, float]],
    direction: tuple[float, float, float],
    half: tuple[float, float],
) -> None:
    cloud = np.array(points)
    frame, nearest, farthest = frame_points(cloud, np.array(direction), half)
    seen = (cloud - frame[:3, 3]) @ frame[:3, :3]
    depth = -seen[:, 2]
    slack = 1e-6 * (1 + np.abs(cloud).max() / min(half))
    excess = np.abs(seen[:, :2]) - depth[:, None] * np.array(half)
    assert excess.max() <= slack
    assert excess.max() >= -slack, "a point touches the border"
    assert np.allclose(frame[:3, :3].T @ frame[:3, :3], np.eye(3)) and np.linalg.det(frame) > 0
    assert np.allclose([depth.min(), depth.max()], [nearest, farthest], atol=slack)


_PART = (
    '<link name="{0}"><visual><origin rpy="0.6 0.5 0"/><geometry><sphere radius="0.2"/></geometry>'
    '<material name="{0}"><color rgba="{1} 1"/></material></visual></link>'
)


def test_a_black_robot_shows_its_shape(tmp_path: Path) -> None:
    """Not an outline alone: the side in the light is brighter than the other."""
    robot = import_text(tmp_path, _PART.format("a", "0 0 0"))
    ball = take(robot, tmp_path / "p.png")[30:42, 42:54].mean(axis=2)
    assert ball.mean() > 0.08 and np.ptp(ball) > 0.02, ball


def test_the_floor_is_where_the_robot_ends(tmp_path: Path) -> None:
    """The box around a turned ball ends lower than the ball."""
    robot = import_text(tmp_path, _PART.format("a", "0.8 0.1 0.1"))
    with Studio(WIDTH, HEIGHT, 1) as studio:
        points, shapes = set_scene(robot, studio, False)
        ground = find_lowest(robot)
        assert points.min(axis=0)[2] < -0.21 and ground == pytest.approx(-0.2, abs=1e-3)
        studio.light(points, shapes, ground)
        (floor,) = (each for each in bpy.data.objects if each.name.startswith("Preview Floor"))
        assert floor.matrix_world.translation.z == pytest.approx(ground, abs=2e-3)
        assert not [each for each in bpy.data.lights if each.name.startswith("Preview Sheen")]
