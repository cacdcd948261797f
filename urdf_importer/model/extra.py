# SPDX-License-Identifier: GPL-3.0-or-later
"""What a description says beyond the URDF specification, kept word for word."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Extra:
    """An element that URDF does not define (gazebo, ros2_control, vendor tags).

    `xml` is the text of the element exactly as it stands in the file, for re-export.
    """

    tag: str
    xml: str
    line: int = field(default=0, compare=False)
