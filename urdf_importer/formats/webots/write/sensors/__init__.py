# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors as devices of Webots."""
