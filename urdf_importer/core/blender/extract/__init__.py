# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender to Robot: the description in a rig, and its shapes in their present form."""
