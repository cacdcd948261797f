# SPDX-License-Identifier: GPL-3.0-or-later
"""<transmission>: which actuator drives which joint. Its many dialects are kept word for word."""

from ..model import Actuator, Transmission, TransmissionJoint
from .document import Document
from .numbers import LARGEST, OddNumberError, to_number
from .xml import Element


def read_transmission(element: Element, document: Document) -> Transmission:
    document.kind = "transmission"
    document.name = name = document.name_of(element)
    joints: list[TransmissionJoint] = []
    actuators: list[Actuator] = []
    transmission_type = element.attributes.get("type", "")
    for child in element:
        if child.tag == "joint":
            joints.append(read_transmission_joint(child, document))
        elif child.tag == "actuator":
            actuators.append(read_actuator(child, document))
        elif child.tag == "type" and not transmission_type:
            transmission_type = document.text(child)
        else:
            document.refuse_xacro(child)
    return Transmission(
        name=name,
        type=transmission_type,
        joints=tuple(joints),
        actuators=tuple(actuators),
        xml=document.verbatim(element),
        line=element.line,
    )


def read_transmission_joint(element: Element, document: Document) -> TransmissionJoint:
    return TransmissionJoint(
        name=document.name_of(element),
        hardware_interfaces=_read_hardware_interfaces(element, document),
    )


def read_actuator(element: Element, document: Document) -> Actuator:
    reduction = None
    for child in element:
        if child.tag == "mechanicalReduction" and reduction is None:
            reduction = _read_reduction(child, document)
    return Actuator(
        name=document.name_of(element),
        mechanical_reduction=reduction,
        hardware_interfaces=_read_hardware_interfaces(element, document),
    )


def _read_hardware_interfaces(element: Element, document: Document) -> tuple[str, ...]:
    texts = (document.text(child) for child in element if child.tag == "hardwareInterface")
    return tuple(text for text in texts if text)


def _read_reduction(element: Element, document: Document) -> float | None:
    """The reduction; None, with a warning, where it is no number: nothing moves by it here."""
    text = document.text(element)
    try:
        return to_number(text, LARGEST)
    except OddNumberError as problem:
        document.warning(
            "bad-reduction",
            f"{document.place(element)} {problem if text else 'is empty'}; it is left out",
            element,
        )
        return None
