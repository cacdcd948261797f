# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours: sRGB, which descriptions write and RViz shows, and linear, which Blender and glTF use.

Robots look washed out where colours are not converted. The transfer functions are from IEC
61966-2-1.
"""


def linear_from_srgb(value: float) -> float:
    """Returns the linear value (0 to 1) of one channel; values outside are clipped."""
    value = min(max(value, 0.0), 1.0)
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def srgb_from_linear(value: float) -> float:
    """Returns the sRGB value (0 to 1) of one linear channel; values outside are clipped."""
    value = min(max(value, 0.0), 1.0)
    return value * 12.92 if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055
