# SPDX-License-Identifier: GPL-3.0-or-later
"""Readers in other processes: check_urdf and libsdformat as they are where $CHECK_URDF and
$CHECK_SDF name them, and libraries and programs that crash, freeze, refuse or eat memory."""

import os
import sys
from pathlib import Path

import pytest

from urdf_importer import (
    Diagnostics,
    Proof,
    ProofOptions,
    ProofRow,
    Robot,
    export_robot,
    prove_export,
    read_robot,
)
from urdf_importer.features.proof import readers

CHECK_URDF, CHECK_SDF = (os.environ.get(name, "") for name in ("CHECK_URDF", "CHECK_SDF"))
ROBOT = """<robot name="r"><link name="a b"/><link name="c"/><link name="d"/><link name="e"/>
<joint name="j" type="revolute"><parent link="a b"/><child link="c"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="k" type="fixed"><parent link="c"/><child link="d"/></joint>
<joint name="l" type="fixed"><parent link="a b"/><child link="e"/></joint></robot>
"""
SAID = """robot name is: r
---------- Successfully Parsed XML ---------------
root Link: a b has 2 child(ren)
    child(1):  c
        child(1):  d
    child(2):  e
"""


@pytest.fixture
def robot(tmp_path: Path) -> Robot:
    path = tmp_path / "source.urdf"
    path.write_text(ROBOT)
    return read_robot(path)


def prove(robot: Robot, path: Path, reader: str) -> Proof:
    options = ProofOptions(readers=("own", reader), seconds=0.0)
    return prove_export(robot, path, options=options, diagnostics=Diagnostics())


def rows_of(proof: Proof, reader: str) -> list[ProofRow]:
    return [row for row in proof.rows if row.reader == reader]


def put_program(folder: Path, name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts a program on PATH, where nothing else is."""
    place = folder / "bin"
    place.mkdir()
    (place / name).write_text(text)
    (place / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(place))


def in_python(lines: str) -> str:
    return f"#!{sys.executable}\n{lines}\n"


def in_shell(line: str) -> str:
    return f"#!/bin/sh\nexport PATH=/usr/local/bin:/usr/bin:/bin\n{line}\n"


@pytest.fixture
def urdfdom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = in_shell(f'exec "{CHECK_URDF}" "$@"') if CHECK_URDF else in_python(f"print({SAID!r})")
    put_program(tmp_path, "check_urdf", text, monkeypatch)


def test_the_tree_of_check_urdf_is_compared(robot: Robot, tmp_path: Path, urdfdom: None) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT)
    proof = prove(robot, path, "urdfdom")
    assert proof.holds and proof.readers == ("own", "urdfdom")
    found = {(row.what, row.name, row.after) for row in rows_of(proof, "urdfdom")}
    assert found == {("link", "a b", ""), ("link", "c", "a b"), ("link", "d", "c"),
                     ("link", "e", "a b")}  # fmt: skip


def test_another_tree_differs(tmp_path: Path, urdfdom: None) -> None:
    source, path = tmp_path / "source.urdf", tmp_path / "robot.urdf"
    path.write_text(ROBOT)
    source.write_text(ROBOT.replace('parent link="c"', 'parent link="e"'))
    bad = [row for row in rows_of(prove(read_robot(source), path, "urdfdom"), "urdfdom")
           if row.outcome == "differs"]  # fmt: skip
    assert [(row.what, row.name, row.text) for row in bad] == [("link", "d", "its parent is 'c'")]
    source.write_text(ROBOT.replace("</robot>", '<link name="f"/><joint name="m" type="fixed">'
                      '<parent link="c"/><child link="f"/></joint></robot>'))  # fmt: skip
    proof = prove(read_robot(source), path, "urdfdom")
    bad = [row for row in rows_of(proof, "urdfdom") if row.outcome == "differs"]
    assert [(row.what, row.name, row.text) for row in bad] == [("link", "f", "it is gone")]


@pytest.mark.skipif(not CHECK_URDF, reason="CHECK_URDF names no check_urdf (tools/get-urdfdom)")
def test_a_refusal_of_urdfdom_differs_unless_the_export_names_it(
    robot: Robot, tmp_path: Path, urdfdom: None
) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT.replace('<limit lower="-1" upper="1" effort="1" velocity="1"/>', ""))
    (row,) = rows_of(prove(robot, path, "urdfdom"), "urdfdom")
    assert (row.what, row.outcome) == ("reads", "differs")
    assert row.text.startswith("check_urdf refuses it: ")
    told = Diagnostics()
    export_robot(read_robot(path), path, diagnostics=told)
    options = ProofOptions(readers=("own", "urdfdom"))
    proof = prove_export(robot, path, options=options, diagnostics=told)
    (row,) = rows_of(proof, "urdfdom")
    assert (row.outcome, row.code) == ("explained", "incomplete-for-others")


@pytest.mark.skipif(not CHECK_URDF, reason="CHECK_URDF names no check_urdf (tools/get-urdfdom)")
def test_a_material_that_is_defined_once_more_explains_a_refusal(
    tmp_path: Path, urdfdom: None
) -> None:
    source, told = tmp_path / "source.urdf", Diagnostics()
    white = '<material name="white"><color rgba="1 1 1 1"/></material>\n'
    source.write_text(ROBOT.replace("</robot>", f"{white}{white}</robot>"))
    path, robot = tmp_path / "robot.urdf", read_robot(source)
    export_robot(robot, path, diagnostics=told)
    (item,) = (each for each in told if each.code == "incomplete-for-others")
    assert (item.subject, item.line) == ("white", 6)
    proof = prove_export(robot, path, diagnostics=told)
    (row,) = rows_of(proof, "urdfdom")
    assert "not unique" in row.text and (row.outcome, row.code) == ("explained", item.code)


@pytest.mark.skipif(not CHECK_SDF, reason="CHECK_SDF names no check_sdf (tools/get-sdformat)")
def test_libsdformat_judges_files_of_gazebo(
    robot: Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = f'test "$1 $2" = "sdf --check" && exec "{CHECK_SDF}" "$3"'
    put_program(tmp_path, "gz", in_shell(line), monkeypatch)
    path, told = tmp_path / "robot.sdf", Diagnostics()
    export_robot(robot, path, diagnostics=told)
    options = ProofOptions(readers=("own", "sdformat"))
    proof = prove_export(robot, path, options=options, diagnostics=told)
    assert proof.holds and [row.what for row in rows_of(proof, "sdformat")] == ["valid"]
    assert 'attached_to="c"' in path.read_text()
    path.write_text(path.read_text().replace('attached_to="c"', 'attached_to="none"'))
    (row,) = rows_of(prove(robot, path, "sdformat"), "sdformat")
    assert row.outcome == "differs" and row.text.startswith("gz sdf refuses it: Error Code")


@pytest.mark.parametrize(
    ("said", "outcome"),
    [("Error [Converter.cc:156] Unable to convert from SDF version 1.11 to 1.9", "equal"),
     ("Error Code 18: Msg: A link named c has invalid inertia.", "differs")],
)  # fmt: skip
def test_words_in_colour_count_and_an_older_gazebo_may_read_newer_files(
    said: str, outcome: str, robot: Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_program(tmp_path, "gz", in_python(f"print('\\033[1;31m{said[:5]}\\033[0m{said[5:]}')"),
                monkeypatch)  # fmt: skip
    path = tmp_path / "robot.sdf"
    export_robot(robot, path)
    (row,) = rows_of(prove(robot, path, "sdformat"), "sdformat")
    assert row.outcome == outcome and row.text.endswith(said)


@pytest.mark.parametrize(
    ("lines", "outcome", "told"),
    [("import os; os.abort()", "not-checked", "it is stopped: it crashes (SIGABRT)"),
     ("while True: pass", "not-checked", "it takes longer than 1 seconds"),
     ("print('Error:  bad'); raise SystemExit(1)", "differs", "check_urdf refuses it: Error: bad"),
     ("raise SystemExit(3)", "differs", "check_urdf refuses it: exit status 3"),
     ("import sys\nwhile True: sys.stdout.write('x' * 2**20)", "differs", "check_urdf refuses it"),
     ("x = bytearray(2**36)", "differs", "check_urdf refuses it: ")],
)  # fmt: skip
def test_programs_that_misbehave_end_nothing(
    lines: str, outcome: str, told: str, robot: Robot, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    if "while True: pass" in lines:
        monkeypatch.setattr(readers, "_SECONDS", 1.0)
    put_program(tmp_path, "check_urdf", in_python(lines), monkeypatch)
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT)
    (row,) = rows_of(prove(robot, path, "urdfdom"), "urdfdom")
    assert row.outcome == outcome and row.text.startswith(told)


def test_a_program_of_the_current_folder_is_not_started(
    robot: Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_program(tmp_path, "check_urdf", in_python("raise SystemExit(1)"), monkeypatch)
    monkeypatch.setenv("PATH", os.pathsep.join(("", ".", "bin")))
    monkeypatch.chdir(tmp_path / "bin")
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT)
    (row,) = rows_of(prove(robot, path, "urdfdom"), "urdfdom")
    assert row.outcome == "not-checked" and row.text == "check_urdf is not on PATH"


@pytest.mark.parametrize(
    ("lines", "told"),
    [("import os; os.abort()", "it is stopped: it crashes (SIGABRT)"),
     ("while True: pass", "it takes longer than 1 seconds"),
     ("raise RuntimeError('no')", "it is stopped: RuntimeError: no"),
     ("raise ImportError('no library')", "it cannot be used here: no library"),
     ("x = bytearray(2**36)", "it needs more memory than a reader may have")],
)  # fmt: skip
@pytest.mark.parametrize("reader", ["mujoco", "usd"])
def test_libraries_that_misbehave_end_nothing(
    reader: str, lines: str, told: str, robot: Robot, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    package = tmp_path / "libraries" / {"usd": "pxr"}.get(reader, reader)
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(lines)
    monkeypatch.setattr(sys, "path", [str(package.parent), *sys.path])
    if "while" in lines:
        monkeypatch.setattr(readers, "_SECONDS", 1.0)
    path = tmp_path / f"robot.{'usda' if reader == 'usd' else 'xml'}"
    path.write_text("")
    options = ProofOptions(readers=(reader,), seconds=0.0)
    (row,) = prove_export(robot, path, options=options, diagnostics=Diagnostics()).rows
    assert (row.what, row.outcome, row.text) == ("reads", "not-checked", told)


def test_a_model_on_which_mujoco_never_ends_is_stopped(
    robot: Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readers, "_SECONDS", 2.0)
    path = tmp_path / "robot.xml"
    path.write_text("<mujoco><worldbody><replicate count='100000000'><geom size='1'/></replicate>"
                    "</worldbody></mujoco>")  # fmt: skip
    (row,) = rows_of(prove(robot, path, "mujoco"), "mujoco")
    assert row.outcome == "not-checked" and row.text == "it takes longer than 2 seconds"


@pytest.mark.parametrize(
    ("text", "told"),
    [("<mujoco><size memory='1000G'/><worldbody/></mujoco>", "allocate"),
     ("<mujoco><worldbody>" + "<body>" * 100_000, "nesting is too deep")],
)  # fmt: skip
def test_models_that_are_too_big_are_refused(
    text: str, told: str, robot: Robot, tmp_path: Path
) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(text)
    (row,) = rows_of(prove(robot, path, "mujoco"), "mujoco")
    assert row.outcome == "differs" and told in row.text
    assert {each.name for each in tmp_path.iterdir()} == {"robot.xml", "source.urdf"}
