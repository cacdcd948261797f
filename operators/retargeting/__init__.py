# SPDX-License-Identifier: GPL-3.0-or-later
"""People's motion in Blender's interface."""
