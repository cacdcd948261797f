# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices of Webots that no other description has."""

from dataclasses import dataclass, field

from .pose import IDENTITY, Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class WebotsDevice:
    """A device on a link: `node` is its kind, `origin` its frame in the link's frame, `fields` are
    names and values as Webots writes them, such as ("lookupTable", "0 0 0 1 1000 0")."""

    node: str
    name: str
    reference: str
    origin: Pose = IDENTITY
    fields: tuple[tuple[str, str], ...] = ()
    line: int = field(default=0, compare=False)
