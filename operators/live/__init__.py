# SPDX-License-Identifier: GPL-3.0-or-later
"""Running robots in Blender's interface."""
