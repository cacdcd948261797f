# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot to motion: the tree of its joints and the frames of its links."""
