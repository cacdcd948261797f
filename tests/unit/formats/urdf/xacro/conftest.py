# SPDX-License-Identifier: GPL-3.0-or-later
"""Small xacro files."""

from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = "<robot name='{}' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes the inside of a <robot>, which begins in line 2."""

    def write(inside: str, root: str = "r", name: str = "arm.xacro") -> Path:
        path = tmp_path / name
        path.write_text(f"{ROOT.format(root)}{inside}\n</robot>\n", encoding="utf-8")
        return path

    return write
