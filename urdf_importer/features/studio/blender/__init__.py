# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture of a robot, without a window."""
