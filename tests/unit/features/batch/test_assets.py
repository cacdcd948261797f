# SPDX-License-Identifier: GPL-3.0-or-later
"""Catalogues of a library of assets, the kinds of robots in them, and their licences."""

import os
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.paths import ROOT
from support.real_robots import descriptions
from urdf_importer import Robot, WriteError, read_robot
from urdf_importer.core.model import Joint, Link
from urdf_importer.features.batch.assets import CATALOGS, write_catalogs
from urdf_importer.features.batch.kinds import KINDS, find_kind
from urdf_importer.features.batch.licenses import find_licenses, read_package_license
from urdf_importer.features.batch.options import BatchOptions
from urdf_importer.features.batch.records import BatchRecord
from urdf_importer.features.batch.run import choose_outputs

REAL = {
    "Arms": "baxter kinova panda pr2 so101 ur5_robot xarm7 z1",
    "Hands and Grippers": "allegro_left_hand allegro_right_hand",
    "Humanoids": "g1_29dof_rev_1_0 icub romeo simple_humanoid talos_full_v2",
    "Legged": "a1 alexander_v1.lowerBodyOnly anymal b1 bolt go2 hyq_no_sensors laikago solo12",
    "Wheeled": "tiago tiago_dual tiago_no_hand tiago_pro",
    "Flying": "iris",
}
SAMPLES = {
    "drone": "Flying",
    "gripper": "Hands and Grippers",
    "differential_drive": "Wheeled",
    "humanoid_arm": "Arms",
    "two_link_arm": "Other",
}


@pytest.mark.parametrize("kind", REAL)
def test_real_robots_are_of_their_kinds(kind: str) -> None:
    wanted = set(REAL[kind].split())
    found = {path.stem: path for path in descriptions() if path.stem in wanted}
    assert set(found) == wanted
    assert {name: find_kind(read_robot(path)) for name, path in found.items()} == dict.fromkeys(
        wanted, kind
    )


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_of_their_kinds(name: str) -> None:
    assert find_kind(read_robot(ROOT / f"sample_urdfs/{name}.urdf")) == SAMPLES[name]


@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from(["revolute", "fixed", "continuous",
       "prismatic", "floating", "planar"])), max_size=40))  # fmt: skip
def test_any_tree_has_a_kind(given: list[tuple[int, str]]) -> None:
    links = [Link(name=str(number)) for number in range(len(given) + 1)]
    joints = [
        Joint(name=f"j{n}", type=kind, parent=str(min(above, n)), child=str(n + 1))
        for n, (above, kind) in enumerate(given)
    ]
    assert find_kind(Robot(name="r", links=tuple(links), joints=tuple(joints))) in KINDS


def record(kind: str, status: str = "ok") -> BatchRecord:
    return BatchRecord(input=kind, place=kind, status=status, facts={"kind": kind})  # type: ignore[arg-type]


def test_catalogues_are_those_of_the_robots_that_are_there(tmp_path: Path) -> None:
    write_catalogs(tmp_path, [record("Arms"), record("Arms"), record("Legged", "failed")])
    version, empty, line, *rest = (tmp_path / CATALOGS).read_text().splitlines()
    assert (version, empty, rest) == ("VERSION 1", "", [])
    number, path, name = line.split(":")
    assert (str(UUID(number)), path, name) == (number, "Robots/Arms", "Robots-Arms")


def test_lines_of_others_stay_and_a_renamed_catalogue_keeps_its_name(tmp_path: Path) -> None:
    path = tmp_path / CATALOGS
    write_catalogs(tmp_path, [record("Arms")])
    number = path.read_text().splitlines()[2].partition(":")[0]
    own = f"# Mine\nVERSION 1\n\n{number}:Machines/Welding:Welding\n"
    path.write_text(own)
    write_catalogs(tmp_path, [record("Arms")])
    assert path.read_text() == own
    write_catalogs(tmp_path, [record("Arms"), record("Flying")])
    assert path.read_text().startswith(own.rstrip())
    assert path.read_text().count("VERSION 1") == 1 and "Robots/Flying" in path.read_text()


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"x" * 2_000_000], ids=["bytes", "big"])
def test_a_file_that_is_no_list_of_catalogues_stays(data: bytes, tmp_path: Path) -> None:
    (tmp_path / CATALOGS).write_bytes(data)
    with pytest.raises(WriteError, match="cannot be read, so it is left as it is"):
        write_catalogs(tmp_path, [record("Arms")])
    assert (tmp_path / CATALOGS).read_bytes() == data


def test_a_list_of_catalogues_may_begin_with_a_mark_of_its_coding(tmp_path: Path) -> None:
    (tmp_path / CATALOGS).write_text("VERSION 1\n\nmine:Mine:Mine\n", encoding="utf-8-sig")
    write_catalogs(tmp_path, [record("Arms")])
    text = (tmp_path / CATALOGS).read_text(encoding="utf-8")
    assert text.startswith("VERSION 1\n\nmine:Mine:Mine\n") and text.count("VERSION") == 1


def test_an_asset_is_a_blend() -> None:
    wanted = choose_outputs(["asset", "blend", "png"], BatchOptions())
    assert wanted.asset and wanted.suffixes == (".blend", ".png")
    assert not choose_outputs(["blend"], BatchOptions()).asset
    with pytest.raises(WriteError, match=r"a batch writes asset, \.blend, \.png"):
        choose_outputs(["assets"], BatchOptions())


def make_package(folder: Path) -> Path:
    source = folder / "arm_description" / "urdf" / "arm.urdf"
    source.parent.mkdir(parents=True)
    source.write_text("<robot/>")
    text = "<package><name>arm</name><license>BSD</license><license>MIT</license>"
    text += "<license>TODO</license><license>TODO: License declaration</license></package>"
    (folder / "arm_description" / "package.xml").write_text(text)
    return source


def test_the_nearest_licences_count_as_far_as_the_package(tmp_path: Path) -> None:
    source = make_package(tmp_path)
    package = tmp_path / "arm_description"
    (tmp_path / "LICENSE").write_text("of the machine's owner")
    assert find_licenses(str(source)) == {}
    assert read_package_license(str(source)) == "BSD, MIT"
    for name in ("LICENSE.md", "NOTICE", "license.py", "licensed_robots.txt", "COPYING-MESHES"):
        (package / name).write_text(name)
    wanted = {name: name.encode() for name in ("COPYING-MESHES", "LICENSE.md", "NOTICE")}
    assert find_licenses(str(source)) == wanted
    (source.parent / "Licence").write_text("nearer")
    assert find_licenses(str(source)) == {"Licence": b"nearer"}


def test_a_repository_has_one_for_all_its_packages(tmp_path: Path) -> None:
    source = make_package(tmp_path / "repository")
    (tmp_path / "repository" / ".git").mkdir()
    (tmp_path / "repository" / "LICENSE").write_text("all")
    assert find_licenses(str(source)) == {"LICENSE": b"all"}


def test_what_is_no_licence_is_left_alone(tmp_path: Path) -> None:
    source = make_package(tmp_path)
    package = tmp_path / "arm_description"
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (package / "LICENSE").symlink_to(secret)
    (package / "COPYING").mkdir()
    (package / "NOTICE").write_bytes(b"x" * 1_000_000)
    (package / "COPYRIGHT").write_bytes(b"")
    os.mkfifo(package / "LICENSE.txt")
    (package / "package.xml").write_text("<package><license>&a;</license>")
    assert find_licenses(str(source)) == {} and read_package_license(str(source)) == ""
    assert find_licenses(str(tmp_path / "missing" / "arm.urdf")) == {}
    for name in ("license.blend", "License.PNG", "NOTICE.exe", "notice.sh", "license.urdf"):
        (package / name).write_text("no licence")
    (package / "LICENSE.txt").unlink()
    (package / "LICENSE.txt").write_bytes(b"MZ\0\0")
    assert find_licenses(str(source)) == {}
    for name in ("LICENSE.BSD-3-Clause", "LICENSE-2.0", "COPYING.LESSER"):
        (package / name).write_text(name)
        assert find_licenses(str(source)) == {name: name.encode()}
        (package / name).unlink()
    for number in range(20):
        (package / f"LICENSE-{number:02}").write_text("one of many")
    assert len(find_licenses(str(source))) == 5
