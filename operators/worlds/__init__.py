# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds in Blender's interface."""
