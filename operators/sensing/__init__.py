# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors of the active robot: listed, looked through, measured, recorded."""
