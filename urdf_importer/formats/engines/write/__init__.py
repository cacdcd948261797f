# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots for game engines: their options, and additions to the output of Blender's exporters."""
