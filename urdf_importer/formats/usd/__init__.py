# SPDX-License-Identifier: GPL-3.0-or-later
"""USD: stages in, and articulations out for Isaac."""

from ...core.shelves import Part

PART = Part(
    name="usd",
    reader="read:USD",
    meshes="meshes:LOADERS",
)
