# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors of descriptions as sensors of MORSE."""

from .suggest import SensorSuggestion, suggest_sensors

__all__ = ["SensorSuggestion", "suggest_sensors"]
