# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of Blender 2.4 to 2.79: their blocks, their structures, and the game engine's tables."""
