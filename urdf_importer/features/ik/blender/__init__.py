# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics on a rig in a scene."""
