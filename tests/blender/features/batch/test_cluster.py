# SPDX-License-Identifier: GPL-3.0-or-later
"""Batches on a real Dask scheduler with real workers, on the loopback address."""

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from support.dask_cluster import find_port, start_cluster
from support.paths import ROOT
from urdf_importer import BatchOptions, BuildError, RobotError, batch
from urdf_importer.features.batch import cluster

SAMPLES = ROOT / "sample_urdfs"


def test_a_cluster_does_what_this_machine_does(tmp_path: Path) -> None:
    """One of its workers dies on the way, and is started again by its nanny."""
    (tmp_path / "broken.urdf").write_text("<robot")
    inputs = [SAMPLES, tmp_path / "broken.urdf"]
    killed: list[int] = []

    with start_cluster(tmp_path) as (address, _):

        def kill_a_worker(done: object) -> None:
            if not killed:
                killed.append(find_worker(tmp_path))
                os.kill(killed[0], signal.SIGKILL)

        result = batch(
            inputs,
            tmp_path / "out",
            to=("urdf",),
            progress=kill_a_worker,
            options=BatchOptions(scheduler=address),
        )
    assert killed
    assert [each.status for each in result.records] == ["ok"] * (len(result.records) - 1) + [
        "failed"
    ]
    local = batch(inputs, tmp_path / "local", to=("urdf",), options=BatchOptions(jobs=2))
    assert [each.files for each in result.records] == [each.files for each in local.records]
    assert not list(tmp_path.rglob(".writing-*"))


def find_worker(folder: Path) -> int:
    """The process that does the work: a child of the nanny, with the modules of a fork server."""
    mark = b"spawn_main"
    found = [
        int(each.name)
        for each in Path("/proc").iterdir()
        if each.name.isdigit() and is_in(each, folder) and mark in (each / "cmdline").read_bytes()
    ]
    return max(found)


def is_in(process: Path, folder: Path) -> bool:
    try:
        return Path(os.readlink(process / "cwd")) == folder
    except OSError:
        return False


def test_where_nobody_answers_one_sentence_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_SECONDS_TO_CONNECT", 2)
    address = f"tcp://127.0.0.1:{find_port()}"
    with pytest.raises(BuildError, match="no Dask scheduler answers at"):
        batch([SAMPLES], tmp_path, options=BatchOptions(scheduler=address))


@pytest.mark.slow
@pytest.mark.parametrize("count_every", [0.0, 3600.0], ids=["counting", "waiting"])
def test_a_dead_scheduler_stops_the_batch_and_the_rest_is_done_here(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    count_every: float,
) -> None:
    """Dask takes half a minute to notice where it only waits."""
    monkeypatch.setattr(cluster, "_COUNT_EVERY", count_every)
    seen: list[object] = []
    with start_cluster(tmp_path) as (address, scheduler):

        def kill_the_scheduler(done: object) -> None:
            if not seen:
                os.killpg(scheduler.pid, signal.SIGKILL)
            seen.append(done)

        to, large = ("blend", "png"), BatchOptions(scheduler=address, picture_samples=64)
        with pytest.raises(RobotError, match=r"the Dask scheduler at .* was lost"):
            batch([SAMPLES], tmp_path / "out", to=to, progress=kill_the_scheduler, options=large)
    assert capfd.readouterr().err == ""
    local = replace(large, scheduler=None, resume=True, jobs=2)
    result = batch([SAMPLES], tmp_path / "out", to=to, options=local)
    assert result.ok and len(result.records) > len(seen) >= 1
