# SPDX-License-Identifier: GPL-3.0-or-later
"""COLLADA's up axis: ignored or heeded, and the hint for the few robots that mean it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from support.real_robots import descriptions
from urdf_importer import Diagnostics, ImportOptions, read_robot
from urdf_importer.core.geometry.mesh_data import find_upright
from urdf_importer.core.model import Mesh, Robot
from urdf_importer.core.pipeline.files import find_files, open_files, suggest_options

AS_FILE = ImportOptions(up_axis="file")


def open_robot(path: Path, options: ImportOptions) -> tuple[Robot, Diagnostics, object]:
    diagnostics = Diagnostics()
    robot = read_robot(path, diagnostics=diagnostics, options=options)
    return robot, diagnostics, open_files(find_files(path, options), diagnostics, robot, options)


@pytest.fixture
def sizes(quirk_meshes: Path) -> Callable[[str, ImportOptions], list[float]]:
    """Mesh, options -> the size of the quirk's mesh, which is 1 by 2 by 3 as it is written."""

    def measure(name: str, options: ImportOptions) -> list[float]:
        path = quirk_meshes.parent / "urdf" / "dae_no_up.urdf"
        _, _, files = open_robot(path, options)
        data = files.peek(Mesh(filename=str(quirk_meshes / f"{name}.dae")))  # type: ignore[attr-defined]
        return [float(size) for size in np.ptp(data.vertices, axis=0)]

    return measure


@pytest.mark.parametrize(
    ("name", "turned"),
    [("yup", [1, 3, 2]), ("xup", [2, 3, 1]), ("noup", [1, 2, 3]), ("d", [1, 2, 3])],
)
def test_the_axis_counts_if_it_is_to(
    name: str, turned: list[float], sizes: Callable[[str, ImportOptions], list[float]]
) -> None:
    assert sizes(name, ImportOptions()) == [1, 2, 3]
    assert sizes(name, AS_FILE) == turned


@pytest.mark.parametrize("up", ["X", "Y", "Z"])
def test_what_is_up_becomes_z_without_mirroring(up: str) -> None:
    turn = find_upright(up)
    axis = np.eye(3)["XYZ".index(up)]
    assert (turn @ axis == [0, 0, 1]).all()
    assert np.linalg.det(turn) == pytest.approx(1)


def test_a_mesh_that_is_turned_is_not_its_file(quirk_meshes: Path, tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    (tmp_path / "yup.dae").write_bytes((quirk_meshes / "yup.dae").read_bytes())
    shape = '<visual><geometry><mesh filename="yup.dae"/></geometry></visual>'
    path.write_text(f'<robot name="r"><link name="a">{shape}</link></robot>')
    for options, is_file in ((ImportOptions(), True), (AS_FILE, False)):
        robot, _, files = open_robot(path, options)
        visual = robot.links[0].visuals[0]
        files.load(visual, robot.links[0])  # type: ignore[attr-defined]
        assert (files.file_of(visual) is not None) is is_file  # type: ignore[attr-defined]


def hints_of(path: Path, options: ImportOptions) -> list[str]:
    robot, diagnostics, files = open_robot(path, options)
    before = len(diagnostics)
    suggest_options(robot, files, options, diagnostics)  # type: ignore[arg-type]
    return [item.code for item in list(diagnostics)[before:]]


def test_the_robot_that_means_it_gets_a_hint_until_it_is_heeded() -> None:
    icub = next(path for path in descriptions() if path.stem == "icub")
    assert hints_of(icub, ImportOptions()) == ["ignored-up-axis"]
    assert hints_of(icub, AS_FILE) == []


@pytest.mark.parametrize("name", ["baxter", "go1", "TwoDofs", "hextilt_flying_arm_5", "panda"])
def test_robots_whose_axis_rviz_rightly_ignores_get_none(name: str) -> None:
    path = next(path for path in descriptions() if path.stem == name)
    assert hints_of(path, ImportOptions()) == []


@pytest.mark.slow
def test_no_other_real_robot_gets_one() -> None:
    whole = (path for path in descriptions() if path.stem != "ur3")  # no links
    hinted = {path.stem for path in whole if hints_of(path, ImportOptions())}
    assert hinted == {"icub", "icub_reduced"}
