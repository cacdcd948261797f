# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot as packages of ROS 2."""
