# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar: the robot, its joints, links and report."""
