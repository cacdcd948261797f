# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots that fall, stand and follow."""

from ...core.shelves import Part

PART = Part(
    name="simulation",
    names={
        "options": (
            "Push",
            "SimulationOptions",
        ),
        "simulate": (
            "simulate",
            "simulation_steps",
        ),
        "states": (
            "MotorEffort",
            "Overload",
            "SimulatedRobot",
            "Simulation",
        ),
    },
    commands="command",
)
