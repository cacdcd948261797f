# SPDX-License-Identifier: GPL-3.0-or-later
"""Transmissions for motors of other formats, as URDF would write them."""

from typing import Literal
from xml.sax.saxutils import escape, quoteattr

from ..model import Actuator, Transmission, TransmissionJoint

Drive = Literal["Position", "Velocity", "Effort"]
_INTERFACE = "hardware_interface/{}JointInterface"
_KIND = "transmission_interface/SimpleTransmission"


def make_transmission(
    name: str, joint: str, drive: Drive, gear: float = 1.0, line: int = 0
) -> Transmission:
    """Makes the transmission of a motor that drives one joint by `drive`."""
    interface = (_INTERFACE.format(drive),)
    written = f"<hardwareInterface>{interface[0]}</hardwareInterface>"
    return Transmission(
        name=name,
        type=_KIND,
        joints=(TransmissionJoint(name=joint, hardware_interfaces=interface),),
        actuators=(Actuator(name=name, mechanical_reduction=gear),),
        xml=f"<transmission name={quoteattr(name)}><type>{escape(_KIND)}</type>"
        f"<joint name={quoteattr(joint)}>{written}</joint>"
        f"<actuator name={quoteattr(name)}>"
        f"<mechanicalReduction>{gear!r}</mechanicalReduction></actuator></transmission>",
        line=line,
    )
