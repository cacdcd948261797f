# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics on a rig that stands in a scene."""
