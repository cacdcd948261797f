# SPDX-License-Identifier: GPL-3.0-or-later
"""Unpacking a rig is the slow part of an export from a scene: it happens once, never for a name.
Files are opened once, and a robot is planned once."""

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from support.paths import ROOT, TESTS
from urdf_importer import (
    BuildError,
    Diagnostics,
    EngineOptions,
    FileOptions,
    SdfOptions,
    UrdfOptions,
    export_robot,
    import_robot,
    read_robot,
    write_builder_script,
)
from urdf_importer.core.blender.extract import robot as extract
from urdf_importer.core.kinematics import tree
from urdf_importer.core.meshes import file_cache
from urdf_importer.core.model import Joint, Link, Robot
from urdf_importer.core.pipeline.exporting import suggest_name
from urdf_importer.formats.webots.write import WEBOTS
from urdf_importer_morse.formats import MORSE

SAMPLES = ROOT / "sample_urdfs"
ARM = SAMPLES / "humanoid_arm.urdf"

pytestmark = pytest.mark.usefixtures("scene")


@pytest.fixture
def unpacked(monkeypatch: pytest.MonkeyPatch) -> Counter[type]:
    """How many links, joints and robots were made from properties."""
    counted: Counter[type] = Counter()
    unpack = extract.unpack

    def count(kind: type, packed: Any) -> Any:
        counted[kind] += kind in (Robot, Link, Joint)
        return unpack(kind, packed)

    monkeypatch.setattr(extract, "unpack", count)
    return counted


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[Robot]:
    """The robots whose trees were planned, each time."""
    found: list[Robot] = []
    number = tree._number

    def note(robot: Robot, *rest: Any) -> Any:
        found.append(robot)
        return number(robot, *rest)

    monkeypatch.setattr(tree, "_number", note)
    return found


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each mesh file was loaded, and each file was read for a copy."""
    counted: Counter[str] = Counter()
    load, read = file_cache.load_mesh, Path.read_bytes

    def count_load(path: Path, *rest: Any, **more: Any) -> Any:
        counted[f"load {path}"] += 1
        return load(path, *rest, **more)

    def count_read(path: Path) -> bytes:
        counted[f"read {path}"] += 1
        return read(path)

    monkeypatch.setattr(file_cache, "load_mesh", count_load)
    monkeypatch.setattr(Path, "read_bytes", count_read)
    file_cache.forget_files()
    return counted


FILES: dict[str, FileOptions | None] = {
    "arm.proto": None,
    "arm.wbt": None,
    "project/": None,
    "arm.py": None,
    "arm.urdf": None,
    "copied.urdf": UrdfOptions(meshes="copy", fit_collisions="hull"),
    "posed.urdf": UrdfOptions(poses="start", edits=False),
    "arm.sdf": None,
    "posed.sdf": SdfOptions(poses="start", style="plain", meshes="link"),
    "model": SdfOptions(fit_collisions="hull"),
    "arm.xml": None,
    "arm.mjcf": None,
    "arm.usda": EngineOptions(engine="isaac"),
    "arm.glb": None,
}


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("source", ["humanoid_arm.urdf", "gate.sdf", "sprung_leg.xml"])
def test_each_link_and_joint_once(
    source: str, file: str, tmp_path: Path, unpacked: Counter[type], planned: list[Robot]
) -> None:
    """`posed.` files move the zero, which needs a tree of the robot before."""
    home = SAMPLES if (SAMPLES / source).is_file() else TESTS / "data"
    made = import_robot(home / source, diagnostics=Diagnostics())
    unpacked.clear()  # The import of a robot with loops unpacks it to close these.
    planned.clear()
    write_as(made.armature, file, tmp_path)
    robot = made.robot
    assert (unpacked[Robot], unpacked[Link], unpacked[Joint]) == (
        1,
        len(robot.links),
        len(robot.joints),
    )
    times = Counter(map(id, planned))
    assert max(times.values(), default=0) <= 1
    if file.startswith("arm.") and source.endswith(".urdf"):
        assert len(planned) <= 1


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("is_rig", [True, False])
def test_each_file_is_opened_once(
    is_rig: bool, file: str, tmp_path: Path, opened: Counter[str]
) -> None:
    """Two links of the arm show one mesh file, and collide as it."""
    given = import_robot(ARM).armature if is_rig else read_robot(ARM)
    file_cache.forget_files()
    opened.clear()
    write_as(given, file, tmp_path)
    assert max(opened.values(), default=0) <= 1
    copies = file in ("copied.urdf", "arm.sdf", "model")
    loads = [name for name in opened if name.startswith("load ")]
    if copies:
        assert loads and all(opened[f"read {name[5:]}"] == 1 for name in loads)


def write_as(given: Any, file: str, folder: Path) -> None:
    if file.endswith(".py"):
        write_builder_script(given, folder / file)
        return
    export_robot(given, f"{folder}/{file}", options=FILES[file], diagnostics=Diagnostics())


def test_a_name_needs_none_of_it(unpacked: Counter[type]) -> None:
    made = import_robot(ARM)
    for suggest in (partial(suggest_name, kind=WEBOTS), partial(suggest_name, kind=MORSE)):
        assert suggest(made.armature) == suggest(made.robot)
        with pytest.raises(BuildError, match="is not an imported robot"):
            suggest(made.links["hand"])
    assert not unpacked
