# SPDX-License-Identifier: GPL-3.0-or-later
"""Batches on a real Dask scheduler with real workers, on the loopback address."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.paths import ROOT
from urdf_importer import BuildError, RobotError, batch
from urdf_importer.batching import cluster

SAMPLES = ROOT / "sample_urdfs"
SECONDS = 60.0


def find_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@contextmanager
def start(module: str, *arguments: str, folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    with (folder / f"{module.rpartition('.')[2]}.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "DASK_DISTRIBUTED__ADMIN__TICK__LIMIT": "60s",
            },
            cwd=folder,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def start_cluster(
    folder: Path, workers: int = 1
) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    port = find_port()
    address = f"tcp://127.0.0.1:{port}"
    here = ["--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--no-show"]
    with (
        start("distributed.cli.dask_scheduler", *here, folder=folder) as scheduler,
        start(
            "distributed.cli.dask_worker",
            *(address, "--nworkers", str(workers), "--nthreads", "2", "--no-dashboard"),
            *("--host", "127.0.0.1", "--memory-limit", "0", "--local-directory", str(folder)),
            folder=folder,
        ),
    ):
        await_workers(address, workers, folder)
        yield address, scheduler


def await_workers(address: str, count: int, folder: Path) -> None:
    from distributed import Client

    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            with Client(address, timeout=2, set_as_default=False) as client:
                client.wait_for_workers(count, timeout=SECONDS)
                return
        except (OSError, TimeoutError):
            time.sleep(0.2)
    raise AssertionError("".join(each.read_text() for each in folder.glob("*.log")))


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
            inputs, tmp_path / "out", to=("urdf",), scheduler=address, progress=kill_a_worker
        )
    assert killed
    assert [each.status for each in result.records] == ["ok"] * (len(result.records) - 1) + [
        "failed"
    ]
    local = batch(inputs, tmp_path / "local", to=("urdf",), jobs=2)
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
        batch([SAMPLES], tmp_path, scheduler=address)


@pytest.mark.slow
def test_a_dead_scheduler_stops_the_batch_and_the_rest_is_done_here(tmp_path: Path) -> None:
    """Dask takes half a minute to notice."""
    seen: list[object] = []
    with start_cluster(tmp_path) as (address, scheduler):

        def kill_the_scheduler(done: object) -> None:
            if not seen:
                os.killpg(scheduler.pid, signal.SIGKILL)
            seen.append(done)

        large = {"to": ("blend", "png"), "picture_samples": 64}
        with pytest.raises(RobotError, match=r"the Dask scheduler at .* went away"):
            batch(
                [SAMPLES], tmp_path / "out", scheduler=address, progress=kill_the_scheduler, **large
            )
    result = batch([SAMPLES], tmp_path / "out", resume=True, jobs=2, **large)
    assert result.ok and len(result.records) > len(seen) >= 1
