# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of collisions that needs Blender."""
