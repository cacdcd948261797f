# SPDX-License-Identifier: GPL-3.0-or-later
"""People in Blender as points, and the keys of robots that follow them."""
