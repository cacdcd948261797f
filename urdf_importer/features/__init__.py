# SPDX-License-Identifier: GPL-3.0-or-later
"""The features, a folder for each."""
