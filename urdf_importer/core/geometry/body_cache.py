# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies around meshes that are kept between runs, by the content of the meshes."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..model import Box, Capsule, Cylinder, Sphere
from .array_cache import digest, keep, load_kept
from .decomposition import decompose
from .fitting import Fit, Primitive
from .mesh_data import MeshData

Body = Fit | MeshData
_Arrays = Mapping[str, NDArray[Any]]

_ROUND: dict[str, Callable[[Sequence[float]], Primitive]] = {
    "Box": lambda numbers: Box(size=(numbers[0], numbers[1], numbers[2])),
    "Sphere": lambda numbers: Sphere(radius=numbers[0]),
    "Cylinder": lambda numbers: Cylinder(radius=numbers[0], length=numbers[1]),
    "Capsule": lambda numbers: Capsule(radius=numbers[0], length=numbers[1]),
}
_PARTS = ("vertices", "corners", "face_sizes")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KeptBodies:
    """Bodies, numbers about them, and whether they would be the same on another day: not where a
    search was cut short."""

    bodies: tuple[Body, ...]
    numbers: tuple[float, ...] = ()
    lasting: bool = True


def remember_bodies(name: str, make: Callable[[], KeptBodies]) -> KeptBodies:
    """Returns the bodies kept under `name`, a digest, where these are sound; else the bodies that
    `make` returns, which are kept if they are lasting.
    """
    arrays = load_kept(name)
    if arrays is not None:
        with suppress(LookupError, TypeError, ValueError):
            bodies = tuple(_unpack(arrays, number) for number in range(int(arrays["count"])))
            return KeptBodies(bodies=bodies, numbers=tuple(map(float, arrays["numbers"])))
    made = make()
    if made.lasting:
        keep(name, {**_pack(made.bodies), "numbers": np.array(made.numbers, dtype=np.float64)})
    return made


def decompose_kept(
    vertices: NDArray[Any], faces: NDArray[Any], *, most_parts: int, seconds: float
) -> tuple[MeshData, ...]:
    """Returns the result of `decompose`, kept between runs."""

    def make() -> KeptBodies:
        end = time.monotonic() + seconds
        parts = decompose(vertices, faces, most_parts=most_parts, seconds=seconds)
        return KeptBodies(bodies=parts, lasting=time.monotonic() < end)

    made = remember_bodies(digest("decompose", vertices, faces, most_parts), make)
    return tuple(each for each in made.bodies if isinstance(each, MeshData))


def _pack(bodies: Sequence[Body]) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {"count": np.array(len(bodies))}
    for number, body in enumerate(bodies):
        if isinstance(body, Fit):
            kind = type(body.geometry).__name__
            arrays[f"{kind} {number}"] = np.hstack(astuple(body.geometry)).astype(np.float64)
            arrays[f"frame {number}"] = body.frame
            continue
        parts = ((part, getattr(body, part)) for part in _PARTS)
        arrays |= {f"{part} {number}": found for part, found in parts if found is not None}
    return arrays


def _unpack(arrays: _Arrays, number: int) -> Body:
    """Raises LookupError, TypeError or ValueError for arrays that make no body."""
    for kind, make in _ROUND.items():
        numbers = arrays.get(f"{kind} {number}")
        if numbers is not None:
            return Fit(make(numbers.tolist()), arrays[f"frame {number}"].reshape(4, 4))
    vertices, corners = arrays[f"vertices {number}"], arrays[f"corners {number}"]
    sizes = arrays.get(f"face_sizes {number}")
    places = np.arange(len(vertices))[corners]  # Raises for corners that are not vertices.
    total = len(places) // 3 * 3 if sizes is None else sizes.sum()
    if vertices.shape[1:] != (3,) or corners.shape != (total,) or corners.min(initial=0) < 0:
        raise ValueError
    return MeshData(vertices=vertices, corners=corners, face_sizes=sizes)
