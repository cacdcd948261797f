# SPDX-License-Identifier: GPL-3.0-or-later
"""The command urdf-importer inside a Blender program, which needs nothing installed:

    blender -b --factory-startup -P urdf_importer/headless.py -- robot.urdf -o robot.blend

The arguments after `--` are arguments of `urdf-importer import`, or begin with the name of another
command. Blender exits with the status of the command. Blender itself also writes to standard
output: let reports go to a file (--json report.json).
"""

import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_GENERAL = ("-h", "--help", "--version")
_CHILD = "batch-child"


def main(argv: Sequence[str]) -> int:
    """Runs the command with the arguments after `--` in Blender's; returns the exit status."""
    _make_importable()
    # Blender takes Ctrl-C as a request to stop rendering; here it must stop the work.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # As a script this file belongs to no package, so there is nothing to import relatively.
    if argv[-1] == _CHILD:
        status: int = import_module("urdf_importer.features.batch.child").main()
    else:
        status = import_module("urdf_importer.cli").main(read_arguments(argv))
    return status


def read_arguments(argv: Sequence[str]) -> list[str]:
    """Extracts the command's arguments from the Blender program's."""
    arguments = list(argv[argv.index("--") + 1 :]) if "--" in argv else []
    known = (*import_module("urdf_importer.cli").list_commands(), *_GENERAL)
    return arguments if arguments and arguments[0] in known else ["import", *arguments]


def _make_importable() -> None:
    """Puts this checkout first on the path, and the wheels beside it last, so that Blender's own
    modules win over them."""
    sys.path.insert(0, str(ROOT))
    sys.path.extend(str(wheel) for wheel in sorted(ROOT.glob("wheels/*.whl")))


if __name__ == "__main__":
    sys.exit(main(sys.argv))
