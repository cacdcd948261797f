# SPDX-License-Identifier: GPL-3.0-or-later
"""Components that are mostly a .blend of MORSE: they are only there with it."""

from typing import Any

from .component import AbstractComponent
from .errors import MissingModelError

_NAMES = (
    # Robots
    *("ATRV", "B21", "BarePR2", "BasePR2", "Human", "Hummer", "Jido", "LocalizedPR2", "Morsy"),
    *("NavPR2", "PatrolBot", "Pioneer3DX", "QUAD2012", "Quadrotor", "RMax", "SegwayRMP400"),
    *("Submarine", "Victim"),
    # Actuators
    *("Arucomarker", "Gripper", "KukaLWR", "PA10", "PTU"),
    # Sensors
    *("Velodyne", "VelodyneRayCast", "VelodyneZB"),
)


class AbsentComponent(AbstractComponent):
    """Can not be made. Raises MissingModelError."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise MissingModelError(f"{type(self).__name__} is a model of MORSE, which is not here")


ABSENT: dict[str, type[AbsentComponent]] = {
    name: type(name, (AbsentComponent,), {"__module__": __name__}) for name in _NAMES
}
"""Name -> class, so that a script which derives from one says what it lacks."""
