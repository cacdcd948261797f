# SPDX-License-Identifier: GPL-3.0-or-later
"""A component of MORSE as plain data, before it has its name."""

from dataclasses import dataclass

from urdf_importer.core.geometry.transforms import Matrix

Value = bool | int | float | str
Properties = tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComponentPlan:
    """`component` is a class of morse.builder; `frame` (4, 4 in the frame of the link) is the one
    in which it looks along +x with z up. `suffix` distinguishes several of one sensor."""

    component: str
    frame: Matrix
    properties: Properties = ()
    suffix: str = ""
    topic: str = ""
