# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports of Simscape and of CAD programs, first and second generation."""

from ...core.shelves import Part

PART = Part(
    name="simmechanics",
    reader="read:SIMMECHANICS",
)
