# SPDX-License-Identifier: GPL-3.0-or-later
"""SRDF: groups, states and pairs of links, in and out."""

from ...core.shelves import Part

PART = Part(
    name="srdf",
    names={
        "files": (
            "apply_srdf",
            "find_srdf",
            "read_srdf",
            "write_srdf",
        ),
    },
    hooks={"read_semantics": "files:read_own_srdf"},
)
