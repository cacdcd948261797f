# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches readers for inputs that are neither read nor refused, guided by the branches that they
take (Atheris): see tools/fuzz.

One process imports the library, with every branch counted, and forks one for each reader. A reader
begins with the files of tests/ that it can read. What it fails at is kept in out/fuzz/READER.
"""

import argparse
import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOUND = ROOT / "out" / "fuzz"
ROOMS = (
    *("core/model", "core/files", "core/markup", "core/gazebo", "core/geometry", "core/images"),
    *("core/kinematics", "core/meshes", "core/readers", "core/reshape", "core/rig"),
    *("core/pipeline", "formats/*/read", "formats/urdf/xacro", "formats/worlds"),
    *("features/motion", "features/live", "features/retargeting"),
)
"""Rooms of the library whose branches are counted, but for what needs Blender."""
MOST_BYTES = 20_000
SLOWER = 6.0
"""How many times as long as without it a reader may take while branches are counted."""
SUFFIXES = {"assembly": ".xml", "bag": ".bag", "database": ".db3", "table": ".csv"}
"""Of the files in tests/data that a reader begins with, where they are not called as it is."""


def main(arguments: Sequence[str]) -> int:
    """Searches the readers named, or all; returns 1 where anything was found."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("readers", nargs="*", metavar="READER")
    parser.add_argument("--seconds", type=int, default=30, help="for each reader (default: 30)")
    parser.add_argument("--jobs", type=int, default=1, help="readers side by side (default: 1)")
    parser.add_argument(
        "--seed", type=int, default=0, help="of the search; 0 is another one each time (default)"
    )
    parser.add_argument("--list", action="store_true", help="name the readers, one a line")
    given = parser.parse_args(arguments)
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    fuzzer = None if given.list else import_counted()
    shared = importlib.import_module("support.hostile_readers")
    names = {shared.plain_name(name): name for name in shared.READERS}
    if given.list:
        sys.stdout.writelines(f"{name}\n" for name in names)
        return 0
    for unknown in set(given.readers) - set(names):
        parser.error(f"there is no reader {unknown} (try --list)")
    jobs = [(name, names[name]) for name in given.readers or names]
    return run_all(jobs, given.jobs, lambda job: search(fuzzer, *job, given))


def import_counted() -> Any:
    """Imports the readers so that their branches are counted; returns Atheris."""
    atheris = importlib.import_module("atheris")
    library = ROOT / "urdf_importer"
    files = sorted({path for room in ROOMS for path in library.glob(f"{room}/**/*.py")})
    with atheris.instrument_imports(include=["urdf_importer"]):
        for names in (path.relative_to(ROOT).with_suffix("").parts for path in files):
            if "blender" not in names:
                importlib.import_module(".".join(names).removesuffix(".__init__"))
    return atheris


def run_all(
    jobs: Sequence[tuple[str, str]], most: int, work: Callable[[tuple[str, str]], None]
) -> int:
    """Runs each job in a process of its own, so many side by side; returns 1 where one failed."""
    waiting, running, failed = list(jobs), dict[int, str](), list[str]()
    while waiting or running:
        while waiting and len(running) < most:
            job = waiting.pop(0)
            sys.stdout.flush()
            pid = os.fork()
            if pid == 0:
                work(job)
                os._exit(1)  # The search ends its process by itself.
            running[pid] = job[0]
        pid, status = os.wait()
        name = running.pop(pid)
        if status:
            failed.append(name)
        sys.stdout.write(
            f"{name}: {f'found something, in {FOUND / name}' if status else 'clean'}\n"
        )
    return 1 if failed else 0


def search(fuzzer: Any, shown: str, name: str, given: argparse.Namespace) -> None:
    """Searches one reader for the seconds given, by the seed given; never returns."""
    from support.hostile_readers import BOUNDS, READERS
    from support.searches import Bounds, check

    folder = Path(tempfile.mkdtemp(prefix=f"fuzz-{shown}-"))
    corpus, kept = folder / "corpus", FOUND / shown
    for each in (corpus, kept):
        each.mkdir(parents=True, exist_ok=True)
    make_seeds, make = READERS[name]
    read, bounds = make(folder), BOUNDS.get(name, Bounds())
    bounds = replace(bounds, seconds=SLOWER * bounds.seconds)
    suffix = SUFFIXES.get(name, f".{shown}")
    beside = [path.read_bytes() for path in sorted((ROOT / "tests" / "data").rglob(f"*{suffix}"))]
    for number, content in enumerate([*make_seeds(), *beside]):
        (corpus / f"{number:04}").write_bytes(content[:MOST_BYTES])

    def look(content: bytes) -> None:
        check(content, read, bounds)

    options = [f"-max_total_time={given.seconds}", f"-seed={given.seed}"]
    options += [f"-max_len={MOST_BYTES}", "-rss_limit_mb=4096"]
    options += [f"-timeout={int(bounds.seconds) * 3}", f"-artifact_prefix={kept}{os.sep}"]
    options += ["-print_final_stats=1", "-verbosity=0", str(corpus)]
    fuzzer.Setup([shown, *options], look)
    try:
        fuzzer.Fuzz()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
