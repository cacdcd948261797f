# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about robots in the scene."""
