# SPDX-License-Identifier: GPL-3.0-or-later
"""Transmissions: which actuator drives which joint."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class TransmissionJoint:
    name: str
    hardware_interfaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Actuator:
    name: str
    mechanical_reduction: float | None = None
    hardware_interfaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Transmission:
    """`xml` is the whole element word for word: transmissions have many dialects."""

    name: str = ""
    type: str = ""
    joints: tuple[TransmissionJoint, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    xml: str = ""
    line: int = field(default=0, compare=False)
