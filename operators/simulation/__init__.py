# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulation of robots by hand: its operator, its panel, and motors that are too weak."""
