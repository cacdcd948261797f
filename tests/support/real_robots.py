# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots of others, from the package example-robot-data."""

import sysconfig
from functools import cache
from pathlib import Path

ROOT = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")


@cache
def descriptions() -> tuple[Path, ...]:
    """All URDF files of the package. It is a test dependency: none found is a failure."""
    found = tuple(sorted(ROOT.glob("**/*.urdf")))
    assert len(found) > 60, f"example-robot-data is not installed in {ROOT}"
    return found


def name_of(path: Path) -> str:
    """The name of a description as a test's id."""
    return f"{path.parent.parent.name}/{path.stem}"
