# SPDX-License-Identifier: GPL-3.0-or-later
"""How far an import has come."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """`share` of the work that is done, 0 to 1, and what is done next."""

    share: float
    text: str
