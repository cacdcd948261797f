# SPDX-License-Identifier: GPL-3.0-or-later
"""The command in a child process with bounds of CPU, clock and memory, that must not open some
files: for attacks, which would stop the tests."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from support.paths import ROOT

_START = """
import os, resource, sys
seconds, gibibytes, *forbidden = eval(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
resource.setrlimit(resource.RLIMIT_AS, (gibibytes << 30, gibibytes << 30))
def watch(event, given):
    if event in ("open", "os.listdir", "os.scandir") and str(given[0]) in forbidden:
        os.write(2, f"opened {given[0]}".encode())
        os._exit(99)
sys.addaudithook(watch)
from urdf_importer.cli import main
sys.exit(min(main(each.split("\\n")) for each in sys.argv[1:]))
"""


def run_bounded(
    *commands: Sequence[object],
    cwd: Path,
    forbidden: Sequence[Path] = (),
    seconds: int = 20,
    gibibytes: int = 4,
) -> "subprocess.CompletedProcess[str]":
    """Runs commands in a folder, one after another in one child, whose status is the least of
    theirs. It ends itself with status 99 where Python opens a file that is forbidden."""
    bounds = repr([seconds, gibibytes, *map(str, forbidden)])
    return subprocess.run(
        [sys.executable, "-P", "-c", _START, bounds, *("\n".join(map(str, c)) for c in commands)],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=3 * seconds,
        check=False,
    )


def refusals(done: "subprocess.CompletedProcess[str]") -> list[str]:
    """Returns the sentences in which the commands refuse their files, one each."""
    assert done.returncode == 1, (done.returncode, done.stderr)
    lines = done.stderr.splitlines()
    assert all(": error: " in line for line in lines), lines
    return lines
