# SPDX-License-Identifier: GPL-3.0-or-later
"""From the model to numbers: motion, forward kinematics, the plan of the rig. numpy only."""

from .forward import forward_kinematics
from .plan import plan_rig
from .rig_plan import RigPlan

__all__ = ["RigPlan", "forward_kinematics", "plan_rig"]
