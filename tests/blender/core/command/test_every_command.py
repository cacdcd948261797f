# SPDX-License-Identifier: GPL-3.0-or-later
"""The same rules for all commands: outputs are refused before any work, --strict and failures leave
no new file, --json reports all. A new command needs a row in the table."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from support.paths import ROOT
from urdf_importer import read_trajectory
from urdf_importer.cli import build_parser, main
from urdf_importer.headless import read_arguments

SAMPLES = ROOT / "sample_urdfs"
MOTION = "time,shoulder,elbow\n0,0,0\n1,0.2,-0.1\n"
WAYPOINTS = """waypoints:
  - {positions: {shoulder: 0.0, elbow: 0.0}}
  - {positions: {shoulder: 0.3, elbow: -0.3}}
"""
TOO_FAST = "time,shoulder,elbow\n0,0,0\n0.1,1,-1\n"

# Blender's importer of BVH leaves its file open.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@dataclass(frozen=True)
class Row:
    """The words of a command and its outputs, argument -> name. A folder that `grows` is made with
    the folders above it; another `folder` is made in one that is there. Nothing of what it
    reads `warns`: strictness has no meaning then."""

    words: str
    outputs: dict[str, str] = field(default_factory=dict)
    grows: bool = False
    folder: bool = False
    warns: bool = True


TABLE = {
    "import": Row("{robot}", {"-o": "r.blend", "--preview": "r.png"}),
    "check": Row("{robot}"),
    "export": Row("{robot}", {"-o": "r.sdf"}),
    "convert": Row("{robot}", {"-o": "r.urdf"}),
    "measure": Row("{robot}", {"-o": "r.yaml"}),
    "batch": Row("{robot} --to urdf --jobs 1", {"-o": "out"}, grows=True),
    "dataset": Row("{robot} --count 1 --size 64x48 --jobs 1", {"-o": "out"}, grows=True),
    "animate": Row("{robot} {motion}", {"-o": "r.blend", "--preview": "r.png"}),
    "sample": Row("{blend} --frames 1 5", {"-o": "r.csv"}),
    "episodes": Row("{robot} {motion}", {"-o": "out"}, folder=True),
    "plan": Row("{robot} {waypoints}", {"-o": "r.csv"}),
    "prove": Row("{robot} {robot}", {"-o": "r.html"}),
    "limits": Row("{robot} {motion}", {"-o": "r.csv"}),
    "topics": Row("{recording}", warns=False),
    "simulate": Row(
        "{robot} --seconds 0.1 --engine mujoco",
        {"-o": "r.blend", "--trajectory": "r.json", "--preview": "r.png", "--model": "r.xml"},
    ),
    "sense": Row("{robot} --end-frame 2", {"-o": "r.mcap"}),
    "collisions": Row("{robot}", {"-o": "r.urdf"}),
    "collide": Row("{robot}"),
    "inertials": Row("{robot}", {"-o": "r.urdf"}),
    "ranges": Row("{robot}", {"-o": "r.urdf"}),
    "retarget": Row(
        "{humanoid} {person} --frames 0 20 --pair RightHand:=hand",
        {"-o": "r.blend", "--preview": "r.png"},
    ),
}
OUTPUTS = [(name, flag) for name, row in TABLE.items() for flag in row.outputs]
PICTURES = ("--preview",)
Fill = Callable[[str], list[str]]


def warn(path: Path, folder: Path) -> Path:
    """A copy of a description with a joint without limits of effort and velocity."""
    text = path.read_text("utf-8").replace('filename="', f'filename="{path.parent}/')
    root = re.search('<link name="([^"]*)"', text)
    assert root is not None
    copy = folder / f"warns_{path.name}"
    copy.write_text(
        text.replace(
            "</robot>",
            f'<link name="spare"/><joint name="spare_joint" type="revolute"><parent '
            f'link="{root[1]}"/><child link="spare"/><limit lower="0" upper="1"/></joint></robot>',
        ),
        "utf-8",
    )
    return copy


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """Inputs of three kinds: healthy ones, ones that warn, and ones that cannot be read."""
    folder = tmp_path_factory.mktemp("inputs")
    robot, humanoid = SAMPLES / "two_link_arm.urdf", SAMPLES / "humanoid_arm.urdf"
    for name, text in (("slow.csv", MOTION), ("fast.csv", TOO_FAST)):
        (folder / name).write_text(text)
    (folder / "waypoints.yaml").write_text(WAYPOINTS)
    for name in ("bad.urdf", "bad.blend", "bad.mcap"):
        (folder / name).write_text("<robot")
    for name in ("slow", "fast"):
        motion, blend = str(folder / f"{name}.csv"), str(folder / f"{name}.blend")
        assert main(["animate", str(robot), motion, "-o", blend, "--quiet"]) == 0
    shared = {
        "motion": str(folder / "slow.csv"),
        "waypoints": str(folder / "waypoints.yaml"),
        "recording": str(SAMPLES / "pick_and_place.mcap"),
        "person": str(SAMPLES / "walk_and_wave.bvh"),
    }
    bad = dict.fromkeys(("robot", "humanoid"), str(folder / "bad.urdf"))
    return {
        "healthy": shared
        | {"robot": str(robot), "humanoid": str(humanoid), "blend": str(folder / "slow.blend")},
        "warning": shared
        | {
            "robot": str(warn(robot, folder)),
            "humanoid": str(warn(humanoid, folder)),
            "blend": str(folder / "fast.blend"),
        },
        "bad": shared
        | bad
        | {"blend": str(folder / "bad.blend"), "recording": str(folder / "bad.mcap")},
    }


def run(words: list[str]) -> int:
    try:
        return main(words)
    except SystemExit as ended:
        return int(ended.code or 0)


def list_names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def write(name: str, inputs: dict[str, str], outputs: dict[str, Path]) -> list[str]:
    words = [name, *(word.format(**inputs) for word in TABLE[name].words.split())]
    return [*words, *(str(word) for pair in outputs.items() for word in pair)]


def all_outputs(name: str, folder: Path) -> dict[str, Path]:
    return {flag: folder / place for flag, place in TABLE[name].outputs.items()}


def test_the_table_has_every_command() -> None:
    (commands,) = (each for each in build_parser()._actions if each.dest == "command")
    assert set(commands.choices or ()) == set(TABLE)
    for name in TABLE:
        assert read_arguments(["--", name, "x"]) == [name, "x"]


@pytest.mark.parametrize(("name", "flag"), OUTPUTS)
def test_another_suffix_is_refused_before_any_work(
    name: str,
    flag: str,
    inputs: dict[str, dict[str, str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The inputs cannot be read, which work would say."""
    if TABLE[name].grows or TABLE[name].folder:
        assert run([*write(name, inputs["healthy"], all_outputs(name, tmp_path)), "--frob"]) == 2
    else:
        outputs = all_outputs(name, tmp_path) | {flag: tmp_path / "r.xyz"}
        assert run(write(name, inputs["bad"], outputs)) == 2
        assert f"{flag} must end in ." in capsys.readouterr().err
    assert list_names(tmp_path) == []


@pytest.mark.parametrize("place", ["nowhere", "file"])
@pytest.mark.parametrize(("name", "flag"), OUTPUTS)
def test_a_place_that_takes_no_file_is_refused_before_any_work(
    name: str,
    flag: str,
    place: str,
    inputs: dict[str, dict[str, str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "file").write_text("no folder")
    if TABLE[name].grows:
        place = "file"
    outputs = all_outputs(name, tmp_path)
    outputs[flag] = tmp_path / place / TABLE[name].outputs[flag]
    assert run(write(name, inputs["bad"], outputs)) == 1
    said = capsys.readouterr().err
    assert said.startswith("urdf-importer: error: cannot write ") and said.count("\n") == 1
    assert list_names(tmp_path) == ["file"]


@pytest.mark.parametrize(("name", "flag"), OUTPUTS)
def test_an_input_is_never_overwritten(
    name: str, flag: str, inputs: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    given = inputs["bad"]
    first = write(name, given, {})[1]
    outputs = all_outputs(name, tmp_path) | {flag: Path(first)}
    before = Path(first).read_bytes()
    assert run(write(name, given, outputs)) in (1, 2)
    assert Path(first).read_bytes() == before and list_names(tmp_path) == []


@pytest.mark.parametrize("name", [name for name, row in TABLE.items() if row.warns])
def test_strict_takes_a_warning_for_a_failure(
    name: str,
    inputs: dict[str, dict[str, str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = write(name, inputs["warning"], all_outputs(name, tmp_path))
    assert run([*words, "--strict"]) == 1
    if name == "batch":
        # The robot fails, and the batch says so on its page.
        assert "1 failed" in capsys.readouterr().err
        assert not list(tmp_path.rglob("*.urdf"))
        return
    said = capsys.readouterr().err.splitlines()
    assert "strict" in said[-1] and ": error: " in said[-1]
    assert list_names(tmp_path) == []


@pytest.mark.parametrize("name", TABLE)
def test_a_failure_leaves_only_its_report(
    name: str, inputs: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    words = write(name, inputs["bad"], all_outputs(name, tmp_path))
    assert run([*words, "--json", str(tmp_path / "report")]) == 1
    report = json.loads((tmp_path / "report").read_text())
    if name == "batch":
        assert report["ok"] and report["robots"] == {"failed": 1}
        return
    assert not report["ok"] and report["files"] == [] and report["error"]["message"]
    assert list_names(tmp_path) == ["report"]


@pytest.mark.parametrize("name", TABLE)
def test_the_report_is_one_line_of_json(
    name: str,
    inputs: dict[str, dict[str, str]],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    outputs = all_outputs(name, tmp_path)
    chosen = {flag: place for flag, place in outputs.items() if flag not in PICTURES}
    assert run([*write(name, inputs["healthy"], chosen), "--json", "-"]) == 0
    # What Blender prints through Python passes by the descriptor that the command closes.
    report = json.loads(capfd.readouterr().out.splitlines()[-1])
    assert report["ok"] and report["error"] is None and isinstance(report["diagnostics"], list)
    assert report["seconds"] and all(each >= 0.0 for each in report["seconds"].values())
    assert all(Path(each).is_file() for each in report["files"])
    if not TABLE[name].grows and not TABLE[name].folder:
        assert set(map(str, chosen.values())) <= set(report["files"])


def test_a_failure_at_the_end_brings_the_old_files_back(
    inputs: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    """The folder for the trajectory holds another recording, which only its writer notices."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "other.db3").write_text("another")
    (tmp_path / "r.blend").write_text("old")
    outputs = {"-o": "r.blend", "--model": "r.xml", "--trajectory": "run"}
    words = write("simulate", inputs["healthy"], {k: tmp_path / v for k, v in outputs.items()})
    assert run(words) == 1
    assert (tmp_path / "r.blend").read_text() == "old"
    assert list_names(tmp_path) == ["r.blend", "run", "run/other.db3"]


@pytest.mark.parametrize("name", ["run.csv", "run.json", "run.bag"])
def test_a_trajectory_is_there_beside_the_blend(
    name: str, inputs: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    outputs = {"-o": tmp_path / "r.blend", "--trajectory": tmp_path / name}
    assert run(write("simulate", inputs["healthy"], outputs)) == 0
    assert len(read_trajectory(tmp_path / name).times) > 1
    assert list_names(tmp_path) == sorted(["r.blend", name])
