# SPDX-License-Identifier: GPL-3.0-or-later
"""Supervisors inside the tasks of a Dask cluster, whose machines share inputs and outputs."""

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ...core.diagnostics import BuildError, RobotError, quote
from ...core.files.outputs import refuse_failure
from ...core.files.version import find_version
from .records import BatchRecord
from .supervisor import DiskFullError, Limits, Supervisor, was_killed
from .task import RobotTask

_IN_FLIGHT = 4
"""Robots that the scheduler knows of, for each thread of a worker: so 100,000 cost it nothing."""
_SECONDS_TO_CONNECT = 20
_COUNT_EVERY = 10.0
"""Seconds between two counts of the workers: new ones may join at any time."""
_DASK = ("distributed", "dask", "tornado", "concurrent", "asyncio")
_LOGGERS = ("distributed", "tornado")
_MISSING = (
    "a cluster needs Dask, which this Python does not have ({reason}): install it with "
    "`pip install 'urdf-importer[dask]'`"
)


class ClusterError(RobotError):
    """The cluster is gone; finished work is in the log."""


def run_on_cluster(
    tasks: Sequence[RobotTask], address: str, limits: Limits
) -> Generator[BatchRecord, None, None]:
    """Works on robots in the workers of a Dask scheduler; yields their records as they come.

    Inputs and output lie in folders that every worker sees under the same paths: workers that do
    not, or that have another version, or no Blender, are left out. A robot that Dask gives up is
    `lost`. Raises BuildError where no scheduler answers or no worker fits, WriteError where the
    output folder takes no files any more, ClusterError where the scheduler is lost.
    """
    distributed = _load_dask()
    with _silence_dask():
        try:
            client = distributed.Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise BuildError(f"no Dask scheduler answers at {quote(address)}") from error
        try:
            if tasks:
                running = distributed.as_completed([], loop=client.loop)
                yield from _Cluster(client, running, limits, address).run(tasks)
        finally:
            with suppress(Exception):  # The scheduler may be gone.
                client.close(timeout=_SECONDS_TO_CONNECT)


def _load_dask() -> Any:
    try:
        import distributed
    except ImportError as missing:
        raise BuildError(_MISSING.format(reason=missing)) from missing
    return distributed


@contextmanager
def _silence_dask() -> Iterator[None]:
    """Stops Dask's own logging: for a lost scheduler it has pages of tracebacks, and
    ClusterError says it in a sentence. Its loggers have levels of their own, one by one."""
    known = [name for name in logging.root.manager.loggerDict if name.startswith(_LOGGERS)]
    levels = {name: logging.getLogger(name).level for name in known}
    for name in known:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


class _Cluster:
    """The robots that the scheduler knows of, and how many it may know of."""

    def __init__(self, client: Any, running: Any, limits: Limits, address: str) -> None:
        self._client = client
        self._running = running
        self._limits = limits
        self._address = address
        self._tasks: dict[str, tuple[RobotTask, int]] = {}
        self._hosts: list[str] | None = None
        self._most = 1
        self._counted_at = 0.0

    def run(self, tasks: Sequence[RobotTask]) -> Iterator[BatchRecord]:
        with self._noticing_loss():
            self._choose_hosts(tasks[0])
            waiting = [(task, 1) for task in reversed(tasks)]
            killed: list[RobotTask] = []
            while waiting or self._tasks:
                self._fill(waiting)
                task, record = self._await()
                if was_killed(record) and record.attempts == 1:
                    killed.append(task)
                else:
                    yield record
            # Tasks killed by a system without memory are tried again when nothing else runs.
            for each in killed:
                self._submit(each, 2)
                yield self._await()[1]

    def _fill(self, waiting: list[tuple[RobotTask, int]]) -> None:
        if time.monotonic() - self._counted_at > _COUNT_EVERY:
            threads = sum(self._client.nthreads().values())
            self._most = _IN_FLIGHT * max(1, threads)
            self._counted_at = time.monotonic()
        while waiting and len(self._tasks) < self._most:
            self._submit(*waiting.pop())

    def _submit(self, task: RobotTask, attempt: int) -> None:
        key = f"robot-{secrets.token_hex(8)}"
        self._tasks[key] = (task, attempt)
        future = self._client.submit(
            *(convert_robot, task, self._limits, attempt),
            key=key,
            workers=self._hosts,
            pure=False,
            retries=0,
        )
        self._running.add(future)

    def _await(self) -> tuple[RobotTask, BatchRecord]:
        """Waits for the next robot. Raises errors of the whole batch."""
        future = self._await_future()
        task, _ = self._tasks.pop(future.key)
        if future.status == "error":
            reason = future.exception()
            if isinstance(reason, RobotError):
                raise reason
            return task, _give_up(task, reason)
        outcome = future.result()
        if "disk" in outcome:
            raise DiskFullError(outcome["disk"])
        return task, outcome["record"]

    def _await_future(self) -> Any:
        """Waits for a future that is done. The results of a dead worker are `lost` until the
        scheduler has let another worker do them again."""
        for future in self._running:
            if future.status == "cancelled" or self._client.status != "running":
                break
            if future.status != "lost":
                return future
            self._running.add(future)
        raise self._lost()

    @contextmanager
    def _noticing_loss(self) -> Iterator[None]:
        """Raises ClusterError for whatever Dask raises once its scheduler is gone.

        Every call to the scheduler may be the first that notices, so that one guard is around all
        of them. Dask has many errors for it: its own, its libraries', and sockets' errors.
        """
        try:
            yield
        except RobotError:
            raise
        except Exception as error:
            library = type(error).__module__.partition(".")[0]
            gone = library in _DASK or isinstance(error, OSError)
            if gone or self._client.status != "running":
                raise self._lost() from error
            raise

    def _lost(self) -> ClusterError:
        return ClusterError(
            f"the Dask scheduler at {quote(self._address)} was lost; finished work is in the log, "
            "and --resume continues, with a scheduler or without"
        )

    def _choose_hosts(self, task: RobotTask) -> None:
        """Leaves out the hosts of workers that do not fit; workers that join later are trusted.

        A worker that is restarted has another address, so that hosts are named, and none where all
        workers fit.
        """
        said = self._ask_workers(task)
        reasons = {place: _misfit(each) for place, each in said.items()}
        fitting = {_host_of(place) for place, why in reasons.items() if why is None}
        if not fitting:
            why = "; ".join(sorted({each for each in reasons.values() if each}))
            raise BuildError(
                f"no worker of {quote(self._address)} can work on this batch: "
                + (why or "there are none")
            )
        if any(reasons.values()):
            self._hosts = sorted(fitting)

    def _ask_workers(self, task: RobotTask) -> dict[str, Any]:
        token = Path(task.output, f".writing-token-{secrets.token_hex(8)}")
        with refuse_failure(task.output, "write into"):
            token.write_text("seen", encoding="ascii")
        try:
            said: dict[str, Any] = self._client.run(
                describe_worker, str(token), task.source, on_error="return"
            )
        finally:
            with suppress(OSError):
                token.unlink()
        return said


def _host_of(address: str) -> str:
    return address.rpartition("://")[2].rpartition(":")[0].strip("[]")


def describe_worker(token: str, first: str) -> dict[str, Any]:
    """Describes the worker that this runs in: its `host`, the `version` of this library, the
    `trouble` that Blender has, whether it sees the output folder and the first input."""
    from importlib.util import find_spec

    return {
        "host": socket.gethostname(),
        "version": find_version(),
        "trouble": "" if find_spec("bpy") is not None else "No module named 'bpy'",
        "sees_output": os.path.isfile(token),
        "sees_input": os.path.isfile(first),
    }


def _misfit(facts: dict[str, Any] | BaseException) -> str | None:
    """Returns why a worker does not fit."""
    if isinstance(facts, BaseException):
        return f"a worker's urdf-importer cannot describe itself ({type(facts).__name__})"
    if facts["version"] != find_version():
        return f"{facts['host']} has version {facts['version']}, not {find_version()}"
    if facts["trouble"]:
        return f"{facts['host']} has no Blender ({facts['trouble']})"
    if not facts["sees_output"]:
        return f"{facts['host']} does not see the output folder, which must be shared"
    if not facts["sees_input"]:
        return f"{facts['host']} does not see the inputs, which must lie in a shared folder"
    return None


_own = threading.local()


def convert_robot(task: RobotTask, limits: Limits, attempt: int) -> dict[str, Any]:
    """Works on a robot in a worker; each of its threads keeps a supervisor, and so a child."""
    supervisor = getattr(_own, "supervisor", None)
    if supervisor is None:
        supervisor = _own.supervisor = Supervisor(limits)
    supervisor.limits = limits
    try:
        return {"record": supervisor.convert(task, attempt)}
    except DiskFullError as error:
        return {"disk": error.message}


def _give_up(task: RobotTask, reason: BaseException | None) -> BatchRecord:
    name = type(reason).__name__ if reason is not None else "no reason"
    return BatchRecord(
        input=task.input,
        place=task.place,
        status="lost",
        error=f"the cluster gave up on the robot ({name}); --resume tries it again",
    )
