# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot to RigPlan: what Blender is to contain, as names and numbers. numpy only."""

from .plan import plan_rig, plan_steps
from .rig_plan import RigPlan

__all__ = ["RigPlan", "plan_rig", "plan_steps"]
