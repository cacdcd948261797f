# SPDX-License-Identifier: GPL-3.0-or-later
"""What a supervisor makes of children that hang, grow too big or die: with real signals."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from urdf_importer.features.batch.pool import run_locally
from urdf_importer.features.batch.records import BatchRecord
from urdf_importer.features.batch.supervisor import Limits, StoppedError, Supervisor, was_killed
from urdf_importer.features.batch.task import RobotTask

from .conftest import MakeTask

# A picture that takes long: the child is in the middle of it when the signal comes.
SLOW = {"suffixes": (".blend", ".png"), "picture_size": (2000, 2000), "picture_samples": 4000}


def children_of_this() -> set[int]:
    """Processes of the child program that are alive, whoever their parent is by now."""
    found = set()
    for each in Path("/proc").iterdir():
        try:
            line = (each / "cmdline").read_bytes()
            state = (each / "stat").read_text().rpartition(")")[2].split()[0]
        except (OSError, IndexError):
            continue
        if b"batch.child" in line and state != "Z" and _is_below(int(each.name), os.getpid()):
            found.add(int(each.name))
    return found


def _is_below(pid: int, ancestor: int) -> bool:
    while pid > 1:
        if pid == ancestor:
            return True
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return False
    return False


class Watched:
    """A supervisor, and a thread that looks on. Blender 4.2 as a module may crash while any other
    thread runs Python, so the thread ends with the test."""

    def __init__(self, limits: Limits) -> None:
        self.supervisor = Supervisor(limits)
        self._over = threading.Event()
        self._threads: list[threading.Thread] = []

    def when_working(self, act: Callable[[int], None], times: int = 1) -> None:
        """Calls `act` with the child's pid, in the middle of each of its first robots."""

        def wait() -> None:
            seen: set[int] = set()
            while len(seen) < times and not self._over.wait(0.02):
                new = children_of_this() - seen
                if new and self.supervisor.stage == "preview":
                    pid = new.pop()
                    seen.add(pid)
                    act(pid)

        self._threads.append(threading.Thread(target=wait, daemon=True))
        self._threads[-1].start()

    def close(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()
        self.supervisor.close()


@contextmanager
def supervise(seconds: float = 120.0, mib: float = 0.0) -> Iterator[Watched]:
    watched = Watched(Limits(seconds=seconds, mib=mib))
    try:
        yield watched
    finally:
        watched.close()
    assert not children_of_this()


def send(number: signal.Signals) -> Callable[[int], None]:
    return lambda pid: os.kill(pid, number)


def leftovers(task: RobotTask) -> list[str]:
    return [each.name for each in Path(task.output).rglob(".writing-*")]


def test_a_child_that_is_stopped_is_found_and_replaced(make_task: MakeTask) -> None:
    """Of one that is there already: on a busy machine to start it may take longer."""
    with supervise() as watched:
        assert watched.supervisor.convert(make_task("gripper")).status == "ok"
        watched.supervisor.limits, watched.supervisor.stage = Limits(seconds=8.0), ""
        watched.when_working(send(signal.SIGSTOP))
        began = time.monotonic()
        record = watched.supervisor.convert(make_task(**SLOW))
        assert record.status == "timeout" and time.monotonic() - began < 8 + 2 + 10
        assert record.error == "was not finished after 8 s, in preview"
        assert record.attempts == 1 and not leftovers(make_task())
        watched.supervisor.limits = Limits(seconds=120.0)
        assert watched.supervisor.convert(make_task("gantry")).status == "ok"


def test_a_crash_is_tried_once_more(make_task: MakeTask) -> None:
    with supervise() as watched:
        watched.when_working(send(signal.SIGSEGV), times=2)
        record = watched.supervisor.convert(make_task(**SLOW))
    assert (record.status, record.attempts, record.stage) == ("crashed", 2, "preview")
    assert record.error == "the process that held Blender was ended by SIGSEGV in preview"
    assert not leftovers(make_task())


def test_what_the_system_killed_waits_for_the_end(make_task: MakeTask) -> None:
    with supervise() as watched:
        watched.when_working(send(signal.SIGKILL))
        record = watched.supervisor.convert(make_task(**SLOW))
    assert was_killed(record) and record.attempts == 1


def test_too_much_memory_ends_a_robot(make_task: MakeTask) -> None:
    with supervise(mib=100.0) as watched:
        record = watched.supervisor.convert(make_task(**SLOW))
    assert record.status == "memory" and record.peak_mib > 100
    assert record.error.endswith(" MiB of the 100 MiB allowed, in " + record.stage)


def test_stop_ends_the_work_at_once(make_task: MakeTask) -> None:
    with supervise() as watched:
        watched.when_working(lambda pid: watched.supervisor.stop())
        with pytest.raises(StoppedError):
            watched.supervisor.convert(make_task(**SLOW))


def test_a_pool_that_is_closed_leaves_nothing(make_task: MakeTask) -> None:
    tasks = [make_task("gantry"), make_task("gripper"), make_task(**SLOW)]
    records = run_locally(tasks, 2, Limits())
    first = next(records)
    assert isinstance(first, BatchRecord) and first.status == "ok"
    records.close()
    assert not children_of_this()
