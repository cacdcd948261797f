# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the joints of a robot start."""

from ...diagnostics import Diagnostics, KinematicsError, quote
from ...kinematics.forward import complete_positions
from ...options import StartOptions
from ...rig.rig_plan import JointPlan, RigPlan


def plan_start(plan: RigPlan, options: StartOptions, diagnostics: Diagnostics) -> dict[str, float]:
    """Returns the position of every joint that has a bone, in radians or metres: as the options
    say, else zero, each within its limits; joints that mimic another follow it.

    Raises KinematicsError for an unknown joint and for what cannot be a position of a joint.
    """
    motions = plan.tree.joint_motions
    given = {name: _read_position(name, written) for name, written in options.positions}
    checked = complete_positions(motions, given)
    start: dict[str, float] = {}
    for joint in plan.joints:
        name = joint.joint.name
        if not joint.mimics:
            start[name] = joint.initial
            if name in given:
                wanted = checked[name]
                assert isinstance(wanted, float)
                start[name] = _keep_within_limits(joint, wanted, diagnostics)
    complete = complete_positions(motions, start)
    names = [joint.joint.name for joint in plan.joints]
    return {name: position for name in names if isinstance(position := complete[name], float)}


def _read_position(name: str, written: str) -> tuple[float, ...]:
    try:
        return tuple(float(number) for number in written.split(","))
    except ValueError as error:
        raise KinematicsError(
            f"the position {quote(written)} of joint {quote(name)} is not a number"
        ) from error


def _keep_within_limits(joint: JointPlan, wanted: float, diagnostics: Diagnostics) -> float:
    nearest = wanted
    if joint.lower is not None:
        nearest = max(nearest, joint.lower)
    if joint.upper is not None:
        nearest = min(nearest, joint.upper)
    if nearest != wanted:
        diagnostics.warning(
            "morse-start-position",
            f"joint {quote(joint.joint.name)} cannot stand at {wanted:g}; it starts at {nearest:g}",
            subject=joint.joint.name,
            line=joint.joint.line,
        )
    return nearest
