# SPDX-License-Identifier: GPL-3.0-or-later
"""Usd: its files and its order of work."""
