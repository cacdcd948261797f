# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics in the sidebar."""
