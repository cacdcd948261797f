# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers of ROS over one WebSocket, without threads: nothing here waits, nothing knows Blender."""
