# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the joints stand when the simulation starts."""

from ....diagnostics import Diagnostics, KinematicsError, quote
from ....kinematics.forward import complete_positions
from ....kinematics.motion import JointMotion
from ....kinematics.tree import KinematicTree
from ..options import WebotsOptions
from .joints import motor_limits

Start = dict[str, float | tuple[float, ...]]
_AT_REST: Start = {
    "planar": (0.0, 0.0, 0.0),
    "floating": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
    "spherical": (0.0, 0.0, 0.0, 1.0),
}


def plan_start(tree: KinematicTree, options: WebotsOptions, diagnostics: Diagnostics) -> Start:
    """The positions of all moving joints, by joint, as the description counts them: those of the
    options, else zero, each within the limits of its motor; joints that mimic another follow it.

    Raises KinematicsError for an unknown joint and for what is no position of a joint.
    """
    motions = tree.joint_motions
    given = {name: _read_position(name, text) for name, text in options.positions}
    checked = complete_positions(motions, given)
    followers = tree.masters
    start: Start = {}
    for motion in motions:
        name = motion.joint.name
        if name in followers:
            if name in given:
                _tell(diagnostics, motion, "follows another; the position given for it is ignored")
        elif motion.is_scalar:
            start[name] = _keep_within_limits(motion, checked.get(name), diagnostics)
        elif motion.moves:
            start[name] = checked.get(name, _AT_REST[motion.kind])
    return complete_positions(motions, start)


def _read_position(name: str, text: str) -> tuple[float, ...]:
    try:
        return tuple(float(number) for number in text.split(","))
    except ValueError as error:
        raise KinematicsError(
            f"the position {quote(text)} of joint {quote(name)} is no number"
        ) from error


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
    if given is None:
        diagnostics.warning(
            "zero-outside-limits",
            f"joint {quote(motion.joint.name)} can not stand at zero; it starts at {nearest:g}",
            subject=motion.joint.name,
            line=motion.joint.line,
        )
    else:
        _tell(diagnostics, motion, f"can not stand at {wanted:g}; it starts at {nearest:g}")
    return nearest


def _tell(diagnostics: Diagnostics, motion: JointMotion, finding: str) -> None:
    name = motion.joint.name
    diagnostics.warning(
        "webots-start-position",
        f"joint {quote(name)} {finding}",
        subject=name,
        line=motion.joint.line,
    )
