# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's mathutils, for those who may not import them."""

import bpy  # noqa: F401 - mathutils is there only after it
import mathutils

CLASSES = {name: getattr(mathutils, name) for name in ("Matrix", "Vector", "Euler", "Quaternion")}
