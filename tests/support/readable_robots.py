# SPDX-License-Identifier: GPL-3.0-or-later
"""All descriptions at hand that can be read: real robots of two packages, and our own odd ones."""

import sysconfig
from functools import cache
from pathlib import Path

from support.real_robots import descriptions
from urdf_importer import read_robot
from urdf_importer.core.diagnostics import Diagnostics, ReadError

RTB = Path(sysconfig.get_paths()["purelib"], "rtbdata")
DATA = Path(__file__).resolve().parents[1] / "data"


@cache
def readable_descriptions() -> tuple[Path, ...]:
    """URDF and xacro files that a robot can be read from."""
    others = [*RTB.rglob("*.urdf"), *RTB.rglob("*.xacro")]
    assert len(others) > 30, f"rtb-data is not installed in {RTB}"
    paths = [*descriptions(), *sorted(others), *sorted(DATA.rglob("*.urdf"))]
    return tuple(path for path in paths if _is_readable(path))


def _is_readable(path: Path) -> bool:
    try:
        read_robot(path, diagnostics=Diagnostics())
    except ReadError:
        return False
    return True
