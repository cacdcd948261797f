# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender's game engine kept of objects, in Blenders that have none."""
