# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of meshes measure."""

import sysconfig
from pathlib import Path

import pytest

MESHES = Path(__file__).parents[3] / "data" / "quirks" / "q_pkg" / "meshes"


class Notes(list[tuple[str, str]]):
    """Stands in for a report: what was substituted, in order."""

    def __call__(self, code: str, message: str) -> None:
        assert message
        assert "\n" not in message
        self.append((code, message))

    @property
    def codes(self) -> list[str]:
        return [code for code, _ in self]


@pytest.fixture
def notes() -> Notes:
    return Notes()


@pytest.fixture(scope="session")
def quirk_meshes() -> Path:
    return MESHES


@pytest.fixture(scope="session")
def real_stl_files() -> list[Path]:
    """All STL files of the package example-robot-data."""
    share = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix", "share", "example-robot-data")
    found = sorted(path for path in share.glob("robots/**/*") if path.suffix.lower() == ".stl")
    assert len(found) > 400
    return found
