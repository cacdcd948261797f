# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever a file or a server says, there is what was asked for or one sentence, in little time and
memory: thousands of damaged files of every kind that is read."""

import os
from pathlib import Path

import pytest

from support.hostile_readers import BOUNDS, READERS, plain_name
from support.searches import Bounds, how_many, search

FUZZED = os.environ.get("FUZZED_READERS", "").split()
"""Readers that `.ci/run slow` searches by tools/fuzz at this commit, and here at other ones."""


def look(name: str, folder: Path, count: int) -> None:
    make_seeds, make = READERS[name]
    search(name, make_seeds(), make(folder), count, BOUNDS.get(name, Bounds()))


@pytest.mark.parametrize("name", READERS)
def test_damaged_files_are_read_or_refused(name: str, tmp_path: Path) -> None:
    look(name, tmp_path, how_many(is_long=False))


@pytest.mark.slow
@pytest.mark.parametrize("name", [each for each in READERS if plain_name(each) not in FUZZED])
def test_many_damaged_files_are_read_or_refused(name: str, tmp_path: Path) -> None:
    look(name, tmp_path, how_many(is_long=True))
