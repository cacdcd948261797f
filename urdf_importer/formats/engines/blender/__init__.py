# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs to files of game engines: a skeleton and one mesh, made for the moment."""
