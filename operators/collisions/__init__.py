# SPDX-License-Identifier: GPL-3.0-or-later
"""Collision shapes and the links that touch each other: drawn over the view, fitted, listed."""
