# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole worlds: the robots of a scene and all around them, out to a file and in."""
