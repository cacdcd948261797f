# SPDX-License-Identifier: GPL-3.0-or-later
"""SRDF: what a robot's parts are for."""
