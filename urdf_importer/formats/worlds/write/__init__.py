# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots and all around them as one world, with the writers of single robots."""
