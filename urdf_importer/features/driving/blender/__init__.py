# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots that drive, and carry objects, as keyframes."""
