# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading files and texts in one call, and where the robots of example-robot-data lie."""

from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path
from typing import NamedTuple

import pytest

from urdf_importer import read_robot
from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.model import Robot
from urdf_importer.formats.urdf.read.robot import read_robot_text

DATA = Path(__file__).resolve().parents[2] / "data"


class Reading(NamedTuple):
    """A robot with what was said about it."""

    robot: Robot
    diagnostics: Diagnostics

    @property
    def codes(self) -> list[tuple[str, int]]:
        """Code and line of every diagnostic, in order of lines."""
        return sorted(((item.code, item.line) for item in self.diagnostics), key=lambda it: it[1])


@pytest.fixture(scope="session")
def data_folder() -> Path:
    return DATA


@pytest.fixture(scope="session")
def read_file() -> Callable[[str], Reading]:
    """Reads a file named relative to tests/data."""

    def read(name: str) -> Reading:
        diagnostics = Diagnostics()
        return Reading(read_robot(DATA / name, diagnostics=diagnostics), diagnostics)

    return read


@pytest.fixture(scope="session")
def read_quirk() -> Callable[[str], Reading]:
    """Reads one of the quirks by its name."""

    def read(name: str) -> Reading:
        diagnostics = Diagnostics()
        path = DATA / "quirks" / "q_pkg" / "urdf" / f"{name}.urdf"
        return Reading(read_robot(path, diagnostics=diagnostics), diagnostics)

    return read


@pytest.fixture(scope="session")
def read_text() -> Callable[[str | bytes], Reading]:
    def read(text: str | bytes) -> Reading:
        diagnostics = Diagnostics()
        data = text.encode("utf-8") if isinstance(text, str) else text
        return Reading(read_robot_text(data, "some.urdf", diagnostics), diagnostics)

    return read


@pytest.fixture(scope="session")
def real_robots() -> dict[str, Path]:
    """The URDF files of example-robot-data by their path in its folder."""
    package = distribution("example-robot-data")
    suffix = "share/example-robot-data/robots"
    folder = Path(str(package.locate_file(f"cmeel.prefix/{suffix}")))
    return {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*.urdf"))}
