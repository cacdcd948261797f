# SPDX-License-Identifier: GPL-3.0-or-later
"""Collision shapes that fit: load meshes -> simple shapes, hulls or convex parts -> robot."""

from collections.abc import Generator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from ...core.arguments import diagnostics_of, options_of, robot_or_rig_of
from ...core.diagnostics import ArgumentError, Diagnostic, Diagnostics, unknown_name
from ...core.meshes import RobotFiles
from ...core.model import Robot
from ...core.options import ExportOptions, ImportOptions
from ...core.pipeline.extracting import find_reshaped
from ...core.pipeline.opening import open_export, open_scene
from ...core.progress import Progress, finish
from .fit_options import CollisionOptions as CollisionOptions
from .fitted_robot import FittedLink as FittedLink
from .fitted_robot import fit_links, put_collisions


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedCollisions:
    """The result of fit_collisions.

    links        link name -> its shapes, of links that got new ones
    robot        the robot with these
    diagnostics  everything that could not be fitted
    """

    links: dict[str, FittedLink]
    robot: Robot
    diagnostics: tuple[Diagnostic, ...]


def fit_collisions(
    robot_or_armature: Robot | Any,
    *,
    options: CollisionOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> FittedCollisions:
    """Fits collision shapes around the meshes of a robot, or of an imported robot as shown, and
    changes nothing: `export_robot` writes the robot of the result in any format, and
    `update_robot(armature, robot=fitted.robot)` puts its shapes into the scene. Imports and exports
    do it on the way with their option `fit_collisions`.

    Each shape or group of parts contains the mesh. Simple shapes stay; hulls and parts are
    Polyhedron, which are mesh files where a format needs these. Meshes that cannot be loaded are
    reported and keep their shapes. Raises KinematicsError for a link that is not there,
    ArgumentError for a decomposer that is not installed, BuildError for an object that is not an
    imported robot.
    """
    return finish(fit_steps(robot_or_armature, options, diagnostics))


def fit_steps(
    robot_or_armature: Any, options: CollisionOptions | None, diagnostics: Diagnostics | None = None
) -> Generator[Progress, None, FittedCollisions]:
    """Runs fit_collisions in steps, for progress bars."""
    given = robot_or_rig_of(robot_or_armature)
    options, diagnostics = options_of(options, CollisionOptions), diagnostics_of(diagnostics)
    robot = given if isinstance(given, Robot) else find_reshaped(given)
    if options.decomposer == "coacd" and not _has_coacd():
        raise ArgumentError(
            "CoACD is not installed: pip install urdf-importer[decomposition], or take "
            "decomposer='own'"
        )
    diagnostics.source = diagnostics.source or robot.source
    names = [link.name for link in robot.links]
    for name in options.links:
        if name not in names:
            raise unknown_name("the robot has no link", name, names)
    with open_scene(open_export(given, options, diagnostics), keeps_seats=True) as shown:
        _, links = yield from fit_links(shown.robot, shown.files, options, diagnostics)
    robot = put_collisions(robot, links)
    return FittedCollisions(links=links, robot=robot, diagnostics=tuple(diagnostics))


def fit_robot(
    robot: Robot,
    files: RobotFiles,
    options: ImportOptions | ExportOptions,
    diagnostics: Diagnostics,
) -> Generator[Progress, None, Robot]:
    """Returns, in steps, the robot with the collision shapes that the options of an import or
    export want."""
    shape: Any = options.fit_collisions
    wanted = CollisionOptions(shape=shape)
    return (yield from fit_links(robot, files, wanted, diagnostics))[0]


def _has_coacd() -> bool:
    """Whether the library is installed, and this is the Python package: the extension starts no
    child processes."""
    return all(find_spec(name, __package__) for name in ("coacd", "...core.geometry.coacd_parts"))
