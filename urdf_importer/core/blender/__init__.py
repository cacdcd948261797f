# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers to Blender and back. The only package that imports bpy."""
