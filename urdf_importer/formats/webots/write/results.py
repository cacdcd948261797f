# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of an export to Webots, by which programs find links and devices there."""

from dataclasses import dataclass
from pathlib import Path

from ....core.geometry.transforms import Matrix
from ....core.writers.formats import Written


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExportedLink:
    """`solid` is the name of the Solid that holds the link, `frame` the link's frame (4, 4) in it,
    `def_name` the DEF name of the Solid or, where the link is but a part of it, of its Pose."""

    solid: str
    def_name: str
    frame: Matrix


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedAxis:
    """A controller's name for a degree of freedom; an empty name is a missing device.

    Webots' position plus `offset` is the description's position. The motors whose `leader` is the
    same joint are coupled: command the one of the leader, the others follow by `multiplier`.
    """

    joint: str
    motor: str
    sensor: str
    offset: float = 0.0
    leader: str = ""
    multiplier: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExportResult(Written):
    """The result of an export to Webots.

    path         the PROTO, the world or the project folder, as requested
    proto        the PROTO file
    robot        the name of the Robot node
    links        link name -> where it is now; links that a combined joint swallowed are not in it
    axes         all degrees of freedom, each after the ones nearer to the base
    facts        also `solids`: link name -> the Solid that holds it; `motors` and `sensors`: joint
                 name -> the names of its devices, one for each degree of freedom
    """

    proto: Path
    links: dict[str, ExportedLink]
    axes: tuple[ExportedAxis, ...]
