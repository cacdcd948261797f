# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings and trajectories in Blender's menus."""
