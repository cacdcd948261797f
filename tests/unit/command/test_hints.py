# SPDX-License-Identifier: GPL-3.0-or-later
"""Wrong use says which command does what was meant."""

import pytest

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
        (["import", "arm.urdf", "other.urdf"], "say a .blend to write, --preview or --json"),
        (["import", "arm.urdf"], "say a .blend to write, --preview or --json"),
        (["export", "arm.urdf", "-o", "arm.zip"], "not 'arm.zip'"),
    ],
)
def test_the_right_command_is_named(
    arguments: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1].endswith(hint)
