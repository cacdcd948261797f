# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot as a builder script of the MORSE simulator: one file that needs no other."""
