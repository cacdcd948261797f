# SPDX-License-Identifier: GPL-3.0-or-later
"""Arms in a cell: waypoints as a list, the path in the view, tools and external axes."""
