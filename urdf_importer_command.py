# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts the command urdf-importer. The library takes a second to import: Ctrl-C in that second is
answered as it is later, which no module of the library itself could do."""

import sys


def main() -> int:
    """Runs the command and returns its exit status."""
    try:
        from urdf_importer.cli import main as run

        return run()
    except KeyboardInterrupt:
        sys.stderr.write("urdf-importer: error: interrupted\n")
        return 130
