# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion of joints and frames over time, as arrays. Knows neither files nor Blender."""
