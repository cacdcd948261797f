# SPDX-License-Identifier: GPL-3.0-or-later
"""<origin>: poses."""

from ....core.markup.xml import Element
from ....core.model import IDENTITY, Pose, Quaternion
from .document import ZERO, Document
from .numbers import padded


def read_origin(element: Element | None, document: Document) -> Pose:
    """Reads the pose that an <origin> gives; the identity where there is none."""
    if element is None:
        return IDENTITY
    attributes = element.attributes
    xyz = document.vector(element, "xyz") if "xyz" in attributes else ZERO
    if "quat_xyzw" in attributes:
        quaternion = read_quaternion(element, document)
        if quaternion is not None:
            return Pose(xyz=xyz, quat_xyzw=quaternion)
    rpy = document.vector(element, "rpy") if "rpy" in attributes else ZERO
    if xyz == ZERO == rpy:
        return IDENTITY
    return Pose(xyz=xyz, rpy=rpy)


def read_quaternion(element: Element, document: Document) -> Quaternion | None:
    """Reads the rotation in URDF 1.1's spelling; None, with a warning, where it is not a
    rotation."""
    text = element.attributes["quat_xyzw"]
    x, y, z, w = padded(document.number_list(element, "quat_xyzw", text, 4), 4)
    if x == y == z == w == 0.0:
        finding = "is zero, which is not a rotation; rpy is used"
        document.remark("zero-quaternion", finding, element, "quat_xyzw")
        return None
    if "rpy" in element.attributes:
        finding = "has both rpy and quat_xyzw; quat_xyzw is used"
        document.remark("two-rotations", finding, element)
    return x, y, z, w
