# SPDX-License-Identifier: GPL-3.0-or-later
"""Engines: its files and its order of work."""
