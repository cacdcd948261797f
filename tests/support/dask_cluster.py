# SPDX-License-Identifier: GPL-3.0-or-later
"""A Dask scheduler and its workers, started as users start them, on the loopback address."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.paths import ROOT

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
    """Yields the address and the scheduler; `folder` is where both work and log."""
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
            opened = Client(address, timeout=2, set_as_default=False)  # type: ignore[no-untyped-call]
            with opened as client:
                client.wait_for_workers(count, timeout=SECONDS)
                return
        except (OSError, TimeoutError):
            time.sleep(0.2)
    raise AssertionError("".join(each.read_text() for each in folder.glob("*.log")))
