# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded numbers -> a robot's joints: their names, their order and their units."""
