# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller in Python of an exported robot: text, for Webots' own interpreter."""

import json
from collections import Counter

from .ros2 import fill_template
from .structure import AxisPlan, StructurePlan


def write_controller(name: str, plan: StructurePlan) -> str:
    """The text of controllers/<name>/<name>.py. A joint with several degrees of freedom has one
    entry for each, by the name of its motor or sensor."""
    counts = Counter(axis.joint for axis in plan.axes())
    entries = [_entry(axis, counts[axis.joint]) for axis in plan.axes()]
    joints = "{\n" + "".join(f"    {entry},\n" for entry in entries) + "}"
    return fill_template("controller.py", robot=plan.root.name, controller=name, joints=joints)


def _entry(axis: AxisPlan, count: int) -> str:
    """A follower has no motor here: a command goes to the leader of its group."""
    follows = bool(axis.leader) and axis.leader != axis.joint
    name = axis.joint if count == 1 else axis.motor or axis.sensor
    values = {
        "motor": "" if follows else axis.motor,
        "sensor": axis.sensor,
        "offset": float(axis.offset),
    }
    return f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(values, ensure_ascii=False)}"
