# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests share, and where they find MORSE, which is no part of this project.

Nothing of Blender is imported at the top: the tests that run builder scripts need none here.
"""

import os
from pathlib import Path

import pytest

from support.blender.fixtures import extension as extension
from support.blender.fixtures import scene as scene
from support.session import mistakes_in_planning_loops_show as mistakes_in_planning_loops_show


@pytest.fixture(scope="session")
def morse_root() -> Path:
    """The folder that holds MORSE's lib/ and share/, from $MORSE_ROOT."""
    named = os.environ.get("MORSE_ROOT", "")
    if not named:
        pytest.skip("needs MORSE: tools/get-morse FOLDER, then MORSE_ROOT=FOLDER/usr")
    root = Path(named).resolve()
    assert (root / "share/morse/data").is_dir(), f"$MORSE_ROOT is no root of MORSE: {root}"
    return root
