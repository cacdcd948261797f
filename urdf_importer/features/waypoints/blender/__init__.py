# SPDX-License-Identifier: GPL-3.0-or-later
"""Waypoints and tools of rigs."""
