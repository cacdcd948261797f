# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors: its files and its order of work."""
