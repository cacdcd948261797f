# SPDX-License-Identifier: GPL-3.0-or-later
"""Urdf: its files and its order of work."""
