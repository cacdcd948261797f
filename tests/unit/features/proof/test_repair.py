# SPDX-License-Identifier: GPL-3.0-or-later
"""Repaired copies: each change said, all else the same bytes, a second run changes nothing."""

import difflib
import re
from pathlib import Path

import numpy as np
import pytest

from support.lint_cases import make_box, write_stl
from support.source_tree import ROOT
from urdf_importer import (
    ArgumentError,
    Diagnostics,
    FileOptions,
    LintOptions,
    check_robot,
    read_robot,
    repair_robot,
)
from urdf_importer.cli import main
from urdf_importer.core.images.png import encode_png
from urdf_importer.core.pipeline.files import find_files, open_files

BAD = """<?xml version="1.0"?>
<!-- a comment -->
<robot name="bad">
  <link name="base"/>
  <link name="arm">  <!-- kept -->
    <inertial><mass value="1"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.9" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin rpy="0 90 0"/><geometry><box size="0.1 0.1 0.4"/></geometry></visual>
    <collision><geometry><mesh filename="long.stl" scale="1 1 1"/></geometry></collision>
  </link>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="arm"/>
    <origin xyz="0 0 1" rpy="0 0 45"/>
    <axis xyz="0 0 2"/>
    <limit lower="90" upper="-90" effort="-5" velocity="180"/>
  </joint>
</robot>
"""
CHANGED = (7, 8, 9, 13, 14, 15)


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    corners = np.array([[0, 0, 0], [400, 0, 0], [0, 100, 0], [0, 0, 100]])
    record = np.zeros(4, dtype=[("n", "<f4", 3), ("p", "<f4", (3, 3)), ("a", "<u2")])
    record["p"] = corners[np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])]
    stl = bytes(80) + np.uint32(4).tobytes() + record.tobytes()
    (tmp_path / "long.stl").write_bytes(stl)
    path = tmp_path / "bad.urdf"
    path.write_text(BAD)
    return path


def test_only_lines_with_faults_change(bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = bad.with_name("good.urdf")
    assert main(["check", str(bad), "--fix", "-o", str(good)]) == 0
    told = capsys.readouterr().err
    old, new = BAD.splitlines(), good.read_text().splitlines()
    assert [n for n, pair in enumerate(zip(old, new, strict=True), 1) if pair[0] != pair[1]] == [
        *CHANGED
    ]
    assert "limit upper of joint 'turn': -90 -> 1.5708 [repaired]" in told
    assert told.count("[repaired]") == 9 and "bad: 9 repairs" in told
    limit = read_robot(good).joints[0].limit
    assert limit is not None and limit.velocity == pytest.approx(np.pi) and limit.effort == 5.0
    assert read_robot(good).links[1].collisions[0].geometry.scale == (0.001,) * 3  # type: ignore[union-attr]


@pytest.mark.parametrize(("largest", "changes"), [("0.20004", 0), ("0.202", 1)])
def test_an_inertia_that_reading_takes_for_rounded_stays(
    largest: str, changes: int, tmp_path: Path
) -> None:
    path, told = tmp_path / "bad.urdf", Diagnostics()
    path.write_text(f'<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="0.1" '
                    f'iyy="0.1" izz="{largest}" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
                    )  # fmt: skip
    repair = repair_robot(read_robot(path, diagnostics=told))
    assert len(repair.changes) == changes == len(told)


def test_a_check_of_the_copy_names_no_mended_code(bad: Path) -> None:
    good = bad.with_name("good.urdf")
    main(["check", str(bad), "--fix", "-o", str(good), "--quiet"])
    before, after = ({item.code for item in check_robot(read_robot(path))} for path in (bad, good))
    mended = {"limit-in-degrees", "angle-in-degrees", "limit-absurd", "mesh-units"}
    assert mended <= before and not mended & after


def test_ignored_findings_are_not_mended(bad: Path) -> None:
    codes = ("limit-in-degrees", "angle-in-degrees", "limit-absurd", "mesh-units",
             "inertia-triangle", "swapped-limits")  # fmt: skip
    robot = read_robot(bad)
    for code in codes[:-1]:
        other = repair_robot(robot, options=LintOptions(ignore=(code,)))
        assert 0 < len(other.changes) < 9, code
    found = repair_robot(robot, options=LintOptions(ignore=codes))
    assert [change.message[:18] for change in found.changes] == ["axis of joint 'tur"]


def test_an_endless_velocity_is_not_in_degrees(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(BAD.replace('velocity="180"', 'velocity="inf"'))
    robot = read_robot(path)
    before, after = robot.joints[0].limit, repair_robot(robot).robot.joints[0].limit
    assert before is not None and after is not None and after.velocity == before.velocity


def test_a_second_repair_changes_nothing(bad: Path) -> None:
    first = repair_robot(read_robot(bad))
    again = repair_robot(first.robot)
    assert first.changes and again.robot == first.robot and again.changes == ()
    one, two = bad.with_name("one.urdf"), bad.with_name("two.urdf")
    main(["check", str(bad), "--fix", "-o", str(one), "--quiet"])
    main(["check", str(one), "--fix", "-o", str(two), "--quiet"])
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize("name", ["gripper", "two_link_arm", "quadruped_leg", "drone"])
def test_healthy_robots_stay(name: str) -> None:
    robot = read_robot(ROOT / f"sample_urdfs/{name}.urdf")
    assert repair_robot(robot).robot is not None
    assert repair_robot(robot).robot == robot and repair_robot(robot).changes == ()


def test_shapes_give_an_inertia_where_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(
        '<robot name="r"><link name="a"><inertial><origin xyz="0 0 0.1" rpy="1 0 0"/>'
        '<mass value="12"/><inertia ixx="9e6" iyy="9e6" izz="9e6" ixy="0" ixz="0" iyz="0"/>'
        '</inertial><visual><geometry><box size="0.1 0.2 0.3"/></geometry></visual></link></robot>'
    )
    robot = read_robot(path)
    assert repair_robot(robot).changes == ()
    found = repair_robot(robot, codes=["inertia-unlikely"])
    (link,) = found.robot.links
    assert link.inertial is not None and link.inertial.inertia is not None
    inertia = link.inertial.inertia
    assert (inertia.ixx, inertia.iyy, inertia.izz) == pytest.approx((0.13, 0.1, 0.05))
    assert link.inertial.mass == 12.0 and link.inertial.origin.xyz == (0.0, 0.0, 0.1)
    assert [item.code for item in found.changes] == ["repaired"]
    with pytest.raises(ArgumentError, match="no repair"):
        repair_robot(robot, codes=["gripper-stays-open"])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(("--fix",), "-o must name the repaired copy"),
     (("--fix", "-o", "bad.urdf"), "would overwrite the input"),
     (("--fix-inertia",), "--fix-inertia goes with --fix"),
     (("more.urdf", "--fix", "-o", "x.urdf"), "--fix takes one input")],
)  # fmt: skip
def test_wrong_usage_is_one_sentence(
    arguments: tuple[str, ...], told: str, bad: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(bad.parent)
    with pytest.raises(SystemExit):
        main(["check", "bad.urdf", *arguments])
    assert told in capsys.readouterr().err


def test_texts_that_cannot_keep_a_repair_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.urdf"
    source = tmp_path / "r.xacro"
    source.write_text(
        '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro"><link name="a"/></robot>'
    )
    assert main(["check", str(source), "--fix", "-o", str(out)]) == 1
    assert "lost at the next expansion" in capsys.readouterr().err and not out.exists()
    model = tmp_path / "r.xml"
    model.write_text(
        "<mujoco><worldbody><body name='a'><geom size='1'/></body></worldbody></mujoco>"
    )
    assert main(["check", str(model), "--fix", "-o", str(out)]) == 1
    assert "URDF and SDF" in capsys.readouterr().err and not out.exists()


def test_sdf_is_repaired_in_its_text(tmp_path: Path) -> None:
    path, out = tmp_path / "r.sdf", tmp_path / "out.sdf"
    path.write_text(
        '<sdf version="1.9"><model name="r">\n<!-- kept --><link name="a"/><link name="b"/>\n'
        '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis>'
        "<xyz>0 0 1</xyz>\n"
        "<limit><lower>-90</lower><upper>90</upper>\n<effort>7</effort></limit></axis></joint>"
        "</model></sdf>\n"
    )
    changes = repair_robot(read_robot(path), options=LintOptions()).changes
    assert [(each.code, each.subject) for each in changes] == [("repaired", "j")] * 2
    assert main(["check", str(path), "--fix", "-o", str(out), "--quiet"]) == 0
    changed = [
        line
        for line in difflib.ndiff(path.read_text().splitlines(), out.read_text().splitlines())
        if line.startswith(("- ", "+ "))
    ]
    assert len(changed) == 2 and "1.57" in changed[1]


PACKAGED = """<robot name="r"><link name="base"><visual><geometry>
<mesh filename="package://arm_description/meshes/Base.STL"/></geometry></visual></link>
<link name="arm"><visual><geometry>
<mesh filename="package://arm_description/meshes/arm.stl"/></geometry>
<material name="m"><texture filename="package://arm_description/skin.png"/></material></visual>
<collision><geometry><mesh filename="package://old_name/meshes/parts/arm.stl"/></geometry></collision>
<collision><geometry><mesh filename="../Meshes/parts/arm.stl"/></geometry></collision>
<collision><geometry><mesh filename="package://arm_description/nowhere.stl"/></geometry></collision>
</link><joint name="j" type="fixed"><parent link="base"/><child link="arm"/></joint></robot>
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with its meshes in other folders than the description says."""
    home = tmp_path / "arm_description"
    for place, corner in (("meshes/base.stl", 0.5), ("meshes/parts/arm.stl", 0.4)):
        (home / place).parent.mkdir(parents=True, exist_ok=True)
        write_stl(home / place, make_box(np.zeros(3), np.full(3, corner)))
    (home / "images").mkdir()
    (home / "images/skin.png").write_bytes(encode_png(np.zeros((1, 1, 4), dtype=np.uint8)))
    (home / "package.xml").write_text(
        "<package><name>arm_description</name><version>1.0.0</version></package>"
    )
    path = home / "urdf/arm.urdf"
    path.parent.mkdir()
    path.write_text(PACKAGED)
    return path


def test_names_of_files_say_where_they_are(package: Path) -> None:
    fixed = package.with_name("fixed.urdf")
    # One file is lost.
    assert main(["check", str(package), "--fix", "-o", str(fixed), "--quiet"]) == 1
    found = re.findall('filename="([^"]+)"', fixed.read_text())
    home = "package://arm_description/"
    assert found == [
        f"{home}meshes/base.stl", f"{home}meshes/parts/arm.stl", f"{home}images/skin.png",
        f"{home}meshes/parts/arm.stl", "../meshes/parts/arm.stl", f"{home}nowhere.stl",
    ]  # fmt: skip
    changes = repair_robot(read_robot(package)).changes
    assert len(changes) == 5 and len({each.line for each in changes}) == 5
    assert changes[0].message.startswith("file of mesh of link 'base': 'package://arm_des")
    codes = {each.code for each in check_robot(read_robot(fixed))}
    assert not codes & {"wrong-case", "moved-file", "renamed-package"}
    again = fixed.with_name("again.urdf")
    main(["check", str(fixed), "--fix", "-o", str(again), "--quiet"])
    assert again.read_bytes() == fixed.read_bytes()


@pytest.mark.parametrize(
    ("code", "kept"),
    [("wrong-case", ("Base.STL",)), ("moved-file", ("meshes/arm.stl", "n/skin.png", "../Meshes")),
     ("renamed-package", ("old_name",))],
)  # fmt: skip
def test_ignored_names_stay(code: str, kept: tuple[str, ...], package: Path) -> None:
    robot = repair_robot(read_robot(package), options=LintOptions(ignore=(code,))).robot
    text = repr(robot)
    assert all(each in text for each in kept)
    assert text.count("meshes/parts/arm.stl") > 0


def test_names_with_several_answers_stay(package: Path) -> None:
    """Of two files in folders of other names, neither is sure; a package without a name has no
    other name."""
    other = package.parents[1] / "meshes/others/arm.stl"
    other.parent.mkdir()
    other.write_bytes((package.parents[1] / "meshes/parts/arm.stl").read_bytes())
    names = [each.message for each in repair_robot(read_robot(package)).changes]
    assert not any("'package://arm_description/meshes/arm.stl' ->" in each for each in names)
    (package.parents[1] / "package.xml").unlink()
    names = [each.message for each in repair_robot(read_robot(package)).changes]
    assert not any("old_name" in each for each in names)


def test_meshes_that_are_inside_out_get_a_turned_copy(tmp_path: Path) -> None:
    path, out = tmp_path / "r.urdf", tmp_path / "new/fixed.urdf"
    out.parent.mkdir()
    box = make_box(np.zeros(3), np.array([300.0, 200.0, 100.0]))
    write_stl(tmp_path / "in.stl", box[:, ::-1])
    shape = '<geometry><mesh filename="in.stl" scale="1e-3 -1e-3 1e-3"/></geometry>'
    path.write_text(
        f'<robot name="r"><link name="a"><visual>{shape}</visual>\n'
        f"<collision>{shape}</collision></link></robot>"
    )
    robot = read_robot(path)
    assert "mesh-inside-out" in {each.code for each in check_robot(robot)}
    # Only where it is asked for: a robot that is not written has no file for it.
    assert repair_robot(robot).robot == robot
    options = LintOptions(ignore=("mesh-inside-out",))
    assert repair_robot(robot, codes=["mesh-inside-out"], options=options).changes == ()
    for _ in range(2):
        assert main(["check", str(path), "--fix", "-o", str(out), "--quiet"]) == 0
        files = sorted(each.name for each in out.parent.rglob("*") if each.is_file())
        assert files == ["fixed.urdf", "in_turned.stl"]
    fixed = read_robot(out)
    assert check_robot(fixed) == () and out.read_text().count("meshes/visual/in_turned.stl") == 2
    before, after = (
        open_files(find_files(each, FileOptions()), Diagnostics(), of, FileOptions()).load(
            of.links[0].visuals[0], of.links[0]
        )
        for each, of in ((path, robot), (out, fixed))
    )
    assert np.array_equal(before.vertices.max(axis=0), after.vertices.max(axis=0))
    again = tmp_path / "again.urdf"
    main(["check", str(out), "--fix", "-o", str(again), "--quiet"])
    assert again.read_text() == out.read_text().replace("meshes/visual", "new/meshes/visual")


def test_a_turned_mesh_keeps_its_look_and_its_scale(tmp_path: Path) -> None:
    """Also where it is in millimetres: one run mends both."""
    path = tmp_path / "r.urdf"
    corners = "v 0 0 0\nv 400 0 0\nv 0 400 0\nv 0 0 400\n"
    faces = "f 1 2 3\nf 1 4 2\nusemtl blue\nf 1 3 4\nf 2 4 3\n"
    (tmp_path / "in.obj").write_text("mtllib in.mtl\nusemtl red\n" + corners + faces)
    (tmp_path / "in.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n")
    path.write_text(
        '<robot name="r"><link name="a"><visual><geometry><mesh filename="in.obj"/></geometry>'
        '</visual></link><link name="b"/><joint name="j" type="fixed"><parent link="a"/>'
        '<child link="b"/><origin xyz="0 0 1"/></joint></robot>'
    )
    out = tmp_path / "out.urdf"
    assert main(["check", str(path), "--fix", "-o", str(out), "--quiet"]) == 0
    names = {each.name for each in (tmp_path / "meshes/visual").iterdir()}
    assert names == {"in_turned.obj", "in_turned.mtl"}
    assert check_robot(read_robot(out)) == () and 'scale="0.001' in out.read_text()
    assert (tmp_path / "meshes/visual/in_turned.mtl").read_text().count("newmtl") == 2
