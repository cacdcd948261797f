# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a share of the cases of slow tests: THIN_SLOW=N:K keeps each Nth, from the Kth on.

Tests of one thing, of readers and of removed parts are never left out.
"""

import os

import pytest

_WHOLE = ("test_hostile", "test_removed_parts")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    share = os.environ.get("THIN_SLOW")
    if not share:
        return
    count, first = map(int, share.split(":"))
    many = [each for each in items if _has_cases(each)]
    out = {each for number, each in enumerate(many) if number % count != first % count}
    config.hook.pytest_deselected(items=[each for each in items if each in out])
    items[:] = [each for each in items if each not in out]


def _has_cases(item: pytest.Item) -> bool:
    is_whole = any(name in item.nodeid for name in _WHOLE)
    return "[" in item.nodeid and item.get_closest_marker("slow") is not None and not is_whole
