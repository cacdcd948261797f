# SPDX-License-Identifier: GPL-3.0-or-later
"""A batch of the robots of example-robot-data: processor time of the children and of the command.

    python benchmarks/batch_speed.py [--pictures]

With one job, with two, and on a Dask cluster of this machine: seconds of processor time a robot,
the command's own share, wall time. It also prints how much more two processes of plain arithmetic
do here than one: where cores share their units, no two jobs can reach more.
"""

import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.dask_cluster import start_cluster  # noqa: E402
from support.real_robots import descriptions  # noqa: E402
from urdf_importer import BatchOptions, BatchResult, batch  # noqa: E402


@dataclass(frozen=True, kw_only=True)
class Spent:
    """Seconds of wall time, and of processor time of the command and of its children."""

    wall: float
    own: float
    children: float


def watch(work: Callable[[], object]) -> Spent:
    """What `work` takes. Children count once they have ended."""

    def now() -> tuple[float, ...]:
        usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return time.monotonic(), *(each.ru_utime + each.ru_stime for each in usages)

    before = now()
    work()
    wall, own, children = (b - a for a, b in zip(before, now(), strict=True))
    return Spent(wall=wall, own=own, children=children)


def convert(to: tuple[str, ...], **options: Any) -> tuple[BatchResult, Spent]:
    results: list[BatchResult] = []
    chosen = BatchOptions(**options)
    with tempfile.TemporaryDirectory() as folder:
        spent = watch(lambda: results.append(batch(descriptions(), folder, to=to, options=chosen)))
    return results[0], spent


def describe(title: str, result: BatchResult, spent: Spent) -> None:
    count = len(result.records)
    whole = spent.own + spent.children
    peak = max(record.peak_mib for record in result.records)
    said = (
        f"{whole / count:.3f} s of processor a robot",
        f"the command's {1000 * spent.own / count:.1f} ms ({spent.own / whole:.1%})",
        f"{60 * count / spent.wall:.0f} a minute",
        f"peak {peak:.0f} MiB",
    )
    print(f"{title:12}", "; ".join(said), flush=True)


def count_hard() -> None:
    total = 0.0
    for number in range(40_000_000):
        total += number * 0.5


def measure_cores() -> float:
    """How many times the work of one process two do in the same time: 2 on a machine of its own."""

    def run(count: int) -> float:
        processes = [multiprocessing.Process(target=count_hard) for _ in range(count)]
        began = time.monotonic()
        for each in processes:
            each.start()
        for each in processes:
            each.join()
        return time.monotonic() - began

    return 2 * run(1) / run(2)


def main() -> None:
    to = ("blend", "png") if "--pictures" in sys.argv else ("blend",)
    convert(to, jobs=1)  # the files are in memory from here on
    one, alone = convert(to, jobs=1)
    good = sum(record.status == "ok" for record in one.records)
    print(f"{len(one.records)} robots, {good} ok, to {', '.join(to)}")
    describe("one job", one, alone)
    two, together = convert(to, jobs=2)
    describe("two jobs", two, together)
    ratio, possible = alone.wall / together.wall, measure_cores()
    print(f"two jobs do {ratio:.2f} times the work of one; two processes here {possible:.2f} times")
    with tempfile.TemporaryDirectory() as place, start_cluster(Path(place), 2) as (address, _):
        describe("Dask, own", *convert(to, scheduler=address))


if __name__ == "__main__":
    main()
