# SPDX-License-Identifier: GPL-3.0-or-later
"""RigPlan to Blender: bones, empties, meshes, materials, constraints."""
