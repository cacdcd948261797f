# SPDX-License-Identifier: GPL-3.0-or-later
"""The eye by which gizmos are drawn, against Blender's projection, and the kept shapes."""

from types import ModuleType, SimpleNamespace
from typing import Any

import bpy  # noqa: F401  # the modules below come with it
import numpy as np
import pytest
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Matrix, Quaternion, Vector

_WIDTH, _HEIGHT = 900, 610


def _look(draw: np.random.Generator, *, flat: bool) -> Any:
    """The context of a 3D view that is anywhere: a module has no window."""
    world_from_eye = Matrix.LocRotScale(
        Vector(draw.uniform(-2, 2, 3)), Quaternion(draw.normal(size=4)).normalized(), None
    )
    zoom, far, near = draw.uniform(0.5, 3.0), 100.0, 0.1
    projection = Matrix.Diagonal((zoom, zoom * _WIDTH / _HEIGHT, -2.0 / (far - near), 1.0))
    if not flat:
        ratio = -(far + near) / (far - near)
        projection[2][2], projection[2][3] = ratio, -2.0 * far * near / (far - near)
        projection[3][2], projection[3][3] = -1.0, 0.0
    projection[0][2], projection[1][2] = (0.0, 0.0) if flat else (0.2, -0.1)  # A shifted camera.
    view = world_from_eye.inverted()
    return SimpleNamespace(
        region=SimpleNamespace(width=_WIDTH, height=_HEIGHT),
        region_data=SimpleNamespace(
            view_matrix=view, perspective_matrix=projection @ view, is_perspective=not flat
        ),
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.25)),
    )


@pytest.mark.parametrize("flat", [False, True])
def test_a_pixel_is_as_long_as_blender_projects_it(extension: ModuleType, flat: bool) -> None:
    draw, seen = np.random.default_rng(3), 0
    for _ in range(200):
        context = _look(draw, flat=flat)
        eye = extension.operators.gizmos.bodies.read_eye(context)
        assert eye.scale == 1.25
        place = Vector(draw.uniform(-5, 5, 3))
        ends = [
            location_3d_to_region_2d(context.region, context.region_data, end)
            for end in (place, place + eye.right, place + eye.up)
        ]
        if ends[0] is None:
            assert eye.measure_pixel(place) == 0.0
            continue
        seen += 1
        for end in ends[1:]:
            assert eye.measure_pixel(place) * (end - ends[0]).length == pytest.approx(1.0, rel=1e-4)
        toward = eye.point_from(place)
        ahead = location_3d_to_region_2d(context.region, context.region_data, place + 0.01 * toward)
        assert toward.length == pytest.approx(1.0, abs=1e-5)
        assert (ahead - ends[0]).length < 0.05 + 1e-5 * ends[0].length, "it misses the eye"
    assert seen > 50


def test_shapes_are_made_once_and_go_with_the_session(extension: ModuleType) -> None:
    strokes, session = extension.operators.gizmos.strokes, extension.operators.session
    made: list[tuple[float, ...]] = []

    def make(*sizes: float) -> object:
        made.append(sizes)
        return object()

    first = strokes.recall_shape(make, 0.0, 1.0)
    assert strokes.recall_shape(make, 0.0, 1.0) is first
    assert strokes.recall_shape(make, 0.0, 2.0) is not first
    assert made == [(0.0, 1.0), (0.0, 2.0)]
    for size in range(strokes._MOST_SHAPES):
        strokes.recall_shape(make, float(size))
    kept = session.session_state(strokes._Shapes).batches
    assert len(kept) == strokes._MOST_SHAPES and (make, (0.0, 1.0)) not in kept
    kept.clear()
