# SPDX-License-Identifier: GPL-3.0-or-later
"""The studio in Blender's interface."""
