# SPDX-License-Identifier: GPL-3.0-or-later
"""Building in Blender: objects become shapes of links, selections become axes."""
