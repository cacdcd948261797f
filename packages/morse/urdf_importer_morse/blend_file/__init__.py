# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the game data of MORSE's own .blend files."""
