# SPDX-License-Identifier: GPL-3.0-or-later
"""The positions of the joints when the simulation starts."""

from .....core.diagnostics import Diagnostics, quote
from .....core.kinematics.forward import AT_REST, complete_positions
from .....core.kinematics.motion import JointMotion
from .....core.kinematics.tree import KinematicTree
from .....core.writers.start import read_positions
from ..names import report_on
from ..options import WebotsOptions
from .joints import motor_limits

Start = dict[str, float | tuple[float, ...]]


def plan_start(tree: KinematicTree, options: WebotsOptions, diagnostics: Diagnostics) -> Start:
    """Returns the positions of all moving joints, by joint, in the description's terms: the
    options' positions, else zero, each within the limits of its motor; joints that mimic another
    follow it.

    Raises KinematicsError for an unknown joint and for an impossible position.
    """
    motions = tree.joint_motions
    given = read_positions(options)
    checked = complete_positions(motions, given)
    followers = tree.masters
    start: Start = {}
    for motion in motions:
        name = motion.joint.name
        if name in followers:
            if name in given:
                finding = "follows another; the position given for it is ignored"
                report_on(motion.joint, "webots-start-position", finding, diagnostics)
        elif motion.is_scalar:
            start[name] = _keep_within_limits(motion, checked.get(name), diagnostics)
        elif motion.moves:
            start[name] = checked.get(name, AT_REST[motion.kind])
    return complete_positions(motions, start)


def _keep_within_limits(
    motion: JointMotion, given: float | tuple[float, ...] | None, diagnostics: Diagnostics
) -> float:
    assert not isinstance(given, tuple)
    wanted = given or 0.0
    limits = motor_limits(motion)
    if limits is None or limits[0] <= wanted <= limits[1]:
        return wanted
    nearest = motion.nearest_valid(wanted)
    nearest = min(max(nearest, limits[0]), limits[1])
    joint, place = motion.joint, "zero" if given is None else f"{wanted:g}"
    finding = f"cannot be at {place}; it starts at {nearest:g}"
    if given is None:
        message = f"joint {quote(joint.name)} {finding}"
        diagnostics.remark("zero-outside-limits", message, subject=joint.name, line=joint.line)
    else:
        report_on(joint, "webots-start-position", finding, diagnostics)
    return nearest
