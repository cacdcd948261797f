# SPDX-License-Identifier: GPL-3.0-or-later
"""Wrong use says which command does what was meant."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from support.paths import ROOT
from urdf_importer import writer_formats
from urdf_importer.cli import main


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (
            ["import", "arm.urdf", "arm.glb"],
            "; a .glb is written by: urdf-importer export arm.urdf -o arm.glb",
        ),
        (
            ["import", "arm.urdf", "-o", "arm.proto"],
            "; a .proto is written by: urdf-importer export arm.urdf -o arm.proto",
        ),
        (
            ["export", "arm.urdf", "-o", "arm.blend"],
            "; a .blend is made by: urdf-importer import arm.urdf -o arm.blend",
        ),
        (["import", "arm.urdf", "other.urdf"], "give a .blend to write, --preview or --json"),
        (["import", "arm.urdf"], "give a .blend to write, --preview or --json"),
        (["export", "arm.urdf", "-o", "arm.zip"], "not 'arm.zip'"),
    ],
)
def test_the_right_command_is_named(
    arguments: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert capsys.readouterr().err.splitlines()[-2].endswith(hint)


def test_wrong_use_is_one_line_and_where_help_is(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["export"])
    assert stopped.value.code == 2
    assert capsys.readouterr().err.splitlines() == [
        "urdf-importer export: error: the following arguments are required: ROBOT.urdf, "
        "-o/--output",
        "see urdf-importer export --help",
    ]


def test_options_of_formats_are_listed_by_format(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["export", "--help"])
    text = capsys.readouterr().out
    assert text.startswith("usage: urdf-importer export ROBOT.urdf -o ROBOT.proto [options]\n")
    sections = {part.partition(":\n")[0]: part for part in text.split("\n\n")}
    formats = writer_formats()
    for format in formats:
        for field in fields(format.options):
            flag = f"--{field.name.replace('_', '-')}"
            if isinstance(field.default, tuple) and "entries" not in field.metadata:
                flag = flag.removesuffix("s")
            holding = [
                title for title, part in sections.items() if re.search(rf"\n  {flag}[\s,]", part)
            ]
            assert len(holding) == 1
            assert format.label in holding[0], field.name
    assert any(title.startswith("for all formats (Webots, ") for title in sections)


@pytest.mark.parametrize(
    "name",
    [
        *("a.proto", "a.wbt", "a.urdf", "a.xml", "a.py", "sub/../a.urdf", "sub/", "new/"),
        *("A.WBT", "A.URDF", "A.Xml", "A.SDF", "A.PY"),
    ],
)
def test_what_was_written_is_named_as_the_user_did(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    assert main(["export", str(ROOT / "sample_urdfs" / "gripper.urdf"), "-o", name]) == 0
    assert f"; wrote {name} in " in capsys.readouterr().err
