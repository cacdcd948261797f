# SPDX-License-Identifier: GPL-3.0-or-later
"""The lens of a camera in Gazebo's words."""

import pytest

from urdf_importer import read_robot
from urdf_importer.core.model import Intrinsics

ROBOT = """<robot name="r"><link name="base"/>
<gazebo reference="base"><sensor name="eye" type="camera">
<camera><horizontal_fov>1.0</horizontal_fov><image><width>64</width><height>48</height></image>
{inside}</camera></sensor></gazebo></robot>"""


def read_camera(tmp_path, inside):
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT.format(inside=inside))
    return read_robot(path).sensors[0].cameras[0]


def test_intrinsics(tmp_path):
    inside = """<lens><intrinsics>
    <fx>50</fx><fy>51</fy><cx>30</cx><cy>20</cy><s>0.1</s></intrinsics>
    <projection><p_fx>1</p_fx><p_fy>1</p_fy><p_cx>1</p_cx><p_cy>1</p_cy></projection></lens>"""
    found = read_camera(tmp_path, inside)
    assert found.intrinsics == Intrinsics(fx=50.0, fy=51.0, cx=30.0, cy=20.0, skew=0.1)


def test_projection_alone(tmp_path):
    inside = """<lens><projection><p_fx>50</p_fx><p_fy>51</p_fy><p_cx>30</p_cx><p_cy>20</p_cy>
    <tx>-5</tx></projection></lens>"""
    found = read_camera(tmp_path, inside)
    assert found.intrinsics == Intrinsics(fx=50.0, fy=51.0, cx=30.0, cy=20.0)


@pytest.mark.parametrize("fx", ["0", "-3", "nan", "wide"])
def test_intrinsics_that_mean_nothing(tmp_path, fx):
    inside = f"<lens><intrinsics><fx>{fx}</fx><fy>51</fy><cx>3</cx><cy>2</cy></intrinsics></lens>"
    assert read_camera(tmp_path, inside).intrinsics is None


def test_the_third_radial_coefficient(tmp_path):
    found = read_camera(tmp_path, "<distortion><k3>0.02</k3></distortion>")
    assert found.lens.radial == (0.0, 0.0)
    assert found.lens.k3 == 0.02
