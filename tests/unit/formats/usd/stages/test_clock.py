# SPDX-License-Identifier: GPL-3.0-or-later
"""The child that reads a stage ends at its time, without a thread that keeps the clock."""

import threading
import time
from pathlib import Path

import pytest

from support.paths import ROOT
from support.usd_machines import PHYSICS
from urdf_importer import ReadError, export_robot, read_robot
from urdf_importer.formats.usd.stages import process

pytest.importorskip("pxr")

PARTIAL = "import sys, time; sys.stdout.write('{{\"ask\": ['); sys.stdout.flush(); time.sleep(600)"


@pytest.fixture
def stage(tmp_path: Path) -> Path:
    path = tmp_path / "arm.usda"
    export_robot(read_robot(ROOT / "sample_urdfs" / "two_link_arm.urdf"), path, options=PHYSICS)
    return path


def test_a_reading_that_takes_too_long_is_refused(
    stage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "SECONDS", 0.01)
    with pytest.raises(ReadError, match="takes longer than 0 seconds"):
        process.open_stage(str(stage), lambda _: "")


@pytest.mark.parametrize("start", ["import time; time.sleep(600)", PARTIAL])
def test_a_child_that_hangs_is_ended(
    start: str, stage: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "started"
    begun = f"open({str(mark)!r}, 'w').write(str(__import__('os').getpid())); "
    monkeypatch.setattr(process, "_START", begun + start)
    # A busy machine may need more than a second to start the child.
    for seconds in (1.0, 15.0):
        monkeypatch.setattr(process, "SECONDS", seconds)
        before = time.monotonic()
        with pytest.raises(ReadError, match=f"takes longer than {seconds:g} seconds"):
            process.open_stage(str(stage), lambda _: "")
        assert seconds <= time.monotonic() - before < seconds + 20.0
        if mark.exists():
            break
    assert not Path("/proc", mark.read_text()).exists()


def test_no_thread_is_there_while_a_stage_is_read(stage: Path) -> None:
    above = stage.with_name("above.usda")
    above.write_text(f"#usda 1.0\n(\n    subLayers = [@./{stage.name}@]\n)\n")
    before, counts = threading.active_count(), []

    def permit(_: str) -> str:
        counts.append(threading.active_count())
        return ""

    found = process.open_stage(str(above), permit)
    assert len(found.files) == 1 and set(counts) == {before}


def test_pxr_of_the_current_folder_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pxr", "bpy/5.2/python/lib/python3.13/site-packages/pxr"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "__init__.py").touch()
    (tmp_path / "bpy" / "__init__.py").touch()
    right = process.find_pxr()
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("")
    assert process.find_pxr() == right
