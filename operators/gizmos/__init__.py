# SPDX-License-Identifier: GPL-3.0-or-later
"""Taking hold of a robot in the 3D view."""
