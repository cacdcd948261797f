# SPDX-License-Identifier: GPL-3.0-or-later
"""A standing rig becomes the rig of a changed description; `graft` holds the order of the work."""
