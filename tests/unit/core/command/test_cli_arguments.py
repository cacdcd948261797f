# SPDX-License-Identifier: GPL-3.0-or-later
"""The command's arguments: they are the options, and what makes no sense is refused at once."""

import os
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

import urdf_importer.core.command.jobs
from support.paths import ROOT
from urdf_importer import ImportOptions, WriterFormat, writer_formats
from urdf_importer.cli import build_parser, main
from urdf_importer.core.command.arguments import read_options
from urdf_importer.headless import read_arguments

MESSY = str(ROOT / "sample_urdfs" / "messy.urdf")
GRIPPER = str(ROOT / "sample_urdfs" / "gripper.urdf")
COMMANDS = ("import", "check")


# Arguments


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_written_means_the_options_defaults(command: str) -> None:
    namespace = build_parser().parse_args([command, "r.urdf"])
    assert read_options(namespace, ImportOptions) == ImportOptions()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("field", fields(ImportOptions), ids=lambda field: field.name)
def test_every_option_field_has_its_argument(command: str, field: Any, tmp_path: Path) -> None:
    wanted, written = _write_otherwise(field, get_type_hints(ImportOptions)[field.name], tmp_path)
    assert field.default is not MISSING and wanted != field.default
    namespace = build_parser().parse_args([command, "r.urdf", *written])
    options = read_options(namespace, ImportOptions)
    assert options == ImportOptions(**{field.name: wanted})


@pytest.mark.parametrize(
    ("format", "field"),
    [(each, field) for each in writer_formats() for field in fields(each.options)],
    ids=lambda each: each.name,
)
def test_every_export_option_has_its_argument(
    format: WriterFormat[Any], field: Any, tmp_path: Path
) -> None:
    start = ["export", "r.urdf", "-o", f"r{format.kinds[0].suffix}"]
    kind = format.options
    assert read_options(build_parser().parse_args(start), kind) == kind()
    wanted, written = _write_otherwise(field, get_type_hints(kind)[field.name], tmp_path)
    assert field.default is not MISSING and wanted != field.default
    options = read_options(build_parser().parse_args([*start, *written]), kind)
    assert options == kind(**{field.name: wanted})


def test_options_of_one_name_are_one_argument() -> None:
    """So they must be of one kind in all formats; of choices the argument has those of all."""
    known: dict[str, Any] = {}
    for format in writer_formats():
        for field in fields(format.options):
            first = known.setdefault(field.name, field)
            assert type(field.default) is type(first.default)
            assert ("choices" in field.metadata) == ("choices" in first.metadata)
            for key in ("minimum", "maximum", "separator", "entries"):
                assert field.metadata.get(key) == first.metadata.get(key), field.name


def test_choices_of_exports_do_not_disturb_the_import(tmp_path: Path) -> None:
    target = tmp_path / "gripper.sdf"
    source = str(ROOT / "sample_urdfs/gripper.urdf")
    assert main(["export", source, "-o", str(target), "--fixed-joints", "lump", "--quiet"]) == 0
    assert target.is_file()


def _write_otherwise(field: Any, hint: Any, tmp_path: Path) -> tuple[Any, list[str]]:
    """Another value of a field than its default, and the arguments that say it."""
    name = "--" + field.name.replace("_", "-")
    if isinstance(field.default, bool):
        wanted: Any = not field.default
        written = [name if wanted else name.replace("--", "--no-", 1)]
    elif "entries" in field.metadata:
        vector = isinstance(field.default, tuple)
        wanted = (1.5, -2.0, -0.25) if vector else "tool"
        written = [name, *map(str, wanted)] if vector else [name, wanted]
    elif "choices" in field.metadata:
        literal = get_args(hint)[0] if "switch" in field.metadata else hint
        assert set(field.metadata["choices"]) == set(get_args(literal))
        wanted = next(each for each in field.metadata["choices"] if each != field.default)
        written = [name, wanted]
        off, on = field.metadata.get("switch", (field.default, ""))
        if field.default not in (off, on):
            wanted, written = on, [name]
    elif field.default == ():
        pair = get_args(hint)[0] is not str
        wanted = (("a", str(tmp_path)), ("b", str(ROOT))) if pair else (str(tmp_path), str(ROOT))
        between = field.metadata.get("separator", "=")
        texts = [between.join(each) if pair else each for each in wanted]
        written = [word for text in texts for word in (name.removesuffix("s"), text)]
    else:
        wanted = type(field.default)(field.metadata["maximum"])
        written = [name, str(wanted)]
    return wanted, written


def test_every_argument_of_an_option_is_a_field(capsys: pytest.CaptureFixture[str]) -> None:
    own = {
        "help",
        "inputs",
        "json",
        "strict",
        "quiet",
        "output",
        "preview",
        "preview_bones",
        "world",
    }
    parser = build_parser().parse_args(["import", "r.urdf"]).parser
    destinations = {action.dest.removeprefix("option ") for action in parser._actions}
    assert destinations - own == {field.name for field in fields(ImportOptions)}
    with pytest.raises(SystemExit):
        main(["import", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    for field in fields(ImportOptions):
        assert field.metadata["help"] in shown


@pytest.mark.parametrize(
    "written",
    [
        ["--max-links", "0"],
        ["--max-links", "1000001"],
        ["--max-links", "many"],
        ["--fixed-joints", "melt"],
        ["--package", "nothing"],
        ["--package", "=/tmp"],
        ["--smooth-angle", "nan"],
        ["--xacro-arg", "name=value"],
        ["--package", "name="],
        ["--package", "name=/no/such/folder"],
        ["--package-path", "/no/such/folder"],
        ["--unknown"],
        [],
        ["-o", "robot.urdf"],
        ["-o", "robot"],
        ["--preview", "robot.jpg"],
        ["-o", "robot.blend", "--json", MESSY],
    ],
)
def test_wrong_usage_exits_with_2_and_one_sentence(
    written: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit:
        main(["import", MESSY, *written])
    assert exit.value.code == 2
    sentence, place = capsys.readouterr().err.splitlines()
    assert sentence.startswith("urdf-importer import: error: ")
    assert place == "see urdf-importer import --help"


# What is refused before any work


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise AssertionError("work began")

    monkeypatch.setattr(urdf_importer, "new_file", fail, raising=False)


@pytest.mark.usefixtures("no_work")
def test_outputs_that_cannot_be_are_refused_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "fifo")
    for written in (
        ["-o", str(tmp_path / "nowhere" / "a.blend")],
        ["-o", str(tmp_path / "nowhere") + "/"],
        ["-o", "a.blend", "--preview", str(tmp_path / "nowhere" / "a.png")],
        ["--json", str(tmp_path / "fifo")],
        ["--json", str(tmp_path)],
    ):
        assert main(["import", MESSY, *written]) == 1
        said = capsys.readouterr().err
        assert said.startswith("urdf-importer: error: cannot write") and said.count("\n") == 1


@pytest.mark.usefixtures("no_work")
def test_inputs_and_outputs_must_differ(tmp_path: Path) -> None:
    disguised = tmp_path / "robot.blend"
    disguised.write_bytes(Path(MESSY).read_bytes())
    (tmp_path / "link.blend").symlink_to(disguised)
    twin = tmp_path / "messy.urdf"
    twin.write_bytes(Path(MESSY).read_bytes())
    for arguments in (
        [str(disguised), "-o", str(disguised)],
        [str(disguised), "-o", str(tmp_path / "link.blend")],
        [MESSY, str(twin), "-o", str(tmp_path)],
        [MESSY, GRIPPER, "-o", str(tmp_path / "a.blend")],
        [MESSY, "-o", str(tmp_path / "a.blend"), "--json", str(tmp_path / "a.blend")],
    ):
        with pytest.raises(SystemExit) as exit:
            main(["import", *arguments])
        assert exit.value.code == 2
    assert disguised.read_bytes() == twin.read_bytes() == Path(MESSY).read_bytes()


# Inside a Blender program


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (["blender", "-b", "--", "r.urdf", "-o", "r.blend"], ["import", "r.urdf", "-o", "r.blend"]),
        (["blender", "--", "import", "r.urdf"], ["import", "r.urdf"]),
        (["blender", "--", "check", "r.urdf"], ["check", "r.urdf"]),
        (["blender", "--", "export", "r.urdf"], ["export", "r.urdf"]),
        (["blender", "--", "check", "--", "r"], ["check", "--", "r"]),
        (["blender", "--", "--version"], ["--version"]),
        (["blender", "--"], ["import"]),
        (["blender", "-b"], ["import"]),
    ],
)
def test_blenders_arguments_end_at_the_dashes(given: list[str], read: list[str]) -> None:
    assert read_arguments(given) == read
