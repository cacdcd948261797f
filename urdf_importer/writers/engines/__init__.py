# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots for game engines: their options, and what Blender's exporters do not write."""
