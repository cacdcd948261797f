# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of USD in other forms, by usd-core in a process of its own."""

import subprocess
import sys
from pathlib import Path

_CONVERT = "from pxr import Sdf; Sdf.Layer.FindOrOpen(sys.argv[1]).Export(sys.argv[2])"


def to_crate(source: Path, target: Path) -> None:
    run_pxr(_CONVERT, source, target)


def run_pxr(code: str, *arguments: Path) -> None:
    """Runs lines of Python that may use pxr; sys is at hand."""
    command = [sys.executable, "-c", f"import sys\n{code}", *map(str, arguments)]
    subprocess.run(command, check=True)
