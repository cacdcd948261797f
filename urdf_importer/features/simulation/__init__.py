# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots that fall, stand and follow: options, states, motors, and the run of MuJoCo."""
