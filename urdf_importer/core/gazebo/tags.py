# SPDX-License-Identifier: GPL-3.0-or-later
"""Quick answers about one <gazebo>, by its text, without parsing it."""

import re

from ..model import Extra

_PRESERVED = re.compile(
    r"<(?:preserveFixedJoint|disableFixedJointLumping)\s*>\s*(?:true|1)\s*<", re.IGNORECASE
).search
_REFERENCE = re.compile(r"""<gazebo\b[^<>]*?\sreference\s*=\s*["']([^"'<>]*)["']""").match


def find_reference(extra: Extra) -> str | None:
    """Finds the link or joint that a <gazebo> is about; None for one about the robot, and for other
    elements."""
    found = _REFERENCE(extra.xml) if extra.tag == "gazebo" else None
    return None if found is None else found[1]


def preserves_joint(extra: Extra) -> bool:
    """Whether a <gazebo> keeps its fixed joint from being merged."""
    return _PRESERVED(extra.xml) is not None


def holds_sensor(extra: Extra) -> bool:
    """Whether a <gazebo> describes a sensor, whose place is in its link."""
    return extra.tag == "gazebo" and "<sensor" in extra.xml
