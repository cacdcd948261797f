# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot to RigPlan: the content of the Blender scene, as names and numbers."""

from .plan import plan_rig, plan_steps
from .rig_plan import RigPlan

__all__ = ["RigPlan", "plan_rig", "plan_steps"]
