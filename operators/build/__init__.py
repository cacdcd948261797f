# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots made in the 3D view: links, joints, masses, limits, sensors, and missing parts."""
