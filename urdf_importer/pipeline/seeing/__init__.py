# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors of robots in Blender, and pictures of robots."""
