# SPDX-License-Identifier: GPL-3.0-or-later
"""SRDF: the semantics of a robot's parts."""
