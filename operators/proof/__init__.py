# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of robots, and proofs of files that were made of them."""
