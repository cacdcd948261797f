# SPDX-License-Identifier: GPL-3.0-or-later
"""The formats, a folder for each."""
