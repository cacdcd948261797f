# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot in its state in the scene, for writers: its shapes, its materials, its place.

The masses of its links and the motions of its joints come from its properties alone, exactly.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...diagnostics import BuildError, Diagnostics, quote
from ...geometry.inertia import move_pose
from ...geometry.transforms import matrix_from_pose
from ...meshes import ShownShape
from ...model import IDENTITY, Collision, Link, Pose, Robot, Visual, VisualMaterials
from ...reshape import seat_links
from ..standing import properties
from ..standing.record import find_record
from .robot import find_link_empties
from .shapes import ShapeExtractor


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneRobot:
    """A robot with the shapes and materials that the objects of the scene show.

    shapes  the shapes that `robot` took from the scene, with arrays
    images  the files of its materials' images
    """

    robot: Robot
    shapes: tuple[ShownShape, ...]
    images: frozenset[str]


def extract_scene(
    armature: Any,
    described: Robot,
    folder: Path,
    diagnostics: Diagnostics,
    *,
    keeps_seats: bool = False,
) -> SceneRobot:
    """Extracts the shapes of a rig; `described` is the result of extract_robot for it.

    Images that are not in a file are written into `folder`, which must be there as long as the
    result is used. Parts that were not imported, or could not be, stay as described: their files
    are read. Links have the frames of their joints (seat_links), unless `keeps_seats` leaves them
    where the description has them.
    """
    missing = find_missing(armature)
    materials = VisualMaterials(described)
    extractor = ShapeExtractor(folder, diagnostics)
    empties = find_link_empties(armature)
    seated = described if keeps_seats else seat_links(described)
    origins = {joint.child: joint.child_origin for joint in described.joints if not keeps_seats}
    links, shapes = [], []
    for before, link in zip(described.links, seated.links, strict=True):
        found = [each.shown for each in extractor.find_shapes(before, empties[before.name])]
        found = _seat_shapes(found, origins.get(link.name, IDENTITY))
        links.append(_replace_shapes(link, found, missing, materials))
        shapes += found
    return SceneRobot(
        # The visuals hold the materials of the scene themselves.
        robot=replace(seated, links=tuple(links), materials=()),
        shapes=tuple(shapes),
        images=frozenset(
            name
            for each in shapes
            if isinstance(each.shape, Visual) and each.shape.material is not None
            for name in each.shape.material.images
        ),
    )


def _seat_shapes(shapes: list[ShownShape], origin: Pose) -> list[ShownShape]:
    """Moves shapes of a link into the frame in which it has this origin."""
    if origin == IDENTITY:
        return shapes
    frame = matrix_from_pose(origin)
    return [
        replace(each, shape=replace(each.shape, origin=move_pose(frame, each.shape.origin)))
        for each in shapes
    ]


def find_place(
    armature: Any, diagnostics: Diagnostics
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Finds the place of the robot's root link in the scene: (translation in metres, roll, pitch
    and yaw).

    A robot has the size that is in its description: a scale is reported and left out.
    """
    location, rotation, _ = armature.matrix_world.decompose()
    report_scale(armature, diagnostics)
    x, y, z = (shorten(part) for part in location)
    roll, pitch, yaw = (shorten(part) for part in rotation.to_euler("XYZ"))
    return (x, y, z), (roll, pitch, yaw)


def report_scale(armature: Any, diagnostics: Diagnostics) -> None:
    """Reports that a rig has another size in the scene than in its description."""
    if max(abs(part - 1.0) for part in armature.matrix_world.to_scale()) > 1e-5:
        name = armature[properties.ROBOT].get("name", "")
        diagnostics.warning(
            "scaled-rig",
            f"the armature of robot {quote(name)} is scaled; the export has the size that the "
            "description says",
            subject=name,
        )


def shorten(number: float) -> float:
    """Returns the shortest number that is the same in Blender's single precision: 0.1 where a user
    wrote 0.1. A mere rounding error is zero."""
    return 0.0 if abs(number) < 1e-7 else float(str(np.float32(number)))


def find_missing(armature: Any) -> tuple[bool, bool]:
    """Whether visuals and collisions were left out of the import."""
    try:
        options = find_record(armature).options
    except BuildError:
        return False, False
    return not options.visuals, not options.collisions


def _replace_shapes(
    link: Link, shapes: list[ShownShape], missing: tuple[bool, bool], materials: VisualMaterials
) -> Link:
    """Returns the link with its shapes from the scene, and the described ones for parts left
    out."""
    seen = [each.shape for each in shapes]
    visuals = [shape for shape in seen if isinstance(shape, Visual)]
    collisions = [shape for shape in seen if isinstance(shape, Collision)]
    if missing[0]:
        visuals += _undefine(link, materials)
    if missing[1]:
        collisions += link.collisions
    return replace(link, visuals=tuple(visuals), collisions=tuple(collisions))


def _undefine(link: Link, materials: VisualMaterials) -> Iterator[Visual]:
    """Yields the described visuals with the content of their materials and without their names,
    which materials of the scene may have taken."""
    for visual in link.visuals:
        material = materials.find(visual, link)
        yield replace(visual, material=material and replace(material, name=""))
