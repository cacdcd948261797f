# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of worlds that needs Blender."""
