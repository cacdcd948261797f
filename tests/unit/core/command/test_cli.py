# SPDX-License-Identifier: GPL-3.0-or-later
"""The command without Blender: check, diagnostics, errors, reports."""

import io
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import urdf_importer.core.command.jobs
from support.paths import ROOT
from urdf_importer import Diagnostic, Progress, Severity, plan_rig, read_robot
from urdf_importer.cli import main
from urdf_importer.core.command.report import Report
from urdf_importer.core.command.terminal import MOST_SHOWN, Terminal

SAMPLES = sorted((ROOT / "sample_urdfs").glob("*.urdf"))
MESSY = str(ROOT / "sample_urdfs" / "messy.urdf")
GRIPPER = str(ROOT / "sample_urdfs" / "gripper.urdf")
BLOCKED = "import sys; sys.modules['bpy'] = None; from urdf_importer.cli import main; "


def run_without_blender(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """The command in a process where importing bpy fails, as where it is not installed."""
    return subprocess.run(
        [sys.executable, "-c", BLOCKED + f"sys.exit(main({list(arguments)!r}))"],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        timeout=300,
    )


def read_report(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


# Without Blender


def test_check_works_without_blender() -> None:
    done = run_without_blender("check", GRIPPER)
    assert (done.returncode, done.stderr) == (0, "")
    assert "7, 1 degree of freedom, 6 mimic another" in done.stdout


def test_import_without_blender_says_what_to_install(tmp_path: Path) -> None:
    done = run_without_blender("import", GRIPPER, "-o", str(tmp_path / "a.blend"))
    assert done.returncode == 1
    assert done.stderr.startswith("urdf-importer: error: importing needs Blender")
    assert "pip install 'urdf-importer[blender]'" in done.stderr and done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_module_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "urdf_importer", "check", "no_such.urdf"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=300,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("no_such.urdf: error: ") and done.stderr.count("\n") == 1


def test_a_reader_that_goes_away_is_no_crash() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    code = f"import sys; from urdf_importer.cli import main; sys.exit(main({['check', GRIPPER]!r}))"
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            stdout=write_end,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            timeout=300,
        )
    finally:
        os.close(write_end)
    assert (done.returncode, done.stderr) == (1, "")


# What check says


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_check_says_what_the_plan_holds(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lacks_parts = path.stem == "messy"
    assert main(["check", str(path), "--json", "-"]) == int(lacks_parts)
    (said,) = read_report(capsys)
    robot = read_robot(path)
    plan = plan_rig(robot)
    parents = {joint.child: joint.parent for joint in robot.joints}
    assert said["ok"] and said["robot"] == robot.name and said["files"] == []
    assert said["links"] == len(plan.links) and said["joints"] == len(robot.joints)
    assert sum(said["joints_by_type"].values()) == len(robot.joints)
    assert said["moving_joints"] == len(plan.joints)
    assert said["mimic_joints"] == sum(bool(joint.mimics) for joint in plan.joints)
    assert said["bones"] == len(plan.bones)
    assert said["roots"] == [link.link.name for link in plan.links if link.link.name not in parents]
    assert said["depth"] == max(_count_parents(link.link.name, parents) for link in plan.links)
    assert set(said["seconds"]) == {"read", "plan", "judge"}


def _count_parents(name: str, parents: dict[str, str]) -> int:
    count = 0
    while name in parents:
        name, count = parents[name], count + 1
    return count


def test_check_shows_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", MESSY]) == 1
    shown = capsys.readouterr().out
    for row in (
        "robot          messy",
        "roots          container, quay",
        "hoist (0.25)",
        "1320 kg",
    ):
        assert row in shown


def test_options_count_in_check(capsys: pytest.CaptureFixture[str]) -> None:
    leg = str(ROOT / "sample_urdfs" / "quadruped_leg.urdf")
    assert main(["check", leg, "--json", "-"]) == 0
    assert main(["check", leg, "--json", "-", "--no-combine-joints"]) == 0
    assert main(["check", leg, "--json", "-", "--combine-joints", "balls"]) == 0
    reports = read_report(capsys)
    assert [each["combined_bones"] for each in reports] == [2, 0, 1]


# Diagnostics, errors, reports


def test_diagnostics_are_printed_like_a_compilers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", MESSY]) == 1
    lines = capsys.readouterr().err.splitlines()
    for line, code in ((10, "undefined-link"), (64, "swapped-limits"), (100, "zero-axis")):
        assert any(
            each.startswith(f"{MESSY}:{line}: warning: ") and each.endswith(f"[{code}]")
            for each in lines
        )


def test_a_flood_is_cut_on_screen_and_whole_in_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_many_faults(tmp_path / "flood.urdf", MOST_SHOWN + 7)
    assert main(["check", str(path), "--json", str(tmp_path / "report")]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == MOST_SHOWN + 2 and lines[-2].startswith("... and 7 more")
    report = json.loads((tmp_path / "report").read_text())
    assert [item["line"] for item in report["diagnostics"]] == list(range(2, MOST_SHOWN + 9))


def write_many_faults(path: Path, count: int) -> Path:
    """One zero axis to a line, from line 2 on."""
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="base"/><child link="l{i}"/>'
        '<axis xyz="0 0 0"/></joint>\n'
        for i in range(count)
    )
    links = "".join(f'<link name="l{i}"/>' for i in range(count))
    path.write_text(f'<robot name="r"><link name="base"/>{links}\n{joints}</robot>')
    return path


def test_an_error_is_one_line_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.urdf"
    path.write_text('<robot name="r">\n<link name="a"/>\n<link')
    assert main(["check", str(path), "--json", str(tmp_path / "report")]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"{path}:3: error: ") and said.count("\n") == 1
    report = json.loads((tmp_path / "report").read_text())
    assert report["ok"] is False
    assert report["error"]["type"] == "ReadError" and report["error"]["line"] == 3
    assert said == f"{path}:3: error: {report['error']['message']}\n"


def test_several_inputs_go_on_after_one_that_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", GRIPPER, "no_such.urdf", MESSY, "--json", "-", "--quiet"]) == 1
    assert [each["ok"] for each in read_report(capsys)] == [True, False, True]


def test_strict_takes_a_diagnostic_for_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", GRIPPER, "--strict"]) == 0
    assert main(["check", MESSY, "--strict", "--quiet"]) == 1
    assert capsys.readouterr().err.startswith(f"{MESSY}: error: ")


def test_quiet_says_nothing_but_errors(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", MESSY, "--quiet"]) == 1
    assert main(["check", MESSY, "--quiet", "--fail-on", "never"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["check", "no_such.urdf", "--quiet"]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_names_send_no_commands_to_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "evil\x1b[2J.urdf"
    path.write_text('<robot name="&#x9b;31m&#x202e;x&#10;y"><link name="a"/></robot>')
    assert main(["check", str(path), str(tmp_path / "no\x1b\nsuch")]) == 1
    out, err = capsys.readouterr()
    assert all(line.isprintable() for line in (out + err).splitlines())
    assert r"\x1b" in err


def test_a_narrow_encoding_is_no_crash() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "urdf_importer", "check", "/dev/stdin", "käse\udc80.urdf"],
        capture_output=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        stdin=subprocess.DEVNULL,
        timeout=300,
    )
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr and rb"k\xe4se" in done.stderr


def test_a_document_is_utf8_in_any_encoding_of_the_system(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text("<robot name='\u0440\u0443\u043a\u0430'><link name='base'/></robot>", "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "urdf_importer", "convert", str(path)],
        capture_output=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
        stdin=subprocess.DEVNULL,
        timeout=300,
    )
    assert done.returncode == 0 and b"Traceback" not in done.stderr
    assert 'name="\u0440\u0443\u043a\u0430"' in done.stdout.decode("utf-8").replace("'", '"')


def test_reports_are_json_whatever_the_numbers() -> None:
    report = Report("r.urdf", facts={"total_mass": float("inf"), "robot": "a\udc80\n"})
    line = report.to_json()
    assert "\n" not in line and line.isascii()
    said = json.loads(line, parse_constant=_refuse_constant)
    assert said["total_mass"] is None and said["robot"] == "a\udc80\n"


def _refuse_constant(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


def test_ctrl_c_is_130(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(urdf_importer.core.command.jobs, "plan_rig", interrupt)
    assert main(["check", GRIPPER, "--json", str(tmp_path / "report")]) == 130
    assert list(tmp_path.iterdir()) == []


def test_version_is_the_manifests(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit:
        main(["--version"])
    assert exit.value.code == 0
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text())
    assert capsys.readouterr().out == f"urdf-importer {manifest['version']}\n"


# The terminal


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def draw(monkeypatch: pytest.MonkeyPatch, *, quiet: bool, stream: io.StringIO) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    terminal = Terminal(quiet=quiet)
    terminal.progress(Progress(share=0.5, text="x" * 500), "robot.urdf")
    terminal.note("done")
    return stream.getvalue()


def test_progress_is_one_line_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    drawn, cleared, last = draw(monkeypatch, quiet=False, stream=FakeTerminal()).split("\r\x1b[K")[
        0:3
    ]
    assert drawn == "" and cleared.startswith("robot.urdf:  50% xx") and len(cleared) == 39
    assert last == "done\n"


def test_progress_is_for_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    assert draw(monkeypatch, quiet=False, stream=io.StringIO()) == "done\n"
    assert draw(monkeypatch, quiet=True, stream=FakeTerminal()) == ""


def test_diagnostics_without_a_place_name_none(capsys: pytest.CaptureFixture[str]) -> None:
    item = Diagnostic(severity=Severity.WARNING, code="a-code", message="what")
    Terminal(quiet=False).diagnostics([item])
    assert capsys.readouterr().err == "warning: what [a-code]\n"


def test_check_lists_an_argument_that_has_to_be_given(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "robot.xacro"
    path.write_text(
        "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>"
        "<xacro:arg name='side'/><link name='$(arg side)'/></robot>"
    )
    assert main(["check", str(path), "--json", "-"]) == 1
    (report,) = read_report(capsys)
    assert report["xacro_arguments"] == {"side": None}
    assert main(["check", str(path), "--xacro-arg", "side:=left"]) == 0
    assert "xacro argument side (has no default)" in capsys.readouterr().out.splitlines()


def test_variables_of_xacro_are_given_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "robot.xacro"
    path.write_text(
        "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'><link name='a'/>"
        "<xacro:if value='$(optenv LASER 0)'><link name='$(env SIDE)'/></xacro:if></robot>"
    )
    monkeypatch.setenv("LASER", "1")
    assert main(["check", str(path), "--strict"]) == 1
    assert "[environment-not-read]" in capsys.readouterr().err
    assert main(["check", str(path), "--xacro-env", "LASER:=1"]) == 1
    assert "give it with --xacro-env SIDE:=VALUE" in capsys.readouterr().err
    given = ["--xacro-env", "LASER:=1", "--xacro-env", "SIDE:=left"]
    output = tmp_path / "robot.urdf"
    assert main(["export", str(path), "-o", str(output), *given]) == 0
    assert 'name="left"' in output.read_text()


def test_check_lists_the_arguments_of_xacro(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(ROOT / "tests" / "data" / "xacro" / "everything.urdf.xacro")
    assert main(["check", path, "--xacro-arg", "legs:=4"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert "links          7, 0 with mass" in shown
    assert "xacro argument prefix:=left_" in shown and "xacro argument legs:=2" in shown
    # Also where that is why it fails.
    assert main(["check", path, "--xacro-arg", "legs:=many", "--json", "-"]) == 1
    (report,) = read_report(capsys)
    assert report["xacro_arguments"]["legs"] == "2" and report["error"]["line"] == 16


def run_command(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """The command as it is installed."""
    start = "import sys; from urdf_importer_command import main; sys.exit(main())"
    command = [sys.executable, "-c", start, *arguments]
    return subprocess.run(
        command, stderr=subprocess.PIPE, text=True, cwd=ROOT, timeout=300, check=False, **options
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no full device")
@pytest.mark.parametrize("further", [(), ("--json", "-")])
def test_a_full_standard_output_is_one_sentence(further: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        done = run_command("check", GRIPPER, *further, stdout=full)
    assert done.returncode == 1
    place = "urdf-importer: error: cannot write to standard output: "
    (line,) = done.stderr.splitlines()
    assert line.startswith(place)


def test_ctrl_c_while_the_library_is_imported_is_one_sentence() -> None:
    """The signal comes as the library's first module is imported."""
    code = (
        "import builtins, signal, sys; real = builtins.__import__\n"
        "def load(name, *rest):\n"
        "    if name == 'urdf_importer.cli': signal.raise_signal(signal.SIGINT)\n"
        "    return real(name, *rest)\n"
        "builtins.__import__ = load\n"
        "from urdf_importer_command import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "check", GRIPPER],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (130, "urdf-importer: error: interrupted\n")


@pytest.mark.parametrize("arguments", [("check",), ("export", GRIPPER, "-o")])
def test_names_of_256_bytes_are_one_sentence(arguments: tuple[str, ...]) -> None:
    done = run_command(*arguments, "n" * 251 + ".urdf")
    (line,) = done.stderr.splitlines()
    assert done.returncode == 1 and line.endswith("File name too long")
