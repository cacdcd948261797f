# SPDX-License-Identifier: GPL-3.0-or-later
"""Supervisors in threads of this process."""

import os
import queue
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from .cluster import run_on_cluster
from .records import BatchRecord
from .supervisor import Limits, Supervisor, was_killed
from .task import RobotTask

_MIB = 1024 * 1024
_LEFT_TO_OTHERS_MIB = 1024.0
_LEAST_MIB = 1024.0


def count_cores() -> int:
    """Counts the processor cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def choose_memory_limit(jobs: int) -> float:
    """Returns the default memory limit of a robot, in MiB: an equal part of the machine's memory,
    less 1 GiB, and at least 1 GiB. 0 where the system does not tell."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / _MIB
    except (AttributeError, ValueError, OSError):
        return 0.0
    return max(_LEAST_MIB, (total - _LEFT_TO_OTHERS_MIB) / jobs)


def run_tasks(
    tasks: Sequence[RobotTask], scheduler: str | None, jobs: int, limits: Limits
) -> Generator[BatchRecord, None, None]:
    """Works on robots as run_locally does, or run_on_cluster where there is a scheduler."""
    if scheduler is not None:
        return run_on_cluster(tasks, scheduler, limits)
    return run_locally(tasks, jobs, limits)


def run_locally(
    tasks: Sequence[RobotTask], jobs: int, limits: Limits
) -> Generator[BatchRecord, None, None]:
    """Works on robots, `jobs` at a time; yields their records as they come.

    Robots killed by the system are tried again at the end, alone. All children are gone when the
    generator is closed, or an exception comes out of it: WriteError where the output folder takes
    no files any more, BuildError where no Blender starts.
    """
    killed: list[RobotTask] = []
    known = {task.input: task for task in tasks}
    for record in _run_side_by_side(tasks, min(jobs, max(1, len(tasks))), limits):
        if was_killed(record) and record.attempts == 1:
            killed.append(known[record.input])
        else:
            yield record
    if killed:
        yield from _run_side_by_side(killed, 1, limits, attempt=2)


def _run_side_by_side(
    tasks: Sequence[RobotTask], jobs: int, limits: Limits, attempt: int = 1
) -> Iterator[BatchRecord]:
    supervisors = [Supervisor(limits) for _ in range(jobs)]
    free: queue.SimpleQueue[Supervisor] = queue.SimpleQueue()
    for each in supervisors:
        free.put(each)

    def convert(task: RobotTask) -> BatchRecord:
        supervisor = free.get()
        try:
            return supervisor.convert(task, attempt)
        finally:
            free.put(supervisor)

    threads = ThreadPoolExecutor(jobs, thread_name_prefix="supervisor")
    try:
        for future in as_completed([threads.submit(convert, task) for task in tasks]):
            yield future.result()
    finally:
        # Children are killed, whatever they do, and threads that waited for them end.
        for each in supervisors:
            each.stop()
        threads.shutdown(cancel_futures=True)
        for each in supervisors:
            each.close()
