# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot in a scene: its parts, its pose, its visibility."""
