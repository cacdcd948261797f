# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots of others, from the package example-robot-data."""

import sysconfig
from dataclasses import replace
from functools import cache
from pathlib import Path

from urdf_importer import Robot
from urdf_importer.core.model import Collision, Mesh, Visual

ROOT = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")


@cache
def descriptions() -> tuple[Path, ...]:
    """All URDF files of the package. It is a test dependency: none found is a failure."""
    found = tuple(sorted(ROOT.glob("**/*.urdf")))
    assert len(found) > 60, f"example-robot-data is not installed in {ROOT}"
    return found


def name_of(path: Path) -> str:
    """The name of a description as a test's id."""
    return f"{path.parent.parent.name}/{path.stem}"


def without_elsewhere(robot: Robot) -> Robot:
    """The robot without meshes by addresses on the machine of its author, as Romeo has them."""

    def is_here(shape: Visual | Collision) -> bool:
        geometry = shape.geometry
        return not (isinstance(geometry, Mesh) and geometry.filename.startswith("file:"))

    links = tuple(
        replace(
            link,
            visuals=tuple(filter(is_here, link.visuals)),
            collisions=tuple(filter(is_here, link.collisions)),
        )
        for link in robot.links
    )
    return replace(robot, links=links)
