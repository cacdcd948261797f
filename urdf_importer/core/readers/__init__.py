# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of readers that belong to no format, and the record of a format."""
