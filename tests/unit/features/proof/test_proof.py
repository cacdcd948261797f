# SPDX-License-Identifier: GPL-3.0-or-later
"""Proofs: honest exports hold, files with one other number do not, and the page says why."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from support.lint_cases import make_box, write_stl
from support.source_tree import ROOT
from urdf_importer import (
    ArgumentError,
    Diagnostics,
    EngineOptions,
    FileOptions,
    Proof,
    ProofOptions,
    Robot,
    export_robot,
    prove_export,
    read_robot,
)
from urdf_importer.cli import main

ROBOT = """<robot name="r&amp;&lt;b&gt;">
<link name="base"><inertial><origin xyz="0.01 0.02 0.03" rpy="0.1 0.2 0.3"/><mass value="2"/>
<inertia ixx="0.03" iyy="0.02" izz="0.04" ixy="0.001" ixz="0.002" iyz="0.003"/></inertial>
<visual><origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><geometry><box size="0.1 0.2 0.3"/></geometry>
</visual></link>
<link name="arm"><inertial><origin xyz="0.01 0.02 0.03"/><mass value="1"/>
<inertia ixx="0.03" iyy="0.02" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><cylinder radius="0.1" length="0.4"/></geometry></collision></link>
<link name="tip"/>
<link name="slide"><inertial><mass value="0.5"/>
<inertia ixx="0.03" iyy="0.02" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/>
<origin xyz="0.1 0.2 1" rpy="0.3 0.2 0.1"/><axis xyz="0 0.6 0.8"/>
<limit lower="-1.5" upper="1.25" effort="10" velocity="3"/></joint>
<joint name="hold" type="fixed"><parent link="arm"/><child link="tip"/>
<origin xyz="0 0 0.5"/></joint>
<joint name="push" type="prismatic"><parent link="base"/><child link="slide"/>
<origin xyz="0.5 0 0"/><axis xyz="0.8 0.6 0"/><mimic joint="turn" multiplier="0.2" offset="0.05"/>
<limit lower="-0.25" upper="0.3" effort="10" velocity="3"/></joint></robot>
"""
SUFFIXES = (".urdf", ".sdf", ".xml", ".usda")
NUMBER = re.compile(r"(?<![\w.])-?\d+\.?\d*(?:e-?\d+)?(?![\w.])")


@pytest.fixture
def robot(tmp_path: Path) -> Robot:
    path = tmp_path / "source.urdf"
    path.write_text(ROBOT)
    return read_robot(path)


def export(robot: Robot, path: Path) -> Diagnostics:
    told = Diagnostics()
    options = EngineOptions(engine="isaac") if path.suffix == ".usda" else FileOptions()
    export_robot(robot, path, options=options, diagnostics=told)
    return told


def differing(proof: Proof) -> set[tuple[str, str]]:
    return {(row.what, row.name) for row in proof.rows if row.outcome == "differs"}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_honest_exports_hold(suffix: str, robot: Robot, tmp_path: Path) -> None:
    path = tmp_path / f"robot{suffix}"
    told = export(robot, path)
    proof = prove_export(robot, path, diagnostics=told)
    assert proof.holds and not differing(proof)
    independent = {".xml": "mujoco", ".usda": "usd"}.get(suffix)
    assert independent is None or independent in proof.readers
    compared = {row.what for row in proof.rows if row.outcome == "equal"}
    assert {"link", "frame", "mass", "centre", "inertia", "range", "box", "shapes"} <= compared


@pytest.mark.parametrize("step", ["0", "1e-9", "-1", "1e-300"])
def test_steps_that_are_too_short_end(step: str, robot: Robot, tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    told = export(robot, path)
    text = path.read_text()
    assert text.count("<worldbody") == 1
    path.write_text(text.replace("<worldbody", f'<option timestep="{step}"/><worldbody'))
    proof = prove_export(robot, path, diagnostics=told)
    (row,) = (row for row in proof.rows if row.what == "simulation")
    assert row.outcome == "differs" and "too short" in str(row)


@pytest.mark.parametrize(
    ("old", "new"),
    [("float physics:mass = ", "string physics:mass = 'x' # "),
     ("point3f physics:centerOfMass", "string physics:centerOfMass = 'x' # "),
     ("quatf physics:principalAxes = ", "quatf physics:principalAxes = (0, 0, 0, 0) # "),
     ("quatf physics:principalAxes", "string physics:principalAxes = 'x' # "),
     ("float3 physics:diagonalInertia", "string physics:diagonalInertia = 'x' # ")],
)  # fmt: skip
def test_attributes_of_another_kind_are_refused(
    old: str, new: str, robot: Robot, tmp_path: Path
) -> None:
    path = tmp_path / "robot.usda"
    told = export(robot, path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    proof = prove_export(robot, path, options=ProofOptions(readers=("usd",)), diagnostics=told)
    assert not proof.holds


FOLLOWER = ("-0.25", "0.3</upper>", 'upper="0.3', "0.3\n")
"""Limits of a follower, whose leader moves it."""
NOT_COMPARED = {
    ".urdf": ("version",), ".sdf": ("version",),
    # Densities of shapes that bring no mass, colours, the range of a controller, the start.
    ".xml": ("group", "contype", "conaffinity", "density", "rgba", "ctrlrange", "qpos"),
    # Bounds that are kept for viewers, drives, the scene, doubles for another engine.
    ".usda": ("extent", "stiffness", "damping", "targetPosition", "gravityDirection", "effort",
              "gravityMagnitude", "velocityLimit", "gearing", "offset"),
}  # fmt: skip
NAME = re.compile(r"(\w+) ?=(?!=)")
UNTURNED = "orient = (1.0"
"""OpenUSD takes a quaternion whose real part is 1 or more for no turn."""


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_any_other_number_is_found(suffix: str, robot: Robot, tmp_path: Path) -> None:
    """All numbers of a file, one by one: each is named, but for those that no proof is about."""
    path = tmp_path / f"robot{suffix}"
    told = export(robot, path)
    text = path.read_text()
    readers = {".xml": ("own", "mujoco"), ".usda": ("own", "usd")}.get(suffix, ("own",))
    options = ProofOptions(readers=readers, poses=2, seconds=0.0)
    missed, changed = [], 0
    for found in NUMBER.finditer(text, text.index("base")):
        before = text[: found.start()]
        own = NAME.findall(before)[-1]
        if own in NOT_COMPARED[suffix] or UNTURNED in text[before.rindex("\n") : found.end()]:
            continue
        changed += 1
        path.write_text(f"{before}{float(found.group()) * 1.01 + 0.003:.6g}{text[found.end() :]}")
        if prove_export(robot, path, options=options, diagnostics=told).holds:
            missed.append(text[found.start() - 8 : found.end() + 8])
    assert [each for each in missed if not any(word in each for word in FOLLOWER)] == []
    assert changed > 60


@pytest.mark.parametrize(
    ("old", "new", "what", "name"),
    [('xyz="0.1 0.2 1"', 'xyz="0.1 0.2 1.001"', "frame", "arm"),
     ('<mass value="2"', '<mass value="2.02"', "mass", "base"),
     ('lower="-1.5"', 'lower="-1.4"', "range", "turn"),
     ('effort="10"', 'effort="11"', "effort", "turn"),
     ('velocity="3"', 'velocity="2"', "velocity", "turn"),
     ('ixx="0.03" iyy="0.02"', 'ixx="0.02" iyy="0.03"', "inertia", "base"),
     ('xyz="0.01 0.02 0.03" rpy', 'xyz="0.02 0.01 0.03" rpy', "centre", "base"),
     ('offset="0.05"', 'offset="0.06"', "frame", "slide"),
     ('radius="0.1" length', 'radius="0.11" length', "box", "arm"),
     ('"tip"', '"end"', "link", "tip"), ('"turn"', '"spin"', "joint", "turn"),
     ('name="turn" type="revolute"', 'name="turn" type="continuous"', "range", "turn")],
)  # fmt: skip
def test_damage_is_named_at_its_part(
    old: str, new: str, what: str, name: str, robot: Robot, tmp_path: Path
) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT.replace(old, new))
    proof = prove_export(robot, path, diagnostics=Diagnostics())
    assert not proof.holds and (what, name) in differing(proof)


def test_a_lost_link_and_a_lost_shape_are_named(robot: Robot, tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    shape = ROBOT[ROBOT.index("<visual>") : ROBOT.index("</visual>") + 9]
    path.write_text(ROBOT.replace(shape, ""))
    found = differing(prove_export(robot, path))
    assert {("box", "base"), ("shapes", "base")} <= found
    hold = ROBOT[ROBOT.index('<joint name="hold"') : ROBOT.index('<joint name="push"')]
    path.write_text(ROBOT.replace(hold, "").replace('<link name="tip"/>', ""))
    assert ("link", "tip") in differing(prove_export(robot, path))


def test_a_difference_that_the_export_names_is_explained(tmp_path: Path) -> None:
    source = tmp_path / "source.urdf"
    source.write_text(ROBOT.replace('izz="0.04" ixy="0"', 'izz="0.09" ixy="0"', 1))
    robot, path = read_robot(source), tmp_path / "robot.xml"
    proof = prove_export(robot, path, diagnostics=export(robot, path))
    explained = {(row.what, row.name, row.code) for row in proof.rows if row.outcome == "explained"}
    assert ("inertia", "arm", "mjcf-inertia-repaired") in explained and proof.holds
    held_not = {row.what for row in proof.rows if row.outcome == "held-not"}
    assert held_not == {"velocity", "fixed joint"}
    # Without the diagnostics of the export, the writer is asked for them.
    assert prove_export(robot, path).holds


def test_a_joint_without_a_way_is_held_by_an_equality(tmp_path: Path) -> None:
    source, path = tmp_path / "source.urdf", tmp_path / "robot.xml"
    text = ROBOT.replace('<mimic joint="turn" multiplier="0.2" offset="0.05"/>', "")
    source.write_text(text.replace('lower="-0.25" upper="0.3"', 'lower="0.25" upper="0.25"'))
    robot = read_robot(source)
    told = export(robot, path)
    proof = prove_export(robot, path, diagnostics=told)
    assert proof.holds and "mujoco" in proof.readers
    text = path.read_text()
    assert text.count('polycoef="0.25 ') == 1
    path.write_text(text.replace('polycoef="0.25 ', 'polycoef="0.2 '))
    proof = prove_export(robot, path, diagnostics=told)
    assert ("range", "push") in differing(proof)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_efforts_and_velocities_below_zero_are_none(suffix: str, tmp_path: Path) -> None:
    source, path = tmp_path / "source.urdf", tmp_path / f"robot{suffix}"
    source.write_text(ROBOT.replace('effort="10" velocity="3"', 'effort="-1" velocity="-1"'))
    robot = read_robot(source)
    assert prove_export(robot, path, diagnostics=export(robot, path)).holds


def test_a_frame_above_a_body_is_below_it_in_sdf(tmp_path: Path) -> None:
    source, path = tmp_path / "source.urdf", tmp_path / "robot.sdf"
    source.write_text(
        ROBOT.replace(
            "</robot>",
            """<link name="world"/><link name="foot"/>
<joint name="stand" type="fixed"><parent link="world"/><child link="foot"/></joint>
<joint name="glue" type="fixed"><parent link="foot"/><child link="base"/></joint></robot>""",
        )
    )
    robot = read_robot(source)
    proof = prove_export(robot, path, diagnostics=export(robot, path))
    rows = {row.name: row.text for row in proof.rows if row.outcome == "held-not"}
    assert proof.holds and rows == dict.fromkeys(
        ("stand", "glue"), "a frame above a body is below it there"
    )


def test_a_file_that_is_found_elsewhere_explains_another_shape(tmp_path: Path) -> None:
    """Beside the description another file has the name than beside the packages."""
    mesh = '<geometry><mesh filename="package://arm/meshes/part.stl"/></geometry>'
    shape = '<geometry><box size="0.1 0.2 0.3"/></geometry>'
    robots, out = tmp_path / "robots", tmp_path / "out"
    for folder, size in ((robots / "arm/meshes/coarse", 0.1), (robots / "leg/meshes", 0.3)):
        folder.mkdir(parents=True)
        write_stl(folder / "part.stl", make_box(np.zeros(3), np.full(3, size)))
    out.mkdir()
    source, path = robots / "arm" / "source.urdf", out / "robot.urdf"
    source.write_text(ROBOT.replace(shape, mesh))
    path.write_text(source.read_text())
    options = ProofOptions(package_paths=(str(robots),))
    proof = prove_export(read_robot(source), path, options=options, diagnostics=Diagnostics())
    (row,) = (row for row in proof.rows if row.what == "box" and row.outcome != "equal")
    assert (row.name, row.outcome, row.code) == ("base", "explained", "moved-file")


MODEL = """<mujoco model="cart"><worldbody><body name="cart"><joint name="x" type="slide"
axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/><joint name="turn" axis="0 0 1"/>
<geom name="hull" type="box" size="0.2 0.1 0.05" mass="3"/><body name="arm" pos="0.1 0 0.1"><joint
name="lift" axis="0 1 0" range="-1 1" limited="true"/><geom name="rod" size="0.02 0.2" mass="1"
type="capsule"/></body></body><body name="ball" pos="0 0 2"><freejoint name="free"/><geom size="0.1"
mass="1"/></body></worldbody><actuator><motor name="lift" joint="lift"/></actuator>
</mujoco>"""


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_several_joints_of_a_body_hold(suffix: str, tmp_path: Path) -> None:
    """MuJoCo has no links between them, URDF needs efforts, and SDF names each shape once."""
    source, path = tmp_path / "source.xml", tmp_path / f"robot{suffix}"
    source.write_text(MODEL)
    robot = read_robot(source)
    proof = prove_export(robot, path, diagnostics=export(robot, path))
    assert not differing(proof) and proof.holds
    told = {(row.what, row.reader) for row in proof.rows if row.outcome == "held-not"}
    wanted = {".xml": ("link", "mujoco"), ".urdf": ("effort", "own")}.get(suffix)
    assert wanted is None or wanted in told
    if suffix == ".sdf":
        names = re.findall(r'<(?:visual|collision) name="([^"]+)"', path.read_text())
        assert len(names) == len(set(names)) == 6 and ("joint", "own") in told
        assert '<urdf:transmission urdf:name="lift"' in path.read_text()


def test_another_robot_is_said_to_be_one(robot: Robot, tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text('<robot name="x"><link name="quite"/></robot>')
    proof = prove_export(robot, path)
    (row,) = (row for row in proof.rows if row.outcome == "differs")
    assert row.text.endswith("is it this robot's?") and not proof.holds


def test_a_stage_without_bodies_is_not_called_another_robots(robot: Robot, tmp_path: Path) -> None:
    path = tmp_path / "robot.usda"
    path.write_text('#usda 1.0\ndef Xform "shown"\n{\n}\n')
    proof = prove_export(robot, path, options=ProofOptions(readers=("usd",)))
    (row,) = proof.rows
    assert row.outcome == "not-checked" and "engine isaac" in row.text
    assert str(proof).startswith("r&<b> in robot.usda: not proven\nread by none;")


def test_the_page_is_one_file_with_names_escaped(robot: Robot, tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    export(robot, path)
    proof = prove_export(robot, path)
    page = proof.to_html()
    parser = HTMLParser()
    parser.feed(page)
    assert "r&amp;&lt;b&gt; in robot.urdf: holds" in page and "<b>" not in page
    assert "<script" not in page and '<meta charset="utf-8">' in page
    content = json.loads(proof.to_json())
    assert content["holds"] is True and {row["outcome"] for row in content["rows"]} >= {"equal"}
    assert str(proof).splitlines()[0] == "r&<b> in robot.urdf: holds"


def test_readers_are_chosen_and_absent_ones_are_said(
    robot: Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    path = tmp_path / "robot.urdf"
    export(robot, path)
    options = ProofOptions(readers=("own", "urdfdom", "sdformat", "mujoco"))
    proof = prove_export(robot, path, options=options)
    told = {row.reader: row.text for row in proof.rows if row.outcome == "not-checked"}
    assert told == {
        "urdfdom": "check_urdf is not on PATH",
        "sdformat": "it reads .sdf",
        "mujoco": "it reads .xml and .mjcf",
    }
    with pytest.raises(ArgumentError, match="no reader 'mujco'; did you mean 'mujoco'"):
        prove_export(robot, path, options=ProofOptions(readers=("mujco",)))


def test_a_refusal_of_a_reader_differs(robot: Robot, tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(
        "<mujoco><worldbody><body name='base'><geom size='-1'/></body></worldbody></mujoco>"
    )
    proof = prove_export(robot, path, options=ProofOptions(readers=("mujoco",)))
    (row,) = proof.rows
    assert (row.what, row.outcome) == ("reads", "differs") and "MuJoCo refuses it" in row.text


SAMPLE = str(ROOT / "sample_urdfs" / "gripper.urdf")


def test_export_prints_or_writes_its_proof(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, page, report = (str(tmp_path / name) for name in ("g.xml", "p.html", "report"))
    assert main(["export", SAMPLE, "-o", out, "--prove"]) == 0
    assert "gripper in g.xml: holds" in capsys.readouterr().out
    assert main(["export", SAMPLE, "-o", out, "--prove", page, "--json", report]) == 0
    assert "<table>" in Path(page).read_text()
    (proof,) = json.loads(Path(report).read_text())["proof"]
    assert proof["holds"] and proof["readers"] == ["own", "mujoco"] and proof["differs"] == []


def test_prove_fails_for_a_damaged_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "g.urdf"
    main(["export", SAMPLE, "-o", str(out), "--quiet"])
    assert main(["prove", SAMPLE, str(out), "-o", str(tmp_path / "p.json")]) == 0
    assert json.loads((tmp_path / "p.json").read_text())["holds"]
    out.write_text(out.read_text().replace('<mass value="', '<mass value="1', 1))
    assert main(["prove", SAMPLE, str(out)]) == 1
    assert "differs     own       mass" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["missing.urdf", "."])
def test_files_that_nothing_reads_are_one_sentence(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["prove", SAMPLE, name, "--quiet"]) == 1
    shown = capsys.readouterr()
    assert "Traceback" not in shown.err and (shown.err or name == ".")
