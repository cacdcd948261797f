# SPDX-License-Identifier: GPL-3.0-or-later
"""Srdf: its files and its order of work."""
