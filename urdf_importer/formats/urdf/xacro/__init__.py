# SPDX-License-Identifier: GPL-3.0-or-later
"""xacro files to the URDF that they expand to."""
