# SPDX-License-Identifier: GPL-3.0-or-later
"""URDF files to robots, element by element."""
