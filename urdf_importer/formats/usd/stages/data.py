# SPDX-License-Identifier: GPL-3.0-or-later
"""A stage as plain data, checked."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....core.diagnostics import ReadError

_KINDS = ("<f4", "<i4")


def split(matrix: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns rotation and stretch (3, 3) of a linear map (3, 3): matrix = rotation @ stretch. A
    map that is flat has no rotation of its own and gets the nearest one."""
    u, sizes, v = np.linalg.svd(matrix)
    turn: NDArray[np.float64] = u @ v
    if np.linalg.det(turn) < 0.0:
        turn, sizes = -turn, -sizes
    return turn, v.T @ np.diag(sizes) @ v


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StagePrim:
    """A prim with the values of its attributes at the default time.

    shown     its name for people; empty where it has none
    schemas   applied, known or not: PhysicsDriveAPI:angular
    values    by name, as far as they are written and small; quaternions with the real part first
    targets   paths by the name of the relationship
    world     (4, 4), the world's frame from its own, in units of the stage; None where it has none
    varies    whether that has time samples
    material  the path of its material, and `rubs` of the one with friction and density
    mesh      numbers of arrays and flags, as session/arrays.py makes them
    """

    path: str
    kind: str
    shown: str = ""
    schemas: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    targets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    world: NDArray[np.float64] | None = None
    varies: bool = False
    purpose: str = "default"
    visible: bool = True
    material: str = ""
    rubs: str = ""
    mesh: Mapping[str, Any] | None = None

    @property
    def parent(self) -> str:
        return self.path.rpartition("/")[0]

    @property
    def label(self) -> str:
        """Its name for people, else its own."""
        return self.shown or self.path.rpartition("/")[2]

    def has(self, schema: str) -> bool:
        """Whether a schema is applied, to whichever instance."""
        return any(each.partition(":")[0] == schema for each in self.schemas)

    def number(self, name: str, default: float | None = None) -> float | None:
        """Returns a finite number; the default where there is none."""
        value = self.values.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return default
        return float(value) if math.isfinite(value) else default

    def vector(self, name: str, count: int) -> tuple[float, ...] | None:
        """Returns finite numbers, as many as `count`; None where there are none."""
        value = self.values.get(name)
        if not isinstance(value, list) or len(value) != count:
            return None
        if not all(isinstance(each, int | float) and math.isfinite(each) for each in value):
            return None
        return tuple(map(float, value))

    def text(self, name: str, default: str = "") -> str:
        value = self.values.get(name)
        return value if isinstance(value, str) else default

    def target(self, name: str) -> str:
        """Returns the first target of a relationship; empty for none."""
        return next(iter(self.targets.get(name, ())), "")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UsdStage:
    """The prims of a stage, parents first, by path. `meters` and `kilograms` are the stage's units,
    `up` is X, Y or Z, `missing` are layers that are not there, `variants` the choices there are, as
    SET:=CHOICE, and `files` everything that was read."""

    path: str
    meters: float
    kilograms: float
    up: str
    default: str
    missing: tuple[str, ...]
    variants: tuple[str, ...]
    prims: Mapping[str, StagePrim]
    materials: Mapping[str, Mapping[str, Any]]
    files: tuple[str, ...]
    arrays: tuple[NDArray[Any], ...]

    def array(self, number: Any) -> NDArray[Any] | None:
        """Returns an array by its number; None where there is none."""
        is_there = isinstance(number, int) and 0 <= number < len(self.arrays)
        return self.arrays[number] if is_there else None


def read_stage_data(
    path: str, said: Mapping[str, Any], raw: bytes, files: tuple[str, ...]
) -> UsdStage:
    """Makes a stage of the output of a child process. Raises ReadError for units beyond
    use, and for data that is not whole."""
    try:
        units = float(said["meters"]), float(said["kilograms"])
        prims = {each["path"]: _read_prim(each) for each in said["prims"]}
        stage = UsdStage(
            path=path,
            meters=units[0],
            kilograms=units[1],
            up=str(said["up"]),
            default=str(said["default"]),
            missing=tuple(map(str, said["missing"])),
            variants=tuple(map(str, said["variants"])),
            prims=prims,
            materials=said["materials"],
            files=files,
            arrays=tuple(_read_array(raw, *each) for each in said["arrays"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ReadError(f"the data of the stage is not whole: {error!r}", source=path) from None
    for name, unit in zip(("metersPerUnit", "kilogramsPerUnit"), units, strict=True):
        if not 1e-9 <= unit <= 1e9:
            raise ReadError(
                f"{name} is {unit:g}; robots need a unit between 1e-9 and 1e9", source=path
            )
    if stage.up not in ("Y", "Z"):
        raise ReadError(f"upAxis is {stage.up}; it must be Y or Z", source=path)
    return stage


def _read_prim(said: Mapping[str, Any]) -> StagePrim:
    rows = said.get("world")
    world = None if rows is None else np.array(rows, dtype=np.float64).reshape(4, 4)
    targets = {name: tuple(paths) for name, paths in said["targets"].items()}
    schemas = tuple(said["schemas"])
    return StagePrim(**{**said, "schemas": schemas, "targets": targets, "world": world})


def _read_array(raw: bytes, offset: int, kind: str, shape: list[int]) -> NDArray[Any]:
    if kind not in _KINDS or min(offset, *shape) < 0:
        raise ValueError("an array of another kind")
    count = math.prod(shape)
    return np.frombuffer(raw, dtype=kind, count=count, offset=offset).reshape(shape)


def split_stretch(prim: StagePrim, meters: float) -> NDArray[np.float64]:
    """Returns (3, 3), the map from a prim's own lengths to metres in its rigid frame; none for a
    prim without a place."""
    if prim.world is None or not np.isfinite(prim.world).all():
        return meters * np.eye(3)
    return meters * split(prim.world[:3, :3])[1]
