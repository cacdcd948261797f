# SPDX-License-Identifier: GPL-3.0-or-later
"""Feeds a child with robots, one at a time, and supervises it: a robot that freezes, grows too big
or dies costs one robot and one process."""

import os
import queue
import shutil
import signal
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...core.diagnostics import WriteError
from .process import Child, Message, StartError
from .records import BatchRecord, Status
from .task import RobotTask, digest_work

_LOOK_EVERY = 0.2
"""Seconds between two looks at clock and memory."""
_MOST_STARTS = 3
_SECONDS_BETWEEN_STARTS = 1.0
_MOST_ROBOTS = 200
_MOST_GROWTH_MIB = 500.0
"""A child is replaced after so many robots, or when it keeps so much more memory than at first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """`seconds` of wall time and `mib` of memory that a robot may take; 0 MiB: no limit."""

    seconds: float = 300.0
    mib: float = 0.0


class DiskFullError(WriteError):
    """The output folder takes no files any more, so the batch stops; one sentence."""


class StoppedError(Exception):
    """stop() was called while a robot was in work."""


class Supervisor:
    """Owns at most one child. One thread calls convert(); stop() may come from another.

    `stage` is the child's present stage, or its last.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.stage = ""
        self._child: Child | None = None
        self._stopped = threading.Event()

    def convert(self, task: RobotTask, attempt: int = 1) -> BatchRecord:
        """Works on a robot, also on one that kills its child twice.

        A child that was killed from elsewhere, by a system without memory, gives a record of
        the status `crashed` whose `stage` begins with "killed": it may be tried again when nothing
        else runs. Raises DiskFullError, BuildError where no Blender starts, StoppedError.
        """
        task = replace(task, digest=digest_work(task.input, task.wanted))
        record = self._try(task, attempt)
        if record.status == "crashed" and not was_killed(record) and attempt == 1:
            record = self._try(task, attempt + 1)
        return record

    def stop(self) -> None:
        """Ends the child at once; convert() raises StoppedError then."""
        self._stopped.set()
        child = self._child
        if child is not None:
            child.kill()

    def close(self) -> None:
        """Ends the child, which has nothing to do."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()

    def _try(self, task: RobotTask, attempt: int) -> BatchRecord:
        self.stage = "start"
        child = self._find_child()
        watch = _Watch(task, attempt, self.limits)
        child.send(task)
        while True:
            try:
                message = child.receive(min(_LOOK_EVERY, watch.seconds_left))
            except queue.Empty:
                message = {}
            except EOFError:
                return self._bury(child, watch)
            watch.see_memory(child.measure_mib())
            if (record := self._hear(message or {}, watch)) is not None:
                self._rest(child)
                return record
            if (verdict := watch.find_excess()) is not None:
                self._drop(task)
                return watch.record(verdict[0], verdict[1])

    def _find_child(self) -> Child:
        if self._stopped.is_set():
            raise StoppedError
        if self._child is None:
            self._child = _start_child()
            self._child.resting_mib = self._child.measure_mib()
        if self._stopped.is_set():
            self.close()
            raise StoppedError
        return self._child

    def _hear(self, message: Message, watch: "_Watch") -> BatchRecord | None:
        if "stage" in message:
            self.stage = watch.stage = str(message["stage"])
        if "disk" in message:
            self.close()
            raise DiskFullError(str(message["disk"]))
        if "done" in message:
            return watch.describe(message["done"], stage="")
        return None

    def _rest(self, child: Child) -> None:
        growth = child.measure_mib() - child.resting_mib
        if child.robots >= _MOST_ROBOTS or growth > _MOST_GROWTH_MIB:
            self.close()

    def _bury(self, child: Child, watch: "_Watch") -> BatchRecord:
        """Says how a child died in the middle of a robot."""
        status = child.exit_status or 0
        self._drop(watch.task)
        if self._stopped.is_set():
            raise StoppedError
        if status < 0:
            name = signal.Signals(-status).name if -status in set(signal.Signals) else str(-status)
            watch.killed = name == "SIGKILL"
            how = f"was ended by {name}"
        else:
            how = f"ended with exit status {status}"
        return watch.record("crashed", f"the process that held Blender {how} in {watch.stage}")

    def _drop(self, task: RobotTask) -> None:
        """Ends the child in the midst of a robot, and removes its half-written files."""
        self.close()
        remove_leftovers(task.folder)


class _Watch:
    """One attempt: its clock, its stage, the memory seen."""

    def __init__(self, task: RobotTask, attempt: int, limits: Limits) -> None:
        self.task = task
        self.stage = "start"
        self.killed = False
        self._attempt = attempt
        self._limits = limits
        self._began = time.monotonic()
        self._mib = 0.0
        self._peak_mib = 0.0

    @property
    def seconds_left(self) -> float:
        return max(0.001, self._limits.seconds - (time.monotonic() - self._began))

    def see_memory(self, mib: float) -> None:
        self._mib = mib
        self._peak_mib = max(self._peak_mib, mib)

    def find_excess(self) -> tuple[Status, str] | None:
        """Returns the status and the sentence of a robot that took too much."""
        if 0 < self._limits.mib < self._mib:
            allowed = f"{self._limits.mib:.0f} MiB"
            return "memory", f"took {self._mib:.0f} MiB of the {allowed} allowed, in {self.stage}"
        if time.monotonic() - self._began >= self._limits.seconds:
            return "timeout", f"was not finished after {self._limits.seconds:g} s, in {self.stage}"
        return None

    def record(self, status: Status, error: str) -> BatchRecord:
        seconds = round(time.monotonic() - self._began, 3)
        return self.describe(
            {"status": status, "error": error, "seconds": {self.stage: seconds}},
            stage=f"killed in {self.stage}" if self.killed else self.stage,
        )

    def describe(self, content: dict[str, Any], stage: str) -> BatchRecord:
        lists = {name: tuple(content.get(name, ())) for name in ("files", "diagnostics")}
        return BatchRecord(
            **{**content, **lists},
            input=self.task.input,
            place=self.task.place,
            attempts=self._attempt,
            stage=stage,
            peak_mib=round(self._peak_mib, 1),
            host=socket.gethostname(),
            digest=self.task.digest,
        )


def _start_child() -> Child:
    """Starts a child; tries again where it dies, as it may on a machine without memory."""
    for _ in range(_MOST_STARTS - 1):
        with suppress(StartError):
            return Child()
        time.sleep(_SECONDS_BETWEEN_STARTS)
    return Child()


def was_killed(record: BatchRecord) -> bool:
    """Whether the child was killed from elsewhere: by the system, when memory ran out."""
    return record.status == "crashed" and record.stage.startswith("killed")


def remove_leftovers(folder: Path) -> None:
    """Removes a killed process's half-written files from a robot's folder, and the folder where it
    is empty then."""
    with suppress(OSError):
        for each in os.scandir(folder):
            if each.name.startswith(".writing-"):
                if each.is_dir(follow_symlinks=False):
                    shutil.rmtree(each.path, ignore_errors=True)
                else:
                    os.unlink(each.path)
    with suppress(OSError):
        folder.rmdir()
