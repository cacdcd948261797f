# SPDX-License-Identifier: GPL-3.0-or-later
"""SRDF on a rig: the semantics of a robot's parts."""
