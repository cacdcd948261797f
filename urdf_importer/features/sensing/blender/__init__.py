# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors in the scene: their objects, and their measurements."""
