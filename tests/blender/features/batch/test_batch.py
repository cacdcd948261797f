# SPDX-License-Identifier: GPL-3.0-or-later
"""Batches of real and of faulty descriptions."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import urdf_importer
from support.paths import ROOT
from support.real_robots import ROOT as ROBOTS
from support.real_robots import descriptions
from urdf_importer import BatchOptions, BatchResult, WriteError, batch

SAMPLES = ROOT / "sample_urdfs"
QUIRKS = ROOT / "tests/data/quirks"
ARM = (SAMPLES / "two_link_arm.urdf").read_text()
FAULTY = {
    "whole/arm.urdf": ARM,
    "whole/arm.xacro": ARM,
    "parts/macros.xacro": '<robot name="m" xmlns:xacro="http://ros.org/wiki/xacro">'
    '<xacro:macro name="leg" params="x"><link name="${x}"/></xacro:macro></robot>',
    "parts/colors.xacro": '<robot name="m" xmlns:xacro="http://ros.org/wiki/xacro">'
    '<xacro:property name="size" value="2"/></robot>',
    "parts/argument.xacro": '<robot name="m" xmlns:xacro="http://ros.org/wiki/xacro">'
    '<link name="$(arg side)"/></robot>',
    "bad/torn.urdf": ARM[:200],
    "bad/empty.urdf": "",
    "bad/<b>&amp;'.urdf": ARM.replace("two_link_arm", "&lt;script&gt;"),
}

TWO = BatchOptions(jobs=2)


def make_inputs(folder: Path) -> Path:
    for name, text in FAULTY.items():
        path = folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "in"


def statuses(result: BatchResult, folder: Path) -> dict[str, str]:
    return {os.path.relpath(each.input, folder): each.status for each in result.records}


def test_a_batch_goes_on_where_it_was(tmp_path: Path) -> None:
    inputs, output = make_inputs(tmp_path), tmp_path / "out"
    seen: list[int] = []
    to = ("blend", "urdf")
    result = batch(
        [inputs], output, to=to, progress=lambda done: seen.append(done.done), options=TWO
    )
    expected = dict.fromkeys(FAULTY, "ok") | {
        "parts/macros.xacro": "skipped",
        "parts/argument.xacro": "skipped",
        "parts/colors.xacro": "skipped",
        "bad/torn.urdf": "failed",
        "bad/empty.urdf": "failed",
    }
    assert statuses(result, inputs) == expected and not result.ok
    assert seen == list(range(1, len(FAULTY) + 1))
    for record in result.records:
        for name in record.files:
            assert (output / name).is_file()
        if record.status == "ok":
            stem = record.place.rsplit("/", 1)[-1]
            assert f"{record.place}/{stem}.blend" in record.files
            assert record.facts["links"] == 5 and record.peak_mib > 0 and record.host
        else:
            assert str(record.input) in record.error and not (output / record.place).exists()
    places = {each.place for each in result.records}
    assert len(places) == len(FAULTY) and "whole/arm" in places and "whole/arm_2" in places
    _check_resume(inputs, output, to)


def _check_resume(inputs: Path, output: Path, to: tuple[str, ...]) -> None:
    with pytest.raises(WriteError, match=r"there is a batch in .* already"):
        batch([inputs], output, to=to)
    lines = (output / "batch.jsonl").read_bytes()
    batch([inputs], output, to=to, options=BatchOptions(resume=True))
    assert (output / "batch.jsonl").read_bytes() == lines
    # A file that has changed, and one whose line was torn when the command was killed.
    (inputs / "bad/torn.urdf").write_text(ARM)
    with (output / "batch.jsonl").open("ab") as log:
        log.write(b'{"input": "')
    left = output / "bad/torn"
    left.mkdir()
    (left / ".writing-7-torn.blend").write_text("half")
    (output / ".writing-7-index.html").write_text("half")
    result = batch([inputs], output, to=to, options=BatchOptions(resume=True, jobs=1))
    assert statuses(result, inputs)["bad/torn.urdf"] == "ok"
    assert not list(output.rglob(".writing-*"))
    new = (output / "batch.jsonl").read_bytes().removeprefix(lines).splitlines()
    assert [json.loads(each)["place"] for each in new] == ["bad/torn"]


def test_pictures_have_the_size_asked_for_and_engines_get_theirs(tmp_path: Path) -> None:
    result = batch(
        [SAMPLES / "gantry.urdf"],
        tmp_path,
        to=("png", "proto", "glb"),
        options=BatchOptions(jobs=1, picture_size=(64, 40), picture_samples=1),
    )
    (record,) = result.records
    suffixes = ("png", "proto", "glb", "physics.json")
    assert set(record.files) == {f"gantry/gantry.{suffix}" for suffix in suffixes}
    head = (tmp_path / "gantry/gantry.png").read_bytes()[16:24]
    assert (int.from_bytes(head[:4]), int.from_bytes(head[4:])) == (64, 40)
    assert "./gantry/gantry.png" in result.page.read_text()


def test_unknown_outputs_are_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(
        WriteError, match=r"a batch writes asset, \.blend, .* or ros2, not '\.blob'"
    ):
        batch([SAMPLES], tmp_path / "out", to=("blob",))
    assert not (tmp_path / "out").exists()


def start_command(*arguments: object, folder: Path) -> "subprocess.Popen[str]":
    words = [sys.executable, "-m", "urdf_importer", "batch", *map(str, arguments)]
    return subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "BATCH_OF_TEST": str(folder)},
        start_new_session=True,
        # Where the tests run in the background, their shell has told them to ignore Ctrl-C.
        preexec_fn=_heed_ctrl_c,
    )


def _heed_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def processes_of(folder: Path) -> list[str]:
    """What is alive and has the command's environment."""
    mark = f"BATCH_OF_TEST={folder}\0".encode()
    found = []
    for each in Path("/proc").iterdir():
        try:
            if each.name.isdigit() and mark in (each / "environ").read_bytes():
                found.append((each / "cmdline").read_bytes().decode())
        except OSError:
            continue
    return found


def test_ctrl_c_leaves_no_process(tmp_path: Path) -> None:
    large = ["--to", "blend,png", "--picture-size", "2000x2000", "--picture-samples", "4000"]
    with start_command(SAMPLES, "-o", "out", "--jobs", "1", *large, folder=tmp_path) as command:
        while not any("batch.child" in each for each in processes_of(tmp_path)):
            time.sleep(0.05)
            assert command.poll() is None
        time.sleep(1.0)
        command.send_signal(signal.SIGINT)
        try:
            _, said = command.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            command.kill()
            raise
    assert command.returncode == 130, said
    assert "Traceback" not in said and "interrupted" in said
    assert not processes_of(tmp_path)
    assert (tmp_path / "out" / "index.html").is_file()


def test_a_full_disk_stops_the_batch(tmp_path: Path) -> None:
    """A file system of 2 MB in memory, in a name space of its own, so that nobody else sees it."""
    disk, kept = tmp_path / "disk", tmp_path / "kept"
    for folder in (disk, kept):
        folder.mkdir()
    filled = disk / "filling"
    script = (
        f"mount -t tmpfs -o size=2m tmpfs '{disk}' || exit 9\n"
        f"head -c 1500000 /dev/zero > '{filled}'\n"
        f"'{sys.executable}' -m urdf_importer batch '{SAMPLES}' -o '{disk}/out' --jobs 1\n"
        f"status=$?; cp -r '{disk}/out' '{kept}'; exit $status\n"
    )
    as_root = [] if os.getuid() == 0 else ["--map-root-user", "--user"]
    done = subprocess.run(
        ["unshare", "--mount", *as_root, "sh", "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=300,
    )
    assert done.returncode == 1, done.stderr
    assert "cannot write" in done.stderr and "no space left" in done.stderr.lower()
    assert "Traceback" not in done.stderr
    lines = (kept / "out/batch.jsonl").read_bytes()
    assert not lines or lines.endswith(b"\n")
    assert not [each for each in kept.rglob("*.blend") if each.stat().st_size == 0]


def test_the_command_says_what_became_of_it(tmp_path: Path) -> None:
    shutil.copy(SAMPLES / "gantry.urdf", tmp_path / "gantry.urdf")
    (tmp_path / "list.txt").write_text("gantry.urdf\nmissing.urdf\n")
    with start_command("@list.txt", "-o", "out", "--to", "urdf", folder=tmp_path) as command:
        _, said = command.communicate(timeout=120)
    assert command.returncode == 1
    page = f"{tmp_path}/out/index.html"
    assert said.strip().startswith(f"2 robots: 1 ok, 1 failed; wrote {page} in ")
    assert urdf_importer.read_robot(tmp_path / "out/gantry/gantry.urdf").name == "gantry"


@pytest.mark.slow
def test_no_file_at_hand_is_lost_or_ends_blender(tmp_path: Path) -> None:
    """Real robots, quirky ones, and what is left of real ones that were cut or damaged."""
    chosen = random.Random(5)
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    for number, path in enumerate(descriptions()):
        data = bytearray(path.read_bytes())
        (damaged / f"{number}_cut.urdf").write_bytes(data[: chosen.randrange(len(data))])
        for _ in range(5):
            data[chosen.randrange(len(data))] = chosen.randrange(256)
        (damaged / f"{number}_flipped.urdf").write_bytes(data)
    os.mkfifo(damaged / "pipe.urdf")
    inputs = [ROBOTS, QUIRKS, damaged]
    result = batch(inputs, tmp_path / "out", to=("blend",), options=TWO)
    found = {each.status for each in result.records}
    assert found <= {"ok", "failed", "skipped"}
    assert len(result.records) >= 3 * len(descriptions()) + 200
    lines = (tmp_path / "out/batch.jsonl").read_text().splitlines()
    assert sorted(json.loads(each)["input"] for each in lines) == sorted(
        str(each.input) for each in result.records
    )
    assert all(bool(each.error) == (each.status != "ok") for each in result.records)
