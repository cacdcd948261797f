# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of live that needs Blender."""
