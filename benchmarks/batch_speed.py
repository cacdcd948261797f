# SPDX-License-Identifier: GPL-3.0-or-later
"""A batch of the robots of example-robot-data: processor time of the children and of the command.

    python benchmarks/batch_speed.py [--pictures] [JOBS]

Prints seconds of processor time a robot, the command's own share, and robots a minute of wall time.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.real_robots import descriptions  # noqa: E402
from urdf_importer import batch  # noqa: E402


def spent(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    words = [word for word in sys.argv[1:] if word != "--pictures"]
    to = ("blend", "png") if "--pictures" in sys.argv else ("blend",)
    jobs = int(words[0]) if words else 1
    robots = descriptions()
    own, began = spent(resource.RUSAGE_SELF), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        result = batch(robots, folder, to=to, jobs=jobs)
    wall = time.monotonic() - began
    own = spent(resource.RUSAGE_SELF) - own
    children = spent(resource.RUSAGE_CHILDREN)
    count = len(result.records)
    good = sum(record.status == "ok" for record in result.records)
    peak = max(record.peak_mib for record in result.records)
    print(f"{count} robots, {good} ok, to {', '.join(to)}, jobs {jobs}")
    share = own / (own + children)
    print(f"processor {(own + children) / count:.3f} s a robot, {share:.1%} of it the command's")
    print(f"{60 * count / wall:.0f} robots a minute of wall time, peak {peak:.0f} MiB a process")


if __name__ == "__main__":
    main()
