# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Import, dropping files, and updating from the source."""
