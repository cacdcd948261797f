# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Export and its panel."""
