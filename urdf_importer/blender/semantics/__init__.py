# SPDX-License-Identifier: GPL-3.0-or-later
"""SRDF on a rig: what a robot's parts are for."""
