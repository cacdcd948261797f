# SPDX-License-Identifier: GPL-3.0-or-later
"""Sdf: its files and its order of work."""
