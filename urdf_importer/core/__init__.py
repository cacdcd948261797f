# SPDX-License-Identifier: GPL-3.0-or-later
"""The part that every robot needs. Knows no format and no feature."""
