# SPDX-License-Identifier: GPL-3.0-or-later
"""<joint>: its motion and limits. The meaning of the numbers for the tree is judged later.

<transmission> says which actuator drives which joint; its many dialects are kept word for word.
"""

import math
from dataclasses import replace
from typing import TypeVar

from ....core.diagnostics import quote
from ....core.markup.xml import Element, verbatim
from ....core.model import (
    BALL_TYPES,
    JOINT_TYPES,
    Actuator,
    Calibration,
    Dynamics,
    Extra,
    Joint,
    Leaf,
    Limit,
    Mimic,
    SafetyController,
    Transmission,
    TransmissionJoint,
    Vector3,
)
from ....core.model.drake import DRAKE_JOINT, DRAKE_LEAF, DRAKE_PITCH
from .document import Document
from .extras import DEFINED, add_beyond, read_attributes, read_leaves, read_mimic_leaf
from .numbers import LARGEST, OddNumberError, plain_number, to_number
from .pose import read_origin


def read_transmission(element: Element, document: Document) -> Transmission:
    document.kind = "transmission"
    document.name = name = document.name_of(element)
    joints: list[TransmissionJoint] = []
    actuators: list[Actuator] = []
    transmission_type = element.attributes.get("type", "")
    for child in element:
        if child.tag == "joint":
            interfaces = _read_hardware_interfaces(child, document)
            named = document.name_of(child)
            joints.append(TransmissionJoint(name=named, hardware_interfaces=interfaces))
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
        xml=verbatim(element, document.data),
        line=element.line,
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
    """The reduction, also in quotes; None, with a warning, where it is not a number: nothing moves
    by it here."""
    text = document.text(element).strip("\"' \t\r\n")
    try:
        return to_number(text, LARGEST)
    except OddNumberError as problem:
        finding = f"{problem if text else 'is empty'}; it is left out"
        document.remark("bad-reduction", finding, element)
        return None


_LEAVES = ("origin", "parent", "child", "axis")
_KNOWN = frozenset((*_LEAVES, "limit", "dynamics", "mimic", "calibration", "safety_controller"))
_KNOWN_OF_DRAKE = {
    # The damping of a plane has three numbers.
    "planar": _KNOWN - {"dynamics"},
    "screw": _KNOWN - {"mimic"} | {DRAKE_PITCH},
    # Drake does not look at the axis.
    "universal": _KNOWN - {"axis"},
}


def read_joint(element: Element, document: Document) -> Joint | None:
    """Reads the joint; None, and an ERROR diagnostic, where it names no links."""
    document.kind = "joint"
    document.name = name = document.name_of(element)
    is_drakes, known = element.tag == DRAKE_JOINT, _KNOWN
    if is_drakes:
        known = _KNOWN_OF_DRAKE.get(element.attributes.get("type", ""), _KNOWN)
    first, extras = document.children(element, known)
    parent = read_end(first.get("parent"), document)
    child = read_end(first.get("child"), document)
    if not parent or not child:
        _report_missing("child" if parent else "parent", element, document)
        return None
    if not name:
        document.name = name = f"{parent}_to_{child}"
        document.warning(
            "missing-joint-name", f"a joint has no name; it is called {quote(name)}", element
        )
    joint_type = read_joint_type(element, document)
    if is_drakes and joint_type == "screw":
        mimic: Mimic | None = _read_pitch(first.get(DRAKE_PITCH), element, document)
    else:
        mimic = read_mimic(first.get("mimic"), document)
    leaves = _read_leaves(first, extras, mimic, document)
    if is_drakes:
        leaves += (DRAKE_LEAF,)
    elif joint_type in BALL_TYPES:
        _warn_of_ball(joint_type, element, document)
    return Joint(
        name=name,
        type=joint_type,
        parent=parent,
        child=child,
        origin=read_origin(first.get("origin"), document),
        axis=read_axis(first.get("axis"), document),
        limit=read_limit(first.get("limit"), document),
        dynamics=read_numbers(Dynamics, first.get("dynamics"), document),
        mimic=mimic,
        calibration=read_numbers(Calibration, first.get("calibration"), document),
        safety_controller=read_numbers(SafetyController, first.get("safety_controller"), document),
        attributes=read_attributes(element),
        leaves=leaves,
        extras=extras,
        line=element.line,
    )


def _report_missing(missing: str, element: Element, document: Document) -> None:
    message = f"{document.describe(element)} has no {missing} link; it is left out"
    document.error(f"missing-{missing}", message, element)


def _warn_of_ball(joint_type: str, element: Element, document: Document) -> None:
    finding = f"has the type {quote(joint_type)}, treated as a ball joint that turns freely"
    message = f"joint {quote(document.name)} {finding}"
    document.warning("unknown-joint-type", message, element)


def _read_pitch(pitch: Element | None, screw: Element, document: Document) -> Mimic:
    """Reads the way of a screw as a mimic of itself, in metres in a radian."""
    number = None if pitch is None else document.number(pitch, "value")
    if number is None:
        document.remark("screw-without-pitch", "has no pitch; it turns in its place", screw)
    return Mimic(joint=document.name, multiplier=(number or 0.0) / math.tau)


def _read_leaves(
    first: dict[str, Element], extras: tuple[Extra, ...], mimic: Mimic | None, document: Document
) -> tuple[Leaf, ...]:
    leaves = read_leaves(first, _LEAVES, extras, document)
    if leaves and "axis" in first and "xyz" not in first["axis"].attributes:
        leaves = _without_read_child(leaves, extras)
    if mimic is None and "mimic" in first:
        leaves += (read_mimic_leaf(first["mimic"], document),)
    return leaves


def _without_read_child(leaves: tuple[Leaf, ...], extras: tuple[Extra, ...]) -> tuple[Leaf, ...]:
    """Without the <xyz> in an <axis>, which is read as its attribute."""
    is_doubled = any(extra.tag == "axis" for extra in extras)
    kept = []
    for leaf in leaves:
        if leaf.tag == "axis":
            others = tuple(extra for extra in leaf.extras if extra.tag != "xyz")
            leaf = replace(leaf, extras=others)
            if not (leaf.attributes or others or is_doubled):
                continue
        kept.append(leaf)
    return tuple(kept)


def read_end(element: Element | None, document: Document) -> str:
    """Reads the link that a <parent> or <child> names; empty where it names none."""
    if element is None:
        return ""
    link = element.attributes.get("link")
    if link is None:
        link = document.text_instead(element, "link") or ""
    return document.checked_name(link, element)


def read_joint_type(element: Element, document: Document) -> str:
    """Reads the type in lower case, known or not; "fixed" where there is none."""
    written = element.attributes.get("type", "")
    if written in JOINT_TYPES:
        return written
    joint_type = document.checked_name(written, element).strip().lower()
    if not joint_type:
        document.remark("missing-joint-type", "has no type; it is fixed", element)
        return "fixed"
    if joint_type != written:
        finding = f"has the type {quote(written)}; it is read as {quote(joint_type)}"
        document.remark("joint-type-spelling", finding, element)
    return joint_type


def read_axis(element: Element | None, document: Document) -> Vector3 | None:
    """Reads the axis as written, not normalised; None where none is written."""
    if element is None:
        return None
    if "xyz" in element.attributes:
        return document.vector(element, "xyz")
    within = next((child for child in element if child.tag == "xyz"), element)
    text = document.text(within)
    if not text:
        return None
    document.warn_of_text(element, "xyz")
    return document.odd_vector(element, "xyz", text)


def read_limit(element: Element | None, document: Document) -> Limit | None:
    """Limits of any finite size; one diagnostic for all that lack effort or velocity."""
    if element is None:
        return None
    attributes = element.attributes
    try:
        limit = Limit(
            lower=plain_number(attributes["lower"]),
            upper=plain_number(attributes["upper"]),
            effort=plain_number(attributes["effort"]),
            velocity=plain_number(attributes["velocity"]),
        )
    except (KeyError, ValueError):
        limit = _read_odd_limit(element, document)
    return add_beyond(limit, element, document)


def _read_odd_limit(element: Element, document: Document) -> Limit:
    effort = document.limit_number(element, "effort")
    velocity = document.limit_number(element, "velocity")
    if effort is None or velocity is None:
        document.unrated_limits.add(element.line, document.name)
    return Limit(
        lower=document.limit_number(element, "lower"),
        upper=document.limit_number(element, "upper"),
        effort=effort,
        velocity=velocity,
    )


def read_mimic(element: Element | None, document: Document) -> Mimic | None:
    """Reads the joint that is followed, whether it exists or not."""
    if element is None:
        return None
    source = document.checked_name(element.attributes.get("joint", ""), element)
    multiplier = document.number(element, "multiplier")
    offset = document.number(element, "offset")
    if not source:
        document.remark("mimic-without-joint", "names no joint; it is left out", element)
        return None
    multiplier = 1.0 if multiplier is None else multiplier
    mimic = Mimic(joint=source, multiplier=multiplier, offset=0.0 if offset is None else offset)
    return add_beyond(mimic, element, document)


_Numbers = TypeVar("_Numbers", Calibration, Dynamics, SafetyController)


def read_numbers(
    kind: type[_Numbers], element: Element | None, document: Document
) -> _Numbers | None:
    """Reads an element whose attributes are numbers, each optional."""
    if element is None:
        return None
    numbers = {name: document.number(element, name) for name in sorted(DEFINED[element.tag])}
    return add_beyond(kind(**numbers), element, document)  # type: ignore[arg-type]
