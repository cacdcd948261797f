# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of joints in armatures of their own."""
