# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender to Robot: what a rig describes, and what its shapes look like now."""
