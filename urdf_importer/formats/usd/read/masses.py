# SPDX-License-Identifier: GPL-3.0-or-later
"""The masses of bodies: as written, else from their colliders at their densities.

A value that is zero, or infinite for a centre, counts as not written (UsdPhysics).
"""

from collections.abc import Sequence

import numpy as np

from ....core.geometry.inertia import BodyMass, inertial_of
from ....core.geometry.transforms import Matrix, Vector, invert
from ....core.geometry.volumes import MassProperties, join_masses
from ....core.meshes import RobotFiles
from ....core.meshes.weighing import weigh
from ....core.model import Collision, Inertial
from ..stages import StagePrim
from .scene import UsdScene, read_turn

_WATER = 1000.0
"""kg/m^3, where no density is given."""


def read_mass(
    body: StagePrim,
    colliders: Sequence[tuple[StagePrim, Collision]],
    scene: UsdScene,
    files: RobotFiles,
) -> Inertial | None:
    """Reads the mass of a body in its link's frame; None where nothing says it."""
    stage = scene.stage
    if "urdf:inertial" in body.values:
        return read_own_mass(body)
    mass = (body.number("physics:mass") or 0.0) * stage.kilograms
    tensor = _read_tensor(body, stage.kilograms * stage.meters**2)
    center = _read_center(body, scene)
    if mass > 0.0 and tensor is not None and center is not None:
        return inertial_of(BodyMass(mass=mass, center=center, inertia=tensor))
    if scene.is_own and not mass > 0.0:
        return None
    weighed = join_masses(_weigh(body, each, scene, files) for each in colliders)
    if weighed is None:
        if not mass > 0.0:
            return None
        center = np.zeros(3) if center is None else center
        found = inertial_of(BodyMass(mass=mass, center=center, inertia=np.zeros((3, 3))))
        return Inertial(origin=found.origin, mass=mass)
    share = mass / weighed.volume if mass > 0.0 else 1.0
    return inertial_of(
        BodyMass(
            mass=share * weighed.volume,
            center=weighed.centre if center is None else center,
            inertia=share * weighed.inertia if tensor is None else tensor,
        )
    )


def read_own_mass(prim: StagePrim) -> Inertial | None:
    """Reads the mass of one link of several in a body, as this library writes it."""
    given = prim.vector("urdf:inertial", 10)
    if given is None or given[0] < 0.0 or not (given[0] or any(given[4:])):
        return None
    tensor = np.zeros((3, 3))
    tensor[np.triu_indices(3)] = given[4:]
    tensor += np.triu(tensor, 1).T
    return inertial_of(BodyMass(mass=given[0], center=np.array(given[1:4]), inertia=tensor))


def _read_center(body: StagePrim, scene: UsdScene) -> Vector | None:
    given = body.vector("physics:centerOfMass", 3)
    if given is None:
        return None
    frame = scene.frame(body.path)
    found: Vector = frame[:3, :3].T @ (scene.point(body.path, np.array(given)) - frame[:3, 3])
    return found


def _read_tensor(body: StagePrim, unit: float) -> Matrix | None:
    moments = body.vector("physics:diagonalInertia", 3)
    if moments is None or not any(moments):
        return None
    turn = read_turn(body.vector("physics:principalAxes", 4))
    tensor: Matrix = (turn * np.array(moments)) @ turn.T * unit
    return tensor


def _weigh(
    body: StagePrim, collider: tuple[StagePrim, Collision], scene: UsdScene, files: RobotFiles
) -> MassProperties | None:
    """The mass of one collider, in the body's frame; None for a shape that encloses no volume."""
    prim, shape = collider
    found = weigh(shape, files.peek)
    if found is None:
        return None
    mass = (prim.number("physics:mass") or 0.0) * scene.stage.kilograms
    return found.times(mass / found.volume if mass > 0.0 else _find_density(body, prim, scene))


def _find_density(body: StagePrim, prim: StagePrim, scene: UsdScene) -> float:
    """kg/m^3: the collider's, its material's, or the body's."""
    stage = scene.stage
    unit = stage.kilograms / stage.meters**3
    material = stage.materials.get(prim.rubs, {}).get("values", {}).get("physics:density")
    for value in (prim.number("physics:density"), material, body.number("physics:density")):
        if isinstance(value, int | float) and value > 0.0:
            return value * unit
    return _WATER


def place_in(body: str, path: str, scene: UsdScene) -> Matrix:
    """Returns (4, 4), the frame of a prim in its body's."""
    return invert(scene.frame(body)) @ scene.frame(path)
