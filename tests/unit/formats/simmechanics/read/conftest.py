# SPDX-License-Identifier: GPL-3.0-or-later
"""The fixture of these tests; its types stand where all of them can import them."""

from support.simmechanics_reading import read

__all__ = ["read"]
