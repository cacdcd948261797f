# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene's part of a simulation: its objects, the keys, and Blender's own engine."""
