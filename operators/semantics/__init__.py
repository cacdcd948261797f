# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of joints, and their states, in the sidebar."""
