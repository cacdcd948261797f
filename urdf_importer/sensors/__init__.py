# SPDX-License-Identifier: GPL-3.0-or-later
"""What a description says of sensors, as numbers that belong to no simulator; and what MORSE has
for them. Writers for other simulators build on the same numbers."""

from .morse_sensors import SensorSuggestion, suggest_sensors

__all__ = ["SensorSuggestion", "suggest_sensors"]
