# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of USD in other forms, by usd-core in a process of its own."""

import subprocess
import sys
from pathlib import Path

_CONVERT = "import sys; from pxr import Sdf; Sdf.Layer.FindOrOpen(sys.argv[1]).Export(sys.argv[2])"


def to_crate(source: Path, target: Path) -> None:
    subprocess.run([sys.executable, "-c", _CONVERT, str(source), str(target)], check=True)
