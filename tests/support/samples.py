# SPDX-License-Identifier: GPL-3.0-or-later
"""Some of many: what slow tests take where everything would take too long."""

import os
from collections.abc import Sequence
from typing import TypeVar

_Item = TypeVar("_Item")


def sampled(items: Sequence[_Item], share: int) -> list[_Item]:
    """Returns each so many-th item, or all of them with WHOLE=1."""
    return list(items if os.environ.get("WHOLE") else items[::share])
