# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions as keyframes of a rig, and back."""
