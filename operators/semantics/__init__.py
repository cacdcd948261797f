# SPDX-License-Identifier: GPL-3.0-or-later
"""SRDF in the interface: files, groups, states, and the links that planners skip."""
