# SPDX-License-Identifier: GPL-3.0-or-later
"""The robot as its description says it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .extra import Attributes, Extra
from .joint import Joint
from .link import Link
from .loop import LoopJoint
from .material import Material
from .sensor import Sensor
from .simulation import JointControl, SimulationSettings
from .transmission import Transmission


@dataclass(frozen=True, slots=True, kw_only=True)
class Robot:
    """`joints` make a tree of the links; `loops` are the joints that close it to loops. `source` is
    the file it was read from, for messages and relative paths; empty if none.

    `attributes` are <robot>'s attributes other than name and version: namespaces above all.
    `text` is the file that was read, of the format `text_format` (urdf, sdf), kept so that edits
    can be minimal; empty for a robot from xacro, from another format or from no file.
    `sensors`, `settings` and `controls` are the interpreted extras of the robot, its links and its
    joints. Readers and extraction fill them from these (gazebo.interpret_extras); so they do not
    count for equality, and are not kept a second time beside the extras.
    `start` are positions of joints in the pose in which a file shows the robot, as GroupState has
    them; joints that are not in it are at zero. An import begins there.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...] = ()
    loops: tuple[LoopJoint, ...] = ()
    materials: tuple[Material, ...] = ()
    transmissions: tuple[Transmission, ...] = ()
    extras: tuple[Extra, ...] = ()
    version: str = ""
    attributes: Attributes = ()
    source: str = field(default="", compare=False)
    text: bytes = field(default=b"", compare=False, repr=False)
    text_format: str = field(default="urdf", compare=False, repr=False)
    sensors: Sequence[Sensor] = field(default=(), compare=False)
    settings: Sequence[SimulationSettings] = field(default=(), compare=False)
    controls: Sequence[JointControl] = field(default=(), compare=False)
    start: tuple[tuple[str, tuple[float, ...]], ...] = field(default=(), compare=False)

    def text_of(self, format: str) -> bytes:
        """Returns the text that was read, where it has this format; else nothing."""
        return self.text if self.text_format == format else b""

    def material_definitions(self) -> dict[str, Material]:
        """Returns name -> definition: robot-level materials first, then inline ones in file
        order."""
        definitions: dict[str, Material] = {}
        for material, _ in written_materials(self):
            if material.name and not material.is_reference:
                definitions.setdefault(material.name, material)
        return definitions

    @property
    def shows_collisions(self) -> bool:
        """Whether its collision shapes are all that is visible: no link has a visual."""
        links = self.links
        return any(link.collisions for link in links) and not any(link.visuals for link in links)

    def names(self) -> set[str]:
        """Returns the names of the links and joints."""
        return {link.name for link in self.links} | {joint.name for joint in self.joints}

    def total_mass(self) -> float:
        """Returns the mass in kg; links that say nothing of it weigh nothing."""
        inertials = [link.inertial for link in self.links if link.inertial is not None]
        try:
            return math.fsum(inertial.mass or 0.0 for inertial in inertials)
        except OverflowError:
            return math.inf


def written_materials(robot: Robot) -> Iterator[tuple[Material, str]]:
    """Yields the materials as they are written, each with the name of its link: robot-level ones,
    with "", first."""
    for material in robot.materials:
        yield material, ""
    for link in robot.links:
        for visual in link.visuals:
            if visual.material is not None:
                yield visual.material, link.name
