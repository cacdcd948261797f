# SPDX-License-Identifier: GPL-3.0-or-later
"""A format is a record in the table: the library, the command and the options follow from it."""

import json
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

import urdf_importer.core.pipeline.formats
from support.paths import ROOT
from urdf_importer import (
    FileOptions,
    MorseOptions,
    StartOptions,
    WebotsOptions,
    WriteError,
    WriterFormat,
    Written,
    export_robot,
    find_writer,
    read_robot,
    writer_formats,
)
from urdf_importer.cli import main
from urdf_importer.core.options import option
from urdf_importer.core.pipeline.exporting import suggest_name, write_format
from urdf_importer.core.shelves import Part, list_parts
from urdf_importer.core.writers.formats import OpenExport, OutputKind, count_robot

GRIPPER = ROOT / "sample_urdfs" / "gripper.urdf"
WEBOTS, MORSE = writer_formats()[0], writer_formats()[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToyOptions(FileOptions):
    """What a user can choose of toys."""

    paint: bool = option(True, "Paint", "Paint the toy", group="Toy")
    wheels: int = option(4, "Wheels", "How many wheels", group="Toy", bounds=(0, 9))


def write_toy(found: OpenExport[ToyOptions], path: Path) -> Written:
    if path.suffix:
        path.write_text(f"{found.robot.name} {found.options.wheels}")
    else:
        path.mkdir()
    facts = count_robot(found.robot, links=1, moving_joints=2, degrees_of_freedom=1)
    return Written(
        path=path,
        files=(path,),
        robot=found.robot.name,
        facts=facts | {"painted": found.options.paint},
        diagnostics=tuple(found.diagnostics),
    )


TOY = WriterFormat(
    name="toy",
    label="Toy",
    title="Toy Box",
    text="a toy (.toy, .box) or a folder of toys",
    description="Make a toy of the active robot",
    kinds=(
        OutputKind(name="TOY", label="Toy", suffix=".toy"),
        OutputKind(name="BOX", label="Box", suffix=".box"),
        OutputKind(name="TOYS", label="Toys", suffix=""),
    ),
    options=ToyOptions,
    write=write_toy,
    suggest_name=str.upper,
)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> WriterFormat[ToyOptions]:
    """One part more on the shelf."""
    monkeypatch.setitem(sys.modules, "toys.written", sys.modules[__name__])
    names = ("WEBOTS", "TOY")
    parts = [("toys", Part(name=each.lower(), writer=f"written:{each}")) for each in names]
    parts += [each for each in list_parts("formats") if each[1].name == "morse"]
    monkeypatch.setattr(urdf_importer.core.pipeline.formats, "list_parts", lambda shelf: parts)
    return TOY


# One record is enough


@pytest.mark.usefixtures("toy")
def test_the_library_writes_it_by_its_suffix(tmp_path: Path) -> None:
    robot = read_robot(GRIPPER)
    for suffix in (".toy", ".box"):
        written = export_robot(robot, tmp_path / f"a{suffix}", options=ToyOptions(wheels=3))
        assert written.path.read_text() == "gripper 3" and written.facts["painted"] is True
    assert find_writer(f"{tmp_path}/new/") is WEBOTS and find_writer(tmp_path) is WEBOTS
    for name in ("new", "a.none"):
        with pytest.raises(
            WriteError, match=r"in \.proto, \.wbt, \.toy, \.box or \.py, or be a folder's"
        ):
            export_robot(robot, tmp_path / name)
    assert not list(tmp_path.glob("new*"))
    assert find_writer(tmp_path / "new", options=ToyOptions()) is TOY
    assert export_robot(robot, tmp_path / "new", options=ToyOptions()).path.is_dir()
    assert suggest_name(robot, TOY) == "GRIPPER"


@pytest.mark.usefixtures("toy")
def test_the_command_knows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(tmp_path / "a.box")
    arguments = ["export", str(GRIPPER), "-o", target, "--wheels", "7", "--no-paint"]
    assert main([*arguments, "--json", "-"]) == 0
    said = capsys.readouterr()
    assert f"1 link, 2 moving joints, 1 degree of freedom; wrote {target} in" in said.err
    report = json.loads(said.out)
    assert report["painted"] is False and report["files"] == [target]
    assert Path(target).read_text() == "gripper 7"
    with pytest.raises(SystemExit):
        main(["export", str(GRIPPER), "-o", "a.none"])
    assert "-o must end in .proto, .wbt, .toy, .box or .py, or be" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["export", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "as a toy (.toy, .box) or a folder of toys, or as a builder script of MORSE" in shown
    assert "How many wheels (default: 4)" in shown


# What the records of the table say


def test_formats_claim_nothing_twice() -> None:
    formats = writer_formats()
    suffixes = [suffix for each in formats for suffix in each.suffixes]
    assert len(suffixes) == len(set(suffixes))
    for names in ([each.name for each in formats], [each.operator or each.name for each in formats],
                  [each.label.title().replace(" ", "") for each in formats]):  # fmt: skip
        assert len(names) == len(set(names))
        assert all(name.isidentifier() for name in names)
    for each in formats:
        kinds = [kind.name for kind in each.kinds]
        assert len(kinds) == len(set(kinds)) and issubclass(each.options, FileOptions)
        assert all(suffix in each.text for suffix in each.suffixes)


# Files for engines are Blender's to write.
WRITTEN_HERE = [
    each for each in writer_formats() if each.name != "engines" or find_spec("bpy") is not None
]


@pytest.mark.parametrize("format", WRITTEN_HERE, ids=lambda each: each.name)
def test_what_is_written_is_told_alike(format: WriterFormat[FileOptions], tmp_path: Path) -> None:
    robot = read_robot(GRIPPER)
    place = tmp_path / f"Gripper{format.kinds[0].suffix}"
    written = export_robot(robot, place, options=format.options())
    assert isinstance(written, Written)
    assert set(written.files) >= {written.path} or written.path.is_dir()
    assert all(file.is_file() for file in written.files)
    assert list(written.facts)[:6] == list(
        count_robot(robot, links=0, moving_joints=0, degrees_of_freedom=0)
    )
    assert written.facts["robot"] == robot.name
    assert written.facts["total_mass"] == robot.total_mass() > 0


# Options


def test_any_format_takes_what_all_share(tmp_path: Path) -> None:
    robot = read_robot(GRIPPER)
    start = StartOptions(translation=(1.0, 2.0, 3.0), positions=(("jaw_left", "0.01"),))
    for name, own in (
        ("A.proto", WebotsOptions(translation=start.translation, positions=start.positions)),
        ("a.py", MorseOptions(translation=start.translation, positions=start.positions)),
    ):
        export_robot(robot, tmp_path / name, options=own)
        wanted = (tmp_path / name).read_bytes()
        export_robot(robot, tmp_path / name, options=start)
        assert (tmp_path / name).read_bytes() == wanted
        export_robot(robot, tmp_path / name, options=FileOptions())
        assert (tmp_path / name).read_bytes() != wanted


def test_the_options_of_another_format_are_refused(tmp_path: Path) -> None:
    robot = read_robot(GRIPPER)
    with pytest.raises(TypeError, match="MORSE is written with MorseOptions, not WebotsOptions"):
        export_robot(robot, tmp_path / "a.py", options=WebotsOptions())
    with pytest.raises(TypeError, match="Webots is written with WebotsOptions, not MorseOptions"):
        write_format(WEBOTS, robot, tmp_path / "A.proto", options=MorseOptions())
    assert list(tmp_path.iterdir()) == []
